"""The learning track: the same menu policy, the same tasks and draws, one estimator; which one learns fastest?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.baselines.benchmark.metrics import evaluate
from agentgym.baselines.benchmark.settings import Budget, Panel
from agentgym.baselines.columns import MAKERS, Crew, extra_turns, offered, plan, reason
from agentgym.baselines.features import Floats
from agentgym.baselines.policies import LogLinearPolicy, MenuPolicy
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.errors import MissingColumn
from agentgym.rng import TurnRng
from agentgym.rollout import View, build, collect

Progress = Callable[[int, int], None]

IMITATION = 60
"""Most lessons that a policy takes from the expert before it learns by itself."""
LESSON = 8.0
"""Length of the step of one lesson."""


def learn(panel: Panel, estimator: str, seed: int, budget: Budget, progress: Progress | None = None) -> dict[str, Any]:
    """Train a log-linear policy and return its curve and its last evaluation; it begins as `beginner` says.

    Every update plays `update_tasks` training tasks `group_size` times, estimates the advantages, scales them to root
    mean square 1 and takes one policy-gradient step. Tasks, seeds and draws depend on `seed` and the update alone, so
    estimators meet the same worlds.

    Returns:
        "success" and "return": one value an update, of the rollouts it learned from; "cost": the same of the rules they
        broke, a rollout, [] where the record does not say; "calls": the share of them in which a tool had answered
        before the last turn; "evaluation": metrics after the last update on tasks of the split "evaluated_on" (dev,
        else test, else train); "rollouts"; "extra_turns", played for the estimator's columns besides the rollouts;
        "panel_hash". Where the estimator reads what no rollout has and nobody makes, only "missing" (which, in words)
        and "panel_hash".
    """
    made = credit.as_estimator(credit.load(estimator) if ":" in estimator else estimator)
    world, policy = world_for(panel, [made]), beginner(panel, seed).copy()
    crew = Crew(policy, plan(MAKERS, made).makers)
    success, returns, costs, calls, extra = [], [], [], [], 0
    for update in range(budget.updates):
        batch = play(world, crew.policy, budget, seed, update, panel.learn_tasks)
        how = plan(MAKERS, made, batch.columns)
        if how.missing:
            return {"missing": reason(estimator, how.missing, panel.env), "panel_hash": world.panel.hash}
        (whole,) = crew.make(batch, world, [how])
        crew.forget()
        extra += extra_turns(whole)
        metrics = evaluate(batch, ks=())
        success.append(metrics["success"])
        returns.append(metrics["return"])
        costs += [float(np.sum(batch["cost"])) / batch.num_rollouts] if "cost" in batch else []
        calls.append(called(batch))
        try:
            improve(policy, whole, made, budget)
        except MissingColumn as error:  # a column that only the estimator's body knows of
            return {"missing": str(error), "panel_hash": world.panel.hash}
        if progress is not None:
            progress(update + 1, budget.updates)
    return {
        "success": success,
        "return": returns,
        "cost": costs,
        "calls": calls,
        **_evaluation(panel, policy, budget, seed),
        "rollouts": budget.updates * budget.update_tasks * budget.group_size,
        "extra_turns": extra,
        "panel_hash": world.panel.hash,
    }


def called(batch: TurnBatch) -> float:
    """Return the share of rollouts in which a tool had answered before the last turn; 0 where the record says none."""
    if "tool_result" not in batch:
        return 0.0
    earlier = np.asarray(batch["tool_result"], dtype=bool) & ~batch.last
    return float(np.mean(np.bincount(batch.rollout, earlier) > 0))


@lru_cache(maxsize=64)
def beginner(panel: Panel, seed: int) -> LogLinearPolicy:
    """Return the policy with which the learning track begins on a panel, the same for every estimator: copy it.

    It is uniform; where the panel says `learn_from`, it has imitated the expert on the training tasks, in the states
    that its own play led to, until it succeeded in that share of the episodes, for `IMITATION` rounds at most.
    """
    if not panel.learn_from:
        return LogLinearPolicy()
    world = build(panel.env, panel.kwargs)
    tasks = [task.id for task in world.panel["train"][: panel.learn_tasks or None]]
    return imitated(world, tasks, panel.learn_from, seed)


def imitated(world: AgentEnv[Any], tasks: Sequence[str], share: float, seed: int) -> LogLinearPolicy:
    """Return a policy that has imitated the expert on some tasks until it succeeded in that share of the episodes."""
    policy = LogLinearPolicy()
    shown = Imitator(policy)
    for lesson in range(IMITATION):
        batch = collect(world, shown, tasks=tasks, group_size=4, seed=(seed + 1) * 1_000_000 - 1 - lesson)
        if evaluate(batch, ks=())["success"] >= share:
            break
        shown.learn(batch, LESSON)
    policy.features.forget()
    return policy


class Imitator(MenuPolicy):
    """Plays as a log-linear policy and knows what the expert would have done in its states.

    Args:
        policy: who plays, and learns.
    """

    signals = ("menu", "describe", "expert")
    stationary = True

    def __init__(self, policy: LogLinearPolicy) -> None:
        self.policy = policy
        self._expert: dict[str, str] = {}

    def log_probs(self, views: Sequence[View]) -> list[Floats]:
        """Return those of the policy."""
        self._expert.update((view.key, view.expert) for view in views)
        return self.policy.log_probs(views)

    def learn(self, batch: TurnBatch, step: float) -> None:
        """Take one step towards what the expert does in the states of a batch that was played as this policy.

        States in which its action is not in the menu say nothing.
        """
        known = [self._expert[state] in menu for state, menu in zip(batch.state, batch.menu, strict=True)]
        batch = batch.select(np.array(known, dtype=bool))
        pairs = zip(batch.state, batch.menu, strict=True)
        self.policy.approach(batch, [[float(entry == self._expert[at]) for entry in menu] for at, menu in pairs], step)


def world_for(panel: Panel, estimators: Sequence[credit.Estimator]) -> AgentEnv[Any]:
    """Return a panel's world, asked for what estimators and their makers read, as far as it offers that."""
    asked = [signal for made in estimators for signal in (*made.signals, *plan(MAKERS, made).signals)]
    return build(panel.env, panel.kwargs, signals=offered(build(panel.env, panel.kwargs), asked))


