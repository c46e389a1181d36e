"""The expert: it explores, probes and submits, from wherever somebody's play led."""

from __future__ import annotations

from typing import Any

import pytest
import sql_cases
from sqlglot import exp, parse_one

from agentgym import TurnRng
from agentgym.check.actions import choose
from agentgym.envs.text_to_sql import expert
from agentgym.envs.text_to_sql.env import TextToSQLEnv
from agentgym.envs.text_to_sql.state import DEFAULT, Question, SqlState
from agentgym.envs.text_to_sql.tasks import question_of


def plan(name: str, **more: Any) -> list[tuple[str, str]]:
    """Return what the expert does from the start of a task to its end."""
    env = TextToSQLEnv(tasks=[sql_cases.task(name, **more)])
    env.reset(seed=0)
    done = []
    while not env._over:
        done.append(expert.advice(env.state))
        env.step(env.expert(env.state))
    assert env._current_info()["success"]
    return done


def test_it_looks_at_the_tables_of_the_gold_probes_tries_and_submits() -> None:
    gold = sql_cases.GOLDS["north"][2]
    assert plan("north") == [
        ("schema", "room"), ("schema", "course"),
        ("sql", "SELECT DISTINCT building FROM room ORDER BY building LIMIT 20"),
        ("sql", gold), ("submit", gold),
    ]  # fmt: skip


def test_it_probes_only_where_the_gold_compares_a_text() -> None:
    gold = sql_cases.GOLDS["ungraded"][2]
    assert plan("ungraded") == [("schema", "enrolment"), ("sql", gold), ("submit", gold)]


def test_it_does_not_look_at_what_is_known() -> None:
    assert [tool for tool, _ in plan("lund")] == ["sql", "sql", "submit"]  # a small database is known at the start
    state = SqlState(question_of(sql_cases.task("north"), DEFAULT)).look("room").look("course")
    assert expert.advice(state)[0] == "sql"


def test_it_stops_trying_where_two_queries_ran() -> None:
    env = sql_cases.world("lund")
    env.reset(seed=0)
    env.step("<sql>SELECT 1</sql>")
    assert expert.advice(env.state) == ("sql", sql_cases.GOLDS["lund"][2])  # one is left, for the gold
    env.step("<sql>SELECT 2</sql>")
    assert expert.advice(env.state) == ("submit", sql_cases.GOLDS["lund"][2])


def test_the_gold_in_any_spelling_is_not_run_again() -> None:
    env = sql_cases.world("lund")
    env.reset(seed=0)
    env.step("<sql>select NAME from customer c where 'Lund' = c.city</sql>")
    assert expert.advice(env.state)[0] == "submit"


def test_it_takes_the_first_of_several_golds() -> None:
    assert plan("dear", gold=["SELECT 3", "SELECT COUNT(*) FROM product WHERE price > 40"])[-1] == (
        "submit",
        "SELECT 3",
    )


@pytest.mark.parametrize("name", sql_cases.GOLDS)
def test_it_solves_every_task_from_wherever_play_led(name: str) -> None:
    """After any valid and invalid actions that leave it its five turns at most."""
    for seed in range(8):
        env = sql_cases.world(name, max_turns=16)
        env.reset(seed=seed)
        rng = TurnRng(seed, stream=f"expert {name}")
        for _ in range(rng.integers(10)):
            before = env.snapshot()
            env.step(choose(env, (), rng))
            if env._over:  # a submission: take it back
                env.restore(before)
        while not env._over:
            env.step(env.expert(env.state))
        assert env._current_info()["success"], (name, seed)


@pytest.mark.parametrize(
    "gold, probe",
    [
        ("SELECT name FROM customer WHERE city = 'Lund'", "city FROM customer"),
        ("SELECT name FROM customer WHERE 'Lund' = city", "city FROM customer"),
        ("SELECT name FROM customer AS c WHERE c.city IN ('Lund', 'Oslo')", "city FROM customer"),
        ("SELECT COUNT(*) FROM purchase WHERE bought_on LIKE '2024-02%'", "bought_on FROM purchase"),
        ("SELECT c.name FROM customer c, product p WHERE title <> 'lamp'", "title FROM product"),
        ("SELECT name FROM customer c WHERE 1 IN (SELECT p.amount FROM purchase p WHERE p.bought_on = '2024-01-05')",
         "bought_on FROM purchase"),
        ("SELECT COUNT(*) FROM product WHERE price > 40", ""),
        ("SELECT COUNT(*) FROM customer WHERE LOWER(city) = 'lund'", ""),
        ("SELECT x.city FROM (SELECT city FROM customer) AS x WHERE x.city = 'Lund'", ""),
        ("SELECT name FROM customer WHERE name = city", ""),
        ("VALUES (1)", ""),
    ],
)  # fmt: skip
def test_the_probe_asks_for_the_values_of_the_compared_column(gold: str, probe: str) -> None:
    column = probe.partition(" ")[0]
    wanted = probe and f"SELECT DISTINCT {probe} ORDER BY {column} LIMIT 20"
    assert expert.sensible_probe(asking(gold)) == wanted


def asking(gold: str) -> Question:
    return question_of(sql_cases.task("lund", gold=gold), DEFAULT)


def test_a_column_that_two_tables_have_belongs_to_none() -> None:
    query = "SELECT 1 FROM customer, purchase WHERE customer_id = 'x'"
    tree = parse_one(query)
    column = next(column for column in tree.find_all(exp.Column))
    assert expert.table_of(asking(query), tree, column) == ""
