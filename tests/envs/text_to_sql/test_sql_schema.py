"""Tables, columns, keys and references as a SQLite file declares them, whatever its names are."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agentgym.envs.text_to_sql.engine import (
    Column,
    DatabaseError,
    Engine,
    EngineFailure,
    Reference,
    TableInfo,
    open_engine,
)


def opened(path: Path, script: str) -> Engine:
    """Return the engine of a new database."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return open_engine(path)


def test_keys_of_several_columns_and_their_references(tmp_path: Path) -> None:
    engine = opened(
        tmp_path / "k.sqlite",
        """
        CREATE TABLE shelf(hall TEXT, place INTEGER, PRIMARY KEY (hall, place));
        CREATE TABLE book(
            id INTEGER PRIMARY KEY, hall TEXT NOT NULL, place INTEGER, again INTEGER,
            FOREIGN KEY (again) REFERENCES book,
            FOREIGN KEY (hall, place) REFERENCES SHELF
        );
        CREATE TABLE loan(book INTEGER REFERENCES book(id), reader REFERENCES nobody(id)) ;
        """,
    )
    shelf, book, loan = engine.tables()
    assert shelf == TableInfo("shelf", (Column("hall", "TEXT", True), Column("place", "INTEGER", True)), (), 0)
    # in the order of their declaration, to the parent's key where none is named, by the name that the parent has
    places = ("hall", "place")
    assert book.references == (Reference(("again",), "book", ("id",)), Reference(places, "shelf", places))
    assert [column.required for column in book.columns] == [False, True, False, False]
    assert loan.columns == (Column("book", "INTEGER"), Column("reader", ""))
    assert loan.references == (Reference(("book",), "book", ("id",)), Reference(("reader",), "nobody", ("id",)))


def test_names_of_any_kind(tmp_path: Path) -> None:
    script = (
        'CREATE TABLE "order"("group" TEXT, "a ""b" TEXT, [c d] TEXT, größe REAL);'
        "CREATE TABLE 'it''s'(x);"
        "INSERT INTO \"order\" VALUES ('a', 'b', 'c', 1.5);"
        "INSERT INTO 'it''s' VALUES (1), (2);"
    )
    engine = opened(tmp_path / "odd ?#%41 ünï.sqlite", script)
    order, quoted = engine.tables()
    assert [column.name for column in order.columns] == ["group", 'a "b', "c d", "größe"]
    assert (order.rows, quoted.name, quoted.rows) == (1, "it's", 2)
    assert engine.run('SELECT "group", "a ""b", [c d], größe FROM "order"').rows == (("a", "b", "c", 1.5),)
    assert engine.run('SELECT count(*) FROM "it\'s"').rows == ((2,),)
    assert engine.run("SELECT * FROM ORDER").kind == "sql_error"
    assert open_engine(engine.path) is engine


def test_what_is_not_a_plain_table(tmp_path: Path) -> None:
    engine = opened(
        tmp_path / "v.sqlite",
        """
        CREATE TABLE n(i INTEGER PRIMARY KEY AUTOINCREMENT, twice INT GENERATED ALWAYS AS (i * 2));
        INSERT INTO n DEFAULT VALUES;
        CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;
        CREATE VIEW few AS SELECT i, twice AS t FROM n WHERE i < 5;
        CREATE VIEW broken AS SELECT gone FROM n;
        CREATE VIEW endless AS SELECT a.i FROM n a, n b, (WITH RECURSIVE c(x) AS
            (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c);
        CREATE INDEX n_i ON n(i);
        """,
    )
    # sqlite_sequence is SQLite's own; views that cannot be counted within the budget are left out
    assert [(table.name, table.rows) for table in engine.tables()] == [("n", 1), ("w", 0), ("few", 1)]
    assert engine.run("SELECT twice FROM n").rows == ((2,),)
    assert engine.run("SELECT t FROM few").rows == ((2,),)
    assert engine.run("SELECT seq FROM sqlite_sequence").kind == "sql_denied"
    assert engine.run("SELECT * FROM broken").message == "no such column: gone"


def test_a_file_that_keeps_a_log_is_read_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE t(a)")
        connection.execute("INSERT INTO t VALUES (1)")
        connection.commit()
    assert [file.name for file in tmp_path.iterdir()] == ["log.sqlite"]  # the last connection wrote the log back
    assert open_engine(path).run("SELECT a FROM t").rows == ((1,),)
    assert [file.name for file in tmp_path.iterdir()] == ["log.sqlite"]


def test_schemas_with_long_definitions_and_wide_tables(tmp_path: Path) -> None:
    columns = ", ".join(f"column_number_{number} INTEGER DEFAULT {number}" for number in range(600))
    engine = opened(tmp_path / "wide.sqlite", f"CREATE TABLE wide({columns}); INSERT INTO wide DEFAULT VALUES;")
    assert len(engine.tables()[0].columns) == 600
    result = engine.run("SELECT * FROM wide ORDER BY 1")
    assert result.rows == (tuple(range(600)),)


def test_a_damaged_page_is_a_failure_of_the_machinery(tmp_path: Path) -> None:
    path = tmp_path / "cut.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA page_size = 512")
        connection.execute("CREATE TABLE t(a TEXT)")
        connection.execute("CREATE TABLE good(a)")
        connection.executemany("INSERT INTO t VALUES (?)", [(f"{number:0100d}",) for number in range(100)])
        connection.commit()
    raw = bytearray(path.read_bytes())
    raw[512 * 4 : 512 * 5] = b"\xff" * 512  # a page of t, long after the schema
    path.write_bytes(raw)
    engine = open_engine(path)
    assert engine.run("SELECT count(*) FROM good").rows == ((0,),)
    with pytest.raises(EngineFailure, match="the database failed: database disk image is malformed"):
        engine.run("SELECT max(a) FROM t")
    assert engine.run("SELECT count(*) FROM good").rows == ((0,),)  # and goes on
    with pytest.raises(DatabaseError, match=r"cannot read .*cut\.sqlite': database disk image is malformed"):
        engine.tables()


def test_content_is_the_files_bytes(tmp_path: Path) -> None:
    first = opened(tmp_path / "a.sqlite", "CREATE TABLE t(a)")
    (tmp_path / "b.sqlite").write_bytes((tmp_path / "a.sqlite").read_bytes())
    second, third = open_engine(tmp_path / "b.sqlite"), opened(tmp_path / "c.sqlite", "CREATE TABLE t(b)")
    assert first.content == second.content != third.content
    assert len(first.content) == 32
    first.close()
    (tmp_path / "a.sqlite").unlink()
    assert first.content == second.content  # computed once
    with pytest.raises(DatabaseError, match=r"cannot open the database .*a\.sqlite': No such file or directory"):
        first.run("SELECT 1")
