"""RecordTurns, one world: finished episodes as a TurnBatch."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from agentgym.batch import TurnBatch
from agentgym.wrappers import vector
from agentgym.wrappers.base import EpisodeWrapper
from agentgym.wrappers.episode import Episode, as_record

__all__ = ["RecordTurns"]


class RecordTurns(EpisodeWrapper):
    """Keeps what every finished episode was, turn by turn: `batch()` is the record, `clear()` empties it.

    Episodes of equal task and seed form a group, so playing `reset(seed=5, options={"task": "t"})` eight times gives
    what `collect(…, group_size=8)` records of it. Without `clear()` the record grows for ever. An episode that a reset
    cuts is not kept; `dropped` counts them.

    Example:
        >>> env = RecordTurns(gymnasium.make("agentgym/BabyAI-v0", max_turns=2))
        >>> for word in ("turn left", "go forward"):
        ...     _ = env.reset(seed=0)
        ...     for _ in range(2):
        ...         _ = env.step(word)
        >>> list(env.batch().action)
        ['turn left', 'turn left', 'go forward', 'go forward']

    Changes:
        observation: nothing.
        reward: nothing.
        flags: nothing.
        info: nothing.
        hash: nothing.

    Args:
        env: a world, wrapped or not; or a vector environment, which gives `agentgym.wrappers.vector.RecordTurns`.

    Raises:
        TypeError: no world of agentgym's contract.
    """

    twin: ClassVar[Any] = vector.RecordTurns

    def __init__(self, env: gymnasium.Env[str, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self.episodes: list[Episode] = []
        self.dropped = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start an episode; one that is under way is dropped."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.dropped += self.running
        self._begin(observation, info)
        return observation, info

    def batch(self) -> TurnBatch:
        """Return the finished episodes since the last `clear()`, groups in the order of (seed, task).

        Episodes that ended with an infrastructure error are left out and counted in `meta["infra_errors"]`.
        """
        return as_record(self.episodes, {"env": self.world.spec_dict()})

    def clear(self) -> None:
        """Forget the finished episodes; one that is under way goes on and will be kept."""
        self.episodes.clear()

    def _finished(self, episode: Episode, info: dict[str, Any]) -> None:
        self.episodes.append(episode)
