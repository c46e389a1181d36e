"""From the cells of the two tracks to figures beside a base: small enough to keep, and all that the page needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agentgym.baselines.benchmark.summary import missing_columns, t_interval

BASES = ("grpo", "gigpo", "mt_grpo", "gae")
"""What the systems are held against."""

Cells = Sequence[Mapping[str, Any]]


def fidelity(cells: Cells) -> dict[str, Any]:
    """Return what the fidelity cells of one panel say of every estimator.

    Returns:
        "policies": success, ceiling, rows and why a cell is not ranked, by policy; "rows": estimator → "value", "low",
        "high", the mean of Spearman's correlation over the policies, its difference "minus_BASE" to each base that
        ran, with the 95 % interval of the bootstrap over tasks, "by_policy", and the mean diagnostics "aliasing" and
        "singletons" where there are some; "missing": estimator → why it could not run.
    """
    keys = ("policy", "acting", "exact_success", "ceiling", "rows", "rollouts", "tasks", "unranked", "method")
    policies = [{key: cell[key] for key in keys} for cell in cells]
    names = [name for name in cells[0]["estimators"] if all(name in cell["estimators"] for cell in cells)]
    found = {name: [cell["estimators"][name]["spearman"] for cell in cells] for name in names}
    value = {name: np.array([each["value"] for each in found[name]]) for name in names}
    draws = {name: np.mean([each["draws"] for each in found[name]], axis=0) for name in names}
    rows = {}
    for name in names:
        row: dict[str, Any] = {**_spread(value[name].mean(), draws[name]), "by_policy": value[name].tolist()}
        for base in BASES:
            if base in names:
                row[f"minus_{base}"] = _spread((value[name] - value[base]).mean(), draws[name] - draws[base])
        for check in ("aliasing", "singletons", "singleton_share"):
            seen = [cell["diagnostics"][name][check] for cell in cells if check in cell["diagnostics"].get(name, {})]
            if seen:
                row[check] = float(np.mean(seen))
        rows[name] = row
    return {"panel": cells[0]["panel"], "policies": policies, "rows": rows, "missing": _missing(cells)}


def learning(cells: Cells, what: str = "success") -> dict[str, Any]:
    """Return what the learning cells of one panel say of every estimator.

    Args:
        cells: of the panel.
        what: of their curves: "success" or "return".

    Returns:
        "rows": estimator → "value", "low", "high", the mean success or return over the updates, "minus_BASE" to each
        base that ran, paired by seed, "held_out", and the number of "seeds"; all intervals Student's over the seeds.
        "missing": estimator → why it could not run.
    """
    area: dict[str, dict[int, float]] = {}
    after: dict[str, list[float]] = {}
    for cell in cells:
        if "missing" not in cell:
            area.setdefault(cell["estimator"], {})[cell["seed"]] = float(np.mean(cell[what]))
            after.setdefault(cell["estimator"], []).append(cell["evaluation"]["success"])
    rows = {}
    for name, mine in area.items():
        row: dict[str, Any] = {
            **t_interval(list(mine.values())),
            "seeds": len(mine),
            "held_out": float(np.mean(after[name])),
        }
        for base in BASES:
            if base in area:
                row[f"minus_{base}"] = t_interval([mine[seed] - area[base][seed] for seed in mine])
        rows[name] = row
    return {"panel": cells[0]["panel"], "rows": rows, "missing": _missing(cells)}


def safety(cells: Cells) -> dict[str, Any]:
    """Return how many rules were broken while the estimators learned: fewer is better.

    Returns:
        "rows": estimator → "value", "low", "high", the mean a rollout over the updates, and "minus_BASE" as in
        `learning`; empty where the world has no rules to break.
    """
    return _over_updates(cells, "cost")


def calls(cells: Cells) -> dict[str, Any]:
    """Return in which share of the episodes a tool was called before the end, while the estimators learned.

    Returns:
        "rows" as those of `safety`, over the updates; empty where no tool ever was.
    """
    used = any(any(cell.get("calls", ())) for cell in cells)
    return _over_updates(cells, "calls" if used else "")


def _over_updates(cells: Cells, what: str) -> dict[str, Any]:
    """Return the means over the updates of a series that some cells hold, and their differences to the bases."""
    found: dict[str, dict[int, float]] = {}
    for cell in cells:
        if cell.get(what):
            found.setdefault(cell["estimator"], {})[cell["seed"]] = float(np.mean(cell[what]))
    rows = {}
    for name, mine in found.items():
        row: dict[str, Any] = dict(t_interval(list(mine.values())))
        for base in BASES:
            if base in found:
                row[f"minus_{base}"] = t_interval([mine[seed] - found[base][seed] for seed in mine])
        rows[name] = row
    return {"panel": cells[0]["panel"], "rows": rows, "missing": _missing(cells)}


def _missing(cells: Cells) -> dict[str, str]:
    return {row["estimator"]: row["why"] for row in missing_columns(cells)}


def _spread(value: float, draws: Any) -> dict[str, float]:
    low, high = np.quantile(draws, [0.025, 0.975])
    return {"value": float(value), "low": float(low), "high": float(high)}
