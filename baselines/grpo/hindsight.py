"""Hindsight for a language model: how likely was each action to the same model, told beforehand how the rollout ends?

One forward pass a rollout: the note stands between the first prompt and the rest, so every turn is scored under it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agentgym.baselines.grpo.engine import Engine
from agentgym.baselines.grpo.rollout import Played
from agentgym.baselines.grpo.tokens import Tokens
from agentgym.batch import TurnBatch

NOTES = {True: "In the end the goal is reached.", False: "In the end the goal is not reached."}
"""What the model is told, by success."""


def with_hindsight(played: Played, engine: Engine, tokens: Tokens) -> TurnBatch:
    """Return the record with `hindsight_logprob`, the mean log-probability of a turn's ids under the note."""
    batch = played.batch
    first = batch.order[batch.starts]
    names: list[str] = [batch.trajectory[row] for row in first]
    rows, shifts = [], []
    for name, won in zip(names, np.asarray(batch.success)[first].tolist(), strict=True):
        script = played.transcripts[name]
        note = tokens.following([{"role": "user", "content": NOTES[won]}], True)
        rows.append([*script.ids[: script.opening], *note, *script.ids[script.opening :]])
        shifts.append(len(note))
    scores = dict(zip(names, engine.score(rows), strict=True))
    shift = dict(zip(names, shifts, strict=True))
    return batch.with_columns(hindsight_logprob=[
        _mean(scores[name], played.transcripts[name].spans[turn], shift[name])
        for name, turn in zip(batch.trajectory, batch.turn, strict=True)
    ])  # fmt: skip


def _mean(scores: NDArray[np.float64], span: Sequence[int], shift: int) -> float:
    values = scores[span[0] + shift : span[1] + shift]
    return float(values.mean()) if len(values) else 0.0
