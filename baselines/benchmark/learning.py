"""The learning track: the same menu policy, the same tasks and draws, one estimator; which one learns fastest?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.baselines.benchmark.metrics import evaluate
from agentgym.baselines.benchmark.settings import Budget, Panel
from agentgym.baselines.features import Floats
from agentgym.baselines.hindsight import HindsightPolicy
from agentgym.baselines.policies import LogLinearPolicy
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng
from agentgym.rollout import build, collect

Progress = Callable[[int, int], None]


def learn(panel: Panel, estimator: str, seed: int, budget: Budget, progress: Progress | None = None) -> dict[str, Any]:
    """Train a log-linear policy from scratch and return its curve and its last evaluation.

    Every update plays `update_tasks` training tasks `group_size` times, estimates the advantages, scales them to root
    mean square 1 and takes one policy-gradient step. Tasks, seeds and draws depend on `seed` and the update alone, so
    estimators meet the same worlds.

    Returns:
        "success" and "return": one value an update, of the rollouts it learned from; "evaluation": metrics after the
        last update on tasks of the split "evaluated_on" (dev, else test, else train); "rollouts"; "panel_hash".
    """
    made = credit.as_estimator(credit.load(estimator) if ":" in estimator else estimator)
    world = build(panel.env, panel.kwargs, signals=made.signals)
    policy = LogLinearPolicy()
    success, returns = [], []
    for update in range(budget.updates):
        batch = play(world, policy, made, budget, seed, update)
        metrics = evaluate(batch, ks=())
        success.append(metrics["success"])
        returns.append(metrics["return"])
        improve(policy, batch, made, budget)
        if progress is not None:
            progress(update + 1, budget.updates)
    return {
        "success": success,
        "return": returns,
        **_evaluation(panel, policy, budget, seed),
        "rollouts": budget.updates * budget.update_tasks * budget.group_size,
        "panel_hash": world.panel.hash,
    }


def scaled(advantage: Floats) -> Floats:
    """Return the advantages divided by their root mean square; zeros stay zeros."""
    size = float(np.sqrt(np.mean(np.square(advantage)))) if len(advantage) else 0.0
    return advantage / size if size > 0.0 else advantage


def improve(policy: LogLinearPolicy, batch: TurnBatch, estimator: credit.Estimator, budget: Budget) -> None:
    """Take one policy-gradient step on a batch that the policy has played."""
    policy.update(batch, scaled(estimator(batch).total), budget.step)
    policy.features.forget()


def play(
    world: AgentEnv[Any], policy: LogLinearPolicy, estimator: credit.Estimator, budget: Budget, seed: int, update: int
) -> TurnBatch:
    """Return the rollouts of one update, with hindsight log-probabilities where the estimator reads them."""
    rng = TurnRng(seed, turn=update, stream="learning")
    train = world.panel["train"]
    tasks = [rng.choice(train).id for _ in range(budget.update_tasks)]
    hindsight = HindsightPolicy(policy) if "hindsight_logprob" in estimator.needs else None
    start = (seed + 1) * 1_000_000 + update * 1_000
    batch = collect(world, hindsight or policy, tasks=tasks, group_size=budget.group_size, seed=start)
    return batch if hindsight is None else hindsight.with_hindsight(batch)


def _evaluation(panel: Panel, policy: LogLinearPolicy, budget: Budget, seed: int) -> dict[str, Any]:
    world = build(panel.env, panel.kwargs)
    split = next((name for name in ("dev", "test") if name in world.panel), "train")
    tasks = [task.id for task in world.panel[split][: budget.eval_tasks]]
    batch = collect(world, policy, tasks=tasks, group_size=budget.eval_rollouts, seed=seed)
    return {"evaluation": evaluate(batch), "evaluated_on": split}
