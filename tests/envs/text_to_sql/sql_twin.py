"""The same connection without a guard: what the engine's cost is measured against."""

from __future__ import annotations

from agentgym.envs.text_to_sql.result import ROWS, Result
from agentgym.envs.text_to_sql.sqlite_reader import STATEMENTS, connected


class Unguarded:
    """Answers a query of a SQLite file as the engine does, with no authorizer, budget, meter, limit or clock.

    The connection is kept and prepares as many statements, so that what differs is the guards alone.
    """

    def __init__(self, path: str, max_rows: int = 10_000) -> None:
        self._connection, self._most = connected(path, STATEMENTS), max_rows + 1

    def run(self, query: str) -> Result:
        """Return the rows of a query; anything wrong with it raises sqlite3's own error."""
        cursor = self._connection.execute(query)
        rows = cursor.fetchmany(self._most)
        columns = tuple([column[0] for column in cursor.description])
        cursor.close()
        return Result(ROWS, columns, tuple(rows))

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
