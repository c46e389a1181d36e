"""What a question must keep: its gold runs, cheaply, gives one settled result, and says nothing unsaid in the text."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

import sqlglot
from sqlglot import exp

from agentgym.envs.text_to_sql.result import Value
from agentgym.envs.text_to_sql.shipped.families import Question, Rows

MOST_STEPS: Final = 200_000  # a tenth of the budget of a query
MOST_ROWS: Final = 100
GRAIN: Final = 100  # virtual machine steps between two looks

UNSETTLED: Final = "rows of equal keys in an ordered result: add a key to ORDER BY, and say it"
CLOCK = re.compile(r"\b(now|current_(date|time|timestamp)|random\w*|changes|last_insert_rowid)\b", re.IGNORECASE)
ORDER_WORDS = re.compile(
    r"\b(order|sort|alphabet|ascending|descending|ranked|lowest|highest|earliest|latest|newest|oldest|first|last|most"
    r"|fewest|largest|smallest|longest|shortest|cheapest|top|biggest|best)",
    re.IGNORECASE,
)

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
SAID: Final[dict[str, str]] = {
    "0": r"zero|none?|never|without|any",
    "1": r"one|an?|single|once|first|only|last|most|least|best|worst|more|fewer|\w+est|previous|next|before|after",
    "2": r"two|twice|second|both|double|half|pairs?",
    "3": r"three|third|thrice",
    "4": r"four|fourth|quarter",
    "5": r"five|fifth",
    "6": r"six|sixth",
    "7": r"seven|seventh|week",
    "8": r"eight|eighth",
    "9": r"nine|ninth",
    "10": r"ten|tenth",
    "12": r"twelve|twelfth|dozen",
    "100": r"hundred|per cent|percent|percentage",
    "100.0": r"100|hundred|per cent|percent|percentage",
    "%Y": r"years?|yearly|annual|(19|20)\d\d",
    "%m": rf"months?|monthly|{MONTHS}",
    "%Y-%m": rf"months?|monthly|({MONTHS}) (19|20)\d\d",
    "%d": r"days?",
    "%H": r"hours?",
    "%w": r"weekdays?|day of the week|days of the week|Sundays?|Mondays?|Saturdays?|weekends?",
}
"""Literals that words of the question or its evidence may say instead, as regular expressions."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a gold came to in one filling."""

    columns: tuple[str, ...]
    rows: Rows
    steps: int


def run(connection: sqlite3.Connection, query: str, most: int = MOST_STEPS) -> Run:
    """Return columns, rows and an upper bound of virtual machine steps; sqlite3.OperationalError beyond `most`."""
    looks = 0

    def look() -> bool:
        nonlocal looks
        looks += 1
        return looks * GRAIN > most

    connection.set_progress_handler(look, GRAIN)
    try:
        cursor = connection.execute(query)
        rows = cursor.fetchall()
    finally:
        connection.set_progress_handler(None, 0)
    return Run(tuple(column[0] for column in cursor.description or ()), rows, (looks + 1) * GRAIN)


def unsaid(query: exp.Expression, text: str) -> list[str]:
    """Return the literals of a query that `text` does not say: as they stand, or in the words of SAID.

    Blanks and wildcards around a string do not count, nor does the sign of a date's modifier ("+30 days"), nor the
    thousands separators of the text. The 1 of EXISTS (SELECT 1 …) says nothing and needs no saying.
    """
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    missing = []
    for literal in query.find_all(exp.Literal):
        if isinstance(literal.parent, exp.Select) and isinstance(literal.parent.parent, exp.Exists):
            continue
        value = str(literal.this)
        core = value if value in SAID else value.strip(" %+-")
        pattern = rf"(?<![\w.]){re.escape(core)}(?!\w|\.\d)" if core.replace(".", "").isdigit() else re.escape(core)
        words = rf"\b({SAID[core]})\b" if core in SAID else r"(?!)"
        if core and not re.search(pattern, plain) and not re.search(words, plain, re.IGNORECASE):
            missing.append(value)
    return missing


def ordered(query: exp.Expression) -> bool:
    """Return whether the order of the result is part of the answer: the outermost query has an ORDER BY."""
    return query.args.get("order") is not None


def _outputs(query: exp.Expression) -> list[exp.Expression]:
    while isinstance(query, exp.SetOperation | exp.Subquery):
        query = query.this
    return list(query.expressions) if isinstance(query, exp.Select) else []


def _keyed(query: exp.Expression) -> tuple[str, list[int]]:
    """Return the query without its LIMIT, with every key of its ORDER BY in the result, and where the keys stand."""
    query = query.copy()
    query.set("limit", None)
    query.set("offset", None)
    outputs = _outputs(query)
    plain = [output.unalias() for output in outputs]
    names = [output.alias_or_name.lower() for output in outputs]
    places, width = [], len(outputs)
    for item in query.args["order"].expressions:
        key = item.this
        if isinstance(key, exp.Literal) and not key.is_string:
            places.append(int(key.this) - 1)
        elif key in plain:
            places.append(plain.index(key))
        elif isinstance(key, exp.Column) and not key.table and key.name.lower() in names:
            places.append(names.index(key.name.lower()))
        elif isinstance(query, exp.Select) and not query.args.get("distinct"):
            for column in list(key.find_all(exp.Column)):
                if not column.table and column.name.lower() in names:
                    inner = exp.paren(plain[names.index(column.name.lower())].copy())
                    key = inner if column is key else (column.replace(inner) and key)
            query.append("expressions", key.copy())
            places.append(width)
            width += 1
        else:
            raise ValueError(f"ORDER BY {key.sql('sqlite')}: not among the result's columns")
    return query.sql("sqlite"), places


