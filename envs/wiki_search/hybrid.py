"""Reciprocal rank fusion: one ranking of several.

A passage's score is the sum of 1 / (60 + rank) over the rankings that it is in, ranks counted from 1, as Cormack,
Clarke and Büttcher (2009) have it; scores of different kinds, such as BM25 and cosines, need no common scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from agentgym.envs.wiki_search.ranking import Ranking, Searcher, best, check_k

CONSTANT: Final = 60
DEPTH: Final = 100


def fuse(rankings: Sequence[Ranking], k: int = 10) -> Ranking:
    """Return one ranking of several, in the order of all rankings.

    Raises:
        ValueError: k is no int of at least 1.
    """
    check_k(k)
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, (passage, _) in enumerate(ranking, 1):
            scores[passage] = scores.get(passage, 0.0) + 1 / (CONSTANT + rank)
    return best(np.array(list(scores), dtype=np.int64), np.array(list(scores.values()), dtype=np.float64), k)


class Hybrid:
    """Several searchers of the same passages as one.

    Args:
        searchers: what is fused, such as a BM25 index and a dense one.
        depth: how many passages of each ranking count; k where that is more.

    Raises:
        ValueError: there is no searcher, or a depth below 1.
    """

    def __init__(self, searchers: Sequence[Searcher], depth: int = DEPTH) -> None:
        if not searchers:
            raise ValueError("searchers is empty: give at least one index")
        if type(depth) is not int or depth < 1:
            raise ValueError(f"depth must be an int of at least 1, not {depth!r:.60}")
        self.searchers, self.depth = tuple(searchers), depth

    def search(self, query: str, k: int = 10) -> Ranking:
        """Return the best passages as (id, fused score), best first.

        Raises:
            ValueError: k is no int of at least 1. What the searchers raise.
        """
        check_k(k)
        deep = max(k, self.depth)
        return fuse([searcher.search(query, deep) for searcher in self.searchers], k)
