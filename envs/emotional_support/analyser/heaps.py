"""What is no talk: heaps of words, and sermons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agentgym.envs.emotional_support.analyser.general import FUNCTION
from agentgym.envs.emotional_support.analyser.words import LONGEST

_ASKING: Final = frozenset(("what", "how", "why", "who", "which", "where", "when"))
_RUN: Final = 6  # words that say something, one behind the other, that a sentence may have
_FAMILIES: Final = 4  # of feelings that one sentence may name
_ORDERS: Final = 3  # orders in one text that make a sermon
_DIRECTIVE: Final = re.compile(
    r"\b(?:should|must|have to|has to|need to|needs to|ought to|have got to|always|never|important that|you better)\b"
)
_EPISTEMIC: Final = re.compile(
    r"\bmust (?:be|feel|have|still|sound|really|hurt|hit|weigh)\b|\bshould have\b|\bhave to (?:go through"
    r"|hide|face|carry)\b"
)
_GENERIC: Final = re.compile(
    r"\b(?:people|one|parents|a (?:mother|father|parent|man|woman|person|wife|husband|friend|daughter|son"
    r"|grown man|baby)|children"
    r"|young people|adults|everyone|success|life is|the lesson|the rule|rules|character|a matter of|in life"
    r"|consequences|discipline"
    r"|let me (?:explain|tell you|teach)|firstly|secondly|thirdly|first of all|duty|responsibility|as a)\b"
)


_MARKS: Final = frozenset(
    (
        "people",
        "one",
        "parents",
        "children",
        "adults",
        "everyone",
        "success",
        "life",
        "lesson",
        "rule",
        "rules",
        "character",
        "matter",
        "consequences",
        "discipline",
        "explain",
        "teach",
        "firstly",
        "secondly",
        "thirdly",
        "all",
        "duty",
        "responsibility",
        "mother",
        "father",
        "parent",
        "man",
        "woman",
        "person",
        "wife",
        "husband",
        "friend",
        "daughter",
        "son",
        "baby",
        "as",
    )
)
_PREACHES: Final = frozenset(
    ("should", "must", "have", "has", "need", "needs", "ought", "always", "never", "important", "better")
)


def is_heap(words: Sequence[str], families: Sequence[str]) -> bool:
    """Return whether a sentence is a heap of words: many feelings, long runs without little words, heaped questions."""
    if len(words) < _RUN:
        return False
    run = 0
    before = ""
    for word in words:
        if word in FUNCTION:
            run = 0
            if word in _ASKING and before in _ASKING and word != before:
                return True
        elif word != ",":
            run += 1
            if run > _RUN:
                return True
        else:
            continue
        before = word
    return len(families) > _FAMILIES


def preached(words: Sequence[str], text: str) -> tuple[int, int]:
    """Return how many orders a sentence gives, and how many marks of a sermon stand in it."""
    marks = len(_GENERIC.findall(text)) if not _MARKS.isdisjoint(words) else 0
    if _PREACHES.isdisjoint(words):
        return 0, marks
    return max(len(_DIRECTIVE.findall(text)) - len(_EPISTEMIC.findall(text)), 0), marks


def is_sermon(text: str, found: Sequence[tuple[int, int]]) -> bool:
    """Return whether a text is a sermon: many orders, or some with maxims, or far too long to listen to.

    Args:
        text: the text.
        found: (orders, marks of a sermon) of its sentences.
    """
    orders = sum(more for more, _ in found)
    marks = sum(some if more else min(some, 1) for more, some in found)
    return len(text) > LONGEST or orders >= _ORDERS or (orders >= _ORDERS - 1 and marks > 1)
