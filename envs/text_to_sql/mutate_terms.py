"""Changes inside expressions: other columns, comparisons, literals, aggregates, NULL logic, arithmetic, windows."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from typing import Any, Final

from sqlglot import exp

from agentgym.envs.text_to_sql.mutation import (
    NUMBER,
    TEXT,
    Edit,
    Set,
    Site,
    Spot,
    Swap,
    call,
    kind_of,
    known_column,
)
from agentgym.envs.text_to_sql.parsing import FUNCTION

_COMPARED: Final[dict[type[exp.Expr], tuple[type[exp.Expr], ...]]] = {
    exp.LT: (exp.LTE, exp.GT),
    exp.LTE: (exp.LT, exp.GTE),
    exp.GT: (exp.GTE, exp.LT),
    exp.GTE: (exp.GT, exp.LTE),
    exp.EQ: (exp.NEQ,),
    exp.NEQ: (exp.EQ,),
}
_SIGNS: Final = {exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.EQ: "=", exp.NEQ: "<>"}
_TOGGLED: Final = (exp.In, exp.Like, exp.Between, exp.Exists, exp.Glob)
_OTHER_CALLS: Final = {
    "avg": ("sum", "max", "min"),
    "sum": ("avg", "max", "count"),
    "max": ("min", "avg"),
    "min": ("max", "avg"),
    "total": ("avg", "max"),
    "rank": ("dense_rank", "row_number"),
    "dense_rank": ("rank", "row_number"),
    "row_number": ("rank", "dense_rank"),
    "lag": ("lead",),
    "lead": ("lag",),
    "first_value": ("last_value",),
    "last_value": ("first_value",),
    "lower": ("upper",),
    "upper": ("lower",),
}
_OF_NUMBERS: Final = frozenset(["avg", "sum", "total"])
_OPERATORS: Final[dict[type[exp.Expr], type[exp.Expr]]] = {
    exp.Add: exp.Sub,
    exp.Sub: exp.Add,
    exp.Mul: exp.Div,
    exp.Div: exp.Mul,
}
_ATOMS: Final = (exp.Column, exp.Literal, exp.Anonymous, exp.Paren)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(.*)", re.ASCII | re.DOTALL)
_FORMATS: Final = {"%Y": "%m", "%m": "%d", "%d": "%m", "%Y-%m": "%Y", "%H": "%M", "%w": "%d", "%Y-%m-%d": "%Y-%m"}


def columns(site: Site) -> Iterator[Edit]:
    """Name another column: of the same table and kind first, of another source of the block, of another kind."""
    for spot in site.spots:
        if id(spot.node.parent) in site.links:
            continue
        for source, name in _others(site, spot):
            node = site.column(source, name, spot.block, qualified=bool(spot.node.table))
            yield Edit("column", f"column {_full(node)} for {_full(spot.node)}", (Swap(spot.node, node),))


def _full(column: exp.Column) -> str:
    return f"{column.table}.{column.name}" if column.table else str(column.name)


def _others(site: Site, spot: Spot) -> list[tuple[Any, str]]:
    table = spot.ref.source.table
    assert table is not None
    kind = kind_of(known_column(spot.ref))
    rest = [column for column in table.columns if column.name.lower() != spot.ref.column]
    same = [(spot.ref.source, column.name) for column in rest if kind_of(column) == kind]
    unlike = [(spot.ref.source, column.name) for column in rest if kind_of(column) != kind]
    away = [
        (source, column.name)
        for source in spot.block.sources
        if source is not spot.ref.source and source.table is not None
        for column in source.table.columns
        if kind_of(column) == kind
    ]
    namesake = [pair for pair in away if pair[1].lower() == spot.ref.column]
    found = site.pick(same, 3) + site.pick(namesake or away, 1)
    weighed = spot.node.find_ancestor(exp.Where, exp.Having, exp.Join, exp.Select)
    if isinstance(weighed, exp.Select) and not isinstance(spot.node.parent, exp.Anonymous):
        found += site.pick(unlike, 3 - len(found))  # shown, not compared with a value of its kind
    return found


def column_everywhere(site: Site) -> Iterator[Edit]:
    """Name another column in all places of a block where one is named, such as SELECT and GROUP BY."""
    groups: dict[tuple[int, int, str], list[Spot]] = {}
    for spot in site.spots:
        if id(spot.node.parent) not in site.links:
            groups.setdefault((id(spot.block), spot.ref.source.number, spot.ref.column), []).append(spot)
    for spots in groups.values():
        if len(spots) < 2:
            continue
        for source, name in _others(site, spots[0])[:2]:
            made = [site.column(source, name, spot.block, qualified=bool(spot.node.table)) for spot in spots]
            changes = tuple(Swap(spot.node, node) for spot, node in zip(spots, made, strict=True))
            what = f"column {_full(made[0])} for {_full(spots[0].node)}, everywhere"
            yield Edit("column", what, changes)


def comparisons(site: Site) -> Iterator[Edit]:
    """Compare otherwise: < for <=, the other way round, = for <>; NOT for IN, LIKE, BETWEEN, EXISTS, or without it."""
    for node in site.find(*_COMPARED):
        if id(node) in site.links and isinstance(node, exp.EQ):
            continue
        for other in _COMPARED[type(node)]:
            new = other(this=node.this.copy(), expression=node.expression.copy())
            yield Edit("comparison", f"{_SIGNS[other]} for {_SIGNS[type(node)]}", (Swap(node, new),))  # type: ignore[index]
    for node in site.find(*_TOGGLED):
        word = type(node).__name__.upper()
        if isinstance(node.parent, exp.Not):
            yield Edit("comparison", f"{word} for NOT {word}", (Swap(node.parent, node.copy()),))
        elif node.args.get("negate"):
            yield Edit("comparison", f"{word} for NOT {word}", (Set(node, "negate", None),))
        else:
            yield Edit("comparison", f"NOT {word} for {word}", (Swap(node, exp.Not(this=node.copy())),))
    for node in site.find(exp.Between):
        if not isinstance(node.parent, exp.Not | exp.Or):
            low = exp.GT(this=node.this.copy(), expression=node.args["low"].copy())
            high = exp.LT(this=node.this.copy(), expression=node.args["high"].copy())
            yield Edit("comparison", "BETWEEN without its bounds", (Swap(node, exp.And(this=low, expression=high)),))


def literals(site: Site) -> Iterator[Edit]:
    """Write another value: the next number, the day before or after, another string of the column or of the query."""
    texts = sorted({node.this for node in site.find(exp.Literal) if node.is_string})
    for node in site.find(exp.Literal):
        if _is_fixed(node):
            continue
        for value in _other_values(site, node, texts):
            if isinstance(node.parent, exp.In) and any(value == item for item in node.parent.expressions):
                continue
            kind = "date" if node.is_string and _DATE.match(node.this) else "literal"
            yield Edit(kind, f"{value.this!s} for {node.this!s}", (Swap(node, value),))
    for node in site.find(exp.In):
        items = node.expressions
        if len(items) > 1:
            for item in site.pick(items, 2):
                yield Edit(
                    "literal",
                    f"IN without {item.name}",
                    (Set(node, "expressions", [x for x in items if x is not item]),),
                )


def _is_fixed(node: exp.Literal) -> bool:
    """Return whether a literal is a type's name, a place in ORDER BY or GROUP BY, a LIMIT (`limits`) or nothing."""
    parent = node.parent
    if isinstance(parent, exp.Select) and isinstance(parent.parent, exp.Exists):
        return True
    if isinstance(parent, exp.Anonymous) and parent.this in (FUNCTION + "cast", FUNCTION + "try_cast"):
        return parent.expressions[-1] is node
    return isinstance(parent, exp.Limit | exp.Offset | exp.Group | exp.Ordered | exp.Order)


