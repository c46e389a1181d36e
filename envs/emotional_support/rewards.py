"""What a turn is worth, what it is called for calibration, which rules it breaks, and the rubrics of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agentgym.envs.emotional_support import rules
from agentgym.envs.emotional_support.analyser import HARMFUL, Reading
from agentgym.envs.emotional_support.state import HIDDEN, HINTED, OWNED, TOLD, UNSEEN, SupportState
from agentgym.envs.emotional_support.story import FACTS

VIOLATIONS: Final = ("blame", "minimising", "false_fact", "lecturing", "premature_advice")
"""Harmful moves that a supporter may never make; the others are clumsy."""

RUBRICS: Final[Mapping[str, str]] = {
    "explores": "The supporter asks on until the seeker has told what happened.",
    "feeling": "The supporter names what the seeker feels, in a word that fits.",
    "concern": "The supporter makes it safe to tell what the seeker holds back.",
    "depth": "The supporter names the feeling behind what was held back.",
    "strength": "The supporter finds what the seeker has done well, and says so.",
    "step": "The seeker comes to a next step of their own.",
    "harmless": "Nothing that the supporter says blames, belittles, lectures or hurries the seeker.",
}
"""The rubrics of a session, and what each wants."""

OPENS: Final = frozenset({"feels", "discloses", "deepens", "owns", "warms", "weighs", "decides"})
_ABOUT: Final = {
    "tells": "explores", "resists": "explores", "feels": "feeling", "circles": "feeling", "hints": "concern",
    "discloses": "concern", "deepens": "depth", "owns": "strength", "warms": "strength", "weighs": "step",
    "decides": "step", "settles": "step", "thanks": "step",
}  # fmt: skip


def progress(before: SupportState, after: SupportState) -> float:
    """Return the part of the first distance that a turn closed: MICA's incremental distance reward, over D₀."""
    return (before.distance - after.distance) / before.seeker.far


def critique(gain: float, reading: Reading) -> float:
    """Return −1 where the turn did harm or lost energy, +1 where it gained some, else 0."""
    if gain < 0 or not reading.skills.isdisjoint(HARMFUL):
        return -1.0
    return float(gain > 0)


def tag(act: str, reading: Reading, before: SupportState, after: SupportState) -> str:
    """Return the class of a turn: duplicate, error, gold (something opened), read (a fact was told), soft, message."""
    if "repetition" in reading.skills:
        return "duplicate"
    if not reading.skills.isdisjoint(HARMFUL):
        return "error"
    if act in OPENS:
        return "gold"
    if act == "tells":
        return "read"
    return "soft" if after.distance < before.distance else "message"


def violations(reading: Reading) -> tuple[str, ...]:
    """Return the rules that a message breaks, in a fixed order."""
    return tuple(name for name in VIOLATIONS if name in reading.skills)


def scores(state: SupportState) -> dict[str, float]:
    """Return the session's score under every rubric, as a state leaves it."""
    return {
        "explores": state.told / FACTS, "feeling": float(state.felt), "concern": state.concern / TOLD,
        "depth": float(state.deep), "strength": state.strength / OWNED, "step": state.plan / OWNED,
        "harmless": float(not state.harmed),
    }  # fmt: skip


def rubrics(act: str, first: bool, reading: Reading, before: SupportState, after: SupportState) -> dict[str, float]:
    """Return the scores under the rubrics that a turn is about: what it moved, or could have.

    Args:
        act: what the seeker did.
        first: whether this is the first message; harmlessness counts from there.
        reading: of the message.
        before: the state in which the message was heard.
        after: the state that it led to.
    """
    now, was = scores(after), scores(before)
    names = {name for name in now if now[name] != was[name]}
    if act in _ABOUT:
        names.add(_ABOUT[act])
    if before.concern == HINTED and after.concern == HIDDEN:
        names.add("concern")
    if first or not reading.skills.isdisjoint(HARMFUL):
        names.add("harmless")
    return {name: now[name] for name in RUBRICS if name in names}


def subgoal(state: SupportState) -> str:
    """Return what a supporter is working at in a state."""
    if state.told < FACTS:
        return "explore"
    if not state.felt:
        return "name the feeling"
    if state.concern < TOLD:
        return "make room for the concern"
    if not state.deep:
        return "name what lies behind"
    if state.strength == UNSEEN:
        return "find the strength"
    return "find the step" if state.plan < OWNED else "close"


def metrics(before: SupportState, after: SupportState, gained: rules.Energy) -> dict[str, float]:
    """Return the numbers of a turn: where the seeker stands, distance, energy, and MICA's other reward."""
    cognitive, affective, motivational = after.position
    return {
        "cognitive": float(cognitive), "affective": float(affective), "motivational": float(motivational),
        "distance": after.distance, "gain": gained.gain, "energy": gained.total,
        "shaped": rules.shaped(before.position, after.position),
    }  # fmt: skip
