"""Reading the values of a column: from lists or arrays, by kind, into what a TurnBatch keeps. Checks are vectorised."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import chain, pairwise
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentgym.batch.columns import COLUMNS
from agentgym.batch.ragged import FloatMaps, Ragged, freeze

_RANGE = {"tokens": (0, math.inf), "step_score": (0.0, 1.0)}
_LONGEST = 10**4300  # Python writes no longer ints as text, so no file could hold them
Values = NDArray[Any] | Ragged | FloatMaps


class ColumnFault(Exception):
    """A value that a column cannot hold: the row (None: the whole column) and the problem; TurnBatch adds the place."""

    def __init__(self, row: int | None, problem: str) -> None:
        super().__init__(problem)
        self.row = row
        self.problem = problem


def read_column(name: str, values: Any) -> Values:
    """Return the values of a known column as the batch keeps them, copied and read-only. Raises ColumnFault."""
    kind = COLUMNS[name].kind
    _check_container(name, values)
    if isinstance(values, Ragged) and kind in _FLAT and (values.shapes is None) == (kind != "matrix"):
        return _reread(name, values, _FLAT[kind])
    if isinstance(values, np.ndarray | Ragged | FloatMaps):
        values = _native(values)
    elif isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ColumnFault(None, f"column {name!r} must be a list or an array with one entry a row, got {_kind(values)}")
    elif not isinstance(values, list | tuple):
        values = list(values)
    read = _READERS[kind](name, values)
    if name in _RANGE and isinstance(read, np.ndarray):
        _check_range(name, read, *_RANGE[name])
    return read


def _check_range(name: str, values: NDArray[Any], low: float, high: float) -> None:
    outside = (values < low) | (values > high)
    if outside.any():
        row = int(outside.argmax())
        wanted = f"at least {low}" if high == math.inf else f"in [{low:g}, {high:g}]"
        raise ColumnFault(row, f"column {name!r} is {values[row]}, and has to be {wanted}")


def _check_container(name: str, values: Any) -> None:
    """Refuse containers whose entries are no values of a column, or in no order."""
    if isinstance(values, np.ma.MaskedArray):
        raise ColumnFault(None, f"column {name!r} is a masked array: give an array without mask, a value in every row")
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        what = f"column {name!r} is an array of {values.dtype}: a record holds no times; write numbers or texts"
        raise ColumnFault(None, what)
    if isinstance(values, Set):
        raise ColumnFault(
            None, f"column {name!r} is a {_kind(values)}, which has no order: give a list, one entry a row"
        )


def take(values: Values, rows: NDArray[np.int64]) -> Values:
    """Return the given rows of a stored column."""
    return freeze(values[rows]) if isinstance(values, np.ndarray) else values.take(rows)


def concat(parts: Sequence[Values]) -> Values:
    """Return stored columns of one kind, one after the other."""
    first = parts[0]
    if isinstance(first, np.ndarray):
        return freeze(np.concatenate([part for part in parts if isinstance(part, np.ndarray)]))
    if isinstance(first, Ragged):
        return Ragged.concat([part for part in parts if isinstance(part, Ragged)])
    return FloatMaps.concat([part for part in parts if isinstance(part, FloatMaps)])


def objects(values: Sequence[Any]) -> NDArray[Any]:
    """Return a 1-D object array, whatever the values are (numpy would unpack tuples)."""
    return freeze(np.fromiter(values, object, len(values)))


def equal(left: Values, right: Values) -> bool:
    """Tell whether two stored columns hold the same values."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.dtype == right.dtype and np.array_equal(left, right)
    return type(left) is type(right) and bool(left == right)


def _native(values: Values) -> Any:
    """Keep arrays whose type a reader takes whole; turn the rest into lists of Python values."""
    whole = isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuf"
    return values if whole else values.tolist()


def _kind(value: Any) -> str:
    return type(value).__name__


