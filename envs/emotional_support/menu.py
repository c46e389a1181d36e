"""The menu: the expert's message among messages of the same make that miss the moment, the feeling or the person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agentgym.envs.emotional_support.expert import Part, advised
from agentgym.envs.emotional_support.speech import chooser, say
from agentgym.envs.emotional_support.state import SupportState
from agentgym.envs.emotional_support.story import FAMILIES, Matter
from agentgym.envs.emotional_support.words import Chooser

ENTRIES: Final = 8
_FRONTS: Final = ("belittle", "blame", "lecture", "drift", "vague", "advise")
_BACKS: Final = ("advise", "closed", "drift", "belittle", "blame")
_SENTENCE: Final = re.compile(r"[^.?!…]+[.?!…]+(?=\s|$)")


def entries(state: SupportState) -> list[str]:
    """Return the messages on offer; the expert's is the first, since the shell shuffles."""
    found: list[str] | None = vars(state).get("_menu")
    if found is None:
        made = {advised(state).text: None}
        for text in _misses(state):
            made.setdefault(text)
            if len(made) == ENTRIES:
                break
        found = vars(state)["_menu"] = list(made)
    return list(found)


def _misses(state: SupportState) -> Iterator[str]:
    """Yield messages that miss, no end of them.

    Some share the expert's matter and miss in one part, as many share a story that is not so; what is left shares
    nothing, so that likeness marks none of them.
    """
    number = 0
    while True:
        turn = Chooser("menu", number, state.seeker.key, state.voice, state.heard, state.position)
        yield " ".join(_said(state, turn, block, about) for block, about in _miss(state, number % 7, turn))
        number += 1


def _miss(state: SupportState, kind: int, turn: Chooser) -> tuple[Part, ...]:
    """Return the parts of a message that misses in one of seven ways."""
    parts = advised(state).aim.parts
    asks = len(parts) > 1
    (block, about), more, back = parts[0], parts[1:-1], parts[-1:] * asks
    bad, other = (turn.pick(_BACKS), about), _other(turn, more)
    alone: tuple[Part, ...] = ((turn.pick(_FRONTS), about), *more, *back)
    if turn.chance(2):
        alone = (("echo", about), *back)
    elif state.said and turn.chance(2):
        alone = (("again", about),)
    old: tuple[Part, ...] = ((turn.pick(("restate", "bear")), turn.pick(_troubles(state))), *other, bad)
    if turn.chance(2) or not state.told:
        old = (("lie", about), *other, *((bad,) * asks))
    kinds: tuple[tuple[Part, ...], ...] = (
        (("wrong", turn.pick(_troubles(state))), *more, *back),
        (("lie", about), *other, *back),
        ((block, about), *more, bad) if asks else (bad,),
        (("lie why", about), *other, *((bad,) * asks)),
        (("lie why", about), *more, *back),
        old,
        alone,
    )
    return kinds[kind]


def _other(turn: Chooser, more: tuple[Part, ...]) -> tuple[Part, ...]:
    return tuple((turn.pick(_FRONTS), about) for _, about in more)


def _troubles(state: SupportState) -> list[str]:
    return [name for name in state.known if name not in ("strength", "step")] or ["fact0"]


def _said(state: SupportState, turn: Chooser, block: str, about: str) -> str:
    """Return one part in words.

    `wrong` reflects another feeling, `lie` restates what is not so, `lie why` gives it as the reason of the feeling,
    `again` is an earlier message, `echo` what the seeker has just said.
    """
    seeker, story = state.seeker, state.seeker.story
    matter, feel = seeker.matters[about], turn.pick(advised(state).aim.feeling.words)
    if block == "again":
        return turn.pick(state.said)
    if block == "echo":
        return turn.pick(
            [part for part in map(str.strip, _SENTENCE.findall(state.last)) if len(part) > 20] or [state.last]
        )
    if block == "wrong":
        others = [family for family in FAMILIES if family not in (story.feel.family, story.deep.family)]
        block, feel = "reflect" if state.told else "sense", turn.pick(FAMILIES[turn.pick(others)])
    elif block.startswith("lie"):
        block = "restate" if block == "lie" else "reason"
        lie = chooser(state, "lie").pick(story.lies)  # the same all over the menu
        matter = Matter(matter.about, lie, matter.told)
    return say(block, seeker, matter, feel, turn)
