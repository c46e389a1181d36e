"""What is told of a talk: the rules to the supporter, the role to whoever speaks for the seeker."""

from __future__ import annotations

from typing import Any

from agentgym.envs.emotional_support.person import sentence, you
from agentgym.envs.emotional_support.seeker import Seeker
from agentgym.envs.emotional_support.state import HINTED, TOLD, UNSEEN, SupportState

_HOLDS = {
    "open": "You talk readily once somebody asks.",
    "deflecting": "You make light of things until somebody takes them seriously.",
    "self-blaming": "You blame yourself before anybody else can.",
    "guarded": "You say little until you feel safe.",
    "testing": "You test whether the other one really listens.",
}
_SPEAKS = {
    "plain": "You speak plainly.", "wry": "You are dry and wry, more so when it hurts.",
    "hesitant": "You hesitate, and begin sentences twice.", "blunt": "You are blunt and brief.",
    "chatty": "You talk a lot, and fast.",
}  # fmt: skip


def system(max_turns: int) -> str:
    """Return the rules of the talk for the supporter."""
    return (
        "Somebody in distress writes to you. You are no therapist and no expert, you are somebody who listens well: "
        "find out what happened, what it does to this person and what lies behind it; name their feeling in a word "
        "that fits; see what they have done well; advise nothing before you have understood, and let the next step be "
        "their own. Write what you say to them, a few sentences a turn, in plain text. The seeker ends the talk; you have "
        f"{max_turns} turns."
    )


def card(seeker: Seeker) -> str:
    """Return the role of a seeker for whoever speaks in their place: what happened, what is held back until when."""
    story = seeker.story
    facts = " ".join(sentence(fact.clause) for fact in story.facts)
    return (
        f"You are {seeker.name}, and you write to somebody who listens. {_SPEAKS[seeker.manner]} "
        f"{_HOLDS[seeker.resistance]}\nWhat happened: {facts} You feel {story.feel.words[0]}, but you seldom say that "
        f"word first.\nWhat you hold back until it feels safe: {sentence(story.concern.clause)} Behind that you feel "
        f"{story.deep.words[0]}.\nWhat you have done well, and forget: {sentence(story.strength.clause)}\n"
        f"What you might do in the end, if nobody pushes you: {story.step.clause}.\n"
        "Say no more than the draft says. If you have had enough, you may leave."
    )


def describe(state: SupportState) -> str:
    """Return what a supporter knows by now, however it came about."""
    seeker = state.seeker
    told = [sentence(you(seeker.matters[name].clause)) for name in state.known]
    lines = ["What the seeker has told you: " + (" ".join(told) if told else "nothing yet.")]
    felt = [
        feeling.words[0]
        for feeling, named in ((seeker.story.feel, state.felt), (seeker.story.deep, state.deep))
        if named
    ]
    lines.append(f"Feelings that you have named rightly: {', '.join(felt) if felt else 'none yet'}.")
    if state.concern == HINTED:
        lines.append(f"The seeker has hinted at something: {you(seeker.story.concern.about)}.")
    lines.append(f"The seeker has heard {state.heard} of your messages and said last: {state.last}")
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
