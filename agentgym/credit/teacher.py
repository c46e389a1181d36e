"""A teacher's log-probabilities: which rollouts learn from the teacher, which from themselves, and how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from agentgym.batch.ragged import Ragged
from agentgym.credit.algebra import Bools, Floats, Population, in_range, softmax_within
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms
from agentgym.credit.rows import by_row, rollout_sum, spread

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


@estimator(
    "scope",
    paper="2604.10688",
    needs=("token_logprobs", "teacher_logprobs", "success"),
    presets={"released": {"times_size": True, "flip_student": True}},
)
def scope(batch: TurnBatch, *, temperature: float = 1.0, times_size: bool = False, flip_student: bool = False) -> Terms:
    """Two paths by correctness: wrong rollouts move to the teacher, A_{i,j} = w_i·(log π_T - log π_S)_{i,j}.

    i: a rollout, its tokens j those of all its turns; π_S the policy (token_logprobs), π_T the teacher
    (teacher_logprobs); PPL = exp(-mean of log π over the rollout's tokens). Inside a group the wrong rollouts share
    w_teacher ∝ PPL_T^(-1/τ): the teacher is followed where it is sure of what was said. The right ones share
    w_student ∝ PPL_S^(1/τ), the weight of their own log-likelihood: what was right and hard to say is learnt first.

    Special cases: one rollout alone on its path has weight 1; a path without rollouts is absent; equal PPL: equal
    weights. A rollout without tokens has no PPL: it is on no path and weighs 0.

    Source: arXiv 2604.10688 (SCOPE). It is a weighting of two losses,
    `agentgym.baselines.learned.teacher.scope_loss`; the advantage is the teacher path's policy gradient.

    Args:
        batch: T rows with token_logprobs, teacher_logprobs and success.
        temperature: τ > 0.
        times_size: multiply the weights of a path by its number of rollouts.
        flip_student: w_student ∝ PPL_S^(-1/τ).

    Returns:
        Term `teacher`, shape [T]: the mean of A over the turn's tokens, 0 without tokens; `to_tokens` gives A itself.
        Diagnostics `w_teacher` and `w_student`, shape [T], 0 off their path.

    Raises:
        MissingColumn: a column named above is absent. ValueError: τ ≤ 0.

    Invariants: the weights of each path that has rollouts sum to 1 over a group (times_size: to their number).

    Released code (preset `released`): the weights times the size of the path, and the student's sign flipped against
    the paper, so that the easy right answers weigh most.
    """
    student, teacher = batch["token_logprobs"], batch["teacher_logprobs"]
    right, tokens = batch["success"][batch.order[batch.starts]], by_row(student)
    side = -1.0 if flip_student else 1.0
    w_student = path_weights(batch, -side * rollout_mean(batch, student), right, temperature, times_size)
    w_teacher = path_weights(batch, rollout_mean(batch, teacher), ~right, temperature, times_size)
    weight = np.repeat(spread(batch, w_teacher), student.lengths)
    values = in_range("a weighted log-ratio", lambda: weight * (teacher.flat - student.flat))
    return Terms(
        {"teacher": tokens.mean(values)},
        tokens=Ragged(values, student.offsets),
        w_teacher=spread(batch, w_teacher),
        w_student=spread(batch, w_student),
    )


def rollout_mean(batch: TurnBatch, logprobs: Ragged) -> Floats:
    """Mean log-probability of all tokens of each rollout, shape [rollouts]; nan where it has none."""
    sums = rollout_sum(batch, by_row(logprobs).sum(logprobs.flat))
    counts = rollout_sum(batch, logprobs.lengths.astype(np.float64))
    return np.where(counts > 0.0, sums / np.maximum(counts, 1.0), np.nan)


def path_weights(
    batch: TurnBatch, score: Floats, on_path: Bools, temperature: float = 1.0, times_size: bool = False
) -> Floats:
    """Softmax of score / τ over the group's rollouts on the path, 0 for others and where the score is nan.

    Args:
        batch: the record.
        score: shape [rollouts]: -log PPL, so that the weight falls with perplexity, or log PPL, so that it rises.
        on_path: shape [rollouts].
        temperature: τ > 0.
        times_size: multiply by the number of rollouts that share the weight.

    Returns:
        Shape [rollouts].
    """
    there = on_path & ~np.isnan(score)
    among = Population(batch.rollout_group[there], batch.num_groups)
    weights = np.zeros(len(score))
    weights[there] = softmax_within(score[there], among, temperature)
    if times_size:
        weights[there] *= among.counts[among.codes]
    return weights
