import numpy as np
import pytest

from agentgym.baselines.claims.horizons import ESTIMATORS, TURNS, learn, measure, talk


def test_the_record_of_a_conversation():
    did = np.zeros((2, TURNS, 2), bool)
    did[0, 1, 0] = did[1, 2, 1] = True  # one was polite in turn 1, the other helped in turn 2
    batch = talk(did, np.array([0.0, 7.0]), size=2)
    assert batch.turn_reward.tolist() == [0, 1, 0, 0, 0, 0, 0, 0]
    assert batch.outcome_reward.tolist() == [0, 0, 0, 0, 0, 0, 0, 7]
    assert set(batch.group) == {0}


def test_groups_hold_size_rollouts():
    batch = talk(np.zeros((4, TURNS, 2), bool), np.zeros(4), size=2)
    assert batch.num_groups == 2 and batch.num_rollouts == 4


def test_without_updates_nothing_is_learned():
    assert learn("hian", 1.0, 0, 0, 1, 2, 1.0).tolist() == [0.5, 0.5]


def test_hian_does_not_see_how_much_the_episode_pays():
    # Each horizon is standardised alone, so a factor of the outcome goes with its spread, up to eps 1e-8.
    small, large = (learn("hian", scale, 0, 8, 4, 8, 1.0) for scale in (1.0, 100.0))
    np.testing.assert_allclose(small, large, atol=1e-6)


def test_merged_rewards_drown_politeness_as_the_episode_pays_more():
    # Per update the pull on politeness is 0.25/σ(R), σ² = 1 + 0.25·scale² at the start: 0.22, 0.05 and 0.005.
    rows = {(row["scale"], row["estimator"], row["what"]): row for row in measure(seeds=5, updates=12)}
    assert len(rows) == 3 * len(ESTIMATORS) * 2
    for scale in (10.0, 100.0):
        assert rows[scale, "hian", "polite"]["difference"]["low"] > 0.0
    polite = [rows[scale, "grpo", "polite"]["value"] for scale in (1.0, 10.0, 100.0)]
    assert polite == sorted(polite, reverse=True)
    assert rows[10.0, "grpo", "success"]["difference"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert rows[1.0, "hian", "polite"]["value"] == pytest.approx(rows[100.0, "hian", "polite"]["value"], abs=1e-5)
