"""Advantages inside a Gymnasium loop, one world: TurnAdvantage, StepGroupAdvantage, HindsightAdvantage.

Given a vector environment they return their twins in `agentgym.wrappers.vector`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from agentgym.errors import WorldError
from agentgym.wrappers import vector
from agentgym.wrappers.base import EpisodeWrapper
from agentgym.wrappers.episode import Episode
from agentgym.wrappers.judge import Judge, checked_size, held, one_credit

__all__ = ["HindsightAdvantage", "StepGroupAdvantage", "TurnAdvantage"]


class _Advantage(EpisodeWrapper):
    """Repeats a task for `group_size` episodes, then puts `credit` into the last info."""

    def __init__(self, env: gymnasium.Env[str, Any], judge: Judge, group_size: int | None) -> None:
        super().__init__(env)
        one_credit(self)
        self.group_size = checked_size(group_size)
        judge.check(self.world.signals)
        self._judge = judge
        self._done: list[Episode] = []
        self._options: dict[str, Any] = {}
        self.infra_errors = 0
        self.dropped = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Start the next episode of the group, or the first one of a new group; see the class.

        Raises:
            WorldError: the world did not start again as it did before.
        """
        if self._goes_on(seed, options):
            observation, info = self._again(seed, options)
        else:
            observation, info = self.env.reset(seed=seed, options=options)
            self._drop()
            self._options = dict(options or {})
        self._begin(observation, info)
        return observation, info

    def _goes_on(self, seed: int | None, options: Mapping[str, Any] | None) -> bool:
        """Return whether a reset asks for the next episode of the group that is under way."""
        if not self._done or self.running:
            return False
        first, task = self._done[0].info, (options or {}).get("task")
        return seed in (None, first["seed"]) and task in (None, first["task"])

    def _again(self, seed: int | None, options: Mapping[str, Any] | None) -> tuple[str, dict[str, Any]]:
        """Start the group's task anew; without a seed the episode seeds that follow the group stay as they were."""
        first = self._done[0]
        asked = {**self._options, **(options or {}), "task": first.info["task"]}
        state = self.env.np_random.bit_generator.state
        try:
            observation, info = self.env.reset(seed=first.info["seed"], options=asked)
        finally:  # also where the world raises and the caller tries again
            if seed is None:
                self.env.np_random.bit_generator.state = state
        if (info["task"], info["state_hash"]) != first.start:
            raise WorldError(
                f"{self.world.env_id} did not start again as it did before: {first.name} had the state "
                f"{first.start[1]} and now has {info['state_hash']}"
            )
        return observation, info

    def _drop(self) -> None:
        """Give up a group that a reset has cut."""
        self.dropped += sum(not episode.failed for episode in self._done) + self.running
        self._done = []

    def _finished(self, episode: Episode, info: dict[str, Any]) -> None:
        self.infra_errors += episode.failed
        self._done.append(episode)
        self._judge.close(episode)
        if len(self._done) == self.group_size:
            group, self._done = self._done, []
            info["credit"] = self._judge.credit(group)


class TurnAdvantage(_Advantage):
    """Plays each task `group_size` times and gives every turn of the group its advantage.

    The first reset of a group goes to the world as it is. The next `group_size` - 1 resets, called without arguments,
    start the same task with the same seed again; that it starts equal is verified by hash. So the k-th group plays
    what the world's k-th episode would have been. `reset(options={"branch": b})` gives a member draws of its own.

    When the group's last episode ends, its last info holds `credit`: a list of `group_size` arrays, one an episode in
    the order played, each float64 of shape [turns of that episode], byte for byte the `total` that
    `agentgym.credit.estimate` gives for the group's rollouts as `collect` records them. An episode that ended with an
    infrastructure error is left out of the estimate: its array is empty, and `infra_errors` counts it.

    A reset in the middle of an episode, or with another seed or task than the group's, begins a new group. The old one
    gets no credit; `dropped` counts its episodes. So does a time limit outside of this wrapper, which cuts episodes
    where it cannot see it: say max_turns= at gym.make. A time limit inside is recorded as a truncated episode.

    Example:
        >>> env = TurnAdvantage(gymnasium.make("agentgym/BabyAI-v0", max_turns=2), group_size=2)
        >>> for word in ("turn left", "go forward"):
        ...     _ = env.reset(seed=0)
        ...     for _ in range(2):
        ...         *_, info = env.step(word)
        >>> [values.shape for values in info["credit"]]
        [(2,), (2,)]

    Changes:
        observation: nothing.
        reward: nothing.
        flags: nothing.
        info: adds `credit` to the last info of a group.
        hash: nothing.

    Args:
        env: a world, wrapped or not; or a vector environment, which gives `agentgym.wrappers.vector.TurnAdvantage`.
        estimator: what `agentgym.credit.estimate` takes: a name, an Estimator, or a function of a batch.
        group_size: episodes a group, at least 1; required.
        **options: of the estimator, `preset` among them.

    Raises:
        ValueError: no group_size; an unknown estimator or preset; a signal that the world was not asked for.
        TypeError: an unknown option; no world of agentgym's contract.
        MissingColumn: the estimator reads what only text cannot give, such as `logprob`.
    """

    twin: ClassVar[Any] = vector.TurnAdvantage

    def __init__(
        self,
        env: gymnasium.Env[str, Any],
        estimator: Any = "mt_grpo",
        *,
        group_size: int | None = None,
        **options: Any,
    ) -> None:
        RecordConstructorArgs.__init__(self, estimator=held(estimator), group_size=group_size, **options)
        super().__init__(env, Judge(estimator, options), group_size)


