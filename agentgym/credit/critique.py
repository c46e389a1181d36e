"""Critique estimators: a judge's word on single turns, added to any other advantage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from agentgym.credit.algebra import Floats, Population, mix, population
from agentgym.credit.base import Base, BaseOptions, base_advantage, base_needs, base_signals
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.rows import by_rollout, column, one_of

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


def _arew_columns(base: Base, base_options: BaseOptions, channels: bool | None, **_: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("critique", *(("channel",) if channels else ()), *base_needs(base, base_options))))


def _arew_signals(base: Base, base_options: BaseOptions, **_: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("critique", *base_signals(base, base_options))))


@estimator("arew", paper="2603.12109", needs=_arew_columns, signals=_arew_signals)
def arew(
    batch: TurnBatch,
    *,
    base: Base = "grpo",
    base_options: BaseOptions = None,
    critique_weight: float = 0.5,
    require_both: bool = True,
    variant: Literal["margin", "abs_sum"] = "margin",
    channels: bool | None = None,
) -> Terms:
    """An advantage reweighted by critiques of single turns: Â_{i,t} = A_{i,t} + λ·u_{i,t}.

    i: a rollout; t: its turns; A: the base's advantage; z_t ∈ {-1, 0, +1}: the critique of the turn; P, N: the turns of
    the rollout (and channel) with z = +1 and -1. u = +1/|P| on P, -1/|N| on N, 0 elsewhere.

    Special cases: a rollout in which one sign alone occurs has u = 0 (`require_both`), so that Σu = 0 in every rollout
    and the critique moves credit between its turns without adding any; without it such a rollout sums to ±1.
    `variant="abs_sum"`: u = z / Σ|z|, whose sum is not 0. A rollout of one turn: u = 0 with `require_both`.

    Source: arXiv 2603.12109, from notes on it: λ 0.2 to 1; the abs_sum form is named there and its formula ours.

    Args:
        batch: T rows with critique, the columns that the base reads and, for channels, channel.
        base: what to add to: an estimator's name, an `Estimator` or a function, a `Credit` of this batch, one value a
            row, or "none" for the critique alone.
        base_options: the base's options, `preset` among them.
        critique_weight: λ.
        require_both: as above.
        variant: "margin" or "abs_sum".
        channels: whether P, N and Σ are taken over one channel of a rollout at a time; None: where the batch has the
            column channel.

    Returns:
        Terms `base` and `critique`, shape [T]; diagnostic `u`, shape [T].

    Raises:
        MissingColumn: a column named above is absent. TypeError: the base has no such option.
        ValueError: an option value that is not listed, a critique other than -1, 0 and +1, an unknown base.

    Invariants: with `require_both` and variant "margin" Σu = 0 in every rollout and channel.
    """
    one_of("variant", variant, ("margin", "abs_sum"))
    among = by_rollout(batch)
    if channels or (channels is None and "channel" in batch):
        among = population(batch.codes("rollout", "channel"))
    u = critique_shares(column(batch, "critique"), among, require_both, variant == "margin")
    advantage = base_advantage(batch, base, base_options)
    return Terms(mix({"base": advantage, "critique": u}, {"critique": critique_weight}), u=u)


def critique_shares(critique: Floats, among: Population, require_both: bool = True, margin: bool = True) -> Floats:
    """Give u of each entry: its critique over the number of those of its sign (`margin`), or of both signs.

    Raises:
        ValueError: a critique other than -1, 0 and +1; the first bad position is named.
    """
    odd = ~np.isin(critique, (-1.0, 0.0, 1.0))
    if odd.any():
        first = int(np.argmax(odd))
        raise ValueError(f"critique must be -1, 0 or +1, got {critique[first]} at position {first}")
    up, down = (among.sum((critique == sign).astype(np.float64))[among.codes] for sign in (1.0, -1.0))
    votes = np.where(critique > 0.0, up, down) if margin else up + down
    shares = critique / np.maximum(votes, 1.0)
    return np.where((up > 0.0) & (down > 0.0), shares, 0.0) if require_both else shares
