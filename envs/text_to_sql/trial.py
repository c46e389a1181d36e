"""What a query comes to for a question; remembered, since the rollouts of a group ask much the same.

The clock is frozen and a database that changes fails the episode, so an answer holds for good. Predictions and golds
never share a connection: golds run once, on an engine of their own, before anything else does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from marshal import dumps
from operator import itemgetter
from typing import Final

from agentgym.digest import hash_bytes
from agentgym.envs.text_to_sql import rewards, text
from agentgym.envs.text_to_sql.canonical import Form, form
from agentgym.envs.text_to_sql.engine import DatabaseError, Engine, TableInfo
from agentgym.envs.text_to_sql.result import Result, Value
from agentgym.envs.text_to_sql.scorers import Gold, is_right, make_gold
from agentgym.envs.text_to_sql.state import Fact, Question
from agentgym.envs.text_to_sql.structure import SCORE, components
from agentgym.envs.text_to_sql.tasks import engine_of, own_engine

CACHE = 4096  # trials and verdicts kept; a few kilobytes each
GOLDS = 512  # golds kept with their results
SAMPLE = 100  # rows that example values are taken from

PLAIN = 2  # the version of marshal's format that writes a value in one way, whoever else holds it
_ROUNDED: Final = "%.12g"

HINTS: Final = {"no_such_column": "schema(table) shows the columns of a table"}
"""Class of an error → what to say besides."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What one query comes to.

    Attributes:
        observation: what the agent reads.
        tag: class of the outcome.
        score: how far the result agrees with the right one.
        fact: what is known from now on; None where no rows came back.
        metrics: csmr, rows, and how many tables the query read, 0 where no rows came back.
    """

    observation: str
    tag: str
    score: float
    fact: Fact | None
    metrics: Mapping[str, float]


@lru_cache(maxsize=CACHE)
def tried(question: Question, query: str) -> Trial:
    """Return what a query comes to.

    Raises:
        EngineFailure: the machinery failed.
    """
    result = _run(question, query)
    score = rewards.score(gold_of(question).column_sets, result)
    fact, tables = None, 0
    if result.ok:
        read = _read(question, query)
        tables = len(_known(question, read.tables))
        head = text.head(rewards.first_rows(result.rows, read.ordered, text.HEAD + 1))
        fact = Fact(read.text, rows_digest(result, read.ordered), len(result.rows), head, score, query)
    tag = rewards.outcome_class(result)
    metrics = {"csmr": score, "rows": float(len(result.rows)), "tables": float(tables)}
    return Trial(text.result(result, HINTS.get(tag, "")), tag, score, fact, metrics)


def rows_digest(result: Result, ordered: bool) -> str:
    """Return a 128-bit hash of a result's rows as a multiset, or as a list where their order counts; 32 hex digits.

    Floats count in 12 digits, as the order of a sum is the database's own. Else values count by type too: unlike
    `scorers.rows_hash`, which is several times slower, this compares results of queries that say the same.
    """
    columns: list[Iterable[object]] = []
    for column in zip(*result.rows, strict=True):
        kinds = set(map(type, column))
        if kinds == {float}:
            columns.append(map(_ROUNDED.__mod__, column))
        elif float in kinds:
            columns.append([(_ROUNDED % value,) if type(value) is float else value for value in column])
        else:
            columns.append(column)
    floats = "".join(["f" if type(column) is map else "-" for column in columns])
    rows = [dumps(row, PLAIN) for row in zip(*columns, strict=True)]
    if not ordered:
        rows.sort()
    return hash_bytes(f"{len(result.columns)} {ordered} {floats};".encode() + b"".join(rows))


def runs(question: Question, query: str) -> bool:
    """Return whether a query comes to a result."""
    return _run(question, query).ok


@lru_cache(maxsize=CACHE)
def judged(question: Question, query: str) -> bool:
    """Return whether a query is a right answer."""
    return is_right(question.rules.scorer, gold_of(question), query, _run(question, query), _engine(question))


@lru_cache(maxsize=GOLDS)
def gold_of(question: Question) -> Gold:
    """Return the accepted queries with their results.

    Raises:
        ValueError: one of them does not run, or its rows are not those that the task names; the message names the task.
        DatabaseError: the database is gone, or has changed.
    """
    where = f"task {question.task!r}"
    try:
        _engine(question)
        with closing(own_engine(question.path, question.rules)) as engine:
            gold = make_gold(
                question.golds, engine, ordered=question.ordered, question=question.text, category=question.category
            )
    except DatabaseError as error:
        raise DatabaseError(f"{where}: {error}") from error
    except ValueError as error:
        raise ValueError(f"{where}: {error}: correct it, raise budget= or max_rows=, or leave the task out") from error
    if question.gold_rows not in ("", gold.hash):
        raise ValueError(
            f"{where}: the rows of its gold have the hash {gold.hash}, not data['gold_rows'] = {question.gold_rows}: "
            "database, clock or the version of the engine is another one than the task was made with"
        )
    return gold


@lru_cache(maxsize=CACHE)
def looked_at(question: Question, table: TableInfo) -> str:
    """Return what the agent reads of a table: its columns with example values."""
    return text.looked_at(table, _examples(question, table))


def structure(question: Question, query: str) -> Mapping[str, float]:
    """Return which clauses of a query are those of the gold, of several the one most alike, as structure_NAME."""
    found = [components(gold, query, question.tables, question.dialect) for gold in question.golds]
    best = max(found, key=itemgetter(SCORE))
    return {f"structure_{name}": float(same) for name, same in best.items()}


def form_of(question: Question, query: str) -> str:
    """Return the canonical form of a query."""
    return _read(question, query).text


def _read(question: Question, query: str) -> Form:
    return form(query, question.dialect, question.tables)


def touched(question: Question, query: str) -> list[str]:
    """Return the names of the database's tables that a query reads, sorted."""
    return _known(question, _read(question, query).tables)


def _known(question: Question, names: Iterable[str]) -> list[str]:
    """Return those of the database's tables that are named, sorted."""
    named = {name.lower() for name in names}
    return [table.name for table in question.tables if table.name.lower() in named]


@lru_cache(maxsize=2)  # a result may have tens of megabytes
def _run(question: Question, query: str) -> Result:
    """Return the result of a query; the last two are kept, since a submission is scored and judged."""
    return _engine(question).run(query)


def is_unchanged(question: Question) -> bool:
    """Return whether the database of a question holds what it held when the question was made."""
    try:
        return engine_of(question.path, question.rules).content == question.content
    except DatabaseError:
        return False


def _engine(question: Question) -> Engine:
    """Return the engine of a question's predictions.

    Raises:
        DatabaseError: its database is gone, or another one by now, for which the golds were never run.
    """
    engine = engine_of(question.path, question.rules)
    if engine.content != question.content:
        raise DatabaseError(f"{question.path!r} was changed since the question was read: reset the world")
    return engine


def _examples(question: Question, table: TableInfo) -> list[list[Value]]:
    """Return for each column the first distinct values that are not NULL, at most text.EXAMPLES."""
    quoted = [f'"{name}"' for name in (table.name, *(column.name for column in table.columns if column.key))]
    order = f" ORDER BY {', '.join(quoted[1:])}" if quoted[1:] else ""
    result = _engine(question).run(f"SELECT * FROM {quoted[0]}{order} LIMIT {SAMPLE}")
    if not result.ok:
        return []
    columns: list[list[Value]] = [[] for _ in table.columns]
    for row in result.rows:
        for values, value in zip(columns, row, strict=True):
            if value is not None and len(values) < text.EXAMPLES and value not in values:
                values.append(value)
    return columns
