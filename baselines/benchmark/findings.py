"""The findings of a run in plain sentences: for the page, the console and whoever quotes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentgym.baselines.benchmark.settings import short

LEARNED = 0.05
"""Mean success over the updates under which nothing was learned."""


def sentences(summary: Mapping[str, Any]) -> list[str]:
    """Return what a summary says, most important first."""
    out = []
    if "fidelity" in summary:
        out += _fidelity(summary["fidelity"])
    if "learning" in summary:
        out += _learning(summary["learning"])
    if "missing" in summary:
        names = ", ".join(dict.fromkeys(short(row["estimator"]) for row in summary["missing"]))
        out.append(f"Not run everywhere, for want of a column: {names}.")
    return out


def _fidelity(found: Mapping[str, Any]) -> list[str]:
    out = []
    ranked = found["ranked"]
    if ranked:
        best, worst = ranked[0], ranked[-1]
        text = (
            f"{short(best['estimator'])} recovers the true advantages best: rank correlation {best['value']:.2f} on "
            f"average (95 %: {best['low']:.2f} to {best['high']:.2f})"
        )
        if len(ranked) > 1:
            text += f"; last is {short(worst['estimator'])} ({worst['value']:.2f})"
            others = [
                f"{short(row['first'])} on {row['cell']}"
                for row in found["firsts"]
                if row["first"] != best["estimator"]
            ]
            text += f". It is first everywhere but: {', '.join(others)}" if others else ". It is first in every cell"
        out.append(f"{text}.")
        if len(ranked) > 1 and found["separated"]:
            counts = ", ".join(f"{panel} {len(pairs)}" for panel, pairs in found["separated"].items())
            possible = len(ranked) * (len(ranked) - 1) // 2
            out.append(
                f"Pairs of estimators told apart by their 95 % intervals, of {possible} on each panel: {counts}."
            )
    if found["unranked"]:
        out.append(f"Left out: {'; '.join(found['unranked'])}.")
    return out


def learner(found: Mapping[str, Any]) -> str:
    """Return what learned, in words, from the summary of the learning track."""
    return "language model" if found.get("policy") == "lm" else "menu policy"


def _learning(found: Mapping[str, Any]) -> list[str]:
    told = _told(found)
    return [f"Learning, with the {learner(found)}: {told[0]}", *told[1:]] if "policy" in found else told


def _told(found: Mapping[str, Any]) -> list[str]:
    rows = found["rows"]
    names = list(dict.fromkeys(row["estimator"] for row in rows))
    means = {name: _mean([row["area"] for row in rows if row["estimator"] == name]) for name in names}
    fastest = max(names, key=lambda name: means[name])
    if means[fastest] < LEARNED:
        return [f"No estimator learned: mean success over the updates is {means[fastest]:.1%} at most."]
    if len(names) == 1:
        return [f"With {short(fastest)} the policy's mean success over the updates is {means[fastest]:.2f}."]
    base = short(found["base"])
    others = [row for row in rows if row["estimator"] != found["base"]]
    beats = _by_panel([row for row in others if row["difference"]["low"] > 0.0]) or "none"
    below = _by_panel([row for row in others if row["difference"]["high"] < 0.0])
    worse = f" Worse: {below}." if below else ""
    return [
        f"{short(fastest)} learns fastest on average: mean success over the updates {means[fastest]:.2f}, "
        f"{base}'s {means[found['base']]:.2f}.",
        f"Better than {base} at equal rollouts beyond the 95 % interval over seeds: {beats}.{worse}",
    ]


def _by_panel(rows: Sequence[Mapping[str, Any]]) -> str:
    panels: dict[str, list[str]] = {}
    for row in rows:
        panels.setdefault(row["panel"], []).append(short(row["estimator"]))
    return "; ".join(f"on {panel} {', '.join(names)}" for panel, names in panels.items())


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
