"""Reading a supporter's message in a state, remembered: group members and menus bring the same ones again and again.

The analyser knows the words of a story; a story also says what is not so of it, and who tells a seeker that has not
listened, however the rest reads.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from agentgym.envs.emotional_support.analyser import Reading, analyse
from agentgym.envs.emotional_support.seeker import Seeker, content
from agentgym.envs.emotional_support.state import SupportState

FALSE: Final = "false_fact"
READ: Final = 4096  # characters in which what is not so is looked for

_SENTENCE: Final = re.compile(r"[^.?!\n]+[.?!]?")
_OPEN: Final = re.compile(
    r"\?$|\b(?:not|never|nobody|no|whether|afraid|scared|fear|worried|worry|might|maybe|perhaps|as though)\b"
    r"|n['\u2019]t\b|\bif\b(?! i (?:hear|heard|understand|got|get) )"
)
"""Signs of a sentence that does not say that something is so."""


class _Moment:
    """What a reading depends on: the state's context by its parts, compared without the story's words."""

    __slots__ = ("_key", "state")

    def __init__(self, state: SupportState) -> None:
        self.state = state
        self._key: Any = (state.seeker.key, state.known, state.feelings, state.last, state.said, state.explored)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Moment) and self._key == other._key


def read(state: SupportState, message: str) -> Reading:
    """Return what is read in a message at a moment of a talk."""
    return _read(_Moment(state), message)


@lru_cache(maxsize=8192)
def _read(moment: _Moment, message: str) -> Reading:
    found = analyse(message, moment.state.context())
    told = contradiction(moment.state.seeker, message)
    return found if not told or FALSE in found.skills else _blow(found, told)


def contradiction(seeker: Seeker, message: str) -> str:
    """Return the first sentence that tells a seeker what is not so of their story; "" where none does."""
    for match in _SENTENCE.finditer(message[:READ].lower()):
        said = match[0].strip()
        if not _OPEN.search(said):
            words = frozenset(content(said))
            if any(lie <= words for lie in seeker.lies):
                return message[match.start() : match.end()].strip()
    return ""


def _blow(found: Reading, told: str) -> Reading:
    """Return a reading with a false fact in it: what it helped counts one level less, and the blow is heard."""
    c, _, a, an, p, pn = found.levels
    levels = (max(c - 1, 0), -2, max(a - 1, 0), min(an, -1), max(p - 1, 0), pn)
    skills = found.skills - {"restatement"} | {FALSE}
    evidence = (*(each for each in found.evidence if each[0] != "restatement"), (FALSE, told))
    return Reading(skills, levels, found.facts, found.feelings, evidence)
