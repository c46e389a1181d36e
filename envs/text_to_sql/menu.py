"""The menu: tables to look at, queries to try and queries to submit, the right one among them and in nothing marked.

For each question there are up to CANDIDATES queries: the gold and queries near it, which give other results. Each may
be tried, and submitted, once every table that it reads is known; a few probes ask for the values of columns. Two
queries may be tried in all, so that a task has few states (see `tests`) and exact truth is cheap.

Which misses stand beside the gold decides whether a reader without the database could tell it: the nearest ones alone
would make it the query that all the others resemble. So some are misses of misses, and they are chosen such that the
gold's rank among them is drawn evenly: in length, in words shared with the question, and in likeness to the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module

from agentgym.envs.text_to_sql.canonical import canonical
from agentgym.envs.text_to_sql.engine import TableInfo
from agentgym.envs.text_to_sql.expert import TESTS, answer, has_run, sensible_probe
from agentgym.envs.text_to_sql.state import Question, SqlState
from agentgym.envs.text_to_sql.trial import judged, touched, tried
from agentgym.envs.text_to_sql.writing import column_probe, plain
from agentgym.rng import TurnRng

CANDIDATES = 12  # queries on offer, the gold among them
POOL = 40  # misses that are chosen from
PROBES = 3  # queries for a column's values
TABLES = 5  # tables on offer to look at, more where the gold reads as many
SWAPS = 300  # exchanges tried to bring the gold to its ranks

_WORD = re.compile(r"[a-z]+|[0-9]+")


@dataclass(frozen=True, slots=True)
class Offer:
    """What is offered for a question, whatever is known: each query with the tables that it reads.

    Attributes:
        tables: names of the tables to look at.
        candidates: the gold and its misses, sorted by their text.
        probes: queries for the values of columns.
    """

    tables: tuple[str, ...]
    candidates: tuple[tuple[str, tuple[str, ...]], ...]
    probes: tuple[tuple[str, tuple[str, ...]], ...]


def entries(state: SqlState) -> Iterator[tuple[str, str]]:
    """Yield (tool, argument) of all that is on offer in a state."""
    offer = offer_of(state.question)
    yield from (("schema", table) for table in offer.tables if not state.knows(table))
    open_now = [query for query, reads in offer.candidates if all(map(state.knows, reads))]
    if len(state.facts) < TESTS:
        probes = [query for query, reads in offer.probes if all(map(state.knows, reads))]
        yield from (("sql", query) for query in (*probes, *open_now) if not has_run(state, query))
    yield from (("submit", query) for query in open_now)


@lru_cache(maxsize=4096)
def offer_of(question: Question) -> Offer:
    """Return what is offered for a question."""
    gold = answer(question)
    rng = TurnRng(int.from_bytes(question.key[:7], "big"), stream="text_to_sql menu")
    misses = chosen(gold, _wrong(question, gold, rng), f"{question.text} {question.evidence}", rng)
    candidates = sorted([gold, *misses])
    probes = _probes(question, candidates, rng)
    reads = {query: tuple(touched(question, query)) for query in (*candidates, *probes)}
    needed = touched(question, gold)
    others = [table.name for table in question.tables if table.name not in needed]
    # those that some candidate reads come first: a table that leads nowhere is no choice
    useful = [name for name in others if any(name in tables for tables in reads.values())]
    drawn = [*rng.shuffled(useful), *rng.shuffled([name for name in others if name not in useful])]
    tables = sorted([*needed, *drawn[: max(1, TABLES - len(needed))]])
    return Offer(
        () if question.whole else tuple(tables),
        tuple((query, reads[query]) for query in candidates),
        tuple((query, reads[query]) for query in probes),
    )


def pool(gold: str, tables: tuple[TableInfo, ...], dialect: str, rng: TurnRng) -> Iterator[str]:
    """Yield distinct queries near the gold: its misses, each followed by one or two misses of that miss.

    Whether they run, and give another result than the gold, is for the caller to try.
    """
    near_misses = import_module("agentgym.envs.text_to_sql.near_misses").near_misses
    forms = {canonical(gold, dialect, tables)}
    for near, _ in rng.shuffled(near_misses(gold, tables, rng)):
        further = [query for query, _ in rng.shuffled(near_misses(near, tables, rng))[:2]]
        for query in (near, *further):
            form = canonical(query, dialect, tables)
            if form not in forms:
                forms.add(form)
                yield plain(query, dialect)


def _wrong(question: Question, gold: str, rng: TurnRng) -> list[str]:
    """Return up to POOL queries that run and are wrong, from the task or made here."""
    given = (plain(query, question.dialect) for query in question.misses)
    found: list[str] = []
    for query in given if question.misses else pool(gold, question.tables, question.dialect, rng):
        if query != gold and query not in found and tried(question, query).fact and not judged(question, query):
            found.append(query)
        if len(found) == POOL:
            break
    return found


def _probes(question: Question, candidates: Sequence[str], rng: TurnRng) -> list[str]:
    """Return queries for the values of columns, the expert's among them, over the tables that candidates read."""
    sensible = sensible_probe(question)
    found = [sensible] if sensible else []
    read = {name for query in candidates for name in touched(question, query)}
    columns = [
        (table.name, column.name)
        for table in question.tables
        if table.name in read
        for column in table.columns
        if not column.key and _is_text(column.type)
    ]
    for table, column in rng.shuffled(columns):
        if len(found) == PROBES:
            break
        probe = column_probe(table, column, question.dialect)
        if probe not in found and probe not in candidates and tried(question, probe).fact is not None:
            found.append(probe)
    return sorted(found)


