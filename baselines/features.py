"""Hashed text features of (description, menu entry) pairs, and softmaxes over menus that are linear in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from agentgym.rollout import View

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(24)
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Menus:
    """The menus of n rows, flat: E entries in all, P (feature, entry) pairs.

    Attributes:
        pairs: (P,) weight numbers, entry by entry.
        entries: (E,) where each entry's pairs begin.
        rows: (n,) where each row's entries begin.
        row_of: (E,) the row of each entry.
    """

    pairs: Ints
    entries: Ints
    rows: Ints
    row_of: Ints

    def log_softmax(self, weights: Floats, offset: Floats | None = None) -> Floats:
        """Return (E,) log-probabilities: softmax over each row's entries of Σ weights[pairs] (+ offset)."""
        logits = np.add.reduceat(weights[self.pairs], self.entries)
        if offset is not None:
            logits = logits + offset
        logits = logits - np.maximum.reduceat(logits, self.rows)[self.row_of]
        return logits - np.log(np.add.reduceat(np.exp(logits), self.rows))[self.row_of]

    def gradient(self, entry_weights: Floats, size: int) -> Floats:
        """Return (size,) Σ over entries of entry_weight times the entry's features."""
        counts = np.diff(self.entries, append=len(self.pairs))
        return np.bincount(self.pairs, np.repeat(entry_weights, counts), size)


class TextFeatures:
    """Features of descriptions by state key, and of (description, entry) pairs by key and menu.

    Features of a description are its lines, the first (the goal) left out: each as it is, with the words it shares
    with the goal masked, and that with numbers masked too. A pair of feature and menu entry is hashed to one of `size`
    weights.

    Args:
        size: number of weights, a power of two.
    """

    def __init__(self, size: int) -> None:
        if size < 2 or size & (size - 1):
            raise ValueError(f"size must be a power of two, not {size!r}")
        self.size = size
        self._contexts: dict[str, Hashes] = {}
        self._index: dict[tuple[str, tuple[str, ...]], Ints] = {}

    def remember(self, views: Sequence[View]) -> None:
        """Keep the features of the views' descriptions, for `menus` to find by key."""
        for view in views:
            if view.key not in self._contexts:
                self._contexts[view.key] = _context(view.describe)

    def numbers(self, texts: Sequence[str]) -> Ints:
        """Return (n,) the weight numbers of texts that are features by themselves."""
        return np.array([_hashed(text) & (self.size - 1) for text in texts], dtype=np.int64)

    def knows(self, key: str) -> bool:
        """Return whether the description of a key is kept."""
        return key in self._contexts

    def forget(self) -> None:
        """Drop all that was kept."""
        self._contexts.clear()
        self._index.clear()

    def menus(self, keys: Sequence[str], menus: Sequence[Sequence[str]]) -> Menus:
        """Return the flat menus of some rows.

        Raises:
            KeyError: a key whose view was never remembered.
        """
        indices = [self._pairs(key, tuple(menu)) for key, menu in zip(keys, menus, strict=True)]
        sizes = np.array([len(index) for index in indices])
        widths = np.repeat([index.shape[1] for index in indices], sizes)
        rows = np.cumsum(sizes) - sizes
        return Menus(
            np.concatenate([index.ravel() for index in indices]),
            np.cumsum(widths) - widths,
            rows,
            np.repeat(np.arange(len(sizes)), sizes),
        )

    def _pairs(self, key: str, menu: tuple[str, ...]) -> Ints:
        index = self._index.get((key, menu))
        if index is None:
            mixed = (self._contexts[key][None, :] ^ _entry_hashes(menu)[:, None]) * _MIX >> _SHIFT
            index = self._index[key, menu] = (mixed & np.uint64(self.size - 1)).astype(np.int64)
        return index


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")


@lru_cache(maxsize=4096)
def _entry_hashes(menu: tuple[str, ...]) -> Hashes:
    return np.array([_hashed("entry " + text) for text in menu], dtype=np.uint64)


@lru_cache(maxsize=65536)
def _line_hashes(line: str, goal: str) -> tuple[int, ...]:
    shared = set(_WORD.findall(goal.lower()))
    masked = _WORD.sub(lambda match: "*" if match[0].lower() in shared else match[0], line)
    return tuple(_hashed(text) for text in dict.fromkeys((line, masked, _NUMBER.sub("#", masked))))


def _context(description: str) -> Hashes:
    goal, *lines = description.split("\n")
    hashes = {value: None for line in lines for value in _line_hashes(line, goal)}
    return np.array([_hashed("bias"), *hashes], dtype=np.uint64)
