"""gtpo_hybrid, turn_return and hian on records small enough to work out by hand."""

import numpy as np
import pytest
from hypothesis import given

from agentgym import credit
from agentgym.credit import rows as seen
from agentgym.errors import MissingColumn
from tests.agentgym.test_credit_estimators import assert_close, record
from tests.strategies import paid_batches

ROOT = 2**0.5
# Turn rewards 0, 0 with outcome 1; 1 and no more; 0, 0, 2.
THREE = record([([0.0, 0.0], 1.0), ([1.0], 0.0), ([0.0, 0.0, 2.0], 0.0)])


def test_gtpo_hybrid_by_hand():
    # γ ½, the outcome at a virtual turn after the last: raw = 1/4, 1/2 | 1 | 1/2, 1, 2.
    # Turn 0: 1/4, 1, 1/2, mean 7/12: deviations -4/12, 5/12, -1/12, variance (16 + 25 + 1)/(3·144) = 7/72.
    # Turn 1: 1/2 and 1: ∓1. Turn 2: alone, 0. GN(o) = √2, -1/√2, -1/√2, times λ = ½.
    made = credit.gtpo_hybrid(THREE, gamma=0.5, outcome_weight=0.5, eps=0.0)
    s = (7 / 72) ** 0.5
    assert_close(made.terms["turn"], [-1 / 3 / s, -1, 5 / 12 / s, -1 / 12 / s, 1, 0])
    assert_close(made.terms["outcome"], [ROOT / 2] * 2 + [-ROOT / 4] * 4)
    # Centred alone.
    plain = credit.gtpo_hybrid(THREE, gamma=0.5, outcome_weight=1.0, normalise="none")
    assert_close(plain.terms["turn"], [-1 / 3, -1 / 4, 5 / 12, -1 / 12, 1 / 4, 0])
    assert_close(plain.terms["outcome"], [2 / 3] * 2 + [-1 / 3] * 4)


def test_gtpo_hybrid_tells_early_success_from_late():
    # Both succeed, after one turn and after two: raw at turn 0 is 0.9 and 0.81.
    two = record([([0.0], 1.0), ([0.0, 0.0], 1.0)])
    assert_close(credit.gtpo_hybrid(two, eps=0.0).total, [1, -1, 0])
    assert_close(credit.gtpo_hybrid(two, gamma=1.0, eps=0.0).total, [0, 0, 0])


def test_turn_return_by_hand():
    # γ ½: G = ½, 1 | 1 | ½, 1, 2. All: mean 1, deviations -½, 0, 0, -½, 0, 1, variance 1.5/6 = ¼.
    made = credit.turn_return(THREE, gamma=0.5, eps=0.0)
    assert_close(made.terms["return"], [-1, 0, 0, -1, 0, 2])
    # By turn index: ½, 1, ½ is one of three; 1, 1 and 2 have no spread.
    by_turn = credit.turn_return(THREE, gamma=0.5, population="group_turn", eps=0.0)
    assert_close(by_turn.total, [-1 / ROOT, 0, ROOT, -1 / ROOT, 0, 0])
    # The outcome alone: G = ½, 1, 0, 0, 0, 0.
    outcome = credit.turn_return(THREE, gamma=0.5, rewards="outcome", normalise="none").total
    assert_close(outcome, [0.25, 0.75, -0.25, -0.25, -0.25, -0.25])


def test_turn_return_populations_of_two_groups():
    # Group g pays 0 and 2, group h 10 and 12: ∓1 in each; over the batch the mean is 6 and the variance 26.
    two = record([([0.0], 0.0), ([2.0], 0.0), ([10.0], 0.0), ([12.0], 0.0)]).with_columns(group=list("gghh"))
    assert_close(credit.turn_return(two, eps=0.0).total, [-1, 1, -1, 1])
    assert_close(credit.turn_return(two, population="batch", eps=0.0).total, np.array([-6, -4, 4, 6]) / 26**0.5)


def test_turn_return_compares_the_turns_of_a_lone_rollout():
    alone = record([([0.0, 0.0], 1.0)])
    assert_close(credit.turn_return(alone, gamma=0.5, eps=0.0).total, [-1, 1])
    assert credit.turn_return(alone, gamma=1.0).total.tolist() == [0, 0]


@given(batch=paid_batches())
def test_turn_return_sums_to_zero_over_its_population(batch):
    populations = {"group": seen.by_group, "group_turn": seen.by_group_turn, "batch": seen.by_batch}
    for name, among in populations.items():
        x = credit.turn_return(batch, population=name).total
        assert (np.abs(among(batch).sum(x)) <= 1e-12 * np.maximum(among(batch).sum(np.abs(x)), 1.0)).all()


@given(batch=paid_batches())
def test_turn_return_is_the_step_term_of_gigpo_with_one_state(batch):
    one = credit.gigpo(batch.with_columns(anchor=["s"] * len(batch))).terms["step"]
    assert credit.turn_return(batch).total.tolist() == one.tolist()


