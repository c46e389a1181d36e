"""Defog's rule of equal results, on plain rows: the columns asked for must be there, under any names, among others.

A result is right if, duplicate rows dropped, columns sorted by name and rows sorted, it equals an accepted gold result
(`_equal`), or if for each column of that result it has one of the same values, rows counted as they come, and these
columns side by side have the gold's rows (`_contained`). Questions that ask for an order, or are of the category
order_by, are compared otherwise, see `_in_order`; the rule there is Defog's own, which looks at the queries' text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from math import isclose
from typing import Any, Final

from agentgym.envs.text_to_sql.result import Result

Rows = list[tuple[Any, ...]]

RELATIVE: Final = 1e-5
ABSOLUTE: Final = 1e-8
"""How far numbers of a column that holds no whole numbers alone may differ."""

_ASKS_FOR_ORDER: Final = re.compile(r"\b(?:order|sort|arrange)\b", re.IGNORECASE)
_ORDER_BY: Final = re.compile(r"ORDER BY([^\n;,)]*)(?=[;,)]|\n?\Z)", re.IGNORECASE)
_NO_COLUMNS: Final = frozenset({"asc", "desc", "first", "last", "limit", "nulls"})


def agrees(gold: Result, gold_text: str, pred: Result, pred_text: str, question: str, category: str) -> bool:
    """Return whether a result is right by Defog's rule.

    Args:
        gold: the result of one accepted query.
        gold_text: the text of all accepted queries of the question, ";" between them.
        pred: the result to judge.
        pred_text: its query.
        question: what was asked, of which the words order, sort and arrange matter.
        category: of the question, of which "order_by" matters.
    """
    by_order = category == "order_by" or _ASKS_FOR_ORDER.search(question) is not None
    wanted, got = _Table(gold), _Table(pred)
    return _equal(wanted, gold_text, got, pred_text, by_order) or _contained(wanted, got, by_order)


class _Table:
    """Rows, with a name for each column that no other has (as far as a place behind it can tell them apart)."""

    def __init__(self, result: Result) -> None:
        self.rows: Rows = list(result.rows)
        columns = result.columns
        doubled = {name for name in columns if columns.count(name) > 1} if len(set(columns)) < len(columns) else ()
        self.names = [f"{name}_{place}" if name in doubled else name for place, name in enumerate(columns)]
        self.by_name = sorted(range(len(columns)), key=self.names.__getitem__)


def _equal(gold: _Table, gold_text: str, pred: _Table, pred_text: str, by_order: bool) -> bool:
    if len(gold.names) != len(pred.names) and not by_order:
        return False
    if len(gold.names) == len(pred.names) and gold.rows == pred.rows:
        return True
    if not by_order:
        return set(_picked(gold.rows, gold.by_name)) == set(_picked(pred.rows, pred.by_name))
    return _in_order(gold, gold_text) == _in_order(pred, pred_text)


def _in_order(table: _Table, text: str) -> tuple[int, Rows]:
    """Return the number of columns, and the distinct rows in the form in which ordered results are compared.

    The first ORDER BY of the text that ends at a comma, a bracket, a semicolon or the end says by which of the
    result's columns rows are sorted first, all of them descending unless it holds ASC and no DESC; these columns come
    last. Where the text has no ORDER BY: columns by name, rows as they come.
    """
    rows = list(dict.fromkeys(table.rows))
    if "order by" not in text.lower():
        return len(table.names), _picked(rows, table.by_name)
    found = _ORDER_BY.search(text)
    words = [word.rsplit(".", 1)[-1] for word in found[1].split()] if found else []
    flags = {word.upper() for word in words}
    named = [word.replace("(", "") for word in words]
    named = [word for word in named if word.lower() not in _NO_COLUMNS]
    first = [table.names.index(word) for word in named if word in table.names]
    rest = [place for place in table.by_name if table.names[place] not in named]
    rows = _sorted(rows, first + rest, descending="DESC" in flags or "ASC" not in flags)
    return len(rest) + len(first), _picked(rows, rest + first)


def _picked(rows: Rows, places: Sequence[int]) -> Rows:
    return [tuple([row[place] for place in places]) for row in rows]


def _sorted(rows: Rows, places: Sequence[int], descending: bool = False) -> Rows:
    """Sort rows by these columns; NULL comes last either way, numbers before texts before bytes."""
    ranks: list[dict[Any, int]] = []
    for place in places:
        values = sorted({row[place] for row in rows} - {None}, key=_order, reverse=descending)
        ranks.append({value: rank for rank, value in enumerate(values)} | {None: len(values)})
    return sorted(rows, key=lambda row: [rank[row[place]] for rank, place in zip(ranks, places, strict=True)])


def _order(value: Any) -> tuple[int, Any]:
    if value is None:
        return (3, 0)
    return (1, value) if isinstance(value, str) else (2, value) if isinstance(value, bytes) else (0, value)


def _contained(gold: _Table, pred: _Table, by_order: bool) -> bool:
    """Return whether columns of `pred`, the first that fits for each of `gold`, have the rows of `gold`."""
    if not gold.rows or len(gold.rows) != len(pred.rows):
        return False
    free = {place: _Column(column) for place, column in enumerate(zip(*pred.rows, strict=True))}
    chosen = []
    for column in zip(*gold.rows, strict=True):
        wanted = _Column(column)
        fitting = next((place for place, other in free.items() if wanted.fits(other)), None)
        if fitting is None:
            return False
        chosen.append(fitting)
        del free[fitting]
    left = list(dict.fromkeys(_picked(gold.rows, gold.by_name)))
    right = list(dict.fromkeys(_picked(pred.rows, [chosen[place] for place in gold.by_name])))
    if len(left) != len(right):
        return False
    if not by_order:
        if set(left) == set(right):
            return True
        places = range(len(chosen))
        left, right = _sorted(left, places), _sorted(right, places)
    pairs = zip(zip(*left, strict=True), zip(*right, strict=True), strict=True)
    return all(_close(one, other) for one, other in pairs)


class _Column:
    """The values of a column, sorted; numbers before texts before bytes before NULL."""

    def __init__(self, column: Sequence[Any]) -> None:
        self.kind = _kind(column)
        known = [value for value in column if value is not None]
        alike = self.kind != "other" or all(type(value) is str for value in known)
        known.sort(key=None if alike else _order)  # without a key where that gives the same order, for speed
        self.values = known + [None] * (len(column) - len(known))

    def fits(self, other: _Column) -> bool:
        return _close(self.values, other.values, {self.kind, other.kind})


def _close(gold: Sequence[Any], pred: Sequence[Any], kinds: Collection[str] = ()) -> bool:
    """Compare two columns of equal length: a column of whole numbers alone exactly with one of numbers."""
    kinds = kinds or {_kind(gold), _kind(pred)}
    exact = "whole" in kinds and "other" not in kinds
    return all(one == other or (not exact and _near(one, other)) for one, other in zip(gold, pred, strict=True))


def _kind(column: Sequence[Any]) -> str:
    types = set(map(type, column))
    if types <= {int, bool}:
        return "whole"
    return "numbers" if types <= {int, bool, float, type(None)} and types != {type(None)} else "other"


def _near(one: Any, other: Any) -> bool:
    if not isinstance(one, int | float) or not isinstance(other, int | float):
        return False
    try:
        return isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    except OverflowError:  # an integer beyond all floats
        return False
