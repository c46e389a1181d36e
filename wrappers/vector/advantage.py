"""Advantages inside a loop over a vector: TurnAdvantage, StepGroupAdvantage, HindsightAdvantage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv

from agentgym.wrappers.episode import Episode, Floats
from agentgym.wrappers.judge import Judge, checked_size, held, one_credit
from agentgym.wrappers.vector.base import EpisodeSlots, Info, Stepped, ask
from agentgym.wrappers.vector.groups import Groups

__all__ = ["HindsightAdvantage", "StepGroupAdvantage", "TurnAdvantage"]


class _Advantage(EpisodeSlots):
    """Gives the turns of a group their advantages when the last of its episodes has finished."""

    def __init__(self, env: VectorEnv[Any, Any, Any], judge: Judge, group_size: int | None) -> None:
        super().__init__(env)
        one_credit(self)
        self.group_size = checked_size(group_size, getattr(env.unwrapped, "group_size", None))
        judge.check(ask(env, "signals"))
        self._judge = judge
        self._groups = Groups(self.num_envs, self.group_size)
        self._due: dict[int, Floats] = {}

    @property
    def waiting(self) -> int:
        """Number of finished episodes whose group is not complete yet."""
        return self._groups.waiting

    @property
    def dropped(self) -> int:
        """Number of episodes, of at least one turn, that got no credit since a reset cut their group."""
        return self._groups.dropped

    @property
    def infra_errors(self) -> int:
        """Number of episodes that ended with an infrastructure error."""
        return self._groups.infra_errors

    def _restart(self, slots: Sequence[int], anew: bool) -> None:
        self._groups.restart(slots, anew)

    def _begin(self, slot: int, observation: str, info: Info) -> None:
        super()._begin(slot, observation, info)
        episode = self._episodes[slot]
        assert episode is not None
        self._groups.begin(slot, episode)

    def _finished(self, slot: int, episode: Episode) -> None:
        group = self._groups.finish(slot, episode)
        self._judge.close(episode)
        if group:
            slots, episodes = zip(*group, strict=True)
            credit = zip(slots, episodes, self._judge.credit(episodes), strict=True)
            self._due.update({member: values for member, one, values in credit if not one.failed})

    def _made(self, result: Stepped) -> Stepped:
        if self._due:
            infos, due, self._due = result[4], self._due, {}
            if "credit" in infos:
                raise ValueError(f"infos hold 'credit' already: {type(self).__name__} is around a world that gives it")
            credit, mask = np.full(self.num_envs, None, object), np.zeros(self.num_envs, np.bool_)
            for slot, values in due.items():
                credit[slot], mask[slot] = values, True
            infos["credit"], infos["_credit"] = credit, mask
        return result


class TurnAdvantage(_Advantage):
    """Gives every turn its advantage when the episodes of its group have finished.

    Slots i·group_size … (i + 1)·group_size − 1 are group i; the n-th episodes of its slots are compared with each
    other, whichever of DISABLED, NEXT_STEP and SAME_STEP restarts them. That they start equal (task and state) is
    verified by hash: GroupVectorEnv sees to it, Gymnasium's Sync and AsyncVectorEnv need equal seeds in
    `reset(seed=[…])`. The count begins anew with a reset of all slots, with one that seeds a whole group, and with
    every reset of GroupVectorEnv; a `reset_mask` without seeds goes on counting, slot by slot.

    In the step in which the last episode of a group ends, `infos["credit"]` is an object array with one entry a slot,
    and `infos["_credit"]` its mask: slot i's entry is the float64 array, of shape [turns], of its oldest finished
    episode that has had no credit yet, byte for byte the `total` that `agentgym.credit.estimate` gives for the group's
    rollouts as `collect` records them; None outside of the mask. In other steps both keys are absent. An episode that
    ended with an infrastructure error is left out of the estimate and of the mask; `infra_errors` counts it.

    A reset of slots whose episodes have not all finished gives up their groups: none of these episodes gets credit,
    the finished ones included, since what is left would favour short ones; `dropped` counts them. Nothing is kept of
    episodes that had their credit; `waiting` counts those that have not.

    Example:
        >>> envs = gymnasium.make_vec("agentgym/BabyAI-v0", num_envs=4, group_size=2, max_turns=2)
        >>> envs = TurnAdvantage(envs)
        >>> _ = envs.reset(seed=0)
        >>> for _ in range(2):
        ...     *_, infos = envs.step(["turn left"] * 4)
        >>> [values.shape for values in infos["credit"]]
        [(2,), (2,), (2,), (2,)]

    Changes:
        observation: nothing.
        reward: nothing.
        flags: nothing.
        info: adds `credit` and `_credit` in the step that completes a group.
        hash: nothing.

    Args:
        env: a vector environment over worlds of agentgym's contract, wrapped or not.
        estimator: what `agentgym.credit.estimate` takes: a name, an Estimator, or a function of a batch.
        group_size: slots a group; left out where the vector environment has groups of its own (GroupVectorEnv made
            with a group_size above 1).
        **options: of the estimator, `preset` among them.

    Raises:
        ValueError: no group_size, or another than that of the vector; an unknown estimator or preset; a signal that
            the worlds were not asked for. In reset or step: the slots of a group start differently.
        TypeError: an unknown option; no worlds of agentgym's contract.
        MissingColumn: the estimator reads what only text cannot give, such as `logprob`.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
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
        >>> envs = gymnasium.make_vec("agentgym/BabyAI-v0", num_envs=4, group_size=2, max_turns=2)
        >>> envs = StepGroupAdvantage(envs)
        >>> _ = envs.reset(seed=0)
        >>> for _ in range(2):
        ...     *_, infos = envs.step(["turn left"] * 4)
        >>> [values.shape for values in infos["credit"]]
        [(2,), (2,), (2,), (2,)]

    Changes:
        observation: nothing.
        reward: nothing.
        flags: nothing.
        info: adds `credit` and `_credit` in the step that completes a group.
        hash: nothing.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
        estimator: Any = "gigpo",
        *,
        group_size: int | None = None,
        **options: Any,
    ) -> None:
        RecordConstructorArgs.__init__(self, estimator=held(estimator), group_size=group_size, **options)
        super().__init__(env, Judge(estimator, options), group_size)


class HindsightAdvantage(_Advantage):
    """`TurnAdvantage` with the log-probabilities that the turns have in hindsight; hcapo by default.

    `score` is a function of an episode's chat messages or a menu policy, as in
    `agentgym.wrappers.HindsightAdvantage`. Everything else, groups, `credit` and errors, is as `TurnAdvantage` says.

    Example:
        >>> def score(messages):
        ...     return [-1.0 for message in messages if message["role"] == "assistant"]
        >>> envs = gymnasium.make_vec("agentgym/BabyAI-v0", num_envs=2, group_size=2, max_turns=1)
        >>> envs = HindsightAdvantage(envs, score)
        >>> _ = envs.reset(seed=0)
        >>> *_, infos = envs.step(["turn left"] * 2)
        >>> [values.shape for values in infos["credit"]]
        [(1,), (1,)]

    Changes:
        observation: nothing.
        reward: nothing.
        flags: nothing.
        info: adds `credit` and `_credit` in the step that completes a group.
        hash: nothing.
    """

    def __init__(
        self,
        env: VectorEnv[Any, Any, Any],
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
