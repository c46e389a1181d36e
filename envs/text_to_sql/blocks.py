"""The parts that names are resolved with: a database's tables, the sources of a SELECT, what a name stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from sqlglot import exp

from agentgym.envs.text_to_sql.engine import TableInfo
from agentgym.envs.text_to_sql.parsing import DOUBLE

Tables: TypeAlias = Sequence[TableInfo]
Outputs: TypeAlias = "list[str | None] | None"
"""Names of result columns, None for one without a name; None where they are not known."""

_ROWID: Final = frozenset(["rowid", "oid", "_rowid_"])


def fold(name: str) -> str:
    """Return a name as SQLite compares it: without the mark of double quotes, ASCII letters in lower case."""
    return name.removeprefix(DOUBLE).lower() if name.isascii() else name.removeprefix(DOUBLE).translate(_LOWER)


_LOWER = {upper: upper + 32 for upper in range(65, 91)}


class Source:
    """One source of a block.

    Attributes:
        number: its place in FROM, from 0.
        alias: the folded name that it goes by; "" where it has none.
        name: of a table the folded name, else "".
        table: what is known of the table, None for others and for unknown tables.
        query: of a derived table or common table expression its query, else None.
        node: the node in FROM.
        columns: folded column name -> place, or None where they are not known; a name given twice has place −1.
    """

    __slots__ = ("alias", "columns", "name", "node", "number", "query", "table")

    def __init__(self, alias: str, node: exp.Expr) -> None:
        self.node = node
        self.number = 0
        self.alias = alias
        self.name = ""
        self.table: TableInfo | None = None
        self.query: exp.Expr | None = None
        self.columns: dict[str, int] | None = None


class Block:
    """One SELECT: the block around it, its sources in order, and where the aliases of its result stand."""

    __slots__ = ("aliases", "outer", "select", "shared", "sources")

    def __init__(self, select: exp.Select, outer: Block | None) -> None:
        self.select = select
        self.outer = outer
        self.sources: list[Source] = []
        self.aliases: dict[str, int] = {}
        self.shared: set[str] | None = set()  # columns merged by USING; None: NATURAL, any may be


class Ref(NamedTuple):
    """What a column's name stands for: the source `up` blocks further out, and the column's folded name."""

    up: int
    source: Source
    column: str


class Cte(NamedTuple):
    """A common table expression: its number in the query, what it selects, its columns."""

    number: int
    query: exp.Expr
    columns: Outputs


Ctes: TypeAlias = "dict[str, Cte]"


class Schema:
    """Tables by folded name, with the place of each folded column name; made once for a database."""

    __slots__ = ("columns", "tables")

    def __init__(self, tables: Tables = ()) -> None:
        self.tables = {fold(table.name): table for table in tables}
        self.columns = {
            name: {fold(column.name): place for place, column in enumerate(table.columns)}
            for name, table in self.tables.items()
        }


def look(block: Block, table: str, name: str, up: int) -> tuple[Ref | None, bool]:
    """Look for a name in one block: the source that has it, and whether the block is known well enough to say so."""
    if table:
        hits = [source for source in block.sources if source.alias == table]
        if not hits:
            return None, True
        source = hits[0]
        if len(hits) > 1:
            return None, False
        if source.columns is None:
            plain = source.query is None and bool(source.name) and not source.table
            return (Ref(up, source, name) if plain else None), False
        if source.columns.get(name, -1) >= 0 or (source.table and name in _ROWID):
            return Ref(up, source, name), True
        return None, False
    if block.shared is None or name in block.shared:
        return None, False
    unknown = [source for source in block.sources if source.columns is None]
    if unknown:
        only = block.sources[0]
        plain = len(block.sources) == 1 and block.outer is None and only.query is None and bool(only.name)
        return (Ref(up, only, name) if plain else None), False
    hits = [source for source in block.sources if source.columns is not None and name in source.columns]
    if not hits:
        if len(block.sources) == 1 and block.sources[0].table and name in _ROWID:
            return Ref(up, block.sources[0], name), True
        return None, True
    if len(hits) > 1 or (hits[0].columns or {})[name] < 0:
        return None, False
    return Ref(up, hits[0], name), True


def outputs_of(node: exp.Select, block: Block) -> Outputs:
    """Return the names of the columns that a SELECT gives; None where a star shows what is not known."""
    names: list[str | None] = []
    for item in node.expressions:
        while isinstance(item, exp.Paren):
            item = item.this
        if isinstance(item, exp.Alias):
            names.append(fold(item.alias))
        elif isinstance(item, exp.Column) and not isinstance(item.this, exp.Star):
            names.append(fold(item.name))
        elif isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
            table = fold(item.table) if isinstance(item, exp.Column) else ""
            for source in block.sources:
                if table and source.alias != table:
                    continue
                columns = source.columns
                if columns is None or min(columns.values(), default=0) < 0 or block.shared != set():
                    return None
                in_order: list[str] = sorted(columns, key=columns.__getitem__)
                names += in_order
        else:
            names.append(None)
    return names


def declared_names(query: exp.Expr) -> Outputs:
    """Return the columns of a query that no star gives, before its sources are known."""
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    if not isinstance(query, exp.Select) or any(item.is_star for item in query.expressions):
        return None
    return outputs_of(query, Block(query, None))


def places_of(names: Outputs) -> dict[str, int] | None:
    """Return the place of each name, −1 for one given twice; None for None."""
    if names is None:
        return None
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        if name is not None:
            places[name] = -1 if name in places else place
    return places
