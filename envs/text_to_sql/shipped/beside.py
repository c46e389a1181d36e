"""Which wrong queries stand beside the gold in menus, so that nothing but its meaning marks it among them.

A reader without the database could go by length, by words shared with the question, or by likeness: were all others
near misses of the gold, it would be the one that they all resemble. So the queries come in groups, each around one of
its own (the gold, a query near it, one near that), and those taken are exchanged until the gold stands about where a
draw says it should, in every respect that is measured here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from agentgym.envs.text_to_sql.menu import CANDIDATES
from agentgym.rng import TurnRng

BESIDE: Final = CANDIDATES - 1
SWAPS: Final = 150  # exchanges tried from each group

_WORD: Final = re.compile(r"[a-z]+|[0-9]+")
_POINT: Final = re.compile(r"[^\w\s]")

Measure = Callable[[Sequence[int]], list[float]]
"""From the numbers of the queries in a menu to the values of a feature, in the same order."""
Features = dict[str, dict[str, Measure]]


def beside(gold: str, groups: Sequence[Sequence[str]], text: str, rng: TurnRng) -> list[str]:
    """Return BESIDE of the queries in `groups`, or all where they are no more.

    Args:
        gold: the right query, written like the others.
        groups: distinct wrong queries, those around one query in one group.
        text: question and evidence.
        rng: draws at which rank the gold should stand, of each feature, and which exchanges are tried.
    """
    queries = [gold, *(query for group in groups for query in group)]
    everyone = range(1, len(queries))
    if len(everyone) <= BESIDE:
        return rng.shuffled(queries[1:])
    features = measures(queries, text)
    aims = {name: rng.integers(BESIDE + 1) for name in features}
    best: tuple[float, list[int]] = (float("inf"), [])
    start = 1
    for group in groups:
        own = rng.shuffled(range(start, start + len(group)))
        others = rng.shuffled([number for number in everyone if number not in own])
        best = min(best, _exchanged([*own, *others], features, aims, rng), key=lambda found: found[0])
        start += len(group)
    return [queries[number] for number in rng.shuffled(best[1])]


def _exchanged(order: list[int], features: Features, aims: dict[str, int], rng: TurnRng) -> tuple[float, list[int]]:
    """Return how far the gold is from its aims, and the queries beside it: the first BESIDE, with exchanges."""

    def far() -> float:
        menu = [0, *order[:BESIDE]]
        found = [(measure(menu), aims[name]) for name, group in features.items() for measure in group.values()]
        return sum([abs(rank(values, values[0]) - aim) for values, aim in found])

    best = far()
    for _ in range(SWAPS):
        one, other = rng.integers(BESIDE), BESIDE + rng.integers(len(order) - BESIDE)
        order[one], order[other] = order[other], order[one]
        now = far()
        if now > best:
            order[one], order[other] = order[other], order[one]
        best = min(best, now)
    return best, order[:BESIDE]


def rank(values: list[float], mine: float) -> float:
    """Return how many of the others stay below one of the values, ties counted half."""
    return sum([value < mine for value in values]) + 0.5 * (values.count(mine) - 1)


def share_said(query: str, text: str) -> float:
    """Return which share of a query's words a text says too."""
    words = frozenset(_WORD.findall(query.lower()))
    return len(words & frozenset(_WORD.findall(text.lower()))) / max(len(words), 1)


def measures(queries: Sequence[str], text: str) -> Features:
    """Return what a reader could go by, in groups of features that rise together; a piece stands between blanks.

    Args:
        queries: the queries that menus are taken from, by number.
        text: question and evidence.
    """
    asked = set(_WORD.findall(text.lower()))
    words = [frozenset(_WORD.findall(query.lower())) for query in queries]
    pieces = [query.split() for query in queries]
    shared = [float(len(found & asked)) for found in words]
    return {
        "size": {
            "length": _alone([float(len(query)) for query in queries]),
            "number of pieces": _alone([float(len(found)) for found in pieces]),
            "number of punctuation marks": _alone([float(len(_POINT.findall(query))) for query in queries]),
        },
        "overlap": {
            "number of words that the text says": _alone(shared),
            "share of words that the text says": _alone([share_said(query, text) for query in queries]),
        },
        "likeness": {
            "likeness in words": _likeness(words),
            "likeness in pieces": _likeness([frozenset(found) for found in pieces]),
            "likeness in pairs of pieces": _likeness([frozenset(pairwise(found)) for found in pieces]),
        },
    }


def _alone(values: Sequence[float]) -> Measure:
    return lambda menu: [values[number] for number in menu]


def _likeness(parts: Sequence[frozenset[object]]) -> Measure:
    """Return the measure of how much of its parts a query has in common with all in the menu."""
    like = [[round(len(one & other) / max(len(one | other), 1), 9) for other in parts] for one in parts]
    return lambda menu: [sum(map(like[number].__getitem__, menu)) for number in menu]
