"""Soft step groups: turns of a group are compared in the measure in which their observations resemble each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from agentgym.credit.algebra import Bools, Floats, Normalise, center, mean_within, mix
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.rows import (
    Rewards,
    Singleton,
    Votes,
    by_group,
    one_of,
    reward,
    reward_columns,
    rollout_sum,
    rollouts_by_group,
    spread,
    to_go,
)
from agentgym.credit.similarity import soft_mean
from agentgym.credit.trajectory import relative_to_group

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

SuccessFrom = Literal["flag", "score"]


def _proxmo_columns(rewards: str, votes: str, success_from: str, **_: Any) -> tuple[str, ...]:
    return (*reward_columns(rewards, votes), "observation", *(("success",) if success_from == "flag" else ()))


@estimator(
    "proxmo",
    paper="2602.19225",
    needs=_proxmo_columns,
    presets={"released": {"episode_std": False, "success_from": "score"}},
)
def proxmo(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    gamma: float = 0.95,
    step_weight: float = 1.0,
    temperature: float = 0.1,
    max_features: int = 1024,
    alpha: float = 4.0,
    target_range: float = 0.05,
    success_from: SuccessFrom = "flag",
    episode_std: bool = True,
    votes: Votes = "trajectory",
    ddof: int = 0,
    eps: float = 1e-6,
    singleton: Singleton = "zero",
) -> Terms:
    """Proximity-based baseline: A_{i,t} = w_i·GN(R)_i + c·(G_{i,t} - Σ_j softmax_j(cos(x_{i,t}, x_j) / τ)·G_j).

    i: a rollout; t: its turns; R_i = Σ_t ρ_{i,t}; G_t = ρ_t + γ·G_{t+1}; j: all turns of the group, the own one among
    them; x: the TF-IDF vector of a turn's observation (`agentgym.credit.similarity`), fitted on the whole batch. GN
    standardises over the group's rollouts; w_i = `proxmo_weight`: how surprising the rollout's success or failure is,
    given the group's success rate p, one vote a rollout. The step term is never divided by a standard deviation.

    Special cases: equal returns G in a group, and a group of one turn, have step term 0. Observations without any
    known term resemble nothing, themselves included: all turns of the group weigh the same in their baseline.

    Source: arXiv 2602.19225.

    Args:
        batch: T rows with the reward columns of `rewards`, observation, and success for success_from "flag".
        rewards: "total", ρ is turn_reward + outcome_reward; "outcome", outcome_reward alone; for R and G.
        gamma: γ in [0, 1], for G.
        step_weight: c.
        temperature: τ > 0.
        max_features: how many terms are kept, the most frequent ones; at least 1.
        alpha: of `proxmo_weight`.
        target_range: of `proxmo_weight`.
        success_from: "flag", the column success; "score", success is R > 0.5, and p the mean R clipped to [0, 1].
        episode_std: False leaves the division out of GN.
        votes: how often a rollout counts in GN: once ("trajectory"), once a "turn", once a "token".
        ddof: taken off the votes in GN's variance: 0, or 1.
        eps: ε ≥ 0, in GN.
        singleton: "raw": a group of one rollout keeps its value in GN.

    Returns:
        Terms `episode` and `step`, shape [T]. Diagnostics: `weight`, w, and `baseline`, Σ_j softmax·G_j, shape [T].

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: the baseline lies between the group's smallest and largest G. Other groups change a group's step term,
    by what they do to the frequency of terms. Neither term sums to 0.

    Released code (preset `released`): GN is not divided, and success is read from the score, so that p saturates at 1
    where success pays 10: every success weighs 1 and every failure 1 - target_range.
    """
    one_of("success_from", success_from, ("flag", "score"))
    paid = reward(batch, rewards)
    score, to_come, among = rollout_sum(batch, paid), to_go(batch, paid, gamma), by_group(batch)
    # Distances to the group's mean in place of G: the softmax sums to 1, and where all G agree they are exactly 0.
    away = center(to_come, among)
    step = away - soft_mean(batch, away, temperature, max_features)
    if success_from == "flag":
        won = np.asarray(batch["success"], dtype=bool)[batch.order[batch.starts]]
        rate = mean_within(won, rollouts_by_group(batch))
    else:
        won = score > 0.5
        rate = np.clip(mean_within(score, rollouts_by_group(batch)), 0.0, 1.0)
    weight = spread(batch, proxmo_weight(won, rate[batch.rollout_group], alpha, target_range))
    normalise: Normalise = "std" if episode_std else "none"
    episode = weight * relative_to_group(batch, score, votes, normalise, ddof, eps, singleton)
    terms = mix({"episode": episode, "step": step}, {"step": step_weight})
    return Terms(terms, weight=weight, baseline=to_come - step)


def proxmo_weight(success: Bools | bool, p: Floats | float, alpha: float = 4.0, target_range: float = 0.05) -> Floats:
    """How much a rollout's episode advantage counts: rare successes more, rare failures more, by at most target_range.

    1 + β·(σ((1-p)^α) - ½) for a success, 1 + β·(σ(-p^α) - ½) for a failure, σ the logistic function and
    β = target_range / (σ(1) - ½), so that a success at p = 0 weighs 1 + target_range and a failure at p = 1
    1 - target_range.

    Args:
        success: did the rollout succeed, any shape.
        p: the group's success rate in [0, 1], of the same shape.
        alpha: α > 0.
        target_range: at least 0.

    Returns:
        The weights, of the same shape.

    Raises:
        ValueError: an argument out of its range.
    """
    rate = np.asarray(p, dtype=np.float64)
    if not ((rate >= 0.0) & (rate <= 1.0)).all():
        raise ValueError(f"p must lie in [0, 1], got {p}")
    if not alpha > 0.0 or not target_range >= 0.0:
        raise ValueError(f"alpha must be positive and target_range at least 0, got {alpha} and {target_range}")
    beta = target_range / (_logistic(np.array(1.0)) - 0.5)
    weight: Floats = 1.0 + beta * (_logistic(np.where(success, (1.0 - rate) ** alpha, -(rate**alpha))) - 0.5)
    return weight


def _logistic(x: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-x))
