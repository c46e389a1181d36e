"""Thousands of mixed queries: no exception, a known outcome each, the same when asked again, and an unchanged file."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from sql_grammar import Grammar

from agentgym.envs.text_to_sql.engine import Engine, open_engine
from agentgym.envs.text_to_sql.result import KINDS, PLAN, ROWS, Result

FEW = 20_000
MANY = int(os.environ.get("AGENTGYM_FUZZ_ACTIONS", "1000000"))
TABLES = {"t": ("a", "v", "b"), "u": ("id", "w"), "odd": ("x",)}
BATCH = 200


def make_small(path: Path) -> str:
    """Write three tables of a few rows with NULLs, dates, ties and a text that is no UTF-8."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE t(a INTEGER PRIMARY KEY, v INT, b TEXT); CREATE TABLE u(id INT REFERENCES t, w TEXT);"
            "CREATE INDEX u_id ON u(id); CREATE TABLE odd(x);"
            "INSERT INTO odd VALUES(CAST(x'ff41' AS TEXT)), (x'00ff'), (NULL), (1.5), (9e999), ('it''s'), ('ÄÖ😀');"
        )
        connection.executemany("INSERT INTO t VALUES(?, ?, ?)", [(i, i % 3 or None, f"name{i % 9}") for i in range(25)])
        connection.executemany("INSERT INTO u VALUES(?, ?)", [(i * 2, f"2024-0{i % 9 + 1}-15") for i in range(15)])
        connection.commit()
    return str(path)


def checked(engine: Engine, query: str) -> Result:
    """Return what a query comes to, which must be something known and take less than a second."""
    start = time.thread_time()
    result = engine.run(query)
    seconds = time.thread_time() - start
    assert seconds < 1, (seconds, query)
    assert result.kind in KINDS, query
    assert bool(result.message) == (result.kind not in (ROWS, PLAN)), query
    assert len(result.rows) <= engine.max_rows and len(result.message) < 5_000, query
    for row in result.rows[:50]:
        assert len(row) == len(result.columns), query
        for value in row:
            assert value is None or type(value) in (int, float, str, bytes), query
            assert type(value) is not str or value.isascii() or value.encode(), query
            assert value == value, query  # nothing is a NaN
    return result


def fuzz(folder: Path, queries: int, budget: int) -> Counter[str]:
    """Ask so many queries, each again after others in another order; return how often which kind of outcome came."""
    path = make_small(folder / "fuzz.sqlite")
    before = hashlib.sha256(Path(path).read_bytes()).digest()
    engine, grammar = open_engine(path, budget=budget), Grammar(TABLES, 0)
    kinds: Counter[str] = Counter()
    for _ in range(queries // BATCH):
        asked = [grammar.query() for _ in range(BATCH)]
        results = [checked(engine, query) for query in asked]
        for query, result in zip(reversed(asked), reversed(results), strict=True):
            again = engine.run(query)
            assert again == result and repr(again.rows[:5]) == repr(result.rows[:5]), query
        kinds.update(result.kind for result in results)
    assert hashlib.sha256(Path(path).read_bytes()).digest() == before
    assert [file.name for file in folder.iterdir()] == ["fuzz.sqlite"]
    return kinds


def test_a_few_thousand_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kinds = fuzz(tmp_path, FEW, 200_000)
    # 45 % are valid, 25 % damaged, 20 % hostile: every outcome must have been met, and rows often
    assert kinds[ROWS] > FEW / 3
    assert min(kinds[kind] for kind in KINDS) > FEW / 1000, kinds
    assert capsys.readouterr() == ("", "")


@pytest.mark.fuzz
def test_very_many_queries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fuzz(tmp_path, MANY, 2_000_000)
    assert capsys.readouterr() == ("", "")
