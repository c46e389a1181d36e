"""What a query is worth: the class of its outcome, and its score against the right result.

The score is the column-set matching ratio (`score.csmr`), of several accepted results the best. A state is worth the
best score of the queries in it (`SqlState.best`), which is its potential; the turn reward "progress" is the rise of
that number, so an episode's sum is at most 1 and nothing is gained by running a query again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import Final, TypeAlias

from agentgym.envs.text_to_sql.result import ERROR, Result, Value
from agentgym.score import ColumnSets

Row: TypeAlias = tuple[Value, ...]

CLASSES: Final = (
    ("no_such_table", re.compile(r"no such table|table .* does not exist|relation .* does not exist", re.I)),
    ("no_such_column", re.compile(r"no such column|column .* (not found|does not exist)|has no column", re.I)),
    ("no_such_function", re.compile(r"no such function|function .* does not exist", re.I)),
    ("ambiguous", re.compile(r"ambiguous", re.I)),
    ("aggregate", re.compile(r"aggregate|group by|window function", re.I)),
    ("several_statements", re.compile(r"one statement|several statements|statements", re.I)),
    ("syntax", re.compile(r"syntax|incomplete input|unrecognized token|pars(e|er|ing)|unterminated", re.I)),
)
"""Class of an error → what its message says; the first that fits."""


def outcome_class(result: Result) -> str:
    """Return the class of a result: "ok", "empty_result" (no rows), a class of CLASSES, or the result's own kind."""
    if result.ok:
        return "ok" if result.rows else "empty_result"
    if result.kind != ERROR:
        return result.kind
    return next((name for name, said in CLASSES if said.search(result.message)), result.kind)


def first_rows(rows: Sequence[Row], ordered: bool, most: int) -> Sequence[Row]:
    """Return at most `most` rows, the first in the order that counts: the query's own, else that of their texts."""
    if ordered:
        return rows[:most]
    if len(rows) > most:  # rows begin with the text of their first value, which costs less than that of them all
        firsts = [repr(row[0]) for row in rows]
        last = nsmallest(most, firsts)[-1]
        rows = [row for row, first in zip(rows, firsts, strict=True) if first <= last]
    return sorted(rows, key=repr)[:most]


def score(rights: Iterable[ColumnSets], result: Result) -> float:
    """Return how far a result agrees with the right one, of several the best: 1 for the same rows, 0 for an error."""
    return max(right.csmr(result.rows) for right in rights) if result.ok else 0.0


def critique(before: float, now: float) -> float:
    """Return +1, 0 or −1: did the score rise above the best so far, equal it, or stay below it."""
    return float((now > before) - (now < before))
