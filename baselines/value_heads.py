"""Values of states by linear heads, ridge-fitted to the returns of what was played.

The heads know nothing of what their features are: hashed text for menu policies in `agentgym.baselines.values`, hidden
states of a language model in `agentgym.baselines.grpo.heads`. No rollout is valued by weights fitted to its own return.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from agentgym.baselines.features import Floats, Ints
from agentgym.batch import TurnBatch
from agentgym.credit.rows import reward, to_go

Bools = NDArray[np.bool_]

STEPS = 40
"""Most steps of conjugate gradients."""
PRECISION = 1e-5
"""They end where the residual is that small beside the first one."""


class Design(Protocol):
    """Features of n states, one row a state, as a matrix that is only ever multiplied."""

    @property
    def size(self) -> int:
        """Number of features."""
        ...

    def dot(self, weights: Floats) -> Floats:
        """Return (n,) features times weights (size,)."""
        ...

    def back(self, rows: Floats) -> Floats:
        """Return (size,) Σ over states of its number in `rows` (n,) times its features."""
        ...


@dataclass(frozen=True)
class Dense:
    """Features as an array (n, size)."""

    array: Floats

    @property
    def size(self) -> int:
        """Number of features."""
        return int(self.array.shape[1])

    def dot(self, weights: Floats) -> Floats:
        """Return features times weights; einsum adds in one order on every machine, BLAS does not."""
        return np.einsum("ij,j->i", self.array, weights)

    def back(self, rows: Floats) -> Floats:
        """Return the transpose times rows."""
        return np.einsum("ij,i->j", self.array, rows)


@dataclass(frozen=True)
class Hashed:
    """Features that are 0 or 1: `numbers` of those that are 1, state after state, each state's from `starts` on."""

    numbers: Ints
    starts: Ints
    size: int

    def dot(self, weights: Floats) -> Floats:
        """Return features times weights."""
        return np.add.reduceat(weights[self.numbers], self.starts)

    def back(self, rows: Floats) -> Floats:
        """Return the transpose times rows."""
        counts = np.diff(self.starts, append=len(self.numbers))
        total: Floats = np.bincount(self.numbers, np.repeat(rows, counts), self.size)
        return total


def ridge(design: Design, target: Floats, counts: Bools, prior: Floats, strength: float) -> Floats:
    """Return the weights (size,) that minimise Σ (target − features·w)² + strength·|w − prior|².

    By conjugate gradients, in one order of additions, so that the same numbers give the same weights.

    Args:
        design: features of n states.
        target: (n,).
        counts: (n,) the states that take part.
        prior: (size,) where no state speaks against them, the weights stay.
        strength: > 0.
    """
    keep = counts.astype(np.float64)
    residual = design.back(keep * (target - design.dot(prior)))
    change, direction = np.zeros_like(prior), residual
    size = first = float(np.sum(residual * residual))
    for _ in range(STEPS):
        if size <= PRECISION**2 * first or size == 0.0:
            break
        image = design.back(keep * design.dot(direction)) + strength * direction
        step = size / float(np.sum(direction * image))
        change = change + step * direction
        residual = residual - step * image
        size, before = float(np.sum(residual * residual)), size
        direction = residual + size / before * direction
    return prior + change


@dataclass(frozen=True)
class Head:
    """What one head is fitted to and asked for; arrays have one entry a row of the batch.

    Attributes:
        name: of its weights.
        seen: features of the states that it is fitted on.
        target: their returns.
        counts: the rows that take part in the fit.
        asked: column → features of the states whose values it holds.
    """

    name: str
    seen: Design
    target: Floats
    counts: Bools
    asked: Mapping[str, Design]


class Heads:
    """Linear heads that learn from batch to batch.

    Each batch pulls the weights from where the last one left them, so that old policies are forgotten bit by bit.

    Args:
        strength: of that pull back; see `ridge`.
        folds: the rollouts of a batch are dealt into so many parts, and each is valued by weights fitted to the others.

    Attributes:
        weights: by the head's name.
    """

    def __init__(self, *, strength: float = 10.0, folds: int = 4) -> None:
        if folds < 2:
            raise ValueError(f"folds must be at least 2, or a rollout would be valued by its own return, got {folds}")
        self.strength, self.folds = strength, folds
        self.weights: dict[str, Floats] = {}

    def columns(self, head: Head, rollout: Ints) -> dict[str, Floats]:
        """Return the columns of a head, from its weights of before and the other parts of this batch; learn it all.

        Args:
            head: what to fit.
            rollout: (n,) the number of each row's rollout.
        """
        prior = self.weights.get(head.name)
        prior = np.zeros(head.seen.size) if prior is None else prior
        fold = rollout % self.folds
        out = {column: np.zeros(len(rollout)) for column in head.asked}
        for part in range(min(self.folds, int(rollout.max(initial=-1)) + 1)):
            mine = fold == part
            weights = ridge(head.seen, head.target, head.counts & ~mine, prior, self.strength)
            for column, design in head.asked.items():
                out[column][mine] = design.dot(weights)[mine]
        self.weights[head.name] = ridge(head.seen, head.target, head.counts, prior, self.strength)
        return out

    def fill(self, batch: TurnBatch, heads: Sequence[Head]) -> TurnBatch:
        """Return the batch with the columns of some heads, having learned from it."""
        made: dict[str, Floats] = {}
        for head in heads:
            made |= self.columns(head, batch.rollout)
        return batch.with_columns(made)


def returns(batch: TurnBatch, gamma: float) -> Floats:
    """Return (n,) G_t = r_t + γ·G_{t+1}, r the turn reward and the outcome: what values are fitted to."""
    return to_go(batch, reward(batch), gamma)


def segment_starts(batch: TurnBatch) -> Bools:
    """Return (n,) where a subgoal begins: at turn 0 and at every switch, where the record has them."""
    first: Bools = np.asarray(batch.turn) == 0
    return first | np.asarray(batch["switch"], dtype=bool) if "switch" in batch else first
