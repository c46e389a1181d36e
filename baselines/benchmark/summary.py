"""From the cells of a run to what a reader wants to know: rankings, separated pairs, who learns fastest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from agentgym.baselines.benchmark.store import RunError

Cell = Mapping[str, Any]

FEWEST_TASKS = 8
"""Tasks a panel below which no pair is called separated: a bootstrap over fewer says too little."""
T_975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)
"""Student's t at 97.5 % for 1, 2, … degrees of freedom; 2.0 is near enough beyond."""


def summarise(cells: Sequence[Cell], estimators: Sequence[str], metric: str = "spearman") -> dict[str, Any]:
    """Return the summary of a run: "fidelity" and "learning" (see `fidelity_summary`, `learning_summary`).

    "missing" is there where estimators could not run: "track", "panel", "estimator" and "why", which column they lack.

    Raises:
        RunError: cells of one panel that were made with different task panels.
    """
    check_panels(cells)
    fidelity = [cell for cell in cells if cell["track"] == "fidelity"]
    learning = [cell for cell in cells if cell["track"] == "learning" and "missing" not in cell]
    out: dict[str, Any] = {"metric": metric}
    missing = missing_columns(cells)
    if missing:
        out["missing"] = missing
    if fidelity:
        out["fidelity"] = fidelity_summary(fidelity, estimators, metric)
    if learning:
        out["learning"] = learning_summary(learning, estimators)
    return out


def missing_columns(cells: Sequence[Cell]) -> list[dict[str, str]]:
    """Return which estimators could not run, where and why, each once."""
    found: dict[tuple[str, str, str], str] = {}
    for cell in cells:
        track, panel = cell["track"], cell["panel"]
        lacking = cell.get("missing", {}) if track == "fidelity" else {}
        if track == "learning" and "missing" in cell:
            lacking = {cell["estimator"]: cell["missing"]}
        for name, why in lacking.items():
            found.setdefault((track, panel, name), why)
    return [{"track": track, "panel": panel, "estimator": name, "why": why}
            for (track, panel, name), why in found.items()]  # fmt: skip


