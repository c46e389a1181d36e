"""REINFORCE++: no groups or only their mean, then one whitening over the whole batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentgym.credit.algebra import Floats, standardise
from agentgym.credit.registry import estimator
from agentgym.credit.rows import Rewards, Singleton, by_batch, column, reward, reward_columns, rollout_sum, to_go
from agentgym.credit.trajectory import relative_to_group

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


def _columns(**options: Any) -> tuple[str, ...]:
    return (*reward_columns(**options), "tokens")


@estimator("reinforce_pp", paper="2501.03262", needs=_columns)
def reinforce_pp(
    batch: TurnBatch, *, rewards: Rewards = "total", gamma: float = 1.0, ddof: int = 1, eps: float = 1e-8
) -> dict[str, Floats]:
    """Reward to go, whitened over the batch: A_{i,t} = (G_{i,t} - m) / √(v + ε), G_t = r_t + γ·G_{t+1}.

    i: a rollout; t in [0, T_i): its turns; m, v: mean and variance over all turns of the *batch*, a turn voting once
    for each of its generated tokens (`tokens`); ε stands inside the root. There are no groups: every value depends on
    the whole batch.

    Special cases: γ = 1 and no reward but the outcome: the same value on every turn. A batch whose voters all agree
    gives exactly 0: one rollout with nothing but an outcome, say. A turn without tokens gets a value and has no vote.

    Source: Hu 2025, arXiv 2501.03262; released per token with one outcome a response, here carried to turns.

    Args:
        batch: T rows with tokens, outcome_reward and, for rewards "total", turn_reward.
        rewards: "total", a turn pays turn_reward + outcome_reward; "outcome", outcome_reward alone.
        gamma: γ in [0, 1], per turn.
        ddof: taken off the number of tokens in the variance: 0, or 1.
        eps: ε ≥ 0.

    Returns:
        Term `return`, shape [T].

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: with γ = 1, adding a constant to every outcome of the *batch* changes nothing; the term sums to 0 over
    the batch, counted in tokens. One rollout alone in its group is no special case here.

    Released code (verl): γ counts tokens and not turns; with its default γ = 1 and rewards of whole rollouts alone both
    are the same.
    """
    return {"return": whitened(batch, to_go(batch, reward(batch, rewards), gamma), ddof, eps)}


@estimator("reinforce_pp_baseline", paper="2501.03262", needs=_columns, presets={"verl": {"singleton": "raw"}})
def reinforce_pp_baseline(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    ddof: int = 1,
    eps: float = 1e-8,
    singleton: Singleton = "zero",
) -> dict[str, Floats]:
    """Distance to the group's mean, whitened over the batch: x_i = R_i - μ_g, A_i = (x_i - m) / √(v + ε).

    i: a rollout; g: its group; R_i = Σ_t r_{i,t}; μ_g over the group's rollouts, each counted once; m, v: mean and
    variance over all turns of the *batch*, a turn voting once for each of its generated tokens. No reward to go: the
    same value on every turn.

    Special cases: groups of equal returns have x = 0, yet not A = 0 where m is not 0: m is weighted by tokens and the
    mean of the group is not. A batch in which every x is equal gives exactly 0.

    Source: Hu 2025, arXiv 2501.03262, the variant with a group baseline.

    Args:
        batch: T rows with tokens, outcome_reward and, for rewards "total", turn_reward.
        rewards: "total", a turn pays turn_reward + outcome_reward; "outcome", outcome_reward alone.
        ddof: taken off the number of tokens in the variance: 0, or 1.
        eps: ε ≥ 0.
        singleton: x of a group of one rollout: 0 ("zero"), or "raw" for R_i.

    Returns:
        Term `episode`, shape [T].

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: adding a constant to every outcome of a group changes nothing; the term sums to 0 over the batch,
    counted in tokens.

    Released code: verl keeps the raw return of a group of one (preset `verl`).
    """
    value = rollout_sum(batch, reward(batch, rewards))
    relative = relative_to_group(batch, value, "trajectory", "none", 0, 0.0, singleton)
    return {"episode": whitened(batch, relative, ddof, eps)}


def whitened(batch: TurnBatch, x: Floats, ddof: int, eps: float) -> Floats:
    """(x - mean) / √(variance + eps) over the whole batch, a turn voting once for each of its tokens; shape [T]."""
    return standardise(x, by_batch(batch), weights=column(batch, "tokens"), ddof=ddof, eps=eps, inside=True)
