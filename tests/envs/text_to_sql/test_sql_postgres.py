"""PostgreSQL behind the same class, on a real server: the same promises, but for those that it says it cannot keep."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from sql_hostile import LISTED
from sql_server import server, server_programs, server_user

from agentgym import Task
from agentgym.envs.text_to_sql.engine import (
    Column,
    DatabaseError,
    Engine,
    EngineFailure,
    Reference,
    TableInfo,
    open_engine,
)
from agentgym.envs.text_to_sql.env import TextToSQLEnv
from agentgym.envs.text_to_sql.result import BUDGET, DENIED, ERROR, LIMIT, PLAN, ROWS

psycopg = pytest.importorskip("psycopg", reason="PostgreSQL databases need the package psycopg (the extra `engines`)")
if server_programs() is None or server_user() is None:
    pytest.skip("no PostgreSQL server is installed, or no user to run it as", allow_module_level=True)

from agentgym.envs.text_to_sql.postgres_setup import restrict  # noqa: E402 - needs psycopg

OTHERWISE = {
    **dict.fromkeys((19, 20, 22, 26, 27, 28, 29, 50), ERROR),  # functions that PostgreSQL does not know
    23: BUDGET,  # no recursive query is run
    31: None,  # deep, but no limit of PostgreSQL's
    35: None,  # random() is denied; randomblob is unknown
    36: None,  # the clock's functions have other names: below
    42: ERROR,  # EXPLAIN QUERY PLAN is SQLite's
    47: None,  # these numbers are exact in PostgreSQL
    49: None,
    53: None,
}
"""What the numbers of the list come to where that differs from SQLite."""


@pytest.fixture(scope="module")
def admin() -> Iterator[str]:
    programs, user = server_programs(), server_user()
    assert programs is not None and user is not None
    with server(programs, user) as address:
        with psycopg.connect(f"{address} dbname=postgres", autocommit=True) as connection:
            connection.execute("CREATE DATABASE shop")
        with psycopg.connect(f"{address} dbname=shop", autocommit=True) as connection:
            connection.execute(
                """
                CREATE TABLE t(a integer PRIMARY KEY, v integer, b text NOT NULL);
                CREATE TABLE u(id integer REFERENCES t, w text, d date DEFAULT '2024-01-02', n numeric DEFAULT 1.50);
                CREATE VIEW loud AS SELECT upper(b) AS x FROM t;
                CREATE SCHEMA hidden;
                CREATE TABLE hidden.gold_answers(answer text);
                INSERT INTO t SELECT i, i % 7, 'name' || i FROM generate_series(0, 999) AS i;
                INSERT INTO u(id, w) SELECT a, b FROM t;
                """
            )
            restrict(connection, "agent")
        yield address


@pytest.fixture(scope="module")
def path(admin: str) -> str:
    return admin.replace("user=admin", "dbname=shop user=agent")


@pytest.fixture(scope="module")
def engine(path: str) -> Iterator[Engine]:
    engine = open_engine(path, kind="postgres")
    yield engine
    engine.close()


def test_every_statement_of_the_list(engine: Engine, admin: str) -> None:
    before = engine.content
    for number, query, kind in LISTED:
        expected = OTHERWISE.get(number, kind)
        result = engine.run(query)
        assert result.kind == expected or expected is None, (number, query[:60], result)
        assert bool(result.message) == (result.kind not in (ROWS, PLAN))
        assert engine.run(query) == result
    engine.close()
    again = open_engine(admin.replace("user=admin", "dbname=shop user=agent"), kind="postgres", max_rows=9)
    assert again.content == before
    again.close()


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("SELECT * FROM hidden.gold_answers", DENIED),
        ("SELECT pg_sleep(100)", DENIED),
        ("SELECT pg_read_file('/etc/passwd')", DENIED),
        ("SELECT lo_import('/etc/passwd')", DENIED),
        ("SELECT set_config('agentgym.clock', '1999-01-01', false)", DENIED),
        ("SELECT current_setting('data_directory')", DENIED),
        ("SELECT version()", DENIED),
        ("SELECT CURRENT_USER", DENIED),
        ("SELECT nextval('x')", ERROR),
        ("SELECT random()", DENIED),
        ("SELECT gen_random_uuid()", DENIED),
        ("SELECT pg_catalog.now()", DENIED),
        ("SELECT clock_timestamp() = now(), pg_catalog.clock_timestamp()", DENIED),
        ("SELECT timeofday()", DENIED),
        ("SELECT 'now'::timestamp", DENIED),
        ("SELECT DATE 'Today'", DENIED),
        ("SELECT * FROM u WHERE d < ' yesterday'", DENIED),
        ("SELECT repeat('x', 1000000000)", DENIED),
        ("SELECT lpad('x', 1000000000)", DENIED),
        ("SELECT * FROM pg_class", DENIED),
        ("SELECT * FROM pg_catalog.pg_tables", DENIED),
        ("SELECT * FROM information_schema.tables", DENIED),
        ("SELECT query_to_xml('SELECT 1', true, true, '')", DENIED),
        ("SELECT agentgym.described()", DENIED),
        ("SELECT * FROM Described() AS d", DENIED),
        ('SELECT "described"()', DENIED),
        ("SELECT * FROM t TABLESAMPLE SYSTEM (10)", DENIED),
        ("SELECT * FROM t FOR UPDATE", DENIED),
        ("SELECT * INTO z FROM t", DENIED),
        ("WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x", DENIED),
        ("COPY t TO PROGRAM 'true'", DENIED),
        ("DO $$ BEGIN END $$", DENIED),
        ("SET ROLE admin", DENIED),
        ("TABLE t", ROWS),
        ("SELECT $$'$$; DROP TABLE t; --'", ERROR),  # one statement as SQLite reads it, two as PostgreSQL does
        ("SELECT E'\\'; DROP TABLE t; --'", ERROR),  # one for PostgreSQL, two as SQLite reads it
        ("SELECT $1", ERROR),
        ("SELECT count(*) FROM t a, t b, t c", BUDGET),
        ("SELECT count(*) FROM generate_series(1, 10000000000)", BUDGET),
        ("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c", BUDGET),
        ("SELECT generate_series(1, 10001)", LIMIT),
        ("SELECT nope FROM t", ERROR),
        ("SELECT 1 / 0", ERROR),
        ("SELECT * FROM nope", ERROR),
        ("SELECT a FROM public.t ORDER BY a LIMIT 1", ROWS),
        ("SELECT to_char(d, 'YYYY'), extract(year FROM d), date_trunc('month', d) FROM u LIMIT 1", ROWS),
        ("SELECT d + interval '1 month', b ILIKE '%9', concat(a, '-', v) FROM t, u LIMIT 2", ROWS),
        ("SELECT count(*) OVER (PARTITION BY v), string_agg(b, ',') OVER () FROM t LIMIT 2", ROWS),
        ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v), stddev(v), bool_or(v > 3), array_agg(a) FROM t", ROWS),
        ("EXPLAIN SELECT * FROM t WHERE b LIKE '%9%'", PLAN),
    ],
)  # fmt: skip
def test_a_statement_of_postgresqls_own(engine: Engine, query: str, kind: str) -> None:
    result = engine.run(query)
    assert result.kind == kind, result


def test_the_role_itself_can_do_nothing_else(path: str) -> None:
    """What stands in front of the server is for the messages: the server refuses too."""
    with psycopg.connect(path, autocommit=True) as connection:
        for query in (
            "INSERT INTO t VALUES (5000, 1, 'x')", "SET default_transaction_read_only = off; DELETE FROM t",
            "CREATE TABLE z(a int)", "SET default_transaction_read_only = off; CREATE TEMP TABLE z(a int)",
            "SET default_transaction_read_only = off; CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "SELECT pg_sleep(0)", "SELECT random()", "SELECT * FROM pg_proc", "SELECT * FROM hidden.gold_answers",
            "SELECT pg_read_file('PG_VERSION')", "COPY t TO '/tmp/x'", "SELECT set_config('x.y', '1', false)",
            "SET ROLE admin", "SELECT lo_create(0)", "SELECT pg_catalog.now()", "SET temp_file_limit = '10GB'",
            "CREATE EXTENSION dblink", "SELECT inet_server_addr()",
        ):  # fmt: skip
            with pytest.raises(psycopg.Error):
                connection.execute(query)
            connection.execute("RESET default_transaction_read_only")


def test_the_clock_is_the_engines(path: str) -> None:
    engine = open_engine(path, kind="postgres", clock="2000-02-03 04:05:06")
    keywords = (
        "now(), CURRENT_DATE, current_timestamp(0), LOCALTIME, localtimestamp, clock_timestamp(), CURRENT_DATE - 1"
    )
    others = "age(timestamp '2000-01-03'), 'CURRENT_DATE', b"
    result = engine.run(f"SELECT {keywords}, {others} FROM t ORDER BY a LIMIT 1 -- CURRENT_DATE")
    moment, day = "2000-02-03 04:05:06", "2000-02-03"
    assert result.rows[0][:7] == (moment, day, moment, "04:05:06", moment, moment, "2000-02-02")
    # from 3 January to 3 February is a month, which psycopg gives as 30 days: 2,592,000 seconds
    assert result.rows[0][7:] == (2_592_000.0, "CURRENT_DATE", "name0")
    engine.close()


def test_tables_values_and_content(engine: Engine) -> None:
    assert engine.tables() == (
        TableInfo(
            "t",
            (Column("a", "integer", True, True), Column("v", "integer"), Column("b", "text", False, True)),
            (),
            1000,
        ),
        TableInfo(
            "u",
            (Column("id", "integer"), Column("w", "text"), Column("d", "date"), Column("n", "numeric")),
            (Reference(("id",), "t", ("a",)),),
            1000,
        ),
        TableInfo("loud", (Column("x", "text"),), (), 1000),
    )
    assert engine.run("SELECT id, d, n, NULL, true, ARRAY[1, 2] FROM u ORDER BY id LIMIT 1").rows == (
        (0, "2024-01-02", 1.5, None, 1, "[1, 2]"),
    )
    assert engine.dialect == "postgres"


def test_the_fence_and_a_lost_server_are_failures(path: str, admin: str) -> None:
    engine = open_engine(path, kind="postgres", budget=10**15)
    engine._open().execute("SET statement_timeout = '100ms'")  # type: ignore[attr-defined]
    with pytest.raises(EngineFailure, match="still computes after"):
        engine.run("SELECT count(*) FROM t a, t b, t c")
    pid = engine._open().info.backend_pid  # type: ignore[attr-defined]
    with psycopg.connect(f"{admin} dbname=shop", autocommit=True) as connection:
        connection.execute(f"SELECT pg_terminate_backend({pid})")
    with pytest.raises(EngineFailure, match="the database failed"):
        engine.run("SELECT 1")
    assert engine.run("SELECT 1").rows == ((1,),)
    engine.close()


def test_a_number_of_any_length_can_be_shown(engine: Engine) -> None:
    (row,) = engine.run("SELECT factorial(30), factorial(2000)").rows
    assert str(row) == "(265252859812191058636308480000000, inf)"  # 30! has 33 digits; 2000! has 5,736


def test_an_agent_reads_the_name_of_the_database_and_not_its_address(path: str) -> None:
    task = Task("seven", {"database": f"{path} password=tiger", "question": "How many?", "gold": "SELECT 7"})
    observation, info = TextToSQLEnv(tasks=[task], engine="postgres").reset(seed=0)
    assert observation.startswith("Question: How many?\n\nDatabase shop: 3 tables\n")
    assert "tiger" not in str(info) and "user=" not in str(info)
    with pytest.raises(DatabaseError) as caught:
        open_engine("host=/nowhere dbname=x password=tiger", kind="postgres")
    assert "cannot open the database 'dbname=x host=/nowhere'" in str(caught.value)
    assert "tiger" not in str(caught.value) + repr(open_engine(f"{path} password=tiger", kind="postgres"))


def test_what_was_not_prepared_is_refused(admin: str) -> None:
    with pytest.raises(DatabaseError, match=r'schema "agentgym" does not exist; was it prepared by .*restrict\(\)'):
        open_engine(admin.replace("user=admin", "dbname=postgres user=agent"), kind="postgres")
    with pytest.raises(DatabaseError, match="names a superuser"):
        open_engine(f"{admin} dbname=shop", kind="postgres")
    with pytest.raises(DatabaseError, match="cannot open the database"):
        open_engine("host=/nowhere dbname=x", kind="postgres")


def test_after_a_fork_the_child_opens_its_own(path: str) -> None:
    engine = open_engine(path, kind="postgres")
    assert engine.run("SELECT count(*) FROM t").rows == ((1000,),)
    child = os.fork()
    if not child:
        try:
            good = engine.run("SELECT count(*) FROM u").rows == ((1000,),)
        except BaseException:  # noqa: BLE001 - the child must end here whatever happens
            good = False
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert engine.run("SELECT count(*) FROM u").rows == ((1000,),)
