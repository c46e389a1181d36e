"""Estimators over a learned value function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from agentgym.credit.algebra import in_range
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.returns import check_gamma
from agentgym.credit.rows import Rewards, column, following, recorded_value, reward, reward_columns, to_go

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


def _gae_columns(rewards: str, bootstrap_truncated: bool, **_: Any) -> tuple[str, ...]:
    return (*reward_columns(rewards), "value", *(("truncated", "bootstrap_value") if bootstrap_truncated else ()))


@estimator("gae", paper="1506.02438", needs=_gae_columns)
def gae(
    batch: TurnBatch,
    *,
    rewards: Rewards = "total",
    gamma: float = 1.0,
    lam: float = 0.95,
    bootstrap_truncated: bool = False,
) -> Terms:
    """Generalised advantage estimation over turns: A_t = δ_t + γλ·A_{t+1}, δ_t = r_t + γ·V_{t+1} - V_t.

    t in [0, T_i): the turns of one rollout; V_t: the value of the state before turn t; V after the last turn is 0. No
    statistic of a group or a batch: each rollout stands alone.

    Special cases: λ = 0: the one-step residual δ_t. λ = 1: the return to go less V_t. V = 0 everywhere with λ = 1: the
    return to go. `bootstrap_truncated`: after the last turn of a truncated rollout V is `bootstrap_value`.

    Source: Schulman et al. 2016, arXiv 1506.02438, with a turn for a time step.

    Args:
        batch: T rows with the reward columns, value and, to bootstrap, truncated and bootstrap_value.
        rewards: "total", a turn pays turn_reward + outcome_reward; "outcome", outcome_reward alone. The values have to
            be of the same return.
        gamma: γ in [0, 1].
        lam: λ in [0, 1].
        bootstrap_truncated: as above.

    Returns:
        Term `gae`, shape [T]; diagnostics `delta` (δ) and `target` (A + V, what a value function is fitted to).

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range; values that
            `collect` recorded for other rewards.

    Invariants: with the true value of the acting policy its mean, given state and action, is the true advantage, for
    every λ. Not 0 where all rollouts do equally well.
    """
    check_gamma(gamma)
    if not 0.0 <= lam <= 1.0:
        raise ValueError(f"lam must lie in [0, 1], got {lam!r}")
    value, after = recorded_value(batch, rewards), np.zeros(len(batch))
    if bootstrap_truncated:
        after = np.where(batch["truncated"], column(batch, "bootstrap_value"), 0.0)
    after = np.where(batch.last, after, following(batch, value))
    delta = in_range("a residual r + γ·V' - V", lambda: reward(batch, rewards) + gamma * after - value)
    advantage = to_go(batch, delta, gamma * lam)
    return Terms({"gae": advantage}, delta=delta, target=lambda: advantage + value)
