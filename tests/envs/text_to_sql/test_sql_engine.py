"""What every user of an engine relies on: one engine a file, its tables, its clock, and errors that name the file."""

from __future__ import annotations

import copy
import os
import pickle
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sql_hostile import make_database

from agentgym.envs.text_to_sql.engine import Column, DatabaseError, Reference, TableInfo, open_engine
from agentgym.envs.text_to_sql.result import BUDGET, LIMIT, ROWS


@pytest.fixture
def path(tmp_path: Path) -> str:
    return make_database(tmp_path / "t.sqlite")


def test_one_engine_a_file_and_settings(path: str) -> None:
    engine = open_engine(path)
    assert open_engine(Path(path)) is engine
    assert open_engine(os.path.relpath(path)) is engine
    assert open_engine(path, budget=5) is not engine
    assert copy.deepcopy(engine) is engine
    assert pickle.loads(pickle.dumps(engine)) is engine
    assert engine.dialect == "sqlite"


def test_a_file_that_was_replaced_is_opened_anew(path: str) -> None:
    old = open_engine(path)
    content = old.content
    os.remove(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE only(x)")
    new = open_engine(path)
    assert new is not old
    with pytest.raises(DatabaseError, match=r"t\.sqlite' was changed since it was opened: open it again"):
        old.run("SELECT 1")
    assert [table.name for table in new.tables()] == ["only"]
    assert new.content != content


def test_tables_columns_keys_and_references(path: str) -> None:
    assert open_engine(path).tables() == (
        TableInfo("t", (Column("a", "INTEGER", True), Column("v", "INT"), Column("b", "TEXT", False, True)), (), 1000),
        TableInfo("u", (Column("id", "INT"), Column("w", "TEXT")), (Reference(("id",), "t", ("a",)),), 1000),
        TableInfo("odd", (Column("x", ""),), (), 1),
        TableInfo("loud", (Column("x", ""),), (), 1000),
    )


def test_the_clock_is_the_engines(path: str) -> None:
    engine = open_engine(path, clock="1999-12-31 23:59:58")
    rows = engine.run("SELECT date(), time('now'), CURRENT_TIMESTAMP, date('NO' || 'W', '+1 month')").rows
    assert rows == (("1999-12-31", "23:59:58", "1999-12-31 23:59:58", "2000-01-31"),)
    with pytest.raises(ValueError, match="clock must be a time such as '2025-01-30 12:00:00', not 'noon'"):
        open_engine(path, clock="noon")


def test_budget_and_rows_are_settings(path: str) -> None:
    assert open_engine(path, budget=100).run("SELECT count(*) FROM t, u").kind == BUDGET
    assert open_engine(path, budget=10**30).run("SELECT count(*) FROM t, u").ok  # SQLite's counter has 31 bits
    assert open_engine(path, max_rows=3).run("SELECT a FROM t LIMIT 3").kind == ROWS
    assert open_engine(path, max_rows=3).run("SELECT a FROM t LIMIT 4").kind == LIMIT
    open_engine(path, budget=1, max_rows=1)  # kept, and True is 1
    for settings in ({"budget": 0}, {"max_rows": 0}, {"budget": 2.5}, {"budget": []}, {"max_rows": True}):
        with pytest.raises(ValueError, match=f"{next(iter(settings))} must be an int of at least 1, not "):
            open_engine(path, **settings)
    with pytest.raises(ValueError, match=r"clock must be a time such as .*, not \[\]"):
        open_engine(path, clock=[])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"unknown kind of database '\[\]'"):
        open_engine(path, kind=[])  # type: ignore[arg-type]
    for odd in (5, None, b"/tmp/x"):
        with pytest.raises(TypeError, match="path must be the path of a database, not "):
            open_engine(odd)  # type: ignore[arg-type]


def test_a_query_is_a_str(path: str) -> None:
    with pytest.raises(TypeError, match="a query is a str, not bytes"):
        open_engine(path).run(b"SELECT 1")  # type: ignore[arg-type]


def test_after_a_fork_the_child_opens_its_own(path: str) -> None:
    engine = open_engine(path)
    assert engine.run("SELECT count(*) FROM t").rows == ((1000,),)
    child = os.fork()
    if not child:
        try:
            good = engine.run("SELECT count(*) FROM t").rows == ((1000,),) and open_engine(path) is engine
        except BaseException:  # noqa: BLE001 - the child must end here whatever happens
            good = False
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert engine.run("SELECT count(*) FROM u").rows == ((1000,),)


def test_threads_share_an_engine(path: str) -> None:
    engine, seen = open_engine(path), list[object]()

    def ask(number: int) -> None:
        for _ in range(50):
            seen.append(engine.run(f"SELECT a FROM t WHERE a = {number}").rows == ((number,),))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 200


def test_a_closed_engine_opens_again(path: str) -> None:
    engine = open_engine(path)
    engine.close()
    engine.close()
    assert engine.run("SELECT 1").rows == ((1,),)


def test_files_that_are_no_database_are_named(tmp_path: Path, path: str) -> None:
    empty, text, cut, bare = (tmp_path / name for name in ("empty", "text", "cut", "bare"))
    empty.touch()
    text.write_text("name,age\n")
    cut.write_bytes(Path(path).read_bytes()[:600])
    with closing(sqlite3.connect(bare)) as connection:
        connection.execute("PRAGMA user_version = 1")
    for bad, reason in (
        (tmp_path / "missing", "cannot open the database .*missing': No such file"),
        (tmp_path, "cannot open the database .*: Is a directory"),
        (empty, "empty' is not a SQLite database: the file is empty"),
        (text, "text' is not a SQLite database$"),
        (cut, "cannot read the schema of .*cut'"),
        (bare, "bare' holds no table"),
    ):
        with pytest.raises(DatabaseError, match=reason):
            open_engine(bad)
    with pytest.raises(ValueError, match="unknown kind of database 'sqllite'; did you mean 'sqlite'"):
        open_engine(path, kind="sqllite")


@pytest.mark.parametrize("kind", ["duckdb", "postgres"])
def test_a_sqlite_file_is_refused_by_the_other_engines(path: str, kind: str) -> None:
    pytest.importorskip({"duckdb": "duckdb", "postgres": "psycopg"}[kind])
    with pytest.raises(DatabaseError, match=rf"t\.sqlite': it is a SQLite file, and the engine is '{kind}'$"):
        open_engine(path, kind=kind)


def test_pending_changes_beside_the_file_are_refused(path: str) -> None:
    Path(path + "-wal").write_bytes(b"x")
    with pytest.raises(DatabaseError, match=r"t\.sqlite-wal' holds changes that are not part of the database yet"):
        open_engine(path)
