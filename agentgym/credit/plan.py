"""Plan-level estimators: a plan is rewarded for its likeness to a reference, and plan turns alone are credited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from agentgym.credit.algebra import Floats, Ints, Normalise, Population, in_range, standardise
from agentgym.credit.registry import estimator
from agentgym.credit.result import Terms

if TYPE_CHECKING:
    from agentgym.batch import TurnBatch


@estimator("apex_plan", paper="2603.13853", needs=("kind", "plan_similarity"))
def apex_plan(
    batch: TurnBatch,
    *,
    threshold: float | None = None,
    normalise: Normalise = "std",
    ddof: int = 0,
    eps: float = 1e-6,
) -> Terms:
    """GRPO on plans alone: A = (R_i − μ_g) / (σ_g + ε) on turns of kind "plan", 0 on all others.

    i: a rollout that has a plan turn; R_i: the mean over its plan turns of `plan_reward` of their matrix; μ_g, σ_g
    over the rollouts of its group that have one, each counted once. Turns that carry out the plan are for supervised
    learning (SFT): the diagnostic `sft_mask` marks them. The outcome is not used.

    Special cases: one plan alone in its group, or plans of equal reward: 0. A plan turn with an empty matrix (nothing
    was predicted) has R = 0.

    Source: APEX-Searcher, arXiv 2603.13853. Whether its match is soft or thresholded is not said; both are here.

    Args:
        batch: T rows with kind and plan_similarity, the matrix [predicted][gold] of cosine similarities of plan steps.
        threshold: None: matched similarities add up; else in [-1, 1]: matched pairs at or above it count 1, others 0.
        normalise: "std", or "none" to leave the division out.
        ddof: taken off the number of rollouts in the variance: 0, or 1.
        eps: ε ≥ 0.

    Returns:
        Term `plan`, shape [T]. Diagnostics, shape [T], 0 on turns of other kinds: `plan_reward`, `precision`,
        `recall`; and `sft_mask`, true on turns of other kinds.

    Raises:
        MissingColumn: a column named above is absent. ImportError: scipy is not installed. ValueError: a threshold out
        of its range.

    Invariants: what stands in turns of other kinds changes nothing; over a group's plans the R_i are centred.
    """
    plans = np.flatnonzero(np.asarray(batch["kind"]) == "plan")
    scores = _Scores(*(np.zeros(len(batch)) for _ in _Scores._fields))
    advantage = np.zeros(len(batch))
    if len(plans):
        matrices = batch["plan_similarity"].take(plans)
        found = _scores(matrices.flat, matrices.shapes, threshold)
        for values, mine in zip(scores, found, strict=True):
            values[plans] = mine
        planners, own = np.unique(batch.rollout[plans], return_inverse=True)
        value = np.bincount(own, found.plan_reward) / np.bincount(own)
        groups = Population(batch.rollout_group[planners], batch.num_groups)
        advantage[plans] = standardise(value, groups, normalise=normalise, ddof=ddof, eps=eps)[own]
    sft = np.ones(len(batch), dtype=bool)
    sft[plans] = False
    return Terms({"plan": advantage}, sft_mask=sft, **scores._asdict())


def plan_reward(similarity: ArrayLike, threshold: float | None = None) -> float:
    """How alike a plan is to the reference plan: the harmonic mean of precision and recall of their best matching.

    Steps are matched one to one so that the sum of similarities is greatest (where several matchings have it, scipy's
    choice). S is that sum, or with a threshold the number of matched pairs at or above it; precision = S / predicted
    steps, recall = S / gold steps.

    Args:
        similarity: [predicted][gold], cosine similarities of plan steps; may be empty.
        threshold: None, or in [-1, 1].

    Returns:
        2·P·R / (P + R); 0 where S is 0, an empty plan or reference among them.

    Raises:
        ImportError: scipy is not installed. ValueError: not a matrix, a value that is not finite, a threshold out of
        its range.
    """
    matrix = np.asarray(similarity, dtype=np.float64)
    if not matrix.size and matrix.ndim == 1:
        matrix = matrix.reshape(0, 0)  # [] is a plan without steps
    if matrix.ndim != 2:
        raise ValueError(f"similarity must have shape [predicted, gold], got {list(matrix.shape)}")
    if not np.isfinite(matrix).all():
        first = tuple(np.argwhere(~np.isfinite(matrix))[0].tolist())
        raise ValueError(f"similarity is not finite at {first}: {matrix[first]}")
    return float(_scores(matrix.ravel(), np.array([matrix.shape]), threshold).plan_reward[0])


class _Scores(NamedTuple):
    plan_reward: Floats
    precision: Floats
    recall: Floats


def _scores(flat: Floats, shapes: Ints, threshold: float | None) -> _Scores:
    """Score some plans, whose matrices of these shapes lie one behind the other in `flat`."""
    if threshold is not None and not -1.0 <= threshold <= 1.0:
        raise ValueError(f"threshold must lie in [-1, 1] or be None, got {threshold!r}")
    matched, pairs = _matched(flat, shapes), shapes.min(axis=1)
    worth = matched if threshold is None else (matched >= threshold).astype(np.float64)
    plan = Population(np.repeat(np.arange(len(shapes)), pairs), len(shapes))
    size = in_range("a sum of similarities", lambda: plan.sum(worth))
    predicted, gold = np.maximum(shapes, 1).T
    # 2·P·R / (P + R) with P = S/m and R = S/n is 2·S / (m + n), which needs no case for S = 0.
    return _Scores(2.0 * size / np.maximum(shapes.sum(axis=1), 1), size / predicted, size / gold)


def _matched(flat: Floats, shapes: Ints) -> Floats:
    """The similarities of the matched pairs, plan by plan; matrices differ in shape, so each is matched by itself."""
    match, found = _matching(), [np.zeros(0)]
    ends = np.cumsum(shapes.prod(axis=1))
    for end, (rows, columns) in zip(ends.tolist(), shapes.tolist(), strict=True):
        if rows and columns:
            matrix = flat[end - rows * columns : end].reshape(rows, columns)
            found.append(matrix[match(matrix, maximize=True)])
    return np.concatenate(found)


def _matching() -> Any:
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError as error:
        raise ImportError(
            "plans are matched by scipy: pip install 'agentgym-suite[plan]', in a checkout pip install -e '.[plan]'"
        ) from error
    return linear_sum_assignment