def missing_by_reason(rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return the rows of `missing_columns`, those of one estimator and reason together: "estimator", "why", "where"."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in rows:
        found.setdefault((row["estimator"], row["why"]), {}).setdefault(row["track"], []).append(row["panel"])
    return [
        {"estimator": name, "why": why, "where": "; ".join(f"{track}: {', '.join(on)}" for track, on in places.items())}
        for (name, why), places in found.items()
    ]


def check_panels(cells: Sequence[Cell]) -> None:
    """Refuse to compare cells of one panel whose tasks differ."""
    hashes: dict[str, str] = {}
    for cell in cells:
        held = hashes.setdefault(cell["panel"], cell["panel_hash"])
        if held != cell["panel_hash"]:
            raise RunError(
                f"cells of panel {cell['panel']!r} are about different tasks (panel hashes {held[:12]} and "
                f"{cell['panel_hash'][:12]}) and cannot be compared: run them again with one version"
            )


def fidelity_summary(cells: Sequence[Cell], estimators: Sequence[str], metric: str) -> dict[str, Any]:
    """Return what the fidelity track says.

    "ranked": estimators by their mean score over the cells that can be ranked, with the interval of that mean and the
    mean on each panel; "lines": the same of the reference lines, as far as the cells have them.
    "firsts": for each such cell, which estimator is first. "separated": for each panel with `FEWEST_TASKS` tasks or
    more, the pairs whose paired difference, averaged over the policies, has a 95 % interval without 0, better one
    first, with the difference under each policy. "unranked": cells left out, and why. An estimator that could not run
    in some of the cells is in no ranking, since its mean would be over other cells; in "separated" it is where it ran.
    """
    unranked = [f"{_name(cell)} ({cell['unranked']})" for cell in cells if cell["unranked"]]
    kept, seen = [], set()
    for cell in cells:
        policy = (cell["panel"], cell["acting"])
        if policy in seen:
            unranked.append(f"{_name(cell)} (the same policy as in another cell)")
        elif not cell["unranked"]:
            kept.append(cell)
        seen.add(policy)
    few = sorted({cell["panel"] for cell in kept if cell["tasks"] < FEWEST_TASKS})
    unranked += [f"pairs on {panel} (fewer than {FEWEST_TASKS} tasks)" for panel in few]
    ran = _in_all(kept, estimators)
    ranked = [{"estimator": name, **_mean(kept, name, metric)} for name in ran] if kept else []
    ranked.sort(key=lambda row: (-row["value"], row["estimator"]))
    lines = {name: _mean(kept, name, metric) for name in kept[0]["lines"]} if kept else {}
    firsts = [{"cell": _name(cell), "first": max(ran, key=lambda n: _value(cell, n, metric))} for cell in kept if ran]
    panels = [panel for panel in dict.fromkeys(cell["panel"] for cell in kept) if panel not in few]
    separated = {}
    for panel in panels:
        mine = [cell for cell in kept if cell["panel"] == panel]
        separated[panel] = _separated(mine, _in_all(mine, estimators), metric)
    return {"ranked": ranked, "lines": lines, "firsts": firsts, "separated": separated, "unranked": unranked}


def learning_summary(cells: Sequence[Cell], estimators: Sequence[str], base: str = "grpo") -> dict[str, Any]:
    """Return, for each panel and estimator, the area under the curve and its paired difference to `base`.

    The area is the mean success over the updates; differences are taken seed by seed (equal tasks and draws), their
    95 % interval is Student's over the seeds. "held_out" holds the evaluation's metrics, means over seeds,
    on tasks of the split "evaluated_on". "beats"
    lists what is above `base` beyond the interval, "below" what is under it. "policy" is there where it is not the menu
    policy that learned. Where `base` did not run, the first estimator that ran on every panel takes its place, and
    what lacks that one too is left out.
    """
    panels = list(dict.fromkeys(cell["panel"] for cell in cells))
    ran = {panel: [name for name in estimators if any(_is(cell, panel, name) for cell in cells)] for panel in panels}
    everywhere = [name for name in estimators if all(name in ran[panel] for panel in panels)]
    base = base if base in everywhere else (everywhere or ran[panels[0]])[0]
    rows = []
    for panel in panels:
        if base not in ran[panel]:
            continue
        areas = {
            name: {cell["seed"]: float(np.mean(cell["success"])) for cell in cells if _is(cell, panel, name)}
            for name in ran[panel]
        }
        for name in ran[panel]:
            finals = [cell["evaluation"] for cell in cells if _is(cell, panel, name)]
            differences = [areas[name][seed] - areas[base][seed] for seed in sorted(areas[name])]
            row: dict[str, Any] = {
                "panel": panel,
                "estimator": name,
                "area": float(np.mean(list(areas[name].values()))),
            }
            held_out = {metric: float(np.mean([final[metric] for final in finals])) for metric in finals[0]}
            split = next(cell["evaluated_on"] for cell in cells if _is(cell, panel, name))
            row |= {"evaluated_on": split, "held_out": held_out, "difference": t_interval(differences)}
            rows.append(row)
    others = [row for row in rows if row["estimator"] != base]
    learners = sorted({cell["learner"] for cell in cells if "learner" in cell})
    policy = {"policy": learners[0]} if learners else {}
    beats = [f"{row['estimator']} on {row['panel']}" for row in others if row["difference"]["low"] > 0.0]
    below = [f"{row['estimator']} on {row['panel']}" for row in others if row["difference"]["high"] < 0.0]
    return {"base": base, "rows": rows, "beats": beats, "below": below, **policy}


def t_interval(values: Sequence[float]) -> dict[str, float]:
    """Return mean and 95 % Student interval; one value alone, or no spread, has an interval of infinite or no width.

    For a single value "low" and "high" are −1 and 1 beyond it, the widest a difference of success rates can be.
    """
    mean = float(np.mean(values))
    if len(values) < 2:
        return {"value": mean, "low": mean - 1.0, "high": mean + 1.0}
    quantile = T_975[len(values) - 2] if len(values) - 2 < len(T_975) else 2.0
    half = quantile * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return {"value": mean, "low": mean - half, "high": mean + half}


def _is(cell: Cell, panel: str, name: str) -> bool:
    return bool(cell["panel"] == panel and cell["estimator"] == name)


def _in_all(cells: Sequence[Cell], estimators: Sequence[str]) -> list[str]:
    return [name for name in estimators if all(name in cell["estimators"] for cell in cells)]


def _mean(cells: Sequence[Cell], name: str, metric: str) -> dict[str, Any]:
    """Return the mean score over the cells with its interval, and that on each panel."""
    panels = dict.fromkeys(cell["panel"] for cell in cells)
    on = {panel: _mean_value([cell for cell in cells if cell["panel"] == panel], name, metric) for panel in panels}
    interval = _interval(_mean_draws(cells, name, metric))
    return {"value": _mean_value(cells, name, metric), **interval, "panels": on}


def _mean_draws(cells: Sequence[Cell], name: str, metric: str) -> Any:
    return np.mean([_score(cell, name, metric)["draws"] for cell in cells], axis=0)


def _interval(draws: Any) -> dict[str, float]:
    low, high = np.quantile(draws, [0.025, 0.975])
    return {"low": float(low), "high": float(high)}


def _separated(cells: Sequence[Cell], estimators: Sequence[str], metric: str) -> list[dict[str, Any]]:
    rows = []
    for pair in combinations(estimators, 2):
        better, worse = sorted(pair, key=lambda name: -_mean_value(cells, name, metric))
        interval = _interval(_mean_draws(cells, better, metric) - _mean_draws(cells, worse, metric))
        if interval["low"] > 0.0:
            by_policy = [_value(cell, better, metric) - _value(cell, worse, metric) for cell in cells]
            value = float(np.mean(by_policy))
            rows.append({"better": better, "worse": worse, "value": value, "by_policy": by_policy, **interval})
    return sorted(rows, key=lambda row: (-row["value"], row["better"], row["worse"]))


def _name(cell: Cell) -> str:
    return f"{cell['panel']} at {cell['success']:.0%}"


def _value(cell: Cell, name: str, metric: str) -> float:
    return float(_score(cell, name, metric)["value"])


def _score(cell: Cell, name: str, metric: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = {**cell["lines"], **cell["estimators"]}[name][metric]
    return found


def _mean_value(cells: Sequence[Cell], name: str, metric: str) -> float:
    return float(np.mean([_value(cell, name, metric) for cell in cells]))
