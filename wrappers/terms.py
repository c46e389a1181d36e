"""How the reward wrappers turn a caller's wish and one turn's info into a reward and its terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.errors import WorldError, unknown
from agentgym.reward import SPARSE, RewardSpec

Reward = str | RewardSpec | Mapping[str, float]
OWN = ("invalid", "outcome")
"""The terms that no world names."""


def spec_of(reward: Reward, rewards: RewardSpec) -> RewardSpec:
    """Return the weights that a caller asked for, of a world whose own weights are `rewards`.

    Raises:
        ValueError: another word than "sparse" and "dense", a component that the world does not pay.
        TypeError: no weights at all.
    """
    if isinstance(reward, str):
        if reward not in ("sparse", "dense"):
            raise ValueError(unknown("reward", reward, ["sparse", "dense"]))
        return SPARSE if reward == "sparse" else rewards
    if not isinstance(reward, RewardSpec | Mapping):
        raise TypeError(f"reward must be 'sparse', 'dense', a RewardSpec or a mapping of weights, not {reward!r:.60}")
    return (reward if isinstance(reward, RewardSpec) else RewardSpec(reward)).known(rewards.weights)


def paid(spec: RewardSpec, info: Mapping[str, Any]) -> tuple[float, dict[str, float]]:
    """Return a turn's reward under a spec and its weighted terms by name.

    Raises:
        WorldError: the world names a component as one of the two further terms.
    """
    components, valid = info["components"], bool(info["valid"])
    for name in OWN:
        if name in components:
            raise WorldError(f"the world pays a component named {name!r}, which is the name of a term of its own here")
    terms = {name: spec.weights.get(name, spec.default) * float(value) for name, value in components.items()}
    if not valid:
        terms["invalid"] = spec.invalid
    terms["outcome"] = spec.outcome * info["outcome_reward"]
    return spec.turn_reward(components, valid) + terms["outcome"], terms
