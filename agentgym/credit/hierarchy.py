"""Hierarchical estimators: advantages of the action, of the subgoal that it serves, and of ending that subgoal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agentgym.credit.algebra import Bools, Floats, Ints, Population, difference, finite, in_range, standardise
from agentgym.credit.registry import estimator
from agentgym.credit.result import Channel, Terms
from agentgym.credit.returns import check_gamma, discounted_return
from agentgym.credit.rows import column, following, reward, spread, to_go

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch

WHITEN_EPS = 1e-8


def _hae_columns(bootstrap_truncated: bool, **_: object) -> tuple[str, ...]:
    extra = ("truncated",) if bootstrap_truncated else ()
    return ("switch", "value_low", "value_high", "value_term", "turn_reward", "outcome_reward", *extra)


@estimator("hae", paper="2602.16165", needs=_hae_columns, signals=("subgoal",))
def hae(
    batch: TurnBatch,
    *,
    gamma: float = 0.99,
    lam_turn: float = 0.95,
    lam_seg: float = 0.9,
    bootstrap_truncated: bool = False,
    whiten: bool = False,
) -> Terms:
    """Hierarchical advantage estimation: GAE inside each segment, and over the segments a second one.

    A segment begins at turn 0, whatever its flag, and at every turn with `switch`; its turns are t = b … e. r_t =
    turn_reward + outcome_reward; L, H, U: the columns value_low, value_high, value_term. What follows turn t is worth
    L_{t+1} inside a segment and H_{e+1} at its end; after the rollout's end 0.

    action: A_t = δ_t + γ·lam_turn·A_{t+1}, δ_t = r_t + γ·next − L_t; the trace stops at the segment's end.
    switch: S_t − U_t with S_t = r_t + γ·S_{t+1}, at the segment's end S_e = r_e + γ·H_{e+1}.
    subgoal, at b alone: A_b = δ_b + γ^d·lam_seg·A_{e+1}, d = e + 1 − b, δ_b = S_b − H_b.

    Special cases: one segment: action is flat GAE on L. lam_turn = 1: action is S_t − L_t. A switch at every turn:
    action is the one-step error r_t + γ·H_{t+1} − L_t, subgoal is flat GAE on H with lam_seg.

    Source: HiPER, arXiv 2602.16165.

    Args:
        batch: T rows with switch, the three value columns, the rewards and, to bootstrap, truncated.
        gamma: γ in [0, 1], a turn.
        lam_turn: trace in [0, 1] inside a segment.
        lam_seg: trace in [0, 1] from segment to segment.
        bootstrap_truncated: after a truncated rollout count L of its last turn (action) and H of the open segment's
            first turn (subgoal, switch), not 0.
        whiten: each channel (x − mean) / (std + 1e-8) over the batch's entries that exist, ddof 0.

    Returns:
        Term `action`, shape [T], which is the total, and the channels `action`, `subgoal`, `switch`; subgoal exists at
        segment starts alone and is 0 elsewhere, where its mask is off. Diagnostic `segment`, shape [T]: number of the
        row's segment in its rollout.

    Raises:
        MissingColumn: a column named above is absent. ValueError: an option out of its range.

    Invariants: no group takes part: a rollout alone has the advantages that it has among others, but for `whiten`,
    whose population is the batch (equal entries, or one alone, give exactly 0).

    Released code: the same. Its bootstrap for subgoal and switch is stale: H of the last turn would be nearer.
    """
    check_gamma(gamma)
    for name, value in (("lam_turn", lam_turn), ("lam_seg", lam_seg)):
        if not 0.0 <= value <= 1.0:
            raise ValueError(f"{name} must lie in [0, 1], got {value!r}")
    low, high, term = (column(batch, f"value_{name}") for name in ("low", "high", "term"))
    parts = _segments(batch)
    next_low, next_high = (np.where(batch.last, 0.0, following(batch, value)) for value in (low, high))
    if bootstrap_truncated:
        cut = np.asarray(batch["truncated"], dtype=bool) & batch.last
        next_low, next_high = np.where(cut, low, next_low), np.where(cut, high[parts.begin], next_high)
    pay = reward(batch)
    after = np.where(parts.end & ~batch.last, next_high, next_low)
    error = difference("a one-step error", lambda: pay + gamma * after - low, pay, gamma * after, low)
    action = to_go(batch, error, np.where(parts.end, 0.0, gamma * lam_turn))
    paid = in_range("a turn's reward with what follows", lambda: pay + np.where(parts.end, gamma * next_high, 0.0))
    segment = to_go(batch, paid, np.where(parts.end, 0.0, gamma))
    error_above = difference("a subgoal's error", lambda: segment - high, segment, high)
    subgoal = _over_segments(batch, parts, error_above, gamma, lam_seg)
    streams = {
        "action": (action, np.ones(len(batch), dtype=bool)),
        "subgoal": (subgoal, parts.start),
        "switch": (
            difference("a switch's error", lambda: segment - term, segment, term),
            np.ones(len(batch), dtype=bool),
        ),
    }
    made = {name: Channel(_whitened(x, mask) if whiten else x, mask) for name, (x, mask) in streams.items()}
    return Terms({"action": made["action"].values}, channels=made, segment=lambda: _numbers(batch, parts))


class _Segments(NamedTuple):
    """Per row: does a segment start or end here, and the row in which this one's began."""

    start: Bools
    end: Bools
    begin: Ints


