"""The expert: hears what was told last, names the feeling, and asks for the next thing at the moment it can be told."""

from __future__ import annotations

from typing import Final, NamedTuple

from agentgym.envs.emotional_support.listen import HURT
from agentgym.envs.emotional_support.speech import chooser, say
from agentgym.envs.emotional_support.state import HIDDEN, HINTED, OWNED, SEEN, TOLD, UNSEEN, SupportState
from agentgym.envs.emotional_support.story import FACTS, Feeling

HURTS: Final = frozenset(HURT.values())


class Aim(NamedTuple):
    """What a message is made of: blocks of data/supporter.txt, each about a matter, and the feeling it may name."""

    parts: tuple[tuple[str, str], ...]
    feeling: Feeling


def advice(state: SupportState) -> str:
    """Return the expert's message."""
    return spoken(state, aim(state))


def spoken(state: SupportState, wanted: Aim) -> str:
    """Return a message made of the parts of an aim."""
    choose, seeker = chooser(state, "expert"), state.seeker
    feel = choose.pick(wanted.feeling.words)
    return " ".join(
        say(block, seeker, seeker.matters[about], feel, choose, state.said) for block, about in wanted.parts
    )


def aim(state: SupportState) -> Aim:
    """Return what the expert is after in a state."""
    story = state.seeker.story
    troubles = [name for name in state.known if name not in ("strength", "step")] or ["fact0"]
    latest = state.about if state.about in troubles else troubles[-1]
    feeling = story.deep if state.concern == TOLD and (state.deep or state.about == "concern") else story.feel
    if state.concern == HINTED:
        return Aim((("bear", _spread(state)), ("invite", "concern")), feeling)
    if not state.told:
        return Aim((("meet" if state.act != "resists" else "sense", "fact0"), ("begin", "fact0")), feeling)
    if state.act in HURTS or state.wall > 0 or not state.felt:
        return Aim((("reflect", latest), ("ask", latest)), feeling)
    if state.told < FACTS or state.concern == HIDDEN:
        return Aim((("restate", latest), ("ask", latest)), feeling)
    if not state.deep:
        return Aim((("reflect", "concern"), ("bear", "concern")), story.deep)
    if state.strength == UNSEEN:
        return Aim((("reflect", "concern"), ("proud", "strength")), feeling)
    if state.strength == SEEN:
        return Aim((("affirm", "strength"), ("next", "step")), feeling)
    if state.plan < OWNED:
        return Aim((("affirm", "strength"), ("next" if state.plan == UNSEEN else "sure", "step")), feeling)
    return Aim((("reflect", _spread(state)), ("affirm", "strength"), ("sure", "step")), feeling)


def _spread(state: SupportState) -> str:
    """Return one of the told facts, another one each turn."""
    return f"fact{state.heard % max(state.told, 1)}"