def _first(values: Iterable[Any], bad: Callable[[Any], bool]) -> tuple[int, Any]:
    return next((row, value) for row, value in enumerate(values) if bad(value))


def _wrong(name: str, row: int, wanted: str, value: Any) -> ColumnFault:
    try:
        shown = repr(value)
    except ValueError:  # an int of very many digits
        shown = "a number too long to write"
    shown = shown if len(shown) <= 60 else shown[:57] + "…"
    return ColumnFault(row, f"column {name!r} takes {wanted}, got {shown} ({_kind(value)})")


def _check_types(name: str, values: Sequence[Any], usual: set[type], base: type, wanted: str) -> None:
    """Refuse values that are no numbers of the base class; True and False are none."""
    kinds = set(map(type, values))
    odd = {kind for kind in kinds - usual if kind in (bool, np.timedelta64) or not issubclass(kind, base)}
    if odd:
        raise _wrong(name, *_swap(_first(values, lambda value: type(value) in odd), wanted))


def _floats(name: str, values: Any) -> NDArray[np.float64]:
    wanted = "a finite float"
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "b":
            raise _wrong(name, 0, wanted, bool(values[0])) if len(values) else _empty(name, wanted)
        array = values.astype(np.float64)
    else:
        _check_types(name, values, {float, int}, Real, wanted)
        try:
            array = np.fromiter(values, np.float64, len(values))
        except OverflowError:
            raise _wrong(name, *_swap(_first(values, _too_large), wanted)) from None
    finite = np.isfinite(array)
    if not finite.all():
        row = int(finite.argmin())
        raise ColumnFault(
            row, f"column {name!r} is {array[row]}: leave unscorable rollouts out, or give a finite number"
        )
    return array


def _too_large(value: Any) -> bool:
    try:
        return not math.isfinite(float(value))
    except OverflowError:
        return True


def _swap(found: tuple[int, Any], wanted: str) -> tuple[int, str, Any]:
    return found[0], wanted, found[1]


def _empty(name: str, wanted: str) -> ColumnFault:
    return ColumnFault(None, f"column {name!r} takes {wanted}, got an array of another type")


def _ints(name: str, values: Any) -> NDArray[np.int64]:
    wanted = "an int below 2**63"
    if isinstance(values, np.ndarray):
        if values.dtype.kind in "i" or (values.dtype.kind == "u" and values.itemsize < 8):
            return values.astype(np.int64)
        values = values.tolist()
    _check_types(name, values, {int}, Integral, wanted)
    try:
        return np.fromiter(values, np.int64, len(values))
    except OverflowError:
        raise _wrong(name, *_swap(_first(values, lambda value: not -(2**63) <= value < 2**63), wanted)) from None


def _bools(name: str, values: Any) -> NDArray[np.bool_]:
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "b":
            return values.astype(bool)
        values = values.tolist()
    if not set(map(type, values)) <= {bool}:
        fits = {kind: kind in (bool, np.bool_) or issubclass(kind, Integral) for kind in set(map(type, values))}

        def bad(value: Any) -> bool:
            return not fits[type(value)] or value not in (0, 1)

        if any(map(bad, values)):
            raise _wrong(name, *_swap(_first(values, bad), "True or False"))
    return np.fromiter(values, bool, len(values))


def _plain_text(value: str) -> str:
    return str.__str__(value)  # what an enum member or a numpy string holds, as a plain str


def _texts(name: str, values: Any) -> NDArray[Any]:
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if not set(map(type, values)) <= {str}:
        if not all(isinstance(value, str) for value in values):
            raise _wrong(name, *_swap(_first(values, lambda value: not isinstance(value, str)), "a text"))
        values = list(map(_plain_text, values))
    return objects(values)


