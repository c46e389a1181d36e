"""PostgreSQL, for reading: what the SQLite engine promises where a server can be held to it; needs the extra `engines`.

The database must have been prepared by `postgres_setup.restrict`, which an administrator runs once. The path is then
the connection string of the role made there, such as "host=db.example dbname=shop user=agent".

As in SQLite: only the database's own tables can be read, by a role without any other right, in read-only transactions;
functions that are not the same every time, and the catalogue, are revoked; a result has at most `max_rows` rows,
fetched through a cursor, and 32 MiB of text; `now()`, CURRENT_DATE and their like are the engine's clock, in UTC; one
process computes, so the order of rows and the sums of floats are the same every time.

Not as in SQLite:
- The server counts no steps. `budget` is held against the planner's own estimate of a query's cost before it runs (80
  steps are one unit of cost, that of reading a page); estimates follow from the statistics that `restrict` gathered and
  from the server's version. A query that is more work than estimated runs into a fence of 60 seconds by the server's
  clock, and that is a failure of the machinery (EngineFailure).
- Recursive queries are refused, since nothing is known of their work beforehand.
- A text such as 'today' is refused wherever it stands, since it may be read as a time; one that is put together first
  and then cast to a time is not seen, and looks at the server's clock.
- Memory is bounded by work_mem for each sort or hash; single texts can be as long as PostgreSQL allows (1 GB).
- Values come as those of SQLite (`plain_values`).
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from typing import Any, ClassVar, Final, cast

from agentgym.envs.text_to_sql.engine import (
    FENCE,
    Column,
    DatabaseError,
    Engine,
    EngineFailure,
    Reference,
    TableInfo,
)
from agentgym.envs.text_to_sql.plain_values import plain_rows, text_size
from agentgym.envs.text_to_sql.postgres_guard import frozen, refusal
from agentgym.envs.text_to_sql.postgres_setup import DESCRIBES, SCHEMA, SETTINGS
from agentgym.envs.text_to_sql.refusals import (
    CATALOGUE,
    MAX_BYTES,
    function_refusal,
    no_table,
    over_budget,
    too_long,
    too_many_rows,
)
from agentgym.envs.text_to_sql.result import DENIED, ERROR, LIMIT, PLAN, ROWS, Result
from agentgym.envs.text_to_sql.statement import look

try:
    import psycopg
except ImportError as error:  # pragma: no cover - the tests need it
    raise ImportError("PostgreSQL databases need the package psycopg: install agentgym-suite[engines]") from error

STEPS: Final = 80
"""Steps of the budget that are one unit of the planner's cost."""
TOO_MUCH: Final = ("53", "54")
"""Classes of errors: resources are insufficient, or a limit of the program is exceeded."""
BROKEN: Final = ("08", "57P", "58", "XX")
_EXPLAIN = re.compile(r"\s*EXPLAIN\b", re.IGNORECASE)


