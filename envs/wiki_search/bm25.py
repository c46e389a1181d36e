"""BM25 over a store: the scores of bm25s, a total order, and work only for passages that share a word with the query.

The score of a passage is Lucene's: for every word of the query, repeated ones too, ln(1 + (N - n + 0.5) / (n + 0.5)) ·
t / (t + k1 · (1 - b + b · l / mean l)), with k1 = 1.5 and b = 0.75; n of N passages hold the word, this one t times,
and it has l words. Those scores lie in the index ready to be added.

All postings of the rarer terms of a query are added up. The few best passages of that sum, their scores completed, give
a bound that the first k reach. Only passages that can still reach it are looked up in the rows of the common terms, and
of those that hold common terms alone only the postings that are high enough are taken in. A store of few passages is
scored as a whole.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final
from weakref import WeakMethod

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
_FEW: Final = 2_048
"""Postings up to which sorting them is the fastest, if they are ..."""
_PART: Final = 16
"""... no more than one for so many passages."""
_SMALL: Final = 16_384
"""Passages up to which all scores are sooner looked through than those found are kept apart."""
_SHORT: Final = 24_000
"""Postings that are sooner added up than looked up; in a large store ..."""
_SHARE: Final = 32
"""... one for so many passages."""
_LANES: Final = 512
"""Columns in which scores are laid to find a bound from the best of each."""
_ORDER: Final = attrgetter("order")


@dataclass(frozen=True, slots=True, eq=False)
class _Term:
    """The postings of a term: the passages that hold it, ascending; what it adds to their scores; the most of that.

    A query that holds the term so many `times` adds `values` so often; `top` is of the sum. A common term has a `row`,
    a number a passage of the store, and `table[number]` is what the term adds to that passage's score.
    """

    ids: np.ndarray
    values: np.ndarray
    top: float
    order: tuple[bool, int, float, int]
    row: np.ndarray | None
    table: np.ndarray
    times: int = 1

    def __len__(self) -> int:
        return len(self.ids)

    def repeated(self, times: int) -> _Term:
        """Return the term as a query weighs it that holds it so often."""
        return replace(self, top=self.top * times, table=self.table * times, times=times)

    def weighed(self, values: np.ndarray) -> np.ndarray:
        """Return as 8-byte numbers what some of `values` add to a score."""
        long = values.astype(np.float64)
        return long if self.times == 1 else long * self.times

    def shares(self, passages: np.ndarray) -> np.ndarray:
        """Return what a common term adds to the scores of any passages."""
        assert self.row is not None
        return self.table.take(self.row.take(passages))

    def reaching(self, need: float) -> np.ndarray:
        """Return the places of the postings that add at least so much; such as add a trifle less may be among them."""
        least = np.nextafter(np.float32(need / self.times), np.float32(-np.inf))
        enough: np.ndarray = (self.values >= least).nonzero()[0]
        return enough


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
        self._terms, self._ends, self._hashes, self._starts, self._tops, self._docs, self._scores, *more = arrays
        self._common, self._rows, self._tables, self._tabled = more
        find: Any = WeakMethod(self._find)  # a cycle would hold the mapped files until the garbage collector comes by
        self._term: Callable[[str], _Term | None] = lru_cache(maxsize=REMEMBERED)(lambda word: find()(word))
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
        find = self._term
        terms = [
            term if count == 1 else term.repeated(count)
            for word, count in times.items()
            if (term := find(word)) is not None
        ]
        if not terms:
            return []
        terms.sort(key=_ORDER)
        if sum(map(len, terms)) <= min(_FEW, self._count // _PART):
            return best(*_summed(terms), k)
        if self._count <= _SMALL:
            return best(*_every(terms, k, self._count), k)
        try:
            scratch = self._scratch.pop()
        except IndexError:
            scratch = _Scratch(self._count)
        found = best(*_candidates(terms, k, scratch), k)
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
                ids, values = self._docs.part(start, stop), self._scores.part(start, stop)
                row, table = self._row(place)
                return _Term(ids, values, top, (row is not None, len(ids), -top, int(ids[0])), row, table)
            place += 1
        return None

    def _row(self, place: int) -> tuple[np.ndarray | None, np.ndarray]:
        common = self._common.whole()
        at = int(common.searchsorted(place))
        if at == len(common) or common[at] != place:
            return None, common[:0]
        start, stop = self._tabled.part(at, at + 2).tolist()
        row = self._rows.part(at * self._count, (at + 1) * self._count)
        return row, self._tables.part(start, stop).astype(np.float64)

    def verify(self) -> None:
        """Read every byte. Raises DataError: the first damaged block, by name."""
        self._sealed.verify()

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (str(self.folder), self.content)

    def __deepcopy__(self, memo: object) -> Index:
        return self  # nothing in it changes

    def __repr__(self) -> str:
        return f"Index({str(self.folder)!r}: {self._count} passages)"


class _Scratch:
    """Memory for one search at a time: a score a passage, all 0 before and after. What is not touched is not taken."""

    def __init__(self, count: int) -> None:
        self.scores = np.zeros(count)
        self._used: list[np.ndarray] = []

    def add(self, terms: list[_Term]) -> tuple[np.ndarray, np.ndarray]:
        """Add all postings of some terms.

        Returns:
            The passages, each as often as it holds one of the terms, and their scores.
        """
        ids, values = _joined(terms)
        np.add.at(self.scores, ids, values)
        self._used.append(ids)
        return ids, self.scores.take(ids)

    def begin(self, term: _Term, need: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the passages that have no score yet and get at least `need` from a term, which is now their score."""
        enough = term.reaching(need)
        ids = term.ids.take(enough)
        fresh = self.scores.take(ids) == 0.0
        ids, values = ids[fresh], term.weighed(term.values.take(enough[fresh]))
        self.scores[ids] = values
        self._used.append(ids)
        return ids, values

    def clear(self) -> None:
        """Set all scores back to 0."""
        if sum(map(len, self._used)) > len(self.scores) // 8:
            self.scores.fill(0.0)
        else:
            for ids in self._used:
                self.scores[ids] = 0.0
        self._used.clear()


