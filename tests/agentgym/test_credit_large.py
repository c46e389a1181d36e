"""Rewards near the ends of float64: right values where they exist, a clear error where they do not."""

import numpy as np
import pytest

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit.algebra import (
    TooLarge,
    center,
    leave_one_out,
    mix,
    population,
    rescale,
    softmax_within,
    standardise,
)
from agentgym.credit.returns import discounted_return

PAIR = population([0, 0])
NAMES = ("grpo", "mt_grpo", "gigpo", "hcapo", "state_graph")


def duel(low, high, turn_reward=0.0):
    """Two rollouts of one turn from one state, with these outcomes."""
    return TurnBatch.from_columns(
        {
            "group": [0, 0],
            "trajectory": [0, 1],
            "turn": [0, 0],
            "turn_reward": [turn_reward] * 2,
            "outcome_reward": [low, high],
            "anchor": ["s", "s"],
            "next_state": ["end", "end"],
            "terminated": [True, True],
            "hindsight_logprob": [-1.0, -1.0],
            "success": [False, False],
        }
    )


@pytest.mark.parametrize("top", [1.0, 1e139, 1e141, 1e160, 1e200, 1e307, 1.7e308, -1.7e308])
def test_two_values_standardise_to_one_at_every_size(top):
    # Mean top/2, std |top|/2: ∓1, which eps = 1e-6 beside |top|/2 = 0.5 makes 1/(1 + 2e-6).
    wanted = np.sign(top) / (1 + 2e-6 if top == 1.0 else 1)
    np.testing.assert_allclose(standardise([0.0, top], PAIR), [-wanted, wanted], rtol=1e-15)
    np.testing.assert_allclose(standardise([0.0, top], PAIR, weights=[2, 2]), [-wanted, wanted], rtol=1e-15)
    np.testing.assert_allclose(center([0.0, top], PAIR), [-top / 2, top / 2], rtol=1e-15)
    np.testing.assert_allclose(leave_one_out([0.0, top], PAIR), [-top, top], rtol=1e-15)
    np.testing.assert_allclose(rescale([0.0, top], PAIR), [0.0, 2 * wanted], rtol=1e-15)


def test_opposite_ends_of_the_range():
    # The spread 3.4e308 is beyond float64, the mean 0 and the distances are not.
    assert center([-1.7e308, 1.7e308], PAIR).tolist() == [-1.7e308, 1.7e308]
    assert standardise([-1.7e308, 1.7e308], PAIR).tolist() == [-1.0, 1.0]


def test_a_large_population_leaves_the_others_their_bits():
    small = np.random.default_rng(0).normal(size=9)
    among, beside = population([0] * 9), population([0] * 9 + [1, 1])
    both = np.append(small, [0.0, 1e300])
    for function in (center, standardise, rescale):
        assert function(both, beside)[:9].tolist() == function(small, among).tolist()
    assert standardise(both, beside)[9:].tolist() == [-1.0, 1.0]


def test_no_spread_stays_zero():
    for top in (1e200, 1.7e308):
        for values in ([top, top], [top, top * (1 - 1e-13)]):
            for function in (center, standardise, rescale):
                assert function(values, PAIR).tolist() == [0.0, 0.0]
    # Below 1 the threshold is 1e-12 itself, so a spread of 1e-200 is none.
    assert standardise([0.0, 1e-200], PAIR, eps=0.0).tolist() == [0.0, 0.0]


def test_a_value_without_a_vote_may_be_larger_than_all_voters():
    # Voters 0 and 2: mean 1, std 1; the third is 1e300 away. Voters 0 and 2e200: 1e300 / 1e200.
    three = population([0, 0, 0])
    np.testing.assert_allclose(standardise([0, 2, 1e300], three, weights=[1, 1, 0], eps=0), [-1, 1, 1e300])
    np.testing.assert_allclose(standardise([0, 2e200, 1e300], three, weights=[1, 1, 0], eps=0), [-1, 1, 1e100])


@pytest.mark.parametrize("top", [1e160, 1e200, 1e307])
@pytest.mark.parametrize("name", NAMES)
def test_every_estimator_tells_rollouts_apart_at_every_size(name, top):
    # grpo ±1. mt_grpo: no turn rewards, ±1. gigpo: episode and step ±1 each. hcapo: ρ = 1, γ^0, so Q = R: ±1 twice.
    # state_graph: (2 + 0.3)·V = top + 0.3·top/2, so V = top/2 and A = ∓top/2 over its std top/2.
    wanted = 2.0 if name in ("gigpo", "hcapo") else 1.0
    np.testing.assert_allclose(credit.estimate(name, duel(0.0, top)).total, [-wanted, wanted], rtol=1e-12)
    np.testing.assert_allclose(
        credit.estimate(name, duel(0.0, top), normalise="none").total, [-wanted * top / 2, wanted * top / 2], rtol=1e-12
    )


@pytest.mark.parametrize("name", NAMES)
def test_an_overflowing_sum_is_called_so(name):
    # Turn reward and outcome make 2e308 together; mt_grpo adds them only in its merged form.
    options = {"variant": "grpo_mr"} if name == "mt_grpo" else {}
    with pytest.raises(ValueError, match=f"estimator '{name}' cannot run: .* beyond the range of float64") as caught:
        credit.estimate(name, duel(0.0, 1e308, turn_reward=1e308), **options)
    assert isinstance(caught.value, OverflowError)
    assert "not finite" not in str(caught.value)


def test_the_other_sums_and_products():
    order, starts = np.arange(3), np.array([0])
    calls = [
        lambda: center([-1.7e308, 1.7e308, 1.7e308], population([0, 0, 0])),  # 1.7e308 · 4/3 below the mean
        lambda: leave_one_out([-1.7e308, 1.7e308], PAIR),
        lambda: standardise([0.0, 1e-11, 1e308], population([0, 0, 0]), weights=[1, 1, 0], eps=0.0),
        lambda: discounted_return([1e308, 1e308, 1e308], 0.95, order, starts),
        lambda: mix({"a": [1e308]}, {"a": 2.0}),
        lambda: credit.hcapo(duel(1.7e308, 1.7e308), clip=(1.2, 1.2)),  # ρ·R = 2.04e308
        lambda: credit.gigpo(duel(-1e308, 1e308), normalise="none"),  # both terms 1e308: fine; their sum is not
        lambda: credit.state_graph(duel(1e308, 1e308)),
        lambda: credit.mt_grpo(
            duel(0.0, 1e308, turn_reward=1e308).with_columns(tool_result=[True, True]), preset="two_segment"
        ),
    ]
    for call in calls:
        with pytest.raises(TooLarge):
            call()
    assert discounted_return([1e308, -1e308, 1e308], 0.0, order, starts).tolist() == [1e308, -1e308, 1e308]


def test_log_probabilities_at_the_ends_of_the_range():
    # The distance is beyond float64: all weight lies on the larger one.
    assert softmax_within([-1.7e308, 1.7e308], PAIR, temperature=0.5).tolist() == [0.0, 1.0]


def test_misalignment_compares_without_subtracting():
    # The worse outcome has the larger turn rewards: 1 of 1 pairs.
    against = duel(0.0, 1.0).with_columns(turn_reward=[1.7e308, -1.7e308])
    assert credit.estimate("grpo", against, rewards="outcome").diagnostics["misalignment"] == 1.0
