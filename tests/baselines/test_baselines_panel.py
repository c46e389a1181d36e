"""What a panel says of its own runs: ways to err, batches, and where learning begins."""

from __future__ import annotations

from dataclasses import replace

import bench_world
import numpy as np
import pytest

from agentgym.baselines.benchmark import fidelity_track, learning
from agentgym.baselines.benchmark.fidelity_track import judge
from agentgym.baselines.benchmark.learning import Imitator, beginner, learn
from agentgym.baselines.benchmark.metrics import evaluate
from agentgym.baselines.benchmark.settings import Panel, budgets, search, service
from agentgym.baselines.policies import ExpertPolicy, LogLinearPolicy
from agentgym.batch import TurnBatch
from agentgym.rollout import build, collect

bench_world.register()
ENV = bench_world.ENV


def test_a_panel_caps_the_batches_and_says_how_the_policy_errs(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    class Noted(ExpertPolicy):
        def __init__(self, epsilon: float = 0.0, slips: int = 0) -> None:
            super().__init__(epsilon, slips)
            made.append(slips)

    monkeypatch.setattr(fidelity_track, "ExpertPolicy", Noted)
    budget = bench_world.budget(redraws=3)
    found = judge(Panel("count", ENV, redraws=2, slips=1), 0.5, ["grpo"], 0, budget)
    assert found["rollouts"] == 5 * 4 * 2 and set(made) == {1}
    assert found["acting"].startswith("the expert, with one of 1 other actions in ")
    assert judge(Panel("count", ENV, redraws=9), 0.5, ["grpo"], 0, budget)["rollouts"] == 5 * 4 * 3
    assert set(made) == {1, 0}


def test_an_imitator_learns_what_the_expert_does_in_the_states_of_its_own_play() -> None:
    world, policy = build(ENV, {}), LogLinearPolicy(256)
    shown = Imitator(policy)
    before = collect(world, shown, tasks=2, group_size=8, seed=0)
    assert 0.3 < (before.action == "+").mean() < 0.7
    shown.learn(before, 4.0)
    after = collect(world, shown, tasks=2, group_size=8, seed=0)
    right = np.exp([logp[0] for logp in after.menu_logprobs])[np.array([menu[0] == "+" for menu in after.menu])]
    assert (right > 0.6).all() and evaluate(after)["success"] > evaluate(before)["success"]


def test_states_whose_expert_is_not_in_the_menu_teach_nothing() -> None:
    policy = LogLinearPolicy(256)
    shown = Imitator(policy)
    batch = collect(build(ENV, {}), shown, tasks=2, group_size=2, seed=0)
    shown._expert = dict.fromkeys(shown._expert, "*")
    shown.learn(batch, 4.0)
    assert not policy.weights.any()


def test_learning_begins_where_the_panel_says(monkeypatch: pytest.MonkeyPatch) -> None:
    plain, taught = Panel("count", ENV), Panel("count", ENV, learn_tasks=2, learn_from=0.9)
    assert not beginner(plain, 0).weights.any()
    policy = beginner(taught, 0)
    assert policy.weights.any() and beginner(taught, 0) is policy
    tasks = [task.id for task in build(ENV, {}).panel["train"][:2]]
    batch = collect(build(ENV, {}), policy.copy(), tasks=tasks, group_size=16, seed=3)
    assert evaluate(batch)["success"] > 0.8
    weights = policy.weights.copy()
    budget = bench_world.budget()
    first = learn(taught, "grpo", 0, budget)
    assert first["success"][0] >= 0.75 > learn(plain, "grpo", 0, budget)["success"][0]
    assert (policy.weights == weights).all()  # estimators go on from the same weights
    beginner.cache_clear()
    assert learn(taught, "grpo", 0, budget) == first
    monkeypatch.setattr(learning, "IMITATION", 0)
    beginner.cache_clear()
    assert not beginner(taught, 0).weights.any()  # no lesson, nothing learned
    beginner.cache_clear()


def test_the_panel_of_customers_is_exact_and_small() -> None:
    panel = replace(service(), kwargs={**service().kwargs, "families": ["express_delivery"], "train": 1})
    assert service().name in {each.name for each in budgets()["quick"].panels}
    assert service().name in budgets()["standard"].learning_panels
    budget = bench_world.budget(fidelity_tasks=1, redraws=1)
    found = judge(panel, 0.5, ["grpo"], 0, budget)
    assert found["method"] == "tree" and found["ceiling"] == 1.0 and found["note"].startswith("exact")
    assert found["nodes"] < 20_000
    assert 0.1 < found["exact_success"] < 0.9


def test_the_expert_serves_every_task_of_that_panel_in_time() -> None:
    world = build(service().env, service().kwargs)
    batch = collect(world, ExpertPolicy(), tasks=None, group_size=1, seed=0)
    assert len(batch.lengths) == 16 and evaluate(batch)["success"] == 1.0


def test_the_panel_of_searching_is_exact_and_small() -> None:
    assert search().name in {each.name for each in budgets()["quick"].panels}
    assert search().name in budgets()["standard"].learning_panels
    found = judge(search(), 0.5, ["grpo", "arew"], 0, bench_world.budget(fidelity_tasks=2, redraws=1))
    assert found["method"] == "tree" and found["ceiling"] == 1.0 and found["note"].startswith("exact")
    assert not found["missing"] and found["nodes"] < 40_000
    assert 0.1 < found["exact_success"] < 0.9


def test_what_was_called_counts_before_the_last_turn() -> None:
    """One rollout answers at once, one searches first; where no tool ever answers, the record has no such column."""
    rows = {"trajectory": [0, 1, 1], "turn": [0, 0, 1], "group": [0, 0, 0]}
    assert learning.called(TurnBatch.from_columns({**rows, "tool_result": [True, True, True]})) == 0.5
    assert learning.called(TurnBatch.from_columns(rows)) == 0.0
