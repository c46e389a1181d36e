"""The fidelity track: a policy of a given strength plays a panel; how well does each estimator recover the truth?"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.baselines.benchmark.expert_view import expert_view
from agentgym.baselines.benchmark.learning import improve, play, world_for
from agentgym.baselines.benchmark.metrics import evaluate
from agentgym.baselines.benchmark.settings import Budget, Panel
from agentgym.baselines.benchmark.store import RunError
from agentgym.baselines.columns import MAKERS, Crew, extra_turns, plan, reason
from agentgym.baselines.policies import ExpertPolicy, LogLinearPolicy, MenuPolicy
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.errors import MissingColumn
from agentgym.fidelity import FidelityScore, Graphs, Judge, Truth, true_advantages
from agentgym.fidelity.record import LEAST_CEILING
from agentgym.rollout import collect

Progress = Callable[[int, int], None]

SAMPLES = 400
"""Bootstrap draws of tasks; all of them are kept, so that means over cells have intervals too."""
POINTS = 250
"""Turns in a scatter plot."""
HALVINGS = 7
"""Steps of the search for the share of random actions that gives a success rate."""
TRAINING = 100
"""Most updates of a policy that is trained to a success rate."""
CALIBRATION_SEED = 900
"""Seed of both, apart from those of the rollouts that are judged."""


def judge(
    panel: Panel,
    target: float,
    estimators: Sequence[str],
    seed: int,
    budget: Budget,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return every estimator's scores on one panel under a policy that succeeds in about `target` of the episodes.

    The policy (see `acting_policy`) plays `fidelity_tasks` tasks in groups, `redraws` times. Each batch is estimated
    on its own; all are judged together.

    Returns:
        JSON: "acting" (the policy in words), "success" (of the rollouts), "exact_success" (the truth's), "unranked"
        (why it is not ranked, or ""), "ceiling", "method", "nodes", "rows", "tasks", "evaluation", "panel_hash" and
        more; in worlds with an expert "expert_view" (see `expert_view`); "estimators" and "lines": name → metric →
        value, low, high, draws; "missing": name → which column the rollouts lack, for the estimators that could not
        run; "extra_turns": name → turns of the world that were played for its columns besides the rollouts; "timing":
        µs a turn, which alone may differ between runs.
    """
    made = {name: credit.as_estimator(credit.load(name) if ":" in name else name) for name in estimators}
    world = world_for(panel, list(made.values()))
    tasks = [task.id for task in world.panel["train"][: budget.fidelity_tasks]]
    tell = progress or (lambda done, total: None)
    redraws = min(panel.redraws or budget.redraws, budget.redraws)
    steps = 3 + redraws + len(made)
    policy, acting = acting_policy(world, tasks, target, budget, panel.slips)
    tell(1, steps)
    crew = Crew(policy, [maker for estimator in made.values() for maker in plan(MAKERS, estimator).makers])
    batches = []
    for redraw in range(redraws):
        start = seed * 1_000_000 + redraw * 10_000
        batches.append(collect(world, crew.policy, tasks=tasks, group_size=budget.group_size, seed=start))
        tell(2 + redraw, steps)
    batch = TurnBatch.concat(batches)
    if not len(batch):
        raise RunError(f"every rollout on {panel.name} ended in an infrastructure error: see to what the world needs")
    truth = true_advantages(batch, policy, graphs=graphs(), max_nodes=budget.max_nodes, seed=seed)
    judge_of = Judge(truth, batch, samples=SAMPLES, seed=seed)
    tell(2 + redraws, steps)
    timing, diagnostics, estimates = {}, {}, {}
    whole, missing = columned(crew, world, [batch for batch in batches if len(batch)], made, panel)
    for index, name in enumerate(made):
        try:
            if name in whole:
                estimates[name], timing[name], diagnostics[name] = _estimate(made[name], whole[name])
        except MissingColumn as error:  # a column that only the estimator's body knows of
            missing[name] = str(error)
        tell(3 + redraws + index, steps)
    scores = {name: _scored(judge_of.score(values, name)) for name, values in estimates.items()}
    lines = judge_of.references(seed) | {"turn_reward": judge_of.score("turn_reward")}
    opening = np.asarray(batch.turn) == 0
    result = {
        "acting": acting,
        "success": evaluate(batch)["success"],
        "exact_success": float(truth.value[opening].mean()),
        "estimators": scores,
        "missing": missing,
        "extra_turns": {name: sum(map(extra_turns, whole[name])) for name in scores},
        "lines": {name: _scored(found) for name, found in lines.items()},
        "evaluation": evaluate(batches[0]),
        "diagnostics": diagnostics,
        "scatter": {name: _points(values, truth.advantage) for name, values in estimates.items()},
        "timing": timing,
    }
    if world.offers("expert"):
        given = {"graphs": graphs(), "max_nodes": budget.max_nodes, "samples": SAMPLES, "seed": seed}
        signals = {**estimates, "turn_reward": batch["turn_reward"]}
        result["expert_view"] = expert_view(batch, policy, truth, signals, **given)
    return {**result, **_about(truth, world, batch), "unranked": _unranked(truth, result["exact_success"])}


@lru_cache(maxsize=1)
def graphs() -> Graphs:
    """Return the transition graphs that this process keeps: cells of one panel share them."""
    return Graphs()


