"""dr_grpo and rloo on records small enough to work out by hand; grpo's own cases stand in test_credit_estimators."""

import numpy as np
import pytest
from hypothesis import given

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit import rows as seen
from agentgym.errors import MissingColumn
from tests.agentgym.test_credit_estimators import assert_close, record
from tests.strategies import paid_batches

# Outcomes 1, 0, 0 with 1, 2 and 5 turns and 3, 3 and 2 tokens.
UNEVEN = record([([0.0], 1.0), ([0.0] * 2, 0.0), ([0.0] * 5, 0.0)], tokens=[[3], [1, 2], [1, 0, 0, 0, 1]])
ALONE = record([([0.5, 0.0], 3.0)])


def test_dr_grpo_by_hand():
    # Mean 1/3 by rollouts, 1/8 by turns, 3/8 by tokens.
    assert_close(credit.dr_grpo(UNEVEN).total, [2 / 3] + [-1 / 3] * 7)
    assert_close(credit.dr_grpo(UNEVEN, votes="turn").total, [7 / 8] + [-1 / 8] * 7)
    assert_close(credit.dr_grpo(UNEVEN, votes="token").total, [5 / 8] + [-3 / 8] * 7)


def test_rloo_by_hand():
    # 1 against the others' mean 0; 0 against (1 + 0)/2.
    assert_close(credit.rloo(UNEVEN).total, [1] + [-1 / 2] * 7)
    # Votes: 8/7 times the distance to 1/8 (turns), or to 3/8 (tokens).
    assert_close(credit.rloo(UNEVEN, votes="turn").total, [1] + [-1 / 7] * 7)
    assert_close(credit.rloo(UNEVEN, votes="token").total, [5 / 7] + [-3 / 7] * 7)


def test_rewards_total_and_outcome():
    # Returns 1 + 0.5 and 0.5 + 1: equal in total, 1 and 0.5 by outcome.
    both = record([([0.5], 1.0), ([0.5, 0.5], 0.5)])
    assert_close(credit.dr_grpo(both).total, [0, 0, 0])
    assert_close(credit.rloo(both).total, [0, 0, 0])
    assert_close(credit.dr_grpo(both, rewards="outcome").total, [0.25, -0.25, -0.25])
    assert_close(credit.rloo(both, rewards="outcome").total, [0.5, -0.5, -0.5])


@pytest.mark.parametrize("name", ["dr_grpo", "rloo"])
def test_one_rollout_alone(name):
    assert_close(credit.estimate(name, ALONE).total, [0, 0])
    assert_close(credit.estimate(name, ALONE, preset="verl").total, [3.5, 3.5])
    assert_close(credit.estimate(name, ALONE, preset="verl", rewards="outcome").total, [3, 3])


def test_presets_are_the_released_conventions():
    assert dict(credit.info("rloo").presets["verl_agent"]) == {"singleton": "raw", "votes": "turn"}
    assert_close(credit.rloo(UNEVEN, preset="verl_agent").total, credit.rloo(UNEVEN, votes="turn").total)
    assert_close(credit.rloo(ALONE, preset="verl_agent").total, [3.5, 3.5])
    # What the caller gives wins.
    assert_close(credit.rloo(UNEVEN, preset="verl_agent", votes="trajectory").total, credit.rloo(UNEVEN).total)


@given(batch=paid_batches())
def test_dr_grpo_is_grpo_without_the_division(batch):
    for options in ({}, {"votes": "turn"}, {"votes": "token", "singleton": "raw"}):
        plain = credit.grpo(batch, normalise="none", **options).total
        assert credit.dr_grpo(batch, **options).total.tolist() == plain.tolist()


@given(batch=paid_batches())
def test_rloo_is_dr_grpo_times_n_over_n_less_one(batch):
    n = np.bincount(batch.rollout_group)[batch.group_code].astype(float)
    assert_close(credit.rloo(batch).total, credit.dr_grpo(batch).total * n / np.maximum(n - 1, 1))


@given(batch=paid_batches())
def test_rloo_sums_to_zero_over_a_group(batch):
    per_rollout = credit.rloo(batch).total[batch.order[batch.starts]]
    sums = seen.rollouts_by_group(batch).sum(per_rollout)
    assert (np.abs(sums) <= 1e-12 * np.maximum(seen.rollouts_by_group(batch).sum(np.abs(per_rollout)), 1.0)).all()


@pytest.mark.parametrize("name", ["dr_grpo", "rloo"])
def test_refuses(name):
    with pytest.raises(ValueError, match="did you mean 'turn'"):
        credit.estimate(name, UNEVEN, votes="turns")
    with pytest.raises(ValueError, match="unknown value 'keep' of singleton"):
        credit.estimate(name, UNEVEN, singleton="keep")
    with pytest.raises(TypeError, match="unknown option 'eps'"):
        credit.estimate(name, UNEVEN, eps=1e-6)
    bare = TurnBatch.from_columns({"group": [0], "trajectory": [0], "turn": [0], "outcome_reward": [1.0]})
    with pytest.raises(MissingColumn, match=f"(?s)turn_reward.*{name}|{name}.*turn_reward"):
        credit.estimate(name, bare)
    assert credit.estimate(name, bare, rewards="outcome").total.tolist() == [0.0]
