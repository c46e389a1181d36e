"""RewardSpec: how named turn rewards and the outcome become one number."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

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

    def __post_init__(self) -> None:
        """Freeze the weights and refuse what is not a finite number."""
        numbers = {**self.weights, "default": self.default, "outcome": self.outcome, "invalid": self.invalid}
        for name, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise ValueError(f"RewardSpec: the weight of {name!r} must be a finite number, not {value!r}")
        frozen = {name: float(value) for name, value in self.weights.items()}
        object.__setattr__(self, "weights", MappingProxyType(frozen))

    def __reduce__(self) -> tuple[type[RewardSpec], tuple[dict[str, float], float, float, float]]:
        return RewardSpec, (dict(self.weights), self.default, self.outcome, self.invalid)

    def turn_reward(self, components: Mapping[str, float], valid: bool) -> float:
        """Return the weighted sum of one turn's named rewards, plus `invalid` for an invalid action."""
        total = 0.0 if valid else self.invalid
        if components:
            weights, default = self.weights, self.default
            for name, value in components.items():
                total += weights.get(name, default) * value
        return float(total)

    def known(self, names: Mapping[str, float]) -> RewardSpec:
        """Return self, having checked that every weighted component is one of `names`.

        Raises:
            ValueError: a component the world does not pay; the message offers the nearest name.
        """
        for name in self.weights:
            if name not in names:
                raise ValueError(unknown("reward component", name, names))
        return self


SPARSE = RewardSpec()
"""The outcome alone: Gymnasium's reward by default."""
