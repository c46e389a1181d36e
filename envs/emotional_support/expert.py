"""The expert: hears what was told last, names the feeling, and asks for the next thing at the moment it can be told.

It knows the seeker and how it will be read: of the messages that fit the moment it says one that opens the next thing
and makes up what is still missing, in as few words as that takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from agentgym.envs.emotional_support import rules
from agentgym.envs.emotional_support.analyser import HARMFUL
from agentgym.envs.emotional_support.hearing import read
from agentgym.envs.emotional_support.listen import reply
from agentgym.envs.emotional_support.person import you
from agentgym.envs.emotional_support.speech import chooser, say
from agentgym.envs.emotional_support.state import HIDDEN, HINTED, SEEN, TOLD, UNSEEN, SupportState
from agentgym.envs.emotional_support.story import FACTS, Feeling
from agentgym.envs.emotional_support.words import Chooser
from agentgym.score import added

Part = tuple[str, str]
"""A block of data/supporter.txt, and the name of the matter that it is about."""

ADVANCES: Final = frozenset(
    {"tells", "feels", "hints", "discloses", "deepens", "owns", "warms", "weighs", "decides", "settles", "thanks"}
)
"""Acts of the seeker that lead on."""
LOOKS: Final = 3  # troubles besides the latest that the expert may come back to
TRIES: Final = 6  # messages that are weighed at most


class Aim(NamedTuple):
    """What a message is made of, and the feeling that it may name."""

    parts: tuple[Part, ...]
    feeling: Feeling


class Advice(NamedTuple):
    """The expert's message, and what it is made of."""

    text: str
    aim: Aim


def advice(state: SupportState) -> str:
    """Return the expert's message."""
    return advised(state).text


def advised(state: SupportState) -> Advice:
    """Return the expert's message and what it is made of; kept with the state."""
    found: Advice | None = vars(state).get("_advised")
    if found is None:
        found = vars(state)["_advised"] = _best(state)
    return found


def _best(state: SupportState) -> Advice:
    """Return the first of a few promising messages that leads on and keeps pace; else the best of them."""
    enough = 0.8 * state.distance / max(rules.MIN_TURNS - state.heard, 1)
    best: tuple[tuple[bool, bool, float], Advice] | None = None
    for number, wanted in enumerate(islice(aims(state), TRIES)):
        made = Advice(spoken(state, wanted, chooser(state, f"expert {number}")), wanted)
        worth = _worth(state, made.text)
        if worth[:2] == (True, True) and worth[2] >= enough:
            return made
        if best is None or worth > best[0]:
            best = worth, made
    assert best is not None, "there is always something to say"
    return best[1]


def _worth(state: SupportState, text: str) -> tuple[bool, bool, float]:
    """Return whether a message does no harm, whether it leads on, and how much of the distance it closes."""
    reading = read(state, text)
    after = rules.moved(state.position, rules.move(rules.Levels(*reading.levels)))
    gain = rules.energy(state.seeker.start, state.position, after).gain
    closer = state.distance - rules.distance(after) + gain / 100
    return reading.skills.isdisjoint(HARMFUL), reply(state, reading).act in ADVANCES, closer


def spoken(state: SupportState, wanted: Aim, choose: Chooser) -> str:
    """Return a message made of the parts of an aim."""
    seeker, feel = state.seeker, choose.pick(wanted.feeling.words)
    return " ".join(
        say(block, seeker, seeker.matters[about], feel, choose, state.said) for block, about in wanted.parts
    )


def aims(state: SupportState) -> Iterator[Aim]:
    """Yield what a message may be made of at a moment, the most promising first: understanding, then the next question.

    One thing is said before the question where that keeps pace with what is missing, else two.
    """
    back, feeling = _next(state)
    enough = state.distance / max(rules.MIN_TURNS - state.heard, 1)
    fronts = [(front, _promise(state, front)) for front in _fronts(state)]
    singles = [(_closer(state, (gain,)), (front,)) for front, gain in fronts]
    pairs = [
        (_closer(state, (gain, more)), (one, other))
        for one, gain in fronts
        for other, more in fronts
        if one[0] in ("reflect", "restate")
        and other[0] in ("bear", "affirm", "own", "restate")
        and one[1:] != other[1:]
    ]
    singles.sort(key=lambda weighed: -weighed[0])
    pairs.sort(key=lambda weighed: -weighed[0])
    brief = not pairs or singles[0][0] >= min(enough, pairs[0][0])
    for _, parts in (*singles, *pairs) if brief else (*pairs, *singles):
        says = parts[-1][0] == "own"  # which has named the step already
        yield Aim((*parts, *((("sure", "step"),) if says and back == (("try", "step"),) else back)), feeling)


def _promise(state: SupportState, front: Part) -> rules.Position:
    """Return what a part may be expected to move: most where it speaks of something for the first time."""
    block, about = front
    matter = state.seeker.matters[about]
    clause, topic = you(matter.clause), you(matter.about)
    often = sum(clause in said or topic in said for said in map(str.casefold, state.said))
    if block == "restate":
        return (3 if about == state.known[-1] and not often else max(1 - often, 0)), 0, 0
    if block in ("reflect", "sense"):
        return 0, (3, 1, 0)[min(often, 2)], 0
    if block in ("affirm", "own"):
        return 0, 0, (3, 1, 0)[min(often, 2)]
    return 0, 0, int(block == "bear" and not often)


def _closer(state: SupportState, gains: Sequence[rules.Position]) -> float:
    """Return how much of the distance gains close, and a little for what goes beyond it."""
    position = state.position
    for gain in gains:
        position = rules.moved(position, gain)
    return state.distance - rules.distance(position) + added(map(added, gains)) / 100


def _next(state: SupportState) -> tuple[tuple[Part, ...], Feeling]:
    """Return what the expert asks for at a moment, and the feeling that is due."""
    story = state.seeker.story
    feeling = story.deep if state.concern == TOLD and (state.deep or state.about == "concern") else story.feel
    if not state.told:
        return (("begin", "fact0"),), feeling
    if state.concern == HINTED:
        return (("invite", "concern"),), feeling
    if state.told < FACTS or state.concern == HIDDEN:
        return (("ask", state.known[-1]),), feeling
    if not state.deep:
        return (), story.deep
    if state.strength == UNSEEN:
        return (("proud", "strength"),), feeling
    if state.strength == SEEN or state.plan == UNSEEN:
        return (("next", "step"),), feeling
    return (("try", "step"),), feeling


def _fronts(state: SupportState) -> Iterator[Part]:
    """Yield what may stand first in a message: the latest trouble before those that were told earlier."""
    if not state.told:
        yield ("sense" if state.act == "resists" else "meet"), "fact0"
        return
    if state.strength > UNSEEN:
        yield "affirm", "strength"
    if state.plan > UNSEEN:
        yield "own", "step"
    named = state.felt and (state.deep or state.concern < TOLD)
    for trouble in _troubles(state):
        blocks: Sequence[str] = ("restate", "reflect", "bear") if named else ("reflect",)
        yield from ((block, trouble) for block in blocks)


def _troubles(state: SupportState) -> list[str]:
    """Return what was told and hurts: the latest, and a few of the others, which take turns."""
    told = [name for name in state.known if name not in ("strength", "step")]
    latest = state.about if state.about in told else told[-1]
    others = [name for name in told if name != latest]
    turn = state.heard % max(len(others), 1)
    return [latest, *(others[turn:] + others[:turn])[:LOOKS]]
