"""Near misses: one thing changed, never the gold, all of them written alike; probes that explore."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from sql_small import GOLDS, TABLES, bird, database, defog, result, spider, tables_in

from agentgym.envs.text_to_sql.canonical import canonical, columns_of, tables_of
from agentgym.envs.text_to_sql.engine import Column, TableInfo
from agentgym.envs.text_to_sql.near_misses import near_misses, probes, render
from agentgym.rng import TurnRng


def misses(gold: str, seed: int = 0, **options: object) -> dict[str, str]:
    return dict(near_misses(gold, TABLES, TurnRng(seed), limit=500, **options))  # type: ignore[arg-type]


CHANGES = [
    # gold, what must be among its near misses
    ("SELECT name FROM singer", "SELECT country FROM singer"),
    ("SELECT name FROM singer", "SELECT name FROM hall"),
    ("SELECT name FROM singer", "SELECT DISTINCT name FROM singer"),
    ("SELECT DISTINCT age FROM singer", "SELECT age FROM singer"),
    ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE age >= 20"),
    ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE age < 20"),
    ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE age > 21"),
    ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer WHERE id > 20"),
    ("SELECT name FROM singer WHERE age > 20", "SELECT name FROM singer"),
    ("SELECT name FROM singer WHERE age = 2 AND id = 3", "SELECT name FROM singer WHERE age = 2"),
    ("SELECT name FROM singer WHERE age = 2 AND id = 3", "SELECT name FROM singer WHERE age = 2 OR id = 3"),
    ("SELECT name FROM singer WHERE age = 2 OR id = 3", "SELECT name FROM singer WHERE id = 3"),
    ("SELECT name FROM singer WHERE age IS NULL", "SELECT name FROM singer WHERE age IS NOT NULL"),
    ("SELECT name FROM singer WHERE country IS NULL", "SELECT name FROM singer WHERE country = ''"),
    ("SELECT name FROM singer WHERE country = ''", "SELECT name FROM singer WHERE country IS NULL"),
    ("SELECT COALESCE(age, 0) FROM singer", "SELECT age FROM singer"),
    ("SELECT name FROM singer WHERE age <> 3", "SELECT name FROM singer WHERE age <> 3 OR age IS NULL"),
    ("SELECT id FROM concert WHERE held < '2014-03-01'", "SELECT id FROM concert WHERE held < '2014-02-28'"),
    ("SELECT id FROM concert WHERE held < '2016-03-01'", "SELECT id FROM concert WHERE held < '2016-02-29'"),
    ("SELECT id FROM hall WHERE name LIKE 'A%'", "SELECT id FROM hall WHERE name LIKE '%A'"),
    ("SELECT id FROM hall WHERE name LIKE 'A%'", "SELECT id FROM hall WHERE name NOT LIKE 'A%'"),
    ("SELECT id FROM hall WHERE seats BETWEEN 1 AND 9", "SELECT id FROM hall WHERE seats > 1 AND seats < 9"),
    ("SELECT id FROM hall WHERE seats IN (1, 2)", "SELECT id FROM hall WHERE seats IN (2)"),
    ("SELECT id FROM hall WHERE seats IN (1, 2)", "SELECT id FROM hall WHERE seats NOT IN (1, 2)"),
    ("SELECT sum(price) FROM concert", "SELECT avg(price) FROM concert"),
    ("SELECT count(age) FROM singer", "SELECT count(DISTINCT age) FROM singer"),
    ("SELECT count(DISTINCT age) FROM singer", "SELECT count(age) FROM singer"),
    ("SELECT year, count(*) FROM concert GROUP BY year", "SELECT price, count(*) FROM concert GROUP BY price"),
    ("SELECT year, count(*) FROM concert GROUP BY year", "SELECT year, count(*) FROM concert"),
    ("SELECT year, id FROM concert GROUP BY year, id", "SELECT year, id FROM concert GROUP BY id"),
    ("SELECT year FROM concert GROUP BY year HAVING count(*) > 2", "SELECT year FROM concert GROUP BY year"),
    (
        "SELECT year FROM concert GROUP BY year HAVING count(*) > 2",
        "SELECT year FROM concert GROUP BY year HAVING count(*) >= 2",
    ),
    ("SELECT name FROM hall ORDER BY seats DESC LIMIT 3", "SELECT name FROM hall ORDER BY seats LIMIT 3"),
    ("SELECT name FROM hall ORDER BY seats DESC LIMIT 3", "SELECT name FROM hall ORDER BY seats DESC LIMIT 4"),
    ("SELECT name FROM hall ORDER BY seats, name", "SELECT name FROM hall ORDER BY name, seats"),
    ("SELECT name FROM hall UNION SELECT name FROM singer", "SELECT name FROM hall INTERSECT SELECT name FROM singer"),
    ("SELECT name FROM hall UNION SELECT name FROM singer", "SELECT name FROM hall UNION ALL SELECT name FROM singer"),
    ("SELECT name FROM hall EXCEPT SELECT name FROM singer", "SELECT name FROM singer EXCEPT SELECT name FROM hall"),
    (
        "SELECT id FROM hall WHERE seats > 5 INTERSECT SELECT id FROM singer",
        "SELECT id FROM hall INTERSECT SELECT id FROM singer",
    ),
    ("SELECT age - id FROM singer", "SELECT age + id FROM singer"),
    ("SELECT age - id FROM singer", "SELECT id - age FROM singer"),
    (
        "SELECT rank() OVER (PARTITION BY age ORDER BY id) FROM singer",
        "SELECT dense_rank() OVER (PARTITION BY age ORDER BY id) FROM singer",
    ),
    ("SELECT rank() OVER (PARTITION BY age ORDER BY id) FROM singer", "SELECT rank() OVER (ORDER BY id) FROM singer"),
    (
        "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert)",
        "SELECT name FROM singer WHERE id IN (SELECT hall_id FROM concert)",
    ),
    (
        "SELECT name FROM singer WHERE id IN (SELECT singer_id FROM concert)",
        "SELECT name FROM singer WHERE id NOT IN (SELECT singer_id FROM concert)",
    ),
    (
        "SELECT CASE WHEN age > 1 THEN 'a' ELSE 'b' END FROM singer",
        "SELECT CASE WHEN age > 1 THEN 'b' ELSE 'a' END FROM singer",
    ),
    ("SELECT CAST(age AS REAL) FROM singer", "SELECT age FROM singer"),
    (
        "SELECT s.name FROM singer s JOIN concert c ON s.id = c.singer_id",
        "SELECT s.name FROM singer s LEFT JOIN concert c ON s.id = c.singer_id",
    ),
    (
        "SELECT s.name FROM singer s JOIN concert c ON s.id = c.singer_id",
        "SELECT s.name FROM singer s JOIN concert c ON s.id = c.hall_id",
    ),
    ("SELECT s.name FROM singer s JOIN concert c ON s.id = c.singer_id", "SELECT s.name FROM singer s"),
    (
        "SELECT s.name FROM singer s JOIN concert c ON s.id = c.singer_id",
        "SELECT s.name FROM singer s JOIN concert c ON s.id = c.singer_id JOIN hall h ON c.hall_id = h.id",
    ),
    (
        "SELECT s.id FROM singer s LEFT JOIN concert c ON s.id = c.singer_id AND c.year = 2",
        "SELECT s.id FROM singer s LEFT JOIN concert c ON s.id = c.singer_id WHERE c.year = 2",
    ),
    (
        "SELECT name FROM singer s WHERE EXISTS (SELECT 1 FROM concert c WHERE c.singer_id = s.id)",
        "SELECT name FROM singer s WHERE EXISTS (SELECT 1 FROM concert c)",
    ),
]


@pytest.mark.parametrize("gold, miss", CHANGES)
def test_each_change_is_made(gold: str, miss: str) -> None:
    forms = set()
    for seed in range(8):  # some are drawn among several alike
        forms |= {canonical(query, "sqlite", TABLES) for query in misses(gold, seed)}
    assert canonical(miss, "sqlite", TABLES) in forms


@pytest.mark.parametrize("gold", GOLDS)
def test_misses_are_other_queries_that_run_over_known_names(gold: str) -> None:
    connection = database()
    found = near_misses(gold, TABLES, TurnRng(1))
    forms = [canonical(query, "sqlite", TABLES) for query, _ in found]
    assert len(found) >= (8 if gold == "SELECT count(*) FROM singer" else 12)
    assert len(set(forms)) == len(forms) and canonical(gold, "sqlite", TABLES) not in forms
    assert not any(form.startswith(("?", "named")) for form in forms)
    outcomes = [result(connection, query) for query, _ in found]
    assert sum(outcome[0] == "error" for outcome in outcomes) <= len(outcomes) // 20
    same = sum(outcome == result(connection, gold) for outcome in outcomes)
    assert same <= 0.65 * len(outcomes)  # on so few rows some changes do not show
    connection.close()


def test_some_are_shorter_and_some_longer_than_the_gold() -> None:
    for gold in GOLDS[1:]:
        length = len(render(gold, TABLES))
        lengths = [len(query) for query, _ in near_misses(gold, TABLES, TurnRng(2))]
        assert min(lengths) < length < max(lengths), gold


def test_the_gold_and_its_misses_are_written_by_one_hand() -> None:
    for gold in GOLDS:
        for query in [render(gold, TABLES), *(miss for miss, _ in near_misses(gold, TABLES, TurnRng(0), limit=12))]:
            assert render(query, TABLES) == query
            assert not re.search(r"  |;|\b(select|from|where|and|count)\b|==|!=|\"", query)


def test_names_are_spelt_as_declared_and_quoted_where_they_must_be() -> None:
    tables = (
        TableInfo("Odd One", (Column("Free Count (K-12)", "INT"), Column("order", "TEXT"), Column("Name", "TEXT"))),
    )
    gold = 'select [free count (k-12)], `ORDER` from "odd one" as T where NAME = "x"'
    assert render(gold, tables) == "SELECT `Free Count (K-12)`, `order` FROM `Odd One` AS T WHERE Name = 'x'"
    assert all(render(query, tables) == query for query, _ in near_misses(gold, tables, TurnRng(0)))


def test_render_is_the_same_query_and_keeps_functions_and_types() -> None:
    for gold in (
        *GOLDS,
        "SELECT IFNULL(CAST(age AS STRING), len(name)), substr(name, 1) FROM singer WHERE NOT age NOTNULL",
    ):
        assert canonical(render(gold, TABLES), "sqlite", TABLES) == canonical(gold, "sqlite", TABLES)
    assert (
        render("select cast(a as  decimal(5,2)), ifnull(b, 0) from t")
        == "SELECT CAST(a AS DECIMAL(5, 2)), IFNULL(b, 0) FROM t"
    )
    assert render("no query") == "no query"


def test_the_same_draws_give_the_same_misses_and_others_others() -> None:
    gold = GOLDS[4]
    first = near_misses(gold, TABLES, TurnRng(3))
    assert near_misses(gold, TABLES, TurnRng(3)) == first
    assert near_misses(gold, TABLES, TurnRng(4)) != first
    assert near_misses(render(gold, TABLES), TABLES, TurnRng(3)) == first


def test_kinds_share_a_short_list() -> None:
    kinds = Counter(what for _, what in near_misses(GOLDS[9], TABLES, TurnRng(5), limit=12))
    assert len(kinds) >= 10


def test_a_miss_has_near_misses_of_its_own() -> None:
    miss = near_misses(GOLDS[3], TABLES, TurnRng(0))[0][0]
    assert len(near_misses(miss, TABLES, TurnRng(0))) >= 12


def test_known_values_are_used() -> None:
    values = {("singer", "country"): ["Chad", "Peru"], ("singer", "age"): [77]}
    texts = misses("SELECT name FROM singer WHERE country = 'France'", values=values)
    assert "SELECT name FROM singer WHERE country = 'Chad'" in texts
    assert "SELECT name FROM singer WHERE country = 'Peru'" in texts
    seeds = [misses("SELECT name FROM singer WHERE country = 'France'", seed, values=values) for seed in range(6)]
    assert any("SELECT name FROM singer WHERE country = 'France' AND age >= 77" in texts for texts in seeds)


@pytest.mark.parametrize(
    "text", ["", "nope", "SELECT", "DELETE FROM singer", "SELECT 1; SELECT 2", "SELECT " + "(" * 50 + "1" + ")" * 50]
)
def test_what_cannot_be_read_has_no_near_misses(text: str) -> None:
    assert near_misses(text, TABLES, TurnRng(0)) == []
    assert all(query.startswith("SELECT") for query, _ in probes(text, TABLES, TurnRng(0)))


def test_queries_of_odd_shape_do_not_raise() -> None:
    for query in (
        "SELECT 1",
        "SELECT * FROM nowhere",
        "SELECT x.a FROM (SELECT 1 AS a) x",
        "SELECT * FROM singer NATURAL JOIN hall",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT n FROM r",
        "SELECT a FROM t JOIN u USING (a)",
        "(SELECT name FROM singer) UNION SELECT name FROM hall ORDER BY 1 LIMIT 2",
    ):
        for found, _ in near_misses(query, TABLES, TurnRng(0)):
            assert not canonical(found, "sqlite", TABLES).startswith("?")


@pytest.mark.parametrize("gold", GOLDS)
def test_probes_run_and_are_not_the_gold(gold: str) -> None:
    connection = database()
    found = probes(gold, TABLES, TurnRng(0))
    assert len(found) >= 5
    for query, _ in found:
        assert result(connection, query)[0] == "rows", query
        assert canonical(query, "sqlite", TABLES) != canonical(gold, "sqlite", TABLES)
        assert render(query, TABLES) == query
    tables = {table for query, _ in found for table in tables_of(query)}
    assert tables == {"singer", "concert", "hall"}  # what the gold does not read is looked at too
    connection.close()


def test_probes_look_at_what_the_gold_asks() -> None:
    gold = "SELECT name FROM singer WHERE age > (SELECT avg(age) FROM singer) AND country = 'France'"
    texts = {query for seed in range(5) for query, _ in probes(gold, TABLES, TurnRng(seed))}
    assert "SELECT DISTINCT country FROM singer ORDER BY country LIMIT 10" in texts
    assert "SELECT MIN(age), MAX(age) FROM singer" in texts
    assert "SELECT COUNT(*) FROM singer WHERE country = 'France'" in texts
    assert "SELECT AVG(age) FROM singer" in texts


def _seen(queries: list[str]) -> tuple[TableInfo, ...]:
    """Return the tables that queries speak of, where their schema is not given."""
    tables: dict[str, dict[str, None]] = {}
    for query in queries:
        for table, column in columns_of(query, ()):
            tables.setdefault(table, {})[column] = None
    return tuple(
        TableInfo(name, tuple(Column(column, "") for column in columns if column != "*"))
        for name, columns in tables.items()
    )


@pytest.mark.parametrize("step", [100, pytest.param(10, marks=pytest.mark.slow)])
def test_public_golds_have_near_misses(step: int) -> None:
    for query, tables in spider()[::step]:
        assert len(near_misses(query, tables, TurnRng(0), limit=8)) >= 5, query
    golds = bird()
    tables = _seen(golds[:: max(step // 10, 1)])
    for query in golds[::step]:
        assert len(near_misses(query, tables, TurnRng(0), limit=8)) >= 5, query


@pytest.mark.parametrize("step", [40, pytest.param(4, marks=pytest.mark.slow)])
def test_near_misses_of_defog_golds_run(step: int) -> None:
    read: dict[Path, tuple[TableInfo, ...]] = {}
    ran = failed = 0
    for query, path in defog()[::step]:
        tables = read.setdefault(path, tables_in(path))
        found = near_misses(query, tables, TurnRng(0), limit=12)
        assert len(found) >= 5 or query.endswith("date('now'))"), query
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        for miss, _ in found:
            try:
                connection.execute(miss)
                ran += 1
            except sqlite3.Error:
                failed += 1
        connection.close()
    assert failed <= 0.02 * ran
