"""Transition estimators: a turn is paid by how the score of its result moved, and by the levels it moved between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from agentgym.credit.algebra import Floats, Normalise, finite, in_range
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.rows import Singleton, Votes, column, one_of, rollout_sum, spread, vote_columns
from agentgym.credit.trajectory import relative_to_group
from agentgym.errors import unknown

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

MATRIX: Final[Mapping[str, float]] = {"LH": 1.0, "HL": -1.5, "LL": 0.0, "HH": 0.0}
"""The published rate of each move: from Low or High to Low or High."""


def _atr_columns(votes: str, **_: Any) -> tuple[str, ...]:
    return ("step_score", *vote_columns(votes))


@estimator("atr", paper="2603.16161", needs=_atr_columns)
def atr(
    batch: TurnBatch,
    *,
    matrix: Mapping[str, float] = MATRIX,
    tau: float = 0.5,
    inside: Literal["matrix", "signed"] = "matrix",
    initial_score: float = 0.0,
    votes: Votes = "trajectory",
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
    singleton: Singleton = "zero",
) -> Terms:
    """Aggregated trajectory reward: A_i = GN(Σ_t M[level_{t-1}, level_t]·|s_t - s_{t-1}|).

    i: a rollout; t: its turns; s_t: the step score in [0, 1], s before the first turn `initial_score`; the level is
    High where s ≥ τ, else Low. GN standardises over the group's rollouts, as in `grpo`; the same value on every turn.

    Special cases: `inside="signed"`: a move inside a level pays s_t - s_{t-1}, whatever M says. A group of equal sums
    gives exactly 0; a group of one gives 0, or with `singleton="raw"` its sum.

    Farming: a round of two moves across τ sums to (M_LH + M_HL)·|move| < 0, but as M_LL and M_HH are 0, longer rounds
    need not: 1.0 → 0.5 → 0.49 → 1.0 earns 0 - 0.015 + 0.51 = +0.495 each time. With "signed" every round sums to
    (M_LH - 1)·Σ(rises across τ) + (M_HL + 1)·Σ|falls across τ|, which is -0.5·Σ|falls across τ| with the published M.

    Source: SQL-ASTRA, arXiv 2603.16161; `inside="signed"` is ours. The score of a query's result is `csmr`.

    Args:
        batch: T rows with step_score. No reward column is read.
        matrix: M, a rate for each of "LH", "HL", "LL" and "HH" (first the level before).
        tau: τ.
        inside: what moves inside a level pay: by the "matrix", or "signed".
        initial_score: s before the first turn.
        votes: how often a rollout counts in GN: once ("trajectory"), once a "turn", once a "token" (column tokens).
        normalise: "std", or "none" to leave the division out.
        ddof: taken off the votes in the variance: 0, or 1.
        eps: ε ≥ 0.
        singleton: "zero", or "raw" for a group of one rollout to keep its value.

    Returns:
        Term `episode`, shape [T]; diagnostics `transition`, the reward of each turn, and `atr`, its sum over the
        rollout, both of shape [T].

    Raises:
        MissingColumn: step_score is absent. ValueError: an option value out of its range, a matrix without a move.

    Invariants: over a group the term sums to 0, counted in its votes. The outcome plays no part.
    """
    one_of("inside", inside, ("matrix", "signed"))
    transition = transition_reward(batch, _rates(matrix), tau, inside == "signed", initial_score)
    total = rollout_sum(batch, transition)
    episode = relative_to_group(batch, total, votes, normalise, ddof, eps, singleton)
    return Terms({"episode": episode}, transition=transition, atr=lambda: spread(batch, total))


def transition_reward(
    batch: TurnBatch, rates: Floats, tau: float, signed: bool = False, initial_score: float = 0.0
) -> Floats:
    """What each move of the step score pays; shape [T].

    Args:
        batch: the record.
        rates: M as [level before][level after], 0 Low and 1 High.
        tau: from which score on the level is High.
        signed: moves inside a level pay their own signed length.
        initial_score: the score before the first turn.
    """
    score = column(batch, "step_score")[batch.order]
    finite([tau], "tau")
    before = np.concatenate([finite([initial_score], "initial_score"), score])[:-1]
    before[batch.starts] = initial_score
    came, went = (before >= tau).astype(np.int64), (score >= tau).astype(np.int64)
    paid = in_range("a transition reward", lambda: rates[came, went] * np.abs(score - before))
    if signed:
        paid = np.where(came == went, score - before, paid)
    result = np.empty_like(paid)
    result[batch.order] = paid
    return result


def _rates(matrix: Mapping[str, float]) -> Floats:
    for move in matrix:
        if move not in MATRIX:
            raise ValueError(unknown("move", move, MATRIX, "of matrix"))
    missing = [move for move in MATRIX if move not in matrix]
    if missing:
        raise ValueError(f"matrix lacks the moves {missing}: give a rate for each of {list(MATRIX)}")
    rates = np.array([[matrix["LL"], matrix["LH"]], [matrix["HL"], matrix["HH"]]], dtype=np.float64)
    if not np.isfinite(rates).all():
        raise ValueError(f"the rates of matrix must be finite, got {dict(matrix)}")
    return rates
