"""Values: what a state holds, deep down; copies of it; what a transition and the hooks return for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np

from agentgym.action import ToolCall
from agentgym.check.subject import shown
from agentgym.digest import state_hash
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng
from agentgym.table import Table
from agentgym.turn import Turn

HOOKS = ("limit", "timeout", "potential", "describe", "menu", "expert", "secrets")
"""What else a world says of a state; all of it follows from what is hashed."""


_SAID = tuple(field.name for field in fields(Turn) if field.name != "state")


_ADDRESSES: tuple[Any, ...] = (object.__repr__,)
"""What shows where an object lies, instead of what it holds."""


def value(part: Any) -> Any:
    """Return what an object holds in a form that compares by content, and that later changes do not reach.

    1, True and 1.0 differ, as does the order of a dict; a Table is its hash and its changes. NaN equals itself.
    """
    if part is None or type(part) in (str, int, bool, bytes):
        return type(part).__name__, part
    if type(part) is float:
        return "float", repr(part)
    if isinstance(part, Table):
        return "Table", part.digest, tuple((key, value(box)) for key, box in sorted(part._changes.items()))
    if isinstance(part, tuple | list):
        return type(part).__name__, tuple(value(item) for item in part)
    if isinstance(part, Mapping):
        return type(part).__name__, tuple((value(key), value(item)) for key, item in part.items())
    if isinstance(part, set | frozenset):
        return type(part).__name__, frozenset(value(item) for item in part)
    if isinstance(part, np.ndarray):
        return str(part.dtype), part.shape, part.tobytes()
    if isinstance(part, Enum) or callable(part):
        return type(part).__qualname__, str(part)
    if held := fields_of(part):
        return type(part).__qualname__, tuple((name, value(item)) for name, item in held.items())
    return type(part).__qualname__, repr(part) if type(part).__repr__ not in _ADDRESSES else ""


def fields_of(part: Any) -> dict[str, Any]:
    """Return the fields of a dataclass, or the attributes of another object but those that are computed from them."""
    if is_dataclass(part):
        return {field.name: getattr(part, field.name) for field in fields(part)}
    derived = {name for kind in type(part).__mro__ for name, made in vars(kind).items() if _is_cached(made)}
    slots = [name for kind in type(part).__mro__ for name in _slots(kind) if hasattr(part, name)]
    held: dict[str, Any] = {name: getattr(part, name) for name in slots} | getattr(part, "__dict__", {})
    return {name: item for name, item in held.items() if name not in derived}


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


def _is_cached(made: Any) -> bool:
    return isinstance(made, cached_property)


def rebuilt(part: Any, *, turned: bool = False) -> Any:
    """Return an independent copy; `turned`: its dicts filled in the opposite order. What cannot be copied stays."""
    if isinstance(part, tuple):
        items = [rebuilt(item, turned=turned) for item in part]
        make = getattr(type(part), "_make", tuple)  # of a named tuple
        return make(items)
    if type(part) is list:
        return [rebuilt(item, turned=turned) for item in part]
    if type(part) is dict:
        pairs = reversed(part.items()) if turned else part.items()
        return {key: rebuilt(item, turned=turned) for key, item in pairs}
    if is_dataclass(part) and not isinstance(part, type):
        copied: Any = object.__new__(type(part))
        for field in fields(part):
            object.__setattr__(copied, field.name, rebuilt(getattr(part, field.name), turned=turned))
        return copied
    try:
        return deepcopy(part)
    except Exception:  # noqa: BLE001 - a lock, a connection: what cannot be copied is shared
        return part


def tables(part: Any, at: str = "state") -> Iterator[tuple[str, Table[Any, Any]]]:
    """Yield every Table in a state with its place."""
    if isinstance(part, Table):
        yield at, part
    elif is_dataclass(part):
        for field in fields(part):
            yield from tables(getattr(part, field.name), f"{at}.{field.name}")
    elif isinstance(part, tuple | list):
        for index, item in enumerate(part):
            yield from tables(item, f"{at}[{index}]")
    elif isinstance(part, Mapping):
        for key, item in part.items():
            yield from tables(item, f"{at}[{key!r:.40}]")


class Told:
    """Something that a world said: equal to another of equal content, shown as it was written."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, said: Any) -> None:
        self.said, self.content = said, value(said)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Told) and self.content == other.content

    def __repr__(self) -> str:
        return f"Told({self.said!r})"


def spot(first: Any, second: Any) -> str:
    """Return the first field or key in which two states differ, with both values."""
    mine, other = (part if isinstance(part, Mapping) else fields_of(part) for part in (first, second))
    for name in mine:
        if name not in other or value(mine[name]) != value(other[name]):
            return f"{name}: {shown(mine[name])} against {shown(other.get(name))}"
    return f"their content: {shown(first)} against {shown(second)}"


def result(env: AgentEnv[Any], state: Any, action: str | ToolCall, rng: TurnRng) -> tuple[dict[str, Any], Any]:
    """Return what an action does to a state, as values by name, and the next state.

    What is told is a Told; an error of the world is a result too, and the next state is None then.
    """
    try:
        turn, valid, _ = env.apply(state, action, rng)
    except Exception as error:  # noqa: BLE001 - the rule "hostile" reports it, this one compares
        return {"raised": f"{type(error).__name__}: {error}"}, None
    seen: dict[str, Any] = {"valid": valid}
    for name in _SAID:
        told = getattr(turn, name)
        if told or type(told) in (bool, int, float):  # empty texts, lists and None are as good as absent
            seen[name] = Told(told)
    return seen, turn.state


def hooks(env: AgentEnv[Any], state: Any) -> dict[str, Any]:
    """Return the anchor's hash and what every hook of the world says of a state, by name."""
    said: dict[str, Any] = {}
    for name in ("anchor", *HOOKS):
        if env.offers(name):
            try:
                told = getattr(env, name)(state)
                said[name] = state_hash(told) if name == "anchor" else Told(told)
            except Exception as error:  # noqa: BLE001 - an expert may know no way
                said[name] = f"raised {type(error).__name__}: {error}"
    return said


def apart(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """Return the first name under which two such mappings differ, with both values; "" where they are equal."""
    for name in (*first, *second):
        if first.get(name) != second.get(name):
            what = name if name in ("valid", "raised") else f"the {name}"
            verb = "are" if name.endswith("s") else "is"
            return f"{what} {verb} {_short(first.get(name))} against {_short(second.get(name))}"
    return ""


def _short(told: Any) -> str:
    return shown(told.said if isinstance(told, Told) else told)
