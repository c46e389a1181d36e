"""Reward calibration from tags and successes, and soft matches of tool arguments."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.batch import TurnBatch

# Eight turns, four in successes. gold 3 of 4 in successes, read 1 of 3, one turn without a tag in a failure.
TAGS = ["gold", "gold", "gold", "read", "gold", "read", "read", ""]
WON = [True] * 4 + [False] * 4
PRIOR = {"gold": 0.2, "read": 1.4, "state": -0.3}
# gold: (8·3 - 4·4)/√(4·4·4·4) = ½. read: (8·1 - 3·4)/√(3·5·4·4) = -4/√240. state never occurs.
GOLD, READ = 0.5, -4 / 240**0.5


def test_calibrate_by_hand():
    made = credit.calibrate(TAGS, WON, PRIOR)
    assert made.rho == pytest.approx({"gold": GOLD, "read": READ, "state": 0.0})
    assert made.reward == pytest.approx({"gold": GOLD, "read": READ, "state": 0.0})
    assert made.weight == pytest.approx({"gold": 0.2 + GOLD / 2, "read": 1.4 + READ / 2, "state": -0.3})
    assert list(made.weight) == list(PRIOR)


def test_calibrate_options():
    # READ is -0.258: below δ = 0.3 it pays nothing, yet its weight moves, by η·ρ; clipped weights.
    made = credit.calibrate(TAGS, WON, PRIOR, alpha=2.0, delta=0.3, eta=4.0, clip=(-0.2, 1.0))
    assert made.reward == pytest.approx({"gold": 2 * GOLD, "read": 0.0, "state": 0.0})
    assert made.weight == pytest.approx({"gold": 1.0, "read": 1.4 + 4 * READ, "state": -0.2})
    # |ρ| = δ pays nothing.
    assert credit.calibrate(TAGS, WON, PRIOR, delta=0.5).reward["gold"] == 0.0


def test_a_constant_has_no_correlation():
    every = credit.calibrate(["gold"] * 3, [True, False, True], {"gold": 0.5})
    assert every.rho == {"gold": 0.0}
    assert credit.calibrate(TAGS, [True] * 8, PRIOR).rho == {"gold": 0.0, "read": 0.0, "state": 0.0}
    assert credit.calibrate([], [], PRIOR).weight == PRIOR


@given(
    turns=st.lists(st.tuples(st.sampled_from(["gold", "read", "error", ""]), st.booleans()), min_size=1, max_size=40)
)
def test_rho_is_pearsons_correlation(turns):
    tags, won = [tag for tag, _ in turns], [flag for _, flag in turns]
    made = credit.calibrate(tags, won, {"gold": 0.0, "read": 0.0, "error": 0.0})
    for tag, rho in made.rho.items():
        has, flags = np.array([other == tag for other in tags], float), np.array(won, float)
        constant = has.std() == 0 or flags.std() == 0
        wanted = 0.0 if constant else np.corrcoef(has, flags)[0, 1]
        assert rho == pytest.approx(wanted, abs=1e-12)
        assert abs(rho) <= 1.0


def test_check_compares_signs():
    # Means: gold (1 + 1 - 5 + 1)/4 = -½ against +; read (2 + 2 - 1)/3 = 1 against -; state has no turns.
    made = credit.calibrate(TAGS, WON, PRIOR)
    report = made.check(TAGS, [1.0, 1.0, -5.0, 2.0, 1.0, 2.0, -1.0, 9.0])
    assert [line.mean_advantage for line in report.lines] == [-0.5, 1.0, None]
    assert [line.turns for line in report.lines] == [4, 3, 0]
    assert report.mismatches == ("gold", "read")
    assert str(report).splitlines() == [
        "tag    turns     rho  reward  weight  advantage",
        "gold       4   0.500   0.500   0.450     -0.500  against its polarity",
        "read       3  -0.258  -0.258   1.271      1.000  against its polarity",
        "state      0   0.000   0.000  -0.300          -",
    ]
    assert made.check(TAGS, [1.0, 1.0, 1.0, -1.0, 1.0, -1.0, -1.0, 0.0]).mismatches == ()


def test_no_reward_and_no_advantage_have_no_sign():
    # delta 0.3 leaves read without a polarity; gold's mean is 0 but for rounding: 0.1 + 0.2 - 0.3 = 5.6e-17.
    made = credit.calibrate(TAGS, WON, PRIOR, delta=0.3)
    assert made.check(TAGS, [-0.1, -0.2, 0.3, 5.0, 0.0, 5.0, 5.0, 0.0]).mismatches == ()
    assert made.check(TAGS, [-0.1, -0.2, 0.2, 5.0, 0.0, 5.0, 5.0, 0.0]).mismatches == ("gold",)


def test_rounds_end_without_a_mismatch():
    # One group: successes (read, gold) twice; failures (read, read), (read, read). Weights start the wrong way round.
    tags = ["read", "gold"] * 2 + ["read", "read"] * 2
    won = [True] * 4 + [False] * 4
    columns = {"group": ["g"] * 8, "trajectory": [0, 0, 1, 1, 2, 2, 3, 3], "turn": [0, 1] * 4, "tag": tags}
    columns |= {"success": won, "outcome_reward": [0.0] * 8}
    weights, rounds = {"gold": -1.0, "read": 0.5}, []
    for _ in range(20):
        batch = TurnBatch.from_columns({**columns, "turn_reward": [weights[tag] for tag in tags]})
        made = credit.calibrate(batch["tag"], batch["success"], weights)
        report = made.check(batch["tag"], credit.estimate("turn_return", batch).total)
        rounds.append(len(report.mismatches))
        if not report.mismatches:
            break
        weights = made.weight
    assert rounds[0] == 2
    assert rounds[-1] == 0
    # ρ = ±(8·2 - 2·4)/√(2·6·4·4) = ±1/√3: each round moves both weights by half of that, against each other.
    assert weights["gold"] == pytest.approx(-1.0 + (len(rounds) - 1) * 0.5 / 3**0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tags": ["gold", "reed"], "success": [1, 0]}, "unknown tag 'reed' at position 1.*did you mean 'read'"),
        ({"success": [True]}, r"success must have shape \[8\]"),
        ({"success": [0.5] * 8}, "success must be true or false, got 0.5"),
        ({"prior": {"gold": math.nan, "read": 0.0}}, "prior is not finite at position 0"),
        ({"prior": {"": 0.0, "gold": 0.0, "read": 0.0}}, "stands for turns without a tag"),
        ({"alpha": math.inf}, "not finite"),
        ({"eta": math.nan}, "not finite"),
        ({"delta": -0.1}, "delta must lie in"),
        ({"clip": (1.0, -1.0)}, "low <= high"),
    ],
)
def test_calibrate_refuses(change, message):
    with pytest.raises(ValueError, match=message):
        credit.calibrate(**{"tags": TAGS, "success": WON, "prior": PRIOR, **change})


def test_check_refuses():
    made = credit.calibrate(TAGS, WON, PRIOR)
    with pytest.raises(ValueError, match="unknown tag 'error'"):
        made.check(["error"], [0.0])
    with pytest.raises(ValueError, match="advantage must have shape"):
        made.check(TAGS, [0.0])
    with pytest.raises(ValueError, match="advantage is not finite at position 7"):
        made.check(TAGS, [0.0] * 7 + [math.inf])


GOLD_CALL = {"user": "mia", "bags": 1, "legs": [{"flight": "HAT1", "seat": None}]}


def test_soft_match_by_hand():
    assert credit.soft_match(GOLD_CALL, GOLD_CALL) == 1.0
    # One of three equal: 0.5 + 0.5/3. The argument that gold has not is ignored.
    assert credit.soft_match({"user": "mia", "bags": 2, "pet": "cat"}, GOLD_CALL) == pytest.approx(2 / 3)
    assert credit.soft_match({}, GOLD_CALL) == 0.5
    assert credit.soft_match({"user": 1}, {}) == 1.0


def test_soft_match_compares_values_as_json_does():
    assert credit.soft_match({"n": 1.0}, {"n": 1}) == 1.0
    assert credit.soft_match({"n": True}, {"n": 1}) == 0.5
    assert credit.soft_match({"n": [True]}, {"n": [1]}) == 0.5
    assert credit.soft_match({"n": {"a": 0}}, {"n": {"a": False}}) == 0.5
    assert credit.soft_match({"n": (1, 2)}, {"n": [1, 2]}) == 1.0
    assert credit.soft_match({"n": [1]}, {"n": [1, 2]}) == 0.5
    assert credit.soft_match({"n": {"a": 1, "b": 2}}, {"n": {"a": 1}}) == 0.5
    assert credit.soft_match({"n": None}, {"n": None}) == 1.0
    assert credit.soft_match({}, {"n": None}) == 0.5  # left out is not null


@pytest.mark.parametrize("args", [None, "user=mia", 7, ["user"], math.nan])
def test_soft_match_takes_whatever_a_model_wrote(args):
    assert credit.soft_match(args, GOLD_CALL) == 0.5
