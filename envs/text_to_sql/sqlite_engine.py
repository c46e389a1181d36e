"""SQLite, hardened: what a text may do here is read, in bounded work and memory, with the same result every time.

What holds, for any text:
- The file is opened read-only and as unchanging, `query_only` and with an untrusted schema, and the authorizer
  (`guard`) allows nothing but reading the database's own tables and a list of functions.
- Work is counted in steps of SQLite's virtual machine, not in seconds. A single step can be much work only on long
  texts; statements that could make or compare such run on a second connection, where texts are kept short and the text
  functions count their work as steps (`functions`). Where a longer text is met, the statement runs once more, with room
  for texts of 64 KiB at the price of a sixteenth of the steps.
- Results have at most `max_rows` rows and 32 MiB of text.
- `now` is the engine's clock, local time is UTC, and functions that draw are denied.

What does not: the number of steps, and some messages, differ between versions of SQLite, so a verdict near the budget
is promised for one version. A statement that still computes after a minute of the processor's time is a failure of the
machinery (EngineFailure); no statement on a table of some million rows is known to come to that. Sorting may write
temporary files. Views that call functions of the clock cannot be read, since their schema is not trusted.
"""

from __future__ import annotations

import sqlite3
import time
from collections import OrderedDict
from collections.abc import Collection
from contextlib import closing
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any, ClassVar, Final
from weakref import finalize

from agentgym.envs.text_to_sql import sqlite_schema
from agentgym.envs.text_to_sql.engine import DatabaseError, Engine, EngineFailure, TableInfo
from agentgym.envs.text_to_sql.functions import Functions, Meter, lenient
from agentgym.envs.text_to_sql.guard import LIMITS, Guard, over_budget, refused, too_long, too_many_rows
from agentgym.envs.text_to_sql.result import PLAN, ROWS, Result
from agentgym.envs.text_to_sql.statement import Statement, look

STATEMENTS: Final = 256  # kept prepared by each connection
TICKS: Final = 200  # looks at the budget while it is used up
FENCE: Final = 60.0  # seconds of the processor's time
MAX_BYTES: Final = 1 << 25

Room = tuple[bool, int, int]
"""How a statement is run: metered or not, the longest text in bytes, and the price of a step."""
PLAIN: Final[Room] = (False, 4_096, 1)
GROWING: Final[Room] = (True, 1_024, 1)
LONG: Final[Room] = (True, 65_536, 16)


class SQLiteEngine(Engine):
    """A SQLite file; see the module for what it promises."""

    kind: ClassVar[str] = "sqlite"
    dialect: ClassVar[str] = "sqlite"

    def __init__(self, path: str, **settings: Any) -> None:
        super().__init__(path, **settings)
        sqlite_schema.checked_file(path)
        self._readers: dict[bool, _Reader] = {}
        self._known: OrderedDict[str, Room] = OrderedDict()
        self._asides = 0
        with closing(connected(path)) as connection:
            self._names = sqlite_schema.names(connection, path)

    def _run(self, query: str) -> Result:
        statement = look(query)
        if statement.refusal is not None:
            return statement.refusal
        text = statement.text
        room = self._known.get(text)
        fresh = room is None
        if room is None:
            room = GROWING if statement.grows else PLAIN
        else:
            self._known.move_to_end(text)
        while True:
            made = self._in(room, statement, fresh)
            if isinstance(made, Result):
                break
            room = made
        if fresh:
            self._known[text] = room
            if len(self._known) > 4 * STATEMENTS:
                self._known.popitem(last=False)
        return made

    def _in(self, room: Room, statement: Statement, fresh: bool) -> Result | Room:
        """Return what a statement comes to in some room, or the room that it needs.

        A prepared statement that ran before has a few steps counted towards the next look at the budget, so the verdict
        that it needs too much is left to one that never ran.
        """
        reader = self._reader(room[0])
        made = reader.read(statement, statement.text, room)
        if made is reader.over and not fresh:
            self._asides += 1
            made = reader.read(statement, f"{statement.text}\n--{self._asides}", room)
        return made

    def _reader(self, metered: bool) -> _Reader:
        reader = self._readers.get(metered)
        if reader is None:
            reader = self._readers[metered] = _Reader(self, self._names, metered)
        return reader

    def _read_tables(self) -> tuple[TableInfo, ...]:
        with closing(connected(self.path)) as connection:
            return sqlite_schema.tables(connection, self.path, self._run)

    def _read_content(self) -> str:
        try:
            with open(self.path, "rb") as file:
                return file_digest(file, lambda: blake2b(digest_size=16)).hexdigest()
        except OSError as error:
            raise DatabaseError(f"cannot read the database {self.path!r}: {error.strerror}") from None

    def _close(self) -> None:
        for connection in self._connections():
            connection.close()

    def _connections(self) -> list[Any]:
        found = [connection for reader in self._readers.values() for connection in reader.release()]
        self._readers, self._known = {}, OrderedDict()
        return found


