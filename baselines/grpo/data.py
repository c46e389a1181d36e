"""From a record with credit to what the loss reads: one row a rollout, one value an id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from agentgym.baselines.grpo.config import TrainError
from agentgym.baselines.grpo.engine import padded
from agentgym.baselines.grpo.rollout import Transcript
from agentgym.baselines.grpo.spans import channels
from agentgym.baselines.grpo.tokens import Tokens
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
        mask: 1.0 where the policy sampled the id and the estimator does not leave it out.
        live: whether the rollout counts in the loss.
        own: the weight of the id's own log-likelihood in the loss, besides its advantage.
    """

    ids: list[list[int]]
    old: list[list[float]]
    advantage: list[list[float]]
    mask: list[list[float]]
    live: list[bool]
    own: list[list[float]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.ids)


def sequences(
    batch: TurnBatch, credit: Credit, transcripts: Mapping[str, Transcript], tokens: Tokens | None = None, *,
    all_live: bool = False, mask_cut: bool = False,
) -> Sequences:  # fmt: skip
    """Spread the credit of the turns over the ids that they sampled; everything else gets mask 0 and advantage 0.

    Of the sampled ids those get mask 0 too that the estimator leaves out: see `of_turns`. Where it weighs the rollouts'
    own log-likelihood (diagnostic `w_student`, as in scope), that is the ids' `own`.

    A rollout whose credit is 0 on every token is not live: it would only sit in the loss's denominators. With
    `all_live` (a divergence from a reference acts on every rollout) it is. `mask_cut` takes those out that ended as
    token_limit.

    Args:
        batch: the record.
        credit: its estimate.
        transcripts: by trajectory id.
        tokens: of the model, where the estimate has channels.
        all_live: as above.
        mask_cut: as above.

    Raises:
        TrainError: the record's ids are not those of the transcript.
    """
    values, counts = of_turns(batch, credit, tokens)
    likelihood = np.asarray(credit.diagnostics.get("w_student", np.zeros(len(batch))))
    out = Sequences([], [], [], [], [])
    order, starts, lengths = batch.order, batch.starts, batch.lengths
    for begin, turns in zip(starts.tolist(), lengths.tolist(), strict=True):
        rows = order[begin : begin + turns].tolist()
        script = transcripts[batch.trajectory[rows[0]]]
        advantage, mask, own = ([0.0] * len(script.ids) for _ in range(3))
        for row, (first, end) in zip(rows, script.spans, strict=True):
            if batch.token_ids[row].tolist() != script.ids[first:end]:
                raise TrainError(f"row {row} of the record holds other ids than the transcript: credit would go astray")
            advantage[first:end] = values[row].tolist()
            mask[first:end] = counts[row].tolist()
            own[first:end] = (likelihood[row] * counts[row]).tolist()
        out.ids.append(script.ids)
        out.old.append(script.logprobs)
        out.advantage.append(advantage)
        out.mask.append(mask)
        out.own.append(own)
        kept = not (mask_cut and batch.end_reason[rows[-1]] == "token_limit")
        out.live.append(kept and (all_live or any(advantage) or any(own)))
    return out


def of_turns(batch: TurnBatch, credit: Credit, tokens: Tokens | None = None) -> tuple[list[Floats], list[Floats]]:
    """Return for each row the advantage of its ids, and 1.0 for each that counts in the loss.

    All ids of a turn count and have its advantage, but for three kinds of estimators: one that tells tokens apart gives
    them their values, and those that `token_mask` leaves out count 0; one with channels gives the ids of each channel
    (see `spans`) that channel's value, and 0 where the channel does not exist in the turn; one that leaves turns to
    supervised learning (diagnostic `sft_mask`) counts none of theirs.
    """
    values = credit.to_tokens(batch)
    counts = [np.ones(len(row)) for row in values]
    if "token_mask" in batch:
        counts = [np.asarray(mask, dtype=np.float64) for mask in batch.token_mask]
    for row in np.flatnonzero(credit.diagnostics.get("sft_mask", np.zeros(len(batch)))).tolist():
        counts[row] = np.zeros(len(values[row]))
    if credit.channels and tokens is not None:
        for row in range(len(batch)):
            names = channels(tokens, batch.token_ids[row].tolist())
            streams = [credit.channels.get(name) or credit.channels["action"] for name in names]
            there = np.array([stream.mask[row] for stream in streams], dtype=bool)
            values[row] = np.where(there, [stream.values[row] for stream in streams], 0.0)
            counts[row] = there.astype(np.float64)
    return [value * (count > 0) for value, count in zip(values, counts, strict=True)], counts


@dataclass(frozen=True)
class Micro:
    """Some rollouts as padded tensors [rollouts, tokens]; `present` is 1 on every id that is there."""

    ids: torch.Tensor
    present: torch.Tensor
    old: torch.Tensor
    advantage: torch.Tensor
    weights: torch.Tensor
    own: torch.Tensor | None = None


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
        floats([data.own[row] for row in picked]) if any(any(row) for row in data.own) else None,
    )


def masks(data: Sequences, rows: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return mask [rows, longest] and live [rows] of some rollouts."""
    longest = max(len(data.mask[row]) for row in rows)
    mask = torch.tensor([[*data.mask[row], *[0.0] * (longest - len(data.mask[row]))] for row in rows])
    return mask, torch.tensor([data.live[row] for row in rows])
