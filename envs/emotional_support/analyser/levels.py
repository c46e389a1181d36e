"""From what was done to levels: how far a text helps and hurts on each axis, in the light of what was said before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from agentgym.envs.emotional_support.analyser.acts import Act, Ground
from agentgym.envs.emotional_support.analyser.reading import LIFTING
from agentgym.envs.emotional_support.analyser.said import sentences
from agentgym.envs.emotional_support.analyser.story import Index

Levels = tuple[int, int, int, int, int, int]

HARM: Final[Mapping[str, tuple[int, int, int]]] = {
    "blame": (-1, -2, -1),
    "minimising": (0, -2, -1),
    "premature_advice": (-1, 0, -1),
    "lecturing": (-1, -1, -2),
    "repetition": (-1, -1, 0),
    "false_fact": (-2, -1, 0),
    "off_topic": (-1, -1, -1),
}
"""Regression on the cognitive, affective and motivational axis."""


def levels_of(acts: Sequence[Act], skills: frozenset[str], ground: Ground) -> Levels:
    """Return the levels of a text.

    Args:
        acts: those of its sentences that count.
        skills: the skills that the text is taken for.
        ground: what it is read upon.
    """
    c = a = p = 0
    before = _before(ground.heard.earlier, ground.story)
    told = [name for name in ground.story.names if name in ground.heard.told]
    for act in acts:
        known = [name for name in act.facts if name in ground.heard.told]
        for skill in act.skills:
            if skill not in skills:
                continue
            if skill == "reflection":
                a = max(a, _fading(2 if known else 1, act.feelings, known, before))
            elif skill == "restatement":
                new = bool(told) and told[-1] in known or len(known) > 1
                c = max(c, _fading(2 if new else 1, ("restatement",), known, before))
            elif skill in ("open_question", "information"):
                c = max(c, 1)
            elif skill == "self_disclosure":
                a = max(a, 1)
            elif skill == "affirmation":
                lifts = any(name in known for name in LIFTING)
                p = max(p, _fading(2 if lifts else 1, ("affirmation",), known, before) if known else 0)
            elif skill == "suggestion":
                p = max(p, 2 if act.soft and act.facts else 1)
    harms = [HARM[skill] for skill in sorted(skills) if skill in HARM]
    cn, an, pn = (min(column) for column in zip(*harms, strict=True)) if harms else (0, 0, 0)
    if harms:  # a blow is what is heard
        c, a, p = max(c - 1, 0), max(a - 1, 0), max(p - 1, 0)
    return c, cn, a, an, p, pn


def _fading(level: int, ways: Sequence[str], facts: Sequence[str], before: Sequence[frozenset[tuple[str, str]]]) -> int:
    """Return the level that is left of something that was said before: what is newest in it counts."""
    if not before or not level:
        return level
    pairs = [(way, fact) for way in ways for fact in facts or ("",)]
    return max(level - min(sum(pair in said for said in before) for pair in pairs), 0)


@lru_cache(maxsize=1_024)
def _before(messages: tuple[str, ...], story: Index) -> tuple[frozenset[tuple[str, str]], ...]:
    return tuple(_pairs(message, story) for message in messages)


@lru_cache(maxsize=4_096)
def _pairs(message: str, story: Index) -> frozenset[tuple[str, str]]:
    """Return what a message says of which fact: (family of a feeling, "restatement" or "affirmation"; fact or "")."""
    pairs: set[tuple[str, str]] = set()
    for sentence, _, _ in sentences(message):
        if not sentence.opens and not sentence.closed:
            praise = "affirm" in sentence.kinds or "no_fault" in sentence.kinds
            ways = sentence.families or (("affirmation",) if praise else ("restatement",))
            pairs.update((way, fact) for way in ways for fact in (*story.facts(sentence), ""))
    return frozenset(pairs)
