"""RewardTerms, one world: the reward under weights of one's own, and its terms apart."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
from gymnasium.utils import RecordConstructorArgs

from agentgym.reward import spec_of
from agentgym.wrappers import vector
from agentgym.wrappers.base import StepResult, WorldWrapper
from agentgym.wrappers.terms import Reward, paid

__all__ = ["RewardTerms"]


class RewardTerms(WorldWrapper):
    """Gives the reward under a RewardSpec, whatever the world was made with, and says what it is made of.

    The reward of a turn is Σ_name weight(name)·component + `invalid` on an invalid turn + `outcome`·outcome reward: the
    same number that the world itself would give if it were made with `reward=`. `info["reward_terms"]` holds the
    summands, already weighted: the components by their names, "invalid" on invalid turns, "outcome" always.

    The record does not change with it: `components`, `turn_reward` and `outcome_reward` stay as they are, and so does
    the credit of the advantage wrappers, whether inside or outside.

    Example:
        >>> env = RewardTerms(gymnasium.make("agentgym/BabyAI-v0"), {"progress": 0.5})
        >>> _ = env.reset(seed=0)
        >>> *_, info = env.step("turn left")
        >>> sorted(info["reward_terms"])
        ['outcome', 'progress']

    Changes:
        observation: nothing.
        reward: the weighted sum.
        flags: nothing.
        info: adds `reward_terms` to the info of every step.
        hash: nothing.

    Args:
        env: a world, wrapped or not; or a vector environment, which gives `agentgym.wrappers.vector.RewardTerms`.
        reward: "dense" (the world's own weights), "sparse" (the outcome), a RewardSpec, or a mapping of weights.

    Raises:
        ValueError: an unknown word, a component that the world does not pay; the message offers the nearest.
        TypeError: no weights; no world of agentgym's contract.
    """

    twin: ClassVar[Any] = vector.RewardTerms

    def __init__(self, env: gymnasium.Env[str, Any], reward: Reward = "dense") -> None:
        RecordConstructorArgs.__init__(self, reward=reward)
        super().__init__(env)
        self.weights = spec_of(reward, type(self.world).rewards)

    def step(self, action: Any) -> StepResult:
        """Take one turn and weigh what it paid."""
        observation, _, terminated, truncated, info = self.env.step(action)
        reward, info["reward_terms"] = paid(self.weights, info)
        return observation, reward, terminated, truncated, info