def scaled(advantage: Floats) -> Floats:
    """Return the advantages divided by their root mean square; zeros stay zeros."""
    size = float(np.sqrt(np.mean(np.square(advantage)))) if len(advantage) else 0.0
    return advantage / size if size > 0.0 else advantage


def improve(policy: LogLinearPolicy, batch: TurnBatch, estimator: credit.Estimator, budget: Budget) -> None:
    """Take one policy-gradient step on a batch that the policy has played."""
    policy.update(batch, scaled(estimator(batch).total), budget.step)
    policy.features.forget()


def play(world: AgentEnv[Any], policy: MenuPolicy, budget: Budget, seed: int, update: int, first: int = 0) -> TurnBatch:
    """Return the rollouts of one update, on some of the `first` training tasks (0: of all)."""
    rng = TurnRng(seed, turn=update, stream="learning")
    train = world.panel["train"][: first or None]
    tasks = [rng.choice(train).id for _ in range(budget.update_tasks)]
    start = (seed + 1) * 1_000_000 + update * 1_000
    return collect(world, policy, tasks=tasks, group_size=budget.group_size, seed=start)


def _evaluation(panel: Panel, policy: LogLinearPolicy, budget: Budget, seed: int) -> dict[str, Any]:
    world = build(panel.env, panel.kwargs)
    split = next((name for name in ("dev", "test") if name in world.panel), "train")
    tasks = [task.id for task in world.panel[split][: budget.eval_tasks]]
    batch = collect(world, policy, tasks=tasks, group_size=budget.eval_rollouts, seed=seed)
    return {"evaluation": evaluate(batch), "evaluated_on": split}