class PostgresEngine(Engine):
    """A PostgreSQL database; see the module for what it promises."""

    kind: ClassVar[str] = "postgres"
    dialect: ClassVar[str] = "postgres"

    def __init__(self, path: str, **settings: Any) -> None:
        super().__init__(path, **settings)
        self._connection: Any = None
        self._described: list[dict[str, Any]] = (
            self._open().execute(f"SELECT {SCHEMA}.{DESCRIBES}()").fetchone()[0] or []
        )
        self._names = frozenset(table["name"].lower() for table in self._described)
        if not self._names:
            raise DatabaseError(f"the database at {_address(path)!r} holds no table in the schema public")
        self._name = str(self._open().info.dbname)

    @property
    def name(self) -> str:
        """Return the name that the server knows the database by; host, role and password are nobody's business."""
        return self._name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_address(self.path)!r})"

    @classmethod
    def stamp(cls, path: str) -> object:
        """Return nothing: a server does not say whether it was replaced."""
        return None

    def _run(self, query: str) -> Result:
        statement = look(query)
        if statement.refusal is not None:
            return statement.refusal
        text = _EXPLAIN.sub("", statement.text, count=1) if statement.plan else statement.text
        found = refusal(text, self._names)
        if found is not None:
            return found
        still = frozen(text)
        if isinstance(still, Result):
            return still
        try:
            with self._open().transaction(force_rollback=True):
                return self._answer(still, statement.plan)
        except (psycopg.Error, UnicodeError) as error:
            return self._refused(error)

    def _answer(self, text: str, plan: bool) -> Result:
        """Return what a statement comes to that is allowed."""
        connection = self._open()
        planned = connection.execute(f"EXPLAIN (FORMAT JSON) {text}", prepare=True).fetchone()[0][0]["Plan"]
        if plan:
            return Result(PLAN, ("plan",), ((_shown(planned),),))
        if planned["Total Cost"] * STEPS > self.budget:
            return over_budget(self.budget)
        with connection.cursor("agentgym") as cursor:
            cursor.execute(text)
            columns = tuple([str(column.name) for column in cursor.description])
            rows = plain_rows(cursor.fetchmany(self.max_rows + 1))
        if len(rows) > self.max_rows:
            return too_many_rows(self.max_rows)
        return too_long(MAX_BYTES) if text_size(rows) > MAX_BYTES else Result(ROWS, columns, rows)

    def _refused(self, error: Exception) -> Result:
        """Return what a statement came to that the server ended.

        Raises:
            EngineFailure: it ran too long, or the server failed.
        """
        state = getattr(error, "sqlstate", None) or ""
        text = getattr(getattr(error, "diag", None), "message_primary", None) or str(error).partition("\n")[0]
        if isinstance(error, psycopg.errors.QueryCanceled):
            raise EngineFailure(f"a query still computes after {FENCE:.0f} seconds") from error
        if state.startswith(BROKEN) or (isinstance(error, psycopg.OperationalError) and not state):
            self._close()
            raise EngineFailure(f"the database failed: {text}") from error
        if state.startswith(TOO_MUCH):
            return Result(LIMIT, message=text)
        denied = re.fullmatch(r"permission denied for (\w+) (\w+)", text)
        if denied is not None:
            return Result(DENIED, message=function_refusal(denied[2]) if denied[1] == "function" else CATALOGUE)
        missing = re.fullmatch(r'relation "(.*)" does not exist', text)
        if missing is not None:
            return no_table(missing[1])
        return Result(DENIED if isinstance(error, psycopg.errors.ReadOnlySqlTransaction) else ERROR, message=text)

    def _open(self) -> Any:
        """Return the kept connection.

        Raises:
            DatabaseError: the server cannot be reached, or the database was not prepared.
        """
        if self._connection is None or self._connection.closed:
            try:
                made = psycopg.connect(self.path, autocommit=True, application_name="agentgym", connect_timeout=10)
            except psycopg.Error as error:
                raise self._fault(error) from None
            try:
                for name, value in SETTINGS.items():
                    made.execute(cast(Any, f"SET {name} = {value if ',' in value else repr(value)}"))
                made.execute(cast(Any, f"SET statement_timeout = '{FENCE:.0f}s'"))
                made.execute(cast(Any, f"SET agentgym.clock = '{self.clock}+00'"))
                if made.execute("SHOW is_superuser").fetchone() != ("off",):
                    raise DatabaseError(
                        f"{_address(self.path)!r} names a superuser: let agents read as the role made by restrict()"
                    )
                made.execute(cast(Any, f"SELECT {SCHEMA}.now()"))
            except psycopg.Error as error:
                made.close()
                raise self._fault(error) from None
            except DatabaseError:
                made.close()
                raise
            self._connection = made
        return self._connection

    def _fault(self, error: Exception) -> DatabaseError:
        reason = str(error).partition("\n")[0]
        remedy = f"; was it prepared by {__package__}.postgres_setup.restrict()?" if SCHEMA in reason else ""
        return DatabaseError(f"cannot open the database {_address(self.path)!r}: {reason}{remedy}")

    def _read_tables(self) -> tuple[TableInfo, ...]:
        made = []
        for table in self._described:
            columns = tuple(Column(name, type_, key, required) for name, type_, key, required in table["columns"])
            references = tuple(Reference(tuple(of), to, tuple(at)) for of, to, at in table["references"] or [])
            counted = self._run(f"SELECT count(*) FROM {_quoted(table['name'])}")
            if counted.ok:
                made.append(TableInfo(table["name"], columns, references, int(counted.rows[0][0] or 0)))
        return tuple(made)

    def _read_content(self) -> str:
        """Return a hash of all tables and their rows, whatever order the server keeps them in."""
        whole = blake2b(json.dumps(self._described).encode(), digest_size=16)
        for table in self._described:
            if not table["view"]:
                with self._open().transaction(), self._open().cursor("content") as cursor:
                    cursor.execute(f"SELECT t::text FROM {_quoted(table['name'])} AS t")
                    digests = sorted(blake2b(row.encode(), digest_size=16).digest() for (row,) in cursor)
                whole.update(b"".join([b"%d " % len(digests), *digests]))
        return whole.hexdigest()

    def _close(self) -> None:
        for connection in self._connections():
            connection.close()

    def _connections(self) -> list[Any]:
        found = [] if self._connection is None else [self._connection]
        self._connection = None
        return found


def _address(path: str) -> str:
    """Return a connection string without its password; one that cannot be read as it is."""
    try:
        parts = psycopg.conninfo.conninfo_to_dict(path)
    except psycopg.Error:
        return path
    return psycopg.conninfo.make_conninfo("", **{key: value for key, value in parts.items() if "password" not in key})


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _shown(plan: dict[str, Any], depth: int = 0) -> str:
    """Return a plan as lines, each operator below the one that it feeds."""
    line = f"{plan['Node Type']} {plan.get('Relation Name', '')}".rstrip() + f" ({plan['Plan Rows']} rows)"
    return "\n".join(["  " * depth + line, *(_shown(part, depth + 1) for part in plan.get("Plans", []))])
