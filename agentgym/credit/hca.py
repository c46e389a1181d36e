"""Hindsight credit assignment: how much likelier was the action, given what came of it?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from agentgym.batch.ragged import Ragged
from agentgym.credit.algebra import ZERO_SPREAD, Floats, Ints, Population, finite, in_range, population
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.returns import check_gamma
from agentgym.credit.rows import (
    Rewards,
    by_group_state,
    column,
    one_of,
    reward,
    reward_columns,
    state_column,
    to_go,
    turns_to_end,
)

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


def _hca_columns(rewards: str, variant: str, key: str, **_: Any) -> tuple[str, ...]:
    source = (state_column(key), "action") if variant == "counts" else ("hindsight_logprob",)
    return (*reward_columns(rewards), *source, "logprob", "tokens")


@estimator("hca", paper="1912.02503", needs=_hca_columns)
def hca(
    batch: TurnBatch,
    *,
    variant: Literal["return", "counts"] = "return",
    rewards: Rewards = "total",
    gamma: float = 1.0,
    max_ratio: float = 100.0,
    key: str = "anchor",
) -> Terms:
    """Return-conditional hindsight credit: A_t = (1 - π(a|s)/h(a|s,Z)) · Z.

    t: a turn; Z = G_t, its return; π and h: the probability of the *whole* action before and after one knows Z,
    exp(logprob·tokens) and exp(hindsight_logprob·tokens), since the columns hold means over an action's tokens. An
    action that Z makes likelier gets a share of Z, one that Z says nothing about gets 0. No group statistics.

    Special cases: h = π gives 0, and so does an action of no tokens. π/h is capped at `max_ratio`, or an action that
    is impossible in hindsight would get -∞. Z = 0 gives 0, whatever h: failures that pay nothing are not told apart.
    `variant="counts"`: h is counted in the record, the share of the action among the group's turns with an equal `key`
    and an equal Z, for actions that recur as texts. The turn itself is among them: seen once, h = 1 and A = (1 - π)·Z.

    Source: Harutyunyan et al. 2019, arXiv 1912.02503. What the column h is conditioned on is up to whoever
    filled it: a language model is told how the rollout ended, and `agentgym.baselines.hindsight` fits the successes;
    both tell the outcome, not the number Z.

    Args:
        batch: T rows with the reward columns, logprob, tokens, and hindsight_logprob or, to count, `key` and action.
        variant: "return", h from the column, or "counts".
        rewards: "total", a turn pays turn_reward + outcome_reward; "outcome", outcome_reward alone.
        gamma: γ in [0, 1], of Z.
        max_ratio: the largest π/h, at least 1.
        key: what tells states apart for "counts", "anchor" or "state".

    Returns:
        Term `hindsight`, shape [T]; diagnostics `ratio` (π/h, capped), shape [T], and `capped`, how many rows were.

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option value out of its range.

    Invariants: scales with the rewards; no shift invariance. A group of one and ties are no special cases.
    """
    one_of("variant", variant, ("return", "counts"))
    if not 1.0 <= max_ratio < math.inf:
        raise ValueError(f"max_ratio must be finite and at least 1, got {max_ratio!r}")
    paid = to_go(batch, reward(batch, rewards), gamma)
    tokens, policy = column(batch, "tokens"), column(batch, "logprob")
    with np.errstate(over="ignore"):  # an infinite exponent is capped like every large one
        if variant == "counts":
            exponent = policy * tokens - np.log(counted_hindsight(batch, paid, key))
        else:
            exponent = (policy - column(batch, "hindsight_logprob")) * tokens
    most = math.log(max_ratio)
    ratio = np.exp(np.minimum(exponent, most))
    term = in_range("a hindsight advantage (1 - π/h)·Z", lambda: (1.0 - ratio) * paid)
    return Terms({"hindsight": term}, ratio=ratio, capped=int((exponent > most).sum()))


def counted_hindsight(batch: TurnBatch, paid: Floats, key: str = "anchor") -> Floats:
    """The share of each turn's action among the group's turns with an equal `key` and an equal return.

    Args:
        batch: with `key` and action.
        paid: the return of each turn, shape [T]; values within 1e-12·max(1, |x|) of the next smaller count as equal.
        key: "anchor" or "state".

    Returns:
        Shape [T], in (0, 1].
    """
    alike = population(by_group_state(batch, key).codes, _levels(paid))
    return _share(alike, population(alike.codes, batch.codes("action")))


def _levels(x: Floats) -> Ints:
    """Return a number for each value, equal for values that differ by rounding alone."""
    values, place = np.unique(x, return_inverse=True)
    with np.errstate(over="ignore"):  # an infinite gap is one
        apart = np.diff(values, prepend=values[:1]) > ZERO_SPREAD * np.maximum(1.0, np.abs(values))
    levels: Ints = np.cumsum(apart, dtype=np.int64)[place]
    return levels


def _share(whole: Population, part: Population) -> Floats:
    share: Floats = part.counts[part.codes] / whole.counts[whole.codes]
    return share


def hca_state_q(reward: float, pi: float, h: ArrayLike, future_rewards: ArrayLike, gamma: float = 1.0) -> float:
    """State-conditional hindsight value of one action: Q(s,a) = r + Σ_{k≥1} γ^k · (h_k(a|s,S_k) / π(a|s)) · R_k.

    Each later reward counts as much as the state it was paid in, S_k, points back to the action.

    Source: Harutyunyan et al. 2019, arXiv 1912.02503.

    Args:
        reward: r, paid at once.
        pi: π(a|s), in (0, 1].
        h: h_k, k = 1 … K: the probability of the action given that the state k turns later is S_k; in [0, 1]. A row of
            the column hindsight_table, see `hindsight_table`.
        future_rewards: R_k, k = 1 … K.
        gamma: γ in [0, 1].

    Raises:
        ValueError: a probability out of its range, unequal lengths, a value that is not finite or overflows.
    """
    check_gamma(gamma)
    if not 0.0 < pi <= 1.0:
        raise ValueError(f"pi must be the probability of an action that was taken, in (0, 1], got {pi!r}")
    later = finite(future_rewards, "future_rewards")
    shares = finite(h, "h", len(later))
    if ((shares < 0.0) | (shares > 1.0)).any():
        raise ValueError(f"h must hold probabilities in [0, 1], got {shares.min()} to {shares.max()}")
    (first,) = finite([reward], "reward")
    weights = gamma ** np.arange(1.0, len(later) + 1.0) * shares
    return float(in_range("a state-conditional value", lambda: np.array([first + (weights / pi * later).sum()]))[0])


def hindsight_table(batch: TurnBatch, key: str = "state") -> Ragged:
    """The column `hindsight_table`, counted: row t holds h_k(a|s, S_k) for k = 1 … K, K the turns that follow.

    h_k is the share of the turn's action among the group's turns that were taken in an equal `key` and whose rollout
    was in an equal `key` k turns later. The turn itself is among them: where nothing recurs, h = 1. For T turns a
    rollout that is T·(T - 1)/2 numbers; one pass over the rows for each k.

    Args:
        batch: with `key` and action.
        key: what tells states apart, "state" or "anchor".

    Returns:
        One list a row, in the rows' order: `batch.with_columns(hindsight_table=hindsight_table(batch))`.
    """
    start = by_group_state(batch, key).codes
    codes, action = batch.codes(key), batch.codes("action")
    left = turns_to_end(batch)
    table, begin = np.ones(int(left.sum())), np.cumsum(left) - left
    place = np.empty(len(batch), np.int64)  # each row's place in `order`, where the row k turns later is k further on
    place[batch.order] = np.arange(len(batch))
    for k in range(1, int(left.max(initial=0)) + 1):
        rows = np.flatnonzero(left >= k)
        alike = population(start[rows], codes[batch.order[place[rows] + k]])
        table[begin[rows] + k - 1] = _share(alike, population(alike.codes, action[rows]))
    return Ragged.of(table, left)
