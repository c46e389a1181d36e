"""What is no talk: heaps of words, and sermons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agentgym.envs.emotional_support.analyser.general import FUNCTION
from agentgym.envs.emotional_support.analyser.words import LONGEST, Sentence

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


def is_salad(sentence: Sentence, families: tuple[str, ...]) -> bool:
    """Return whether a sentence is a heap of words: many feelings, long runs without little words, heaped questions."""
    words = sentence.words
    if len(words) < 6:
        return False
    run = most = 0
    before = ""
    for word in words:
        if word == ",":
            continue
        if word in FUNCTION:
            run = 0
            if word != before and word in _ASKING and before in _ASKING:
                return True
        else:
            run += 1
            most = max(most, run)
        before = word
    return most > _RUN or len(families) > _FAMILIES


def is_sermon(text: str, found: Sequence[Sentence]) -> bool:
    """Return whether a text is a sermon: many orders, or some with maxims, or far too long to listen to."""
    if len(text) > LONGEST:
        return True
    orders = marks = 0
    for sentence in found:
        more, some = _directives(sentence.text)
        orders, marks = orders + more, marks + (some if more else min(some, 1))
    return orders >= _ORDERS or (orders >= _ORDERS - 1 and marks > 1)


def _directives(text: str) -> tuple[int, int]:
    """Return how many orders a sentence gives, and how many marks of a sermon stand in it."""
    if "must" not in text and "to" not in text and "should" not in text and "ever" not in text and "always" not in text:
        return 0, len(_GENERIC.findall(text))
    orders = len(_DIRECTIVE.findall(text)) - len(_EPISTEMIC.findall(text))
    return max(orders, 0), len(_GENERIC.findall(text))