def _segments(batch: TurnBatch) -> _Segments:
    start = np.asarray(batch["switch"], dtype=bool) | (batch.turn == 0)
    begin = np.empty(len(batch), dtype=np.int64)
    sorted_starts = start[batch.order]
    begin[batch.order] = batch.order[sorted_starts][np.cumsum(sorted_starts) - 1]
    return _Segments(start, batch.last | following(batch, start), begin)


def _over_segments(batch: TurnBatch, parts: _Segments, error: Floats, gamma: float, lam: float) -> Floats:
    """A_b = δ_b + γ^d·lam·A of the next segment of the rollout, at starts; 0 elsewhere; per row."""
    places = np.flatnonzero(parts.start[batch.order])
    first = batch.order[places]
    turns = np.diff(places, append=len(batch))
    factor = lam * float(gamma) ** turns
    starts = np.flatnonzero(batch.turn[first] == 0)
    result = np.zeros(len(batch))
    result[first] = discounted_return(error[first], factor, np.arange(len(first)), starts)
    return result


def _whitened(x: Floats, mask: Bools) -> Floats:
    result = np.zeros_like(x)
    entries = x[mask]
    result[mask] = standardise(entries, Population(np.zeros(len(entries), dtype=np.int64), 1), eps=WHITEN_EPS)
    return result


def _numbers(batch: TurnBatch, parts: _Segments) -> Ints:
    """Segments counted from 0 in each rollout; per row."""
    count = np.empty(len(batch), dtype=np.int64)
    count[batch.order] = np.cumsum(parts.start[batch.order])
    numbers: Ints = count - spread(batch, count[batch.order[batch.starts]])
    return numbers


def keep_penalty(reward: ArrayLike, switch: ArrayLike, penalty: float, rollout: ArrayLike | None = None) -> Floats:
    """Pay (or with a negative one, charge) every turn that keeps its subgoal: r_t + p/T where switch is false.

    T is the number of turns of the rollout, so that a rollout that never switches receives p. Turn 0 counts by its own
    flag like any other, though a segment begins there anyway.

    Args:
        reward: shape [n], of one rollout or of several.
        switch: shape [n], true where a subgoal begins.
        penalty: p, any finite number; HiPER's is negative.
        rollout: the number of each entry's rollout, as `batch.rollout`; None: all are of one.

    Returns:
        Shape [n]: the new rewards, for `batch.with_columns(turn_reward=…)`.

    Raises:
        ValueError: shapes that differ, a value that is not finite.
    """
    pay = finite(reward, "reward")
    kept = finite(switch, "switch", len(pay)) == 0.0
    if not np.isfinite(penalty):
        raise ValueError(f"penalty must be finite, got {penalty!r}")
    codes = np.zeros(len(pay), dtype=np.int64) if rollout is None else np.asarray(rollout, dtype=np.int64)
    if codes.shape != pay.shape:
        raise ValueError(f"rollout must have shape [{len(pay)}], got {list(codes.shape)}")
    turns = np.bincount(codes)[codes] if len(pay) else np.ones(0)
    return in_range("a reward with the penalty", lambda: pay + np.where(kept, penalty / turns, 0.0))
