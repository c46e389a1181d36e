"""Task sheets as plain JSON, as a task's data holds them: written, and read with errors that say where.

A call is [name, arguments], or [name, arguments, "customer"]; what is as by default is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Final

from agentgym.digest import json_writer
from agentgym.envs.customer_service.sheet import AGENT, CUSTOMER, Call, Goal, Sheet, Tell
from agentgym.errors import unknown
from agentgym.turn import copy_json


def as_json(sheet: Sheet) -> dict[str, Any]:
    """Return a sheet as plain JSON, from which `read_sheet` makes it again."""
    written: dict[str, Any] = _plain(sheet)
    return written


def plain_call(call: Call) -> str:
    """Return a call's name and arguments as one JSON text, keys sorted."""
    return _written([call.name, call.arguments])


def read_sheet(data: Mapping[str, Any], where: str = "the sheet") -> Sheet:
    """Return the sheet that plain JSON describes.

    Raises:
        ValueError: an entry that is missing, unknown or of another type; the message says where.
    """
    sheet: Sheet = _read(Sheet, data, where)
    return sheet


def _plain(value: Any) -> Any:
    """Return sheet, goal, tell or call as JSON; entries that are as by default are left out."""
    kind = type(value)
    if kind is str or kind is int:
        return value
    if kind is Call:
        arguments = copy_json(dict(value.arguments))
        return [value.name, arguments, value.side] if value.side != AGENT else [value.name, arguments]
    if kind in _DEFAULTS:
        found = {}
        for name, default in _DEFAULTS[kind]:
            item = getattr(value, name)
            if item != default:
                found[name] = _plain(item)
        return found
    if kind is tuple or kind is list:
        return [_plain(item) for item in value]
    return copy_json(dict(value)) if isinstance(value, Mapping) else value


def _read(kind: type[Any], data: Any, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise ValueError(f"{where} must be an object, not {data!r:.60}")
    readers = _READERS[kind]
    for name in data:
        if name not in readers:
            raise ValueError(f"{where}: " + unknown("entry", name, readers))
    for name in _NEEDED[kind]:
        if name not in data:
            raise ValueError(f"{where} lacks the entry {name!r}")
    return kind(**{name: readers[name](value, f"{where}.{name}") for name, value in data.items()})


def _text(value: Any, where: str) -> str:
    if type(value) is not str:
        raise ValueError(f"{where} must be a text, not {value!r:.60}")
    return value


def _count(value: Any, where: str) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{where} must be an integer of at least 0, not {value!r:.60}")
    return value


def _facts(value: Any, where: str) -> dict[str, str]:
    return {_text(name, where): _text(item, f"{where}[{name!r}]") for name, item in _object(value, where).items()}


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} must be an object, not {value!r:.60}")
    return copy_json(dict(value))


def _several(read: Callable[[Any, str], Any]) -> Callable[[Any, str], tuple[Any, ...]]:
    def several(value: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{where} must be a list, not {value!r:.60}")
        return tuple(read(item, f"{where}[{index}]") for index, item in enumerate(value))

    return several


def _call(value: Any, where: str) -> Call:
    if not isinstance(value, list | tuple) or not 2 <= len(value) <= 3:
        raise ValueError(f"{where} must be [name, arguments] or [name, arguments, side], not {value!r:.60}")
    side = _text(value[2], f"{where}[2]") if len(value) == 3 else AGENT
    if side not in (AGENT, CUSTOMER):
        raise ValueError(f"{where}: " + unknown("side", side, (AGENT, CUSTOMER)))
    return Call(_text(value[0], f"{where}[0]"), _object(value[1], f"{where}[1]"), side)


def _setup(value: Any, where: str) -> tuple[str, str, dict[str, Any]]:
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise ValueError(f"{where} must be [table, key, fields], not {value!r:.60}")
    return _text(value[0], f"{where}[0]"), _text(value[1], f"{where}[1]"), _object(value[2], f"{where}[2]")


def _goal(value: Any, where: str) -> Any:
    return _read(Goal, value, where)


_written: Final = json_writer(sort_keys=True, ensure_ascii=False, separators=(",", ":"))
_TEXTS: Final = _several(_text)
_READERS: Final[Mapping[type, Mapping[str, Callable[[Any, str], Any]]]] = {
    Tell: {"topic": _text, "text": _text},
    Goal: {
        "intent": _text, "facts": _facts, "opens": _TEXTS, "gold": _several(_call), "reads": _several(_call),
        "tells": _several(lambda value, where: _read(Tell, value, where)), "reason": _text, "insist": _count,
        "fallback": _goal, "change": _goal,
    },
    Sheet: {
        "domain": _text, "family": _text, "customer": _text, "facts": _facts, "goals": _several(_goal),
        "identify": _several(_call), "unknown": _TEXTS, "setup": _several(_setup), "mood": _text, "patience": _count,
    },
}  # fmt: skip
_NEEDED: Final[Mapping[type, tuple[str, ...]]] = {
    Tell: ("topic", "text"),
    Goal: ("intent",),
    Sheet: ("domain", "family", "customer", "facts", "goals"),
}
_NEVER: Final = object()
_DEFAULTS: Final[Mapping[type, tuple[tuple[str, Any], ...]]] = {
    kind: tuple(
        (one.name, _NEVER if one.name in _NEEDED[kind] else {} if one.default is MISSING else one.default)
        for one in fields(kind)
    )
    for kind in (Tell, Goal, Sheet)
}
"""Type → its entries, and the value with which each is left out."""
