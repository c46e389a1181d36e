"""The page of `calibrated`: which turn rewards mislead, what is learned from each, and what the intervals decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from agentgym.baselines.claims.verdicts import direction, signed

NAME: Final = "customerservice-rewards.md"

HEAD: Final = """\
# Which turn rewards teach

What the tags of [customer service](customerservice.md) should pay, asked of recorded talks
([calibration](../calibration.md)), and what a menu policy learns from each answer. Twelve tasks of retail, five of
which ask for what has to be refused, come again and again; the policy has imitated the expert until it served a
quarter of them. Every update plays {update_tasks} tasks {group_size} times; {updates} updates, {seeds} seeds, the same
talks for all. Intervals are Student's, at 95 %, over the seeds; differences are paired by seed.

```bash
{command}
```

{date}, {machine}, agentgym {agentgym}.

## Which rewards mislead

A naive dense reward pays what looks like work: {naive}. ρ is the correlation, over all turns of the policy at its
beginning, of "this turn has the tag" with the success of its talk; a tag misleads where ρ and what it is paid, or the
mean advantage that an estimator gives its turns, have opposite signs and |ρ| is above {delta}.
"""

LEARNED: Final = """\
## What is learned

Success is the mean over all updates, at the end that over the last quarter of them; so are the rules broken in a talk.
*Outcome alone*: turns pay nothing. *Progress*: the world's own turn reward, the change of a potential.
"""


def render(results: Mapping[str, Any]) -> str:
    """Return the page of some results, Markdown."""
    naive = ", ".join(f"{tag} {weight:g}" for tag, weight in results["naive"].items())
    head = HEAD.format(**results["sizes"], **results["run"], naive=naive, delta=results["delta"])
    parts = [
        head,
        _tags(results),
        "",
        *_misled(results),
        "",
        LEARNED,
        _variants(results["rows"]),
        "",
        *_told(results["rows"]),
    ]
    return "\n".join(parts) + "\n"


def _first(results: Mapping[str, Any], tag: str) -> list[Mapping[str, Any]]:
    """Return what the first round found of a tag, one row a seed."""
    return [next(row for row in rows if row["tag"] == tag and row["round"] == 0) for rows in results["rounds"]]


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else 0.0


def _tags(results: Mapping[str, Any]) -> str:
    """Return the table of the tags: the first round, means over seeds, and the weights at the end."""
    estimators = list(results["rounds"][0][0]["advantage"])
    head = ["tag", "turns", "paid", "ρ", *(f"advantage by {name}" for name in estimators), "misleads in", "calibrated"]
    lines = [_row(head), _row(["---"] * len(head))]
    for tag, pays in results["naive"].items():
        rows = _first(results, tag)
        advantage = [f"{_mean([row['advantage'][name] for row in rows]):+.2f}" for name in estimators]
        seeds = f"{sum(row['against'] for row in rows)} of {len(rows)} seeds"
        weight = _mean([weights[tag] for weights in results["weights"]])
        turns = f"{_mean([row['turns'] for row in rows]):.0f}"
        rho = f"{_mean([row['rho'] for row in rows]):+.3f}"
        lines.append(_row([f"`{tag}`", turns, f"{pays:+.2f}", rho, *advantage, seeds, f"{weight:+.2f}"]))
    return "\n".join(lines)


def _misled(results: Mapping[str, Any]) -> list[str]:
    """Return which tags mislead in most seeds, in words, and how many rounds it took."""
    half = len(results["rounds"]) / 2
    bad = [f"`{tag}`" for tag in results["naive"] if sum(row["against"] for row in _first(results, tag)) > half]
    taken = [max(row["round"] for row in rows) + 1 for rows in results["rounds"]]
    settled = sum(not any(row["against"] for row in rows if row["round"] == last - 1)
                  for rows, last in zip(results["rounds"], taken, strict=True))  # fmt: skip
    names = (
        "None misleads in most seeds." if not bad else f"In most seeds {_listed(bad)} mislead{'s' * (len(bad) == 1)}."
    )
    rounds = f"Calibration took {min(taken)} to {max(taken)} rounds"
    return [names, f"{rounds}, after which no tag misled in {settled} of {len(taken)} seeds."]


def _variants(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of what was learned from each reward."""
    head = [
        "estimator, turn rewards",
        "success",
        "at the end",
        "rules broken",
        "held against",
        "success",
        "rules broken",
    ]
    lines = [_row(head), _row(["---"] * len(head))]
    for row in rows:
        mine = [f"{row['success']['value']:.2f}", f"{row['last']['value']:.2f}", f"{row['cost']['value']:.2f}"]
        apart = [signed(row["minus"][key]) for key in ("success", "cost")] if row["against"] else ["", ""]
        lines.append(_row([row["name"], *mine, row["against"], *apart]))
    return "\n".join(lines)


def _told(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return in words what the intervals decide of each pair."""
    found = []
    for row in rows:
        if not row["against"]:
            continue
        more, fewer = direction(row["minus"]["success"]), direction(_turned(row["minus"]["cost"]))
        success = {"shown": "learns more", "refuted": "learns less"}.get(more, "is not told apart in success")
        broken = {"shown": "breaks fewer rules", "refuted": "breaks more rules"}.get(fewer, "not in rules broken")
        found.append(f"- *{row['name']}* against *{row['against']}*: {success}, {broken}.")
    return found


def _turned(interval: Mapping[str, float]) -> dict[str, float]:
    return {"value": -interval["value"], "low": -interval["high"], "high": -interval["low"]}


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([*([", ".join(names[:-1])] if len(names) > 1 else []), names[-1]])
