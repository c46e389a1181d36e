"""RecordTurns over a vector: finished episodes as a TurnBatch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv

from agentgym.batch import TurnBatch
from agentgym.wrappers.episode import Episode, as_record
from agentgym.wrappers.vector.base import EpisodeSlots, ask

__all__ = ["RecordTurns"]


class RecordTurns(EpisodeSlots):
    """Keeps what every finished episode was, turn by turn: `batch()` is the record, `clear()` empties it.

    Episodes of equal task and seed form a group, members in the order of their starts (of equal ones: of their slots).
    Without `clear()` the record grows for ever. An episode that a reset cuts is not kept; `dropped` counts them.

    Example:
        >>> envs = RecordTurns(gymnasium.make_vec("agentgym/BabyAI-v0", num_envs=2, max_turns=1))
        >>> _ = envs.reset(seed=0)
        >>> _ = envs.step(["turn left", "go forward"])
        >>> list(envs.batch().action)
        ['turn left', 'go forward']

    Changes:
        observation: nothing.
        reward: nothing.
        flags: nothing.
        info: nothing.
        hash: nothing.

    Args:
        env: a vector environment over worlds of agentgym's contract, wrapped or not.

    Raises:
        TypeError: no worlds of agentgym's contract.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self.episodes: list[Episode] = []
        self.dropped = 0
        self._meta = {"env": ask(env, "spec_dict")}

    def batch(self) -> TurnBatch:
        """Return the finished episodes since the last `clear()`, groups in the order of (seed, task).

        Episodes that ended with an infrastructure error are left out and counted in `meta["infra_errors"]`.
        """
        return as_record(self.episodes, self._meta)

    def clear(self) -> None:
        """Forget the finished episodes; those that are under way go on and will be kept."""
        self.episodes.clear()

    def _restart(self, slots: Sequence[int], anew: bool) -> None:
        under_way = [self._episodes[slot] for slot in slots]
        self.dropped += sum(episode is not None and bool(episode.rows) for episode in under_way)

    def _finished(self, slot: int, episode: Episode) -> None:
        self.episodes.append(episode)
