"""DuckDB, for reading: what the SQLite engine promises where DuckDB can be held to it; needs the extra `engines`.

As in SQLite: the file is opened read-only, without access to anything outside it and with a locked configuration; only
its own tables and listed functions can be used (`duckdb_guard`); a result has at most `max_rows` rows and 32 MiB of
text; `now` is the engine's clock, local time is UTC, functions that draw and samples are denied; one thread computes,
so the order of rows and the sums of floats are the same every time.

Not as in SQLite:
- DuckDB counts no steps. `budget` is held against the planner's own estimate of how many rows pass through the query's
  operators, before it runs; estimates follow from the file and the version. A query that is more work than estimated
  runs into a fence of 60 seconds by the wall clock, and that is a failure of the machinery (EngineFailure).
- Recursive queries are refused, since nothing is known of their work beforehand.
- Memory is bounded by DuckDB's limit of 256 MB, which does not hold for single texts; functions that lengthen texts are
  not available, and at most 16 texts can be joined in a query.
- Values come as those of SQLite (`plain_values`).
"""

from __future__ import annotations

import json
import os
import re
from threading import Timer
from typing import Any, ClassVar, Final

from agentgym.envs.text_to_sql.duckdb_guard import DEEP, refusal
from agentgym.envs.text_to_sql.engine import (
    FENCE,
    Column,
    DatabaseError,
    Engine,
    EngineFailure,
    Reference,
    TableInfo,
    file_content,
)
from agentgym.envs.text_to_sql.plain_values import plain_rows, text_size
from agentgym.envs.text_to_sql.refusals import MAX_BYTES, over_budget, too_long, too_many_rows
from agentgym.envs.text_to_sql.result import DENIED, ERROR, LIMIT, PLAN, ROWS, Result
from agentgym.envs.text_to_sql.statement import look

try:
    import duckdb
except ImportError as error:  # pragma: no cover - the tests need it
    raise ImportError("DuckDB databases need the package duckdb: install agentgym-suite[engines]") from error

SETTINGS: Final[dict[str, str | bool | int | float | list[str]]] = {
    "enable_external_access": "false", "autoinstall_known_extensions": "false", "autoload_known_extensions": "false",
    "allow_community_extensions": "false", "memory_limit": "256MB", "max_temp_directory_size": "256MB", "threads": "1",
    "max_expression_depth": "200",
}  # fmt: skip
CLOCK: Final = {
    "now": "TIMESTAMPTZ", "current_timestamp": "TIMESTAMPTZ", "get_current_timestamp": "TIMESTAMPTZ", "today": "DATE",
    "current_date": "DATE", "current_time": "TIME", "get_current_time": "TIME", "current_localtime": "TIME",
    "current_localtimestamp": "TIMESTAMP",
}  # fmt: skip
"""The functions that look at the clock, and the types that they give."""
PAIRING: Final = re.compile(r"CROSS_PRODUCT|NL_JOIN|NESTED_LOOP|MERGE_JOIN|IE_JOIN|ASOF")
"""Operators that look at every pair of rows, whatever they pass on."""
_EXPLAIN = re.compile(r"\s*EXPLAIN\b", re.IGNORECASE)


