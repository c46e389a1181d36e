"""Whether a query answers a question: the rules of three benchmarks, and our own.

strict (the default): the rows as a multiset, columns by place; the order of rows where the task says so. Floats are
    compared in 12 significant digits, as the order in which a sum is taken is the database's own.
spider: Spider's test-suite accuracy, on one database, with its defaults: DISTINCT is taken out of both queries, then
    rows are compared as a multiset under any order of the columns, and in order if the accepted query says "order by"
    anywhere. Two results without rows are equal, whatever their columns.
spider_keep_distinct: the same, both queries as they are.
bird: BIRD's execution accuracy: the set of rows, columns by place.
defog: Defog's rule (`defog_rule`): the columns asked for are there, under any names, among others.

All of them compare values as Python does: 1, 1.0 and True are one, NULL equals NULL alone, text no number. A question
may have several accepted queries; agreeing with one of them is enough.

Where they part from the official programs, on purpose:

1.  All: no statement at all (blanks, a comment, a semicolon) is wrong. Spider and BIRD take it for a result without
    rows, which equals the result of an accepted query without rows; Spider crashes at an empty text.
2.  All: several statements are wrong. Spider scores the first one, whatever the others do.
3.  All: only a reading can be right, and accepted queries are run beforehand, on a connection that no prediction sees.
    BIRD runs the prediction first, on the connection of the accepted query: DELETE, or a temporary view in a table's
    place, makes both return nothing. Queries beyond the limits of work and size are wrong.
4.  spider: equal rows with 1 in one result and 1.0 in the other are equal. Spider sorts each row by text and type
    before it looks at columns, and 1 and 1.0 next to 1.5 sort apart.
5.  spider: IS DISTINCT FROM keeps its DISTINCT, and texts, names and comments keep what looks like `> =`, which is
    read as `>=` elsewhere. Where the accepted query runs into a limit without DISTINCT, both are compared with it.
    YEAR(CURDATE()) is not read as 2020, since SQLite knows neither.
6.  spider: columns are matched by search (`column_match`) where Spider samples 20 rows to narrow down permutations.
7.  defog: results are compared only if they are of one shape. Defog compares values before it looks at the shape, and
    numpy stretches: a prediction without rows was right for every accepted result of one row, a row of equal values
    for any table of that value.
8.  defog: two columns of one name, and columns of mixed types, are compared like others. Defog's sort raises, and the
    prediction is wrong whatever it holds.
9.  defog: NULL equals NULL alone. Defog fills it with -99999, and pandas 3 refuses to fill text columns.

What looks odd but is the published rule, and kept: see docs/sql-scorers.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isinf
from typing import Any, Final, Protocol

from agentgym.digest import encode_rows, hash_bytes
from agentgym.envs.text_to_sql import defog_rule
from agentgym.envs.text_to_sql.column_match import same_table
from agentgym.envs.text_to_sql.distinct import with_operators_joined, without_distinct
from agentgym.envs.text_to_sql.result import ERROR, Result
from agentgym.errors import unknown
from agentgym.score import ColumnSets

DIGITS: Final = 12
"""Significant digits in which floats are compared by `strict`."""
_NEAR: Final = 10.0**-DIGITS
_ROUNDED: Final = f"%.{DIGITS}g"


class Runs(Protocol):
    """An engine, as far as scorers need one."""

    def run(self, query: str) -> Result:
        """Run a query; never raises for what the query says."""


@dataclass(frozen=True)
class Gold:
    """The accepted answers to a question.

    Attributes:
        queries: the accepted queries; one right answer to any of them is right.
        results: their results, all with rows (maybe none), in the same order.
        ordered: whether the order of rows is part of the answer, for `strict`.
        question, category: what Defog's rule reads.
        bare: what they come to without DISTINCT, for `spider`; (): the same as with it.
    """

    queries: tuple[str, ...]
    results: tuple[Result, ...]
    ordered: bool = False
    question: str = ""
    category: str = ""
    bare: tuple[Result, ...] = ()

    @cached_property
    def plain(self) -> tuple[Any, ...]:
        """Return the rows of each result as `strict` compares them."""
        return tuple(_comparable(result, self.ordered) for result in self.results)

    @cached_property
    def column_sets(self) -> tuple[ColumnSets, ...]:
        """Return each result as the step score looks at it."""
        return tuple(ColumnSets(result.rows) for result in self.results)

    @cached_property
    def hash(self) -> str:
        """Return the `rows_hash` of the result, or one hash of those of all results where several are accepted."""
        hashes = [rows_hash(result, self.ordered) for result in self.results]
        return hashes[0] if len(hashes) == 1 else hash_bytes("".join(hashes).encode())


def make_gold(
    queries: Sequence[str], engine: Runs, *, ordered: bool = False, question: str = "", category: str = ""
) -> Gold:
    """Run the accepted queries on an engine that no prediction runs on.

    Raises:
        ValueError: no query, or one that does not run; the message says which and why.
    """
    if not queries:
        raise ValueError("a question needs an accepted query")
    results, bare = [], []
    for query in queries:
        result = engine.run(query)
        if not result.ok:
            raise ValueError(f"the accepted query {query!r:.200} does not run: {result.kind}, {result.message}")
        stripped = without_distinct(query)
        results.append(result)
        bare.append(result if stripped == query else engine.run(stripped))
    return Gold(tuple(queries), tuple(results), ordered, question, category, tuple(bare))


def is_right(scorer: str, gold: Gold, query: str, result: Result, engine: Runs) -> bool:
    """Return whether a query answers the question.

    Only a query that ran, alone and as a plain reading, can: texts without a statement, several statements, writes,
    plans and what was cut by a limit never do.

    Args:
        scorer: one of SCORERS.
        gold: the accepted answers.
        query: what was submitted.
        result: what `engine` made of it.
        engine: for scorers that run a changed query; not the one that the accepted queries ran on.

    Raises:
        ValueError: an unknown scorer; the nearest is offered.
    """
    rule = _RULES.get(scorer)
    if rule is None:
        raise ValueError(unknown("scorer", scorer, SCORERS))
    return rule(gold, query, result, engine)


def rows_hash(result: Result, ordered: bool = False) -> str:
    """Return a 128-bit hash of a result's rows as a multiset, or as a list where their order counts; 32 hex digits.

    Columns count by number and place, not by name. Numbers count by value: 1, 1.0 and True are one, floats are rounded
    to 12 significant digits, since the order of a sum is the database's own. NULL equals NULL alone, text no number,
    bytes no text.
    """
    rows = encode_rows(_plain_columns(result.rows))
    if not ordered:
        rows.sort()
    return hash_bytes(b"%d columns, ordered %d;" % (len(result.columns), ordered) + b"".join(rows))


def _plain_columns(rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return the columns of rows with each value in the one form that stands for all that equal it."""
    return [
        column if {float, bool}.isdisjoint(map(type, column)) else list(map(_plain, column))
        for column in zip(*rows, strict=True)
    ]


