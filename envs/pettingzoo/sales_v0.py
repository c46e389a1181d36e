"""sales_v0: a seller with a shelf of products and a buyer with a purse, whose interests are not the same.

agent_0 is paid for the session as in the world. user_0 is paid, when the talk ends, what the buyer really gains by it:
the surplus of the deal from −1 to 1, in fifths of the list price, and 0 where nothing was bought. Its acts: accepts,
declines, leaves, where the draft allows them.
"""

from __future__ import annotations

from typing import Any

from agentgym.envs.pettingzoo.making import Ordered, ParallelDialogue, ordered, parallel
from agentgym.envs.pettingzoo.view import DialogueEnv
from agentgym.turn import TurnInfo

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(*, render_mode: str | None = None, **arguments: Any) -> DialogueEnv:
    """Return the environment without wrappers; the arguments are those of agentgym/Sales-v0 but `user`."""
    return DialogueEnv("sales_v0", _gain, render_mode, arguments)


def env(**arguments: Any) -> Ordered:
    """Return the environment in PettingZoo's wrappers."""
    return ordered(raw_env(**arguments))


def parallel_env(**arguments: Any) -> ParallelDialogue:
    """Return the environment in PettingZoo's parallel form."""
    return parallel(raw_env(**arguments))


def _gain(info: TurnInfo, reward: float) -> float:
    return info["metrics"].get("surplus", 0.0) if info["end_reason"] else 0.0
