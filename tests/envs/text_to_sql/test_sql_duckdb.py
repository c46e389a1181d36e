"""DuckDB behind the same class: the same promises, but for those that it says it cannot keep."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from sql_hostile import LISTED, NUMBERS

from agentgym.envs.text_to_sql.engine import (
    Column,
    DatabaseError,
    Engine,
    EngineFailure,
    Reference,
    TableInfo,
    open_engine,
)
from agentgym.envs.text_to_sql.result import BUDGET, DENIED, ERROR, LIMIT, PLAN, ROWS

duckdb = pytest.importorskip("duckdb", reason="DuckDB databases need the package duckdb (the extra `engines`)")

OTHERWISE = {
    21: DENIED,  # what is on no list is denied before it is looked up
    23: BUDGET,  # no recursive query is run
    36: None,  # the clock's functions have other names: below
    42: ERROR,  # EXPLAIN QUERY PLAN is SQLite's
    53: None,  # SQLite's words; dbstat is no table here
}
"""What the numbers of the list come to where that differs from SQLite."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("duck") / "d.duckdb")
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, v INTEGER, b VARCHAR NOT NULL)")
        connection.execute("CREATE TABLE u(id INTEGER REFERENCES t(a), w VARCHAR)")
        connection.execute("INSERT INTO t SELECT i, i % 7, 'name' || i FROM range(1000) AS r(i)")
        connection.execute("INSERT INTO u SELECT a, b FROM t")
        connection.execute("CREATE VIEW loud AS SELECT upper(b) AS x FROM t")
    return path


@pytest.fixture(scope="module")
def engine(path: str) -> Iterator[Engine]:
    engine = open_engine(path, kind="duckdb")
    yield engine
    engine.close()


def test_every_statement_of_the_list(engine: Engine) -> None:
    before = hashlib.sha256(Path(engine.path).read_bytes()).digest()
    for number, query, kind in LISTED:
        expected = OTHERWISE.get(number, kind)
        result = engine.run(query)
        assert result.kind == expected or expected is None, (number, query[:60], result.message)
        assert bool(result.message) == (result.kind not in (ROWS, PLAN))
        assert engine.run(query) == result
    assert hashlib.sha256(Path(engine.path).read_bytes()).digest() == before
    assert [file.name for file in Path(engine.path).parent.iterdir()] == ["d.duckdb"]


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("SELECT * FROM read_csv('/etc/hosts')", DENIED),
        ("SELECT * FROM '/etc/hosts'", ERROR),
        ("SELECT * FROM duckdb_settings()", DENIED),
        ("SELECT * FROM information_schema.tables", DENIED),
        ("SELECT * FROM query('SELECT 1')", DENIED),
        ("SELECT current_setting('memory_limit'), version()", DENIED),
        ("SELECT system.main.now()", DENIED),
        ("SELECT uuid()", DENIED),
        ("SELECT * FROM t USING SAMPLE 5", DENIED),
        ("SELECT * FROM t TABLESAMPLE 10%", DENIED),
        ("SELECT repeat('x', 1000000000)", DENIED),
        ("SELECT lpad('x', 1000000, 'y')", DENIED),
        ("SELECT replace(b, 'n', 'nnn') FROM t", DENIED),
        ("SELECT unnest(range(100000000))", DENIED),
        ("SELECT * FROM range((SELECT max(a) FROM t))", DENIED),
        ("SUMMARIZE t", DENIED),
        ("SHOW TABLES", DENIED),
        ("PIVOT t ON v USING sum(a)", DENIED),
        ("INSTALL httpfs", DENIED),
        ("COPY t TO 'x.csv'", DENIED),
        ("SELECT $$'$$; DROP TABLE t; --'", DENIED),  # one statement as SQLite reads it, two as DuckDB does
        ("SELECT 1 WHERE $1", ERROR),
        ("SELECT age(TIMESTAMP '2020-01-01')", DENIED),
        ("SELECT count(*) FROM range(10000000000)", BUDGET),
        ("SELECT count(*) FROM t a, t b, t c WHERE a.a + b.a = 5 + c.a", BUDGET),
        ("SELECT a.v FROM t a JOIN t b USING (v) JOIN t c USING (v)", BUDGET),
        ("SELECT * FROM range(20000)", LIMIT),
        ("SELECT " + "||".join(["b"] * 30) + " FROM t", LIMIT),
        ("SELECT " + ",".join(["1"] * 5000), LIMIT),
        (NUMBERS + "SELECT count(*) FROM c", BUDGET),
        ("SELECT nope FROM t", ERROR),
        ("SELECT a.a FROM t a, t b WHERE a.a + b.a = 5", ROWS),
        ("FROM t SELECT a LIMIT 1", ROWS),
        ("SELECT * FROM main.t, loud LIMIT 1", ROWS),
        ("WITH x AS (SELECT 1 AS q) SELECT q FROM x, (VALUES (1)) y(z), range(3), unnest([1, 2])", ROWS),
        ("EXPLAIN SELECT * FROM t", PLAN),
        ("EXPLAIN DELETE FROM t", DENIED),
    ],
)  # fmt: skip
def test_a_statement_of_duckdbs_own(engine: Engine, query: str, kind: str) -> None:
    result = engine.run(query)
    assert result.kind == kind, result.message


