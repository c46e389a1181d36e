"""The menu: the expert's message among messages of the same make that miss the moment, the feeling or the person."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agentgym.envs.emotional_support.expert import advice
from agentgym.envs.emotional_support.person import sentence, you
from agentgym.envs.emotional_support.speech import chooser, say
from agentgym.envs.emotional_support.state import SupportState
from agentgym.envs.emotional_support.story import FAMILIES, Matter
from agentgym.envs.emotional_support.words import Chooser

ENTRIES: Final = 8
_BAD: Final = ("advise", "belittle", "blame", "lecture", "drift", "vague", "closed")


def entries(state: SupportState) -> list[str]:
    """Return the messages on offer; the expert's is the first, since the shell shuffles."""
    found = {advice(state): None}
    for text in _misses(state):
        if len(found) == ENTRIES:
            break
        found.setdefault(text)
    return list(found)


def _misses(state: SupportState) -> Iterator[str]:
    """Yield messages that miss, no end of them."""
    choose, seeker = chooser(state, "menu"), state.seeker
    story, name = seeker.story, state.known[-1] if state.known else "fact0"
    latest = seeker.matters[name]
    lie = Matter(latest.about, story.lie, latest.told)
    wrong = [family for family in FAMILIES if family not in (story.feel.family, story.deep.family)]
    number = 0
    while True:
        number += 1
        turn = Chooser("menu", number, seeker.key, state.heard, state.told)
        other = turn.pick(wrong)
        yield _pair(state, turn, ("reflect", latest, turn.pick(FAMILIES[other])), "ask")
        yield _pair(state, turn, ("restate", lie, ""), "ask")
        yield _pair(
            state, turn, (turn.pick(("restate", "reflect")), latest, turn.pick(story.feel.words)), turn.pick(_BAD)
        )
        yield _pair(state, turn, (turn.pick(_BAD), latest, ""), "ask")
        yield _pair(state, turn, ("bear", latest, ""), turn.pick(_BAD))
        yield _echo(state, choose)
        yield _pair(state, turn, (turn.pick(_BAD), latest, ""), turn.pick(_BAD))


def _pair(state: SupportState, turn: Chooser, first: tuple[str, Matter, str], second: str) -> str:
    block, matter, feel = first
    front = say(block, state.seeker, matter, feel, turn)
    return f"{front} {say(second, state.seeker, matter, feel, turn)}"


def _echo(state: SupportState, choose: Chooser) -> str:
    """Return what was said before, word for word: by the supporter, else by the seeker."""
    if state.said:
        return choose.pick(state.said[-3:])
    return sentence(you(state.last))
