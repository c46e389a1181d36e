"""How the reward wrappers turn weights and one turn's info into a reward and its terms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentgym.errors import WorldError
from agentgym.reward import RewardSpec

Reward = str | RewardSpec | Mapping[str, float]
OWN = ("invalid", "outcome")
"""The terms that no world names."""


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
