"""Values that differ in length from row to row, kept flat: `Ragged` (lists, matrices), `FloatMaps` (dicts of floats).

Both are read-only sequences with one entry a row; `take` picks rows, `tolist` gives plain Python values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from operator import itemgetter
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of the array that cannot be made writeable; an array that owns its memory is not copied.

    numpy lets whoever holds an owner set it writeable again, but not a view of a read-only owner.
    """
    base = array.base
    if base is not None:
        if isinstance(base, np.ndarray) and base.base is None and not base.flags.writeable:
            return array.view() if array.flags.writeable else array  # frozen before
        array = array.copy()
    array.setflags(write=False)
    return array.view()


class Fixed:
    """Base of values whose parts are set once, by `_set`."""

    __slots__ = ()

    def _set(self, **parts: Any) -> None:
        for name, value in parts.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen: build a new one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} is frozen: build a new one")


class Ragged(Fixed):
    """One list (or, with shapes, one matrix) a row, in one flat array.

    Attributes:
        flat: all values, row after row.
        offsets: int64, one more than rows; row i is flat[offsets[i]:offsets[i + 1]].
        shapes: int64 (rows, 2) where rows are matrices (stored row-major), else None.
    """

    __slots__ = ("flat", "offsets", "shapes")
    flat: NDArray[Any]
    offsets: Ints
    shapes: Ints | None

    def __init__(self, flat: NDArray[Any], offsets: Ints, shapes: Ints | None = None) -> None:
        """Wrap the arrays, which become read-only (not copied if they own their memory). ValueError: no fit."""
        sizes = np.diff(offsets)
        if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(flat) or (sizes < 0).any():
            raise ValueError("offsets must rise from 0 to the number of values")
        if shapes is not None and (
            shapes.shape != (len(sizes), 2) or (shapes < 0).any() or (shapes.prod(axis=1) != sizes).any()
        ):
            raise ValueError("shapes must hold one (rows, columns) pair a row, with as many values as its matrix")
        self._set(flat=freeze(flat), offsets=freeze(offsets), shapes=None if shapes is None else freeze(shapes))

    @classmethod
    def of(cls, flat: NDArray[Any], lengths: Ints, shapes: Ints | None = None) -> Ragged:
        """Build from the lengths of the rows instead of offsets."""
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return cls(flat, offsets, shapes)

    @property
    def lengths(self) -> Ints:
        """Number of values in every row, int64."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> NDArray[Any]:
        """Return one row as a read-only view: 1-D, or 2-D where rows are matrices."""
        row = range(len(self))[row]
        part = self.flat[self.offsets[row] : self.offsets[row + 1]]
        return part if self.shapes is None else part.reshape(self.shapes[row])

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[row] for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ragged):
            return NotImplemented
        shapes = (self.shapes is None) == (other.shapes is None)
        if shapes and self.shapes is not None and other.shapes is not None:
            shapes = np.array_equal(self.shapes, other.shapes)
        return shapes and np.array_equal(self.offsets, other.offsets) and np.array_equal(self.flat, other.flat)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Ragged({len(self)} rows, {len(self.flat)} values, {self.flat.dtype})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Ragged, (self.flat, self.offsets, self.shapes)

    def take(self, rows: Ints) -> Ragged:
        """Return the given rows in the given order."""
        lengths = self.lengths[rows]
        begins = np.cumsum(lengths) - lengths
        index = np.repeat(self.offsets[rows] - begins, lengths) + np.arange(lengths.sum())
        return Ragged.of(self.flat[index], lengths, None if self.shapes is None else self.shapes[rows])

    def tolist(self) -> list[Any]:
        """Return the rows as (nested) lists of Python numbers."""
        if self.shapes is not None:
            return [row.tolist() for row in self]
        flat, offsets = self.flat.tolist(), self.offsets.tolist()
        return [flat[begin:end] for begin, end in pairwise(offsets)]

    @staticmethod
    def concat(parts: Sequence[Ragged]) -> Ragged:
        """Return the rows of all parts, one after the other."""
        shapes = [part.shapes for part in parts if part.shapes is not None]
        return Ragged.of(
            np.concatenate([part.flat for part in parts]),
            np.concatenate([part.lengths for part in parts]),
            np.concatenate(shapes) if shapes else None,
        )


class FloatMaps(Fixed):
    """One dict of floats a row, kept as one column a name: names are few and the same in most rows.

    Attributes:
        names: tuple of str in order of first appearance.
        values: float64 (rows, names); 0 where a row lacks the name.
        present: bool (rows, names), or None when every row has every name.
    """

    __slots__ = ("names", "present", "values")
    names: tuple[str, ...]
    present: NDArray[np.bool_] | None
    values: Floats

    def __init__(self, names: tuple[str, ...], values: Floats, present: NDArray[np.bool_] | None = None) -> None:
        """Wrap the arrays, which become read-only; those that own their memory are not copied."""
        if values.ndim != 2 or values.shape[1] != len(names) or (present is not None and present.shape != values.shape):
            raise ValueError("values and present must have one row a turn and one column a name")
        there = None if present is None or present.all() else freeze(present)
        self._set(names=names, values=freeze(values), present=there)

    @classmethod
    def of(cls, rows: Sequence[dict[str, float]]) -> FloatMaps:
        """Build from dicts whose keys are str and whose values are numbers (not checked here)."""
        names = tuple(rows[0]) if len(rows) else ()
        if names and set(map(len, rows)) == {len(names)}:
            got: Iterator[Any] = map(itemgetter(*names), rows)
            try:
                flat = np.fromiter(got if len(names) == 1 else chain.from_iterable(got), np.float64)
                return cls(names, flat.reshape(len(rows), len(names)))
            except KeyError:  # as many names in every row, but not the same
                pass
        names = tuple(dict.fromkeys(chain.from_iterable(rows)))
        values, present = np.zeros((len(rows), len(names))), np.ones((len(rows), len(names)), bool)
        for j, name in enumerate(names):
            present[:, j] = [name in row for row in rows]
            values[:, j] = [row.get(name, 0.0) for row in rows]
        return cls(names, values, present)

    def column(self, name: str) -> Floats:
        """Return the float64 column of one name, 0 where a row lacks it. Raises KeyError for a name that no row has."""
        try:
            return self.values[:, self.names.index(name)]
        except ValueError:
            raise KeyError(f"no row has a component {name!r}; there are: {', '.join(self.names) or 'none'}") from None

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, row: int) -> dict[str, float]:
        """Return one row as a fresh dict."""
        values = zip(self.names, self.values[row].tolist(), strict=True)
        if self.present is None:
            return dict(values)
        return {name: value for (name, value), there in zip(values, self.present[row].tolist(), strict=True) if there}

    def __iter__(self) -> Iterator[dict[str, float]]:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        return self.tolist() == other.tolist() if isinstance(other, FloatMaps) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"FloatMaps({len(self)} rows of {', '.join(self.names) or 'nothing'})"

    def __reduce__(self) -> tuple[Any, ...]:
        return FloatMaps, (self.names, self.values, self.present)

    def take(self, rows: Ints) -> FloatMaps:
        """Return the given rows in the given order."""
        return FloatMaps(self.names, self.values[rows], None if self.present is None else self.present[rows])

    def tolist(self) -> list[dict[str, float]]:
        """Return the rows as fresh dicts."""
        names = self.names
        if self.present is None:
            return [dict(zip(names, values, strict=True)) for values in self.values.tolist()]
        return [self[row] for row in range(len(self))]

    @staticmethod
    def concat(parts: Sequence[FloatMaps]) -> FloatMaps:
        """Return the rows of all parts, one after the other."""
        if all(part.names == parts[0].names and part.present is None for part in parts):
            return FloatMaps(parts[0].names, np.concatenate([part.values for part in parts]))
        return FloatMaps.of([row for part in parts for row in part])
