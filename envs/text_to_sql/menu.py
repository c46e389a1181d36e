"""The menu: tables to look at, queries to try and queries to submit, the right one among them and in nothing marked.

For each question there are up to CANDIDATES queries: the gold and queries near it, which give other results. Each may
be tried, and submitted, once every table that it reads is known; a few probes ask for the values of columns. Two
queries may be tried in all, so that a task has few states (see `tests`) and exact truth is cheap.

Which misses stand beside the gold decides whether a reader without the database could tell it: the nearest ones alone
would make it the query that all the others resemble. So some are misses of a miss, and of a miss of that, and they are
chosen such that the gold's rank among them is drawn: in size, in words shared with the question, and in likeness.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import Any, TypeAlias

from agentgym.envs.text_to_sql.canonical import canonical
from agentgym.envs.text_to_sql.engine import TableInfo
from agentgym.envs.text_to_sql.expert import TESTS, answer, column_probe, has_run, probe_of, sensible_probe
from agentgym.envs.text_to_sql.near_misses import Values, near_misses
from agentgym.envs.text_to_sql.render import render
from agentgym.envs.text_to_sql.state import Question, SqlState
from agentgym.envs.text_to_sql.trial import judged, runs, touched, tried
from agentgym.rng import TurnRng
from agentgym.score import added

CANDIDATES = 13  # queries on offer, the gold among them
POOL = 40  # misses that are chosen from
CENTRES = 3  # queries whose misses they are: the gold, a miss of it, and a miss of that
NEAREST = 24  # misses of each that are made
PROBES = 3  # queries for a column's values
TABLES = 4  # tables on offer to look at, more where the gold reads as many
SWAPS = 250  # exchanges tried to bring the gold to its ranks
NEAR = 4.0  # ranks that all features together may be off
EDGE = 6.0  # ranks that the first or the last place counts besides

_WORD = re.compile(r"[a-z]+|[0-9]+")
_MARK = re.compile(r"[^\w\s]")


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


def pool(
    gold: str, tables: tuple[TableInfo, ...], dialect: str, rng: TurnRng, values: Values | None = None
) -> Iterator[str]:
    """Yield distinct queries near the gold: its misses, those of one of them, and those of one of these, in turns.

    To each such centre the gold is one neighbour among many, or farther, so that likeness need not mark it. Whether a
    query runs, and gives another result than the gold, is for the caller to try. Arguments as of
    `near_misses`.
    """
    forms = {canonical(gold, dialect, tables)}
    rows, centre = [], gold
    for _ in range(CENTRES):
        rows.append(near_misses(centre, tables, rng, values, dialect=dialect, limit=NEAREST))
        centre = rows[-1][0][0] if rows[-1] else centre
    for turn in zip_longest(*rows):
        for query, _ in filter(None, turn):
            form = canonical(query, dialect, tables)
            if form not in forms:
                forms.add(form)
                yield query


def _wrong(question: Question, gold: str, rng: TurnRng) -> list[str]:
    """Return up to POOL queries that run and are wrong, from the task or made here."""
    given = (render(query, question.tables, question.dialect) for query in question.misses)
    found: list[str] = []
    for query in given if question.misses else pool(gold, question.tables, question.dialect, rng):
        if query != gold and query not in found and runs(question, query) and not judged(question, query):
            found.append(query)
        if len(found) == POOL:
            break
    return found


def _probes(question: Question, candidates: Sequence[str], rng: TurnRng) -> list[str]:
    """Return queries for the values of columns, the expert's among them, over the tables that candidates read."""
    sensible = sensible_probe(question)
    found = [sensible] if sensible else []
    compared = dict.fromkeys(probe_of(question, query) for query in rng.shuffled(candidates))
    read = {name for query in candidates for name in touched(question, query)}
    columns = [
        (table.name, column.name)
        for table in question.tables
        if table.name in read
        for column in table.columns
        if not column.key and _is_text(column.type)
    ]
    others = (column_probe(question, table, column) for table, column in rng.shuffled(columns))
    for probe in (*compared, *others):
        if len(found) == PROBES:
            break
        if probe and probe not in found and probe not in candidates and tried(question, probe).fact is not None:
            found.append(probe)
    return sorted(found)


def _is_text(kind: str) -> bool:
    return any(word in kind.lower() for word in ("char", "text", "date", "string", "clob"))


# ---- which misses stand beside the gold -----------------------------------------------------------------------------


def chosen(gold: str, misses: Sequence[str], question: str, rng: TurnRng) -> list[str]:
    """Return up to CANDIDATES − 1 of the misses, such that nothing but its meaning marks the gold among them.

    For size, overlap with the question and likeness to the others a rank of the gold is drawn, never the first or last,
    and misses are exchanged as long as that brings the gold nearer to these ranks. Where they cannot be had, which is
    so for one task in ten, it may still be first or last.

    Args:
        gold: the right query, written like the misses (`render`).
        misses: wrong queries, distinct, none of them the gold.
        question: question and evidence.
        rng: what is drawn from.
    """
    many = CANDIDATES - 1
    order = rng.shuffled(misses)
    if len(order) <= many:
        return order
    queries = [gold, *order]
    aims: list[tuple[Measure, int]] = []
    for group in _features(queries, question).values():
        aim = rng.integers(1, many)
        aims += [(measure, aim) for measure in group]
    inside, outside = list(range(1, many + 1)), list(range(many + 1, len(queries)))

    def far() -> float:
        ranks = [(_rank(measure(inside)), aim) for measure, aim in aims]
        return added([abs(rank - aim) + EDGE * (not 0.5 < rank < many - 0.5) for rank, aim in ranks])

    best = far()
    for _ in range(SWAPS):
        here, there = rng.integers(many), rng.integers(len(outside))
        inside[here], outside[there] = outside[there], inside[here]
        now = far()
        if now > best:
            inside[here], outside[there] = outside[there], inside[here]
        best = min(best, now)
        if best <= NEAR:
            break
    return [queries[number] for number in inside]


Measure: TypeAlias = Callable[[Sequence[int]], list[float]]
"""From the misses beside the gold, by number, to the values of a feature: that of the gold, then theirs."""


def _features(queries: Sequence[str], question: str) -> dict[str, list[Measure]]:
    """Return what a reader without the database could go by, in groups of features that rise together."""
    asked = set(_WORD.findall(question.lower()))
    words = [set(_WORD.findall(query.lower())) for query in queries]
    shared = [float(len(found & asked)) for found in words]
    pieces = [query.split() for query in queries]
    parts = (words, [set(found) for found in pieces], [set(pairwise(found)) for found in pieces])
    return {
        "size": [
            _alone([float(len(query)) for query in queries]),
            _alone([float(len(_MARK.findall(query))) for query in queries]),
        ],
        "overlap": [
            _alone(shared),
            _alone([count / len(found) for count, found in zip(shared, words, strict=True)]),
        ],
        "likeness": [_likeness(part) for part in parts],
    }


def _alone(values: Sequence[float]) -> Measure:
    return lambda inside: [*map(values.__getitem__, (0, *inside))]


def _likeness(parts: Sequence[set[Any]]) -> Measure:
    """Return the measure of how much a query has in common with all in the menu."""
    like = [[len(one & other) / max(len(one | other), 1) for other in parts] for one in parts]
    return lambda inside: [added(map(like[at].__getitem__, (0, *inside))) for at in (0, *inside)]


def _rank(values: list[float]) -> float:
    """Return how many of the others stay below the first value, ties counted half."""
    mine = values[0]
    return sum([value < mine for value in values]) + 0.5 * (values.count(mine) - 1)
