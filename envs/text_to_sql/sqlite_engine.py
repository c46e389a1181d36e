"""SQLite, hardened: what a text may do here is read, in bounded work and memory, with the same result every time.

What holds, for any text:
- The file is opened read-only and as unchanging, `query_only` and with an untrusted schema, and the authorizer
  (`guard`) allows nothing but reading the database's own tables and a list of functions.
- Work is counted in steps of SQLite's virtual machine, not in seconds. A single step can be much work only on long
  texts, so a step pays for 512 bytes: where a longer text is met, the statement runs once more, with room for texts of
  4 KiB at eight times the price of a step, then of 64 KiB at 128 times. There, and where a statement could make long
  texts, it runs on a second connection, whose text functions count their work as steps (`functions`).
- What a query unfolds into before it runs is bounded too (`unfold`).
- Results have at most `max_rows` rows, and texts of 32 MiB in memory.
- `now` is the engine's clock, local time is UTC, and functions that draw are denied.

What does not: a sort, a grouping or a comparison of long texts costs more than its steps say, a second or two for a
statement made for it. The number of steps, and some messages, differ between versions of SQLite, so a verdict near the
budget is promised for one version. A statement that still computes after a minute of the processor's time is a failure
of the machinery (EngineFailure); no statement on a table of some million rows is known to come to that. Sorting may
write temporary files. Views that call functions of the clock cannot be read, since the schema is not trusted; nor can,
in a statement that runs on the second connection, views that call text functions.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from typing import Any, ClassVar, Final

from agentgym.envs.text_to_sql import sqlite_schema
from agentgym.envs.text_to_sql.engine import Engine, TableInfo, file_content
from agentgym.envs.text_to_sql.result import PLAN, ROWS, Result
from agentgym.envs.text_to_sql.sqlite_reader import GROWING, PLAIN, Reader, Room, Run, connected
from agentgym.envs.text_to_sql.statement import MAX_QUERY, look

KNOWN: Final = 1 << 22
"""Most characters of the queries that are known at a time, counting for each LEAST more."""
LEAST: Final = 1_024


class SQLiteEngine(Engine):
    """A SQLite file; see the module for what it promises."""

    kind: ClassVar[str] = "sqlite"
    dialect: ClassVar[str] = "sqlite"

    def __init__(self, path: str, **settings: Any) -> None:
        super().__init__(path, **settings)
        self._readers: dict[bool, Reader] = {}
        self._known: dict[str, Run | Result] = {}
        self._again: dict[str, Callable[[], Result | None]] = {}
        self._size = self._asides = 0
        sqlite_schema.checked_file(path)
        with closing(connected(path)) as connection:
            self._names = sqlite_schema.names(connection, path)

    def run(self, query: str) -> Result:
        """Return what one statement came to, as every engine does; at once where it is known how it is run.

        Raises:
            TypeError: the query is no str.
            DatabaseError: the database is gone or damaged.
            EngineFailure: the machinery failed.
        """
        with self._lock:
            again = self._again.get(query) if type(query) is str else None
            if again is not None:
                made = again()
                if made is not None:
                    return made
        return super().run(query)

    def _run(self, query: str) -> Result:
        run = self._known.get(query)
        if run is None:
            return self._first(query)
        if type(run) is Result:
            return run
        assert type(run) is Run
        reader = self._readers[run.room.metered]
        made = reader.read(run)
        if made is None or not reader.decisive(run):
            made = self._aside(reader, run)
        assert made is not None, "a statement came to need another room than when it ran first"
        return made

    def _first(self, query: str) -> Result:
        """Return what a query comes to that is not known, and know it: its result, or how it is run."""
        statement = look(query)
        text, made = statement.text, statement.refusal
        if made is None and text in self._known and text != query:
            made = self._run(text)
            self._know(query, self._known[text])
            return made
        if self._size > KNOWN:
            self._close()  # with what is known of statements go the prepared ones: a new one never ran before
        run = Run(text, statement.plan, GROWING if statement.grows else PLAIN)
        while made is None:
            reader = self._reader(run.room)
            made = reader.read(run)
            if run.clocked and made is not reader.over and not reader.decisive(run):
                made = self._aside(reader, run)
            if made is None:
                run = Run(text, statement.plan, reader.needs)
        if len(query) <= MAX_QUERY:
            self._size += LEAST + len(query)
            known = run if made.kind in (ROWS, PLAN) else made
            self._know(query, known)
            if statement.refusal is None:
                self._know(text, known)
        return made

    def _know(self, query: str, known: Run | Result) -> None:
        """Keep what a query comes to, or how it is run."""
        self._known[query] = known
        if type(known) is Run and not known.clocked:
            self._again[query] = self._readers[known.room.metered].repeating(known)

    def _aside(self, reader: Reader, run: Run) -> Result | None:
        """Return what a statement comes to that is prepared anew, so that nothing that ran before is counted."""
        self._asides += 1
        reader.forget()
        return reader.read(replace(run, text=f"{run.text}\n--{self._asides}"))

    def _reader(self, room: Room) -> Reader:
        reader = self._readers.get(room.metered)
        if reader is None:
            self._checked()
            reader = self._readers[room.metered] = Reader(self, self._names, room.metered)
        return reader

    def _read_tables(self) -> tuple[TableInfo, ...]:
        with closing(connected(self.path)) as connection:
            return sqlite_schema.tables(connection, self.path, self._run)

    def _read_content(self) -> str:
        return file_content(self.path)

    def _close(self) -> None:
        for connection in self._connections():
            connection.close()

    def _connections(self) -> list[Any]:
        found = [connection for reader in self._readers.values() for connection in reader.release()]
        self._readers, self._known, self._again, self._size = {}, {}, {}, 0
        return found
