"""What a supporter says, of which expert and menu are made: phrases of data/supporter.txt about a seeker's matters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from agentgym.envs.emotional_support.person import sentence, you
from agentgym.envs.emotional_support.seeker import Seeker
from agentgym.envs.emotional_support.state import SupportState
from agentgym.envs.emotional_support.story import Matter
from agentgym.envs.emotional_support.words import Chooser

PATH: Final = Path(__file__).parent / "data" / "supporter.txt"
_SLOT: Final = re.compile(r"\{(\w+)\}")


@lru_cache(maxsize=1)
def phrases() -> Mapping[str, Sequence[str]]:
    """Return the phrases by the name of their block."""
    blocks = PATH.read_text("utf-8").split("\n@ ")[1:]
    return {name: tuple(lines) for name, *lines in (block.strip().split("\n") for block in blocks)}


def chooser(state: SupportState, purpose: str) -> Chooser:
    """Return choices of words for a purpose at a moment of a talk."""
    return Chooser(purpose, state.seeker.key, state.heard, state.told, state.concern, state.strength, state.plan)


def say(block: str, seeker: Seeker, matter: Matter, feel: str, chooser: Chooser, used: Sequence[str] = ()) -> str:
    """Return a phrase of a block about a matter, one that no earlier message holds where there is one.

    Args:
        block: its name in data/supporter.txt.
        seeker: who is spoken to.
        matter: what it is about.
        feel: the word for a feeling.
        chooser: chooses among the phrases.
        used: what was said before.
    """
    found = phrases()[block]
    start = chooser.pick(range(len(found)))
    first = ""
    for number in range(len(found)):
        text = filled(found[(start + number) % len(found)], seeker, matter, feel)
        if not any(text in earlier for earlier in used):
            return text
        first = first or text
    return first


def filled(phrase: str, seeker: Seeker, matter: Matter, feel: str) -> str:
    """Return a phrase with what it says about a matter, to the person whose matter it is."""
    if "{" not in phrase:
        return phrase
    about, clause = you(matter.about), you(matter.clause)
    values = {
        "about": about, "About": sentence(about, ""), "clause": clause, "Clause": sentence(clause, ""), "feel": feel,
        "step": you(seeker.story.step.clause), "advice": you(seeker.story.advice), "small": you(seeker.story.small),
    }  # fmt: skip
    return _SLOT.sub(lambda slot: values[slot[1]], phrase)
