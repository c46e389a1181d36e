"""Linear value heads: the ridge against its closed form, folds that keep a rollout's return out, what they learn."""

from __future__ import annotations

from typing import Any

import bench_world
import numpy as np
import pytest

from agentgym import credit
from agentgym.baselines.columns import MAKERS, Crew, plan
from agentgym.baselines.policies import RandomPolicy
from agentgym.baselines.value_heads import Dense, Hashed, Head, Heads, returns, ridge, segment_starts
from agentgym.baselines.values import LevelValues, StateValues
from agentgym.batch import TurnBatch
from agentgym.credit.rows import following
from agentgym.fidelity import true_advantages
from agentgym.rollout import build, collect

bench_world.register()


def drawn(seed: int = 0, n: int = 30, size: int = 8) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, size)), rng.normal(size=n), rng.random(n) < 0.7, rng.normal(size=size)


@pytest.mark.parametrize("strength", [0.1, 1.0, 30.0])
def test_ridge_is_the_closed_form(strength: float) -> None:
    """The gradient is zero where (XᵀX + s·1)·(w - w0) = Xᵀ(y - X·w0), over the rows that count."""
    x, y, counts, prior = drawn()
    kept, left = x[counts], y[counts] - x[counts] @ prior
    wanted = prior + np.linalg.solve(kept.T @ kept + strength * np.eye(8), kept.T @ left)
    np.testing.assert_allclose(ridge(Dense(x), y, counts, prior, strength), wanted, rtol=0, atol=1e-4)


def test_ridge_by_hand() -> None:
    """One feature that is 1 in two rows of target 3: 2·(3 - w) = 2·w, so w = 1.5; from the prior 3 nothing moves."""
    once, every = Dense(np.ones((2, 1))), np.ones(2, bool)
    np.testing.assert_allclose(ridge(once, np.array([3.0, 3.0]), every, np.zeros(1), 2.0), [1.5])
    assert ridge(once, np.array([3.0, 3.0]), every, np.array([3.0]), 2.0).tolist() == [3.0]
    assert ridge(once, np.array([3.0, 9.0]), np.zeros(2, bool), np.array([1.0]), 2.0).tolist() == [1.0]


def test_hashed_features_are_a_matrix_of_ones() -> None:
    """Rows {0, 2}, {1}, {2, 2}: the feature that two hashes share counts twice."""
    hashed = Hashed(np.array([0, 2, 1, 2, 2]), np.array([0, 2, 3]), 4)
    dense = Dense(np.array([[1.0, 0, 1, 0], [0, 1, 0, 0], [0, 0, 2, 0]]))
    weights, rows = np.array([1.0, 2.0, 4.0, 8.0]), np.array([1.0, -1.0, 0.5])
    assert hashed.dot(weights).tolist() == dense.dot(weights).tolist() == [5.0, 2.0, 8.0]
    assert hashed.back(rows).tolist() == dense.back(rows).tolist() == [1.0, -1.0, 2.0, 0.0]
    assert hashed.size == dense.size == 4


def constant(target: Any, asked: Any = None) -> Head:
    design = Dense(np.ones((len(target), 1)))
    return Head("v", design, np.array(target), np.ones(len(target), bool), {"v": asked or design})


