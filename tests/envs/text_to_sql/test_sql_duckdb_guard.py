"""What DuckDB's own tree of a statement says about it, and how much work a plan is."""

from __future__ import annotations

import json

import pytest

from agentgym.envs.text_to_sql.duckdb_guard import FUNCTIONS, MAX_JOINED, SERIES, refusal
from agentgym.envs.text_to_sql.result import BUDGET, DENIED, ERROR, LIMIT

duckdb = pytest.importorskip("duckdb", reason="DuckDB's parser needs the package duckdb (the extra `engines`)")

from agentgym.envs.text_to_sql.duckdb_engine import _rows, _shown, _work  # noqa: E402 - needs duckdb

TABLES = frozenset(("item", "sale"))


def kind(query: str) -> str | None:
    """Return as what a statement is refused."""
    with duckdb.connect(":memory:") as connection:
        found = refusal(json.loads(connection.execute("SELECT json_serialize_sql(?)", [query]).fetchone()[0]), TABLES)
    return None if found is None else found.kind


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT name FROM item", None),
        ("SELECT i.name FROM ITEM AS i JOIN main.sale USING (id)", None),
        ("WITH item2 AS (SELECT * FROM item) SELECT * FROM item2", None),
        ("SELECT * FROM item2", ERROR),
        ("WITH item2 AS (SELECT 1) SELECT * FROM main.item2", ERROR),
        ("WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT (SELECT count(*) FROM B), * FROM a", None),
        ("SELECT * FROM (WITH a AS (SELECT 1 AS x) SELECT x FROM a UNION SELECT x FROM (SELECT * FROM a)) AS q", None),
        ("WITH a AS (SELECT 1), b AS (WITH c AS (SELECT * FROM a) SELECT * FROM c) SELECT * FROM b, c", ERROR),
        ("WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", ERROR),
        ("WITH item AS (SELECT * FROM item) SELECT * FROM item", None),
        ("SELECT * FROM pg_class, (WITH pg_class AS (SELECT 1) SELECT * FROM pg_class)", DENIED),
        ("WITH a AS (SELECT * FROM duckdb_tables), duckdb_tables AS (SELECT 1) SELECT * FROM a", DENIED),
        ("WITH duckdb_tables AS (SELECT * FROM duckdb_tables) SELECT * FROM duckdb_tables", DENIED),
        ("WITH a AS (WITH pg_class AS (SELECT 1) SELECT * FROM pg_class) SELECT * FROM a, pg_class", DENIED),
        ("WITH a AS (SELECT random()) SELECT 1", DENIED),
        ("SELECT * FROM memory.main.item", DENIED),
        ("SELECT * FROM information_schema.tables", DENIED),
        ("SELECT * FROM other.item", DENIED),
        ("SELECT (SELECT count(*) FROM duckdb_tables)", DENIED),
        ("SELECT sum(a), avg(DISTINCT b), lag(a) OVER (ORDER BY b), a || b, a LIKE 'x%', -a, a[1] FROM item", None),
        ("SELECT extract(year FROM d), d + INTERVAL 3 DAYS, date_trunc('month', d), CAST(a AS DATE) FROM item", None),
        ("SELECT CASE WHEN a IN (1, 2) THEN coalesce(b, 'x') ELSE NULL END FROM item", None),
        ("SELECT list_transform([1], x -> x + 1)", DENIED),
        ("SELECT random()", DENIED),
        ("SELECT main.sum(a) FROM item", DENIED),
        ("SELECT system.main.now()", DENIED),
        ("SELECT getvariable('x')", DENIED),
        ("SELECT levenshtein(a, b) FROM item", DENIED),  # its work is the product of two lengths that no planner knows
        ("SELECT a FROM item ORDER BY hash(a)", DENIED),
        ("SELECT a FROM item WHERE EXISTS (SELECT 1 FROM sale WHERE uuid() = b)", DENIED),
        ("SELECT * FROM range(3), generate_series(DATE '2024-01-01', DATE '2024-02-01', INTERVAL 1 DAY)", DENIED),
        ("SELECT * FROM range(3), generate_series(-2, 5), unnest([1, 2, -3])", None),
        ("SELECT * FROM item, range(item.a)", DENIED),
        ("SELECT * FROM glob('*')", DENIED),
        ("SELECT range(1000000000)", DENIED),
        ("SELECT * FROM item TABLESAMPLE 3 ROWS", DENIED),
        ("SELECT * FROM item WHERE a = $1", ERROR),
        ("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c", BUDGET),
        ("SELECT replace(a, 'ab', 'b') FROM item", None),
        ("SELECT replace(a, 'b', 'c'), replace(a, 'b', '') FROM item", None),
        ("SELECT replace(a, 'b', 'cd') FROM item", DENIED),
        ("SELECT replace(a, 'b', a) FROM item", DENIED),
        ("SELECT age(DATE '2024-01-01')", DENIED),
        ("SELECT age(now(), TIMESTAMP '2024-01-01')", None),
        ("SELECT " + " || ".join(["a"] * (MAX_JOINED + 1)) + " FROM item", None),
        ("SELECT " + " || ".join(["a"] * (MAX_JOINED + 2)) + " FROM item", LIMIT),
        ("SELECT concat(" + ", ".join(["a"] * (MAX_JOINED + 2)) + ") FROM item", LIMIT),
        ("SELECT " + ", ".join(["1"] * 2_001), LIMIT),
        ("SELECT 1; SELECT 2", ERROR),
        ("DESCRIBE item", DENIED),
        ("DELETE FROM item", DENIED),
        ("SELEC 1", ERROR),
    ],
)
def test_a_tree(query: str, expected: str | None) -> None:
    assert kind(query) == expected


