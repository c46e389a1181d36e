"""The rows of each claim as a Markdown table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from agentgym.baselines.claims.verdicts import interval, signed

Rows = Sequence[Mapping[str, Any]]
PAIR = ("hae", "gae")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *rows])


def plain(rows: Rows) -> str:
    """Return label and value of each row, with its interval where something was drawn."""
    exact = [row["low"] == row["high"] for row in rows]
    shown = [f"{row['value']:.3f}" if sure else interval(row, 3) for row, sure in zip(rows, exact, strict=True)]
    return table(["", "value (95 % interval)"], ([row["label"], text] for row, text in zip(rows, shown, strict=True)))


def horizons(rows: Rows) -> str:
    """Return a line for each scale and thing learned, a column an estimator, beside grpo."""
    names = list(dict.fromkeys(row["estimator"] for row in rows))
    found = {(row["scale"], row["what"], row["estimator"]): row for row in rows}
    lines = []
    for scale, what in dict.fromkeys((row["scale"], row["what"]) for row in rows):
        first, *others = [found[scale, what, name] for name in names]
        cells = [f"{row['value']:.2f}; {signed(row['difference'])}" for row in others]
        lines.append([f"{scale:g}×", what, interval(first), *cells])
    return table(["session pays", "learned", names[0], *(f"{name}; minus {names[0]}" for name in names[1:])], lines)


def names(rows: Rows) -> str:
    """Return the correlations over all policies with their differences, then those under each policy."""
    estimators = list(dict.fromkeys(row["estimator"] for row in rows))
    found = {(row["policy"], row["naming"], row["estimator"]): row for row in rows}
    namings = list(dict.fromkeys(row["naming"] for row in rows))
    head = ["mean over the policies"]
    for naming in namings:
        row = found["all", naming, estimators[0]]
        head.append(f"{naming}: {row['aliasing']:.0%} aliased, {row['singletons']:.0%} alone; minus gigpo")
    lines = [
        [
            name,
            *(
                f"{found['all', each, name]['value']:.2f}; {signed(found['all', each, name]['minus_gigpo'])}"
                for each in namings
            ),
        ]
        for name in estimators
    ]
    policies = [policy for policy in dict.fromkeys(row["policy"] for row in rows) if policy != "all"]
    by_policy = []
    for policy in policies:
        for naming in namings:
            first = found[policy, naming, estimators[0]]
            about = [policy, naming, f"{first['aliasing']:.0%}", f"{first['singletons']:.0%}"]
            by_policy.append(about + [f"{found[policy, naming, name]['value']:.2f}" for name in estimators])
    return table(head, lines) + "\n\n" + table(["success", "names", "aliased", "alone", *estimators], by_policy)


def prefixes(rows: Rows) -> str:
    """Return a line for each reward and horizon: the ratio, both variances, both correlations with the truth."""
    ways = list(rows[0]["variance"])
    head = ["a choice pays", "T", "ratio of variances", *(f"variance, {way}" for way in ways)]
    head += [f"correlation with the truth, {way}" for way in ways]
    lines = []
    for row in rows:
        found = [f"{row['variance'][way]['value']:.2f}" for way in ways]
        found += [interval(row["agreement"][way]) for way in ways]
        lines.append([row["label"].partition(",")[0], str(row["horizon"]), interval(row), *found])
    return table(head, lines)


def hierarchy(rows: Rows) -> str:
    """Return a line for each kind of values: the ratio, and of both estimators what arrives and the error."""
    head = ["values", "variance, hae to gae", *(f"{what}, {name}" for what in ("arrives", "error") for name in PAIR)]
    lines = []
    for row in rows:
        signals = [f"{row[name]['signal']['value']:.0%}" for name in PAIR]
        errors = [f"{row[name]['error']['value']:.1f}" for name in PAIR]
        lines.append([row["values"], interval(row), *signals, *errors])
    return table(head, lines)


def ways(rows: Rows) -> str:
    """Return a line for each way to learn, a column for each thing measured, with its difference to the first way."""
    found = {(row["way"], row["what"]): row for row in rows}
    columns = list(dict.fromkeys(row["what"] for row in rows))
    lines = []
    for way in dict.fromkeys(row["way"] for row in rows):
        mine = [found[way, what] for what in columns]
        lines.append([way, *(f"{row['value']:.2f}; {signed(row['difference'])}" for row in mine)])
    return table(["", *(f"{what}; minus the first" for what in columns)], lines)


TABLES: Mapping[str, Callable[[Rows], str]] = {
    "hierarchy": hierarchy,
    "horizons": horizons,
    "names": names,
    "planning": ways,
    "prefixes": prefixes,
    "consoling": ways,
    "rubrics": ways,
    "searching": ways,
    "selling": ways,
}
"""By the claim's name; the others are `plain`."""
