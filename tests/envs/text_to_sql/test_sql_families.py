"""Families of questions: how slots are filled, how questions are drawn, how a database is made."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agentgym.envs.text_to_sql.shipped.families import (
    FILLINGS,
    NAMES,
    Database,
    Family,
    Question,
    Rows,
    bindings,
    bound,
    create,
    load,
    questions,
)
from agentgym.rng import TurnRng

SCHEMA = "CREATE TABLE town (id INTEGER PRIMARY KEY, name TEXT NOT NULL, folk INTEGER);"
TOWNS: Rows = [(1, "Ely", 20), (2, "Bishop's Castle", 5), (3, "Corby", None)]
BY_NAME = Family(
    "folk", "easy", ("How many live in {name}?", "Count {name}."), "SELECT folk FROM town WHERE name = {name}",
    {"name": "SELECT name FROM town ORDER BY id"},
)  # fmt: skip


def toy(*families: Family, rows: Rows = TOWNS) -> Database:
    return cast(Database, SimpleNamespace(NAME="toy", SCHEMA=SCHEMA, fill=lambda _: {"town": rows}, FAMILIES=families))


@pytest.fixture
def towns() -> Iterator[sqlite3.Connection]:
    connection = create(toy(), 0)
    yield connection
    connection.close()


def drawn(family: Family, connection: sqlite3.Connection, refuse: str = "") -> list[Question]:
    return list(questions(toy(family), family, connection, lambda question: refuse != question.gold[-len(refuse) :]))


def test_a_slot_is_a_literal_in_the_query_and_text_in_the_question(towns: sqlite3.Connection) -> None:
    found = {question.gold: question.question for question in drawn(BY_NAME, towns)}
    assert set(found) == {
        "SELECT folk FROM town WHERE name = 'Ely'",
        "SELECT folk FROM town WHERE name = 'Bishop''s Castle'",
        "SELECT folk FROM town WHERE name = 'Corby'",
    }
    assert found["SELECT folk FROM town WHERE name = 'Bishop''s Castle'"] in (
        "How many live in Bishop's Castle?", "Count Bishop's Castle.",
    )  # fmt: skip
    for query in found:  # each runs, the one with the apostrophe too
        assert len(towns.execute(query).fetchall()) == 1


@pytest.mark.parametrize(
    ("template", "value", "query"),
    [
        ("n > {x}", 3, "n > 3"),
        ("n > {x}", 1.5, "n > 1.5"),
        ("n = {x}", "it's", "n = 'it''s'"),
        ("n LIKE '{x:raw}%'", "it's", "n LIKE 'it''s%'"),
        ("ORDER BY {x:raw}", "folk", "ORDER BY folk"),
    ],
)
def test_literals(template: str, value: Any, query: str) -> None:
    assert bound(template, {"x": value}) == query


def test_slots_combine_and_one_entry_may_give_several(towns: sqlite3.Connection) -> None:
    family = Family("f", "easy", ("?",), "", {"month name": (("04", "April"), ("05", "May")), "n": (1, 2)})
    # two months times two numbers
    assert bindings(family, towns) == [
        {"month": "04", "name": "April", "n": 1},
        {"month": "04", "name": "April", "n": 2},
        {"month": "05", "name": "May", "n": 1},
        {"month": "05", "name": "May", "n": 2},
    ]
    by_query = Family("f", "easy", ("?",), "", {"town folk": "SELECT name, folk FROM town WHERE folk IS NOT NULL"})
    assert [row["folk"] for row in bindings(by_query, towns)] == [20, 5]
    assert bindings(Family("f", "easy", ("?",), ""), towns) == [{}]  # no slots: one question


def test_values_that_do_not_fit_the_slots_are_refused(towns: sqlite3.Connection) -> None:
    with pytest.raises(ValueError, match="zip"):
        bindings(Family("f", "easy", ("?",), "", {"a b": ((1, 2), (1, 2, 3))}), towns)


def test_at_most_count_questions_and_refused_ones_are_replaced(towns: sqlite3.Connection) -> None:
    family = Family(BY_NAME.name, "easy", BY_NAME.ask, BY_NAME.sql, BY_NAME.slots, count=2)
    first = drawn(family, towns)
    assert [question.id for question in first] == ["toy/folk/1", "toy/folk/2"]
    second = drawn(family, towns, refuse=first[0].gold[-6:])
    # the one that was second is now first, and the third combination has moved up
    assert [question.id for question in second] == ["toy/folk/1", "toy/folk/2"]
    assert second[0].gold == first[1].gold
    assert {question.gold for question in second} == {q.gold for q in drawn(BY_NAME, towns)} - {first[0].gold}


def test_wordings_take_turns_and_draws_repeat(towns: sqlite3.Connection) -> None:
    texts = [question.question for question in drawn(BY_NAME, towns)]
    assert len({text.startswith("How") for text in texts[:2]}) == 2
    assert texts == [question.question for question in drawn(BY_NAME, towns)]


def test_fillings_differ_and_a_filling_repeats() -> None:
    def fill(rng: TurnRng) -> dict[str, Rows]:
        return {"town": [(number, "Ely", rng.integers(1000)) for number in range(20)]}

    database = cast(Database, SimpleNamespace(NAME="toy", SCHEMA=SCHEMA, fill=fill, FAMILIES=()))

    def rows(filling: int) -> list[Any]:
        connection = create(database, filling)
        found = connection.execute("SELECT * FROM town").fetchall()
        connection.close()
        return found

    fillings = [rows(number) for number in range(FILLINGS)]
    assert fillings[0] == rows(0)
    assert fillings[0] != fillings[1] != fillings[2] != fillings[0]


def test_rows_that_break_the_schema_are_not_taken() -> None:
    with pytest.raises(sqlite3.IntegrityError, match=r"town\.name"):
        create(toy(rows=[(1, None, 3)]), 0)


def test_a_database_is_loaded_by_name() -> None:
    assert load("museum").NAME == "museum"
    with pytest.raises(KeyError, match=r"unknown database 'musuem'; did you mean 'museum'\?"):
        load("musuem")
    assert list(NAMES) == sorted(NAMES) and len(NAMES) >= 12
