"""Reading a supporter's message in a state, remembered: group members and menus bring the same ones again and again."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from agentgym.envs.emotional_support.analyser import Reading, analyse
from agentgym.envs.emotional_support.state import SupportState


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
    """Return what the analyser reads in a message at a moment of a talk."""
    return _read(_Moment(state), message)


@lru_cache(maxsize=8192)
def _read(moment: _Moment, message: str) -> Reading:
    return analyse(message, moment.state.context())