def unsettled(connection: sqlite3.Connection, query: exp.Expression) -> list[str]:
    """Return what leaves the order of a query, or the rows that its LIMIT takes, to chance."""
    order, limit, offset = (query.args.get(part) for part in ("order", "limit", "offset"))
    if order is None:
        return [] if limit is None else ["LIMIT without ORDER BY"]
    try:
        sql, places = _keyed(query)
    except ValueError as error:
        return [str(error)]
    rows = run(connection, sql, most=10 * MOST_STEPS).rows
    keys = [tuple(row[place] for place in places) for row in rows]
    start = int(offset.expression.this) if offset else 0
    end = start + int(limit.expression.this) if limit else len(rows)
    faults = [
        f"a tie across the {word} of LIMIT"
        for word, cut in (("end", end), ("start", start))
        if 0 < cut < len(rows) and keys[cut - 1] == keys[cut]
    ]
    taken = range(start + 1, min(end, len(rows)))
    if any(keys[i - 1] == keys[i] and rows[i - 1] != rows[i] for i in taken):
        faults.append(UNSETTLED)
    return faults


def _limits(connection: sqlite3.Connection, query: exp.Expression) -> list[str]:
    """Return the faults of order and LIMIT, also of queries inside (with the outermost WITH, run by themselves)."""
    faults = unsettled(connection, query)
    common = query.args.get("with_") or query.args.get("with")
    for inner in query.find_all(exp.Limit):
        part = inner.parent
        if part is query or part is None:
            continue
        alone = part.copy()
        if common is not None:
            alone.set("with_" if "with_" in query.args else "with", common.copy())
        try:
            faults += [fault for fault in unsettled(connection, cast(exp.Expression, alone)) if fault != UNSETTLED]
        except sqlite3.Error:
            faults.append("LIMIT in a subquery that does not run by itself: write it without")
    return faults


def _result_faults(result: Run) -> list[str]:
    faults = []
    if not result.rows:
        return ["no rows"]
    if len(result.rows) > MOST_ROWS:
        faults.append(f"{len(result.rows)} rows, more than {MOST_ROWS}")
    if all(value is None for row in result.rows for value in row):
        faults.append("nothing but NULL")
    if len({name.lower() for name in result.columns}) < len(result.columns):
        faults.append("two result columns of one name: give aliases")
    if any(isinstance(value, float) and round(value, 4) != value for row in result.rows for value in row):
        faults.append("floats that are not rounded")
    return faults


def _same(first: Rows, second: Rows, in_order: bool) -> bool:
    return first == second if in_order else sorted(map(repr, first)) == sorted(map(repr, second))


def text_faults(question: Question, query: exp.Expression) -> list[str]:
    """Return what the text leaves unsaid, or says badly."""
    text = f"{question.question} {question.evidence}"
    faults = [f"the literal {value!r} is not in the text" for value in unsaid(query, text)]
    if ordered(query) and not ORDER_WORDS.search(text):
        faults.append("the gold is ordered and the text asks for no order")
    if not question.question[0].isupper() or question.question[-1] not in "?.":
        faults.append("a question begins with a capital and ends in a mark")
    if CLOCK.search(question.gold):
        faults.append("reads the clock or draws at random")
    return faults


def faults(question: Question, fillings: Sequence[sqlite3.Connection]) -> list[str]:
    """Return everything wrong with a question over the fillings of its database; nothing where it can be kept.

    Besides what the functions above say: results may not hang on the order in which rows are scanned, and not be equal
    in all fillings.
    """
    try:
        query = cast(exp.Expression, sqlglot.parse_one(question.gold, read="sqlite"))
    except sqlglot.ParseError as error:
        return [f"does not parse: {str(error).splitlines()[0]}"]
    found = text_faults(question, query)
    results: list[Rows] = []
    for number, connection in enumerate(fillings):
        try:
            result = run(connection, question.gold)
            here = _result_faults(result) + _limits(connection, query)
            connection.execute("PRAGMA reverse_unordered_selects = ON")
            backwards = run(connection, question.gold, most=10 * MOST_STEPS).rows
        except sqlite3.Error as error:
            here, result = [f"{type(error).__name__}: {error}"], Run((), [], 0)
            backwards = result.rows
        finally:
            connection.execute("PRAGMA reverse_unordered_selects = OFF")
        if not _same(result.rows, backwards, ordered(query)):
            here.append("the result hangs on the order in which rows are scanned")
        results.append(result.rows)
        found += [f"{fault} (filling {number})" for fault in here]
    if all(_same(results[0], other, False) for other in results[1:]):
        found.append("the same result in all fillings")
    return found


def scalar(value: Value) -> str:
    """Return a value as a short text for people."""
    return "NULL" if value is None else str(value)
