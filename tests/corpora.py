"""Corpora for tests and measurements of retrieval: written by rule, equal on every machine."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.envs.wiki_search.passages import Passage, Store, build_store

SMALL = (
    Passage("Lisbon", "Lisbon is the capital of Portugal. It lies on the Tagus."),
    Passage("Tagus", "The Tagus is a river that rises in Spain and ends near Lisbon."),
    Passage("Porto", "Porto is a city in Portugal on the river Douro."),
    Passage("Douro", "The Douro is a river of Spain and Portugal; it ends at Porto."),
    Passage("Madrid", "Madrid is the capital of Spain."),
    Passage("Lisbon", "A town in Maine bears the name of the capital."),
)
CONSONANTS, VOWELS = "bcdfghklmnprstvz", "aeiou"


def store(folder: Path, passages: Any = SMALL) -> Store:
    return build_store(passages, folder / "passages")


@cache
def word(number: int) -> str:
    """Return a word of two syllables or more, another one for each number; none is a stop word."""
    rest, out = number + 80, ""
    while rest:
        rest, low = divmod(rest, 80)
        out += CONSONANTS[low % 16] + VOWELS[low // 16]
    return out


class Words:
    """Words by rank, drawn as in a natural text: the n-th is drawn in proportion to 1 / (n + shift).

    Args:
        vocabulary: how many there are.
        shift: the larger, the rarer the commonest ones.
        seed: of the draws.
    """

    def __init__(self, vocabulary: int, shift: float = 15.0, seed: int = 0) -> None:
        share = 1 / (np.arange(vocabulary) + shift)
        self._ends = np.cumsum(share / share.sum())
        self._draw = np.random.Generator(np.random.PCG64(seed))

    def text(self, length: int) -> str:
        ranks = np.minimum(self._ends.searchsorted(self._draw.random(length)), len(self._ends) - 1)
        return " ".join(map(word, ranks.tolist()))

    def passages(self, count: int, length: int = 60) -> Iterator[Passage]:
        """Yield passages of so many words, each with a title of two words."""
        for _ in range(count):
            yield Passage(self.text(2), self.text(length))