class _Reader:
    """One kept connection with its guard, its meter and its functions.

    Attributes:
        over: the result of a statement that needs too much work.
    """

    def __init__(self, engine: Engine, names: Collection[str], metered: bool) -> None:
        self._max_rows, self._budget, self._price = engine.max_rows, engine.budget, 1
        self.over = over_budget(engine.budget)
        self._meter = Meter(engine.budget)
        self._every = max(1, engine.budget // TICKS)
        self._start = 0.0
        self._functions = Functions(engine.clock, self._meter)
        self._guard = Guard(names, metered)
        self._longest = 0
        self._connection = connection = connected(engine.path, STATEMENTS)
        sqlite_schema.names(connection, engine.path)  # reads the schema before values must be short
        self._functions.install(connection, metered)
        for limit, value in LIMITS.items():
            connection.setlimit(limit, value)
        connection.set_authorizer(self._guard)
        connection.set_progress_handler(self._tick, self._every)
        self._finalizers = [finalize(self, made.close) for made in (connection, self._functions.connection)]

    def release(self) -> list[sqlite3.Connection]:
        """Return its connections, to be closed by whoever takes them, or never."""
        for finalizer in self._finalizers:
            finalizer.detach()
        return [self._connection, self._functions.connection]

    def read(self, statement: Statement, text: str, room: Room) -> Result | Room:
        """Return what a statement comes to, or the room that it needs instead."""
        _, longest, self._price = room
        if longest != self._longest:
            self._longest = longest
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
            self._functions.limit(longest)
        try:
            try:
                return self._fetched(statement, text)
            except sqlite3.OperationalError as error:
                if "Could not decode" not in str(error):
                    raise
            self._connection.text_factory = lenient  # slower by far, so only where a text is not UTF-8
            try:
                return self._fetched(statement, text)
            finally:
                self._connection.text_factory = str
        except (sqlite3.Error, MemoryError) as error:
            return self._refused(error, room)

    def _fetched(self, statement: Statement, text: str) -> Result:
        self._guard.refusal = ""
        self._meter.start()
        cursor = self._connection.execute(text)
        try:
            columns = tuple([column[0] for column in cursor.description])
            most = self._max_rows + 1
            chunk = MAX_BYTES // (self._longest * len(columns))
            rows: list[Any] = cursor.fetchmany(min(chunk, most))
            if len(rows) == chunk and not _more(cursor, rows, chunk, most):
                return too_long(MAX_BYTES)
            if len(rows) >= most:
                return too_many_rows(self._max_rows)
        finally:
            cursor.close()
        return Result(PLAN if statement.plan else ROWS, columns, tuple(rows))

    def _refused(self, error: Exception, room: Room) -> Result | Room:
        """Return what a statement came to that SQLite ended, or the room that it needs.

        Raises:
            EngineFailure: the machine failed.
        """
        fault = self._meter.fault
        if isinstance(fault, EngineFailure):
            raise fault
        if isinstance(fault, Result):
            return fault
        if self._meter.steps >= self._meter.budget:
            return self.over
        if not room[0] and self._guard.refusal and self._guard.growing:
            return GROWING
        error = fault or error
        if not self._guard.refusal and getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_TOOBIG:
            return too_long(LONG[1]) if room is LONG else LONG
        return refused(error, self._guard)

    def _tick(self) -> int:
        """Count the steps since the last look; SQLite ends the statement where this is not 0."""
        meter = self._meter
        if not meter.steps:
            self._start = time.thread_time()
        meter.steps += self._every * self._price
        if meter.steps >= meter.budget:
            return 1
        if time.thread_time() - self._start > FENCE:
            meter.fault = EngineFailure(f"a query still computes after {FENCE:.0f} seconds")
            return 1
        return 0


def _more(cursor: sqlite3.Cursor, rows: list[Any], chunk: int, most: int) -> bool:
    """Add the rest of a large result to its first rows, up to `most`; return whether it keeps to the size of texts."""
    size, part = 0, rows
    while True:
        for row in part:
            for value in row:
                if type(value) is str or type(value) is bytes:
                    size += len(value)
        if size > MAX_BYTES:
            return False
        if len(rows) == most:
            return True
        part = cursor.fetchmany(min(chunk, most - len(rows)))
        if not part:
            return True
        rows += part


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
