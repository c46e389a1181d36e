"""The one order of all retrieval here: by score, rounded to 6 digits, the best first, then by id."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np

DIGITS: Final = 6
_SCALE: Final = 10.0**DIGITS
_FEW: Final = 200
"""Passages that Python sorts sooner than numpy."""
Ranking = list[tuple[int, float]]
"""Passage ids and their scores, best first."""


def best(ids: np.ndarray, scores: np.ndarray, k: int) -> Ranking:
    """Return the first k of passages in the order of all rankings; ids are distinct, scores finite."""
    if len(ids) > max(k, _FEW):
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        kept = scores >= least - 2 * 10.0**-DIGITS  # all that may round to the same, and no more need sorting
        ids, scores = ids[kept], scores[kept]
    rounded = np.rint(scores.astype(np.float64) * _SCALE) / _SCALE + 0.0  # as np.round does it, and no -0.0
    if len(ids) <= _FEW:
        return [(passage, -lost) for lost, passage in sorted(zip((-rounded).tolist(), ids.tolist(), strict=True))[:k]]
    order = np.lexsort((ids, -rounded))[:k]
    return list(zip(ids[order].tolist(), rounded[order].tolist(), strict=True))


def check_k(k: object) -> None:
    """Raises ValueError: k is no int of at least 1."""
    if type(k) is not int or k < 1:
        raise ValueError(f"k must be an int of at least 1, not {k!r:.60}")


class Searcher(Protocol):
    """Whatever ranks passages for a query."""

    def search(self, query: str, k: int = 10) -> Ranking:
        """Return the best passages for a query as (id, score), in the order of all rankings."""
        ...
