import numpy as np
import pytest

from agentgym import credit
from agentgym.baselines.claims.bandit import ESTIMATORS, GRADIENT, HIGH, LOW, STOP, bandit, draw, gradient, measure


def test_the_record_of_a_group():
    batch = bandit([[STOP, HIGH], [LOW]])
    assert batch.group.tolist() == [0, 0, 0, 1, 1]
    assert batch.turn.tolist() == [0, 0, 1, 0, 1]
    assert batch.turn_reward.tolist() == [0.0, 0.0, 2.0, 0.0, 0.0]


def test_the_gradient_by_hand():
    # Returns 0 and 2. Unbiased: 0 - 2 and 2 - 0, so ½·(-2·-½ + 2·½) = 1. mt_grpo: the second turn is alone among the
    # living and all first turns paid 0, so nothing is credited. grpo: -1 and +1, so ½·(½ + ½) = ½.
    batch = bandit([[STOP, HIGH]])
    assert gradient(batch, credit.estimate("mt_grpo_unbiased", batch).total) == pytest.approx(1.0)
    assert gradient(batch, credit.estimate("mt_grpo", batch).total) == 0.0
    assert gradient(batch, credit.estimate("grpo", batch).total) == pytest.approx(0.5, abs=1e-6)


def test_draws_follow_from_the_seed_and_have_the_stated_chances():
    drawn = draw(3, 300, 8)
    assert drawn == draw(3, 300, 8) != draw(4, 300, 8)
    flat = np.ravel(drawn)
    # 2,400 draws: standard deviations are 0.010 for ½ and 0.009 for ¼.
    assert np.mean(flat == STOP) == pytest.approx(0.5, abs=0.04)
    assert np.mean(flat == LOW) == pytest.approx(0.25, abs=0.04)


def test_mt_grpo_never_credits_going_on_and_the_unbiased_form_does():
    rows = {row["label"]: row for row in measure(seeds=6, groups=100)}
    assert list(rows) == list(ESTIMATORS)
    # Among the living the standardised rewards sum to 0, so the estimate is 0 in every group, not only on average.
    assert abs(rows["mt_grpo"]["low"]) < 1e-12 and abs(rows["mt_grpo"]["high"]) < 1e-12
    assert rows["mt_grpo_unbiased"]["low"] < GRADIENT < rows["mt_grpo_unbiased"]["high"]
    assert all(row["truth"] == GRADIENT for row in rows.values())
