"""What a TurnBatch knows about the order of its rows, and the rules that rows have to keep among themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.batch.columns import TOKENS
from agentgym.batch.ragged import Ints, Ragged, freeze
from agentgym.batch.values import ColumnFault, Values

# Columns that must have as many entries as the first of them that is there; ":0" rows, ":1" columns of a matrix.
_ALIKE = (
    (*TOKENS, "tokens", "rubric_relevance:1"),
    ("rubric_scores", "rubric_relevance:0"),
    ("menu", "menu_logprobs", "menu_hindsight_logprobs:1"),
    ("plan", "plan_similarity:0"),
    ("gold_plan", "plan_similarity:1"),
)


@dataclass(frozen=True, slots=True)
class Index:
    """Integer codes of rows and rollouts (n rows, R rollouts, G groups); rollouts and groups count by first appearance.

    Attributes:
        group_code: (n,) group of the row, 0 … G-1.
        rollout: (n,) rollout of the row, 0 … R-1, the rollouts of a group being neighbours.
        order: (n,) the rows sorted by group, rollout and turn.
        starts: (R,) where each rollout begins in `order`.
        lengths: (R,) turns of each rollout.
        rollout_group: (R,) group of each rollout.
        last: (n,) bool, is the row the last turn of its rollout.
    """

    group_code: Ints
    rollout: Ints
    order: Ints
    starts: Ints
    lengths: Ints
    rollout_group: Ints
    last: NDArray[np.bool_]


def factorise(*columns: Sequence[Any] | NDArray[Any]) -> list[Ints]:
    """Return integer codes by first appearance, equal codes for equal values over all the given columns."""
    table: defaultdict[Any, int] = defaultdict()
    table.default_factory = table.__len__
    return [freeze(np.fromiter(map(table.__getitem__, column), np.int64, len(column))) for column in columns]


def build_index(group: NDArray[Any], trajectory: NDArray[Any], turn: Ints) -> Index:
    """Sort the rows and check that every rollout has its turns 0, 1, 2 …, each once. Raises ColumnFault."""
    (group_code,), (member,) = factorise(group), factorise(trajectory)
    n = len(turn)
    width = int(member.max()) + 1 if n else 1
    pairs, first, inverse = np.unique(group_code * width + member, return_index=True, return_inverse=True)
    by_appearance = np.lexsort((first, pairs // width))
    rank = np.empty_like(by_appearance)
    rank[by_appearance] = np.arange(len(pairs))
    rollout = rank[inverse]
    lengths = np.bincount(rollout, minlength=len(pairs)).astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    order = _sorted_rows(rollout, turn)
    _check_turns(turn[order], np.arange(n) - np.repeat(starts, lengths), order)
    last = turn == lengths[rollout] - 1
    rollout_group = (pairs // width)[by_appearance]
    arrays = (group_code, rollout, order, starts, lengths, rollout_group, last)
    return Index(*map(freeze, arrays))


def _sorted_rows(rollout: Ints, turn: Ints) -> Ints:
    n = len(turn)
    if n == 0 or turn.min() < 0 or turn.max() >= n:  # the latter two are faults, reported in sorted order
        return np.lexsort((turn, rollout))
    key = rollout * n + turn
    return np.arange(n) if (key[1:] > key[:-1]).all() else np.argsort(key, kind="stable")


def _check_turns(got: Ints, expected: Ints, order: Ints) -> None:
    wrong = got != expected
    if not wrong.any():
        return
    at = int(wrong.argmax())
    row, missing = int(order[at]), int(expected[at])
    if got[at] < 0:
        raise ColumnFault(row, "turns count from 0")
    if got[at] < missing:  # equal to the one before it, which was right
        raise ColumnFault(
            row, f"this turn is also in row {int(order[at - 1])}: give every rollout a trajectory id of its own"
        )
    raise ColumnFault(row, f"turn {missing} of this rollout is missing: turns are 0, 1, 2 … without gaps")


def check_rules(columns: Mapping[str, Values], index: Index) -> None:
    """Check the rules between rows and between columns. Raises ColumnFault at the first row that breaks one."""
    _check_ends(columns, index)
    _check_success(columns, index)
    _check_lengths(columns)


def _row(bad: NDArray[np.bool_]) -> int | None:
    return int(bad.argmax()) if bad.any() else None


def _check_ends(columns: Mapping[str, Values], index: Index) -> None:
    early = ~index.last
    outcome = columns.get("outcome_reward")
    if outcome is not None and (row := _row((outcome != 0) & early)) is not None:
        raise ColumnFault(
            row,
            f"outcome_reward is {outcome[row]} before the rollout's last turn: a rollout has one outcome, paid on its "
            "last turn; put rewards of single turns into turn_reward",
        )
    for name in ("terminated", "truncated"):
        if name in columns and (row := _row(columns[name] & early)) is not None:  # type: ignore[operator]
            raise ColumnFault(
                row, f"{name} is True before the rollout's last turn: start a new trajectory after an end"
            )
    if "terminated" in columns and "truncated" in columns:
        both = columns["terminated"] & columns["truncated"]  # type: ignore[operator]
        if (row := _row(both)) is not None:
            raise ColumnFault(
                row, "terminated and truncated are both True: over by the world's rules is terminated alone"
            )


def _check_success(columns: Mapping[str, Values], index: Index) -> None:
    success = columns.get("success")
    if isinstance(success, np.ndarray) and len(success):
        firsts = index.order[index.starts]
        row = _row(success != success[firsts][index.rollout])
        if row is not None:
            raise ColumnFault(
                row,
                f"success is {success[row]} here and {not success[row]} on the rollout's first turn: success is per "
                "rollout, so repeat the last turn's info['success'] on every row",
            )


def _check_lengths(columns: Mapping[str, Values]) -> None:
    for names in _ALIKE:
        sizes = [
            (name, _sizes(columns[name.partition(":")[0]], name)) for name in names if name.partition(":")[0] in columns
        ]
        for name, size in sizes[1:]:
            reference, wanted = sizes[0]
            row = _row((size != wanted) & (size >= 0) & (wanted >= 0))
            if row is not None:
                has = f"{_has(name, size[row])} where {_has(reference, wanted[row])}"
                raise ColumnFault(row, f"{has}: they describe the same things, one by one")


def _has(name: str, size: int) -> str:
    return f"tokens is {size}" if name == "tokens" else f"{_words(name)} has {size} entries"


def _words(name: str) -> str:
    column, _, axis = name.partition(":")
    return f"{column} (its {'columns' if axis == '1' else 'rows'})" if axis else column


def _sizes(values: Values, name: str) -> Ints:
    """Return the number of entries of every row; -1, which fits everything, for a matrix without rows."""
    if isinstance(values, Ragged):
        if values.shapes is None:
            return values.lengths
        return np.where(values.shapes[:, 0] == 0, -1, values.shapes[:, int(name[-1])])
    assert isinstance(values, np.ndarray)
    return values if values.dtype == np.int64 else np.fromiter(map(len, values), np.int64, len(values))
