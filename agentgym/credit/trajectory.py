"""Trajectory-level estimators: one advantage a rollout, the same on every turn and token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentgym.credit.algebra import Floats, Normalise, standardise
from agentgym.credit.registry import estimator
from agentgym.credit.rows import (
    Rewards,
    Singleton,
    Votes,
    kept_raw,
    reward,
    reward_columns,
    rollout_sum,
    rollouts_by_group,
    spread,
    weights,
)

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


@estimator(
    "grpo",
    paper="2402.03300",
    needs=reward_columns,
    presets={
        "verl": {"ddof": 1, "eps": 1e-6, "singleton": "raw"},
        "trl": {"ddof": 1, "eps": 1e-4},
        "verl_agent": {"ddof": 1, "eps": 1e-6, "singleton": "raw", "votes": "turn"},
    },
)
def grpo(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    votes: Votes = "trajectory",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
    singleton: Singleton = "zero",
) -> dict[str, Floats]:
    """Group-relative advantage of the whole rollout: A_i = (R_i - μ_g) / (σ_g + ε).

    i: a rollout; g: its group; R_i = Σ_t r_{i,t} over its turns; μ_g, σ_g over the group's rollouts, each counted
    once (`votes`). The same value on every turn.

    Special cases: `normalise="none"` is Dr. GRPO's advantage, R_i - μ_g. A group whose returns are equal gives exactly
    0; a group of one rollout gives 0, or with `singleton="raw"` R_i / (1 + ε).

    Source: Shao et al. 2024, arXiv 2402.03300.

    Args:
        batch: T rows with outcome_reward and, for rewards "total", turn_reward.
        rewards: "total", a turn pays turn_reward + outcome_reward; "outcome", outcome_reward alone.
        votes: how often a rollout counts in μ and σ: once ("trajectory"), once a "turn", once a "token".
        normalise: "std", or "none" to leave the division out.
        ddof: taken off the votes in the variance: 0, or 1.
        eps: ε ≥ 0.
        singleton: "zero", or "raw" for a group of one rollout to keep its value.

    Returns:
        Term `episode`, shape [T].

    Raises:
        MissingColumn: a reward column is absent. ValueError: an option value that is not listed.

    Invariants: adding a constant to every outcome of a group changes nothing; over a group the terms sum to 0, counted
    in its votes.

    Released code: verl and verl-agent keep the raw return of a group of one (presets `verl`, `verl_agent`), verl-agent
    lets long rollouts vote once a turn; TRL gives NaN for one rollout, preset `trl` 0.
    """
    value = rollout_sum(batch, reward(batch, rewards))
    return {"episode": relative_to_group(batch, value, votes, normalise, ddof, eps, singleton)}


def relative_to_group(
    batch: TurnBatch, value: Floats, votes: Votes, normalise: Normalise, ddof: int, eps: float, singleton: Singleton
) -> Floats:
    """GN of one value a rollout, spread to its turns: the episode term of every estimator that has one.

    `value` has shape [rollouts], the result [T] in the rows' order; the options are those of `grpo`.
    """
    z = standardise(
        value,
        rollouts_by_group(batch),
        weights=weights(batch, votes),
        normalise=normalise,
        ddof=ddof,
        eps=eps,
        raw=kept_raw(batch, singleton),
    )
    return spread(batch, z)
