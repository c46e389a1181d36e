"""Potential shaping: any other estimator, paid for the potential gained as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentgym.credit.algebra import in_range
from agentgym.credit.base import Base, BaseOptions, base_estimator, base_needs, base_signals
from agentgym.credit.registry import Estimator, estimator
from agentgym.credit.result import Terms
from agentgym.credit.returns import check_gamma
from agentgym.credit.rows import column

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

POTENTIALS = ("potential", "next_potential")


def _shaping_columns(base: Base, base_options: BaseOptions, **_: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("turn_reward", *POTENTIALS, *base_needs(base, base_options))))


def _shaping_signals(base: Base, base_options: BaseOptions, **_: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("potential", *base_signals(base, base_options))))


@estimator("potential_shaping", needs=_shaping_columns, signals=_shaping_signals)
def potential_shaping(
    batch: TurnBatch,
    *,
    gamma: float = 1.0,
    base: Base = "grpo",
    base_options: BaseOptions = None,
) -> Terms:
    """Another estimator, paid for the potential gained as well: r'_t = r_t + γ·Φ_t - Φ_{t-1}.

    r: turn_reward; Φ: the potential of the state, before the turn (t - 1) and after it (t).

    Special cases: with γ = 1 a rollout's shaping sums to Φ_T - Φ_0, so grpo sees what was gained in all. Shaping leaves
    the best policy as it is only where Φ is 0 in every last state (Ng et al. 1999) and γ is the base's own discount;
    otherwise ending in a state of high potential is itself paid for. A group of one and ties: as the base has it.

    Source: Ng, Harada and Russell 1999; no released code.

    Args:
        batch: T rows with turn_reward, potential, next_potential and what the base reads.
        gamma: γ in [0, 1].
        base: the estimator to pay: a name, an `Estimator` or a function of the batch that reads turn_reward.
        base_options: its options, `preset` among them.

    Returns:
        The base's terms (and channels and tokens); diagnostic `shaping`, γ·Φ_t - Φ_{t-1}, shape [T].

    Raises:
        MissingColumn: a column named above is absent. TypeError: the base is no estimator, or has no such option.
        ValueError: γ out of its range, an unknown base, one that does not read turn_reward with these options, or
            one that reads value where `collect` recorded it: those values are of the unshaped rewards.

    Invariants: a constant potential with γ = 1 leaves the base as it is.
    """
    return shaped(batch, gamma, base_estimator(base), dict(base_options or {}))


def shaped(batch: TurnBatch, gamma: float, base: Estimator, options: dict[str, Any]) -> Terms:
    """Run `base` on the batch with turn_reward + γ·next_potential - potential; `potential_shaping` documents it."""
    check_gamma(gamma)
    needs = base.needs_with(**options)
    if needs and "turn_reward" not in needs:  # a plain function does not say what it reads
        raise ValueError(
            f"base {base.name!r} with options {options} does not read turn_reward, so that shaping it changes nothing: "
            "choose another base or other options"
        )
    if "value" in needs and "value" in batch.meta:
        raise ValueError(
            f"base {base.name!r} reads the column value, and the values in this batch are of the rewards without the "
            "shaping: choose another base, or replace them by values of the shaped rewards with batch.with_columns"
        )
    shaping = in_range(
        "a shaping reward, gamma · next_potential - potential,",
        lambda: gamma * column(batch, "next_potential") - column(batch, "potential"),
    )
    paid = in_range("a shaped turn_reward", lambda: column(batch, "turn_reward") + shaping)
    made = base(batch.with_columns(turn_reward=paid), **options)
    return Terms(made.terms, channels=made.channels, total=made.total, tokens=made.tokens, shaping=shaping)