def _is_text(kind: str) -> bool:
    return any(word in kind.lower() for word in ("char", "text", "date", "string", "clob"))


# ---- which misses stand beside the gold -----------------------------------------------------------------------------


def chosen(gold: str, misses: Sequence[str], question: str, rng: TurnRng) -> list[str]:
    """Return up to CANDIDATES − 1 of the misses, such that nothing but its meaning marks the gold among them.

    For each feature a rank of the gold is drawn evenly, and misses are exchanged as long as that brings it nearer.
    """
    many = CANDIDATES - 1
    order = rng.shuffled(misses)
    if len(order) <= many:
        return order
    queries = [gold, *order]
    features: list[_Fixed | _Likeness] = [_Fixed(values) for values in _measured(queries, question)]
    features.append(_Likeness(queries))
    aims = [rng.integers(many + 1) for _ in features]
    inside, outside = list(range(1, many + 1)), list(range(many + 1, len(queries)))

    def far() -> float:
        return sum(abs(feature.rank(inside) - aim) for feature, aim in zip(features, aims, strict=True))

    best = far()
    for _ in range(SWAPS):
        here, there = rng.integers(many), rng.integers(len(outside))
        inside[here], outside[there] = outside[there], inside[here]
        now = far()
        if now > best:
            inside[here], outside[there] = outside[there], inside[here]
        best = min(best, now)
        if best < 1.0:
            break
    return [queries[number] for number in inside]


def _measured(queries: Sequence[str], question: str) -> list[list[float]]:
    """Return length, words shared with the question, and their share among its words, of each query."""
    asked = set(_WORD.findall(question.lower()))
    words = [set(_WORD.findall(query.lower())) for query in queries]
    shared = [float(len(found & asked)) for found in words]
    shares = [count / len(found) if found else 0.0 for count, found in zip(shared, words, strict=True)]
    return [[float(len(query)) for query in queries], shared, shares]


class _Fixed:
    """A feature of each query alone; its rank is that of the gold, query 0, counted from 0, ties halved."""

    def __init__(self, values: Sequence[float]) -> None:
        self._values = values

    def rank(self, inside: Sequence[int]) -> float:
        mine = self._values[0]
        return sum((self._values[at] < mine) + 0.5 * (self._values[at] == mine) for at in inside)


class _Likeness:
    """How much of its words a query shares with the others on offer."""

    def __init__(self, queries: Sequence[str]) -> None:
        words = [set(query.split()) for query in queries]
        self._likeness = [[len(one & other) / len(one | other) for other in words] for one in words]

    def rank(self, inside: Sequence[int]) -> float:
        everyone = (0, *inside)
        values = {at: sum(self._likeness[at][other] for other in everyone) for at in everyone}
        return sum((values[at] < values[0]) + 0.5 * (values[at] == values[0]) for at in inside)
