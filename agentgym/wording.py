"""How varied texts are that a world says: pairs of words, and runs of words that come again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
LONGEST: Final = 63
"""Words of a run that is looked for at most."""


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in small letters, those with an apostrophe whole."""
    return tuple(_WORD.findall(text.lower().replace("’", "'")))


def distinct_2(texts: Sequence[str]) -> float:
    """Return how many different pairs of neighbouring words there are, as a share of all pairs; 0 without any."""
    pairs = Counter(pair for text in texts for pair in _runs(words_of(text), 2))
    return len(pairs) / max(pairs.total(), 1)


def longest_frame(texts: Sequence[str], least: int) -> tuple[str, int]:
    """Return the longest run of words that stands in at least so many of the texts, and in how many; ("", 0): none.

    Of runs that are as long, the one that most texts hold; of these, the last by the alphabet.
    """
    found = ("", 0)
    split = [words_of(text) for text in texts]
    for length in range(1, LONGEST + 1):
        counts = Counter(run for words in split for run in sorted(set(_runs(words, length))))
        run, times = max(counts.items(), key=lambda item: (item[1], item[0]), default=((), 0))
        if times < least:
            break
        found = (" ".join(run), times)
        split = [words for words in split if any(counts[run] >= least for run in _runs(words, length))]
    return found


def _runs(words: tuple[str, ...], length: int) -> Iterator[tuple[str, ...]]:
    return (words[place : place + length] for place in range(len(words) - length + 1))