def _other_values(site: Site, node: exp.Literal, texts: list[str]) -> list[exp.Expr]:
    if not node.is_string:
        return [exp.Literal.number(text) for text in _other_numbers(node.this)]
    date = _DATE.fullmatch(node.this)
    if date:
        return [exp.Literal.string(text) for text in _other_dates(date)]
    if node.this in _FORMATS:
        return [exp.Literal.string(_FORMATS[node.this])]
    known = _values_beside(site, node)
    if known:
        other = [value for value in known if isinstance(value, str) and value != node.this]
        found = site.pick(other, 2)
    else:
        found = site.pick(
            [text for text in texts if text != node.this and not _DATE.match(text) and text not in _FORMATS], 1
        )
    if isinstance(node.parent, exp.Like | exp.Glob):
        bare = node.this.strip("%*")
        found = (
            [bare + "%", "%" + bare, "%" + bare + "%"]
            if isinstance(node.parent, exp.Like)
            else [bare + "*", "*" + bare]
        )
    elif node.this.strip():
        found += [text for text in (node.this.lower(), node.this.title(), node.this.upper()) if text != node.this][:1]
    return [exp.Literal.string(text) for text in found if text != node.this]


def _other_numbers(text: str) -> list[str]:
    if text.isdecimal() and text.isascii():
        number = int(text)
        found = [str(number + 1)] + ([str(number - 1)] if number > 0 else [])
        return found + ([str(number * 10)] if number > 1 and number % 10 == 0 else [])
    whole, _, part = text.partition(".")
    if whole.isdecimal() and part.isdecimal() and text.isascii():
        return [f"{int(whole) + 1}.{part}"] + ([whole] if int(part) == 0 else [f"{max(int(whole) - 1, 0)}.{part}"])
    return []


