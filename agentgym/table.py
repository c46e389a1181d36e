"""Table: an immutable mapping whose content hash follows each change at the cost of one record.

A table is an overlay over a base that all tables of a world share, so a state may hold a database of any size: a
change copies the overlay, never the base. The hash is a sum modulo 2⁵¹² over BLAKE2b of every (key, record), so the
order of changes does not matter and taking one back restores it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from hashlib import blake2b
from heapq import merge
from typing import Any, Final, Generic, Self, TypeVar

from agentgym.digest import encode, hash_bytes

Key = TypeVar("Key", str, int)
Record = TypeVar("Record")


class _Gone(Enum):
    GONE = 0  # an enum member stays the same object through pickling


_GONE: Final = _Gone.GONE


class Table(Mapping[Key, Record], Generic[Key, Record]):
    """An immutable mapping from keys (all str or all int) to records that nobody changes; iterates in key order.

    Args:
        records: the base; copied once, then shared by every table made from this one.

    Example:
        >>> stock = Table({"apple": 3, "pear": 1})
        >>> sold = stock.set("apple", 2).remove("pear")
        >>> dict(sold), stock["apple"], sold.set("apple", 3).set("pear", 1) == stock
        ({'apple': 2}, 3, True)
    """

    __slots__ = ("_base", "_changes", "_order", "_root", "_size", "_sum")

    def __init__(self, records: Mapping[Key, Record]) -> None:
        kinds = sorted({type(key).__name__ for key in records})
        if kinds not in ([], ["int"], ["str"]):
            raise TypeError(f"the keys of a Table are all str or all int, not {' and '.join(kinds)}")
        self._base: dict[Key, Record] = dict(records)
        self._order: tuple[Key, ...] = tuple(sorted(self._base))
        self._root = self._sum = sum(_hash(key, record) for key, record in self._base.items()) % 2**512
        self._changes: dict[Key, Record | _Gone] = {}
        self._size = len(self._base)

    def __getitem__(self, key: Key) -> Record:
        record = self._changes[key] if key in self._changes else self._base[key]
        if record is _GONE:
            raise KeyError(key)
        return record

    def __iter__(self) -> Iterator[Key]:
        added = sorted(key for key in self._changes if key not in self._base)
        return merge((key for key in self._order if self._changes.get(key) is not _GONE), added)

    def __len__(self) -> int:
        return self._size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self._sum == other._sum

    def __hash__(self) -> int:
        return hash(self._sum)

    def __repr__(self) -> str:
        return f"Table({self._size} records, {len(self._changes)} changes, {self.digest})"

    def __deepcopy__(self, memo: object) -> Self:
        return self

    @property
    def digest(self) -> str:
        """Return the 128-bit hash of the content, 32 hex digits; equal content, equal hash, whatever the base."""
        return _hex(self._sum)

    def canonical(self) -> Any:
        """Return what stands for this table in a state hash."""
        return "Table", self.digest

    def set(self, key: Key, record: Record) -> Self:
        """Return a table in which `key` holds `record`."""
        known = next(iter(self._order or self._changes), key)
        if type(key) is not type(known) or type(key) not in (str, int):
            raise TypeError(f"the keys of this Table are {type(known).__name__}, {key!r:.60} is {type(key).__name__}")
        return self._changed(key, record)

    def remove(self, key: Key) -> Self:
        """Return a table without `key`; KeyError if there is none."""
        return self._changed(key, _GONE if key in self else self[key])

    def pack(self) -> Any:
        """Return the changes against the base as a plain value, for a world's `pack`; equal tables, equal values."""
        changes = {
            key: record
            for key, record in self._changes.items()
            if _hash(key, record) != _hash(key, self._base.get(key, _GONE))
        }
        gone = sorted(key for key, record in changes.items() if record is _GONE)
        return _hex(self._root), {key: record for key, record in changes.items() if record is not _GONE}, tuple(gone)

    def unpack(self, value: Any) -> Self:
        """Return the table that `pack` turned into `value`; ValueError if it was made over another base."""
        root, kept, gone = value
        if root != _hex(self._root):
            raise ValueError("the packed table was made over other base data: unpack it with a table of the same base")
        table = self._over({}, self._root, len(self._base))
        for key in gone:
            table = table.remove(key)
        for key in kept:
            table = table.set(key, kept[key])
        return table

    def _changed(self, key: Key, record: Record | _Gone) -> Self:
        changes = {**self._changes, key: record}
        if record is _GONE and key not in self._base:
            del changes[key]
        old: Record | _Gone = self.get(key, _GONE)
        total = (self._sum + _hash(key, record) - _hash(key, old)) % 2**512
        return self._over(changes, total, self._size + (old is _GONE) - (record is _GONE))

    def _over(self, changes: dict[Key, Record | _Gone], total: int, size: int) -> Self:
        table = object.__new__(type(self))
        table._base, table._order, table._root = self._base, self._order, self._root
        table._changes, table._sum, table._size = changes, total, size
        return table


def _hash(key: object, record: object) -> int:
    return 0 if record is _GONE else int.from_bytes(blake2b(encode((key, record))).digest(), "big")


def _hex(total: int) -> str:
    return hash_bytes(total.to_bytes(64, "big"))
