"""What the single-environment wrappers share: the way to their vector twins, and the episode that is under way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv

from agentgym.env import AgentEnv
from agentgym.errors import StepAfterEnd
from agentgym.wrappers.episode import Episode

StepResult = tuple[str, Any, bool, bool, dict[str, Any]]


class WorldWrapper(gymnasium.Wrapper[str, Any, str, Any], RecordConstructorArgs):
    """Base of the wrappers of one world. Called with a vector environment, a class returns its vector twin."""

    twin: ClassVar[Any]

    def __new__(cls, env: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Return a wrapper of one world, or the wrapper of the same name in `agentgym.wrappers.vector`."""
        if not isinstance(env, VectorEnv):
            return super().__new__(cls)
        if "twin" not in vars(cls):
            raise TypeError(f"{cls.__name__} wraps one world: for vectors subclass {cls.twin.__module__} likewise")
        return cls.twin(env, *args, **kwargs)

    def __init__(self, env: gymnasium.Env[str, Any]) -> None:
        world = getattr(env, "unwrapped", env)
        if not isinstance(world, AgentEnv):
            raise TypeError(f"{type(self).__name__} is for worlds of agentgym's contract (AgentEnv), not {world!r:.60}")
        gymnasium.Wrapper.__init__(self, env)
        self.world: AgentEnv[Any] = world


class EpisodeWrapper(WorldWrapper):
    """Follows the episode; a subclass says what happens when one has finished or is cut."""

    def __init__(self, env: gymnasium.Env[str, Any]) -> None:
        super().__init__(env)
        self._episode: Episode | None = None
        self._started = 0

    @property
    def running(self) -> bool:
        """Whether an episode is under way of which a turn was taken."""
        return self._episode is not None and bool(self._episode.rows)

    def _begin(self, observation: str, info: Mapping[str, Any]) -> None:
        self._episode = Episode.begin(observation, info, self._started)
        self._started += 1

    def step(self, action: Any) -> StepResult:
        """Take one turn; see the class for what is added.

        Raises:
            StepAfterEnd: no episode is under way that began with this wrapper's reset().
        """
        episode = self._episode
        if episode is None:
            raise StepAfterEnd(
                f"{type(self).__name__}: no episode is under way that it has seen the start of; call its reset() first"
            )
        observation, reward, terminated, truncated, info = self.env.step(action)
        episode.take(action, observation, info, (bool(terminated), bool(truncated)))
        if terminated or truncated:
            self._episode = None
            self._finished(episode, info)
        return observation, reward, terminated, truncated, info

    def _finished(self, episode: Episode, info: dict[str, Any]) -> None:
        """Do what is due when an episode has finished; `info` is the one that the caller gets."""
        raise NotImplementedError
