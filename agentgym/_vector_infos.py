"""VectorInfos: the infos of a vector env, a dict whose columns are built when somebody looks at them."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from typing import Any, cast

from gymnasium.vector import VectorEnv

from agentgym.turn import TurnInfo

_UNBUILT = "schema"
"""A key that every info has holds the place of the columns: encoders that ask for the bare size see no empty dict."""


class _Columns(VectorEnv[Any, Any, Any]):
    """Only what Gymnasium's own function needs to gather infos into columns."""

    def __init__(self, num_envs: int) -> None:
        self.num_envs = num_envs


class VectorInfos(dict[str, Any]):
    """What `reset` and `step` of a vector env return as infos.

    A dict of columns as every Gymnasium vector has them: for each key an array with one value a slot and, under
    `_key`, the mask of the slots that have it. Gymnasium's own function builds them when they are first looked at: one
    that is asked for by name alone, and all of them for any other look. Setting a key builds none.
    Two more names can be read, though `keys()` does not list them, so that wrappers find what they know:

    - `infos["turns"]`: the plain list, one TurnInfo a slot, None where a slot was left alone;
    - `infos["final_turns"]`: likewise the last infos of the episodes that ended, where `infos["final_info"]` is there.

    Copies, also through pickle, keep both; `dict(infos)` and `{**infos}` hold the columns alone.
    """

    __slots__ = ("_finals", "_lists", "_some")

    def __init__(self, turns: list[TurnInfo | None], finals: Mapping[int, tuple[str, TurnInfo]] | None = None) -> None:
        """Keep the infos of each slot, and by slot observation and info of episodes that ended and were restarted."""
        dict.__setitem__(self, _UNBUILT, None)
        self._lists: dict[str, Sequence[TurnInfo | None]] = {"turns": turns}
        self._finals: Mapping[int, tuple[str, TurnInfo]] | None = finals or {}
        self._some: dict[str, Any] = {}  # what was asked for by name, or set, before all was built
        if finals:
            self._lists["final_turns"] = [finals[slot][1] if slot in finals else None for slot in range(len(turns))]

    def _built(self) -> dict[str, Any]:
        """Build all columns unless they are there."""
        if self._finals is not None:
            columns = {**self._gathered(None), **self._some}
            self._finals = None
            dict.clear(self)
            dict.update(self, columns)
        return self

    def _with(self, key: str) -> dict[str, Any]:
        """Return a dict that holds the column of a key, if there is one."""
        if self._finals is None:
            return self
        if key not in self._some and isinstance(key, str):
            for name, column in self._gathered(key.removeprefix("_")).items():
                self._some.setdefault(name, column)  # what was set stays
        return self._some

    def _kept(self) -> dict[str, Any]:
        """Return the dict into which a key is set."""
        return self if self._finals is None else self._some

    def _gathered(self, name: str | None) -> dict[str, Any]:
        """Return the columns of one name, or all."""
        turns, finals = self._lists["turns"], self._finals or {}
        columns = _Columns(len(turns))
        out: dict[str, Any] = {}
        for slot, info in enumerate(turns):
            parts: list[dict[str, Any]] = []
            if slot in finals:
                parts.append({"final_obs": finals[slot][0], "final_info": finals[slot][1]})
            if info is not None:
                parts.append(cast(dict[str, Any], info))
            for part in parts:
                if name is None:
                    out = columns._add_info(out, part, slot)
                elif name in part:
                    out = columns._add_info(out, {name: part[name]}, slot)
        return out

    def __getitem__(self, key: str) -> Any:
        return self._lists[key] if key in self._lists else dict.__getitem__(self._with(key), key)

    def __contains__(self, key: object) -> bool:
        return key in self._lists or dict.__contains__(self._with(cast(str, key)), key)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default."""
        return self._lists[key] if key in self._lists else dict.get(self._with(key), key, default)

    def __iter__(self) -> Iterator[str]:  # overridden, so that dict(infos) and {**infos} take their way through keys()
        return dict.__iter__(self._built())

    def __reversed__(self) -> Iterator[str]:
        return dict.__reversed__(self._built())

    def __len__(self) -> int:
        return dict.__len__(self._built())

    def __setitem__(self, key: str, value: Any) -> None:
        if key in self._lists:
            self._lists[key] = value
        else:
            dict.__setitem__(self._kept(), key, value)

    def __delitem__(self, key: str) -> None:
        dict.__delitem__(self._built(), key)

    def __eq__(self, other: object) -> bool:
        return dict.__eq__(self._built(), other._built() if isinstance(other, VectorInfos) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __repr__(self) -> str:
        return dict.__repr__(self._built())

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, dict):
            return NotImplemented
        out = self.copy()
        out.update(other)
        return out

    def __ror__(self, other: Any) -> Any:
        return other | dict(self) if isinstance(other, dict) else NotImplemented

    def __ior__(self, other: Any) -> VectorInfos:  # type: ignore[override]
        self.update(other)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (dict(self), self._lists)

    def keys(self) -> KeysView[str]:  # type: ignore[override]
        """Return the names of the columns and their masks."""
        return dict.keys(self._built())

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        """Return the columns and their masks."""
        return dict.values(self._built())

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        """Return names and columns."""
        return dict.items(self._built())

    def copy(self) -> VectorInfos:
        """Return a copy that shares arrays and lists."""
        return _again(dict(self), self._lists)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Take over columns from elsewhere."""
        dict.update(self._kept(), *args, **kwargs)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, having set it where it was missing."""
        return self[key] if key in self else dict.setdefault(self._kept(), key, default)

    def pop(self, key: str, *default: Any) -> Any:
        """Remove a column and return it."""
        return dict.pop(self._built(), key, *default)

    def popitem(self) -> tuple[str, Any]:
        """Remove the last column and return it."""
        return dict.popitem(self._built())

    def clear(self) -> None:
        """Remove every column."""
        dict.clear(self._built())


def _again(columns: Mapping[str, Any], lists: Mapping[str, Any]) -> VectorInfos:
    """Return infos whose columns are known."""
    out = VectorInfos([])
    out._built().update(columns)
    out._lists = dict(lists)
    return out
