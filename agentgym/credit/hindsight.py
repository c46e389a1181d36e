"""Hindsight estimators: an action is judged again by someone who knows how the rollout ended."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from agentgym.credit.algebra import Floats, Normalise, check_gamma, mix, softmax_within, standardise
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
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


def _hcapo_columns(rewards: str, variant: str, do_no_harm: bool, **_: Any) -> tuple[str, ...]:
    policy = ("logprob",) if variant == "policy_ratio" else ()
    return (*reward_columns(rewards), "hindsight_logprob", *policy, *(("success",) if do_no_harm else ()))


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

    i: a rollout; t in [0, T_i): its turns; p_t = exp(hindsight_logprob_t / temperature);
    ρ_t = clip(p_t / mean of p over the turns of the same rollout). μ, σ over the group's rollouts, μ_H, σ_H over all
    turns of all of the group's rollouts.

    Special cases: equal p in a rollout: ρ = 1. `smoothing` α: Q_t becomes α·Q_t + (1 - α)·Q_{t+1} with the Q_{t+1}
    before smoothing; a last turn keeps its own. `do_no_harm`: on rollouts whose success flag is set, negative hindsight
    terms become 0. `variant="policy_ratio"`: ρ_t = clip(exp((hindsight_logprob_t - logprob_t) / temperature)), without
    the mean.

    Source: arXiv 2603.08754, equations 5 to 8.

    Args:
        batch: T rows with the reward columns of `rewards`, hindsight_logprob (mean over the action's tokens, under the
            hindsight prompt), success for do_no_harm, logprob for policy_ratio.
        variant: "trajectory_mean" or "policy_ratio".
        rewards: "total", R_i sums turn_reward + outcome_reward; "outcome", outcome_reward alone.
        gamma: γ in [0, 1].
        temperature: above 0.
        clip: lowest and highest ρ; 0 ≤ low ≤ high and high > 0.
        smoothing: α in [0, 1], or None.
        hindsight_weight: ω.
        do_no_harm: see above.
        votes: how often a rollout counts in μ and σ: once ("trajectory"), once a "turn", once a "token".
        normalise: "std", or "none" to leave both divisions out.
        ddof: taken off the votes in both variances: 0, or 1.
        eps: ε ≥ 0, in both terms.
        singleton: "raw": a group of one rollout keeps its value in the episode term.

    Returns:
        Terms `episode` and `hindsight`, shape [T]; diagnostics `rho` and `q` (after smoothing), shape [T].

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    What it cannot do: a failed rollout with R = 0 has Q = 0 on every turn, so its turns are not told apart; and ρ
    compares turns of one rollout, so it favours text that is easy to predict, whatever it achieved.

    The policy_ratio variant is not the paper's; it comes from a third party.
    """
    one_of("variant", variant, ("trajectory_mean", "policy_ratio"))
    check_gamma(gamma)
    score = rollout_sum(batch, reward(batch, rewards))
    rho = hindsight_ratio(batch, variant, temperature, clip)
    q = rho * gamma ** turns_to_end(batch).astype(np.float64) * spread(batch, score)
    if smoothing is not None:
        q = _smooth(batch, q, smoothing)
    scale: dict[str, Any] = {"normalise": normalise, "ddof": ddof, "eps": eps}
    hindsight = standardise(q, by_group(batch), **scale)
    if do_no_harm:
        hindsight = np.where(np.asarray(batch["success"], dtype=bool), np.maximum(hindsight, 0.0), hindsight)
    episode = relative_to_group(batch, score, votes, singleton=singleton, **scale)
    return Terms(mix({"episode": episode, "hindsight": hindsight}, {"hindsight": hindsight_weight}), rho=rho, q=q)


def hindsight_ratio(batch: TurnBatch, variant: str, temperature: float, clip: tuple[float, float]) -> Floats:
    """ρ: how much likelier an action is in hindsight than its rollout's mean (or than under the policy); shape [T]."""
    low, high = clip
    if not 0.0 <= low <= high or not high > 0.0:
        raise ValueError(f"clip must be (low, high) with 0 <= low <= high and high > 0, got {clip}")
    if not temperature > 0.0:
        raise ValueError(f"temperature must be positive, got {temperature}")
    hindsight = column(batch, "hindsight_logprob")
    if variant == "policy_ratio":
        exponent = (hindsight - column(batch, "logprob")) / temperature
        return np.maximum(np.exp(np.minimum(exponent, math.log(high))), low)  # clipped before exp, which may overflow
    # p / mean p = T_i · softmax: the form that neither over- nor underflows.
    turns = spread(batch, batch.lengths.astype(np.float64))
    return np.clip(turns * softmax_within(hindsight, by_rollout(batch), temperature), low, high)


def _smooth(batch: TurnBatch, q: Floats, alpha: float) -> Floats:
    if not 0.0 <= alpha <= 1.0:
        raise ValueError(f"smoothing must lie in [0, 1], got {alpha}")
    return alpha * q + (1.0 - alpha) * following(batch, q)
