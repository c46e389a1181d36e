"""How alike texts are: TF-IDF vectors, and means weighted by the softmax of their cosines.

A term is a lower-cased run of two or more word characters. A text's vector holds count · (ln((1 + n)/(1 + df)) + 1) for
each of its terms, n the number of texts and df of those with the term, and is scaled to length 1. Texts are the
observations of a whole batch, one a row; equal ones are read once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agentgym.credit.algebra import Bools, Floats, Ints, in_range, population
from agentgym.credit.rows import by_group

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

TERM = re.compile(r"\w\w+")

SHARED = 16
"""All groups are one block where their numbers of texts, squared, average more than such a part of that of all."""

BLOCK = 64
"""Fewer texts than this are not worth a block of their own: groups are joined until they have as many."""

CELLS = 1 << 20
"""Cosines held at a time."""

ALIKE = 1e-14
"""Cosines that are so close to 1 are those of one direction."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """Sparse vectors: text t has `value[begins[t]:begins[t + 1]]` at the terms `term[begins[t]:begins[t + 1]]`."""

    begins: Ints
    term: Ints
    value: Floats

    def dense(self, texts: Ints) -> Floats:
        """The vectors of some texts over the terms that occur in them; shape [texts, terms]."""
        first, counts = self.begins[texts], self.begins[texts + 1] - self.begins[texts]
        place = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        terms, column = np.unique(self.term[place], return_inverse=True)
        result = np.zeros((len(texts), len(terms)))
        result[np.repeat(np.arange(len(texts)), counts), column] = self.value[place]
        return result


def soft_mean(batch: TurnBatch, x: Floats, temperature: float, max_features: int = 1024) -> Floats:
    """Σ_j softmax_j(cos(text, text_j) / temperature)·x_j over the turns j of the same group, itself included; per row.

    Args:
        batch: with the column observation.
        x: per row.
        temperature: above 0.
        max_features: how many terms are kept; at least 1.
    """
    if not temperature > 0.0:
        raise ValueError(f"temperature must be positive, got {temperature}")
    texts, groups = batch.codes("observation"), by_group(batch).codes
    if not len(texts):
        return np.zeros(0)
    first = np.empty(int(texts.max()) + 1, dtype=np.int64)
    first[texts[::-1]] = np.arange(len(texts))[::-1]
    vectors = tf_idf(batch["observation"][first].tolist(), np.bincount(texts), max_features)
    cells = population(groups, texts)  # sorted by group, so that whole groups are slices of them
    text, group = np.empty(cells.size, dtype=np.int64), np.empty(cells.size, dtype=np.int64)
    text[cells.codes], group[cells.codes] = texts, groups
    sums, counts = cells.sum(x), cells.counts.astype(np.float64)

    def mean(at: slice) -> Floats:
        return _block_mean(vectors, text[at], group[at], sums[at], counts[at], temperature)

    means = in_range(
        "a mean over similar turns", lambda: np.concatenate([mean(at) for at in _blocks(group, len(first))])
    )
    return means[cells.codes]


def tf_idf(texts: list[str], times: Ints, max_features: int = 1024) -> Vectors:
    """The vectors of texts, each of which occurs so many `times` in the collection.

    The `max_features` terms with the most occurrences are kept, of equally frequent ones the alphabetically first. A
    text without any kept term has the zero vector.

    Args:
        texts: the distinct texts.
        times: how often each occurs, shape [texts].
        max_features: at least 1.
    """
    if not max_features >= 1:
        raise ValueError(f"max_features must be at least 1, got {max_features}")
    found = [TERM.findall(text.lower()) for text in texts]
    known: defaultdict[str, int] = defaultdict()
    known.default_factory = known.__len__
    term = np.fromiter(map(known.__getitem__, chain.from_iterable(found)), np.int64)
    text = np.repeat(np.arange(len(texts)), np.fromiter(map(len, found), np.int64, len(found)))
    size = max(len(known), 1)
    pairs, count = np.unique(text * size + term, return_counts=True)
    text, term = pairs // size, pairs % size
    kept = _most_frequent(list(known), np.bincount(term, count * times[text], size), max_features)[term]
    text, term, count = text[kept], term[kept], count[kept]
    documents = np.bincount(term, times[text], size)
    value = count * (np.log((1.0 + times.sum()) / (1.0 + documents[term])) + 1.0)
    length = np.sqrt(np.bincount(text, value * value, len(texts)))
    begins = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(np.bincount(text, minlength=len(texts)), out=begins[1:])
    return Vectors(begins, term, value / length[text])


def _most_frequent(terms: list[str], occurrences: NDArray[Any], limit: int) -> Bools:
    """Which terms to keep."""
    kept = np.ones(max(len(terms), 1), dtype=bool)
    if len(terms) > limit:
        alphabetical = sorted(range(len(terms)), key=terms.__getitem__)
        ranked = sorted(alphabetical, key=(-occurrences).__getitem__)  # stable: ties stay alphabetical
        kept[ranked[limit:]] = False
    return kept


def _blocks(group: Ints, texts: int) -> list[slice]:
    """Slices of cells to do in one go: all where groups share most of the texts, else a few groups at a time."""
    own = np.bincount(group)
    if SHARED * (own.astype(np.float64) ** 2).mean() >= float(texts) ** 2:
        return [slice(0, len(group))]
    block = (np.cumsum(own) - own) // BLOCK  # groups that begin within the same BLOCK cells
    ends = np.cumsum(own)[np.append(np.flatnonzero(np.diff(block)), len(own) - 1)].tolist()
    return [slice(begin, end) for begin, end in pairwise([0, *ends])]


def _block_mean(
    vectors: Vectors, texts: Ints, groups: Ints, sums: Floats, counts: Floats, temperature: float
) -> Floats:
    """The soft mean of each (text, group) cell of a block, given the sum of x and the number of rows of each.

    One row of cosines a text serves all groups of the block: exp(cosines) · sums / exp(cosines) · counts.
    """
    text, group = population(texts), population(groups - groups.min())
    kinds, shape = np.arange(text.size), (text.size, group.size)
    kinds[text.codes] = texts
    cell = text.codes * group.size + group.codes
    both, mean = np.zeros((2, text.size * group.size)), np.zeros(shape)
    both[0, cell], both[1, cell] = sums, counts
    dense, step = vectors.dense(kinds), max(1, CELLS // text.size)
    for part in (slice(begin, begin + step) for begin in range(0, text.size, step)):
        apart = (dense[part] ** 2).sum(axis=1, keepdims=True) - dense[part] @ dense.T
        apart[apart < ALIKE] = 0.0
        above, below = np.exp(-apart / temperature) @ both.reshape(2, *shape)
        np.divide(above, below, out=mean[part], where=below > 0.0)
    result: Floats = mean.ravel()[cell]
    return result
