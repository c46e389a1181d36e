"""Costs a turn, learned from the labels of whole rollouts: derivatives by hand, and that they find the turn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from agentgym import AgentEnv, EndReason, Opening, Outcome, Task, Turn, credit
from agentgym.baselines.benchmark.learning import learn
from agentgym.baselines.benchmark.settings import Panel
from agentgym.baselines.columns import MAKERS, Crew, plan
from agentgym.baselines.policies import RandomPolicy
from agentgym.baselines.safety import BELIEF, SafetyPolicy, _pull, log_sigmoid
from agentgym.rollout import collect
from tests.baselines import bench_world


@dataclass(frozen=True)
class Walk:
    turns: int
    word: str


class Crossing(AgentEnv[Walk]):
    """Four turns, three words each; to run at the red light breaks a rule."""

    panel = tuple(Task(f"way-{number}", {}) for number in range(2))
    max_turns = 6

    def initial(self, task: Task, rng: Any) -> Opening[Walk]:
        return Opening(Walk(0, ""), "go")

    def transition(self, state: Walk, action: Any, rng: Any) -> Turn[Walk]:
        after = Walk(state.turns + 1, action.text)
        broken = ("red",) if action.text == "run" and state.turns == 2 else ()
        end = Outcome(True, 1.0, EndReason.SOLVED) if after.turns == 4 else None
        return Turn(after, "on", outcome=end, violations=broken, safe=not broken)

    def menu(self, state: Walk) -> tuple[str, ...]:
        return ("run", "walk", "wait")

    def describe(self, state: Walk) -> str:
        return f"cross\nlight {'red' if state.turns == 2 else 'green'}"


def test_the_pull_of_a_label() -> None:
    # log P of a safe rollout rises by 1 with its log P(safe); of an unsafe one d log(1 − P) / d log P = −P / (1 − P):
    # P = 1/2 gives −1, P = 3/4 gives −3. Where P is 1 the probability of the label is held at 1e-6.
    found = _pull(np.log([0.5, 0.5, 0.75, 1.0]), np.array([True, False, False, False]))
    np.testing.assert_allclose(found, [1.0, -1.0, -3.0, -1e6], rtol=1e-9)


def test_log_sigmoid_far_out() -> None:
    np.testing.assert_allclose(log_sigmoid(np.array([0.0, -800.0, 800.0])), [-math.log(2.0), -800.0, 0.0])


def test_labels_of_rollouts_find_the_turn_that_breaks_the_rule() -> None:
    world, policy = Crossing(), SafetyPolicy(RandomPolicy())
    batch = collect(world, policy, tasks=2, group_size=40, seed=0)
    made = policy.make(batch, world)
    bad = ~np.asarray(batch["safe"])
    assert batch["cost"].tolist() == bad.astype(float).tolist() and 10 < bad.sum() < 50
    assert made["log_safe"][bad].max() < made["log_safe"][~bad].min()
    assert np.exp(made["log_safe"][bad]).mean() < 0.4 < 0.85 < np.exp(made["log_safe"][~bad]).mean()
    # Only the labels of rollouts are read: which turn carries the mark makes no difference.
    moved = batch["safe"].copy()
    for rollout in range(batch.num_rollouts):
        rows = np.flatnonzero(batch.rollout == rollout)
        moved[rows] = np.roll(batch["safe"][rows], 1)
    again = SafetyPolicy(RandomPolicy())
    again.features = policy.features
    assert (again.make(batch.with_columns(safe=moved), world)["log_safe"] == made["log_safe"]).all()


def test_nothing_learned_is_a_belief_and_learning_goes_on_from_batch_to_batch() -> None:
    world, policy = Crossing(), SafetyPolicy(RandomPolicy(), steps=0)
    batch = collect(world, policy, tasks=1, group_size=2, seed=0)
    assert policy.make(batch, world)["log_safe"] == pytest.approx(-math.log1p(math.exp(-BELIEF)))
    policy.steps = 1
    first = policy.make(batch, world)["log_safe"]
    assert (policy.make(batch, world)["log_safe"] != first).any()
    assert policy.make(batch.select([]), world)["log_safe"].shape == (0,)


def test_traces_is_fed_where_the_world_says_safe_and_names_the_label_where_not() -> None:
    traces = credit.as_estimator("traces")
    world = Crossing()
    have = collect(world, RandomPolicy(), tasks=1, group_size=2, seed=0).columns
    found = plan(MAKERS, traces, have)
    assert [maker.gives for maker in found.makers] == [("log_safe",)] and not found.missing
    crew = Crew(RandomPolicy(), found.makers)
    batch = collect(world, crew.policy, tasks=2, group_size=20, seed=0)
    (made,) = crew.make(batch, world, [found])
    total = traces(made).total
    assert total[~np.asarray(batch["safe"])].mean() < total[np.asarray(batch["safe"])].mean()
    bench_world.register()
    missing = learn(Panel("count", bench_world.ENV), "traces", 0, bench_world.budget())["missing"]
    assert "'safe'" in missing


def test_the_learning_track_counts_the_rules_that_are_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    from agentgym.baselines.benchmark import learning

    panel, budget = Panel("crossing", "tests/Crossing-v0"), bench_world.budget(updates=8, group_size=8)
    monkeypatch.setattr(learning, "build", lambda env, kwargs, signals=(): Crossing(signals=signals))
    safe, plain = (learn(panel, name, 0, budget) for name in ("traces", "grpo"))
    assert len(safe["cost"]) == 8 and 0.1 < plain["cost"][0] < 0.6
    assert safe["cost"][-1] < 0.05 < np.mean(plain["cost"])  # every rollout succeeds, so grpo has nothing to learn
