"""Statements that an agent should never get anything out of, each with what it must come to; and a small database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from agentgym.envs.text_to_sql.result import BUDGET, DENIED, EMPTY, ERROR, LIMIT, PLAN, ROWS

NUMBERS = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) "
LISTED: tuple[tuple[int, str, str], ...] = (
    (1, "DELETE FROM t", DENIED),
    (2, "UPDATE t SET v=0", DENIED),
    (3, "INSERT INTO t VALUES(9001, 1, 'x')", DENIED),
    (3, "REPLACE INTO t VALUES(1, 1, 'x')", DENIED),
    (4, "DROP TABLE t", DENIED),
    (5, "CREATE TABLE z(a)", DENIED),
    (6, "ALTER TABLE t RENAME TO s", DENIED),
    (7, "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END", DENIED),
    (8, "WITH x AS (SELECT 1) DELETE FROM t", DENIED),
    (9, "/* hi */ DELETE FROM t", DENIED),
    (10, "SELECT 1; DROP TABLE t", ERROR),
    (11, "SELECT 1;;", ROWS),
    (12, "ATTACH DATABASE 'elsewhere.sqlite' AS p", DENIED),
    (13, "ATTACH ':memory:' AS m", DENIED),
    (14, "VACUUM INTO 'elsewhere.sqlite'", DENIED),
    (15, "PRAGMA writable_schema=ON", DENIED),
    (16, "PRAGMA query_only=OFF", DENIED),
    (17, "PRAGMA journal_mode=DELETE", DENIED),
    (18, "PRAGMA database_list", DENIED),
    (18, "SELECT * FROM pragma_database_list", DENIED),
    (19, "SELECT * FROM pragma_table_info('t')", DENIED),
    (20, "SELECT load_extension('x')", DENIED),
    (21, "SELECT readfile('x')", ERROR),
    (21, "SELECT writefile('x', 'y')", ERROR),
    (22, "SELECT fts3_tokenizer('simple')", DENIED),
    (23, NUMBERS + "SELECT n FROM c", LIMIT),
    (24, NUMBERS + "SELECT count(*) FROM c", BUDGET),
    (25, "SELECT count(*) FROM t a, t b, t c, t d, t e, t f, t g", BUDGET),
    (26, "SELECT hex(randomblob(500000000))", DENIED),
    (27, "SELECT zeroblob(2000000000)", DENIED),
    (28, "SELECT replace(hex(zeroblob(2e7)), '0', 'ab')", DENIED),
    (29, "SELECT group_concat(a.b) FROM t a, t b, t c, t d, t e", BUDGET),
    (30, "SELECT " + "(" * 2000 + "1" + ")" * 2000, ERROR),
    (31, "SELECT " + "+".join(["1"] * 5000), LIMIT),
    (32, "SELECT " + ",".join(["1"] * 5000), LIMIT),
    (33, "SELECT 1" + " UNION ALL SELECT 1" * 2999, LIMIT),
    (34, "SELECT 1 IN (" + ",".join(map(str, range(200_000))) + ")", LIMIT),
    (35, "SELECT random()", DENIED),
    (35, "SELECT randomblob(8)", DENIED),
    (35, "SELECT a FROM t ORDER BY random()", DENIED),
    (36, "SELECT datetime('now')", ROWS),
    (36, "SELECT CURRENT_TIMESTAMP", ROWS),
    (36, "SELECT date()", ROWS),
    (36, "SELECT strftime('%s', 'now')", ROWS),
    (37, "SELECT * FROM sqlite_master", DENIED),
    (37, "SELECT b FROM t UNION SELECT sql FROM sqlite_schema", DENIED),
    (38, "SELECT * FROM gold_answers", DENIED),
    (38, "SELECT (SELECT answer FROM gold_answers)", DENIED),
    (38, "SELECT count(*) FROM gold_answers", DENIED),
    (39, "BEGIN EXCLUSIVE", DENIED),
    (39, "SAVEPOINT a", DENIED),
    (40, "CREATE TEMP TABLE q AS SELECT * FROM t", DENIED),
    (41, "ANALYZE", DENIED),
    (41, "REINDEX", DENIED),
    (42, "EXPLAIN QUERY PLAN SELECT * FROM t", PLAN),
    (43, "", EMPTY),
    (43, "-- nothing", EMPTY),
    (43, " \n\t ", EMPTY),
    (44, "SELECT 1 /*", ROWS),
    (45, "SELECT 1\0", ERROR),
    (46, "SELECT '\ud800'", ERROR),
    (47, "SELECT 9e999, 9e999-9e999", ROWS),
    (48, "SELECT abs(-9223372036854775808)", ERROR),
    (49, "SELECT CAST(x'ff' AS TEXT)", ROWS),
    (50, "SELECT sqlite_version()", DENIED),
    (50, "SELECT changes()", DENIED),
    (51, "SELECT b FROM t ORDER BY v LIMIT 1", ROWS),
    (52, "SELECT ?1", ERROR),
    (52, "SELECT :x", ERROR),
    (53, "SELECT * FROM t INDEXED BY nope", ERROR),
    (53, "SELECT * FROM dbstat", DENIED),
    (53, "SELECT * FROM generate_series(1, 1e9)", ERROR),
    (54, "SELECT a, a FROM t LIMIT 1", ROWS),
)
"""The list of RELIABILITY.md: its number, the statement, what it comes to. A file named in one must not appear."""


def make_database(path: Path) -> str:
    """Write a database of two tables, an index, a view and a text that is no UTF-8; return its path."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            PRAGMA synchronous = OFF;
            BEGIN;
            CREATE TABLE t(a INTEGER PRIMARY KEY, v INT, b TEXT NOT NULL);
            CREATE TABLE u(id INT REFERENCES t, w TEXT);
            CREATE INDEX t_v ON t(v);
            CREATE VIEW loud AS SELECT upper(b) AS x FROM t;
            CREATE TABLE odd(x);
            INSERT INTO odd VALUES(CAST(x'ff41' AS TEXT));
            """
        )
        connection.executemany("INSERT INTO t VALUES(?, ?, ?)", [(i, i % 7, f"name{i}") for i in range(1000)])
        connection.execute("INSERT INTO u SELECT a, b FROM t")
        connection.commit()
    return str(path)
