"""Every statement of the hostile list comes to what it must, and the file is the same afterwards."""

from __future__ import annotations

import hashlib
import resource
import time
from pathlib import Path

import pytest
from sql_grammar import BOMBS
from sql_hostile import LISTED, NUMBERS, make_database

from agentgym.envs.text_to_sql.engine import Engine, open_engine
from agentgym.envs.text_to_sql.result import BUDGET, DENIED, ERROR, LIMIT, ROWS

OWN: tuple[tuple[str, str], ...] = (
    ("SELECT count(*) FROM sqlite_master", DENIED),
    ("SELECT count(*) FROM sqlite_temp_master", DENIED),
    ("SELECT count(*) FROM pragma_table_info", DENIED),
    ("SELECT 1 FROM json_each('[1]')", DENIED),
    ("SELECT * FROM sqlite_stmt", DENIED),
    ("SELECT * FROM information_schema.tables", DENIED),
    ("SELECT * FROM pg_catalog.pg_class", DENIED),
    ("SELECT * FROM temp.t", DENIED),
    ("SELECT name FROM main.sqlite_schema", DENIED),
    ('SELECT * FROM "sqlite_master"', DENIED),
    ("WITH sqlite_master AS (SELECT 1 AS x) SELECT x FROM sqlite_master", ROWS),
    ("DESCRIBE t", DENIED),
    ("SHOW TABLES", DENIED),
    ("EXPLAIN DELETE FROM t", DENIED),
    ("WITH x AS (SELECT 1) INSERT INTO t SELECT 1, 2, 'x' RETURNING a", DENIED),
    ("SELECT last_insert_rowid(), total_changes()", DENIED),
    ("SELECT sqlite_source_id(), sqlite_compileoption_get(1)", DENIED),
    ("SELECT hex(zeroblob(10)), random()", DENIED),
    ("SELECT printf('%1001d', 1)", DENIED),
    ("SELECT printf('%*d', 1001, 1)", DENIED),
    ("SELECT printf('%.1001f', 1)", DENIED),
    ("SELECT a FROM t WHERE b REGEXP 'x'", ERROR),
    ("SELECT t.nope FROM t", ERROR),
    ("SELECT b FROM t ORDER BY b COLLATE nope", ERROR),
    ("SELECT * FROM (SELECT * FROM nope)", ERROR),
    ("SELECT 1 WHERE 0 ESCAPE", ERROR),
    ("SELECT", ERROR),
    ("EXPLAIN", ERROR),
    ("EXPLAIN EXPLAIN SELECT 1", ERROR),
    ("(SELECT 1)", ERROR),
    ("SELECT date(x) FROM odd", ERROR),
    ("SELECT 1 FROM t" + " NATURAL JOIN t" * 70, LIMIT),
    ("SELECT " + " OR ".join(f"a = {n}" for n in range(400)) + " FROM t", LIMIT),
    ("SELECT '" + "x" * 5_000 + "' FROM t LIMIT 1", ROWS),
    (NUMBERS + "SELECT n FROM c LIMIT 10000", ROWS),
    (NUMBERS + "SELECT n FROM c LIMIT 10001", LIMIT),
    (NUMBERS + "SELECT n, n || 'x' FROM c ORDER BY 1 DESC", BUDGET),
    ("SELECT count(*) FROM t a JOIN t b ON a.b || b.b LIKE '%e________________________________x%'", BUDGET),
)
"""Statements of our own, and what each comes to."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return open_engine(make_database(tmp_path_factory.mktemp("hostile") / "h.sqlite"))


@pytest.mark.parametrize(
    ("number", "query", "kind"), [pytest.param(*case, id=f"{case[0]}-{case[1]:.20}") for case in LISTED]
)
def test_a_statement_of_the_list(engine: Engine, number: int, query: str, kind: str) -> None:
    before = hashlib.sha256(Path(engine.path).read_bytes()).digest()
    result = engine.run(query)
    assert result.kind == kind, result.message
    assert bool(result.message) == (kind not in ("rows", "sql_plan"))
    assert not result.rows or kind in ("rows", "sql_plan")
    assert engine.run(query) == result
    assert hashlib.sha256(Path(engine.path).read_bytes()).digest() == before
    assert [file.name for file in Path(engine.path).parent.iterdir()] == ["h.sqlite"]


@pytest.mark.parametrize(("query", "kind"), [pytest.param(*case, id=f"{case[0]:.40}") for case in OWN])
def test_a_statement_of_our_own(engine: Engine, query: str, kind: str) -> None:
    result = engine.run(query)
    assert result.kind == kind, result.message
    assert engine.run(query) == result


def test_texts_that_ask_for_much_get_little(engine: Engine) -> None:
    small, before = open_engine(engine.path, budget=500_000), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for query in BOMBS:
        start = time.thread_time()
        result = small.run(query)
        assert result.kind in (BUDGET, LIMIT, ROWS), query
        assert time.thread_time() - start < 1, query  # at most 0.2 s on a quiet machine, 0.5 s with the whole budget
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 128 << 10  # KiB


def test_what_is_refused_says_what_to_do_instead(engine: Engine) -> None:
    for query, hint in (
        ("SELECT * FROM sqlite_master", "the schema tool shows tables and columns"),
        ("PRAGMA table_info(t)", "the schema tool shows tables and columns"),
        ("SELECT * FROM tt", "no such table: tt; the schema tool lists the tables"),
        ("SELECT * FROM gold_answers", "answers are not in the database"),
        ("DELETE FROM t", "it can only be read; write one SELECT"),
        ("SELECT random()", "a query must give the same result every time"),
        ("SELECT :x", "write the value itself"),
        ("SELECT count(*) FROM t, t b, t c", "read fewer rows or join less"),
        (NUMBERS + "SELECT n FROM c", "aggregate, or use LIMIT"),
        ("SELECT 1; SELECT 2", "send one at a time"),
        ("", "write one SELECT"),
    ):
        assert engine.run(query).message.endswith(hint), query
