"""A sentence as it was said, with all that follows from its words alone; the same sentence is looked at once."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from agentgym.envs.emotional_support.analyser import heaps, questions
from agentgym.envs.emotional_support.analyser.claims import Claims, claims_of
from agentgym.envs.emotional_support.analyser.cues import cues
from agentgym.envs.emotional_support.analyser.feelings import named, names_feeling
from agentgym.envs.emotional_support.analyser.general import GENERAL
from agentgym.envs.emotional_support.analyser.lists import words as listed
from agentgym.envs.emotional_support.analyser.words import fold, stem, tokens

LONG: Final = 60
"""Words of a sentence; a longer one is read in parts."""

_PIECE: Final = re.compile(r"[^.?!\n…]+[.?!\n…]*")
_SMALL: Final = listed("small")
_TOPICS: Final = listed("topics")
_ADDRESS: Final = frozenset(("you", "your", "yourself", "yours"))


class Said(NamedTuple):
    """A sentence.

    Attributes:
        text: its words joined by single blanks, commas among them. words, stems: they and their stems.
        asks: whether a question mark ends it. you: whether it speaks to somebody.
        kinds: kind of cue → the place in the text of the first one.
        families: of the feelings that it names.
        body: the text without the words that only lead up to it.
        opens: whether it invites to tell. closed: whether it wants a yes, a no or a number.
        key: what it is known again by. odd: stems that belong to a story or to another topic. topics: those of another.
        heap: whether it is a heap of words. claims: what it takes to be so of the seeker.
        orders, marks: how many orders it gives, and marks of a sermon in it.
    """

    text: str
    words: tuple[str, ...]
    stems: tuple[str, ...]
    asks: bool
    you: bool
    kinds: dict[str, int]
    families: tuple[str, ...]
    body: str
    opens: bool
    closed: bool
    key: frozenset[str]
    odd: frozenset[str]
    topics: frozenset[str]
    heap: bool
    claims: Claims | None
    orders: int
    marks: int


class Placed(NamedTuple):
    """A sentence and where it stands in its text."""

    said: Said
    start: int
    end: int


@lru_cache(maxsize=4_096)
def sentences(text: str) -> tuple[Placed, ...]:
    """Return the sentences of the first 4,000 characters of a text, in their order; time is linear in those."""
    return tuple(
        Placed(said, match.start(), match.end()) for match in _PIECE.finditer(fold(text)) for said in _parts(match[0])
    )


@lru_cache(maxsize=32_768)
def _parts(piece: str) -> tuple[Said, ...]:
    """Return a folded sentence with its marks, in parts where it is long."""
    words, asks = tokens(piece), "?" in piece
    return tuple(_said(tuple(words[start : start + LONG]), asks) for start in range(0, len(words), LONG))


def _said(words: tuple[str, ...], asks: bool) -> Said:
    text, stems = " ".join(words), tuple(map(stem, words))
    kinds, families = cues(words, text), named(words)
    body = questions.body(text)
    opens = questions.opens(words, body, asks, "invite" in kinds)
    odd = frozenset(stems) - GENERAL
    if odd:
        odd = frozenset([one for one in odd if one[-2:] != "ly" and not names_feeling(one)])
    orders, marks = heaps.preached(words, text)
    you = not _ADDRESS.isdisjoint(words)
    return Said(
        text, words, stems, asks, you, kinds, families, body, opens,
        not opens and questions.closed(body, asks), frozenset(stems) - _SMALL, odd,
        frozenset(map(stem, _TOPICS.intersection(words))), heaps.is_heap(words, families),
        claims_of(words, stems, text, asks) if you else None, orders, marks,
    )  # fmt: skip
