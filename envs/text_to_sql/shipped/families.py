"""Families of questions: one template of a question and its SQL, drawn into several questions over one database.

A database is a module of this folder (the protocol `Database`): NAME, the schema as CREATE TABLE statements, `fill`,
which draws the rows of every table, and FAMILIES. It is filled three times, once as shipped and twice again from other
draws; a question is kept only where it holds in all three (`checks.py`). Literals come into the SQL by the slots alone:

    Family(
        "members_by_city", "easy",
        ("How many members live in {city}?", "Count the members who live in {city}."),
        "SELECT COUNT(*) FROM member WHERE city = {city}",
        {"city": ("Lund", "Oslo")},                                  # or "SELECT DISTINCT city FROM member"
    )

In a wording a slot is its text; in the SQL it is a literal, quoted where it is a string, or with `:raw` the bare text
(inside a pattern, as '%{word:raw}%', or for a column). One entry may give several slots at once, named with blanks
between: {"month name": (("04", "April"), ("05", "May"))}, or a query with two columns. Values are from vocabularies
that every filling contains, so that the gold returns rows in each.

A stranger with the schema and the evidence can answer a question in one way only: it says which columns, what happens
to ties, NULL and repeated values, how numbers are rounded, and the order where the gold has one. Every literal of the
gold is said in the question or the evidence (checks.SAID lists the words that count, such as "two" or "most").
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from itertools import product
from typing import Any, Final, Protocol, cast

from agentgym.envs.text_to_sql.result import Value
from agentgym.errors import unknown
from agentgym.rng import TurnRng

NAMES: Final = (
    "bookshop", "energy", "hospital", "insurance", "league", "museum", "music", "permits", "railway", "recruitment",
    "restaurants", "university", "wildlife",
)  # fmt: skip
DIFFICULTIES: Final = ("easy", "medium", "hard")
SEED: Final = 20250130
FILLINGS: Final = 3  # as shipped, and two refillings

Rows = list[tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Family:
    """A template of questions.

    Attributes:
        name: unique in its database; part of the ids of its questions.
        difficulty: easy, medium or hard, as its author sees it.
        ask: wordings with {slots}, of one meaning; each question draws one.
        sql: the gold query with {slots}.
        slots: slot (or several, with blanks between) → its values, or a query whose rows are its values.
        evidence: what a reader must know besides the schema; may hold {slots}.
        count: how many questions at most are drawn.
    """

    name: str
    difficulty: str
    ask: tuple[str, ...]
    sql: str
    slots: Mapping[str, Sequence[Any] | str] = field(default_factory=dict)
    evidence: str = ""
    count: int = 3


class Database(Protocol):
    """What a module of a database holds; `fill` draws through its argument alone."""

    NAME: str
    SCHEMA: str
    FAMILIES: tuple[Family, ...]

    def fill(self, rng: TurnRng) -> dict[str, Rows]:
        """Return table → rows, in an order that foreign keys allow."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question; `id` is database, family and number, such as "bookshop/members_by_city/2"."""

    id: str
    database: str
    difficulty: str
    question: str
    evidence: str
    gold: str


def load(name: str) -> Database:
    """Return the module of a shipped database; KeyError with the nearest name where there is none."""
    if name not in NAMES:
        raise KeyError(unknown("database", name, NAMES))
    return cast(Database, import_module(f"{__package__}.{name}"))


def create(database: Database, filling: int, path: str = ":memory:") -> sqlite3.Connection:
    """Return a connection to the database with one of its fillings: 0 is the one shipped.

    Raises:
        sqlite3.Error: rows that break a constraint of the schema.
    """
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.executescript(database.SCHEMA)
    connection.execute("BEGIN")
    for table, rows in database.fill(TurnRng(SEED, branch=filling, stream=database.NAME)).items():
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f'INSERT INTO "{table}" VALUES ({marks})', rows)
    connection.execute("COMMIT")
    return connection


class _Literal:
    """A slot's value inside a query: quoted, or as it is with `:raw`."""

    def __init__(self, value: Value) -> None:
        self._value = value

    def __format__(self, form: str) -> str:
        text = str(self._value).replace("'", "''")
        return text if form == "raw" or not isinstance(self._value, str) else f"'{text}'"


def bindings(family: Family, connection: sqlite3.Connection) -> list[dict[str, Value]]:
    """Return every combination of the slots' values; a query reads them from `connection`."""
    choices: list[list[dict[str, Value]]] = []
    for names, values in family.slots.items():
        slots = names.split()
        rows = connection.execute(values).fetchall() if isinstance(values, str) else values
        tuples = [row if isinstance(row, tuple) else (row,) for row in rows]
        choices.append([dict(zip(slots, row, strict=True)) for row in tuples])
    return [{slot: value for part in parts for slot, value in part.items()} for parts in product(*choices)]


def bound(template: str, values: Mapping[str, Value]) -> str:
    """Return a query with its slots filled by literals."""
    return template.format_map({slot: _Literal(value) for slot, value in values.items()})


def questions(
    database: Database, family: Family, connection: sqlite3.Connection, accept: Callable[[Question], bool]
) -> Iterator[Question]:
    """Yield up to `family.count` questions that `accept` takes; combinations and wordings are drawn, always the same.

    Args:
        database: whose family it is.
        family: what to draw.
        connection: the shipped filling.
        accept: says of each question in turn whether it holds.
    """
    rng = TurnRng(SEED, stream=f"{database.NAME}/{family.name}")
    number = 0
    order = rng.shuffled(range(len(family.ask)))
    for values in rng.shuffled(bindings(family, connection)):
        wording = family.ask[order[number % len(order)]]
        question = Question(
            f"{database.NAME}/{family.name}/{number + 1}",
            database.NAME,
            family.difficulty,
            wording.format_map(values),
            family.evidence.format_map(values),
            bound(family.sql, values),
        )
        if accept(question):
            yield question
            number += 1
            if number == family.count:
                return
