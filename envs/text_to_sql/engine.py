"""Engines: databases that answer any query with a Result, and are the same afterwards.

An engine runs one statement of an agent, whatever it is, and returns what it came to: it changes nothing, shows nothing
but the database's own tables, needs a bounded amount of work and memory, and gives the same result on every run. What
each kind of database can and cannot promise is said in its module and in docs/sql-engines.md.

Engines are kept: `open_engine` gives the same object for the same file and settings in one process, with its
connections and their statement caches. Connections open at the first query; a child process after `os.fork` opens its
own. Any thread may use an engine; queries of one engine run one after another. A copy of an engine, deep or pickled, is
the kept one again.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import blake2b, file_digest
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, Final, cast
from weakref import WeakSet

from agentgym.envs.text_to_sql.result import Result
from agentgym.errors import AgentGymError, unknown

CLOCK: Final = "2025-01-30 12:00:00"
BUDGET: Final = 2_000_000
MAX_ROWS: Final = 10_000
FENCE: Final = 60.0
"""Seconds after which a statement that still runs is no longer the query's fault but the machinery's."""
KINDS: Final = {
    "sqlite": ("sqlite_engine", "SQLiteEngine"),
    "duckdb": ("duckdb_engine", "DuckDBEngine"),
    "postgres": ("postgres_engine", "PostgresEngine"),
}
MOST_KEPT: Final = 128
"""So many engines are kept; then the one not asked for longest is closed. It opens again where somebody holds it."""


class DatabaseError(ValueError):
    """A database cannot be opened or read: it is missing, damaged or none; the message names it and the reason."""


class EngineFailure(AgentGymError):
    """The machinery failed, not the query: the disk, the server, or no end after a minute of work.

    A world turns it into an end by EndReason.INFRA_ERROR, which is never counted against the agent.
    """


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its declared type ("" if none), whether it is part of the primary key, whether NOT NULL."""

    name: str
    type: str
    key: bool = False
    required: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key: these columns are values of `targets` in `table`."""

    columns: tuple[str, ...]
    table: str
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table or view that can be queried, in the order in which they were made; `rows` is how many rows it has."""

    name: str
    columns: tuple[Column, ...]
    references: tuple[Reference, ...] = ()
    rows: int = 0


class Engine(ABC):
    """One database, opened for reading by agents.

    Args:
        path: where the database is.
        clock: what `now` means in it, as "YYYY-MM-DD HH:MM:SS", in UTC.
        budget: how much work a query may take, in steps of SQLite's virtual machine; other databases count otherwise.
        max_rows: a result with more rows is refused.

    Raises:
        ValueError: a clock that is no such time, a budget or a number of rows below 1.
        DatabaseError: the database cannot be opened.
    """

    kind: ClassVar[str]
    dialect: ClassVar[str]
    """The name of its SQL in sqlglot."""

    def __init__(self, path: str, *, clock: str = CLOCK, budget: int = BUDGET, max_rows: int = MAX_ROWS) -> None:
        check_settings(clock, budget, max_rows)
        self.path, self.clock, self.budget, self.max_rows = path, clock, budget, max_rows
        self._stamp = self.stamp(path)
        self._lock = threading.RLock()
        self._tables: tuple[TableInfo, ...] | None = None
        self._content = ""
        _ALL.add(self)

    def run(self, query: str) -> Result:
        """Return what one statement came to; the database is the same afterwards, and no query raises.

        Raises:
            TypeError: the query is no str.
            DatabaseError: the database is gone or damaged.
            EngineFailure: the machinery failed.
        """
        if type(query) is not str:
            raise TypeError(f"a query is a str, not {type(query).__name__}")
        with self._lock:
            return self._run(query)

    def tables(self) -> tuple[TableInfo, ...]:
        """Return its tables and views; read once.

        Raises:
            DatabaseError: it cannot be read.
        """
        with self._lock:
            if self._tables is None:
                self._tables = self._read_tables()
            return self._tables

    @property
    def name(self) -> str:
        """Return what the database is called, as an agent may read it."""
        return Path(self.path).stem

    @property
    def content(self) -> str:
        """Return the 128-bit hash, 32 hex digits, of what the database holds; computed once."""
        if not self._content:
            with self._lock:
                self._content = self._content or self._read_content()
        return self._content

    def close(self) -> None:
        """Close its connections; the next query opens them again."""
        with self._lock:
            self._close()

    @abstractmethod
    def _run(self, query: str) -> Result: ...

    @abstractmethod
    def _read_tables(self) -> tuple[TableInfo, ...]: ...

    @abstractmethod
    def _read_content(self) -> str: ...

    @abstractmethod
    def _close(self) -> None: ...

    @abstractmethod
    def _connections(self) -> list[Any]:
        """Return the open connections and leave none: a child process must not touch those of its parent."""

    @classmethod
    def stamp(cls, path: str) -> object:
        """Return what differs when the database at `path` was replaced.

        Raises:
            DatabaseError: there is none.
        """
        try:
            stat = os.stat(path)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise DatabaseError(f"cannot open the database {path!r}: {reason}") from None
        return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns

    def _checked(self) -> None:
        """Look whether the database is still the one that was opened, before it is opened again.

        Raises:
            DatabaseError: it is not.
        """
        if self.stamp(self.path) != self._stamp:
            raise DatabaseError(f"{self.path!r} was changed since it was opened: open it again with open_engine")

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.path, self.kind, self.clock, self.budget, self.max_rows)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.path!r})"


