"""A teacher beside the student: its log-probabilities of the student's tokens, and the loss of both paths of SCOPE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agentgym.baselines.grpo.rollout import Transcript
from agentgym.batch import TurnBatch
from agentgym.batch.ragged import Ragged

Floats = NDArray[np.float64]


class Scorer(Protocol):
    """What is needed of a teacher: an engine of the trainer over its model."""

    def score(self, rows: Sequence[Sequence[int]]) -> list[Floats]:
        """Return log-probabilities of every id given those before it, one vector a row."""
        ...


def with_teacher(batch: TurnBatch, transcripts: Mapping[str, Transcript], teacher: Scorer) -> TurnBatch:
    """Return the batch with `teacher_logprobs`: those of the student's tokens, each after all that stood before it.

    Args:
        batch: rollouts of the student.
        transcripts: by trajectory id, as `agentgym.baselines.grpo.rollout.play` returns them.
        teacher: reads the same ids, so it has the student's tokenizer; one pass a rollout.

    Raises:
        ValueError: the batch's token_ids are not those of the transcripts.
    """
    first = batch.order[batch.starts]
    scripts = [transcripts[batch.trajectory[row]] for row in first]
    scores = teacher.score([script.ids for script in scripts])
    found: list[Any] = [None] * len(batch)
    for begin, script, each in zip(batch.starts.tolist(), scripts, scores, strict=True):
        for turn, (start, end) in enumerate(script.spans):
            row = int(batch.order[begin + turn])
            if batch.token_ids[row].tolist() != script.ids[start:end]:
                raise ValueError(f"row {row} of the batch holds other ids than its transcript: give those of one play")
            found[row] = np.asarray(each[start:end], dtype=np.float64)
    lengths = np.fromiter(map(len, found), np.int64, len(found))
    return batch.with_columns(teacher_logprobs=Ragged.of(np.concatenate([np.zeros(0), *found]), lengths))


def scope_loss(
    logp: Tensor, old: Tensor, teacher: Tensor, mask: Tensor, w_teacher: Tensor, w_student: Tensor
) -> tuple[Tensor, Tensor]:
    """Both paths of SCOPE, each a sum over rollouts of its weight times the mean over the rollout's tokens.

    Teacher path: -Σ_i w_teacher,i · mean_j [r_{i,j} · (log π_T - log π_old)_{i,j}], r = exp(logp - old): the policy
    gradient of the estimator's token advantage. At π = π_old its expected gradient is that of KL(π ‖ π_T), token by
    token.
    Student path: -Σ_i w_student,i · mean_j log π_{i,j}, the likelihood of what was right.

    Args:
        logp: [rollouts, tokens], log-probabilities under the policy.
        old: the same when they were sampled.
        teacher: the same under the teacher.
        mask: [rollouts, tokens], 1 where the policy sampled the token.
        w_teacher: [rollouts], the estimator's diagnostic of that name, on any turn of the rollout.
        w_student: likewise.

    Returns:
        The two losses; add them, or weigh one against the other.

    Source: arXiv 2604.10688.
    """
    counts = mask.sum(1).clamp(min=1.0)
    there = mask > 0

    def mean(values: Tensor) -> Tensor:
        return torch.where(there, values, 0.0).sum(1) / counts

    ratio = torch.exp(torch.where(there, logp - old, 0.0))
    follow = -(w_teacher * mean(ratio * torch.where(there, teacher - old, 0.0))).sum()
    recall = -(w_student * mean(torch.where(there, logp, 0.0))).sum()
    return follow, recall
