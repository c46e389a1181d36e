"""Whether a query leaves its result open, so that the database's plan shows in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from agentgym.envs.text_to_sql.blocks import Ref, fold
from agentgym.envs.text_to_sql.names import Names
from agentgym.envs.text_to_sql.parsing import FUNCTION, nodes_of

_AGGREGATE_NAMES = (
    "avg count max min sum total group_concat string_agg array_agg list json_group_array json_group_object"
)
_IN_ORDER_NAMES = (
    "group_concat string_agg array_agg list json_group_array json_group_object first last any_value arbitrary mode"
    " row_number ntile lag lead first_value last_value nth_value"
)
_OPENING: Final = (exp.Limit, exp.Offset, exp.Fetch, exp.WindowSpec)
_AGGREGATES: Final = frozenset(FUNCTION + name for name in _AGGREGATE_NAMES.split())
_IN_ORDER: Final = frozenset(FUNCTION + name for name in _IN_ORDER_NAMES.split())
"""Functions whose value depends on the order in which rows come to them, or that number rows which may tie."""


def is_open(tree: exp.Expr, names: Names, nodes: Sequence[exp.Expr] = ()) -> bool:
    """Return whether more than one result would answer a query, so that the plan decides which is given.

    So it is with LIMIT and OFFSET (rows may tie), with functions that see rows in order, with columns of a group that
    are not the same in all its rows, and with a sub-query of which one row is used though it may have several. Then
    even the order of OR, or which side of a comparison stands left, can show in the result: SQLite plans by them.
    `nodes` are those of the tree, where they are at hand.
    """
    for node in nodes or nodes_of(tree):
        if isinstance(node, _OPENING) or (isinstance(node, exp.Anonymous) and node.this in _IN_ORDER):
            return True
        if isinstance(node, exp.Select) and _has_bare_columns(node, names):
            return True
        if isinstance(node, exp.Subquery) and _is_first_row(node):
            return True
    return False


def _is_aggregate(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.this in _AGGREGATES and not isinstance(node.parent, exp.Window)


def _has_bare_columns(select: exp.Select, names: Names) -> bool:
    """Return whether a grouped SELECT names a column that neither is a group key nor follows from one."""
    group = select.args.get("group")
    items = [*select.expressions, *(select.args[key] for key in ("having", "order") if select.args.get(key))]
    if group is None and not any(_is_aggregate(node) for item in items for node in _own(item)):
        return False
    keys = [_target(key, select, names) for key in group.expressions] if group is not None else []
    refs = [ref for key in keys if (ref := names.refs.get(id(key))) is not None]
    for item in items:
        stack = [item]
        while stack:
            node = stack.pop()
            if any(node == key for key in keys) or _is_aggregate(node) or isinstance(node, exp.Select):
                continue
            if isinstance(node, exp.Star):
                return True
            if isinstance(node, exp.Column):
                if id(node) not in names.by_alias and id(node) not in names.strings and not _follows(node, refs, names):
                    return True
                continue
            stack.extend(node.iter_expressions())
    return False


def _own(item: exp.Expr) -> list[exp.Expr]:
    return list(item.walk(prune=lambda node: isinstance(node, exp.Select)))


def _target(key: exp.Expr, select: exp.Select, names: Names) -> exp.Expr:
    """Return what a term of GROUP BY stands for: a result column by place or alias, else itself."""
    while isinstance(key, exp.Paren):
        key = key.this
    place = names.by_alias.get(id(key))
    if isinstance(key, exp.Literal) and not key.is_string and key.this.isdecimal():
        place = int(key.this) - 1
    if place is not None and 0 <= place < len(select.expressions):
        key = select.expressions[place]
        key = key.this if isinstance(key, exp.Alias) else key
    while isinstance(key, exp.Paren):
        key = key.this
    return key


def _follows(column: exp.Column, keys: list[Ref], names: Names) -> bool:
    """Return whether a column is a group key, is of a block further out, or hangs on a primary key among the keys."""
    ref = names.refs.get(id(column))
    if ref is None:
        return False
    if ref.up > 0:
        return True
    same = [key.column for key in keys if key.source is ref.source]
    if ref.column in same:
        return True
    table = ref.source.table
    primary = [fold(part.name) for part in table.columns if part.key] if table is not None else []
    return bool(primary) and all(part in same for part in primary)


def _is_first_row(query: exp.Subquery) -> bool:
    """Return whether a sub-query stands for one value though it may give several rows."""
    inner = query.this
    if not isinstance(inner, exp.Query) or isinstance(query.parent, exp.From | exp.Join | exp.In | exp.Exists):
        return False
    if isinstance(query.parent, exp.SetOperation | exp.Subquery | exp.CTE) or query.parent is None:
        return False
    if not isinstance(inner, exp.Select):
        return True
    one = inner.args.get("group") is None and any(
        _is_aggregate(node) for item in inner.expressions for node in _own(item)
    )
    return not one and inner.args.get("from_") is not None
