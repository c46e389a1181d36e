"""mt_grpo_unbiased by hand, and the bandit that shows what mt_grpo gets wrong."""

from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.errors import MissingColumn
from tests.agentgym.test_credit_estimators import assert_close, record
from tests.strategies import paid_batches


def test_unbiased_by_hand():
    # Returns to go 3, 2 | 0 | 5, 5, 5 (turn rewards 1 2 | 0 | 0 0 5); outcomes 0, 6, 0.
    # Turn 0: 3 - (0 + 5)/2, 0 - (3 + 5)/2, 5 - (3 + 0)/2. Turn 1: 2 - (0 + 5)/2, 5 - (2 + 0)/2. Turn 2: 5 - 0.
    three = record([([1.0, 2.0], 0.0), ([0.0], 6.0), ([0.0, 0.0, 5.0], 0.0)])
    made = credit.mt_grpo_unbiased(three)
    assert_close(made.terms["turn"], [0.5, -0.5, -4, 3.5, 4, 5])
    # Outcomes: 0 - (6 + 0)/2, 6 - 0, 0 - (0 + 6)/2.
    assert_close(made.terms["outcome"], [-3, -3, 6, -3, -3, -3])


def test_unbiased_keeps_groups_apart():
    both = TurnBatch.from_columns(
        {
            "group": [0, 0, 0, 1, 1],
            "trajectory": [0, 0, 1, 0, 1],
            "turn": [0, 1, 0, 0, 0],
            "turn_reward": [0.0, 1.0, 0.0, 10.0, 30.0],
            "outcome_reward": [0.0] * 5,
        }
    )
    assert_close(credit.mt_grpo_unbiased(both).total, [1, 1, -1, -20, 20])


def test_unbiased_of_one_rollout_and_of_equal_ones():
    assert credit.mt_grpo_unbiased(record([([1.0, 2.0], 3.0)])).total.tolist() == [0, 0]
    equal = record([([0.1, 0.2, 0.7], 0.7)] * 3)
    assert credit.mt_grpo_unbiased(equal).total.tolist() == [0] * 9


@given(batch=paid_batches(max_turns=1))
def test_unbiased_on_single_turns_is_rloo(batch):
    assert_close(credit.mt_grpo_unbiased(batch).total, credit.rloo(batch).total)


@given(batch=paid_batches())
def test_unbiased_without_turn_rewards_is_rloo_on_the_outcome(batch):
    silent = batch.with_columns(turn_reward=np.zeros(len(batch)))
    made = credit.mt_grpo_unbiased(silent)
    assert (made.terms["turn"] == 0).all()
    assert_close(made.total, credit.rloo(silent, rewards="outcome").total)


def test_unbiased_needs_both_rewards():
    assert credit.info("mt_grpo_unbiased").needs == ("turn_reward", "outcome_reward")
    with pytest.raises(MissingColumn, match="turn_reward"):
        credit.mt_grpo_unbiased(record([([0.0], 1.0)]).without("turn_reward"))


# The bandit: go on with probability ½; going on then pays 0 or 2 with equal chance, stopping pays nothing. With θ the
# log-odds of going on J = σ(θ)·1, so dJ/dθ = ½·½·1 = 0.25. A group's estimate is the mean of A_{i,0}·(a_i - ½).

SIZE, STOP, LOW, HIGH = 8, 0, 1, 2
TURNS = {STOP: [0.0], LOW: [0.0, 0.0], HIGH: [0.0, 2.0]}


def bandit(groups):
    """A batch of groups, each a list of what its rollouts did."""
    rows = [
        {"group": g, "trajectory": i, "turn": t, "turn_reward": paid, "outcome_reward": 0.0}
        for g, group in enumerate(groups)
        for i, kind in enumerate(group)
        for t, paid in enumerate(TURNS[kind])
    ]
    return TurnBatch.from_rows(rows)


def gradients(batch, advantage):
    """The gradient that each group estimates."""
    first = batch.turn == 0
    went_on = batch.lengths[batch.rollout][first] == 2
    return np.bincount(batch.group_code[first], advantage[first] * (went_on - 0.5)) / SIZE


def among_the_living(batch):
    """Leave-one-out over the rollouts still alive at turn 1, for which a rollout alone there keeps its reward."""
    late = batch.turn == 1
    paid = np.where(late, batch.turn_reward, 0.0)
    peers = np.bincount(batch.group_code, late)[batch.group_code] - 1
    others = np.bincount(batch.group_code, paid)[batch.group_code] - paid
    own = np.where(late, paid - others / np.maximum(peers, 1), 0.0)
    return np.bincount(batch.rollout, own)[batch.rollout]


def every_group():
    """All kinds of group, by how many rollouts stopped, got 0 and got 2; with their multinomial probabilities."""
    kinds = [(stop, low, SIZE - stop - low) for stop in range(SIZE + 1) for low in range(SIZE + 1 - stop)]
    chance = [factorial(SIZE) / prod(map(factorial, k)) * 0.5 ** k[0] * 0.25 ** (k[1] + k[2]) for k in kinds]
    return [[STOP] * s + [LOW] * low + [HIGH] * high for s, low, high in kinds], np.array(chance)


def test_bandit_exactly():
    # Among the living only a rollout alone at turn 1 is credited: it keeps its reward, 1 on average. Its probability is
    # 8·½⁸ = 1/32, its part of the mean 1/8, its factor ½: 1/512 = 0.00195.
    groups, chance = every_group()
    assert chance.sum() == pytest.approx(1.0)
    batch = bandit(groups)

    def expected(advantage):
        return gradients(batch, advantage) @ chance

    assert expected(credit.mt_grpo_unbiased(batch).total) == pytest.approx(0.25, abs=1e-12)
    assert expected(credit.mt_grpo(batch).total) == pytest.approx(0.0, abs=1e-12)
    assert expected(credit.mt_grpo(batch, normalise="none").total) == pytest.approx(0.0, abs=1e-12)
    assert expected(among_the_living(batch)) == pytest.approx(1 / 512, abs=1e-12)
    # Forms that sum first and normalise afterwards credit going on, in another size: they divide by a std.
    assert expected(credit.gtpo_hybrid(batch).total) > 0.2


def test_bandit_by_sampling():
    # 2,000 groups from a fixed seed. The tolerance is four standard errors of the mean over the groups, measured on the
    # sample: a right estimator fails for one seed in 16,000. At about 0.0032 each it tells 0.25 from 0 by far.
    groups = np.random.default_rng(7244).choice([STOP, STOP, LOW, HIGH], (2000, SIZE)).tolist()
    batch = bandit(groups)
    found = gradients(batch, credit.mt_grpo_unbiased(batch).total)
    error = found.std() / len(found) ** 0.5
    assert error < 0.004
    assert abs(found.mean() - 0.25) < 4 * error
    assert np.abs(gradients(batch, credit.mt_grpo(batch).total)).max() < 1e-12
    living = gradients(batch, among_the_living(batch))
    assert abs(living.mean() - 1 / 512) < 4 * living.std() / len(living) ** 0.5
