"""Feelings: the words and turns of phrase that name each family, and who is said to feel them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agentgym.envs.emotional_support.analyser.lists import table

_NAMES: Final[dict[str, tuple[str, ...]]] = {}
_MAYBE: Final[dict[str, tuple[str, ...]]] = {}
for _name, _target in (("feelings", _NAMES), ("maybe", _MAYBE)):
    for _family, _listed in table(_name).items():
        for _word in _listed.split():
            _target[_word] = (*_target.get(_word, ()), _family)
_PHRASES: Final[dict[str, list[tuple[list[str], str]]]] = {}
for _family, _text in table("phrases").items():
    for _phrase in _text.split(", "):
        _first, *_rest = _phrase.split()
        _PHRASES.setdefault(_first, []).append((_rest, _family))
_WORDS: Final = frozenset((*_NAMES, *_MAYBE))
_FIRST: Final = frozenset(_PHRASES)

_FEEL: Final = re.compile(
    r"\b(?:feel|feels|feeling|felt|sound|sounds|seem|seems|you (?:are|were)(?: so| very| really| completely| quite)?"
    r"|must be|how|makes you|made you|leaves you)(?: \w+){0,3} $"
)


def named(words: Sequence[str]) -> tuple[str, ...]:
    """Return the families of feelings that a sentence names, in the order of its words; a word may be of several."""
    found: dict[str, None] = {}
    for place, word in enumerate(words) if not _WORDS.isdisjoint(words) else ():
        if word in _NAMES:
            before = words[max(place - 3, 0) : place]
            if "not" in before or "never" in before or (before and before[-1] == "no"):
                continue
            found.update(dict.fromkeys(_NAMES[word]))
        elif word in _MAYBE and _FEEL.search(" ".join(words[max(place - 6, 0) : place]) + " "):
            found.update(dict.fromkeys(_MAYBE[word]))
    if not _FIRST.isdisjoint(words):
        for place, word in enumerate(words, 1):
            for rest, family in _PHRASES.get(word, ()):
                if list(words[place : place + len(rest)]) == rest:
                    found[family] = None
    return tuple(found)


def names_feeling(word: str) -> bool:
    """Return whether a word names a feeling by itself."""
    return word in _NAMES
