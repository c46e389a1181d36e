"""TraCeS, the mix of reward and cost, and the multiplier."""

import math

import numpy as np
import pytest
from hypothesis import given

from agentgym import TurnBatch, credit
from agentgym.credit.safety import clamped_log_safe
from agentgym.errors import MissingColumn
from tests.strategies import paid_batches


def record(**columns):
    # Two rollouts of two turns each; a's first turn is somewhat unsafe, b's last one very.
    plain = {
        "group": ["g"] * 4,
        "trajectory": ["a", "a", "b", "b"],
        "turn": [0, 1, 0, 1],
        "log_safe": [-1.0, 0.0, 0.0, -3.0],
        "turn_reward": [0.0] * 4,
        "outcome_reward": [0.0, 1.0, 0.0, 0.0],
    }
    return TurnBatch.from_columns({**plain, **columns})


def test_the_cost_to_come_against_the_group_at_the_same_turn():
    # Cost to go: a (1, 0), b (3, 3). Turn 0: mean 2, std 1, z = (-1, 1); turn 1: mean 1.5, std 1.5, z = (-1, 1).
    # With λ = 1 a term is halved: a gets +½ for what it does not cost, b -½.
    result = credit.traces(record(), base="none", eps=0.0)
    assert result.terms["reward"].tolist() == [0.0] * 4
    assert result.total == pytest.approx([0.5, 0.5, -0.5, -0.5])
    said = result.diagnostics
    assert said["cost"].tolist() == [1.0, 0.0, 0.0, 3.0]
    assert said["cost_to_go"].tolist() == [1.0, 0.0, 3.0, 3.0]
    # P(safe) is e^-1 = 0.37 and e^-3 = 0.05, so both are predicted unsafe; b was safe up to its first turn.
    assert said["prob_safe"] == pytest.approx([math.exp(-1)] * 2 + [math.exp(-3)] * 2)
    assert said["prefix_safe"] == pytest.approx([math.exp(-1), math.exp(-1), 1.0, math.exp(-3)])
    assert said["hazard"] == pytest.approx([1 - math.exp(-1), 0.0, 0.0, 1 - math.exp(-3)])
    assert said["predicted_safe"].tolist() == [False] * 4
    assert said["expected_cost"] == pytest.approx(-(math.exp(-1) + math.exp(-3)) / 2)


def test_the_multiplier_weighs_the_cost_against_the_base():
    # GN of the outcomes 1 and 0 is ±1; z of the cost is ∓1 for the same rollouts. λ = 3: (1 + 3) / 4 = 1.
    options = {"base_options": {"eps": 0.0}, "eps": 0.0}
    result = credit.traces(record(), multiplier=3.0, **options)
    assert result.terms["reward"] == pytest.approx([0.25, 0.25, -0.25, -0.25])
    assert result.terms["cost"] == pytest.approx([0.75, 0.75, -0.75, -0.75])
    base = credit.grpo(record(), eps=0.0)
    assert credit.traces(record(), multiplier=0.0, **options).total.tolist() == base.total.tolist()
    assert credit.traces(record(), multiplier=3.0, eps=0.0, base=base).total.tolist() == result.total.tolist()


def test_log_safe_is_clamped():
    # -9 counts as -7 and a positive logarithm, which no probability has, as 0.
    batch = record(log_safe=[-9.0, 0.5, -1.0, -7.0])
    assert credit.traces(batch).diagnostics["cost"].tolist() == [7.0, 0.0, 1.0, 7.0]
    assert clamped_log_safe(batch, (-2.0, -1.0)).tolist() == [-2.0, -1.0, -1.0, -2.0]
    for wrong in ((0.0, -1.0), (-1.0, 0.5)):
        with pytest.raises(ValueError, match="low <= high <= 0"):
            credit.traces(batch, clamp=wrong)