def test_values_and_names_are_as_in_sqlite(engine: Engine) -> None:
    result = engine.run(
        "SELECT a, a, v > 3 AS big, avg(v) OVER () m, DATE '2024-01-02' + 1 AS d FROM t ORDER BY a DESC LIMIT 1"
    )
    assert result.columns == ("a", "a", "big", "m", "d")
    assert result.rows == ((999, 999, 1, 2.997, "2024-01-03 00:00:00"),) or result.rows[0][4] == "2024-01-03"


def test_the_clock_is_the_engines(path: str, engine: Engine) -> None:
    early = open_engine(path, kind="duckdb", clock="2000-02-03 04:05:06")
    query = "SELECT now(), current_timestamp, localtimestamp, current_date, today(), current_time, localtime"
    day, moment = "2000-02-03", "2000-02-03 04:05:06"
    assert early.run(query).rows == ((moment, moment, moment, day, day, "04:05:06", "04:05:06"),)
    assert engine.run("SELECT current_date").rows == (("2025-01-30",),)
    early.close()


def test_tables_and_content(engine: Engine) -> None:
    assert engine.tables() == (
        TableInfo(
            "t",
            (Column("a", "INTEGER", True, True), Column("v", "INTEGER"), Column("b", "VARCHAR", False, True)),
            (),
            1000,
        ),
        TableInfo("u", (Column("id", "INTEGER"), Column("w", "VARCHAR")), (Reference(("id",), "t", ("a",)),), 1000),
        TableInfo("loud", (Column("x", "VARCHAR"),), (), 1000),
    )
    assert len(engine.content) == 32


def test_a_plan_is_lines(engine: Engine) -> None:
    plan = engine.run("EXPLAIN SELECT count(*) FROM t WHERE v = 3").rows[0][0]
    assert isinstance(plan, str)
    assert plan.splitlines()[0] == "UNGROUPED_AGGREGATE (1 rows)"


def test_the_fence_is_a_failure_of_the_machinery(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym.envs.text_to_sql.duckdb_engine.FENCE", 0.2)
    engine = open_engine(path, kind="duckdb", budget=10**12)
    with pytest.raises(EngineFailure, match="still computes after"):
        engine.run("SELECT count(*) FROM range(40000000000)")
    assert engine.run("SELECT 1").rows == ((1,),)
    engine.close()


def test_after_a_fork_the_child_opens_its_own(engine: Engine) -> None:
    assert engine.run("SELECT count(*) FROM t").rows == ((1000,),)
    child = os.fork()
    if not child:
        try:
            good = engine.run("SELECT count(*), min(now()) FROM u").rows == ((1000, "2025-01-30 12:00:00"),)
        except BaseException:  # noqa: BLE001 - the child must end here whatever happens
            good = False
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_files_that_are_no_database_are_named(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("name,age\n")
    with duckdb.connect(str(tmp_path / "bare")):
        pass
    (tmp_path / "pending").write_bytes((tmp_path / "bare").read_bytes())
    (tmp_path / "pending.wal").write_bytes(b"x")
    for name, reason in (
        ("missing", "cannot open the database .*missing': No such file"),
        ("", "Is a directory"),
        ("text", "cannot open the database .*text': "),
        ("bare", "bare' holds no table"),
        ("pending", "pending.wal' holds changes that are not part of the database yet"),
    ):
        with pytest.raises(DatabaseError, match=reason):
            open_engine(tmp_path / name, kind="duckdb")
