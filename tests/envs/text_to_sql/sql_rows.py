"""The shipped databases as rows in plain Python, for tests of what they promise and of what their golds mean."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from agentgym.envs.text_to_sql.shipped import families

Tables = dict[str, list[Any]]
Filling = Callable[[str], tuple[sqlite3.Connection, Tables]]


@pytest.fixture(scope="module", params=range(families.FILLINGS))
def filling(request: pytest.FixtureRequest) -> Iterator[Filling]:
    """One filling of any of the databases: a connection, and its rows by table as objects with the columns' names."""
    made: dict[str, tuple[sqlite3.Connection, Tables]] = {}

    def opened(name: str) -> tuple[sqlite3.Connection, Tables]:
        if name not in made:
            connection = families.create(families.load(name), request.param)
            tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            made[name] = connection, {table: list(rows_of(connection, table)) for table in tables}
        return made[name]

    yield opened
    for connection, _ in made.values():
        connection.close()


def rows_of(connection: sqlite3.Connection, table: str) -> Iterable[Any]:
    """Return the rows of a table as objects."""
    cursor = connection.execute(f'SELECT * FROM "{table}"')
    names = [column[0] for column in cursor.description]
    return [SimpleNamespace(**dict(zip(names, row, strict=True))) for row in cursor]


def by(rows: Iterable[Any], key: str) -> dict[Any, Any]:
    """Return the rows by a column whose values are all different."""
    return {getattr(row, key): row for row in rows}


def days(first: str, last: str) -> int:
    """Return the days from one date to another."""
    return (date.fromisoformat(last) - date.fromisoformat(first)).days


def check_golds(filling: Filling, database: str, again: Callable[..., list[Any]]) -> None:
    """Assert that the family named like `again` has the rows that `again` finds, for every fourth of its questions."""
    connection, tables = filling(database)
    family = next(one for one in families.load(database).FAMILIES if one.name == again.__name__)
    for values in families.bindings(family, connection)[::4]:
        rows = connection.execute(families.bound(family.sql, values)).fetchall()
        assert sorted(rows, key=repr) == sorted(again(tables, **values), key=repr), values
