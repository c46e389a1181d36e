"""Near misses of a query, and queries that explore what it speaks of: what a menu holds beside the right one.

A near miss is the query with one thing changed on sqlglot's tree: a column, a join, a condition, a comparison, a value,
an aggregate, DISTINCT, a group, the order, a set operation, the treatment of NULL. All are written by `render`, as the
query itself must be before it stands beside them. Nothing is run here: whether a miss runs, and whether its result
differs, is for the caller to see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from agentgym.envs.text_to_sql import mutate_shape as shape
from agentgym.envs.text_to_sql import mutate_terms as terms
from agentgym.envs.text_to_sql.blocks import Block, Tables, fold
from agentgym.envs.text_to_sql.canonical import canonical
from agentgym.envs.text_to_sql.mutation import NUMBER, Edit, Site, Values, kind_of, operands, text_of
from agentgym.envs.text_to_sql.render import Draft, draft, identifier, render
from agentgym.rng import TurnRng

__all__ = ["Values", "near_misses", "probes", "render"]

LIMIT: Final = 48
"""Near misses that are made at most, in fair shares of their kinds."""

_NO_VALUES: Final[Values] = MappingProxyType({})
RULES: Final[tuple[Callable[[Site], Iterator[Edit]], ...]] = (
    terms.columns,
    terms.column_everywhere,
    terms.comparisons,
    terms.literals,
    terms.calls,
    terms.nulls,
    terms.arithmetic,
    terms.windows,
    shape.result_columns,
    shape.distinct,
    shape.joins,
    shape.tables,
    shape.added_joins,
    shape.conditions,
    shape.added_conditions,
    shape.groups,
    shape.orders,
    shape.limits,
    shape.set_operations,
)
"""What makes changes; each yields all that it can."""


def near_misses(
    gold: str,
    tables: Tables,
    rng: TurnRng,
    values: Values | None = None,
    *,
    dialect: str = "sqlite",
    limit: int = LIMIT,
) -> list[tuple[str, str]]:
    """Return queries that differ from `gold` in one thing, each with what was changed, in drawn order.

    No two of them, and none and the gold, are one query by `canonical`; all can be parsed and name only tables and
    columns that exist. A query that cannot be parsed has none. Of equal alternatives `rng` chooses; the same arguments
    give the same list in every process.

    Args:
        gold: a reading query; of what length and case it is written does not matter.
        tables: the database's tables.
        rng: draws which alternatives, and the order.
        values: (table, column), both in lower case, -> values that stand in that column; they are used for other values
            and further conditions. Without them other values are made from the query's own.
        dialect: sqlglot's name.
        limit: the most that are returned.
    """
    found = draft(gold, tables, dialect)
    if found is None:
        return []
    site = Site(found, rng, _NO_VALUES if values is None else values)
    known = {canonical(gold, dialect, tables), canonical(found.write(), dialect, tables)}
    sure = found.names.sure
    misses: list[tuple[str, str]] = []
    for edit in _fair(site):
        text = text_of(edit, found)
        form = canonical(text, dialect, tables)
        if form in known or form.startswith("?") or (sure and form.startswith("named ")):
            continue
        known.add(form)
        misses.append((text, edit.what))
        if len(misses) == limit:
            break
    return rng.shuffled(misses)


def _fair(site: Site) -> Iterator[Edit]:
    """Yield all changes, one of each kind in turn."""
    kinds: dict[str, list[Edit]] = {}
    for rule in RULES:
        for edit in rule(site):
            kinds.setdefault(edit.kind, []).append(edit)
    rows = [site.rng.shuffled(edits) for edits in site.rng.shuffled(list(kinds.values()))]
    for place in range(max(map(len, rows), default=0)):
        for row in rows:
            if place < len(row):
                yield row[place]


def probes(
    gold: str, tables: Tables, rng: TurnRng, *, dialect: str = "sqlite", limit: int = 16
) -> list[tuple[str, str]]:
    """Return queries that explore the database with `gold` in mind, each with what it shows, in drawn order.

    They look at tables (those of the gold and others alike), at the values of columns that the gold compares, at how
    many rows one of its conditions leaves, and at what its sub-queries give. None is the gold itself by `canonical`.

    Args:
        gold: a reading query; one that cannot be parsed gives looks at tables alone.
        tables: the database's tables.
        rng: draws which, and the order.
        dialect: sqlglot's name.
        limit: the most that are returned.
    """
    found = draft(gold, tables, dialect)
    near = [] if found is None else [*_columns(Site(found, rng, _NO_VALUES), dialect), *_parts(found)]
    looks = []
    for table in tables:
        name = _name(table.name, dialect)
        looks.append((f"SELECT * FROM {name} LIMIT 3", f"rows of {table.name}"))
        looks.append((f"SELECT COUNT(*) FROM {name}", f"how many rows {table.name} has"))
    known = {canonical(gold, dialect, tables)}
    queries: list[tuple[str, str]] = []
    for query, what in rng.shuffled(near)[: limit // 2] + rng.shuffled(looks):
        form = canonical(query, dialect, tables)
        if form not in known and len(queries) < limit:
            known.add(form)
            queries.append((query, what))
    return rng.shuffled(queries)


def _columns(site: Site, dialect: str) -> Iterator[tuple[str, str]]:
    """Yield looks at the values of the columns that conditions name, and at another column of the same table."""
    seen: dict[tuple[str, str], None] = {}
    for spot in site.spots:
        table = spot.ref.source.table
        if table is None or id(spot.node.parent) in site.links:
            continue
        if spot.node.find_ancestor(exp.Where, exp.Having, exp.Join) is not None:
            others = [column.name for column in table.columns if fold(column.name) != spot.ref.column]
            for name in [spot.ref.column, *site.pick(others, 1)]:
                seen[fold(table.name), fold(name)] = None
    for table_name, column_name in seen:
        table = site.draft.schema.tables[table_name]
        column = table.columns[site.draft.schema.columns[table_name][column_name]]
        name, of = _name(column.name, dialect), _name(table.name, dialect)
        if kind_of(column) == NUMBER:
            yield f"SELECT MIN({name}), MAX({name}) FROM {of}", f"range of {column.name}"
        else:
            yield f"SELECT DISTINCT {name} FROM {of} ORDER BY {name} LIMIT 10", f"values of {column.name}"
        yield f"SELECT COUNT(*) FROM {of} WHERE {name} IS NULL", f"how often {column.name} is NULL"


def _parts(found: Draft) -> Iterator[tuple[str, str]]:
    """Yield what parts of the query give: its sources under one condition, its sub-queries that stand alone."""
    blocks = found.names.blocks
    for block in blocks.values():
        select, where = block.select, block.select.args.get("where")
        if block.outer is None and where is not None and not _reads_cte(found, block):
            for part in operands(where.this):
                count = exp.Select(expressions=[exp.Anonymous(this="COUNT", expressions=[exp.Star()])])
                for key in ("from_", "joins"):
                    value = select.args.get(key)
                    count.set(
                        key, [item.copy() for item in value] if isinstance(value, list) else value and value.copy()
                    )
                count.set("where", exp.Where(this=part.copy()))
                yield found.write(count), "rows that one condition leaves"
        alone = all(ref.up == 0 for column in select.find_all(exp.Column) if (ref := found.names.refs.get(id(column))))
        if select is not found.tree and alone and not _reads_cte(found, block):
            yield found.write(select.copy()), "a sub-query alone"


def _reads_cte(found: Draft, block: Block) -> bool:
    return any(id(table) in found.names.ctes for table in block.select.find_all(exp.Table))


def _name(name: str, dialect: str) -> str:
    node = identifier(name, dialect)
    if not node.args["quoted"]:
        return name
    quote = "`" if dialect == "sqlite" else '"'
    return quote + name.replace(quote, quote * 2) + quote
