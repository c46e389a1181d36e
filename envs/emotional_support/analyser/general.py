"""Words that every talk is made of, and everyday words near in meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agentgym.envs.emotional_support.analyser.lists import rows, words
from agentgym.envs.emotional_support.analyser.words import stem

FUNCTION: Final = words("function")
"""Words that say nothing by themselves."""

_TALK: Final = words("talk")
GENERAL: Final = FUNCTION | _TALK | {","} | frozenset(map(stem, FUNCTION | _TALK))
"""Words, and stems of words, that belong to no story more than to another."""


def _near() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in rows("near"):
        stems = [stem(word) for word in group.split()]
        for one in stems:
            found.setdefault(one, {}).update(dict.fromkeys(stems))
    return {one: tuple(others) for one, others in found.items()}


NEAR: Final = _near()
"""Stem → the stems, itself among them, that paraphrases put for one another."""
