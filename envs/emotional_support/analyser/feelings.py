"""Feelings: the words and turns of phrase that name each family, and who is said to feel them."""

from __future__ import annotations

import re
from typing import Final

from agentgym.envs.emotional_support.analyser.lists import table
from agentgym.envs.emotional_support.analyser.words import Sentence

_NAMES: Final[dict[str, tuple[str, ...]]] = {}
_MAYBE: Final[dict[str, tuple[str, ...]]] = {}
for _name, _target in (("feelings", _NAMES), ("maybe", _MAYBE)):
    for _family, _listed in table(_name).items():
        for _word in _listed.split():
            _target[_word] = (*_target.get(_word, ()), _family)
_BY_PHRASE: Final = {phrase: family for family, text in table("phrases").items() for phrase in text.split(", ")}
_LAST_WORDS: Final = frozenset(phrase.split()[-1] for phrase in _BY_PHRASE)
_PHRASE: Final = re.compile(r"\b(?:" + "|".join(sorted(_BY_PHRASE, key=len, reverse=True)) + r")\b")

_FEEL: Final = re.compile(
    r"\b(?:feel|feels|feeling|felt|sound|sounds|seem|seems|you (?:are|were)(?: so| very| really| completely| quite)?"
    r"|must be|makes you|made you|leaves you)(?: \w+){0,3} $"
)


def named(sentence: Sentence) -> tuple[str, ...]:
    """Return the families of feelings that a sentence names, in the order of its words; a word may be of several."""
    found: dict[str, None] = {}
    words = sentence.words
    for place, word in enumerate(words):
        if word in _NAMES:
            before = words[max(place - 3, 0) : place]
            if "not" in before or "never" in before or (before and before[-1] == "no"):
                continue
            found.update(dict.fromkeys(_NAMES[word]))
        elif word in _MAYBE and _FEEL.search(" ".join(words[max(place - 6, 0) : place]) + " "):
            found.update(dict.fromkeys(_MAYBE[word]))
    if not _LAST_WORDS.isdisjoint(words):
        found.update((_BY_PHRASE[match[0]], None) for match in _PHRASE.finditer(sentence.text))
    return tuple(found)


def names_feeling(word: str) -> bool:
    """Return whether a word names a feeling by itself."""
    return word in _NAMES