class DuckDBEngine(Engine):
    """A DuckDB file; see the module for what it promises."""

    kind: ClassVar[str] = "duckdb"
    dialect: ClassVar[str] = "duckdb"

    def __init__(self, path: str, **settings: Any) -> None:
        super().__init__(path, **settings)
        self._connection: Any = None
        if os.path.isdir(path):
            raise DatabaseError(f"cannot open the database {path!r}: Is a directory")
        if os.path.exists(path + ".wal") and os.path.getsize(path + ".wal"):
            raise DatabaseError(f"{path + '.wal'!r} holds changes that are not part of the database yet: CHECKPOINT it")
        listed = self._open().execute(
            "SELECT table_name FROM duckdb_tables() WHERE NOT internal UNION ALL "
            "SELECT view_name FROM duckdb_views() WHERE NOT internal"
        )
        self._names = frozenset(str(name).lower() for (name,) in listed.fetchall())
        if not self._names:
            raise DatabaseError(f"{path!r} holds no table")

    def _run(self, query: str) -> Result:
        statement = look(query)
        if statement.refusal is not None:
            return statement.refusal
        text = _EXPLAIN.sub("", statement.text, count=1) if statement.plan else statement.text
        connection = self._open()
        timer = Timer(FENCE, connection.interrupt)
        timer.daemon = True
        timer.start()
        try:
            tree = json.loads(connection.execute("SELECT json_serialize_sql(?)", [text]).fetchone()[0])
            found = refusal(tree, self._names)
            return found or self._answer(connection, text, statement.plan)
        except (duckdb.Error, RuntimeError, MemoryError) as error:
            return self._refused(error)
        finally:
            timer.cancel()

    def _answer(self, connection: Any, text: str, plan: bool) -> Result:
        """Return what a statement comes to that is allowed."""
        planned = connection.execute(f"EXPLAIN (FORMAT JSON) {text}").fetchall()
        if plan:
            return Result(PLAN, ("plan",), ((_shown(json.loads(planned[0][1])),),))
        if sum(map(_work, json.loads(planned[0][1]))) > self.budget:
            return over_budget(self.budget, "rows")
        cursor = connection.execute(text)
        columns = tuple([str(column[0]) for column in cursor.description])
        rows = plain_rows(cursor.fetchmany(self.max_rows + 1))
        if len(rows) > self.max_rows:
            return too_many_rows(self.max_rows)
        return too_long(MAX_BYTES) if text_size(rows) > MAX_BYTES else Result(ROWS, columns, rows)

    def _refused(self, error: Exception) -> Result:
        """Return what a statement came to that DuckDB ended.

        Raises:
            EngineFailure: it ran too long, or the machine failed.
        """
        text = str(error).partition("\n")[0]
        if isinstance(error, duckdb.InterruptException):
            raise EngineFailure(f"a query still computes after {FENCE:.0f} seconds") from error
        if isinstance(error, duckdb.IOException | duckdb.FatalException | duckdb.InternalException):
            self._close()
            raise EngineFailure(f"the database failed: {text}") from error
        if isinstance(error, MemoryError | duckdb.OutOfMemoryException):
            return Result(LIMIT, message="the query needs too much memory")
        text = text.partition("Error: ")[2] or text
        if isinstance(error, duckdb.PermissionException):
            return Result(DENIED, message=text)
        return Result(LIMIT, message=DEEP) if "depth" in text else Result(ERROR, message=text)

    def _open(self) -> Any:
        """Return the kept connection.

        Raises:
            DatabaseError: the file is none, or of another version.
        """
        if self._connection is None:
            self._checked()
            try:
                made = duckdb.connect(self.path, read_only=True, config=SETTINGS)
                if made.execute("SELECT current_setting('lock_configuration')").fetchone() != (True,):
                    made.execute("SET GLOBAL TimeZone = 'UTC'")  # connections to one file share all this
                    made.execute("SET lock_configuration = true")
                for name, type_ in CLOCK.items():
                    made.execute(
                        f"CREATE OR REPLACE TEMP MACRO \"{name}\"() AS CAST('{self._clock_text(type_)}' AS {type_})"
                    )
            except duckdb.Error as error:
                raise DatabaseError(
                    f"cannot open the database {self.path!r}: {str(error).partition(chr(10))[0]}"
                ) from None
            self._connection = made
        return self._connection

    def _clock_text(self, type_: str) -> str:
        return {"DATE": self.clock[:10], "TIME": self.clock[11:]}.get(
            type_, self.clock + "+00" * (type_ == "TIMESTAMPTZ")
        )

    def _read_tables(self) -> tuple[TableInfo, ...]:
        connection = self._open()
        listed = connection.execute(
            "SELECT table_name, column_name, data_type, NOT is_nullable FROM duckdb_columns() WHERE NOT internal "
            "ORDER BY table_name IN (SELECT view_name FROM duckdb_views()), table_oid, column_index"
        ).fetchall()
        bound = connection.execute(
            "SELECT table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names "
            "FROM duckdb_constraints() ORDER BY table_oid, constraint_index"
        ).fetchall()
        keys = {(table, name) for table, kind, names, *_ in bound if kind == "PRIMARY KEY" for name in names}
        made = []
        for table in dict.fromkeys(row[0] for row in listed):
            rows = self._run(f'SELECT count(*) FROM "{table}"')
            if rows.ok:
                columns = tuple(Column(n, type_, (t, n) in keys, r) for t, n, type_, r in listed if t == table)
                parents = [row for row in bound if row[0] == table and row[1] == "FOREIGN KEY"]
                references = tuple(Reference(tuple(names), parent, tuple(to)) for _, _, names, parent, to in parents)
                made.append(TableInfo(table, columns, references, int(rows.rows[0][0] or 0)))
        return tuple(made)

    def _read_content(self) -> str:
        return file_content(self.path)

    def _close(self) -> None:
        for connection in self._connections():
            connection.close()

    def _connections(self) -> list[Any]:
        found = [] if self._connection is None else [self._connection]
        self._connection = None
        return found


def _work(operator: dict[str, Any]) -> int:
    """Return how many rows are expected to pass through an operator and those below it; pairs where it pairs."""
    below = [_rows(child) for child in operator.get("children", [])]
    rows = _rows(operator)
    if PAIRING.search(str(operator.get("name", ""))) and len(below) == 2:
        rows = max(rows, below[0] * below[1])
    return rows + sum(map(_work, operator.get("children", [])))


def _rows(operator: dict[str, Any]) -> int:
    estimate = re.sub(r"[^0-9]", "", str(operator.get("extra_info", {}).get("Estimated Cardinality", "")))
    if estimate:
        return int(estimate)
    return max([1, *map(_rows, operator.get("children", []))])


def _shown(plan: list[dict[str, Any]], depth: int = 0) -> str:
    """Return a plan as lines, each operator below the one that it feeds."""
    lines = []
    for operator in plan:
        table = operator.get("extra_info", {}).get("Table", "")
        lines.append("  " * depth + f"{operator.get('name', '')} {table}".rstrip() + f" ({_rows(operator)} rows)")
        if operator.get("children"):
            lines.append(_shown(operator["children"], depth + 1))
    return "\n".join(lines)
