"""emotional_support_v0: a supporter and a seeker, who both want the seeker to feel better.

user_0 is paid what agent_0 is paid: 1 when the seeker's position ends well, else 0, and the same turn rewards where
they are asked for. Its acts: leave. A judge, where there is one, is asked once a message.
"""

from __future__ import annotations

from typing import Any

from agentgym.envs.pettingzoo.making import Ordered, ParallelDialogue, ordered, parallel
from agentgym.envs.pettingzoo.view import DialogueEnv
from agentgym.turn import TurnInfo

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(*, render_mode: str | None = None, **arguments: Any) -> DialogueEnv:
    """Return the environment without wrappers; the arguments are those of agentgym/EmotionalSupport-v0 but `user`."""
    return DialogueEnv("emotional_support_v0", _gain, render_mode, arguments)


def env(**arguments: Any) -> Ordered:
    """Return the environment in PettingZoo's wrappers."""
    return ordered(raw_env(**arguments))


def parallel_env(**arguments: Any) -> ParallelDialogue:
    """Return the environment in PettingZoo's parallel form."""
    return parallel(raw_env(**arguments))


def _gain(info: TurnInfo, reward: float) -> float:
    return reward
