"""Repetition: how much of a message was said before, in earlier messages or earlier in itself.

A sentence counts as said before if at least `SHARE` of its runs of three words stand in what was said before it; one of
fewer than four words, if it was said word for word. Sentences of one word, such as "Sure.", are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from agentgym.envs.sales.claims.tokens import sentences

SHARE: Final = 0.6
"""Share of a sentence's runs of three words that were said before, from which on it repeats."""

_RUN: Final = 3


class Shape(NamedTuple):
    """A sentence as it is compared: how many words it has, and its runs of three, or all where there are fewer."""

    words: int
    runs: frozenset[tuple[str, ...]]


@lru_cache(maxsize=4096)
def shapes(text: str) -> tuple[Shape, ...]:
    """Return the shapes of a message's sentences of two words and more."""
    found = []
    for sentence in sentences(text):
        said = sentence.words
        if len(said) >= 2:
            found.append(Shape(len(said), _runs(said)))
    return tuple(found)


def _runs(said: list[str]) -> frozenset[tuple[str, ...]]:
    if len(said) <= _RUN:
        return frozenset((tuple(said),))
    return frozenset(zip(said, said[1:], said[2:], strict=False))


def repeated(text: str, earlier: Iterable[str]) -> tuple[int, int, int, int]:
    """Return how many words a message repeats, of how many, and how many sentences, of how many.

    Args:
        text: the message.
        earlier: what the same speaker said before, in any order.
    """
    known: set[tuple[str, ...]] = set()
    for each in earlier:
        for shape in shapes(each):
            known |= shape.runs
    again = total = sentences_again = 0
    own = shapes(text)
    for words, runs in own:
        total += words
        if len(runs & known) >= SHARE * len(runs):
            again += words
            sentences_again += 1
        known |= runs
    return again, total, sentences_again, len(own)
