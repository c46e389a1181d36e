"""What stands in front of a PostgreSQL server: what is refused, and where the clock is put in; no server is needed."""

from __future__ import annotations

import pytest

from agentgym.envs.text_to_sql.postgres_guard import CLOCK, frozen, refusal
from agentgym.envs.text_to_sql.postgres_setup import ADMINISTERED, GROWING, SCHEMA, SETTINGS, STABLE
from agentgym.envs.text_to_sql.result import BUDGET, DENIED, ERROR, LIMIT, Result

TABLES = frozenset(("item", "sale"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT name FROM item", None),
        ("SELECT i.name FROM public.ITEM AS i JOIN sale USING (id)", None),
        ("(SELECT 1) UNION ALL (SELECT 2) ORDER BY 1", None),
        ("VALUES (1), (2)", None),
        ("TABLE item", None),
        ("WITH x AS (SELECT * FROM item) SELECT * FROM x, LATERAL (SELECT x.name) AS y", None),
        ("SELECT * FROM generate_series(1, 3) AS g(n)", None),
        ("SELECT * FROM unnest(ARRAY[1, 2]) WITH ORDINALITY", None),
        ("SELECT * FROM x", ERROR),
        ("WITH x AS (SELECT 1) SELECT * FROM public.x", ERROR),
        ("SELECT * FROM pg_class", DENIED),
        ("SELECT * FROM pg_catalog.item", DENIED),
        ("SELECT * FROM information_schema.columns", DENIED),
        ("SELECT * FROM other.shop.item", DENIED),
        ("SELECT * FROM gold_answers", DENIED),
        ("INSERT INTO item VALUES (1)", DENIED),
        ("WITH x AS (UPDATE item SET a = 1 RETURNING a) SELECT * FROM x", DENIED),
        ("SELECT * INTO other FROM item", DENIED),
        ("SELECT * FROM item FOR SHARE", DENIED),
        ("SELECT * FROM item TABLESAMPLE BERNOULLI (10)", DENIED),
        ("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c", BUDGET),
        ("SELECT * FROM item WHERE id = $1", ERROR),
        ("SELECT * FROM item WHERE id = :id", ERROR),
        ("SELECT described()", DENIED),
        ("SELECT agentgym.Described()", DENIED),
        ("SELECT 'now'", DENIED),
        ("SELECT CAST(' Tomorrow 10:00' AS timestamp)", DENIED),
        ("SELECT DATE 'yesterday'", DENIED),
        ("SELECT 'nowhere', 'not now', 'todays'", None),
        ("SELECT 1; SELECT 2", ERROR),
        ("SELECT 'a''; SELECT 2'", None),
        ("SELECT FROM WHERE", ERROR),
        ("SELECT " + "- " * 3_000 + "1", LIMIT),
    ],
)
def test_a_statement(query: str, expected: str | None) -> None:
    found = refusal(query, TABLES)
    assert (None if found is None else found.kind) == expected, found
    assert found is None or found.message


@pytest.mark.parametrize(
    ("query", "made"),
    [
        ("SELECT 1", "SELECT 1"),
        ("SELECT CURRENT_DATE", "SELECT agentgym.day()"),
        ("SELECT current_date - 1 AS d", "SELECT agentgym.day() - 1 AS d"),
        ("SELECT CURRENT_TIMESTAMP(3), x", "SELECT agentgym.moment(), x"),
        ("SELECT Current_Time( 0 ), LOCALTIME", "SELECT agentgym.hour(), agentgym.hour()"),
        ("SELECT LOCALTIMESTAMP::date", "SELECT agentgym.local()::date"),
        ("SELECT CURRENT_TIMESTAMP (x)", "SELECT agentgym.moment() (x)"),  # no precision: the server will say so
        (
            "SELECT 'CURRENT_DATE', \"CURRENT_DATE\", t.CURRENT_DATE",
            "SELECT 'CURRENT_DATE', \"CURRENT_DATE\", t.CURRENT_DATE",
        ),
        ("SELECT 1 -- CURRENT_DATE", "SELECT 1 -- CURRENT_DATE"),
        ("SELECT /* CURRENT_DATE */ 1", "SELECT /* CURRENT_DATE */ 1"),
        ("SELECT my_current_date, current_dates", "SELECT my_current_date, current_dates"),
    ],
)
def test_the_clock_is_put_in(query: str, made: str) -> None:
    assert frozen(query) == made


@pytest.mark.parametrize(
    "word", ["CURRENT_USER", "session_user", "USER", "current_role", "CURRENT_CATALOG", "Current_Schema"]
)
def test_what_is_the_servers_is_refused(word: str) -> None:
    assert frozen(f"SELECT {word}") == Result(DENIED, message=f"the function {word.lower()}() is not available here")
    assert frozen(f"SELECT '{word}', t.{word}") == f"SELECT '{word}', t.{word}"


def test_lists_of_the_setup() -> None:
    assert set(CLOCK.values()) <= {"day", "hour", "moment", "local"}
    assert SETTINGS["search_path"].split(", ") == [
        SCHEMA,
        "public",
        "pg_catalog",
    ]  # the clock stands before the server's
    assert SETTINGS["default_transaction_read_only"] == "on"
    assert not set(SETTINGS) & set(ADMINISTERED)
    assert not set(STABLE) & set(GROWING)
    assert not set(STABLE) & {"now", "current_setting", "version", "age", "statement_timestamp"}
