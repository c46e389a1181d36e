"""What a SQLite file holds: its tables, columns, keys and numbers of rows; and whether it can be read at all."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable

from agentgym.envs.text_to_sql.engine import Column, DatabaseError, Reference, TableInfo
from agentgym.envs.text_to_sql.result import Result

HEADER = b"SQLite format 3\0"


def checked_file(path: str) -> None:
    """Look whether a file is a SQLite database with nothing pending beside it.

    Raises:
        DatabaseError: it is not.
    """
    try:
        with open(path, "rb") as file:
            start = file.read(len(HEADER))
    except OSError as error:
        raise DatabaseError(f"cannot open the database {path!r}: {error.strerror}") from None
    if start != HEADER:
        raise DatabaseError(f"{path!r} is not a SQLite database" + ("" if start else ": the file is empty"))
    for end in ("-wal", "-journal"):
        if os.path.exists(path + end) and os.path.getsize(path + end):
            raise DatabaseError(
                f"{path + end!r} holds changes that are not part of the database yet: open it once with sqlite3, for "
                "writing, and close it"
            )


def names(connection: sqlite3.Connection, path: str) -> frozenset[str]:
    """Return the names of all tables and views, in lower case.

    Raises:
        DatabaseError: the schema cannot be read, or there is no table.
    """
    try:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
    except sqlite3.Error as error:
        raise DatabaseError(f"cannot read the schema of {path!r}: {error}") from None
    made = frozenset(str(name).lower() for (name,) in found if not str(name).lower().startswith("sqlite_"))
    if not made:
        raise DatabaseError(f"{path!r} holds no table")
    return made


def tables(connection: sqlite3.Connection, path: str, run: Callable[[str], Result]) -> tuple[TableInfo, ...]:
    """Return the tables in the order in which they were made, then the views.

    A view whose rows cannot be counted, within the budget, by `run` is left out.

    Raises:
        DatabaseError: the schema or a table cannot be read.
    """
    try:
        listed = connection.execute(
            "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') "
            "AND substr(lower(name), 1, 7) <> 'sqlite_' ORDER BY type = 'view', rowid"
        ).fetchall()
        columns = {name: _columns(connection, name) for name, kind in listed if kind == "table"}
        made = []
        for name, kind in listed:
            if kind == "table":
                rows = connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()[0]
                made.append(TableInfo(name, columns[name], _references(connection, name, columns), rows))
            else:
                counted = run(f"SELECT count(*) FROM {quoted(name)}")
                if counted.ok:
                    made.append(TableInfo(name, _columns(connection, name), (), int(counted.rows[0][0] or 0)))
    except sqlite3.Error as error:
        raise DatabaseError(f"cannot read {path!r}: {error}") from None
    return tuple(made)


def quoted(name: str) -> str:
    """Return a name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _columns(connection: sqlite3.Connection, table: str) -> tuple[Column, ...]:
    return tuple(
        Column(name, type_, key > 0, bool(required))
        for _, name, type_, required, _, key in connection.execute(f"PRAGMA table_info({quoted(table)})").fetchall()
    )


def _references(
    connection: sqlite3.Connection, table: str, columns: dict[str, tuple[Column, ...]]
) -> tuple[Reference, ...]:
    """Return the foreign keys in the order of their declaration, with the names of tables as those are spelt."""
    spelt = {name.lower(): name for name in columns}
    found: dict[int, tuple[str, list[str], list[str]]] = {}
    for number, _, parent, column, target, *_ in connection.execute(
        f"PRAGMA foreign_key_list({quoted(table)})"
    ).fetchall():
        parent = spelt.get(parent.lower(), parent)
        _, sources, targets = found.setdefault(number, (parent, [], []))
        if target is None:  # the parent's key
            keys = [key.name for key in columns.get(parent, ()) if key.key]
            target = keys[len(targets)] if len(targets) < len(keys) else column
        sources.append(column)
        targets.append(target)
    return tuple(
        Reference(tuple(found[at][1]), found[at][0], tuple(found[at][2])) for at in sorted(found, reverse=True)
    )