def acting_policy(
    world: AgentEnv[Any], tasks: Sequence[str], target: float, budget: Budget, slips: int = 0
) -> tuple[MenuPolicy, str]:
    """Return a policy that succeeds in about `target` of the episodes, and what it is in words.

    In worlds with an expert: the expert that takes a random entry of the menu (or one of a few, see `ExpertPolicy`)
    with some probability. In others: a log-linear policy, trained with gigpo until the rollouts of an update succeed
    often enough, for `TRAINING` updates at most. Where even random choice succeeds more often, the policy is nearly
    random.
    """
    if world.offers("expert"):
        epsilon = calibrate(world, tasks, target, budget.group_size, slips)
        which = f"one of {slips} other actions" if slips else "a random action"
        return ExpertPolicy(epsilon, slips), f"the expert, with {which} in {epsilon:.1%} of the turns"
    policy, estimator = LogLinearPolicy(), credit.info("gigpo")
    updates = 0
    while updates < TRAINING:
        batch = play(world, policy, budget, CALIBRATION_SEED, updates)
        if evaluate(batch, ks=())["success"] >= target:
            break
        improve(policy, batch, estimator, budget)
        updates += 1
    return policy, f"a log-linear policy after {updates} updates with gigpo"


def calibrate(world: AgentEnv[Any], tasks: Sequence[str], target: float, rollouts: int, slips: int = 0) -> float:
    """Return the epsilon at which the ε-expert succeeds in about `target` of the episodes, by bisection.

    Success falls as epsilon rises. It is measured on `rollouts` a task, with the same draws for every epsilon.
    """
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        batch = collect(world, ExpertPolicy(middle, slips), tasks=tasks, group_size=rollouts, seed=CALIBRATION_SEED)
        low, high = (middle, high) if evaluate(batch, ks=())["success"] > target else (low, middle)
    return (low + high) / 2


def columned(
    crew: Crew, world: AgentEnv[Any], batches: Sequence[TurnBatch], made: Mapping[str, credit.Estimator], panel: Panel
) -> tuple[dict[str, list[TurnBatch]], dict[str, str]]:
    """Return every estimator's batches with the columns that it reads, and of those that cannot run, why.

    Args:
        crew: that played the batches; forgets them.
        world: it played in.
        batches: none of them empty.
        made: name → estimator.
        panel: for the reasons.
    """
    have = [column for column in batches[0].columns if all(column in batch for batch in batches)]
    plans = {name: plan(MAKERS, estimator, have) for name, estimator in made.items()}
    missing = {name: reason(name, how.missing, panel.env) for name, how in plans.items() if how.missing}
    able = [name for name in plans if name not in missing]
    grown = [crew.make(batch, world, [plans[name] for name in able]) for batch in batches]
    crew.forget()
    return {name: [each[place] for each in grown] for place, name in enumerate(able)}, missing


def _estimate(
    estimator: credit.Estimator, batches: Sequence[TurnBatch]
) -> tuple[np.ndarray[Any, np.dtype[np.float64]], float, dict[str, float]]:
    """Return the estimates of all batches, µs a turn, and the diagnostics that are numbers, averaged."""
    began = time.perf_counter()
    made = [estimator(batch) for batch in batches]
    spent = time.perf_counter() - began
    numbers: dict[str, list[float]] = {}
    for each in made:
        for key, value in each.diagnostics.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                numbers.setdefault(key, []).append(float(value))
    values = np.concatenate([each.total for each in made])
    means = {key: float(np.mean(found)) for key, found in numbers.items()}
    return values, 1e6 * spent / max(len(values), 1), means


def _scored(score: FidelityScore) -> dict[str, dict[str, Any]]:
    """Return a score as JSON, with the bootstrap draws of the rank correlation."""
    out: dict[str, dict[str, Any]] = {}
    for metric in ("spearman", "kendall", "pearson", "sign", "cosine", "bias", "variance", "scale"):
        interval = getattr(score, metric)
        if interval is not None:
            out[metric] = {"value": interval.value, "low": interval.low, "high": interval.high}
    out["spearman"]["draws"] = [round(float(value), 5) for value in score.draws["spearman"][1:]]
    return out


def _unranked(truth: Truth, success: float) -> str:
    """Return why estimators are not ranked on this cell; "" if they are."""
    if truth.ceiling < LEAST_CEILING:
        return f"two independent truths would correlate at {truth.ceiling:.2f} only"
    if not 0.02 <= success <= 0.98:
        return f"the policy succeeds in {success:.1%}, so hardly any action changes anything"
    return ""


def _points(values: Any, truth: Any) -> list[list[float]]:
    """Return (estimate at root mean square 1, true advantage) of evenly spaced rows."""
    rows = np.linspace(0, len(values) - 1, min(POINTS, len(values))).astype(int)
    size = float(np.sqrt(np.mean(np.square(values)))) or 1.0
    return [[round(float(values[row]) / size, 4), round(float(truth[row]), 5)] for row in rows]


def _about(truth: Truth, world: AgentEnv[Any], batch: TurnBatch) -> Mapping[str, Any]:
    return {
        "ceiling": truth.ceiling,
        "method": truth.method,
        "note": truth.note,
        "nodes": truth.nodes,
        "rows": len(batch),
        "rollouts": batch.num_rollouts,
        "tasks": len(set(batch.task.tolist())),
        "panel_hash": world.panel.hash,
    }