# Two rollouts of two turns: progress 1, 0 | 1, 0; format 0, 0 | 0, 4 (the last turn of the first has no format at all).
NAMED = record(
    [([1.0, 0.0], 10.0), ([1.0, 4.0], 0.0)],
    components=[
        [{"progress": 1.0, "format": 0.0}, {"progress": 0.0}],
        [{"progress": 1.0, "format": 0.0}, {"progress": 0.0, "format": 4.0}],
    ],
)
UP, DOWN = 3**0.5, -1 / 3**0.5  # one of four, standardised


def test_hian_by_hand():
    # Turn rewards 1, 0, 1, 4: mean 1.5, variance (1 + 9 + 1 + 25)/16 = 9/4. Outcome: ±1, whatever its size.
    made = credit.hian(NAMED, turn_weight=3.0, episode_weight=0.5, eps=0.0)
    assert_close(made.terms["turn"], [-1, -3, -1, 5])
    assert_close(made.terms["episode"], [0.5, 0.5, -0.5, -0.5])
    # By turn index: 1, 1 has no spread; 0, 4 is ∓1.
    assert_close(credit.hian(NAMED, turn_population="group_same_turn", eps=0.0).terms["turn"], [0, -1, 0, 1])
    # In groups of their own 1, 0 and 1, 4 are ±1 and ∓1; over the batch nothing changes.
    apart = NAMED.with_columns(group=["g", "g", "h", "h"])
    assert_close(credit.hian(apart, eps=0.0).total, [1, -1, -1, 1])
    assert_close(credit.hian(apart, turn_population="batch", eps=0.0).total, np.array([-1, -3, -1, 5]) / 3)


def test_hian_per_component_by_hand():
    # z(progress) = 1, -1, 1, -1; z(format) = DOWN, DOWN, DOWN, UP with UP = √3, DOWN = -1/√3, the missing one paying 0.
    # Their sum: 1 + DOWN, -1 + DOWN, 1 + DOWN, -1 + UP, mean 0; variance: 1 + 1 + 2·(the mean product, which is
    # (DOWN - DOWN + DOWN - UP)/4 = (DOWN - UP)/4 = -1/√3) = 2 - 2/√3.
    made = credit.hian(NAMED, per_component=True, eps=0.0)
    sums = np.array([1 + DOWN, -1 + DOWN, 1 + DOWN, -1 + UP])
    assert_close(made.terms["turn"], sums / (2 - 2 / 3**0.5) ** 0.5)
    assert_close(made.terms["episode"], [1, 1, -1, -1])
    # Without divisions: centred ½, -½, ½, -½ and -1, -1, -1, 3.
    plain = credit.hian(NAMED, per_component=True, normalise="none").terms["turn"]
    assert_close(plain, [-0.5, -1.5, -0.5, 2.5])


def test_hian_per_component_with_weights():
    # Progress alone, as a penalty: z twice is z.
    assert_close(credit.hian(NAMED, per_component={"progress": -2.0}, eps=0.0).terms["turn"], [-1, 1, -1, 1])
    weighed = credit.hian(NAMED, per_component={"format": 0.5, "progress": -1.0}, normalise="none").terms["turn"]
    assert_close(weighed, [-1, 0, -1, 2])
    with pytest.raises(
        ValueError, match="unknown reward component 'progres' of per_component; did you mean 'progress'"
    ):
        credit.hian(NAMED, per_component={"progres": 1.0})
    with pytest.raises(ValueError, match="must be True, False or a mapping"):
        credit.hian(NAMED, per_component="progress")


def test_hian_needs():
    assert credit.info("hian").needs == ("turn_reward", "outcome_reward")
    assert credit.info("hian").needs_with(per_component=True) == ("components", "outcome_reward")
    with pytest.raises(MissingColumn, match="components"):
        credit.hian(NAMED.without("components"), per_component=True)
    credit.hian(NAMED.without("turn_reward"), per_component=True)


@pytest.mark.parametrize("outcome", [1.0, 10.0, 100.0, 1e6])
def test_hian_does_not_drown_turn_rewards_in_the_outcome(outcome):
    sized = NAMED.with_columns(outcome_reward=[0.0, outcome, 0.0, 0.0])
    assert_close(credit.hian(sized, eps=0.0).total, credit.hian(NAMED, eps=0.0).total)
    # The merged scalar gives the turns of a rollout one value: what they were paid cannot be told apart.
    merged = credit.grpo(sized).total
    assert merged[0] == merged[1]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("gtpo_hybrid", {"gamma": -0.1}, "gamma must lie in"),
        ("gtpo_hybrid", {"normalise": "max"}, "normalise must be"),
        ("turn_return", {"population": "groups"}, "did you mean 'group'"),
        ("turn_return", {"rewards": "turn"}, "unknown value 'turn' of rewards"),
        ("turn_return", {"gamma": 2.0}, "gamma must lie in"),
        ("hian", {"turn_population": "group"}, "unknown value 'group' of turn_population"),
        ("hian", {"eps": -1.0}, "eps must be at least 0"),
    ],
)
def test_refuses(name, options, message):
    with pytest.raises(ValueError, match=message):
        credit.estimate(name, THREE, **options)
