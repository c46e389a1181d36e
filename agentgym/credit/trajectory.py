"""Trajectory-level estimators: one advantage a rollout, the same on every turn and token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentgym.credit.algebra import Floats, Normalise, leave_one_out, standardise
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


@estimator("dr_grpo", paper="2503.20783", needs=reward_columns, presets={"verl": {"singleton": "raw"}})
def dr_grpo(
    batch: TurnBatch, *, rewards: Rewards = "total", votes: Votes = "trajectory", singleton: Singleton = "zero"
) -> dict[str, Floats]:
    """Group-relative advantage without the division: A_i = R_i - μ_g.

    i: a rollout; g: its group; R_i = Σ_t r_{i,t} over its turns; μ_g over the group's rollouts, each counted once
    (`votes`). The same value on every turn: `grpo` with `normalise="none"`.

    It is half of Dr. GRPO. The other half is the loss, which sums over tokens and divides by a constant length, so that
    a token weighs the same in a long response and in a short one: in the reference trainer aggregation = "constant".

    Special cases: a group whose returns are equal gives exactly 0; a group of one rollout gives 0, or with
    `singleton="raw"` R_i.

    Source: Liu et al. 2025, arXiv 2503.20783.

    Args:
        batch: T rows with outcome_reward and, for rewards "total", turn_reward.
        rewards: "total", a turn pays turn_reward + outcome_reward; "outcome", outcome_reward alone.
        votes: how often a rollout counts in μ: once ("trajectory"), once a "turn", once a "token".
        singleton: "zero", or "raw" for a group of one rollout to keep its value.

    Returns:
        Term `episode`, shape [T].

    Raises:
        MissingColumn: a reward column is absent. ValueError: an option value that is not listed.

    Invariants: adding a constant to every outcome of a group changes nothing; all rewards times c gives c times the
    result; over a group the terms sum to 0, counted in its votes.

    Released code: verl keeps the raw return of a group of one (preset `verl`).
    """
    value = rollout_sum(batch, reward(batch, rewards))
    return {"episode": relative_to_group(batch, value, votes, "none", 0, 0.0, singleton)}


@estimator(
    "rloo",
    paper="2402.14740",
    needs=reward_columns,
    presets={"verl": {"singleton": "raw"}, "verl_agent": {"singleton": "raw", "votes": "turn"}},
)
def rloo(
    batch: TurnBatch, *, rewards: Rewards = "total", votes: Votes = "trajectory", singleton: Singleton = "zero"
) -> dict[str, Floats]:
    """Leave-one-out advantage of the whole rollout: A_i = R_i - mean_{j≠i} R_j.

    i, j: rollouts of one group; R_i = Σ_t r_{i,t} over the turns. The baseline does not depend on rollout i, so that
    the policy gradient with it is unbiased. The same value on every turn: N/(N-1) times `dr_grpo`.

    Special cases: a group whose returns are equal gives exactly 0; a group of one rollout gives 0, or with
    `singleton="raw"` R_i.

    Source: Ahmadian et al. 2024, arXiv 2402.14740.

    Args:
        batch: T rows with outcome_reward and, for rewards "total", turn_reward.
        rewards: "total", a turn pays turn_reward + outcome_reward; "outcome", outcome_reward alone.
        votes: "trajectory"; "turn" or "token" gives W/(W-1)·(R_i - μ) with W votes in all and μ over them, which is no
            leave-one-out: the rollout's own further votes stay in the mean that it is compared with.
        singleton: "zero", or "raw" for a group of one rollout to keep its value.

    Returns:
        Term `episode`, shape [T].

    Raises:
        MissingColumn: a reward column is absent. ValueError: an option value that is not listed.

    Invariants: adding a constant to every outcome of a group changes nothing; all rewards times c gives c times the
    result; over a group the terms sum to 0, counted in its votes.

    Released code: verl keeps the raw return of a group of one (preset `verl`); verl-agent does so too and lets a
    rollout vote once a turn (preset `verl_agent`).
    """
    value = rollout_sum(batch, reward(batch, rewards))
    alone = leave_one_out(
        value, rollouts_by_group(batch), weights=weights(batch, votes), raw=kept_raw(batch, singleton)
    )
    return {"episode": spread(batch, alone)}


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
