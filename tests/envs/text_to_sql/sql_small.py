"""A small database for tests of what reads queries: three tables with keys, NULLs, ties, dates as text, equal names."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from agentgym.envs.text_to_sql.engine import Column, Reference, TableInfo


def _table(name: str, columns: str, *references: Reference) -> TableInfo:
    pairs = [column.split(":") for column in columns.split()]
    return TableInfo(name, tuple(Column(column, kind, column == "id") for column, kind in pairs), references)


TABLES = (
    _table("singer", "id:INTEGER name:TEXT age:INTEGER country:TEXT born:TEXT"),
    _table(
        "concert",
        "id:INTEGER singer_id:INTEGER hall_id:INTEGER year:INTEGER held:TEXT price:REAL",
        Reference(("singer_id",), "singer", ("id",)),
        Reference(("hall_id",), "hall", ("id",)),
    ),
    _table("hall", "id:INTEGER name:TEXT city:TEXT seats:INTEGER"),
)

ROWS = {
    "singer": [
        (1, "Ann", 30, "France", "1994-05-01"),
        (2, "Bob", 25, "Spain", "1999-01-31"),
        (3, "Cy", None, "France", None),
        (4, "Dee", 30, "", "1994-05-02"),
        (5, "Eve", 41, None, "1983-12-31"),
        (6, "Ann", 25, "Italy", "1999-02-01"),
    ],
    "concert": [
        (1, 1, 1, 2014, "2014-03-01", 10.5),
        (2, 1, 2, 2014, "2014-03-02", 20.0),
        (3, 2, 1, 2015, "2015-07-01", None),
        (4, 2, 1, 2014, "2014-12-31", 10.5),
        (5, 3, None, 2016, "2016-01-01", 5.0),
        (6, None, 2, None, None, 7.25),
        (7, 6, 3, 2015, "2015-01-01", 20.0),
    ],
    "hall": [(1, "Arena", "Paris", 900), (2, "Dome", "Rome", 900), (3, "Ann", "Paris", None), (4, "Barn", "Oslo", 50)],
}

GOLDS = (
    "SELECT count(*) FROM singer",
    "SELECT name, age FROM singer WHERE country = 'France' AND age > 20 ORDER BY age DESC",
    "SELECT DISTINCT country FROM singer WHERE country IS NOT NULL",
    "SELECT T1.name, count(*) FROM singer AS T1 JOIN concert AS T2 ON T1.id = T2.singer_id"
    " GROUP BY T1.id HAVING count(*) > 1",
    "SELECT h.name, sum(c.price) FROM concert c JOIN hall h ON c.hall_id = h.id WHERE c.year IN (2014, 2015)"
    " GROUP BY h.name ORDER BY sum(c.price) DESC, h.name LIMIT 2",
    "SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM concert WHERE singer_id IS NOT NULL)",
    "SELECT name FROM singer WHERE age > (SELECT avg(age) FROM singer) ORDER BY name",
    "SELECT name FROM singer UNION SELECT name FROM hall",
    "SELECT s.name FROM singer s LEFT JOIN concert c ON s.id = c.singer_id AND c.year = 2014 WHERE c.id IS NULL",
    "SELECT s.country, max(c.price) FROM singer s JOIN concert c ON s.id = c.singer_id JOIN hall h ON h.id = c.hall_id"
    " WHERE h.city = 'Paris' AND c.held >= '2014-06-01' GROUP BY s.country",
    "SELECT name, rank() OVER (PARTITION BY country ORDER BY age DESC, id) FROM singer WHERE age BETWEEN 25 AND 41",
    "WITH busy AS (SELECT singer_id, count(*) AS n FROM concert GROUP BY singer_id) SELECT s.name, b.n FROM busy b"
    " JOIN singer s ON s.id = b.singer_id WHERE b.n >= 2 OR s.age < 30",
    "SELECT CASE WHEN age >= 30 THEN 'old' ELSE 'young' END AS kind, count(DISTINCT country) FROM singer GROUP BY kind",
    "SELECT city FROM hall WHERE seats > 100 EXCEPT SELECT city FROM hall WHERE name LIKE 'B%'",
    "SELECT count(*) FROM singer AS s WHERE EXISTS (SELECT 1 FROM concert c WHERE c.singer_id = s.id AND c.price < 15)",
)


def database() -> sqlite3.Connection:
    """Return a fresh database in memory with TABLES and ROWS; the caller closes it."""
    connection = sqlite3.connect(":memory:")
    for table in TABLES:
        columns = ", ".join(f"{column.name} {column.type}" for column in table.columns)
        connection.execute(f"CREATE TABLE {table.name} ({columns})")
        marks = ", ".join("?" * len(table.columns))
        connection.executemany(f"INSERT INTO {table.name} VALUES ({marks})", ROWS[table.name])
    return connection


def result(connection: sqlite3.Connection, query: str) -> tuple[str, object]:
    """Return what a query gives: the multiset of its rows with their types, or "error"."""
    try:
        rows = connection.execute(query.rstrip("; \n")).fetchall()
    except sqlite3.Error:
        return "error", None
    typed = [tuple((type(value).__name__, value) for value in row) for row in rows]
    return "rows", Counter(typed)


def reference() -> Path:
    """Return the folder of reference data, or skip."""
    folder = os.environ.get("AGENTGYM_REFERENCE")
    if not folder:
        pytest.skip("AGENTGYM_REFERENCE is not set: no public golds to read")
    return Path(folder)


def spider() -> list[tuple[str, tuple[TableInfo, ...]]]:
    """Return Spider's dev golds, each with its database's tables."""
    schemas = {}
    for item in json.loads((reference() / "data/spider/tables.json").read_text("utf-8")):
        names, pairs = item["table_names_original"], item["column_names_original"]
        columns: list[list[Column]] = [[] for _ in names]
        keys: list[list[Reference]] = [[] for _ in names]
        for (table, name), kind in zip(pairs, item["column_types"], strict=True):
            if table >= 0:
                columns[table].append(Column(name, kind))
        for own, target in item["foreign_keys"]:
            keys[pairs[own][0]].append(Reference((pairs[own][1],), names[pairs[target][0]], (pairs[target][1],)))
        parts = zip(names, columns, keys, strict=True)
        schemas[item["db_id"]] = tuple(TableInfo(name, tuple(cols), tuple(refs)) for name, cols, refs in parts)
    dev = json.loads((reference() / "data/spider/dev.json").read_text("utf-8"))
    return [(item["query"], schemas[item["db_id"]]) for item in dev]


def bird() -> list[str]:
    """Return BIRD's dev golds."""
    return [item["SQL"] for item in json.loads((reference() / "data/bird/dev.json").read_text("utf-8"))]


def defog() -> list[tuple[str, Path]]:
    """Return Defog's golds, each with the file of its database."""
    folder = reference() / "data/defog"
    found = []
    for name in ("questions_gen_sqlite.csv", "instruct_basic_sqlite.csv", "instruct_advanced_sqlite.csv"):
        with (folder / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                queries = [query.strip() for query in row["query"].split(";")]
                found += [(query, folder / f"{row['db_name']}.sqlite") for query in queries if query]
    return found


def tables_in(path: Path) -> tuple[TableInfo, ...]:
    """Return the tables of a SQLite file."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    ).fetchall()
    found = []
    for (name,) in names:
        rows = connection.execute(f'PRAGMA table_info("{name}")').fetchall()
        found.append(TableInfo(name, tuple(Column(row[1], row[2], bool(row[5])) for row in rows)))
    connection.close()
    return tuple(found)