def _other_dates(date: re.Match[str]) -> list[str]:
    year, month, day, rest = int(date[1]), int(date[2]), int(date[3]), date[4]
    try:
        given = datetime.date(year, month, day)
        moved = [given + datetime.timedelta(1), given - datetime.timedelta(1)]
        return [value.isoformat() + rest for value in moved] + [f"{year - 1:04}-{date[2]}-{date[3]}{rest}"]
    except (ValueError, OverflowError):
        return []


def _values_beside(site: Site, node: exp.Literal) -> list[Any]:
    """Return the values of the column that a literal is compared with."""
    parent = node.parent
    if isinstance(parent, exp.In):
        spot = site.spot_of(parent.this)
    elif isinstance(parent, exp.Binary):
        spot = site.spot_of(parent.this) or site.spot_of(parent.expression)
    else:
        spot = None
    if spot is None:
        return []
    return list(site.values.get((spot.ref.source.name, spot.ref.column), ()))


def calls(site: Site) -> Iterator[Edit]:
    """Call another function: another aggregate, COUNT(DISTINCT x), COUNT(*) for COUNT(x), another rank."""
    for node in site.calls(*_OTHER_CALLS):
        name = node.this.removeprefix(FUNCTION)
        spot = site.spot_of(node.expressions[0]) if node.expressions else None
        texts = spot is not None and kind_of(known_column(spot.ref)) == TEXT
        for other in _OTHER_CALLS[name]:
            if not (texts and other in _OF_NUMBERS):
                yield Edit("aggregate", f"{other} for {name}", (Set(node, "this", FUNCTION + other),))
    for node in site.calls("count"):
        inner = node.expressions[0] if len(node.expressions) == 1 else None
        if isinstance(inner, exp.Star):
            for column in _countable(site, node):
                yield Edit(
                    "distinct",
                    "COUNT(DISTINCT …) for COUNT(*)",
                    (Swap(node, call("count", exp.Distinct(expressions=[column]))),),
                )
                yield Edit("aggregate", "COUNT of a column for COUNT(*)", (Swap(node, call("count", column.copy())),))
        elif isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
            yield Edit("distinct", "COUNT without DISTINCT", (Swap(node, call("count", inner.expressions[0].copy())),))
        elif inner is not None:
            distinct = exp.Distinct(expressions=[inner.copy()])
            yield Edit("distinct", "COUNT with DISTINCT", (Swap(node, call("count", distinct)),))
            spot = site.spot_of(inner)
            if spot is not None and kind_of(known_column(spot.ref)) == NUMBER:
                yield Edit("aggregate", "sum for count", (Set(node, "this", FUNCTION + "sum"),))
    for node in site.calls("sum", "avg"):
        if len(node.expressions) == 1 and not isinstance(node.expressions[0], exp.Distinct):
            distinct = exp.Distinct(expressions=[node.expressions[0].copy()])
            yield Edit(
                "distinct", f"{node.this.removeprefix(FUNCTION)} with DISTINCT", (Set(node, "expressions", [distinct]),)
            )