_ALL: WeakSet[Engine] = WeakSet()
_KEPT: OrderedDict[tuple[object, ...], tuple[object, Engine]] = OrderedDict()
_KEPT_LOCK = threading.RLock()
_ORPHANS: list[Any] = []
"""Connections of the parent process: closing them here could touch what they share with it."""


def open_engine(
    path: str | os.PathLike[str],
    *,
    kind: str = "sqlite",
    clock: str = CLOCK,
    budget: int = BUDGET,
    max_rows: int = MAX_ROWS,
) -> Engine:
    """Return the engine of a database: the kept one, or a new one where the file has changed since.

    Args:
        path: a SQLite or DuckDB file; for PostgreSQL a connection string.
        kind: "sqlite", "duckdb" or "postgres"; the last two need the extra `engines`.
        clock: what `now` means, as "YYYY-MM-DD HH:MM:SS".
        budget: the work that a query may take; see Engine.
        max_rows: most rows of a result.

    Raises:
        ValueError: an unknown kind, with the nearest name, or a bad setting.
        DatabaseError: the database is missing, damaged or none.
        TypeError: the path is none.
        ImportError: the package for this kind of database is not installed; the message says which.
    """
    if type(path) is not str:
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"path must be the path of a database, not {path!r:.60}")
        path = os.fspath(path)
    if type(clock) is not str or type(budget) is not int or type(max_rows) is not int:
        check_settings(clock, budget, max_rows)  # before they are looked up, where True would be 1
    if type(kind) is not str or kind not in KINDS:
        raise ValueError(unknown("kind of database", kind, KINDS))
    made = _engine_class(kind)
    if kind != "postgres":
        path = os.path.abspath(path)
    stamp, key = made.stamp(path), (kind, path, clock, budget, max_rows)
    with _KEPT_LOCK:
        kept = _KEPT.get(key)
        if kept is not None and kept[0] == stamp:
            _KEPT.move_to_end(key)
            return kept[1]
        if kind != "sqlite" and _is_sqlite(path):
            raise DatabaseError(f"cannot open the database {path!r}: it is a SQLite file, and the engine is {kind!r}")
        engine = made(path, clock=clock, budget=budget, max_rows=max_rows)
        _KEPT[key] = (stamp, engine)
        _KEPT.move_to_end(key)
        oldest = _KEPT.popitem(last=False)[1][1] if len(_KEPT) > MOST_KEPT else None
    for left in (oldest, kept and kept[1]):
        if left is not None:
            left.close()
    return engine


@cache
def _engine_class(kind: str) -> type[Engine]:
    module, name = KINDS[kind]
    return cast("type[Engine]", getattr(import_module(f"agentgym.envs.text_to_sql.{module}"), name))


def file_content(path: str) -> str:
    """Return the 128-bit BLAKE2b of a file's bytes as 32 hex digits.

    Raises:
        DatabaseError: it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
    except OSError as error:
        raise DatabaseError(f"cannot read the database {path!r}: {error.strerror}") from None


def _is_sqlite(path: str) -> bool:
    """Return whether there is a file which begins as those of SQLite do."""
    try:
        with open(path, "rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except (OSError, ValueError):
        return False


def _again(path: str, kind: str, clock: str, budget: int, max_rows: int) -> Engine:
    return open_engine(path, kind=kind, clock=clock, budget=budget, max_rows=max_rows)


def check_settings(clock: object, budget: object, max_rows: object) -> None:
    """Refuse settings of an engine; see Engine.

    Raises:
        ValueError: a clock that is no time, a number that is no int above 0; the message names the argument.
    """
    try:
        right = datetime.strptime(str(clock), "%Y-%m-%d %H:%M:%S").isoformat(" ") == clock  # noqa: DTZ007 - in UTC
    except ValueError:
        right = False
    if not right:
        raise ValueError(f"clock must be a time such as {CLOCK!r}, not {clock!r:.60}")
    for name, value in (("budget", budget), ("max_rows", max_rows)):
        if type(value) is not int or value < 1:
            raise ValueError(f"{name} must be an int of at least 1, not {value!r:.60}")


def _before_fork() -> None:
    """Wait until no thread is inside a database library: its locks would stay taken in the child for ever."""
    _KEPT_LOCK.acquire()
    for engine in list(_ALL):
        engine._lock.acquire()
        _HELD.append(engine)


def _in_parent() -> None:
    while _HELD:
        _HELD.pop()._lock.release()
    _KEPT_LOCK.release()


def _in_child() -> None:
    global _KEPT_LOCK
    _HELD.clear()
    _KEPT_LOCK = threading.RLock()
    for engine in list(_ALL):
        _ORPHANS.extend(engine._connections())
        engine._lock = threading.RLock()


_HELD: list[Engine] = []
os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)
