"""What a query is and what it speaks of, on queries small enough to say it by hand."""

from __future__ import annotations

import pytest
from sql_small import GOLDS, TABLES

from agentgym.envs.text_to_sql.lexical import lexical
from agentgym.envs.text_to_sql.parsing import marked_tree, nodes_of
from agentgym.envs.text_to_sql.reading import (
    NONE,
    OTHER,
    READ,
    WRITE,
    Statements,
    columns_of,
    literals_of,
    skeleton,
    statements,
    tables_of,
)

KINDS = [
    ("SELECT 1", 1, READ),
    (" ( SELECT 1 ) ;; -- x", 1, READ),
    ("WITH x AS (SELECT 1) SELECT * FROM x", 1, READ),
    ("VALUES (1)", 1, READ),
    ("SELECT 1;;SELECT 2", 2, READ),
    ("SELECT ';'", 1, READ),
    ("SELECT (", 1, READ),  # no SQL, but it would only read
    ("DELETE FROM t", 1, WRITE),
    ("WITH x AS (SELECT 1) DELETE FROM t", 1, WRITE),
    ("WITH x AS (SELECT (1) DELETE FROM t", 1, READ),  # the bracket is never closed, so all of it is inside
    ("/* SELECT */ INSERT INTO t VALUES (1)", 1, WRITE),
    ("REPLACE INTO t VALUES (1)", 1, WRITE),
    ("SELECT 1; DROP TABLE t", 2, WRITE),
    ("VACUUM INTO 'x'", 1, WRITE),
    ("PRAGMA query_only = OFF", 1, OTHER),
    ("ATTACH 'x' AS y; SELECT 1", 2, OTHER),
    ("EXPLAIN SELECT 1", 1, OTHER),
    ("hello", 1, OTHER),
    ("", 0, NONE),
    ("-- SELECT 1", 0, NONE),
]


@pytest.mark.parametrize("query, count, kind", KINDS)
def test_statements_are_counted_and_classified(query: str, count: int, kind: str) -> None:
    assert statements(query) == Statements(count, kind)


def test_a_write_inside_a_query_is_a_write() -> None:
    assert statements("WITH a AS (DELETE FROM t RETURNING i) SELECT * FROM a", "postgres").kind == WRITE


def test_a_with_beyond_the_parsers_bounds_is_classified_by_its_words() -> None:
    long = "WITH a AS (SELECT 1" + ", 2" * 900 + ") "
    assert statements(long + "SELECT * FROM a").kind == READ
    assert statements(long + "DELETE FROM t").kind == WRITE


def test_nothing_is_printed_or_logged(capfd: pytest.CaptureFixture[str]) -> None:
    for query, _, _ in KINDS:
        statements(query + " ")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "query, tables",
    [
        ("SELECT 1", ()),
        ("SELECT a FROM T, `U` AS x JOIN u ON 1", ("t", "u")),
        ("WITH c AS (SELECT a FROM t) SELECT * FROM c, v", ("v", "t")),  # the outer block's own come first
        ("SELECT * FROM (SELECT a FROM t) WHERE a IN (SELECT b FROM u UNION SELECT c FROM w)", ("t", "u", "w")),
        ("SELECT (", ()),
    ],
)
def test_tables_of(query: str, tables: tuple[str, ...]) -> None:
    assert sorted(tables_of(query)) == sorted(tables)


@pytest.mark.parametrize(
    "query, columns",
    [
        ("SELECT Name FROM singer AS s WHERE s.age > 2", [("singer", "age"), ("singer", "name")]),
        ("SELECT seats FROM singer JOIN hall WHERE price > (SELECT age)", [("hall", "seats"), ("singer", "age")]),
        ("SELECT x FROM (SELECT max(age) AS x FROM singer)", [("singer", "age")]),
        ("SELECT *, count(*) FROM hall ORDER BY count(*)", [("hall", "*")]),
        ("SELECT h.* FROM hall h, singer", [("hall", "*")]),
        ('SELECT id FROM hall WHERE city = "Rome"', [("hall", "city"), ("hall", "id")]),
        ("SELECT year AS name FROM concert ORDER BY name", [("concert", "year")]),
        ("no query", []),
    ],
)
def test_columns_of(query: str, columns: list[tuple[str, str]]) -> None:
    assert sorted(columns_of(query, TABLES)) == columns


@pytest.mark.parametrize(
    "query, literals",
    [
        ("SELECT name FROM singer WHERE age > -3 AND country = 'It''s' ORDER BY 1 LIMIT 5", ["-3", "5", "It's"]),
        ("SELECT age, count(*) FROM singer GROUP BY 1 HAVING count(*) > 1.50", ["1.50"]),
        ('SELECT name FROM singer WHERE "country" = "France" OR age IN (1, 2, 1)', ["1", "2", "France"]),
        ("SELECT date('now', '-1 day')", ["-1 day", "now"]),
        ("SELECT CAST(age AS DECIMAL(5, 2)) FROM singer", []),
        ("no query 5", []),
    ],
)
def test_literals_of(query: str, literals: list[str]) -> None:
    assert sorted(literals_of(query, TABLES)) == literals


@pytest.mark.parametrize(
    "query, bare",
    [
        ("SELECT s.name AS n FROM singer AS s WHERE s.age>20", "SELECT _ FROM _ WHERE _ > ?"),
        ("SELECT max(a) FROM t GROUP BY b HAVING count(*) > 3", "SELECT MAX(_) FROM _ GROUP BY _ HAVING COUNT(*) > ?"),
        ("SELECT a FROM t WHERE a IN (1, 2, 3)", "SELECT _ FROM _ WHERE _ IN (?)"),
        ("SELECT t.*, CASE WHEN a = 1 THEN 'x' END AS c FROM t", "SELECT *, CASE WHEN _ = ? THEN ? END FROM _"),
        ("WITH c AS (SELECT 1 AS x) SELECT x FROM c", "WITH _ AS (SELECT ?) SELECT _ FROM _"),
        ("nope 'a' 12 b", "nope ? ? b"),
    ],
)
def test_skeleton(query: str, bare: str) -> None:
    assert skeleton(query) == bare


def test_skeletons_of_questions_of_one_family_are_equal() -> None:
    one = "SELECT s.name FROM singer s JOIN concert c ON s.id = c.singer_id WHERE c.year = 2014"
    other = "SELECT h.city FROM hall AS h JOIN concert AS k ON h.id = k.hall_id WHERE k.price = 7.5"
    assert skeleton(one) == skeleton(other) != skeleton(one.replace("=", "<", 1))


@pytest.mark.parametrize("query", GOLDS)
def test_trees_are_shared_and_their_nodes_are_those_that_sqlglot_walks(query: str) -> None:
    tree = marked_tree(lexical(query), "sqlite")
    assert tree is not None and tree is marked_tree(lexical(f"{query} -- again"), "sqlite")
    assert list(map(id, nodes_of(tree))) == list(map(id, tree.walk()))


def test_what_is_no_reading_statement_has_no_tree() -> None:
    texts = ("", "DELETE FROM singer", "SELECT 1; SELECT 2", "SELECT FROM WHERE", "(" * 500)
    assert [marked_tree(lexical(text), "sqlite") for text in texts] == [None] * len(texts)
