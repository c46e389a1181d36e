"""From a record with credit to what the loss reads: one row a rollout, one value an id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from agentgym.baselines.grpo.config import TrainError
from agentgym.baselines.grpo.engine import padded
from agentgym.baselines.grpo.rollout import Transcript
from agentgym.batch import TurnBatch
from agentgym.credit import Credit

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sequences:
    """Rollouts as rows of ids; all lists are parallel.

    Attributes:
        ids: the ids of each rollout.
        old: the sampler's log-probability of each id, 0 where it was not sampled.
        advantage: the credit of each id, 0 where it was not sampled.
        mask: 1.0 where the policy sampled the id.
        live: whether the rollout counts in the loss.
    """

    ids: list[list[int]]
    old: list[list[float]]
    advantage: list[list[float]]
    mask: list[list[float]]
    live: list[bool]

    def __len__(self) -> int:
        return len(self.ids)


def sequences(
    batch: TurnBatch, credit: Credit, transcripts: Mapping[str, Transcript], *, all_live: bool = False,
    mask_cut: bool = False,
) -> Sequences:  # fmt: skip
    """Spread the credit of the turns over the ids that they sampled; everything else gets mask 0 and advantage 0.

    A rollout whose credit is 0 on every token is not live: it would only sit in the loss's denominators. With
    `all_live` (a divergence from a reference acts on every rollout) it is. `mask_cut` takes those out that ended as
    token_limit.

    Raises:
        TrainError: the record's ids are not those of the transcript.
    """
    values = credit.to_tokens(batch)
    out = Sequences([], [], [], [], [])
    order, starts, lengths = batch.order, batch.starts, batch.lengths
    for begin, turns in zip(starts.tolist(), lengths.tolist(), strict=True):
        rows = order[begin : begin + turns].tolist()
        script = transcripts[batch.trajectory[rows[0]]]
        advantage, mask = [0.0] * len(script.ids), [0.0] * len(script.ids)
        for row, (first, end) in zip(rows, script.spans, strict=True):
            if batch.token_ids[row].tolist() != script.ids[first:end]:
                raise TrainError(f"row {row} of the record holds other ids than the transcript: credit would go astray")
            advantage[first:end] = values[row].tolist()
            mask[first:end] = [1.0] * (end - first)
        out.ids.append(script.ids)
        out.old.append(script.logprobs)
        out.advantage.append(advantage)
        out.mask.append(mask)
        kept = not (mask_cut and batch.end_reason[rows[-1]] == "token_limit")
        out.live.append(kept and (all_live or any(advantage)))
    return out


@dataclass(frozen=True)
class Micro:
    """Some rollouts as padded tensors [rollouts, tokens]; `present` is 1 on every id that is there."""

    ids: torch.Tensor
    present: torch.Tensor
    old: torch.Tensor
    advantage: torch.Tensor
    weights: torch.Tensor


def micro(data: Sequences, picked: Sequence[int], weights: torch.Tensor, pad: int, device: str) -> Micro:
    """Return some rollouts with their rows of `weights`, which were computed over all that share an optimiser step."""
    ids, present = padded([data.ids[row] for row in picked], pad, device)
    longest = ids.shape[1]

    def floats(rows: Sequence[Sequence[float]]) -> torch.Tensor:
        return torch.tensor([[*row, *[0.0] * (longest - len(row))] for row in rows], device=device)

    return Micro(
        ids,
        present,
        floats([data.old[row] for row in picked]),
        floats([data.advantage[row] for row in picked]),
        weights[list(picked), :longest].to(device),
    )


def masks(data: Sequences, rows: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return mask [rows, longest] and live [rows] of some rollouts."""
    longest = max(len(data.mask[row]) for row in rows)
    mask = torch.tensor([[*data.mask[row], *[0.0] * (longest - len(data.mask[row]))] for row in rows])
    return mask, torch.tensor([data.live[row] for row in rows])
