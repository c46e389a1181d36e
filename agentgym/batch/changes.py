"""New batches from old ones: selecting rollouts, reweighting rewards, putting batches together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from agentgym.batch import values as column
from agentgym.batch.columns import BLANK, CHANCE, COLUMNS, VALUES
from agentgym.batch.inputs import BatchError, place, plain_meta
from agentgym.batch.ragged import FloatMaps, Ints
from agentgym.errors import unknown

if TYPE_CHECKING:
    from agentgym.batch.record import TurnBatch


class Weights(Protocol):
    """What reweighting reads of a RewardSpec."""

    @property
    def weights(self) -> Mapping[str, float]:
        """Component name → weight."""

    @property
    def default(self) -> float:
        """The weight of components that are not named."""

    @property
    def outcome(self) -> float:
        """The weight of the outcome reward."""

    @property
    def invalid(self) -> float:
        """Added on every turn whose action was invalid."""


def select(batch: TurnBatch, rows: ArrayLike) -> TurnBatch:
    """See TurnBatch.select."""
    index = _row_numbers(rows, len(batch))
    kept = np.bincount(batch.rollout[index], minlength=batch.num_rollouts)
    torn = (kept != 0) & (kept != batch.lengths)
    if torn.any():
        code = int(torn.argmax())
        row = int(batch.order[batch.starts[code]])
        raise BatchError(
            f"select would keep {kept[code]} of the {batch.lengths[code]} turns of {place(batch, row)[1]}: a record "
            "holds whole rollouts; select by rollout, as in batch.select(np.isin(batch.rollout, wanted))",
            row,
        )
    return batch._of({name: column.take(batch[name], index) for name in batch.columns}, batch.meta)


def _row_numbers(rows: ArrayLike, size: int) -> Ints:
    index = np.asarray(rows)
    if index.dtype == bool:
        if index.shape != (size,):
            raise BatchError(f"the mask has shape {index.shape}, the batch {size} rows")
        return np.flatnonzero(index)
    if index.shape == (0,):
        return np.zeros(0, np.int64)
    if index.ndim != 1 or index.dtype.kind not in "iu":
        raise BatchError(f"select takes a mask or a list of row numbers, got {index.dtype} of shape {index.shape}")
    if index.min() < 0 or index.max() >= size:
        raise BatchError(f"row {index[(index < 0) | (index >= size)][0]} is not one of the {size} rows")
    if len(np.unique(index)) < len(index):
        raise BatchError("a row is selected twice: a record holds every turn once")
    return index.astype(np.int64)


def reweight(batch: TurnBatch, spec: Weights, *, strict: bool) -> TurnBatch:
    """See TurnBatch.reweight."""
    components: FloatMaps = batch.need("components", who="reweight")
    before = batch.meta.get("rewards", {"outcome": 1.0})["outcome"]
    if before != 1.0:
        raise BatchError(f"the outcomes of this batch were weighted by {before} already: reweight the original batch")
    for name in spec.weights if strict and len(batch) else ():
        if name not in components.names:
            raise BatchError(unknown("reward component", name, components.names))
    reward = np.zeros(len(batch))
    if spec.invalid:
        reward[~batch.need("valid", who="reweight with an invalid penalty")] = spec.invalid
    for name in components.names:  # in the order in which a world adds them up: equal weights give equal bits
        reward += float(spec.weights.get(name, spec.default)) * components.column(name)
    new: dict[str, Any] = {"turn_reward": reward}
    if "outcome_reward" in batch:
        new["outcome_reward"] = batch.outcome_reward * float(spec.outcome)
    weights = {name: float(weight) for name, weight in spec.weights.items()}
    rest = {"default": float(spec.default), "outcome": float(spec.outcome), "invalid": float(spec.invalid)}
    kept = batch if all(name in batch and column.equal(batch[name], new[name]) for name in new) else _unvalued(batch)
    return kept.with_columns(new).with_meta(rewards={"weights": weights, **rest})


def _unvalued(batch: TurnBatch) -> TurnBatch:
    """Leave out the values of rewards that no longer hold, and what is known of them."""
    columns = {name: batch[name] for name in batch.columns if name not in VALUES}
    meta = plain_meta({key: entry for key, entry in batch.meta.items() if key != "value"})
    return batch._of(columns, meta, like=batch)


def concat(batches: Sequence[TurnBatch], *, relabel: bool) -> TurnBatch:
    """See TurnBatch.concat."""
    if not batches:
        raise BatchError("concat needs at least one batch")
    first = batches[0]
    for number, batch in enumerate(batches[1:], 1):
        _check_same_source(number, first.meta, batch.meta)
    names, dropped = _shared_columns(batches)
    parts = [batch for batch in batches if len(batch)] or batches[:1]
    columns = {name: column.concat([_filled(batch, name) for batch in parts]) for name in names}
    if relabel:
        groups = [(number, group) for number, batch in enumerate(batches) for group in batch.group]
        columns["group"] = column.objects(groups)
    ids = {name: values for name, values in columns.items() if COLUMNS[name].kind == "id"}
    meta = {key: value for key, value in first.meta.items() if all(_has(batch.meta, key, value) for batch in batches)}
    partial = sorted(dropped.union(*(batch.meta.get("partial", ()) for batch in batches)))
    if partial:
        meta["partial"] = partial
    # Read again: ids that mix types only now are refused.
    return first._of(columns, plain_meta(meta)).with_columns(ids)


def _shared_columns(batches: Sequence[TurnBatch]) -> tuple[list[str], set[str]]:
    """Return the columns of the whole, and those that are left out because only some batches have them.

    Raises:
        BatchError: a column that is there by someone's decision, not by chance, is missing in some.
    """
    filled = [(number, set(batch.columns)) for number, batch in enumerate(batches) if len(batch)]
    if not filled:
        filled = [(0, set(batches[0].columns))]
    begin, first = filled[0]
    for number, names in filled[1:]:
        odd = sorted((first ^ names) - BLANK.keys() - set(CHANCE))
        if odd:
            which = f"batch {number} and batch {begin} differ in the columns {', '.join(odd)}"
            raise BatchError(f"{which}: drop or add them first")
    some = first.union(*(names for _, names in filled))
    every = first.intersection(*(names for _, names in filled)) | (some & BLANK.keys())
    return [name for name in COLUMNS if name in every], some - every


def _filled(batch: TurnBatch, name: str) -> column.Values:
    values: column.Values = batch[name] if name in batch else column.objects([BLANK[name]] * len(batch))
    return values


def _has(meta: Mapping[str, Any], key: str, value: Any) -> bool:
    return key in meta and bool(meta[key] == value)


def _check_same_source(number: int, first: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    """Refuse records of two worlds, under two reward weightings, or with values of two returns, in one batch."""
    for key in ("env", "rewards", "value"):
        ours, theirs = first.get(key), other.get(key)
        if ours == theirs:
            continue
        detail = f"{ours!r} and {theirs!r}"
        if isinstance(ours, dict) and isinstance(theirs, dict):
            odd = next(part for part in {**ours, **theirs} if ours.get(part) != theirs.get(part))
            detail = f"{odd} {ours.get(odd)!r} and {theirs.get(odd)!r}"
        raise BatchError(f"batch 0 and batch {number} differ in meta[{key!r}]: {detail}; keep their records apart")
