"""Table: an immutable mapping whose content hash follows each change at the cost of one record.

A table is an overlay over a base that all tables of a world share, so a state may hold a database of any size: a
change copies the overlay, never the base. The hash is a sum modulo 2⁵¹² over BLAKE2b of every (key, record), so the
order of changes does not matter and taking one back restores it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from heapq import merge
from typing import Any, Generic, Self, TypeVar

from agentgym.digest import encode, hash_bytes, json_writer

Key = TypeVar("Key", str, int)
Record = TypeVar("Record")


class Table(Mapping[Key, Record], Generic[Key, Record]):
    """An immutable mapping from keys (all str or all int) to records that nobody changes; iterates in key order.

    Args:
        records: the base; copied once, then shared by every table made from this one.
        plain: every record is plain JSON (no tuples, no keys but texts), now and later; then it is hashed by its JSON
            text, which takes a third of the time. Refused: NaN and infinite floats.

    Example:
        >>> stock = Table({"apple": 3, "pear": 1})
        >>> sold = stock.set("apple", 2).remove("pear")
        >>> dict(sold), stock["apple"], sold.set("apple", 3).set("pear", 1) == stock
        ({'apple': 2}, 3, True)
    """

    __slots__ = ("_base", "_changes", "_digest", "_hashes", "_order", "_root", "_size", "_sum", "plain")

    def __init__(self, records: Mapping[Key, Record], *, plain: bool = False) -> None:
        kinds = sorted({type(key).__name__ for key in records})
        if kinds not in ([], ["int"], ["str"]):
            raise TypeError(f"the keys of a Table are all str or all int, not {' and '.join(kinds)}")
        self._base: dict[Key, Record] = dict(records)
        self._order: tuple[Key, ...] = tuple(sorted(self._base))
        self.plain = plain
        self._hashes: dict[Key, int] = {key: self._hash(key, record) for key, record in self._base.items()}
        self._root = self._sum = sum(self._hashes.values()) % 2**512
        self._changes: dict[Key, tuple[Record, int] | None] = {}  # with its hash; None: not there any more
        self._size = len(self._base)
        self._digest = ""

    def __getitem__(self, key: Key) -> Record:
        if key not in self._changes:
            return self._base[key]
        box = self._changes[key]
        if box is None:
            raise KeyError(key)
        return box[0]

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the record of a key, `default` where there is none."""
        if key not in self._changes:
            return self._base.get(key, default)
        box = self._changes[key]
        return default if box is None else box[0]

    def __contains__(self, key: object) -> bool:
        return self._changes[key] is not None if key in self._changes else key in self._base

    def __iter__(self) -> Iterator[Key]:
        if all(box is not None and key in self._base for key, box in self._changes.items()):
            return iter(self._order)  # records changed at most
        added = sorted(key for key in self._changes if key not in self._base)
        return merge((key for key in self._order if self._changes.get(key, ()) is not None), added)

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
        if not self._digest:
            self._digest = hash_bytes(self._sum.to_bytes(64, "big"))
        return self._digest

    @property
    def touched(self) -> tuple[Key, ...]:
        """The keys that were written or removed since the base, sorted; a record may be what it was again."""
        return tuple(sorted(self._changes))

    def canonical(self) -> Any:
        """Return what stands for this table in a state hash."""
        return "Table", self.digest

    def set(self, key: Key, record: Record) -> Self:
        """Return a table in which `key` holds `record`."""
        known = next(iter(self._order or self._changes), key)
        if type(key) is not type(known) or type(key) not in (str, int):
            raise TypeError(f"the keys of this Table are {type(known).__name__}, {key!r:.60} is {type(key).__name__}")
        return self._changed(key, (record, self._hash(key, record)))

    def remove(self, key: Key) -> Self:
        """Return a table without `key`; KeyError if there is none."""
        self[key]
        return self._changed(key, None)

    def pack(self) -> Any:
        """Return the changes against the base as a plain value, for a world's `pack`.

        Plain records are packed as JSON text, so that they come back with their entries in the order that they had.
        """
        real = {key: box for key, box in self._changes.items() if (box and box[1]) != self._hashes.get(key)}
        kept = {key: _written(box[0]) if self.plain else box[0] for key, box in real.items() if box is not None}
        return self._root.to_bytes(64, "big"), kept, tuple(sorted(real.keys() - kept.keys()))

    def unpack(self, value: Any) -> Self:
        """Return the table that `pack` turned into `value`; ValueError if it was made over another base."""
        root, kept, gone = value
        if root != self._root.to_bytes(64, "big"):
            raise ValueError("the packed table was made over other base data: unpack it with a table of the same base")
        table = self._over({}, self._root, len(self._base))
        for key in gone:
            table = table.remove(key)
        for key in kept:
            table = table.set(key, json.loads(kept[key]) if self.plain else kept[key])
        return table

    def _changed(self, key: Key, box: tuple[Record, int] | None) -> Self:
        changes = {**self._changes, key: box}
        if box is None and key not in self._base:
            del changes[key]
        old = self._changes[key] if key in self._changes else self._hashes.get(key)
        before = old[1] if isinstance(old, tuple) else old
        total = (self._sum + (box[1] if box else 0) - (before or 0)) % 2**512
        return self._over(changes, total, self._size + (before is None) - (box is None))

    def _over(self, changes: dict[Key, tuple[Record, int] | None], total: int, size: int) -> Self:
        table = object.__new__(type(self))
        table._base, table._hashes, table._order, table._root = self._base, self._hashes, self._order, self._root
        table._changes, table._sum, table._size, table.plain, table._digest = changes, total, size, self.plain, ""
        return table

    def _hash(self, key: Key, record: Record) -> int:
        data = _json((key, record)).encode() if self.plain else encode((key, record))
        return int.from_bytes(blake2b(data).digest(), "big")


_json = json_writer(sort_keys=True, separators=(",", ":"))
_written = json_writer(ensure_ascii=False, separators=(",", ":"))
