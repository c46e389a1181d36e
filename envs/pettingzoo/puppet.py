"""The user of a world whose words come from outside: it notes what it was asked, and says what it was told to say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from agentgym.action import clean, strip_think
from agentgym.errors import unknown
from agentgym.rng import TurnRng
from agentgym.user import Draft, Item, Judge, Said, Scene

_ACT: Final = re.compile(r"\s*\[([A-Za-z_]{1,40})\]\s*").match


class Puppet:
    """A UserSimulator on strings.

    It calls itself scripted, so that no world counts the talk among what decides its futures: the words are an agent's,
    whose memory is no part of the world. So a state has the hash that it has in the world itself.

    Attributes:
        words: what it says when it is asked next; None: the draft.
        asked: what it was asked for since `listen`, None: nothing.
    """

    scripted = True

    def __init__(self) -> None:
        self.words: Said | None = None
        self.asked: tuple[Scene, Draft] | None = None

    def listen(self, words: Said | None = None) -> None:
        """Forget what was asked, and say `words` when asked next."""
        self.words, self.asked = words, None

    def speak(self, scene: Scene, draft: Draft, rng: TurnRng) -> Said:
        """Return the words that were given, the draft where there are none; nothing is drawn."""
        if self.asked is not None:
            return Said(draft.text)
        self.asked = scene, draft
        return Said(draft.text) if self.words is None else self.words


class OneJudgement:
    """A judge that is asked once where a world asks twice: to see what the user would say, and to take its step."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self._last: tuple[object, Mapping[str, int]] = (None, {})

    def levels(self, scene: Scene, items: Sequence[Item]) -> Mapping[str, int]:
        """Return the judge's levels; the same again for the scene and items that it was asked about last."""
        asked = scene, tuple(items)
        if self._last[0] != asked:
            self._last = asked, self.judge.levels(scene, items)
        return self._last[1]


def said(action: str | Said, draft: Draft) -> Said:
    """Return what an action of the user says.

    A text is its words; empty or blank: the draft as it stands. A text that begins with one of the draft's choices in
    square brackets, as in "[leave] Goodbye.", does that instead of what was drafted. Think blocks are left out.

    Raises:
        ValueError: a Said with an act that is none of the choices. A text with one is only words.
    """
    if isinstance(action, Said):
        if action.act and action.act not in draft.choices:
            raise ValueError(unknown("act", action.act, draft.choices, "of this draft"))
        return Said(clean(action.text), action.act)
    text = strip_think(clean(action)).strip()
    found = _ACT(text)
    if found is not None and found[1] in draft.choices:
        return Said(text[found.end() :], found[1])
    return Said(text or draft.text)
