"""What a seeker does about what was said: what opens up, what is held back, and what is taken back.

The seeker hears skills, not points: a right question at a moment when they are ready opens the next thing; a blow
raises the wall, and a concern that was only hinted at is hidden again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from agentgym.envs.emotional_support.analyser import Reading
from agentgym.envs.emotional_support.state import HIDDEN, HINTED, OWNED, SEEN, TOLD, UNSEEN, SupportState
from agentgym.envs.emotional_support.story import FACTS

HIGHEST: Final = 3  # walls grow no further

HURT: Final[Mapping[str, str]] = {
    "blame": "hurt", "minimising": "belittled", "false_fact": "corrects", "premature_advice": "objects",
    "lecturing": "lectured", "repetition": "notices", "off_topic": "drifts",
}  # fmt: skip
"""What the seeker does about a harmful move, the worst first."""

LEAVE: Final = "leave"
_SPEAKS: Final = frozenset({"open_question", "restatement", "reflection", "affirmation"})


class Reply(NamedTuple):
    """What the seeker does: an act, what it is about (a name of `Seeker.matters`, or ""), and what it changes."""

    act: str
    about: str = ""
    changes: Mapping[str, Any] = {}


def reply(state: SupportState, reading: Reading) -> Reply:
    """Return what the seeker does about a supporter's message, as it was read."""
    for skill, act in HURT.items():
        if skill in reading.skills:
            return _hurt(state, act)
    if worsened(reading):
        return _hurt(state, "hurt")
    return _answer(state, reading)


def worsened(reading: Reading) -> bool:
    """Return whether something in a message hurt more than anything helped: no progress beside a regression."""
    c, cn, a, an, p, pn = reading.levels
    return min(cn, an, pn) < 0 and not (c or a or p)


def _hurt(state: SupportState, act: str) -> Reply:
    changes: dict[str, Any] = {"wall": min(state.wall + 1, HIGHEST)}
    if state.concern == HINTED:
        changes["concern"] = HIDDEN
    return Reply(act, state.about if state.about in state.known else "", changes)


def _answer(state: SupportState, reading: Reading) -> Reply:
    """Return what follows when nothing hurt: the first of these that fits."""
    skills = reading.skills
    named = [family for family in reading.feelings if family in state.feelings]
    softer = {"wall": max(state.wall - 1, 0)} if "reflection" in skills or "affirmation" in skills else {}
    wall = softer.get("wall", state.wall)
    if state.concern == HINTED and skills & _SPEAKS:
        return Reply("discloses", "concern", {**softer, "concern": TOLD})
    if "reflection" in skills and named:
        felt = _felt(state, named, softer)
        if felt is not None:
            return felt
    if "affirmation" in skills and state.strength == SEEN and _names(reading, "strength"):
        return Reply("warms", "strength", {**softer, "strength": OWNED})
    if "suggestion" in skills and state.explored:
        return _plans(state, softer)
    if skills & {"open_question", "restatement"}:
        return _goes_on(state, skills, softer, wall)
    if skills & _SPEAKS:
        return Reply("softens", state.about, softer)
    return Reply("waits", state.about)


def _names(reading: Reading, matter: str) -> bool:
    """Return whether a message speaks of a matter, or of none in particular."""
    return matter in reading.facts or not reading.facts


def _felt(state: SupportState, named: list[str], softer: Mapping[str, Any]) -> Reply | None:
    """Return what a feeling that is named rightly for the first time does; None where it is nothing new."""
    story = state.seeker.story
    if state.concern == TOLD and not state.deep and story.deep.family in named:
        return Reply("deepens", "concern", {**softer, "deep": True})
    if not state.felt and story.feel.family in named:
        return Reply("feels", state.about, {**softer, "felt": True})
    return None


def _goes_on(state: SupportState, skills: frozenset[str], softer: Mapping[str, Any], wall: int) -> Reply:
    """Return the next thing that the seeker tells, if they are ready for it."""
    if wall > 0 and not softer:
        return Reply("resists", state.about, {"wall": wall - 1})
    if state.told < FACTS:
        return Reply("tells", f"fact{state.told}", {**softer, "told": state.told + 1})
    if state.concern == HIDDEN:
        if state.felt and wall == 0:
            return Reply("hints", "concern", {**softer, "concern": HINTED})
        return Reply("circles", state.about, softer)
    if "open_question" not in skills:
        return Reply("agrees", state.about, softer)
    if state.strength == UNSEEN:
        return Reply("owns", "strength", {**softer, "strength": SEEN})
    return _plans(state, softer)


def _plans(state: SupportState, softer: Mapping[str, Any]) -> Reply:
    if state.plan == UNSEEN:
        return Reply("weighs", "step", {**softer, "plan": SEEN})
    if state.plan == SEEN:
        return Reply("decides", "step", {**softer, "plan": OWNED})
    return Reply("settles", "step", softer)
