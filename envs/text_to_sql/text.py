"""What the agent reads: rules, the question, tables of the schema, results of queries; every cut is visible.

Observations are short, and equal ones are equal to the byte: nothing in them depends on what was read before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from agentgym.envs.text_to_sql.engine import TableInfo
from agentgym.envs.text_to_sql.render import render
from agentgym.envs.text_to_sql.result import PLAN, Result, Value
from agentgym.envs.text_to_sql.state import Question, SqlState

ROWS: Final = 20  # rows of a result that are shown
CELL: Final = 60  # characters of a value
LINE: Final = 1_000  # characters of a line
WHOLE: Final = 6_000  # characters of a result
EXAMPLES: Final = 3  # values of a column that are shown as examples
HEAD: Final = 3  # rows of a known result that `describe` tells

NAMES: Final = {"sqlite": "SQLite", "duckdb": "DuckDB", "postgres": "PostgreSQL"}
JUDGED: Final = {
    "strict": "its rows are those of the right query, repeated rows counted, with the same columns in the same order",
    "spider": "its rows are those of the right query, with the columns in any order; DISTINCT does not count",
    "spider_keep_distinct": "its rows are those of the right query, with the columns in any order",
    "bird": "its rows are those of the right query, however often repeated, with the same columns in the same order",
    "defog": "its rows are those of the right query, in which further columns do no harm",
}
"""Scorer → when an answer is right, in the words of the system text."""

_SYSTEM: Final = """\
You answer a question about a {engine} database with one query.

schema(table) shows the columns of a table with example values; without a table it lists all tables.
sql(query) runs a query and shows the first {rows} rows of its result.
submit(query) gives your answer, one query, and ends the episode.

Queries can only read. One that needs too much work or gives more than {max_rows:,} rows is stopped. \
The current time is {clock}.
An answer is right if {judged}; {order}. You have {turns} turns."""

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ESCAPED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def system(question: Question, turns: int) -> str:
    """Return rules, dialect and limits, and when an answer is right."""
    rules, ordered = question.rules, question.ordered and question.rules.scorer != "bird"
    return _SYSTEM.format(
        engine=NAMES[rules.engine],
        rows=ROWS,
        max_rows=rules.max_rows,
        clock=rules.clock,
        judged=JUDGED[rules.scorer],
        order="their order counts here" if ordered else "their order does not count",
        turns=turns,
    )


def opening(question: Question) -> str:
    """Return the first observation: the question, and the schema as far as it is told at the start."""
    return f"{asked(question)}\n\n{tables(question)}"


def asked(question: Question) -> str:
    """Return question and evidence."""
    said = f"Question: {question.text}"
    return f"{said}\nEvidence: {question.evidence}" if question.evidence else said


def tables(question: Question) -> str:
    """Return all tables, one a line; with columns where the database is small."""
    return "\n".join(_listed(question, {table.name for table in question.tables} if question.whole else set()))


def _listed(question: Question, known: set[str]) -> Iterator[str]:
    """Yield the lines about a database: its name, then every table, those in `known` with their columns."""
    count = len(question.tables)
    hidden = "" if question.whole else "; columns by schema(table)"
    yield f"Database {question.database}: {count} table{'s' * (count != 1)}{hidden}"
    for table in question.tables:
        yield _cut(signature(table) if table.name in known else f"{table.name}: {_counted(table.rows)}", LINE)


def signature(table: TableInfo) -> str:
    """Return a table in a line: name(column type key, …): rows; a column's reference follows an arrow."""
    alone = {ref.columns[0]: ref for ref in table.references if len(ref.columns) == 1}
    keys = [column.name for column in table.columns if column.key]
    parts = []
    for column in table.columns:
        words = [column.name, column.type.lower()]
        if keys == [column.name]:
            words.append("key")
        if column.name in alone:
            words.append(f"-> {alone[column.name].table}.{alone[column.name].targets[0]}")
        parts.append(" ".join(filter(None, words)))
    if len(keys) > 1:
        parts.append(f"key ({', '.join(keys)})")
    wide = [ref for ref in table.references if len(ref.columns) > 1]
    parts += [f"({', '.join(ref.columns)}) -> {ref.table}({', '.join(ref.targets)})" for ref in wide]
    return f"{table.name}({', '.join(parts)}): {_counted(table.rows)}"