def _ids(name: str, values: Any) -> NDArray[Any]:
    values = values.tolist() if isinstance(values, np.ndarray) else values
    kinds = set(map(type, values))
    if not (kinds == {str} or kinds == {int}):
        values = [_plain_id(name, row, value) for row, value in enumerate(values)]
        kinds = set(map(type, values))
        if len(kinds & {bool, int, float}) > 1:
            first = type(next(value for value in values if isinstance(value, bool | int | float)))
            row, value = _first(
                values, lambda value: isinstance(value, bool | int | float) and type(value) is not first
            )
            wanted = f"ids of one type (Python counts equal {first.__name__} and {_kind(value)} as the same)"
            raise _wrong(name, row, wanted, value)
        _check_tuples(name, values)
    elif kinds == {int} and not -_LONGEST < min(values) <= max(values) < _LONGEST:
        values = [_plain_id(name, row, value) for row, value in enumerate(values)]  # raises at the first that is
    return objects(values)


def check_vocabulary(columns: Mapping[str, Sequence[Any]]) -> None:
    """Refuse id columns that share codes where Python counts equal what differs in type. Raises ColumnFault."""
    kinds = set(map(type, chain.from_iterable(columns.values())))
    if kinds <= {str}:
        return
    names = " and ".join(map(repr, columns))
    if len(kinds & {bool, int, float}) > 1:
        shown = ", ".join(sorted(kind.__name__ for kind in kinds & {bool, int, float}))
        raise ColumnFault(
            None, f"the columns {names} are compared with each other and take ids of one type, not {shown}"
        )
    try:
        _check_tuples(names, list(chain.from_iterable(columns.values())))
    except ColumnFault as fault:
        raise ColumnFault(None, f"compared with each other, {fault.problem}") from None


def _check_tuples(name: str, values: list[Any]) -> None:
    """Refuse tuples that Python counts as equal although their parts differ in type, such as (1,) and (True,)."""
    if tuple not in set(map(type, values)):
        return
    seen: dict[Any, Any] = {}
    for row, value in enumerate(values):
        typed = _typed(value)
        if seen.setdefault(value, typed) != typed:
            raise _wrong(name, row, "tuples of one type (Python counts an equal one of other types as the same)", value)


def _typed(value: Any) -> Any:
    return tuple(map(_typed, value)) if type(value) is tuple else (type(value), value)


def _plain_id(name: str, row: int, value: Any) -> Any:
    if isinstance(value, str):
        return _plain_text(value)
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) is tuple:
        return tuple(_plain_id(name, row, part) for part in value)
    if isinstance(value, float) and math.isinf(value):
        raise _wrong(name, row, "finite numbers as ids", value)
    if isinstance(value, int) and not -_LONGEST < value < _LONGEST:
        raise ColumnFault(
            row, f"column {name!r} takes ints of at most 4300 digits as ids: write a longer one as a text"
        )
    if value is None or (isinstance(value, float) and math.isnan(value)):
        raise _wrong(name, row, "an id in every row (leave the whole column out where there is none)", value)
    try:
        hash(value)
    except TypeError:
        raise _wrong(name, row, "hashable ids such as str, int or tuples of them", value) from None
    return value


def _lists(name: str, values: Any, wanted: str) -> list[Any]:
    """Return the rows as lists; a row that is no list (a text is none) is a fault."""
    values = values.tolist() if isinstance(values, np.ndarray) else values
    rows = [_row_list(name, row) if isinstance(row, np.ndarray) else row for row in values]
    if not set(map(type, rows)) <= {list, tuple}:
        row, value = _first(rows, lambda value: not isinstance(value, list | tuple))
        raise _wrong(name, row, wanted, value)
    return rows


def _row_list(name: str, row: NDArray[Any]) -> Any:
    _check_container(name, row)
    return row.tolist()


def _flat(name: str, rows: list[Any], read: Callable[[str, Any], NDArray[Any]]) -> Ragged:
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    try:
        return Ragged.of(read(name, list(chain.from_iterable(rows))), lengths)
    except ColumnFault as fault:
        at = None if fault.row is None else int(np.searchsorted(np.cumsum(lengths), fault.row, side="right"))
        raise ColumnFault(at, fault.problem + " inside the row's list") from None


