"""What a gold query uses: joins, HAVING, queries inside, set operations, windows, dates, NULL; and its columns."""

from __future__ import annotations

import re
from typing import Final, cast

import sqlglot
from sqlglot import exp

FEATURES: Final = ("join of 3 or more tables", "HAVING", "nested", "set operation", "window", "date", "NULL logic")

_DATE = re.compile(r"\d{4}-\d\d(-\d\d)?( \d\d:\d\d)?|\d\d\.\d\d\.\d{4}")
_DATE_CALL = re.compile(r"\b(strftime|julianday|date|datetime|time)\s*\(", re.IGNORECASE)


def parsed(query: str) -> exp.Expression:
    """Return the tree of a query of SQLite's dialect."""
    return cast(exp.Expression, sqlglot.parse_one(query, read="sqlite"))


def features(query: str) -> tuple[str, ...]:
    """Return those of FEATURES that a query uses.

    A join counts the sources of one SELECT; nested is a SELECT inside another's clauses or FROM, not one behind WITH or
    beside UNION; a date is a call of a date function, or a literal day or month; NULL logic is IS [NOT] NULL, COALESCE,
    NULLIF or an outer join.
    """
    tree = parsed(query)
    selects = list(tree.find_all(exp.Select))
    joins = max(len(select.args.get("joins") or []) for select in selects)
    dated = any(_DATE.fullmatch(str(text.this)) for text in tree.find_all(exp.Literal) if text.is_string)
    nulls = any(isinstance(test.expression, exp.Null) for test in tree.find_all(exp.Is))
    outer = any(join.side for join in tree.find_all(exp.Join))
    found = (
        joins >= 2,
        tree.find(exp.Having) is not None,
        any(_is_nested(select) for select in selects),
        tree.find(exp.SetOperation) is not None,
        tree.find(exp.Window) is not None,
        dated or _DATE_CALL.search(query) is not None,
        nulls or outer or tree.find(exp.Coalesce, exp.Nullif) is not None,
    )
    return tuple(name for name, uses in zip(FEATURES, found, strict=True) if uses)


def _is_nested(select: exp.Select) -> bool:
    """Return whether a SELECT stands in a clause of another."""
    node: exp.Expression | None = cast("exp.Expression | None", select.parent)
    while isinstance(node, exp.SetOperation):
        node = cast("exp.Expression | None", node.parent)
    if node is None or isinstance(node, exp.CTE):
        return False
    return node.find_ancestor(exp.Select) is not None


def columns(query: str) -> tuple[str, ...]:
    """Return the names of the columns that a query reads, sorted, in small letters; aliases of its own left out."""
    tree = parsed(query)
    own = {alias.alias.lower() for alias in tree.find_all(exp.Alias)}
    own |= {column.name.lower() for table in tree.find_all(exp.TableAlias) for column in table.columns}
    return tuple(sorted({column.name.lower() for column in tree.find_all(exp.Column)} - own))
