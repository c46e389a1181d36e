"""BM25 over a store: the scores of bm25s, a total order, and work only for passages that share a word with the query.

The score of a passage is Lucene's: for every word of the query, repeated ones too, ln(1 + (N - n + 0.5) / (n + 0.5)) ·
t / (t + k1 · (1 - b + b · l / mean l)), with k1 = 1.5 and b = 0.75; n of N passages hold the word, this one t times,
and it has l words. Those scores lie in the index ready to be added. Words of few
passages come first; of the passages of the others only those count which have been found already or can still come
among the first k.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from agentgym.envs.wiki_search import sealed
from agentgym.envs.wiki_search.bm25_build import ARRAYS, KIND, build, term_hash
from agentgym.envs.wiki_search.kept import Kept
from agentgym.envs.wiki_search.passages import Store
from agentgym.envs.wiki_search.ranking import Ranking, best, check_k
from agentgym.envs.wiki_search.tokens import tokens
from agentgym.errors import DataError

__all__ = ["Index", "build", "open_index"]
REMEDY: Final = "build it anew with agentgym data index, or bm25.build"
MARGIN: Final = 2e-6
"""More than rounding to 6 digits can move two scores against each other."""
REMEMBERED: Final = 1 << 16
_SHORT: Final = 8192
"""Postings that are sooner added at once than looked through."""
_SEEDS: Final = 32
_SPARSE: Final = 8
"""From so many postings a passage on, looking up the passages is faster than adding all postings."""


@dataclass(frozen=True, slots=True, eq=False)
class _Term:
    """The postings of a term: the passages that hold it, ascending; what it adds to their scores; the most of that."""

    ids: np.ndarray
    values: np.ndarray
    top: float

    def __len__(self) -> int:
        return len(self.ids)

    def repeated(self, times: int) -> _Term:
        """Return the term as a query weighs it that holds it so often."""
        return self if times == 1 else _Term(self.ids, self.values * np.float64(times), self.top * times)


class Index:
    """An index that was opened. Any thread may search it; forked processes share the mapped files.

    Attributes:
        content: 128-bit hash of the index; equal to that of any other index of equal passages.
        passages: content hash of the store that it was built from.

    Args:
        folder: what `build` wrote.

    Raises:
        DataError: it is missing, half-written, damaged or something else; the message names the file and the remedy.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        held = sealed.Sealed(folder, KIND, REMEDY)
        self.folder, self.content = held.folder, held.content
        self.passages: str = held.facts["passages"]
        self._sealed, self._count = held, int(held.facts["count"])
        arrays = (held[name] for name in ARRAYS)
        self._terms, self._ends, self._hashes, self._starts, self._tops, self._docs, self._scores = arrays
        self._term: Callable[[str], _Term | None] = lru_cache(maxsize=REMEMBERED)(self._find)
        self._scratch: list[_Scratch] = []

    def __len__(self) -> int:
        return self._count

    def search(self, query: str, k: int = 10) -> Ranking:
        """Return the best passages for a query as (id, score), best first; scores are rounded to 6 digits.

        Equal scores stand in the order of their ids. Passages without a word of the query are never among them, so
        there may be fewer than k, or none.

        Raises:
            TypeError: the query is no str. ValueError: k is no int of at least 1.
            DataError: what is read for the first time is damaged.
        """
        if type(query) is not str:
            raise TypeError(f"a query is a str, not {type(query).__name__}")
        check_k(k)
        times: dict[str, int] = {}
        for word in tokens(query):
            times[word] = times.get(word, 0) + 1
        terms = [term.repeated(n) for word, n in times.items() if (term := self._term(word)) is not None]
        if not terms:
            return []
        terms.sort(key=_order)
        try:
            scratch = self._scratch.pop()
        except IndexError:
            scratch = _Scratch(self._count)
        live = _candidates(terms, k, scratch)
        found = best(live, scratch.scores[live], k)
        scratch.clear()
        self._scratch.append(scratch)
        return found

    def _find(self, word: str) -> _Term | None:
        hashes = self._hashes.whole()
        key = np.uint64(term_hash(word))
        place, written = int(hashes.searchsorted(key)), word.encode("utf-8", "replace")
        while place < len(hashes) and hashes[place] == key:
            first, last = self._ends.part(place, place + 2).tolist()
            if self._terms.part(first, last).tobytes() == written:
                start, stop = self._starts.part(place, place + 2).tolist()
                top = float(self._tops.part(place, place + 1)[0])
                return _Term(self._docs.part(start, stop), self._scores.part(start, stop), top)
            place += 1
        return None

    def verify(self) -> None:
        """Read every byte. Raises DataError: the first damaged block, by name."""
        self._sealed.verify()

    def __reduce__(self) -> tuple[object, ...]:
        return open_index, (str(self.folder),)

    def __repr__(self) -> str:
        return f"Index({str(self.folder)!r}: {self._count} passages)"