def test_no_rollout_is_valued_by_its_own_return() -> None:
    """Two rollouts of one turn, returns 0 and 1, hardly any pull: each is worth what the other returned."""
    heads = Heads(strength=1e-9, folds=2)
    np.testing.assert_allclose(heads.columns(constant([0.0, 1.0]), np.array([0, 1]))["v"], [1.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(heads.weights["v"], [0.5], atol=1e-6)  # both, for the next batch
    # Now the prior is ½ and strong: nothing moves.
    heads.strength = 1e9
    np.testing.assert_allclose(heads.columns(constant([8.0, 8.0]), np.array([0, 1]))["v"], [0.5, 0.5], atol=1e-6)


def test_changing_one_return_changes_no_value_of_its_rollout() -> None:
    x, y, _, _ = drawn(n=40)
    rollout = np.repeat(np.arange(10), 4)
    every = np.ones(40, bool)

    def values(target: Any) -> Any:
        return Heads(strength=1.0).columns(Head("v", Dense(x), target, every, {"v": Dense(x)}), rollout)["v"]

    changed = y + 5.0 * (rollout == 3)
    same, other = values(y), values(changed)
    assert (same[rollout == 3] == other[rollout == 3]).all()
    assert not np.allclose(same, other)


def test_one_rollout_alone_is_worth_what_was_known_before() -> None:
    assert Heads().columns(constant([2.0, 1.0]), np.array([0, 0]))["v"].tolist() == [0.0, 0.0]


def test_one_fold_is_refused() -> None:
    with pytest.raises(ValueError, match="folds must be at least 2, or a rollout would be valued by its own return"):
        Heads(folds=1)


def test_returns_count_turn_rewards_and_outcome() -> None:
    columns = {"group": [0, 0], "trajectory": [0, 0], "turn": [0, 1]}
    batch = TurnBatch.from_columns({**columns, "turn_reward": [1.0, 2.0], "outcome_reward": [0.0, 4.0]})
    assert returns(batch, 0.5).tolist() == [4.0, 6.0]
    assert segment_starts(batch).tolist() == [True, False]
    assert segment_starts(batch.with_columns(switch=[False, True])).tolist() == [True, True]


def played(actor: Any, seed: int = 1, tasks: int = 5, group_size: int = 16) -> tuple[Any, TurnBatch]:
    world = build(bench_world.ENV)
    return world, collect(world, actor, tasks=tasks, group_size=group_size, seed=seed)


def test_values_come_near_the_truth_and_nearer_with_every_batch() -> None:
    """Far nearer than one number for all states, whose error is the variance of the true values."""
    actor = StateValues(RandomPolicy())
    errors = []
    for seed in (1, 100, 200):
        world, batch = played(actor, seed, group_size=64)
        truth = true_advantages(batch, RandomPolicy(), objective="total")
        errors.append(float(np.mean((actor.make(batch, world).value - truth.value) ** 2)) / np.var(truth.value))
    assert errors[0] < 0.9
    assert errors[-1] < 0.7


def test_the_state_after_the_turn_is_valued_where_it_is_known() -> None:
    """In a rollout's middle the next state's value is the next turn's value, from the same weights."""
    actor = StateValues(RandomPolicy())
    world, batch = played(actor)
    made = actor.make(batch, world)
    goes_on = ~batch.last
    np.testing.assert_array_equal(made.bootstrap_value[goes_on], following(made, made.value)[goes_on])
    assert not actor.features.knows(batch.next_state[batch.terminated][0])
    assert np.isfinite(made.bootstrap_value).all()


def test_the_levels_are_filled_with_and_without_subgoals() -> None:
    actor = LevelValues(RandomPolicy())
    world, batch = played(actor)
    plain = actor.make(batch, world)
    assert (plain.value_low == plain.value_term).all()  # the same features and targets
    again = LevelValues(RandomPolicy())
    again.features = actor.features
    goals = batch.with_columns(subgoal=[f"goal {turn % 2}" for turn in batch.turn], switch=batch.turn % 2 == 0)
    made = again.make(goals, world)
    assert (made.value_term == plain.value_term).all()
    assert not (made.value_low == plain.value_low).all()
    assert not (made.value_high == plain.value_high).all()  # fitted on the starts alone
    assert credit.hae(made).total.shape == (len(batch),)


def test_an_empty_batch_gets_empty_columns() -> None:
    world, batch = played(RandomPolicy())
    none = batch.select([])
    assert LevelValues(RandomPolicy()).make(none, world).value_high.shape == (0,)
    assert StateValues(RandomPolicy()).make(none, world).bootstrap_value.shape == (0,)


def test_the_makers_serve_hae_and_the_same_rollouts_give_the_same_bytes() -> None:
    hae = credit.info("hae")
    totals = []
    for _ in range(2):
        crew = Crew(RandomPolicy(), plan(MAKERS, hae).makers)
        world, batch = played(crew.policy)
        goals = batch.with_columns(switch=batch.turn == 0)
        how = plan(MAKERS, hae, goals.columns)
        assert how.missing == ()
        (whole,) = crew.make(goals, world, [how])
        totals.append(hae(whole).total.tobytes())
    assert totals[0] == totals[1]