class StepGroupAdvantage(_Advantage):
    """`TurnAdvantage` whose default is gigpo: turns that were taken in equal states are compared with each other.

    Everything else, groups, `credit`, arguments and errors, is as `TurnAdvantage` says.

    Example:
        >>> env = StepGroupAdvantage(gymnasium.make("agentgym/BabyAI-v0", max_turns=2), group_size=2)
        >>> for word in ("turn left", "go forward"):
        ...     _ = env.reset(seed=0)
        ...     for _ in range(2):
        ...         *_, info = env.step(word)
        >>> [values.shape for values in info["credit"]]
        [(2,), (2,)]

    Changes:
        observation: nothing.
        reward: nothing.
        flags: nothing.
        info: adds `credit` to the last info of a group.
        hash: nothing.
    """

    twin: ClassVar[Any] = vector.StepGroupAdvantage

    def __init__(
        self,
        env: gymnasium.Env[str, Any],
        estimator: Any = "gigpo",
        *,
        group_size: int | None = None,
        **options: Any,
    ) -> None:
        RecordConstructorArgs.__init__(self, estimator=held(estimator), group_size=group_size, **options)
        super().__init__(env, Judge(estimator, options), group_size)


class HindsightAdvantage(_Advantage):
    """`TurnAdvantage` with the log-probabilities that the turns have in hindsight; hcapo by default.

    `score` is asked how likely each action of a finished episode is for one who knows how it ended:

    - a function: called once when an episode ends, with its chat messages (a list of dicts of its own, the system
      message first), it returns one finite number for each of its turns, that is for each assistant message: the mean
      log-probability of the action's tokens under a prompt that tells the outcome;
    - a menu policy with `log_probs(views)` and `hindsight_logprob(batch)`, such as
      `agentgym.baselines.hindsight.HindsightPolicy`: asked once a group, for the exact log-probabilities. It is asked
      after the group's last turn, so it must be the policy that played, unchanged; every action must be in the menu.

    Everything else, groups, `credit` and errors, is as `TurnAdvantage` says.

    Example:
        >>> def score(messages):
        ...     return [-1.0 for message in messages if message["role"] == "assistant"]
        >>> env = HindsightAdvantage(gymnasium.make("agentgym/BabyAI-v0", max_turns=2), score, group_size=2)
        >>> for word in ("turn left", "go forward"):
        ...     _ = env.reset(seed=0)
        ...     for _ in range(2):
        ...         *_, info = env.step(word)
        >>> [values.shape for values in info["credit"]]
        [(2,), (2,)]

    Changes:
        observation: nothing.
        reward: nothing.
        flags: nothing.
        info: adds `credit` to the last info of a group.
        hash: nothing.

    Args:
        env: as in TurnAdvantage.
        score: as above; kept by reference in the recorded arguments, never copied.
        estimator, group_size, **options: as in TurnAdvantage.

    Raises:
        ValueError: besides those of TurnAdvantage, at the end of an episode: the score gave another number of values
            than there were turns, or one that is not finite; an action that was not in the menu.
    """

    twin: ClassVar[Any] = vector.HindsightAdvantage

    def __init__(
        self,
        env: gymnasium.Env[str, Any],
        score: Any,
        estimator: Any = "hcapo",
        *,
        group_size: int | None = None,
        **options: Any,
    ) -> None:
        RecordConstructorArgs.__init__(
            self, score=held(score), estimator=held(estimator), group_size=group_size, **options
        )
        super().__init__(env, Judge(estimator, options, score), group_size)
