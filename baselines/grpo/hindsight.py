"""Hindsight for a language model: how likely was each action to the same model, told beforehand how the rollout ends?

One forward pass a rollout: the note stands at the end of the first prompt, so every turn is scored under it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from agentgym.baselines.grpo.columns import Make
from agentgym.baselines.grpo.config import Config
from agentgym.baselines.grpo.engine import Engine
from agentgym.baselines.grpo.rollout import Played, Transcript
from agentgym.baselines.grpo.tokens import Tokens
from agentgym.batch import TurnBatch

if TYPE_CHECKING:
    from agentgym.baselines.grpo.prepare import Parts

NOTES = {True: "In the end the goal is reached.", False: "In the end the goal is not reached."}
"""What the model is told, by success."""


def begin(parts: Parts, config: Config) -> Make:
    """Return the maker of `hindsight_logprob`."""
    return lambda played: with_hindsight(played, parts.engine, parts.tokens)


def with_hindsight(played: Played, engine: Engine, tokens: Tokens) -> TurnBatch:
    """Return the record with `hindsight_logprob`, the mean log-probability of a turn's ids under the note."""
    batch = played.batch
    first = batch.order[batch.starts]
    names: list[str] = [batch.trajectory[row] for row in first]
    scripts = [played.transcripts[name] for name in names]
    notes = [NOTES[won] for won in batch.success[first].tolist()]
    openings = [told(script, tokens, note) for script, note in zip(scripts, notes, strict=True)]
    rows = [[*new, *script.ids[script.opening :]] for new, script in zip(openings, scripts, strict=True)]
    found: dict[tuple[str, int], float] = {}
    for name, script, new, scores in zip(names, scripts, openings, engine.score(rows), strict=True):
        shift = len(new) - script.opening
        for turn, (begin, end) in enumerate(script.spans):
            found[name, turn] = float(np.mean(scores[begin + shift : end + shift]))
    keys = zip(batch.trajectory, batch.turn.tolist(), strict=True)
    return batch.with_columns(hindsight_logprob=[found[key] for key in keys])


def told(script: Transcript, tokens: Tokens, note: str) -> list[int]:
    """Return the ids of a rollout's first prompt with a note at the end of its last message."""
    *before, last = script.messages
    noted = {**last, "content": f"{last['content']}\n{note}"}
    return tokens.opening([*before, noted], script.tools)