def looked_at(table: TableInfo, examples: Sequence[Sequence[Value]]) -> str:
    """Return a table's columns, one a line, with type, key, reference and example values.

    Args:
        table: the table.
        examples: for each column some of its values; () where there are none to show.
    """
    found = examples or [()] * len(table.columns)
    lines = [f"{table.name}: {_counted(table.rows)}"]
    for column, values in zip(table.columns, found, strict=True):
        words = [column.name, column.type.lower(), "key" if column.key else "required" if column.required else ""]
        of = [ref for ref in table.references if column.name in ref.columns]
        words += [f"-> {ref.table}.{ref.targets[ref.columns.index(column.name)]}" for ref in of]
        shown = f": {', '.join(literal(value) for value in values)}" if values else ""
        lines.append(_cut(" ".join(filter(None, words)) + shown, LINE))
    return _bounded(lines)


def result(found: Result, hint: str = "") -> str:
    """Return a result as an aligned table, cut to ROWS rows, CELL characters a value and WHOLE in all; or its message.

    Numbers stand right, texts left; what was cut away is said, cells end in "…". A message is followed by `hint`.
    """
    if not found.ok and found.kind != PLAN:
        return "; ".join(filter(None, (_cut(found.message, LINE), hint)))
    body = [[_shown(value) for value in row] for row in found.rows[:ROWS]]
    grid = [[_shown(name) for name in found.columns], *body]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    right = [_numeric(column) for column in zip(*found.rows[:ROWS], strict=True)] or [False] * len(widths)
    lines = [_cut(_aligned(row, widths, right), LINE) for row in grid]
    kept = len(_fitting(lines))
    left = len(found.rows) - (kept - 1)
    if not found.rows:
        return "\n".join([*lines[:kept], "no rows"])
    return "\n".join([*lines[:kept], *([f"… {left:,} more row{'s' * (left != 1)}"] if left else [])])


def _aligned(row: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    sized = zip(row, widths, right, strict=True)
    return " | ".join([cell.rjust(width) if far else cell.ljust(width) for cell, width, far in sized]).rstrip()


def _numeric(values: Sequence[Value]) -> bool:
    kinds = {type(value) for value in values} - {type(None)}
    return bool(kinds) and kinds <= {int, float}


def _fitting(lines: Sequence[str]) -> Sequence[str]:
    """Return the first lines that WHOLE has room for, two at least."""
    size = 0
    for number, line in enumerate(lines):
        size += len(line) + 1
        if size > WHOLE and number > 1:
            return lines[:number]
    return lines


def _bounded(lines: Sequence[str]) -> str:
    kept = _fitting(lines)
    more = len(lines) - len(kept)
    return "\n".join([*kept, *([f"… {more} more columns"] if more else [])])


def literal(value: Value) -> str:
    """Return a value as it would be written in a query, cut to CELL characters."""
    return f"'{_shown(value)}'" if isinstance(value, str) else _shown(value)


def head(rows: Sequence[Sequence[Value]]) -> str:
    """Return the first rows in short, on one line."""
    told = ["(" + ", ".join(map(literal, row)) + ")" for row in rows[:HEAD]]
    return _cut(", ".join([*told, *(["…"] if len(rows) > HEAD else [])]), 3 * CELL)


def describe(state: SqlState, looked: Sequence[str]) -> str:
    """Return what an agent would read now: question, evidence, schema as far as it is known, and results in short.

    Args:
        state: any state.
        looked: what `looked_at` says of each table looked at.
    """
    question = state.question
    known = {table.name for table in question.tables if state.knows(table.name)}
    parts = [asked(question), "\n".join(_listed(question, known - set(state.looked))), *looked]
    if state.facts:
        told = [f"{_written(question, fact.said)}\n= {_counted(fact.rows)}{_after(fact.head)}" for fact in state.facts]
        parts.append("\n".join(["Results:", *told]))
    if state.answer:
        said = next((fact.said for fact in state.facts if fact.query == state.answer), "")
        parts.append(f"Submitted: {_written(question, said) if said else 'a query that does not run'}")
    return "\n\n".join(parts)


@lru_cache(maxsize=1024)
def _written(question: Question, query: str) -> str:
    """Return a query in the one layout, on one line, cut."""
    return _cut(" ".join(render(query, question.tables, question.dialect).split()), 4 * CELL)


def _after(text: str) -> str:
    return f": {text}" if text else ""


def _counted(rows: int) -> str:
    return f"{rows:,} row{'s' * (rows != 1)}"


def _shown(value: Value) -> str:
    """Return a value on one line, cut to CELL characters."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return _cut(f"x'{value[:CELL].hex()}'", CELL)
    text = value if isinstance(value, str) else str(value)
    text = text[: CELL + 1]
    if not text.isprintable():
        text = _BREAKS.sub(lambda mark: _ESCAPED.get(mark[0], "�"), text)
    return _cut(text, CELL)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
