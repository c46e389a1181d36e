"""Safety from rollout labels: a learned cost a turn, and the multiplier that weighs it against the reward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from agentgym.credit.algebra import Floats, Normalise, finite, in_range, standardise
from agentgym.credit.base import Base, BaseOptions, base_advantage, base_needs, base_signals
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.rows import by_group_turn, column, one_of, rollout_sum, spread, to_go

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

Costs = Literal["learned", "true"]


def _traces_columns(base: Base, base_options: BaseOptions, costs: str, **_: Any) -> tuple[str, ...]:
    one_of("costs", costs, ("learned", "true"))
    return ("log_safe" if costs == "learned" else "cost", *base_needs(base, base_options))


def _traces_signals(base: Base, base_options: BaseOptions, **_: Any) -> tuple[str, ...]:
    return base_signals(base, base_options)


@estimator("traces", paper="2504.12557", needs=_traces_columns, signals=_traces_signals)
def traces(
    batch: TurnBatch,
    *,
    base: Base = "grpo",
    base_options: BaseOptions = None,
    multiplier: float = 1.0,
    costs: Costs = "learned",
    clamp: tuple[float, float] = (-7.0, 0.0),
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
) -> Terms:
    """Reward advantage against the cost to come: A = (A_r - λ·A_c) / (1 + λ), A_c = z(Σ_{l≥t} c_l).

    c_t = -ℓ_t, ℓ_t = log_safe clamped: the log-probability that turn t is safe, which a small recurrent estimator
    learns from the label of the whole rollout (`agentgym.baselines.learned.safety`). z standardises the undiscounted
    cost to go over the group's rollouts that have a turn t; A_r is the advantage of `base`.

    Special cases: λ = 0 is the base alone. `costs="true"` takes the column cost as c, for worlds that know it.

    Source: arXiv 2504.12557 (TraCeS). The paper learns a cost critic where A_c stands; standardising the cost to go at
    its turn index is ours.

    Args:
        batch: T rows with log_safe (or cost), and what the base reads.
        base: A_r: an estimator, a `Credit` or values of this batch, or "none" for 0.
        base_options: options of the base, `preset` among them.
        multiplier: λ ≥ 0; `update_multiplier` moves it between updates.
        costs: "learned", from log_safe, or "true", from cost.
        clamp: lowest and highest ℓ, low ≤ high ≤ 0; without effect on true costs.
        normalise: "std", or "none" to leave the division by the deviation out.
        ddof: taken off the number of rollouts in the variance: 0, or 1.
        eps: ε ≥ 0.

    Returns:
        Terms `reward` and `cost`, shape [T]. Diagnostics, shape [T]: `cost`, `cost_to_go` and, of learned costs,
        `hazard` 1 - exp ℓ_t, `prob_safe` exp Σℓ of the whole rollout, `prefix_safe` of its turns up to this one,
        `predicted_safe` (prob_safe ≥ ½); and one number, `expected_cost` J_c = -mean of prob_safe over rollouts.

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: over a group and turn index the cost term sums to 0; prefix_safe never rises along a rollout. A turn
    index that one rollout alone reaches, and equal costs to go, give exactly 0 in the cost term.

    Limits: a cost is what the estimator believes; a turn index with few rollouts left says little. Released code trains
    with PPO and a cost critic, on continuous control.
    """
    one_of("costs", costs, ("learned", "true"))
    log_safe = clamped_log_safe(batch, clamp) if costs == "learned" else None
    cost = column(batch, "cost") if log_safe is None else -log_safe
    ahead = to_go(batch, cost, 1.0)
    a_cost = standardise(ahead, by_group_turn(batch), normalise=normalise, ddof=ddof, eps=eps)
    a_reward = base_advantage(batch, base, base_options)
    zero = np.zeros(len(batch))
    terms = {
        "reward": lagrangian_mix(a_reward, zero, multiplier),
        "cost": lagrangian_mix(zero, a_cost, multiplier),
    }
    known = {} if log_safe is None else _beliefs(batch, cost, ahead)
    return Terms(terms, cost=cost, cost_to_go=ahead, **known)


def clamped_log_safe(batch: TurnBatch, clamp: tuple[float, float] = (-7.0, 0.0)) -> Floats:
    """ℓ_t: log_safe held inside `clamp`; shape [T]. ValueError: not low ≤ high ≤ 0."""
    low, high = clamp
    if not low <= high <= 0.0:
        raise ValueError(f"clamp must be (low, high) with low <= high <= 0, got {clamp}")
    return np.clip(column(batch, "log_safe"), low, high)


def _beliefs(batch: TurnBatch, cost: Floats, ahead: Floats) -> dict[str, Any]:
    total = rollout_sum(batch, cost)
    safe = np.exp(-total)
    behind = spread(batch, total) - ahead + cost
    return {
        "hazard": -np.expm1(-cost),
        "prob_safe": spread(batch, safe),
        "prefix_safe": np.exp(-np.maximum(behind, 0.0)),
        "predicted_safe": spread(batch, safe >= 0.5),
        "expected_cost": expected_cost(safe),
    }


def lagrangian_mix(reward_advantage: ArrayLike, cost_advantage: ArrayLike, multiplier: float) -> Floats:
    """(A_r - λ·A_c) / (1 + λ), of two arrays of shape [n].

    The division keeps the step size as λ grows. ValueError: λ below 0 or not finite, arrays of different lengths.
    """
    if not 0.0 <= multiplier < np.inf:
        raise ValueError(f"multiplier must be finite and at least 0, got {multiplier}")
    reward = finite(reward_advantage, "reward_advantage")
    cost = finite(cost_advantage, "cost_advantage", len(reward))
    share = multiplier / (1.0 + multiplier)
    return in_range("a mix of advantages", lambda: reward / (1.0 + multiplier) - share * cost)


def expected_cost(prob_safe: ArrayLike) -> float:
    """J_c = -mean P(safe) over rollouts, shape [rollouts]; -1 is perfectly safe, and so is a batch without rollouts."""
    safe = finite(prob_safe, "prob_safe")
    return -float(safe.mean()) if len(safe) else -1.0


def multiplier_loss(multiplier: float, cost: float, limit: float = -0.9) -> tuple[float, float]:
    """The loss of the multiplier, -λ·(J_c - limit), and its derivative by λ, -(J_c - limit).

    ValueError: a number that is not finite.
    """
    finite([multiplier, cost, limit], "(multiplier, cost, limit)")
    return -multiplier * (cost - limit), -(cost - limit)


def update_multiplier(multiplier: float, cost: float, *, limit: float = -0.9, rate: float = 0.035) -> float:
    """λ ← max(0, λ + rate·(J_c - limit)): one step of gradient descent on `multiplier_loss`.

    Args:
        multiplier: λ before.
        cost: J_c of the batch, in [-1, 0] (diagnostic `expected_cost`).
        limit: what J_c may be; -0.9: nine rollouts of ten are safe.
        rate: step size ≥ 0.

    Raises:
        ValueError: a number that is not finite, a multiplier or a rate below 0.
    """
    if not (0.0 <= multiplier < np.inf and 0.0 <= rate < np.inf):
        raise ValueError(f"multiplier and rate must be finite and at least 0, got {multiplier} and {rate}")
    return max(0.0, multiplier - rate * multiplier_loss(multiplier, cost, limit)[1])
