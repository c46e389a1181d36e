"""Step groups and state graphs under clean, merged and fragmented names of states, judged by the true advantages.

The grid of `grid.py` under ε-experts of three strengths, every task in a group of eight rollouts. The same rollouts are
given three names a state, so that nothing differs but what the estimators can compare. Beside every number stand the
share of rows whose state and action were seen with different successors (aliasing: the name says too little) and the
share of rows alone in their state (singletons: it says too much).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.claims.grid import Grid, clean, fragmented, merged
from agentgym.baselines.claims.verdicts import direction, signed
from agentgym.baselines.policies import ExpertPolicy
from agentgym.batch import TurnBatch
from agentgym.fidelity import Graphs, Judge, true_advantages
from agentgym.rollout import collect

EPSILONS = (0.9, 0.75, 0.5)
"""Shares of random moves of the three policies."""
NAMES: Mapping[str, Callable[[TurnBatch], TurnBatch]] = {
    "clean": clean,
    "merged": merged,
    "fragmented": lambda batch: fragmented(clean(batch)),
}
ESTIMATORS = ("grpo", "gigpo", "bipace", "gagpo", "g2po", "graphgpo", "state_graph")
BASES = ("grpo", "gigpo")
Found = dict[tuple[str, str], list[float]]


def measure(seeds: int = 16, size: int = 8, epsilons: Sequence[float] = EPSILONS) -> list[dict[str, Any]]:
    """Return a row for each policy, naming and estimator, and one over all policies ("policy": "all").

    "value" is Spearman's correlation with the truth, "minus_grpo" and "minus_gigpo" the differences paired by seed, all
    three with Student's interval over seeds; "success" the share of successful rollouts, "aliasing" and "singletons"
    means over seeds.
    """
    whole: list[Found] = []
    rows = []
    graphs = Graphs()
    for epsilon in epsilons:
        found: Found = {}
        for seed in range(seeds):
            for key, value in one(epsilon, seed, size, graphs).items():
                found.setdefault(key, []).append(value)
        whole.append(found)
        rows += _rows(f"{np.mean(found['', 'success']):.0%}", found)
    means = {key: np.mean([found[key] for found in whole], axis=0).tolist() for key in whole[0]}
    return rows + _rows("all", means)


def decide(rows: Sequence[Mapping[str, Any]], estimator: str, base: str) -> tuple[str, str]:
    """Return whether an estimator is nearer to the truth than a base, on clean names over all policies.

    The figures name the other two as well, each with its shares of aliased rows and of singletons.
    """
    found = {row["naming"]: row for row in rows if (row["policy"], row["estimator"]) == ("all", estimator)}
    apart = {naming: row[f"minus_{base}"] for naming, row in found.items()}
    beside = "; ".join(
        f"{naming} names {signed(apart[naming])} (aliased {row['aliasing']:.0%}, alone {row['singletons']:.0%})"
        for naming, row in found.items()
    )
    return direction(apart["clean"]), f"rank correlation with the truth on the grid, minus {base}: {beside}"


def one(epsilon: float, seed: int, size: int, graphs: Graphs) -> dict[tuple[str, str], float]:
    """Return what one draw of rollouts gives: (naming, estimator or diagnostic) → number."""
    world, policy = Grid(), ExpertPolicy(epsilon)
    tasks = [task.id for task in world.panel[world.split]]
    batch = collect(world, policy, tasks=tasks, group_size=size, seed=seed * 1000)
    judge = Judge(true_advantages(batch, policy, env=world, graphs=graphs), batch, samples=2)
    out = {("", "success"): float(batch.success[batch.last].mean())}
    for naming, rename in NAMES.items():
        renamed = rename(batch)
        for name in ESTIMATORS:
            made = credit.estimate(name, renamed)
            out[naming, name] = judge.score(made).spearman.value
        for check in ("aliasing", "singletons"):
            out[naming, check] = float(made.diagnostics[check])
    return out


def _rows(policy: str, found: Mapping[tuple[str, str], Sequence[float]]) -> list[dict[str, Any]]:
    rows = []
    for naming in NAMES:
        beside = {check: float(np.mean(found[naming, check])) for check in ("aliasing", "singletons")}
        beside["success"] = float(np.mean(found["", "success"]))
        for name in ESTIMATORS:
            here = np.asarray(found[naming, name])
            apart = {f"minus_{base}": t_interval((here - found[naming, base]).tolist()) for base in BASES}
            about = {
                "label": f"{name}, {naming}, policy {policy}",
                "policy": policy,
                "naming": naming,
                "estimator": name,
            }
            rows.append({**about, **t_interval(here.tolist()), **apart, **beside})
    return rows
