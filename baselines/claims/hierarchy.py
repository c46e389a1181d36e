"""Does hae have less variance than flat GAE? A world of segments whose values and advantages are known exactly.

A rollout is SEGMENTS segments of TURNS turns. In every turn the policy acts rightly with probability ½. A segment
succeeds with the probability (turns that were right) / TURNS, which shows when the next one begins; the outcome, paid
at the end, is the share of segments that succeeded. The right action is then worth 1/(2·SEGMENTS·TURNS) more than the
state, everywhere, the wrong one as much less.

Both estimators have γ = 1 and the same trace inside a segment. What their values know is one of VALUES:

- "exact": the true value of every state.
- "rough": the true value and an error of each (segment, turn, right so far) of size ROUGH, the same in all rollouts.
- "none": 0 everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym import credit
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.claims.verdicts import interval
from agentgym.baselines.features import Floats
from agentgym.batch import TurnBatch
from agentgym.rng import TurnRng

SEGMENTS, TURNS = 4, 4
VALUES = ("exact", "rough", "none")
ROUGH = 0.05
TRUE = 0.5 / (SEGMENTS * TURNS)
"""The advantage of the right action."""


def measure(seeds: int = 20, rollouts: int = 400, lam: float = 0.95) -> list[dict[str, Any]]:
    """Return rows: for each kind of values the variance of hae's action stream over that of gae, and both errors.

    "value" is the mean over seeds of the ratio of variances (below 1: hae has less). "hae" and "gae" hold of each the
    "signal", the share of the true advantage that arrives (1: all of it), and the "error", the mean squared distance
    to the true advantage in units of its square.

    Args:
        seeds: independent batches.
        rollouts: of a batch.
        lam: the trace of both.
    """
    rows = []
    for values in VALUES:
        found = np.array([compared(seed, rollouts, lam, values) for seed in range(seeds)])
        row: dict[str, Any] = {"label": f"variance of hae / gae, {values} values", "values": values}
        row |= t_interval((found[:, 0, 0] / found[:, 1, 0]).tolist())
        for place, name in enumerate(("hae", "gae")):
            signal, error = (t_interval(found[:, place, column].tolist()) for column in (1, 2))
            row[name] = {"signal": signal, "error": error}
        rows.append(row)
    return rows


def decide(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the verdict on "less variance than flat GAE", a word of `verdicts.WORDS`, and the figures that decide."""
    found = {row["values"]: row for row in rows}
    known = [found[values] for values in ("exact", "rough")]
    word = "shown" if all(row["high"] < 1.0 for row in known) else "not told apart"
    word = "refuted" if all(row["low"] > 1.0 for row in known) else word
    none = found["none"]
    return word, (
        f"the variance is {interval(found['exact'])} times that of gae with exact values and "
        f"{interval(found['rough'])} times with rough ones; with values of 0 it is {interval(none)} times, and "
        f"{none['hae']['signal']['value']:.0%} of the true advantage arrives instead of "
        f"{none['gae']['signal']['value']:.0%}"
    )


def compared(seed: int, rollouts: int, lam: float, values: str) -> list[tuple[float, float, float]]:
    """Return (variance, signal, error) of hae and of gae on one batch; see `judged`."""
    batch, right = played(seed, rollouts, values)
    hae = credit.estimate("hae", batch, gamma=1.0, lam_turn=lam).total
    gae = credit.estimate("gae", batch, gamma=1.0, lam=lam).total
    return [judged(estimate, right, np.asarray(batch.turn)) for estimate in (hae, gae)]


def judged(estimate: Floats, right: NDArray[np.bool_], turn: NDArray[np.int64]) -> tuple[float, float, float]:
    """Return how an estimate does, in units of the true advantage: variance, signal, error.

    The variance is that given turn and action, over the rollouts. The signal is half the distance of the means of right
    and wrong actions, averaged over turns: an offset that both share moves no policy.
    """
    found, cells = estimate / TRUE, 2 * turn + right
    mean = np.bincount(cells, found) / np.maximum(np.bincount(cells), 1)
    wrong_right = mean.reshape(-1, 2)
    variance = float(np.mean((found - mean[cells]) ** 2))
    signal = float(np.mean(wrong_right[:, 1] - wrong_right[:, 0]) / 2)
    return variance, signal, float(np.mean((found - np.where(right, 1.0, -1.0)) ** 2))


def played(seed: int, rollouts: int, values: str) -> tuple[TurnBatch, NDArray[np.bool_]]:
    """Return the record of one batch, with the columns of both estimators, and which turns were right."""
    rng = TurnRng(seed, stream="hierarchy")
    marks = np.array([rng.random() for _ in range(rollouts * SEGMENTS * (TURNS + 1))])
    marks = marks.reshape(rollouts, SEGMENTS, TURNS + 1)
    right = marks[:, :, :TURNS] < 0.5
    won = marks[:, :, TURNS] < right.mean(axis=2)
    number, turn = np.repeat(np.arange(rollouts), SEGMENTS * TURNS), np.tile(np.arange(SEGMENTS * TURNS), rollouts)
    known = valued(right, won, values, rng).ravel()
    columns = {
        "group": np.zeros(len(turn), np.int64),
        "trajectory": number,
        "turn": turn,
        "switch": turn % TURNS == 0,
        "turn_reward": np.zeros(len(turn)),
        "outcome_reward": np.where(turn == SEGMENTS * TURNS - 1, won.mean(axis=1)[number], 0.0),
        **dict.fromkeys(("value", "value_low", "value_high", "value_term"), known),
    }
    return TurnBatch.from_columns(columns), right.ravel()


def valued(right: NDArray[np.bool_], won: NDArray[np.bool_], values: str, rng: TurnRng) -> Floats:
    """Return (rollouts, SEGMENTS, TURNS) the values of the states before each turn."""
    if values == "none":
        return np.zeros(right.shape)
    before = np.cumsum(right, axis=2) - right  # right turns of the segment so far
    left = TURNS - np.arange(TURNS)
    here = (before + left / 2) / TURNS  # the chance that this segment succeeds
    past = (np.cumsum(won, axis=1) - won)[:, :, None]
    later = (SEGMENTS - 1 - np.arange(SEGMENTS))[None, :, None] / 2
    true: Floats = (past + here + later) / SEGMENTS
    if values == "exact":
        return true
    marks = np.array([rng.random() for _ in range(SEGMENTS * TURNS * TURNS)]).reshape(SEGMENTS, TURNS, TURNS)
    error = np.where(marks < 0.5, -ROUGH, ROUGH)
    return true + error[np.arange(SEGMENTS)[:, None], np.arange(TURNS), before]
