"""The rows of text_to_sql in `make perf`: what is compared does the same work. No speed is tested here."""

import os
import sqlite3
from contextlib import closing

import pytest

from agentgym.envs.text_to_sql import trial
from agentgym.envs.text_to_sql.canonical import canonical
from agentgym.envs.text_to_sql.engine import open_engine
from agentgym.envs.text_to_sql.lexical import tokens
from agentgym.envs.text_to_sql.shape import shape
from tests.perf import skyrl, sql
from tests.perf.measure import Clock, Setting

ROWS = 40
"""Of the largest table."""
MANY = 10


def rows_of(query):
    with closing(sqlite3.connect(sql.database(ROWS))) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.parametrize(("text", "rows"), [(sql.ONE, 1), (sql.MANY, MANY)])
def test_queries_of_an_episode_differ_and_give_as_many_rows_as_the_line_says(text, rows):
    asked = sql.queries(text, rows, seen=True)
    assert len(set(asked)) == sql.EPISODE and asked == sql.queries(text, rows, seen=True)
    assert [len(rows_of(query)) for query in asked] == [rows] * sql.EPISODE
    new = sql.queries(text, rows, seen=False)
    assert [rows_of(query) for query in new] == [rows_of(query) for query in asked]
    forms = {canonical(query) for query in (*asked, *new, *sql.queries(text, rows, seen=False))}
    assert len(forms) == 3 * sql.EPISODE  # never seen under any spelling


@pytest.mark.parametrize("text", [sql.ONE, sql.MANY, sql.JOIN])
def test_queries_never_seen_have_shapes_of_their_own_and_new_values_have_not(text):
    def keys(asked):
        return {shape(tokens(query), "sqlite").key for query in asked}

    # As texts "1" stands before "10" and "1000000000", which stand before "2" to "8": two shapes for eight queries.
    assert len(keys(sql.queries(text, MANY, seen=False)) | keys(sql.queries(text, MANY, seen=True))) == 2
    assert len(keys(sql.shapes(text, MANY)) | keys(sql.shapes(text, MANY))) == 2 * sql.EPISODE
    assert [rows_of(query) for query in sql.shapes(text, MANY)] == [
        rows_of(query) for query in sql.queries(text, MANY, seen=True)
    ]


def test_the_mixture_is_run_anew_each_time_and_no_query_ends_it():
    lines = list(sql.mixture(Clock(), Setting(rounds=1, sample=0.0, rows=MANY)))
    asked = int(lines[0].row.split(" shipped")[0].rsplit(" ", 1)[1])
    assert asked > 10 and [line.bound for line in lines] == [None, None]
    assert trial.tried.cache_info().currsize == asked  # all forgotten, then each asked


def test_both_answer_with_the_same_rows():
    ours, theirs = sql.world(ROWS), skyrl.SkyRL(*os.path.split(sql.database(ROWS)), turns=sql.EPISODE + 1)
    for query in sql.queries(sql.MANY, MANY, seen=True):
        said, _, _, over, info = ours.step(f"<sql>{query}</sql>")
        told = theirs.step(f"<sql>{query}</sql>")
        wanted = sorted(str(row[0]) for row in rows_of(query))
        # Ours begins with the names of the columns, theirs with their places; both show a row a line.
        assert sorted(line.split(" | ")[0].strip() for line in said.splitlines()[1:]) == wanted
        lines = told["observations"][0]["content"].strip().removeprefix("<observation>").splitlines()
        assert sorted(line.split()[0] for line in lines[1 : 1 + MANY]) == wanted
        assert not over and info["valid"] and not told["done"]


def test_the_stand_in_ends_refuses_times_out_and_cuts_as_it_is_told():
    def episode(turns=5):
        return skyrl.SkyRL(*os.path.split(sql.database(ROWS)), turns=turns)

    assert episode().step("<solution>SELECT 1</solution>")["done"]
    assert episode(turns=1).step("<sql>SELECT 1</sql>")["done"]
    assert "no query was found" in episode().step("SELECT 1")["observations"][0]["content"]
    with pytest.raises(AssertionError, match="must end the text"):
        episode().step("<sql>SELECT 1</sql> and more")
    assert episode().answer("SELECT nope") == "Error: no such column: nope"
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {}) SELECT {} FROM n"
    assert len(episode().answer(numbers.format(200, "x, 'text'")).splitlines()) == 201
    long = episode().answer(numbers.format(200, f"x, '{'text' * 20}'"))
    assert long.startswith("Truncated to 50 lines") and len(long.splitlines()) == 51


def test_a_query_that_takes_too_long_is_interrupted(monkeypatch):
    monkeypatch.setattr(skyrl, "TIMEOUT", 0.02)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    assert skyrl.SkyRL(*os.path.split(sql.database(ROWS)), turns=5).answer(endless) == f"Timeout: {endless}"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([(1, "a", None, 2.5), (22, "bbbb", 3, 10.25)], " 0    1   2     3\n 1    a NaN  2.50\n22 bbbb 3.0 10.25"),
        ([(None, 1e5), (None, 0.125)], "   0          1\nNone 100000.000\nNone      0.125"),
        ([("x", -1)], "0  1\nx -1"),
    ],
)
def test_tables_are_those_of_pandas(rows, text):
    """Written down from pandas 3.1's `DataFrame(rows).to_string(index=False)`, and held to it where it is installed."""
    assert skyrl.drawn(rows) == skyrl.table(rows) == text  # the latter by pandas, where that is installed


def test_what_is_forgotten_is_run_again_and_what_is_seen_is_not(monkeypatch):
    ran = []
    engine = open_engine(sql.database(ROWS))
    monkeypatch.setattr(engine, "run", lambda query, run=engine.run: ran.append(query) or run(query))
    works = sql.stepping(sql.ONE, 1, ROWS)
    counts = []
    for way in ("again", "seen", "again", "new"):
        before = len(ran)
        works[way].run(works[way].prepare())
        counts.append(len(ran) - before)
    assert counts == [sql.EPISODE, 0, sql.EPISODE, sql.EPISODE]
    hits = canonical_hits()
    works["again"].run(works["again"].prepare())
    assert canonical_hits() - hits == sql.EPISODE  # run and scored anew, but not parsed


def canonical_hits():
    return trial.form.__globals__["_of_text"].cache_info().hits


def test_guards_are_held_against_an_equal_connection():
    lines = list(sql.guarding(Clock(), Setting(rounds=1, sample=0.0, rows=MANY)))
    assert [line.bound for line in lines] == [None, 1.05, 1.05, 1.05, None, None]
    assert [line.row for line in lines][1] == f"sql guards: {MANY} rows"