def _countable(site: Site, node: exp.Expr) -> list[exp.Column]:
    select = node.find_ancestor(exp.Select)
    block = site.draft.names.blocks.get(id(select))
    if block is None:
        return []
    found = []
    for source in block.sources:
        names = [column.name for column in source.table.columns] if source.table is not None else []
        found += [site.column(source, name, block, qualified=site.qualifies(block)) for name in site.pick(names, 3)]
    return site.pick(found, 3)


def nulls(site: Site) -> Iterator[Edit]:
    """Treat NULL otherwise: IS NOT NULL, the empty string, no default, a condition that lets NULL through."""
    for node in site.find(exp.Is):
        if not isinstance(node.expression, exp.Null):
            continue
        negated = isinstance(node.parent, exp.Not)
        whole = node.parent if negated else node
        other = node.copy() if negated else exp.Not(this=node.copy())
        yield Edit("null", "IS NULL for IS NOT NULL" if negated else "IS NOT NULL for IS NULL", (Swap(whole, other),))
        sign = exp.NEQ if negated else exp.EQ
        spot = site.spot_of(node.this)
        value = (
            exp.Literal.string("")
            if spot is None or kind_of(known_column(spot.ref)) != NUMBER
            else exp.Literal.number(0)
        )
        word = "a comparison with '' or 0 for IS NULL"
        yield Edit("null", word, (Swap(whole, sign(this=node.this.copy(), expression=value)),))
    for node in site.find(exp.EQ, exp.NEQ):
        if isinstance(node.expression, exp.Literal) and node.expression.is_string and not node.expression.this:
            test: exp.Expr = exp.Is(this=node.this.copy(), expression=exp.Null())
            test = exp.Not(this=test) if isinstance(node, exp.NEQ) else test
            yield Edit("null", "IS NULL for a comparison with ''", (Swap(node, test),))
        elif isinstance(node, exp.NEQ) and isinstance(node.this, exp.Column):
            test = exp.Is(this=node.this.copy(), expression=exp.Null())
            either = exp.Paren(this=exp.Or(this=node.copy(), expression=test))
            yield Edit("null", "NULL let through by <>", (Swap(node, either),))
    for node in site.calls("coalesce", "ifnull"):
        if len(node.expressions) == 2:
            yield Edit("null", "no default for NULL", (Swap(node, node.expressions[0].copy()),))


def arithmetic(site: Site) -> Iterator[Edit]:
    """Calculate otherwise: another operator, operands exchanged, no CAST, branches of CASE exchanged."""
    for node in site.find(*_OPERATORS):
        left, right = node.this, node.expression
        if isinstance(left, _ATOMS) and isinstance(right, _ATOMS):
            other = _OPERATORS[type(node)]
            new = other(this=left.copy(), expression=right.copy())
            if isinstance(node.parent, exp.Binary) and not isinstance(node.parent, exp.Condition | exp.Connector):
                new = exp.Paren(this=new)
            yield Edit(
                "arithmetic",
                "another operator",
                (
                    Swap(
                        node,
                        exp.Paren(this=new)
                        if isinstance(node.parent, exp.Mul | exp.Div | exp.Sub | exp.DPipe)
                        else new,
                    ),
                ),
            )
            if isinstance(node, exp.Sub | exp.Div):
                turned = type(node)(this=right.copy(), expression=left.copy())
                yield Edit("arithmetic", "operands exchanged", (Swap(node, turned),))
    for node in site.calls("cast", "round", "abs"):
        inner = node.expressions[0] if node.expressions else None
        if isinstance(inner, _ATOMS):
            yield Edit("arithmetic", f"no {node.this.removeprefix(FUNCTION)}", (Swap(node, inner.copy()),))
    for node in site.find(exp.Case):
        branches, default = node.args["ifs"], node.args.get("default")
        if len(branches) == 1 and default is not None:
            changes = (Set(branches[0], "true", default.copy()), Set(node, "default", branches[0].args["true"].copy()))
            yield Edit("arithmetic", "branches of CASE exchanged", changes)


def windows(site: Site) -> Iterator[Edit]:
    """Number over other rows: no PARTITION BY."""
    for node in site.find(exp.Window):
        if node.args.get("partition_by"):
            yield Edit("window", "no PARTITION BY", (Set(node, "partition_by", None),))
        spec = node.args.get("spec")
        if spec is not None:
            yield Edit("window", "no frame", (Set(node, "spec", None),))
