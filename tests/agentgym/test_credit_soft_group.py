"""proxmo and its weight on records small enough to work out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import MissingColumn, TurnBatch, credit
from agentgym.credit import rows as seen
from agentgym.credit.algebra import TooLarge
from tests.agentgym.test_credit_graph_return import assert_close
from tests.strategies import paid_batches


def turns(*rows):
    """One-turn rollouts (group, observation, outcome)."""
    columns = dict(zip(("group", "observation", "outcome_reward"), zip(*rows, strict=True), strict=True))
    more = {"trajectory": range(len(rows)), "turn": [0] * len(rows), "turn_reward": [0.0] * len(rows)}
    return TurnBatch.from_columns({**columns, **more, "success": [row[2] > 0 for row in rows]})


PAIR = turns(("g", "red door", 1.0), ("g", "a red box", 0.0))


def test_by_hand():
    # Terms red (in both of two texts), door, box; "a" is too short. ln(3/3) + 1 = 1 and c = ln(3/2) + 1, so the vectors
    # are (1, c)/√(1 + c²), and their cosine 1/(1 + c²) = 0.3361. τ = 1: the own share is 1/(1 + e^(cos - 1)) = 0.6601,
    # the baselines 0.6601 and 0.3399, the step terms ±0.3399.
    c = math.log(3 / 2) + 1
    own = 1 / (1 + math.exp(1 / (1 + c * c) - 1))
    made = credit.proxmo(PAIR, temperature=1.0, eps=0.0)
    assert round(own, 4) == 0.6601
    assert_close(made.terms["step"], [1 - own, own - 1])
    assert_close(made.diagnostics["baseline"], [own, 1 - own])
    # p = ½, β = 0.05/(σ(1) - ½) = 0.21640, σ((½)⁴) - ½ = 0.015620: success 1.003380, failure 0.996620; GN is ±1.
    assert_close(made.diagnostics["weight"].round(6), [1.003380, 0.996620])
    assert_close(made.terms["episode"], made.diagnostics["weight"] * [1, -1])


def test_equal_texts_are_a_plain_step_group():
    # All cosines are 1, so the baseline is the mean; three and one of the group's turns at another text, far away in
    # the eyes of a small τ.
    batch = turns(*(("g", "door", x) for x in (1.0, 0.0, 0.5)), ("g", "box", 7.0))
    assert_close(credit.proxmo(batch, temperature=0.01).terms["step"], [0.5, -0.5, 0.0, 0.0])
    for tiny in (1e-12, 1e-320):
        assert_close(credit.proxmo(batch, temperature=tiny).terms["step"], [0.5, -0.5, 0.0, 0.0])


def test_words_in_another_order_are_the_same_text():
    batch = turns(("g", "a red door, a blue box", 1.0), ("g", "Box! BLUE door... red", 0.0), ("g", "nothing", 9.0))
    assert_close(credit.proxmo(batch, temperature=1e-9).terms["step"], [0.5, -0.5, 0.0])


def test_texts_without_a_term_see_all_turns_alike():
    # "" and "a b" have the zero vector: their cosine with everything, themselves included, is 0. Mean of 4, 0, 2: 2.
    batch = turns(("g", "", 4.0), ("g", "a b", 0.0), ("g", "door", 2.0))
    assert_close(credit.proxmo(batch, temperature=0.01).terms["step"], [2.0, -2.0, 0.0])
    assert_close(credit.proxmo(turns(("g", "", 4.0), ("g", "", 0.0))).terms["step"], [2.0, -2.0])


def test_groups_are_compared_inside_but_share_the_dictionary():
    batch = turns(("g", "door", 1.0), ("h", "door", 5.0), ("h", "door", 7.0))
    assert_close(credit.proxmo(batch).terms["step"], [0.0, -1.0, 1.0])
    # A term that half of the other group's texts share as well counts less: the cosine of g's texts moves.
    alone = turns(("g", "red door", 1.0), ("g", "red box", 0.0))
    beside = turns(("g", "red door", 1.0), ("g", "red box", 0.0), ("h", "door", 0.0), ("h", "door", 0.0))
    assert credit.proxmo(beside).terms["step"][0] != credit.proxmo(alone).terms["step"][0]


def test_no_signal_is_exactly_zero():
    for outcome in (0.7, 0.1, 10.02):
        equal = turns(*(("g", f"text {n % 3} door", outcome) for n in range(7)))
        assert (credit.proxmo(equal).total == 0.0).all()
    assert (credit.proxmo(turns(("g", "door", 3.0))).total == 0.0).all()


def test_released_saturates_where_success_pays_ten():
    # Scores 10, 0, 0: their mean 3.33 is clipped to p = 1, so a success weighs 1 + β(σ(0) - ½) = 1 and a failure
    # 1 + β(σ(-1) - ½) = 0.95. Deviations 20/3, -10/3, -10/3, not divided.
    batch = turns(("g", "x", 10.0), ("g", "x", 0.0), ("g", "x", 0.0))
    made = credit.proxmo(batch, preset="released")
    assert_close(made.terms["episode"], [20 / 3, -0.95 * 10 / 3, -0.95 * 10 / 3])
    # From the flag, p = 1/3: a success weighs 1 + β(σ((2/3)⁴) - ½) > 1, a failure hardly less than 1.
    weight = credit.proxmo(batch).diagnostics["weight"]
    assert weight[0] > 1.01
    assert 0.999 < weight[1] < 1.0
    # The score alone decides in the preset: above 0.5 is a success.
    some = turns(("g", "x", 0.6), ("g", "x", 0.5)).without("success")
    assert (credit.proxmo(some, preset="released").diagnostics["weight"] > 1.0).tolist() == [True, False]
    with pytest.raises(MissingColumn, match="'proxmo' needs the column 'success'"):
        credit.proxmo(some)


def test_weight_by_hand():
    # σ(1) - ½ is what β divides by: 1 ± target_range at the two ends, 1 where success or failure was certain.
    p = np.array([0.0, 1.0])
    assert_close(credit.proxmo_weight(np.array([True, True]), p), [1.05, 1.0])
    assert_close(credit.proxmo_weight(np.array([False, False]), p, target_range=0.2), [1.0, 0.8])
    # α = 1, p = ½: σ(±½) - ½ = ±0.122459, times 0.05/0.231059.
    assert float(credit.proxmo_weight(True, 0.5, alpha=1.0)) == pytest.approx(1.026500, abs=1e-6)
    assert float(credit.proxmo_weight(False, 0.5, alpha=1.0)) == pytest.approx(0.973500, abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((True, 1.5), "p must lie"),
        ((True, math.nan), "p must lie"),
        ((True, 0.5, 0.0), "alpha must be positive"),
        ((True, 0.5, 4.0, -0.1), "target_range at least 0"),
    ],
)
def test_weight_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        credit.proxmo_weight(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0.0}, "temperature must be positive"),
        ({"max_features": 0}, "max_features must be at least 1"),
        ({"success_from": "flag "}, "did you mean 'flag'"),
        ({"alpha": -1.0}, "alpha must be positive"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        credit.proxmo(PAIR, **options)


def test_a_sum_beyond_float64_is_called_so():
    with pytest.raises(TooLarge, match="a mean over similar turns"):
        credit.proxmo(turns(*(("g", "door", x) for x in (1.7e308, 1.7e308, -1.7e308, -1.7e308))))


@given(batch=paid_batches(), c=st.sampled_from([0.5, 4.0]))
def test_the_step_term_scales_with_the_rewards(batch, c):
    more = batch.with_columns(turn_reward=c * batch.turn_reward, outcome_reward=c * batch.outcome_reward)
    assert_close(credit.proxmo(more).terms["step"], c * credit.proxmo(batch).terms["step"])


@given(batch=paid_batches(), temperature=st.sampled_from([0.02, 0.1, 1.0]))
def test_the_baseline_lies_between_the_groups_returns(batch, temperature):
    low, high = (bound[batch.group_code] for bound in seen.by_group(batch).extremes(
        seen.to_go(batch, seen.reward(batch), 0.95)
    ))  # fmt: skip
    baseline = credit.proxmo(batch, temperature=temperature).diagnostics["baseline"]
    assert ((baseline >= low - 1e-12) & (baseline <= high + 1e-12)).all()
