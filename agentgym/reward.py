"""RewardSpec: how named turn rewards and the outcome become one number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from agentgym.errors import unknown
from agentgym.turn import EMPTY


@dataclass(frozen=True, slots=True)
class RewardSpec:
    """Weights of the named turn rewards and of the outcome.

    Attributes:
        weights: component name → weight.
        default: the weight of components that are not named.
        outcome: the weight of the outcome reward.
        invalid: added on every turn whose action was invalid (a penalty is negative).
    """

    weights: Mapping[str, float] = EMPTY
    default: float = 0.0
    outcome: float = 1.0
    invalid: float = 0.0
    _plain: dict[str, float] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Freeze the weights as floats and refuse what is not a finite number."""
        frozen = {name: _finite(name, value) for name, value in self.weights.items()}
        object.__setattr__(self, "_plain", frozen)
        object.__setattr__(self, "weights", MappingProxyType(frozen))
        for name in ("default", "outcome", "invalid"):
            object.__setattr__(self, name, _finite(name, getattr(self, name)))

    def __reduce__(self) -> tuple[type[RewardSpec], tuple[dict[str, float], float, float, float]]:
        return RewardSpec, (dict(self.weights), self.default, self.outcome, self.invalid)

    def turn_reward(self, components: Mapping[str, float], valid: bool) -> float:
        """Return the weighted sum of one turn's named rewards, plus `invalid` for an invalid action."""
        return self.paid(components, valid)[1]

    def paid(self, rewards: Mapping[str, float], valid: bool) -> tuple[dict[str, float], float]:
        """Return one turn's named rewards as floats in a dict of their own, and `turn_reward`."""
        total, components = 0.0 if valid else self.invalid, {}
        weights, default = self._plain, self.default
        for name, value in rewards.items():
            components[name] = value = float(value)
            total += weights.get(name, default) * value
        return components, total

    def known(self, names: Mapping[str, float]) -> RewardSpec:
        """Return self, having checked that every weighted component is one of `names`.

        Raises:
            ValueError: a component the world does not pay; the message offers the nearest name.
        """
        for name in self.weights:
            if name not in names:
                raise ValueError(unknown("reward component", name, names))
        return self


def _finite(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"RewardSpec: the weight of {name!r} must be a finite number, not {value!r}")
    return float(value)


SPARSE = RewardSpec()
"""The outcome alone: Gymnasium's reward by default."""


def spec_of(reward: str | RewardSpec | Mapping[str, float], own: RewardSpec) -> RewardSpec:
    """Return the weights that a caller asked for, of a world whose own weights are `own`.

    Raises:
        ValueError: another word than "sparse" and "dense", a component that the world does not pay.
        TypeError: no weights at all.
    """
    if isinstance(reward, str):
        if reward not in ("sparse", "dense"):
            raise ValueError(unknown("reward", reward, ["sparse", "dense"]))
        return SPARSE if reward == "sparse" else own
    if not isinstance(reward, RewardSpec | Mapping):
        raise TypeError(f"reward must be 'sparse', 'dense', a RewardSpec or a mapping of weights, not {reward!r:.60}")
    return (reward if isinstance(reward, RewardSpec) else RewardSpec(reward)).known(own.weights)
