"""One kept SQLite connection with its guard, its meter and its functions: runs a statement in a given room."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple
from weakref import finalize

from agentgym.envs.text_to_sql import sqlite_schema
from agentgym.envs.text_to_sql.engine import FENCE, DatabaseError, Engine, EngineFailure
from agentgym.envs.text_to_sql.functions import Functions, Meter, lenient
from agentgym.envs.text_to_sql.guard import LIMITS, Guard, refused
from agentgym.envs.text_to_sql.plain_values import CHARACTER, text_size
from agentgym.envs.text_to_sql.refusals import MAX_BYTES, over_budget, too_long, too_many_rows
from agentgym.envs.text_to_sql.result import PLAN, ROWS, Result

STATEMENTS: Final = 256
"""Statements that each connection keeps prepared."""
TICKS: Final = 100
"""Looks at the budget while it is used up."""


class Room(NamedTuple):
    """How a statement is run: on which connection, the longest text or blob in bytes, and the price of a step."""

    metered: bool
    longest: int
    price: int


PLAIN: Final = Room(False, 512, 1)
GROWING: Final = Room(True, 512, 1)
MIDDLE: Final = Room(True, 4_096, 8)
LONG: Final = Room(True, 65_536, 128)
"""A step pays for 512 bytes: so much text is copied or compared in about a microsecond."""


@dataclass(slots=True, eq=False)
class Run:
    """A statement as it is run, and what is known of it since it was prepared.

    Attributes:
        text: the text to prepare. plan: whether it is an EXPLAIN. room: how it is run.
        clocked: whether it uses functions of the clock.
        columns: the names of its columns, once they are known. chunk: so many rows can be fetched unseen.
        first: so many of the rows are fetched at once. kind: of its result.
    """

    text: str
    plan: bool
    room: Room
    clocked: bool = False
    columns: tuple[str, ...] = ()
    chunk: int = 0
    first: int = 0
    kind: str = ROWS


class Reader:
    """A connection that answers.

    Args:
        engine: whose file, clock, budget and number of rows it has.
        names: the tables that can be read, in lower case.
        metered: whether the text functions count their work; otherwise functions that make long texts are refused.

    Attributes:
        over: the result of a statement that needs too much work.
        needs: the room that the last statement needs instead, where `read` returned None.
        meter: counts the work of the last statement.
    """

    def __init__(self, engine: Engine, names: Collection[str], metered: bool) -> None:
        self._room: Room | None = None
        self._most, self._longest, self._price, self._start, self._saved = engine.max_rows + 1, 0, 1, 0.0, 0
        self.over, self.needs = over_budget(engine.budget), LONG
        self.meter = Meter(engine.budget)
        self._every = min(max(1, engine.budget // TICKS), 2**31 - 1)  # SQLite counts in a C int
        self._functions = Functions(engine.clock, self.meter)
        self._guard = Guard(names, metered)
        self._connection = connection = connected(engine.path, STATEMENTS)
        sqlite_schema.names(connection, engine.path)  # reads the schema while texts may be long
        self._functions.install(connection, metered)
        for limit, value in LIMITS.items():
            connection.setlimit(limit, value)
        connection.set_authorizer(self._guard)
        connection.set_progress_handler(self._tick, self._every)
        self._execute = connection.execute
        self._finalizers = [finalize(self, made.close) for made in (connection, self._functions.connection)]

    def release(self) -> list[sqlite3.Connection]:
        """Return its connections, to be closed by whoever takes them, or never."""
        for finalizer in self._finalizers:
            finalizer.detach()
        return [self._connection, self._functions.connection]

    def decisive(self, run: Run) -> bool:
        """Return whether the last statement would have come to the same whatever ran before it.

        A prepared statement that ran before has steps counted towards the next look at the budget, and a function of
        the clock may have had its answer at hand. Both are less than this margin.
        """
        margin = self._every * self._price + (self._saved if run.clocked else 0)
        return not self.meter.steps or self.meter.steps + margin < self.meter.budget

    def forget(self) -> None:
        """Let functions of the clock count their work as if nothing had run before."""
        self._functions.forget()
        self._saved = 0

    def read(self, run: Run) -> Result | None:
        """Return what a statement comes to, or None where it needs another room: `needs`.

        Raises:
            EngineFailure: the machine failed.
        """
        if run.room is not self._room:
            self._enter(run.room)
        meter, guard, most = self.meter, self._guard, self._most
        meter.steps, meter.fault, self._start = 0, None, 0.0
        guard.refusal, guard.growing, guard.clocked = "", False, False
        self._saved = self._functions.saved
        if self._saved > meter.budget >> 4:
            self.forget()
        try:
            cursor = self._execute(run.text)
            if not run.columns:
                run.columns = tuple([column[0] for column in cursor.description])
                run.clocked = guard.clocked
                run.chunk = MAX_BYTES // (CHARACTER * self._longest * len(run.columns))
                run.first, run.kind = min(run.chunk, most), PLAN if run.plan else ROWS
            rows = cursor.fetchmany(run.first) if run.first else []
            if len(rows) >= run.first:
                _fetch_rest(cursor, rows, run.chunk, most)
            cursor.close()
        except (sqlite3.Error, MemoryError, OverflowError) as error:
            return self._refused(error, run)
        if len(rows) >= most:
            return too_many_rows(most - 1)
        return Result(run.kind, run.columns, tuple(rows))

    def repeating(self, run: Run) -> Callable[[], Result | None]:
        """Return a function that runs a statement which ran to its end before.

        It returns the rows, or None where `read` must say what the statement comes to, and raises EngineFailure as that
        does. Most queries take this way, so it does no more than it must. What never changes is bound here. The guard
        is asked only where the statement has to be prepared anew, and allows what it allowed. The statement must not
        ask the clock, whose answers count as work.
        """
        execute, meter, most = self._execute, self.meter, self._most
        text, room, first, kind, columns = run.text, run.room, run.first, run.kind, run.columns

        def again() -> Result | None:
            if self._room is not room:
                self._enter(room)
            meter.steps, meter.fault, self._start = 0, None, 0.0
            try:
                cursor = execute(text)
                rows = cursor.fetchmany(first)
                if len(rows) >= first:
                    _fetch_rest(cursor, rows, run.chunk, most)
                    if len(rows) >= most:
                        return None
            except (sqlite3.Error, MemoryError, OverflowError):
                if isinstance(meter.fault, EngineFailure):
                    raise meter.fault from None
                return None
            if meter.steps and not self.decisive(run):
                return None
            return Result(kind, columns, tuple(rows))

        return again

    def _enter(self, room: Room) -> None:
        """Let values be as long as a room has space for."""
        self._room, self._longest, self._price = room, room.longest, room.price
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._longest)
        self._functions.limit(self._longest)

    def _refused(self, error: Exception, run: Run) -> Result | None:
        """Return what a statement came to that SQLite or we ended, or None where it needs another room."""
        meter, guard = self.meter, self._guard
        run.clocked = run.clocked or guard.clocked
        if isinstance(meter.fault, EngineFailure):
            raise meter.fault
        if isinstance(meter.fault, Result):
            return meter.fault
        if meter.steps >= meter.budget:
            return self.over
        if isinstance(error, OverflowError):
            return too_long(MAX_BYTES)
        error = meter.fault or error
        if guard.refusal:
            self.needs = GROWING
            return None if guard.growing and not run.room.metered else refused(error, guard)
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_TOOBIG:
            self.needs = MIDDLE if run.room.longest < MIDDLE.longest else LONG
            return too_long(LONG.longest) if run.room is LONG else None
        if "Could not decode" in str(error) and self._connection.text_factory is not lenient:
            self._connection.text_factory = lenient  # much slower, so only where a text is not UTF-8
            try:
                return self.read(run)
            finally:
                self._connection.text_factory = str
        return refused(error, guard)

    def _tick(self) -> int:
        """Count the steps since the last look; SQLite ends the statement where this is not 0."""
        meter = self.meter
        if not self._start:
            self._start = time.thread_time()
        meter.steps += self._every * self._price
        if meter.steps >= meter.budget:
            return 1
        if time.thread_time() - self._start > FENCE:
            meter.fault = EngineFailure(f"a query still computes after {FENCE:.0f} seconds")
            return 1
        return 0


def _fetch_rest(cursor: sqlite3.Cursor, rows: list[Any], chunk: int, most: int) -> None:
    """Fetch more rows of a result whose texts may be large, until it ends or there are `most`.

    Args:
        cursor: gives them.
        rows: those that came first, `chunk` or `most` of them; the others are added.
        chunk: so many can be fetched unseen.
        most: stop at so many.

    Raises:
        OverflowError: they are too large.
    """
    part, size = rows[:], 0
    while len(rows) < most:
        size += text_size(part)
        if size > MAX_BYTES or not chunk:
            raise OverflowError
        part = cursor.fetchmany(min(chunk, most - len(rows)))
        rows += part
        if len(part) < chunk:
            break  # the last rows alone cannot be too large


def connected(path: str, statements: int = 0) -> sqlite3.Connection:
    """Return a new connection that can only read the file and takes it to stay as it is: no lock, no other file.

    Raises:
        DatabaseError: it cannot be opened.
    """
    connection = sqlite3.connect(
        f"{Path(path).as_uri()}?mode=ro&immutable=1",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=statements,
    )
    for setting in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "cache_size=-8000"):
        try:
            connection.execute(f"PRAGMA {setting}")
        except sqlite3.Error as error:
            connection.close()
            raise DatabaseError(f"cannot read the schema of {path!r}: {error}") from None
    return connection