def test_true_costs_take_the_place_of_learned_ones():
    batch = record(cost=[0.0, 2.0, 1.0, 0.0]).without("log_safe")
    result = credit.traces(batch, costs="true", base="none", normalise="none")
    # Cost to go: a (2, 2), b (1, 0). Less the means 1.5 and 1, halved, sign turned.
    assert result.total.tolist() == [-0.25, -0.5, 0.25, 0.5]
    assert "prob_safe" not in result.diagnostics
    with pytest.raises(MissingColumn, match="log_safe"):
        credit.traces(batch)
    with pytest.raises(ValueError, match="costs"):
        credit.traces(batch, costs="learnt")


def test_needs_and_signals_follow_the_base():
    info = credit.info("traces")
    assert info.needs == ("log_safe", "turn_reward", "outcome_reward")
    assert info.needs_with(base="none", costs="true") == ("cost",)
    assert info.signals == ()


def test_equal_costs_and_lone_turns_give_exactly_zero():
    same = record(log_safe=[-0.1, -0.7, -0.1, -0.7])
    assert credit.traces(same, base="none").total.tolist() == [0.0] * 4
    lone = record().select([0, 1])
    assert credit.traces(lone).total.tolist() == [0.0] * 2


@given(batch=paid_batches())
def test_the_more_turns_the_less_safe(batch):
    said = credit.traces(batch, base="none").diagnostics
    ordered = said["prefix_safe"][batch.order]
    later = np.diff(ordered)[np.diff(batch.rollout[batch.order]) == 0]
    assert (later <= 1e-12).all()
    np.testing.assert_allclose(said["prefix_safe"][batch.last], said["prob_safe"][batch.last], rtol=0, atol=1e-12)
    assert ((said["hazard"] >= 0.0) & (said["hazard"] <= 1.0)).all()


def test_lagrangian_mix():
    # (1 - ½·2) / 1.5 = 0 and (-1 - ½·0.5) / 1.5 = -5/6.
    assert credit.lagrangian_mix([1.0, -1.0], [2.0, 0.5], 0.5) == pytest.approx([0.0, -5 / 6])
    # However large λ, a unit of cost weighs at most one unit.
    assert credit.lagrangian_mix([1.0], [1.0], 1e300).tolist() == [-1.0]
    with pytest.raises(ValueError, match="multiplier"):
        credit.lagrangian_mix([1.0], [1.0], -0.1)
    with pytest.raises(ValueError, match=r"cost_advantage must have shape \[1\]"):
        credit.lagrangian_mix([1.0], [1.0, 2.0], 1.0)


def test_the_multiplier_rises_above_the_limit_and_falls_below_it():
    # J_c = -0.4 (40 % safe) is ½ above the limit -0.9: 0.5 + 0.035·½.
    assert credit.update_multiplier(0.5, -0.4) == pytest.approx(0.5175)
    assert credit.update_multiplier(0.5, -1.0) == pytest.approx(0.5 - 0.0035)
    assert credit.update_multiplier(0.001, -1.0) == 0.0  # never below 0
    assert credit.update_multiplier(0.5, -0.4, limit=-0.5, rate=1.0) == pytest.approx(0.6)


def test_the_update_descends_the_loss():
    loss, gradient = credit.multiplier_loss(0.5, -0.4)
    assert (loss, gradient) == pytest.approx((-0.25, -0.5))
    step = 1e-6
    assert (credit.multiplier_loss(0.5 + step, -0.4)[0] - loss) / step == pytest.approx(gradient, abs=1e-6)


def test_expected_cost():
    assert credit.expected_cost([1.0, 0.5]) == -0.75
    assert credit.expected_cost([]) == -1.0


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_multiplier_is_not_updated_by_what_is_not_finite(bad):
    for arguments in ((5.0, bad), (bad, -0.4)):
        with pytest.raises(ValueError, match="finite"):
            credit.update_multiplier(*arguments)
    with pytest.raises(ValueError, match="finite"):
        credit.update_multiplier(5.0, -0.4, limit=bad)
    with pytest.raises(ValueError, match="rate must be finite"):
        credit.update_multiplier(5.0, -0.4, rate=bad)
