"""What a question of the shipped panel must keep: each fault is found, and what is right is let through."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
import sqlglot

from agentgym.envs.text_to_sql.shipped import checks, settled
from agentgym.envs.text_to_sql.shipped.families import Question, Rows

SCHEMA = "CREATE TABLE runner (id INTEGER PRIMARY KEY, club TEXT, name TEXT, age INTEGER, time REAL);"
# Ada and Bo share age 30, Cy and Di share the name of their club; only Eve has no club.
FIRST: Rows = [
    (1, "North", "Ada", 30, 10.5), (2, "North", "Bo", 30, 11.5), (3, "South", "Cy", 41, 12.25),
    (4, "South", "Di", 25, 13.75), (5, None, "Eve", 50, 14.125),
]  # fmt: skip
OTHERS: tuple[Rows, ...] = (
    [*FIRST[:4], (5, None, "Fay", 51, 9.5)],
    [*FIRST[:3], (4, "South", "Gus", 22, 13.0), (5, None, "Hal", 52, 9.0)],
)


@pytest.fixture(scope="module")
def fillings() -> Iterator[list[sqlite3.Connection]]:
    made = []
    for rows in (FIRST, *OTHERS):
        connection = sqlite3.connect(":memory:")
        connection.executescript(SCHEMA)
        connection.executemany("INSERT INTO runner VALUES (?, ?, ?, ?, ?)", rows)
        made.append(connection)
    yield made
    for connection in made:
        connection.close()


def found(fillings: list[sqlite3.Connection], question: str, gold: str, evidence: str = "") -> list[str]:
    return checks.faults(Question("toy/q/1", "toy", "easy", question, evidence, gold), fillings)


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("Who is the oldest?", "SELECT name FROM runner ORDER BY age DESC LIMIT 1"),
        ("Sort names by age, equal ages by id.", "SELECT name FROM runner ORDER BY age, id"),
        ("Sort names by age, equal ages by name.", "SELECT name AS n FROM runner ORDER BY age, n"),
        ("Sort names by twice their age, equal ages by id.", "SELECT name FROM runner ORDER BY age * 2, id"),
        ("Who is without a club?", "SELECT name FROM runner WHERE club IS NULL"),
        ("Who are the 2 slowest, the slowest first?", "SELECT name FROM runner ORDER BY time DESC LIMIT 2"),
        ("Names and clubs, sorted?", "SELECT name FROM runner UNION SELECT club FROM runner ORDER BY 1"),
    ],
)
def test_what_is_right_is_let_through(fillings: list[sqlite3.Connection], question: str, gold: str) -> None:
    assert found(fillings, question, gold) == []


@pytest.mark.parametrize(
    ("gold", "fault"),
    [
        ("SELECT name FROM runner LIMIT 2", "LIMIT without ORDER BY"),
        ("SELECT name FROM runner ORDER BY age LIMIT 2", "a tie across the end of LIMIT"),  # 25, 30 | 30
        ("SELECT name FROM runner ORDER BY age LIMIT 1 OFFSET 2", "a tie across the start of LIMIT"),
        ("SELECT name FROM runner ORDER BY age", settled.TIED_ROWS),
        ("SELECT club, COUNT(*) FROM runner GROUP BY club ORDER BY COUNT(*)", settled.TIED_ROWS),  # 1, 2, 2
        ("SELECT DISTINCT club FROM runner ORDER BY age", "ORDER BY age: not among the result's columns"),
        ("SELECT name FROM runner WHERE id IN (SELECT id FROM runner ORDER BY age LIMIT 2)", "a tie across"),
        ("SELECT name FROM (SELECT name, age FROM runner ORDER BY age) AS t", ""),  # inside, order decides nothing
        (
            "SELECT name FROM runner AS r WHERE id ="
            " (SELECT id FROM runner AS o WHERE o.club = r.club ORDER BY time LIMIT 1)",
            "LIMIT in a subquery that does not run by itself",
        ),
        (
            "WITH t AS (SELECT * FROM runner) SELECT name FROM runner WHERE id IN"
            " (SELECT id FROM t ORDER BY age LIMIT 2)",
            "a tie across",
        ),
        ("SELECT club, GROUP_CONCAT(name) AS names FROM runner GROUP BY club", "GROUP_CONCAT joins rows"),
        ("SELECT club, name FROM runner GROUP BY club", settled.BARE),
        ("SELECT name, MAX(age) AS oldest FROM runner GROUP BY club", settled.BARE),
        ("SELECT name, club, COUNT(*) AS runs FROM runner GROUP BY id", ""),  # one row a group
        ("SELECT club, COUNT(*) FILTER (WHERE age > 2) AS runs FROM runner GROUP BY club", ""),  # age is no bare column
        ("SELECT t.name FROM (SELECT r.name, COUNT(*) AS runs FROM runner AS r GROUP BY r.id) AS t", ""),
        ("SELECT age / 10 AS decade, COUNT(*) AS runners FROM runner GROUP BY decade", ""),
        ("SELECT name FROM (SELECT DISTINCT club, name FROM runner) AS t", ""),
        ("SELECT name, ROW_NUMBER() OVER (ORDER BY age) AS place FROM runner", settled.TIED_WINDOW),
        ("SELECT name, NTILE(2) OVER (PARTITION BY club ORDER BY 1) AS half FROM runner", settled.TIED_WINDOW),
        (
            "SELECT name, SUM(time) OVER w AS s FROM runner WINDOW w AS (ORDER BY age ROWS 1 PRECEDING)",
            settled.TIED_WINDOW,
        ),
        (
            "WITH r AS (SELECT name AS n, age FROM runner) SELECT n, LAG(n) OVER (ORDER BY age) AS before FROM r",
            settled.TIED_WINDOW,
        ),
        ("SELECT name, LAG(age) OVER (ORDER BY age) AS before FROM runner WHERE club = 'North'", settled.TIED_WINDOW),
        ("SELECT name, LAG(age) OVER (ORDER BY age) AS b FROM (SELECT name, age FROM runner)", settled.TIED_WINDOW),
        ("SELECT LAG(age) OVER (ORDER BY age) AS before FROM runner", ""),  # peers have the same value
        ("SELECT name, RANK() OVER (ORDER BY age) AS place FROM runner", ""),  # peers share a place
        ("SELECT name, ROW_NUMBER() OVER (ORDER BY age, id) AS place FROM runner", ""),
        ("SELECT club, ROW_NUMBER() OVER (ORDER BY COUNT(*)) AS place FROM runner GROUP BY club", settled.TIED_WINDOW),
        ("SELECT name FROM runner WHERE age > 1000", "no rows"),
        ("SELECT MAX(age) FROM runner WHERE age > 1000", "nothing but NULL"),
        ("SELECT name, name FROM runner", "two result columns of one name"),
        ("SELECT AVG(time) / 3 AS mean FROM runner", "floats that are not rounded"),
        ("SELECT name FROM runner WHERE id = 1", "the same result in all fillings"),
        ("SELECT nmae FROM runner", "OperationalError: no such column: nmae"),
        ("SELECT name FROM", "does not parse"),
        ("SELECT name FROM runner WHERE name < date('now')", "reads the clock or draws at random"),
        ("SELECT name FROM runner ORDER BY RANDOM()", "reads the clock or draws at random"),
    ],
)
def test_faults_of_golds(fillings: list[sqlite3.Connection], gold: str, fault: str) -> None:
    text = "First 1000, 3, 2, 1 rows in order, at 'now'?"
    faults = found(fillings, text, gold)
    if fault:
        assert any(fault in line for line in faults), faults
    else:
        assert not any("Error" in line for line in faults), faults
        assert not any("tie" in line or "rows of equal keys" in line or settled.BARE in line for line in faults), faults


def test_a_gold_that_costs_too_much_is_stopped(fillings: list[sqlite3.Connection]) -> None:
    # 5 ** 8 = 390,625 combinations, each of several steps, above the 200,000 that a gold may use
    tables = ", ".join(f"runner AS r{number}" for number in range(8))
    faults = found(fillings, "How many combinations?", f"SELECT COUNT(*) FROM {tables} WHERE r0.age > r1.age")
    assert "OperationalError: interrupted (filling 0)" in faults


def test_steps_are_counted(fillings: list[sqlite3.Connection]) -> None:
    small = settled.run(fillings[0], "SELECT name FROM runner")
    large = settled.run(fillings[0], "SELECT a.name FROM runner AS a, runner AS b, runner AS c, runner AS d")
    assert len(large.rows) == 5**4
    assert small.steps == settled.GRAIN  # a few dozen: less than one look
    assert 4 * 5**4 > large.steps > 5**4  # at least one step a row


@pytest.mark.parametrize(
    ("literals", "text", "missing"),
    [
        ("'Ely', 7", "Who lives in Ely for 7 years?", []),
        ("'Ely'", "Who lives in Corby?", ["Ely"]),
        ("7", "Who has 17 or 70 or 7.5?", ["7"]),
        ("7", "Who has seven?", []),
        ("1200", "More than 1,200?", []),
        ("1.5", "At least 1.5 hours?", []),
        ("1.5", "At least 11.5 hours?", ["1.5"]),
        ("1", "Who is the tallest?", []),
        ("2", "Rounded to 1 decimal?", ["2"]),
        ("'%Y'", "How many in each year?", []),
        ("'%Y'", "How many in 2023?", []),
        ("'%Y-%m'", "How many in May 2023?", []),
        ("'%m'", "How many in each year?", ["%m"]),
        ("'Ely%'", "Whose name begins with Ely?", []),
        ("'+30 days'", "Within 30 days?", []),
        ("' '", "Full names?", []),
    ],
)
def test_literals_must_be_said(literals: str, text: str, missing: list[str]) -> None:
    assert checks.unsaid(sqlglot.parse_one(f"SELECT {literals}", read="sqlite"), text) == missing  # type: ignore[arg-type]


def test_the_one_of_exists_need_not_be_said() -> None:
    query = sqlglot.parse_one("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = 4)", read="sqlite")
    assert checks.unsaid(query, "Which?") == ["4"]  # type: ignore[arg-type]


def test_texts_are_looked_at(fillings: list[sqlite3.Connection]) -> None:
    gold = "SELECT name FROM runner ORDER BY name"
    assert found(fillings, "Names in alphabetical order?", gold) == []
    assert found(fillings, "Names?", gold) == ["the gold is ordered and the text asks for no order"]
    assert found(fillings, "Names?", gold, "Sort by name.") == []
    assert found(fillings, "names in order", gold) == ["a question begins with a capital and ends in a mark"]


def test_only_the_outermost_order_counts() -> None:
    def ordered(query: str) -> bool:
        return settled.ordered(sqlglot.parse_one(query, read="sqlite"))  # type: ignore[arg-type]

    assert ordered("SELECT a FROM t ORDER BY a")
    assert ordered("WITH u AS (SELECT a FROM t) SELECT a FROM u UNION SELECT a FROM t ORDER BY a")
    assert not ordered("SELECT a FROM (SELECT a FROM t ORDER BY a) AS u")
    assert not ordered("SELECT a, RANK() OVER (ORDER BY a) AS r FROM t")
