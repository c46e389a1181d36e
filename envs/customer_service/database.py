"""Database: named tables of records over a base that every database made from it shares.

A fork is a pointer, a write costs its record, and the hash follows each write (`agentgym.table`). What can be said of
the base once and for all (an index over a column that no tool changes) and the texts of records are kept beside it.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping
from typing import Any, Self, TypeVar, cast

from agentgym.digest import encode, hash_bytes
from agentgym.table import Table

Record = dict[str, Any]
"""Plain JSON; changed by nobody: a write sets a changed copy."""

Kept = TypeVar("Kept")
_DIGEST = "0" * 32


class _Shared:
    """What all databases over one base have in common."""

    __slots__ = ("base", "kept", "order", "rows", "texts")

    def __init__(self, order: dict[str, dict[str, None]], base: Mapping[str, Table[str, Record]]) -> None:
        self.order = order
        self.base = base
        # The pairs of name and digest, as `encode` writes them.
        self.rows = [(name, encode((name, _DIGEST)).replace(_DIGEST.encode(), b"%b")) for name in sorted(base)]
        self.kept: dict[str, Any] = {}
        self.texts: dict[tuple[str, str], tuple[Any, str]] = {}


class Database(Mapping[str, Table[str, Record]]):
    """An immutable mapping from table names to tables; equal where all records are.

    Args:
        tables: name → key → record, in the order of the file that they come from, which `rows` gives back.

    Example:
        >>> shop = Database({"stock": {"pear": {"left": 3}, "apple": {"left": 1}}})
        >>> sold = shop.set("stock", "pear", {"left": 2})
        >>> sold["stock"]["pear"], list(sold.rows("stock")), sold.set("stock", "pear", {"left": 3}) == shop
        ({'left': 2}, ['pear', 'apple'], True)
    """

    __slots__ = ("_digest", "_shared", "_tables", "_written")

    def __init__(self, tables: Mapping[str, Mapping[str, Record]]) -> None:
        self._tables: dict[str, Table[str, Record]] = {
            name: Table(records, plain=True) for name, records in tables.items()
        }
        self._digest = ""
        self._written: tuple[str, ...] = ()  # the tables that may differ from the base
        self._shared = _Shared({name: dict.fromkeys(records) for name, records in tables.items()}, self._tables)

    def __getitem__(self, name: str) -> Table[str, Record]:
        return self._tables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def items(self) -> ItemsView[str, Table[str, Record]]:
        """Return the pairs of name and table."""
        return self._tables.items()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Database) and self._tables == other._tables

    def __hash__(self) -> int:
        return hash(tuple(self._tables.values()))

    def __repr__(self) -> str:
        return f"Database({', '.join(f'{name}: {len(table)}' for name, table in self._tables.items())}; {self.digest})"

    def __deepcopy__(self, memo: object) -> Self:
        return self

    @property
    def fresh(self) -> Self:
        """The database as it was before every write."""
        return self._over(self._shared.base)

    @property
    def digest(self) -> str:
        """The 128-bit hash of the content, 32 hex digits: equal content, equal hash, whatever the base."""
        if not self._digest:
            rows = [begun % self._tables[name].digest.encode() for name, begun in self._shared.rows]
            self._digest = hash_bytes(b"[%b]" % b"".join(rows))
        return self._digest

    def canonical(self) -> Any:
        """Return what stands for this database in a state hash."""
        return "Database", self.digest

    def rows(self, name: str) -> Iterator[str]:
        """Yield the keys of a table: those of the base in the order of its file, then the others in key order.

        Keys that tools hand out rise, so the others come in the order in which they were added.
        """
        table, order = self._tables[name], self._shared.order[name]
        yield from (key for key in order if key in table)
        yield from (key for key in table if key not in order)

    def holder(self, key: str) -> str:
        """Return the name of the first table that holds a key, "" if none does."""
        likely = {*self.index("holders", _holders).get(key, ()), *self._written}
        if not likely:
            return ""
        return next((name for name, table in self._tables.items() if name in likely and key in table), "")

    def set(self, name: str, key: str, record: Record) -> Self:
        """Return a database in which `key` of a table holds `record`.

        Raises:
            KeyError: no such table. ValueError, TypeError: the record is not plain JSON (a NaN, a set).
        """
        return self._with(name, self._tables[name].set(key, record))

    def remove(self, name: str, key: str) -> Self:
        """Return a database without one record; KeyError if there is none."""
        return self._with(name, self._tables[name].remove(key))

    def changes(self, before: Database) -> dict[str, dict[str, Record | None]]:
        """Return table → key → record (None: gone) wherever this database differs from one over the same base."""
        found: dict[str, dict[str, Record | None]] = {}
        for name, table in self._tables.items():
            old = before[name]
            if table != old:
                keys = sorted({*table.touched, *old.touched})
                found[name] = {key: table.get(key) for key in keys if not same(table.get(key), old.get(key))}
        return found

    def index(self, name: str, build: Callable[[Database], Kept]) -> Kept:
        """Return what `build` makes of the base, made once: for what no tool changes."""
        kept = self._shared.kept
        if name not in kept:
            kept[name] = build(self.fresh)
        return cast(Kept, kept[name])

    def text(self, slot: str, key: str, record: Any, render: Callable[[Any], str]) -> str:
        """Return `render(record)`, remembered for the last object that was asked for at (slot, key)."""
        held = self._shared.texts.get((slot, key))
        if held is not None and held[0] is record:
            return held[1]
        text = render(record)
        self._shared.texts[slot, key] = record, text
        return text

    def pack(self) -> Any:
        """Return the changes against the base as a plain value; equal databases, equal values."""
        return tuple((name, table.pack()) for name, table in sorted(self._tables.items()))

    def unpack(self, value: Any) -> Self:
        """Return the database that `pack` turned into `value`; ValueError if it was made over another base."""
        packed = dict(value)
        if sorted(packed) != sorted(self._tables):
            raise ValueError(f"the packed database has the tables {sorted(packed)}, this one {sorted(self._tables)}")
        found = self._over({name: table.unpack(packed[name]) for name, table in self._tables.items()})
        found._written = tuple(found._tables)
        return found

    def _with(self, name: str, table: Table[str, Record]) -> Self:
        database = self._over(self._tables)
        database._tables[name] = table
        database._written = self._written if name in self._written else (*self._written, name)
        return database

    def _over(self, tables: Mapping[str, Table[str, Record]]) -> Self:
        database = object.__new__(type(self))
        database._tables, database._shared, database._digest = dict(tables), self._shared, ""
        database._written = ()
        return database


def _holders(database: Database) -> dict[str, tuple[str, ...]]:
    """Return key → the tables that hold it."""
    found: dict[str, tuple[str, ...]] = {}
    for name, table in database.items():
        for key in table:
            found[key] = (*found.get(key, ()), name)
    return found


def same(one: Any, other: Any) -> bool:
    """Whether two plain values are equal, types included: 1, 1.0 and True differ."""
    if type(one) is not type(other):
        return False
    if type(one) is dict:
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if type(one) is list:
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)
