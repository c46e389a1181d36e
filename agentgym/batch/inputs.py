"""Reading the input of a TurnBatch: rows into columns, names, places for messages, and meta."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from operator import itemgetter
from typing import Any, NoReturn

import numpy as np

from agentgym.batch.columns import COLUMNS, REQUIRED
from agentgym.batch.values import ColumnFault
from agentgym.errors import AgentGymError, unknown


class BatchError(AgentGymError, ValueError):
    """Rows or columns that are no record; the message names row, group, trajectory and turn, and the remedy.

    Attributes:
        row: the first bad row, or None where the fault is not one row's.
    """

    def __init__(self, message: str, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row

    def __reduce__(self) -> tuple[Any, ...]:
        return BatchError, (str(self), self.row)


class FrozenDict(dict[str, Any]):
    """A dict that refuses to be changed; `dict(d)` gives one that can be."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("meta cannot be changed in place: use batch.with_meta(name=value)")

    __setitem__ = __delitem__ = update = setdefault = pop = popitem = clear = __ior__ = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


class FrozenList(list[Any]):
    """A list that refuses to be changed; equal to a list of the same entries, and JSON like one."""

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("meta cannot be changed in place: use batch.with_meta(name=value)")

    __setitem__ = __delitem__ = __iadd__ = __imul__ = append = extend = insert = pop = remove = clear = _refuse
    sort = reverse = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenList, (list(self),)


def thawed(value: Any) -> Any:
    """Return a value of meta as plain dicts and lists that can be changed; others as they are."""
    if isinstance(value, FrozenDict):
        return {name: thawed(part) for name, part in value.items()}
    return [thawed(part) for part in value] if isinstance(value, FrozenList) else value


def transpose(rows: list[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Return name → values. Raises BatchError at the first row whose names are not those of the first row."""
    if not all(isinstance(row, Mapping) for row in rows[:1]):
        raise BatchError(f"from_rows takes one mapping a turn, got {type(rows[0]).__name__}")
    names = tuple(rows[0])
    try:
        if set(map(len, rows)) == {len(names)}:
            if len(names) == 1:
                return {names[0]: list(map(itemgetter(names[0]), rows))}
            flat = list(chain.from_iterable(map(itemgetter(*names), rows)))
            return {name: flat[j :: len(names)] for j, name in enumerate(names)}
    except (KeyError, TypeError):
        pass
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise BatchError(f"row {number} is no mapping but {type(row).__name__}", number)
        lacks = [name for name in names if name not in row]
        extra = [name for name in row if name not in names]
        if lacks or extra:
            odd = (lacks or extra)[0]
            has = f"lacks the column {odd!r} that row 0 has" if lacks else f"has the column {odd!r} that row 0 lacks"
            raise BatchError(f"row {number} {has}: a column is in all rows or in none", number)
    raise BatchError("the rows changed while they were read")


def check_names(columns: Mapping[str, Any]) -> None:
    """Check that all names are known and the required ones there. Raises BatchError."""
    for name in columns:
        if name not in COLUMNS:
            raise BatchError(unknown("column", name, COLUMNS))
    for name in REQUIRED:
        if name not in columns:
            raise BatchError(f"the column {name!r} ({COLUMNS[name].about}) is missing")


def check_sizes(columns: Mapping[str, Any]) -> None:
    """Check that all columns are equally long. Raises BatchError."""
    wanted = len(columns["group"])
    for name, values in columns.items():
        if len(values) != wanted:
            raise BatchError(
                f"column {name!r} has {len(values)} entries, 'group' has {wanted}: every column has one a row"
            )


def place(columns: Any, row: int) -> tuple[str, str]:
    """Return «row 3» and the rollout's name, as far as the required columns can be read."""
    parts = []
    for name in REQUIRED:
        try:
            value = columns[name][row]
            shown = repr(value.item() if isinstance(value, np.generic) else value)
        except (KeyError, IndexError, TypeError, ValueError):
            continue
        parts.append(f"{name} {shown if len(shown) <= 60 else shown[:57] + '…'}")
    return f"row {row} ({', '.join(parts)})", ", ".join(parts[:2])


def located(fault: ColumnFault, columns: Mapping[str, Any]) -> BatchError:
    """Return the error for a fault, with its place in front."""
    where = "" if fault.row is None else place(columns, fault.row)[0] + ": "
    return BatchError(where + fault.problem, fault.row)


def plain_meta(meta: Mapping[str, Any]) -> FrozenDict:
    """Return a frozen copy of meta. Raises BatchError where it is not JSON."""
    plain = _plain(meta, "meta")
    assert isinstance(plain, FrozenDict)
    return plain


def _plain(value: Any, path: str) -> Any:
    """Return a copy made of JSON values only. Raises BatchError naming the place of anything else."""
    if isinstance(value, Mapping):
        for key in value:
            if type(key) is not str:
                raise BatchError(f"{path} has the key {key!r}: keys of meta are texts")
        return FrozenDict({key: _plain(part, f"{path}[{key!r}]") for key, part in value.items()})
    if isinstance(value, list | tuple):
        return FrozenList(_plain(part, f"{path}[{number}]") for number, part in enumerate(value))
    value = value.item() if isinstance(value, np.generic) else value
    if value is None or type(value) in (str, bool, int) or (type(value) is float and np.isfinite(value)):
        return value
    raise BatchError(f"{path} is {value!r} ({type(value).__name__}): meta holds JSON values only")
