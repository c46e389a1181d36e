"""Whether a query has one result: what its order, its LIMIT and its windows leave to chance.

A query is run as it stands, with scans reversed, without its LIMIT, and with tie-breakers in its windows; where any of
these would show another result, the fault is named. Bare columns beside aggregates are tried as least and greatest.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast

from sqlglot import exp

from agentgym.envs.text_to_sql.shipped.families import Rows

MOST_STEPS: Final = 200_000  # a tenth of the budget of a query
GRAIN: Final = 100  # virtual machine steps between two looks
ROOM: Final = 10 * MOST_STEPS  # for what a check runs besides the gold itself

TIED_ROWS: Final = "rows of equal keys in an ordered result: add a key to ORDER BY, and say it"
TIED_WINDOW: Final = "a window whose rows tie in its ORDER BY decides the result: add a key there, and say it"
BARE: Final = "a column outside GROUP BY and aggregates differs within a group"
BY_SCAN: Final = "the result hangs on the order in which rows are scanned"


@dataclass(frozen=True, slots=True)
class Run:
    """What a query came to in one filling: columns, rows, an upper bound of its virtual machine steps."""

    columns: tuple[str, ...]
    rows: Rows
    steps: int


def run(connection: sqlite3.Connection, query: str, most: int = MOST_STEPS) -> Run:
    """Return columns, rows and an upper bound of virtual machine steps; sqlite3.OperationalError beyond `most`."""
    looks = 0

    def look() -> bool:
        nonlocal looks
        looks += 1
        return looks * GRAIN > most

    connection.set_progress_handler(look, GRAIN)
    try:
        cursor = connection.execute(query)
        rows = cursor.fetchall()
    finally:
        connection.set_progress_handler(None, 0)
    return Run(tuple(column[0] for column in cursor.description or ()), rows, (looks + 1) * GRAIN)


def same(first: Rows, second: Rows, in_order: bool = False) -> bool:
    """Return whether two results hold the same rows, as often, and in the same order if that counts."""
    return first == second if in_order else sorted(map(repr, first)) == sorted(map(repr, second))


def ordered(query: exp.Expression) -> bool:
    """Return whether the order of the result is part of the answer: the outermost query has an ORDER BY."""
    return query.args.get("order") is not None


def unsettled(connection: sqlite3.Connection, query: exp.Expression, result: Run) -> list[str]:
    """Return what leaves the result of a query to chance; nothing where it is settled.

    Args:
        connection: one filling.
        query: the parsed query.
        result: what it came to there.

    Raises:
        sqlite3.Error: a variant of the query does not run.
    """
    faults = _cuts(connection, query)
    common = query.args.get("with_")
    for limit in query.find_all(exp.Limit):
        if limit.parent is not query and limit.parent is not None:
            alone = cast(exp.Expression, limit.parent.copy())
            if common is not None:
                alone.set("with_", common.copy())
            faults += _inner_cuts(connection, alone)
    connection.execute("PRAGMA reverse_unordered_selects = ON")
    try:
        backwards = run(connection, query.sql("sqlite"), ROOM).rows
    finally:
        connection.execute("PRAGMA reverse_unordered_selects = OFF")
    if not same(result.rows, backwards, ordered(query)):
        faults.append(BY_SCAN)
    for fault, variants in ((TIED_WINDOW, _broken_ties(query)), (BARE, _wrapped(query))):
        if any(not same(result.rows, run(connection, variant, ROOM).rows, ordered(query)) for variant in variants):
            faults.append(fault)
    if query.find(exp.GroupConcat) is not None:
        faults.append("GROUP_CONCAT joins rows in no stated order")
    return faults


# ---- ORDER BY and LIMIT ------------------------------------------------------------------------------------------


def _outputs(query: exp.Expression) -> list[exp.Expression]:
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    return list(query.expressions) if isinstance(query, exp.Select) else []


def _keyed(query: exp.Expression) -> tuple[str, list[int]]:
    """Return the query without its LIMIT, with every key of its ORDER BY in the result, and where the keys stand."""
    query = query.copy()
    query.set("limit", None)
    query.set("offset", None)
    outputs = _outputs(query)
    plain = [output.unalias() for output in outputs]
    names = [output.alias_or_name.lower() for output in outputs]
    places, width = [], len(outputs)
    for item in query.args["order"].expressions:
        key = item.this
        if isinstance(key, exp.Literal) and not key.is_string:
            places.append(int(key.this) - 1)
        elif key in plain:
            places.append(plain.index(key))
        elif isinstance(key, exp.Column) and not key.table and key.name.lower() in names:
            places.append(names.index(key.name.lower()))
        elif isinstance(query, exp.Select) and not query.args.get("distinct"):
            for column in list(key.find_all(exp.Column)):
                if not column.table and column.name.lower() in names:
                    inner = exp.paren(plain[names.index(column.name.lower())].copy())
                    key = inner if column is key else (column.replace(inner) and key)
            query.append("expressions", key.copy())
            places.append(width)
            width += 1
        else:
            raise ValueError(f"ORDER BY {key.sql('sqlite')}: not among the result's columns")
    return query.sql("sqlite"), places


def _cuts(connection: sqlite3.Connection, query: exp.Expression) -> list[str]:
    """Return the faults of the outermost ORDER BY and LIMIT."""
    order, limit, offset = (query.args.get(part) for part in ("order", "limit", "offset"))
    if order is None:
        return [] if limit is None else ["LIMIT without ORDER BY"]
    try:
        sql, places = _keyed(query)
    except ValueError as error:
        return [str(error)]
    rows = run(connection, sql, ROOM).rows
    keys = [tuple(row[place] for place in places) for row in rows]
    start = int(offset.expression.this) if offset else 0
    end = start + int(limit.expression.this) if limit else len(rows)
    faults = [
        f"a tie across the {word} of LIMIT"
        for word, cut in (("end", end), ("start", start))
        if 0 < cut < len(rows) and keys[cut - 1] == keys[cut]
    ]
    taken = range(start + 1, min(end, len(rows)))
    if any(keys[i - 1] == keys[i] and rows[i - 1] != rows[i] for i in taken):
        faults.append(TIED_ROWS)
    return faults


def _inner_cuts(connection: sqlite3.Connection, query: exp.Expression) -> list[str]:
    """Return the faults of a query inside another, where the order of the rows taken does not matter."""
    try:
        return [fault for fault in _cuts(connection, query) if fault != TIED_ROWS]
    except sqlite3.Error:
        return ["LIMIT in a subquery that does not run by itself: write it without"]


# ---- windows -------------------------------------------------------------------------------------------------------


def _broken_ties(query: exp.Expression) -> Iterator[str]:
    """Yield the query with the ties of its windows broken one way, then the other; nothing where none can matter."""
    for descending in (False, True):
        variant, changed = query.copy(), False
        for window in list(variant.find_all(exp.Window)):
            order, select = window.args.get("order"), window.parent_select
            if order is None or select is None or not _counts_rows(window):
                continue
            for key in _row_keys(variant, select):
                order.append("expressions", exp.Ordered(this=key, desc=descending))
                changed = True
        if changed:
            yield variant.sql("sqlite")


def _counts_rows(window: exp.Expression) -> bool:
    """Return whether a window tells peers apart: by its frame, or by a function of single rows."""
    spec = window.args.get("spec")
    if spec is not None and spec.args.get("kind") == "ROWS":
        return True
    return isinstance(window.this, SINGLE_ROWS)


SINGLE_ROWS: Final = (
    exp.RowNumber, exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Identifier,
)  # fmt: skip
"""Functions that tell peers apart; an identifier names a window that is defined apart, for whichever function."""


def _row_keys(query: exp.Expression, select: exp.Select) -> list[exp.Expression]:
    """Return expressions that tell the rows of a SELECT apart: its groups, or rowids and columns of its sources."""
    group = select.args.get("group")
    if group is not None:
        return [key.copy() for key in group.expressions]
    common = {table.alias: table.this for table in query.find_all(exp.CTE)}
    keys: list[exp.Expression] = []
    sources = [select.args["from_"], *(select.args.get("joins") or [])]
    for source in (part.this for part in sources):
        inner = source.this if isinstance(source, exp.Subquery) else common.get(source.name)
        names = ["rowid"] if inner is None else [output.alias_or_name for output in _outputs(inner)]
        keys += [exp.column(name, table=source.alias_or_name or None) for name in names]
    return keys


# ---- bare columns --------------------------------------------------------------------------------------------------


def _wrapped(query: exp.Expression) -> Iterator[str]:
    """Yield the query with its bare columns as MIN, then as MAX; nothing where it has none."""
    for function in (exp.Min, exp.Max):
        variant, changed = query.copy(), False
        for select in list(variant.find_all(exp.Select)):
            for column in _bare(select):
                wrapped = function(this=column.copy())
                column.replace(exp.alias_(wrapped, column.name) if column.parent is select else wrapped)
                changed = True
        if changed:
            yield variant.sql("sqlite")


def _bare(select: exp.Select) -> list[exp.Column]:
    """Return the columns of a SELECT list that are neither grouped by nor inside an aggregate or window."""
    group = select.args.get("group")
    if group is None:
        return []
    keys = [key.sql("sqlite") for key in group.expressions]
    found = []
    for output in select.expressions:
        if output.alias_or_name in keys or output.unalias().sql("sqlite") in keys:
            continue
        for column in output.find_all(exp.Column):
            covered = column.find_ancestor(exp.AggFunc, exp.Filter, exp.Window, exp.Select)
            if covered is select and column.sql("sqlite") not in keys:
                found.append(column)
    return found
