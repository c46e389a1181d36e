"""From what was done to levels: how far a text helps and hurts on each axis, in the light of what was said before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from agentgym.envs.emotional_support.analyser.acts import Act, Ground
from agentgym.envs.emotional_support.analyser.reading import LIFTING

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


def levels_of(
    acts: Sequence[Act], skills: frozenset[str], ground: Ground, before: Mapping[tuple[str, str], int]
) -> Levels:
    """Return the levels of a text.

    Args:
        acts: those of its sentences that count.
        skills: the skills that the text is taken for.
        ground: what it is read upon.
        before: (skill or family, fact or "") → in how many of the supporter's earlier messages both were named.
    """
    c = a = p = 0
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
                c = max(c, _fading(2 if new else 1, ("",), known, before))
            elif skill in ("open_question", "information"):
                c = max(c, 1)
            elif skill == "self_disclosure":
                a = max(a, 1)
            elif skill == "affirmation":
                lifts = any(name in known for name in LIFTING)
                p = max(p, _fading(2 if lifts else 1, ("",), known, before) if known else 0)
            elif skill == "suggestion":
                p = max(p, 2 if act.soft and act.facts else 1)
    harms = [HARM[skill] for skill in sorted(skills) if skill in HARM]
    cn, an, pn = (min(column) for column in zip(*harms, strict=True)) if harms else (0, 0, 0)
    if harms:  # a blow is what is heard
        c, a, p = max(c - 1, 0), max(a - 1, 0), max(p - 1, 0)
    return c, cn, a, an, p, pn


def _fading(level: int, families: Sequence[str], facts: Sequence[str], before: Mapping[tuple[str, str], int]) -> int:
    """Return the level that is left of something that was said before: the newest pair counts."""
    times = min((before.get((family, fact), 0) for family in families for fact in facts or ("",)), default=0)
    return max(level - times, 0)
