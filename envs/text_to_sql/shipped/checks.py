"""What a question must keep: its gold runs, cheaply, gives one settled result, and its text says every literal."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import Final, cast

import sqlglot
from sqlglot import exp

from agentgym.envs.text_to_sql.result import Value
from agentgym.envs.text_to_sql.shipped.families import Question
from agentgym.envs.text_to_sql.shipped.settled import Run, ordered, run, same, unsettled

MOST_ROWS: Final = 100

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


def tree_of(query: str) -> exp.Expression:
    """Return the tree of a query in SQLite's dialect; sqlglot.ParseError where it is none."""
    return cast(exp.Expression, sqlglot.parse_one(query, read="sqlite"))


def unsaid(query: exp.Expression, text: str) -> list[str]:
    """Return the literals of a query that `text` does not say: as they stand, or in the words of SAID.

    Blanks and wildcards around a string do not count, nor does the sign of a date's modifier ("+30 days"), nor the
    thousands separators of the text. The 1 of EXISTS (SELECT 1 …) and the
    places of columns in GROUP BY and ORDER BY need no saying.
    """
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    missing = []
    for literal in query.find_all(exp.Literal):
        above = literal.parent
        if isinstance(above, exp.Select) and isinstance(above.parent, exp.Exists):
            continue
        if isinstance(above, exp.Group | exp.Ordered) and not literal.is_string:
            continue
        value = str(literal.this)
        core = value if value in SAID else value.strip(" %+-")
        pattern = rf"(?<![\w.]){re.escape(core)}(?!\w|\.\d)" if core.replace(".", "").isdigit() else re.escape(core)
        words = rf"\b({SAID[core]})\b" if core in SAID else r"(?!)"
        if core and not re.search(pattern, plain) and not re.search(words, plain, re.IGNORECASE):
            missing.append(value)
    return missing


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

    Besides what the functions above and `settled` say: a result may not be the same in all fillings.
    """
    try:
        query = tree_of(question.gold)
    except sqlglot.ParseError as error:
        return [f"does not parse: {str(error).splitlines()[0]}"]
    found = text_faults(question, query)
    results: list[Run] = []
    for number, connection in enumerate(fillings):
        try:
            results.append(run(connection, question.gold))
            here = _result_faults(results[-1]) + unsettled(connection, query, results[-1])
        except sqlite3.Error as error:
            here = [f"{type(error).__name__}: {error}"]
        found += [f"{fault} (filling {number})" for fault in here]
    if len(results) == len(fillings) and all(same(results[0].rows, other.rows) for other in results[1:]):
        found.append("the same result in all fillings")
    return found


def scalar(value: Value) -> str:
    """Return a value as a short text for people."""
    return "NULL" if value is None else str(value)