def _joined(terms: list[_Term]) -> tuple[np.ndarray, np.ndarray]:
    """Return the passages and the values of all postings of some terms."""
    ids = np.concatenate([term.ids for term in terms], dtype=np.int64)
    if all(term.times == 1 for term in terms):
        return ids, np.concatenate([term.values for term in terms], dtype=np.float64)
    return ids, np.concatenate([term.weighed(term.values) for term in terms])


def _every(terms: list[_Term], k: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return passages among which the first k are, and their scores, having looked at the scores of all."""
    scores = np.bincount(*_joined(terms), minlength=count)
    least = _reached(scores, k) - MARGIN if k < count else 0.0
    ids = (scores > max(least, 0.0)).nonzero()[0]
    return ids, scores.take(ids)


def _candidates(terms: list[_Term], k: int, scratch: _Scratch) -> tuple[np.ndarray, np.ndarray]:
    """Return passages among which the first k are, and their scores.

    The postings of the rarer terms are added up. What the others add, which have rows, is looked up for the passages
    found so far that can come among the first k; of those that hold others alone, the ones that can are taken in.
    """
    bounds, added = _bounds(terms), _added(terms, len(scratch.scores))
    rest = terms[added:]
    ids, scores = scratch.add(terms[:added])
    least = -math.inf  # the k-th has at least this
    if len(ids) >= added * k:  # so there are k passages among them
        least = _reached(scores, added * k)
        if rest:
            seeds = (scores >= least).nonzero()[0]
            least = _reached(_full(rest, ids.take(seeds), scores.take(seeds)), added * k)
        least -= MARGIN
        good = (scores >= least - bounds[added]).nonzero()[0]
        ids, scores = ids.take(good), scores.take(good)
    else:
        ids, scores = _once(ids, scores)
    for place, term in enumerate(rest, added):
        scores += term.shares(ids)
        if least == -math.inf and len(ids) >= k:
            least = _reached(scores, k) - MARGIN
        need = least - bounds[place + 1]
        good = (scores >= need).nonzero()[0]
        ids, scores = ids.take(good), scores.take(good)
        if need <= term.top:
            more, values = scratch.begin(term, need)
            ids, scores = np.concatenate((ids, more)), np.concatenate((scores, values))
    return _once(ids, scores)


def _added(terms: list[_Term], count: int) -> int:
    """Return of how many terms all postings are to be added up, at least of one and of those without a row."""
    most, postings, added = max(_SHORT, count // _SHARE), 0, 0
    for term in terms:
        postings += len(term)
        if term.row is not None and postings > most:
            break
        added += 1
    return max(added, 1)


def _summed(terms: list[_Term]) -> tuple[np.ndarray, np.ndarray]:
    """Return the passages that hold one of the terms, ascending, and their scores."""
    ids, values = _joined(terms)
    order = ids.argsort(kind="stable")  # so values are added in the order of the terms
    ids = ids.take(order)
    starts = _new(ids).nonzero()[0]
    return ids.take(starts), np.add.reduceat(values.take(order), starts)


def _once(ids: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return passages in ascending order, each once, and their scores."""
    order = ids.argsort()
    ids = ids.take(order)
    new = _new(ids)
    return ids[new], scores.take(order[new])


def _new(ids: np.ndarray) -> np.ndarray:
    """Return which of some sorted numbers differ from the one before."""
    new = np.ones(len(ids), dtype=bool)
    np.not_equal(ids[1:], ids[:-1], out=new[1:])
    return new


def _full(terms: list[_Term], ids: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return scores of passages, which are changed, with what more terms that have rows add to them."""
    for term in terms:
        scores += term.shares(ids)
    return scores


def _reached(scores: np.ndarray, k: int) -> float:
    """Return what at least k of these scores reach, and not many more; there are k or more."""
    if len(scores) >= 4 * _LANES >= 16 * k:
        lanes = scores[: len(scores) - len(scores) % _LANES].reshape(-1, _LANES)
        scores = np.maximum.reduce(lanes, axis=0)  # what k of them reach is reached by k of all
    return float(np.partition(scores, len(scores) - k)[len(scores) - k])


def _bounds(terms: list[_Term]) -> list[float]:
    """Return for each term the most that it and those behind it can add to a score, and 0 behind the last."""
    out = [0.0]
    for term in reversed(terms):
        out.append(out[-1] + term.top)
    return out[::-1]


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


def _again(folder: str, content: str) -> Index:
    """Return the index of a folder for a copy of one. Raises DataError: as `open_index`; it is another index now."""
    return sealed.same(open_index(folder), content)