def _strs(name: str, values: Any) -> NDArray[Any]:
    rows = _lists(name, values, "a list of texts")
    flat = _flat(name, rows, _texts).flat.tolist()
    ends = np.cumsum([0, *map(len, rows)]).tolist()
    return objects([tuple(flat[begin:end]) for begin, end in pairwise(ends)])


def _matrices(name: str, values: Any) -> Ragged:
    shapes = np.zeros((len(values), 2), np.int64)
    cells: list[list[Any]] = []
    for row, matrix in enumerate(values):
        flat = _matrix(matrix)
        if flat is None:
            raise _wrong(name, row, "a list of equally long lists of floats", matrix)
        shapes[row] = flat[:2]
        cells.append(flat[2])
    lists = _flat(name, cells, _floats)
    return Ragged(lists.flat, lists.offsets, shapes)


def _matrix(matrix: Any) -> tuple[int, int, list[Any]] | None:
    """Return rows, columns and cells of one matrix, or None where it is none."""
    if isinstance(matrix, np.ndarray) and matrix.ndim == 2:
        return matrix.shape[0], matrix.shape[1], matrix.ravel().tolist()
    if not isinstance(matrix, list | tuple | np.ndarray) or not all(
        isinstance(line, list | tuple | np.ndarray) for line in matrix
    ):
        return None
    lines = [line.tolist() if isinstance(line, np.ndarray) else line for line in matrix]
    if len(set(map(len, lines))) > 1:
        return None
    return len(lines), len(lines[0]) if lines else 0, list(chain.from_iterable(lines))


def _dicts(name: str, values: Any) -> FloatMaps:
    values = values.tolist() if isinstance(values, np.ndarray) else values
    if not set(map(type, values)) <= {dict}:
        if not all(isinstance(value, Mapping) for value in values):
            raise _wrong(name, *_swap(_first(values, lambda value: not isinstance(value, Mapping)), "a dict of floats"))
        values = [dict(value) for value in values]
    if not set(map(type, chain.from_iterable(values))) <= {str}:
        row, value = _first(values, lambda value: any(type(key) is not str for key in value))
        raise _wrong(name, row, "a dict whose keys are texts", value)
    if set(map(type, chain.from_iterable(map(dict.values, values)))) <= {float}:
        maps = FloatMaps.of(values)
        if np.isfinite(maps.values).all():
            return maps
    _flat(name, list(map(list, map(dict.values, values))), _floats)  # names the first bad value, if there is one
    return FloatMaps.of(values)


def _reread(name: str, values: Ragged, read: Callable[[str, Any], NDArray[Any]]) -> Ragged:
    """Check and copy values that are ragged already; a matrix without rows keeps its width."""
    try:
        return Ragged(
            read(name, values.flat), values.offsets.copy(), None if values.shapes is None else values.shapes.copy()
        )
    except ColumnFault as fault:
        row = None if fault.row is None else int(np.searchsorted(values.offsets[1:], fault.row, side="right"))
        raise ColumnFault(row, fault.problem + " inside the row's list") from None


_FLAT: dict[str, Callable[[str, Any], NDArray[Any]]] = {
    "ints": _ints,
    "floats": _floats,
    "bools": _bools,
    "matrix": _floats,
}
_READERS: dict[str, Callable[[str, Any], Values]] = {
    "id": _ids,
    "int": lambda name, values: freeze(_ints(name, values)),
    "float": lambda name, values: freeze(_floats(name, values)),
    "bool": lambda name, values: freeze(_bools(name, values)),
    "str": _texts,
    "strs": _strs,
    "dict": _dicts,
    "ints": lambda name, values: _flat(name, _lists(name, values, "a list of ints"), _ints),
    "floats": lambda name, values: _flat(name, _lists(name, values, "a list of floats"), _floats),
    "bools": lambda name, values: _flat(name, _lists(name, values, "a list of booleans"), _bools),
    "matrix": _matrices,
}
