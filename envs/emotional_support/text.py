"""What is told of a talk: the rules to the supporter, the role to whoever speaks for the seeker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentgym.envs.emotional_support.person import sentence, you
from agentgym.envs.emotional_support.seeker import Seeker
from agentgym.envs.emotional_support.state import HINTED, TOLD, UNSEEN, SupportState


def system(max_turns: int) -> str:
    """Return the rules of the talk for the supporter."""
    return (
        "Somebody in distress writes to you. You are no therapist and no expert, you are somebody who listens "
        "well: find out what happened, what it does to this person and what lies behind it; name their "
        "feeling in a word that fits; see what they have done well; advise nothing before you have "
        "understood, and let the next step be their own. Write what you say to them, a few sentences a turn, "
        "in plain text. The seeker ends the talk; you have "
        f"{max_turns} turns."
    )


_DID: Final[Mapping[str, str]] = {
    "opens": "has written to you for the first time", "tells": "has gone on telling",
    "feels": "was touched that you saw it",
    "hints": "has hinted at something and stopped", "discloses": "has told you what was held back",
    "deepens": "was touched that you saw what lies behind", "owns": "has found something good in it",
    "warms": "was glad that you saw it", "weighs": "is weighing a step", "decides": "has decided on a step",
    "settles": "is calmer", "agrees": "agrees with you", "circles": "goes round in circles and cannot say how it feels",
    "softens": "was glad of what you said", "waits": "did not know what to say to that",
    "resists": "does not want to go on",
    "objects": "was not ready for advice", "hurt": "was hurt by you", "belittled": "felt belittled by you",
    "corrects": "had to correct you", "notices": "noticed that you repeat yourself", "lectured": "felt lectured by you",
    "drifts": "could not see what you mean", "thanks": "has thanked you and gone", "leaves": "has left",
}  # fmt: skip
"""What a seeker did last, as a supporter would put it."""


def describe(state: SupportState) -> str:
    """Return what a supporter knows by now, however it came about; everything in it is part of the anchor."""
    seeker, story = state.seeker, state.seeker.story
    told = [sentence(you(seeker.matters[name].clause)) for name in state.known]
    named = [feeling.words[0] for feeling, seen in ((story.feel, state.felt), (story.deep, state.deep)) if seen]
    about = you(seeker.matters[state.about].about) if state.about else ""
    lines = [
        f"What the seeker has told you: {' '.join(told) if told else 'nothing yet.'}",
        f"Feelings that you have named rightly: {', '.join(named) if named else 'none yet'}.",
        f"The seeker {_DID[state.act]}{f' ({about})' if about else ''}.",
    ]
    if state.concern == HINTED:
        lines.append(f"The seeker has hinted at something: {you(story.concern.about)}.")
    return "\n".join(lines)


def secrets(seeker: Seeker, state: SupportState) -> dict[str, Any]:
    """Return what the supporter must not see, a sentence each: what is held back, felt, done well and missing."""
    story = seeker.story
    hidden: dict[str, Any] = {}
    if state.concern < TOLD:
        hidden["concern"] = f"{seeker.name} holds back: {sentence(story.concern.clause)}"
    hidden["feels"] = f"{seeker.name} feels {story.feel.words[0]}, and behind that {story.deep.words[0]}."
    if state.strength == UNSEEN:
        hidden["strength"] = f"{seeker.name} has done this well: {sentence(story.strength.clause)}"
    hidden["position"] = "missing, on the three axes: " + ", ".join(map(str, state.position))
    hidden["resistance"] = f"{seeker.name} is {seeker.resistance} and {seeker.manner}, wall {state.wall}."
    return hidden