def test_every_listed_function_is_duckdbs() -> None:
    with duckdb.connect(":memory:") as connection:
        known = {
            name for (name,) in connection.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
        }
    # what the grammar makes of keywords, operators and clauses is in no list of functions
    written = {name for name in FUNCTIONS if not name[0].isalpha()} | {
        "coalesce", "current_date", "current_time", "current_timestamp", "extract", "if", "ifnull", "nullif", "row",
        "current_localtime", "current_localtimestamp", "rank_dense", "count_star", "position", "glob", "trim",
    }  # fmt: skip
    assert len(FUNCTIONS - known - written) < len(FUNCTIONS) / 10, sorted(FUNCTIONS - known - written)
    assert not FUNCTIONS & {
        "random",
        "setseed",
        "uuid",
        "repeat",
        "lpad",
        "rpad",
        "format",
        "printf",
        "version",
        "nextval",
    }
    assert not FUNCTIONS & SERIES


def plan(name: str, rows: int | None, *below: dict[str, object]) -> dict[str, object]:
    """Return an operator of a plan as DuckDB writes it."""
    return {
        "name": name,
        "children": list(below),
        "extra_info": {} if rows is None else {"Estimated Cardinality": f"~{rows}"},
    }


def test_the_work_of_a_plan_by_hand() -> None:
    scan = plan("SEQ_SCAN", 1000)
    assert _work(scan) == 1000
    assert _work(plan("FILTER", 10, scan)) == 1010
    # a hash join passes on what it is expected to; one that looks at pairs counts them
    assert _work(plan("HASH_JOIN", 1500, scan, scan)) == 3500
    assert _work(plan("CROSS_PRODUCT", 1, scan, scan)) == 1_002_000
    assert _work(plan("BLOCKWISE_NL_JOIN", 5, scan, plan("FILTER", 10, scan))) == 10_000 + 1000 + 1010
    # an operator without an estimate is as large as the largest below it
    assert _rows(plan("UNNEST", None, plan("FILTER", 10, scan), scan)) == 1000
    assert _rows(plan("DUMMY_SCAN", None)) == 1


def test_a_plan_in_lines() -> None:
    made = _shown([plan("UNGROUPED_AGGREGATE", 1, plan("SEQ_SCAN", 1000))])
    assert made == "UNGROUPED_AGGREGATE (1 rows)\n  SEQ_SCAN (1000 rows)"
