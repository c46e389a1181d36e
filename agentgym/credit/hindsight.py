"""Hindsight estimators: an action is judged again by someone who knows how the rollout ended."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from agentgym.credit.algebra import Floats, Normalise, in_range, mix, softmax_within, standardise
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.returns import check_gamma
from agentgym.credit.rows import (
    Rewards,
    Singleton,
    Votes,
    by_group,
    by_rollout,
    column,
    following,
    one_of,
    reward,
    reward_columns,
    rollout_sum,
    spread,
    turns_to_end,
)
from agentgym.credit.trajectory import relative_to_group

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


def _hcapo_columns(rewards: str, votes: str, variant: str, do_no_harm: bool, **_: Any) -> tuple[str, ...]:
    policy = ("logprob",) if variant == "policy_ratio" else ()
    return (*reward_columns(rewards, votes), "hindsight_logprob", *policy, *(("success",) if do_no_harm else ()))


@estimator("hcapo", paper="2603.08754", needs=_hcapo_columns)
def hcapo(
    batch: TurnBatch,
    *,
    variant: Literal["trajectory_mean", "policy_ratio"] = "trajectory_mean",
    rewards: Rewards = "total",
    gamma: float = 0.95,
    temperature: float = 5.0,
    clip: tuple[float, float] = (0.8, 1.2),
    smoothing: float | None = None,
    hindsight_weight: float = 1.0,
    do_no_harm: bool = True,
    votes: Votes = "trajectory",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
    singleton: Singleton = "zero",
) -> Terms:
    """Hindsight-weighted outcome: A_{i,t} = (R_i - μ)/(σ + ε) + ω·(Q_{i,t} - μ_H)/(σ_H + ε), Q_t = ρ_t·γ^{T_i-1-t}·R_i.

    i: a rollout; t in [0, T_i): its turns; ρ_t = clip(p_t / mean of p over the same rollout) with
    p_t = exp(hindsight_logprob_t / temperature); μ, σ over the group's rollouts, μ_H, σ_H over all of its turns.

    Special cases: equal p in a rollout: ρ = 1. `smoothing` α: Q_t becomes α·Q_t + (1 - α)·Q_{t+1}, Q_{t+1} unsmoothed;
    a last turn keeps its own. `do_no_harm`: on rollouts whose success flag is set, negative hindsight terms become 0.
    `variant="policy_ratio"`: ρ_t = clip(exp((hindsight_logprob_t - logprob_t) / temperature)), without the mean.

    Source: arXiv 2603.08754, equations 5 to 8; the policy_ratio variant is a third party's.

    Args:
        batch: T rows with the reward columns, hindsight_logprob, success for do_no_harm, logprob for policy_ratio.
        variant: "trajectory_mean" or "policy_ratio".
        rewards: "total", R_i sums turn_reward + outcome_reward; "outcome", outcome_reward alone.
        gamma: γ in [0, 1].
        temperature: above 0.
        clip: lowest and highest ρ; 0 ≤ low ≤ high and high > 0.
        smoothing: α in [0, 1], or None.
        hindsight_weight: ω.
        do_no_harm: as above.
        votes: how often a rollout counts in μ and σ: once ("trajectory"), once a "turn", once a "token".
        normalise: "std", or "none" to leave both divisions out.
        ddof: taken off the votes in both variances: 0, or 1.
        eps: ε ≥ 0, in both terms.
        singleton: "raw": a group of one rollout keeps its value in the episode term.

    Returns:
        Terms `episode` and `hindsight`, shape [T]; diagnostics `rho` and `q` (after smoothing), shape [T].

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Limits: R = 0 gives Q = 0, so a failed rollout's turns are not told apart; ρ favours text that is easy to predict.
    """
    score = rollout_sum(batch, reward(batch, rewards))
    rho = hindsight_ratio(batch, variant, temperature, clip)
    q = hindsight_value(batch, rho, score, gamma, smoothing)
    hindsight = standardise(q, by_group(batch), normalise=normalise, ddof=ddof, eps=eps)
    if do_no_harm:
        hindsight = np.where(batch["success"], np.maximum(hindsight, 0.0), hindsight)
    episode = relative_to_group(batch, score, votes, normalise, ddof, eps, singleton)
    return Terms(mix({"episode": episode, "hindsight": hindsight}, {"hindsight": hindsight_weight}), rho=rho, q=q)


def hindsight_ratio(batch: TurnBatch, variant: str, temperature: float, clip: tuple[float, float]) -> Floats:
    """ρ: how much likelier an action is in hindsight than its rollout's mean (or than under the policy); shape [T]."""
    one_of("variant", variant, ("trajectory_mean", "policy_ratio"))
    low, high = clip
    if not 0.0 <= low <= high or not high > 0.0:
        raise ValueError(f"clip must be (low, high) with 0 <= low <= high and high > 0, got {clip}")
    if not temperature > 0.0:
        raise ValueError(f"temperature must be positive, got {temperature}")
    hindsight = column(batch, "hindsight_logprob")
    if variant == "policy_ratio":
        with np.errstate(over="ignore"):  # an infinite exponent is clipped like every large one
            exponent = (hindsight - column(batch, "logprob")) / temperature
        return np.maximum(np.exp(np.minimum(exponent, math.log(high))), low)  # clipped before exp, which may overflow
    # p / mean p = T_i · softmax: the form that neither over- nor underflows.
    turns = spread(batch, batch.lengths.astype(np.float64))
    return np.clip(turns * softmax_within(hindsight, by_rollout(batch), temperature), low, high)


def hindsight_value(
    batch: TurnBatch, rho: Floats, score: Floats, gamma: float, smoothing: float | None = None
) -> Floats:
    """Q_t = ρ_t·γ^{T_i-1-t}·R_i, with R = `score` of shape [rollouts], then smoothed; shape [T]."""
    check_gamma(gamma)
    ahead = turns_to_end(batch).astype(np.float64)
    q = in_range("a hindsight value ρ·γ^k·R", lambda: rho * gamma**ahead * spread(batch, score))
    if smoothing is None:
        return q
    if not 0.0 <= smoothing <= 1.0:
        raise ValueError(f"smoothing must lie in [0, 1], got {smoothing}")
    return smoothing * q + (1.0 - smoothing) * following(batch, q)
