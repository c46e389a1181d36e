"""RewardTerms over a vector: the reward under weights of one's own, and its terms apart."""

from __future__ import annotations

from typing import Any

from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv

from agentgym.reward import spec_of
from agentgym.wrappers.terms import Reward, paid
from agentgym.wrappers.vector.base import Info, SlotWrapper, Stepped, ask

__all__ = ["RewardTerms"]


class RewardTerms(SlotWrapper):
    """Gives the rewards under a RewardSpec, whatever the worlds were made with, and says what they are made of.

    As `agentgym.wrappers.RewardTerms` for every slot that took a turn. `infos["reward_terms"]` is a dict of columns and
    masks, as Gymnasium has it for dicts: `infos["reward_terms"]["outcome"][i]` with the mask
    `infos["reward_terms"]["_outcome"]`. Under SAME_STEP it speaks of the turn that ended the episode, like the reward.

    Example:
        >>> envs = RewardTerms(gymnasium.make_vec("agentgym/BabyAI-v0", num_envs=2), {"progress": 0.5})
        >>> _ = envs.reset(seed=0)
        >>> *_, infos = envs.step(["turn left", "turn right"])
        >>> sorted(name for name in infos["reward_terms"] if not name.startswith("_"))
        ['outcome', 'progress']

    Changes:
        observation: nothing.
        reward: the weighted sum.
        flags: nothing.
        info: adds `reward_terms` and `_reward_terms` in every step in which a turn was taken.
        hash: nothing.

    Args:
        env: a vector environment over worlds of agentgym's contract, wrapped or not.
        reward: "dense" (the worlds' own weights), "sparse" (the outcome), a RewardSpec, or a mapping of weights.

    Raises:
        ValueError: an unknown word, a component that the worlds do not pay; the message offers the nearest.
        TypeError: no weights; no worlds of agentgym's contract.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any], reward: Reward = "dense") -> None:
        RecordConstructorArgs.__init__(self, reward=reward)
        super().__init__(env)
        self.weights = spec_of(reward, ask(env, "rewards"))
        self._paid: dict[int, tuple[float, dict[str, float]]] = {}

    def _turn(self, slot: int, action: Any, observation: str, info: Info, flags: tuple[bool, bool]) -> None:
        self._paid[slot] = paid(self.weights, info)

    def _made(self, result: Stepped) -> Stepped:
        observations, rewards, terminated, truncated, infos = result
        rewards, turns, self._paid = rewards.copy(), self._paid, {}
        columns: dict[str, Any] = {}
        for slot, (reward, terms) in turns.items():
            rewards[slot] = reward
            columns = self._add_info(columns, {"reward_terms": terms}, slot)
        if columns:
            infos.update(columns)
        return observations, rewards, terminated, truncated, infos