def _plain(value: Any) -> Any:
    if type(value) is float:
        if value.is_integer():
            return int(value)
        if value != value or isinf(value):
            return (str(value),)  # no text, and no number that could be encoded
        nearest = round(value)
        if abs(value - nearest) <= abs(value) * _NEAR:
            return nearest
        return float(_ROUNDED % value)
    return int(value) if type(value) is bool else value


def _strict(gold: Gold, query: str, result: Result, engine: Runs) -> bool:
    sizes = {(len(right.columns), len(right.rows)) for right in gold.results}
    if not result.ok or (len(result.columns), len(result.rows)) not in sizes:
        return False
    return _comparable(result, gold.ordered) in gold.plain


def _comparable(result: Result, ordered: bool) -> Any:
    rows = list(zip(*_plain_columns(result.rows), strict=True))
    return len(result.columns), rows if ordered else Counter(rows)


def _bird(gold: Gold, query: str, result: Result, engine: Runs) -> bool:
    if not result.ok:
        return False
    rows = set(result.rows)
    return any(rows == set(right.rows) for right in gold.results)


def _spider(gold: Gold, query: str, result: Result, engine: Runs) -> bool:
    text = with_operators_joined(query)
    kept = _joined(query, text, result, engine)
    if not kept.ok:
        return False
    bare_text = without_distinct(text)
    bare = engine.run(bare_text) if bare_text != text else kept
    for place, accepted in enumerate(gold.queries):
        right, mine = gold.results[place], kept
        if gold.bare and gold.bare[place].ok:
            right, mine = gold.bare[place], bare
        if mine.ok and same_table(right.rows, mine.rows, ordered=_orders(accepted)):
            return True
    return False


def _spider_keep_distinct(gold: Gold, query: str, result: Result, engine: Runs) -> bool:
    result = _joined(query, with_operators_joined(query), result, engine)
    return result.ok and any(
        same_table(right.rows, result.rows, ordered=_orders(accepted))
        for accepted, right in zip(gold.queries, gold.results, strict=True)
    )


def _joined(query: str, text: str, result: Result, engine: Runs) -> Result:
    """Return what a query comes to once its operators are joined, if it did not run before."""
    return engine.run(text) if result.kind == ERROR and text != query else result


def _orders(query: str) -> bool:
    return "order by" in query.lower()


def _defog(gold: Gold, query: str, result: Result, engine: Runs) -> bool:
    text = ";".join(gold.queries)
    return result.ok and any(
        defog_rule.agrees(right, text, result, query, gold.question, gold.category) for right in gold.results
    )


_RULES: Final[Mapping[str, Callable[[Gold, str, Result, Runs], bool]]] = {
    "strict": _strict,
    "spider": _spider,
    "spider_keep_distinct": _spider_keep_distinct,
    "bird": _bird,
    "defog": _defog,
}
SCORERS: Final = tuple(_RULES)
"""The names of the scorers; "strict" is the default."""
