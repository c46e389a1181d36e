"""Truth: the true advantages of a batch's rows, and the question that leads to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agentgym.batch import TurnBatch
from agentgym.digest import hash_bytes
from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError
from agentgym.fidelity.graph import Floats, Ints
from agentgym.reward import RewardSpec
from agentgym.rollout import Reply, View

LEAST_CEILING = 0.9
"""Below this ceiling nothing is ranked: the truth's own noise would decide."""

MOST_PARTS = 32
"""Sampled draws are split into this many independent parts, whose spread gives the standard errors."""


class FidelityError(AgentGymError):
    """A truth cannot be computed, or a score not be trusted; the message says why and what to do."""


class TooManyNodes(FidelityError):
    """The tree of a batch is larger than its budget."""


@dataclass(frozen=True, eq=False)
class Truth:
    """The true advantages of the rows of a batch, in the batch's order.

    Attributes:
        advantage: (n,) A(s, a) = q − value: what taking the row's action rather than acting by the policy is worth.
        value: (n,) V(s): expected return from before the row's turn, under the policy and the turns left.
        q: (n,) Q(s, a): the same once the row's action is taken, averaged over the world's noise.
        stderr: (n,) standard error of `advantage`; 0 where it is exact.
        ceiling: correlation that two independent truths of this kind would have: 1 where exact, 0 where all advantages
            are equal and there is nothing to tell apart. Sampled truths: from two halves of the draws, stepped up to
            the whole (Spearman-Brown, 2r / (1 + r)).
        method: "tree" or "forks".
        note: how it came about, such as why the tree was not taken.
        nodes: (task, state, turn) nodes of the tree, or turns played by the forks.
        seconds: how long it took; enters no result.
        objective, gamma: what return is meant.
        panel: hash of the panel the batch was played on.
        rows: hash of the rows, by which a score knows its batch.
    """

    advantage: Floats
    value: Floats
    q: Floats
    stderr: Floats
    ceiling: float
    method: str
    nodes: int
    note: str = ""
    seconds: float = 0.0
    objective: str = "outcome"
    gamma: float = 1.0
    panel: str = ""
    rows: str = ""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.advantage)


@dataclass(frozen=True)
class Question:
    """What the methods are asked: the rows, the world, the policy, and what a return is.

    Attributes:
        batch: rows with task, seed, branch, turn, action and state.
        env: a bare world with the batch's turn limit.
        policy: whose advantages are wanted.
        spec: weights of turn rewards and outcome; the weights of turn rewards are 0 if only the outcome counts.
        gamma: discount a turn.
        seed: of sampled draws.
        progress: called with (done, total), or None.
    """

    batch: TurnBatch
    env: AgentEnv[Any]
    policy: Callable[[Sequence[View]], Sequence[Reply | str]]
    spec: RewardSpec
    gamma: float
    seed: int
    progress: Callable[[int, int], None] | None = None

    def where(self, row: int) -> str:
        """Return a row's place in words."""
        batch = self.batch
        return f"row {row} (task {batch.task[row]!r}, seed {batch.seed[row]}, turn {batch.turn[row]})"

    def strayed(self, row: int) -> FidelityError:
        """Return the error for a row whose state replay does not reach."""
        return FidelityError(
            f"replaying the batch does not lead to the state of {self.where(row)}: it was recorded in another world or "
            "with other arguments, or its rollout did not begin at a reset; collect it again, or pass env="
        )


@dataclass(frozen=True)
class Answer:
    """What a method found: estimates a row (n,), standard errors (n,), the ceiling, its size, a note."""

    value: Floats
    q: Floats
    stderr: Floats
    ceiling: float
    nodes: int
    note: str = ""


def ceiling_of(first: Floats, second: Floats, advantage: Floats) -> float:
    """Return the ceiling of a sampled truth from its two halves; see `Truth`."""
    if flat(advantage) or flat(first) or flat(second):
        return 0.0
    r = float(np.corrcoef(first, second)[0, 1])
    return max(0.0, 2.0 * r / (1.0 + r)) if r > -1.0 else 0.0


def flat(values: Floats) -> bool:
    """Return whether all values are equal but for rounding."""
    if len(values) == 0:
        return True
    return bool(np.ptp(values) <= 1e-12 * max(1.0, float(np.abs(values).max())))


def row_hash(batch: TurnBatch) -> str:
    """Return a hash of which turns a batch holds, in order."""
    names = ("group", "trajectory", "turn", "task", "state", "action")
    columns = [batch[name].tolist() for name in names if name in batch]
    return hash_bytes("\n".join(map(repr, zip(*columns, strict=True))).encode("utf-8", "surrogatepass"))


def check_same(truth: Truth, batch: TurnBatch) -> None:
    """Raise FidelityError unless the truth is of these rows in this order, on this panel."""
    panel = dict(batch.meta.get("env") or {}).get("panel", "")
    if panel != truth.panel:
        raise FidelityError(
            f"the truth is of the panel with hash {truth.panel!r} and the batch of {panel!r}: scores of different "
            "panels cannot be compared; compute the truth of this batch"
        )
    if row_hash(batch) != truth.rows:
        raise FidelityError(
            f"the truth ({len(truth)} rows) is not of this batch ({len(batch)} rows) in this order: groups or rows "
            "differ; compute the truth of this batch"
        )


def distinct(keys: Sequence[Any]) -> tuple[list[int], Ints]:
    """Return (rows of first appearance, code of every row) of hashable keys."""
    codes: dict[Any, int] = {}
    first: list[int] = []
    found = np.empty(len(keys), np.int64)
    for row, key in enumerate(keys):
        code = codes.setdefault(key, len(first))
        if code == len(first):
            first.append(row)
        found[row] = code
    return first, found