class _Scratch:
    """Memory for one search at a time: a score a passage, all 0 before and after. What is not touched is not taken."""

    def __init__(self, count: int) -> None:
        self.scores = np.zeros(count)
        self.places = np.zeros(count, dtype=np.int32)
        self.used: list[np.ndarray] = []

    def start(self, terms: list[_Term]) -> np.ndarray:
        """Add the values of some terms to the scores; return the passages that hold one of them."""
        ids = np.concatenate([term.ids for term in terms], dtype=np.int64)
        np.add.at(self.scores, ids, np.concatenate([term.values for term in terms], dtype=np.float64))
        if len(terms) > 1:
            places = np.arange(len(ids), dtype=np.int32)
            self.places[ids] = places
            ids = ids[self.places[ids] == places]  # each passage once
        self.used.append(ids)
        return ids

    def add(self, term: _Term, live: np.ndarray, need: float) -> np.ndarray:
        """Add the values of a term to the scores of some passages, and start others to which it gives at least `need`.

        Args:
            term: its postings.
            live: the passages, all of which have a score.
            need: what is left out gets too little here to come among the first k, whatever the terms behind add.

        Returns:
            Those others.
        """
        if len(term) >= _SPARSE * len(live):
            at, held = _places(live, term.ids)
            self.scores[live[held]] += term.values[at[held]]
            if need > term.top:
                return live[:0]
            (enough,) = (term.values >= need).nonzero()
            new: np.ndarray = term.ids[enough].astype(np.int64)
            fresh = self.scores[new] == 0.0
            new, values = new[fresh], term.values[enough[fresh]]
        else:
            ids = term.ids.astype(np.int64)
            before = self.scores[ids]
            (held,) = before.nonzero()
            self.scores[ids[held]] = before[held] + term.values[held]
            (enough,) = ((term.values >= need) & (before == 0.0)).nonzero()
            new, values = ids[enough], term.values[enough]
        self.scores[new] = values
        self.used.append(new)
        return new

    def clear(self) -> None:
        """Set all scores back to 0."""
        for ids in self.used:
            self.scores[ids] = 0.0
        self.used.clear()


def _candidates(terms: list[_Term], k: int, scratch: _Scratch) -> np.ndarray:
    """Return passages among which the first k are, with their scores in `scratch`."""
    bounds = _bounds(terms)
    short = postings = 0
    while short < len(terms) and (postings := postings + len(terms[short])) <= _SHORT:
        short += 1
    live = scratch.start(terms[:short]) if short else np.zeros(0, dtype=np.int64)
    least = -math.inf  # the score of the k-th is more than this
    for place in range(short, len(terms)):
        if len(live) >= k:
            scores = scratch.scores[live]
            if least == -math.inf:
                least = _kth(_seeds(live, scores, terms[place:], k), k) - MARGIN
            live = live[scores + bounds[place] >= least]
        new = scratch.add(terms[place], live, least - bounds[place + 1])
        live = np.concatenate((live, new)) if len(new) else live
    return live


def _seeds(live: np.ndarray, scores: np.ndarray, rest: list[_Term], k: int) -> np.ndarray:
    """Return the full scores of some passages that look good so far: k of them or more.

    Args:
        live: passages, at least k.
        scores: what the terms before give them.
        rest: the terms that are still to come.
        k: how many are wanted.
    """
    some = min(k + _SEEDS, len(live))
    picked = np.argpartition(scores, len(live) - some)[len(live) - some :]
    picked.sort()
    live, scores = live[picked], scores[picked]
    for term in rest:
        at, held = _places(live, term.ids)
        scores[held] += term.values[at[held]]
    return scores


def _places(live: np.ndarray, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where in ascending `ids` these passages are, and which of them are there at all."""
    at = ids.searchsorted(live.astype(ids.dtype))
    at[at == len(ids)] = 0
    return at, ids[at] == live


def _order(term: _Term) -> tuple[int, float, int]:
    return len(term), -term.top, int(term.ids[0])


def _bounds(terms: list[_Term]) -> list[float]:
    """Return for each term the most that it and those behind it can add to a score, and 0 behind the last."""
    out = [0.0]
    for term in reversed(terms):
        out.append(out[-1] + term.top)
    return out[::-1]


def _kth(scores: np.ndarray, k: int) -> float:
    """Return the k-th best of at least k scores."""
    return float(np.partition(scores, len(scores) - k)[len(scores) - k])


_INDEXES: Final = Kept(Index)


def open_index(folder: str | os.PathLike[str], store: Store | None = None) -> Index:
    """Return the index of a folder: one object a process and path, and a new one when the folder was built anew.

    Args:
        folder: what `build` wrote.
        store: the passages that its ids shall mean.

    Raises:
        DataError: as `Index`; or it was built from other passages than those of `store`.
    """
    index = _INDEXES.get(folder)
    if store is not None and index.passages != store.content:
        raise DataError(f"{index.folder} is no index of the passages in {store.folder}: {REMEDY}")
    return index
