"""Checks of what a world is constructed with; every refusal names the argument and offers the nearest name."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from inspect import signature
from numbers import Real
from operator import index
from typing import Any

import numpy as np

from agentgym.codec import CODECS, Codec, Dialect, Tags
from agentgym.errors import WorldError, unknown
from agentgym.task import Task, TaskPanel, as_panel
from agentgym.turn import EndReason, Outcome
from agentgym.world import World

HOOKS = ("menu", "potential", "expert", "describe")
"""Signals that a world may offer through a hook of the same name."""


@lru_cache(maxsize=256)
def _names(made: Callable[..., None]) -> tuple[frozenset[str], bool]:
    """Return the names of a function's arguments but self, and whether it takes any other name."""
    found = [*signature(made).parameters.values()][1:]
    named = frozenset(part.name for part in found if part.kind in (part.POSITIONAL_OR_KEYWORD, part.KEYWORD_ONLY))
    return named, any(part.kind is part.VAR_KEYWORD for part in found)


def check_names(world: type[World[Any]], arguments: Mapping[str, Any]) -> None:
    """Refuse names that the constructor of a class does not take; one that passes all on leaves it to the last."""
    if arguments:
        named, open_ended = _names(world.__init__)
        if not open_ended and (odd := next((name for name in arguments if name not in named), None)) is not None:
            raise unexpected(world, odd)


def by_name(world: type[World[Any]], values: tuple[Any, ...]) -> dict[str, Any]:
    """Return the arguments that a constructor was given by position under their names, by which it is called again."""
    found = [*signature(world.__init__).parameters.values()][1:]
    names = [part.name for part in found if part.kind is part.POSITIONAL_OR_KEYWORD]
    if len(values) > len(names) or any(part.kind is part.POSITIONAL_ONLY for part in found):
        allowed = f", all but the first {len(names)}" if names else ""
        raise TypeError(f"{world.__name__} takes its arguments by name{allowed}: write name=value")
    return dict(zip(names, values, strict=False))


def as_json(value: Any) -> Any:
    """Return a copy of a value of plain JSON, tuples as lists.

    Raises:
        TypeError, ValueError: JSON cannot hold it or would change it, as keys that are no str and subclasses of str.
    """
    copied = json.loads(json.dumps(value, allow_nan=False))
    if not _same(value, copied):
        raise TypeError(f"JSON would change {value!r:.60}")
    return copied


def _same(value: Any, copied: Any) -> bool:
    if type(value) is dict and type(copied) is dict:
        return value.keys() == copied.keys() and all(_same(value[key], copied[key]) for key in copied)
    if type(value) in (list, tuple):
        return len(value) == len(copied) and all(map(_same, value, copied))
    return type(value) is type(copied) and bool(value == copied)


def unexpected(world: type[World[Any]], name: str) -> TypeError:
    """Return the error for an argument that no constructor among the classes of a world takes."""
    known: dict[str, None] = {}
    for owner in world.__mro__:
        if "__init__" in vars(owner) and owner is not object:
            named, open_ended = _names(vars(owner)["__init__"])
            known.update(dict.fromkeys(sorted(named)))
            if not open_ended or issubclass(World, owner):
                break
    return TypeError(unknown("argument", name, known, f"of {world.__name__}"))


def find_panel(world: type[World[Any]], tasks: TaskPanel | Sequence[Task] | None, split: str) -> TaskPanel:
    """Return the panel of a world, having checked that it has the split."""
    found = as_panel(tasks if tasks is not None else world.panel, world.__name__)
    if not isinstance(split, str) or split not in found:
        raise ValueError(unknown("split", split, found, f"of panel {found.name!r}"))
    return found


def turn_limit(world: type[World[Any]], max_turns: Any) -> int:
    """Return the number of turns after which an episode is truncated."""
    asked = world.max_turns if max_turns is None else max_turns
    try:
        limit = 0 if isinstance(asked, bool) else index(asked)
    except TypeError:
        limit = 0
    if limit < 1:
        raise ValueError(f"max_turns must be an integer of at least 1, not {asked!r}")
    return limit


def known_signals(world: type[World[Any]], signals: Sequence[str]) -> frozenset[str]:
    """Return the signals asked for, all of which the world offers."""
    if isinstance(signals, str):
        raise TypeError(f"signals must be a sequence of names, such as ({signals!r},)")
    if not isinstance(signals, Iterable):
        raise TypeError(f"signals must be a sequence of names, such as ('menu',), not {signals!r:.60}")
    offered = [name for name in HOOKS if getattr(world, name) is not getattr(World, name)] + [*world.extra_signals]
    for name in signals:
        if name not in offered:
            raise ValueError(unknown("signal", name, offered, f"of {world.__name__}"))
    return frozenset(signals)


def find_codec(world: type[World[Any]], codec: str | Codec | None) -> Codec:
    """Return the function from text to action."""
    if codec is None:
        codec = world.default_codec or ("tags" if world._tools else "plain")
    if isinstance(codec, str):
        if codec not in CODECS:
            raise ValueError(unknown("codec", codec, CODECS))
        return CODECS[codec]
    if not callable(codec):
        raise TypeError(f"codec must be a name or a function (text, tools) -> action, not {codec!r:.60}")
    return codec


def dialects(world: World[Any], codec: Codec) -> tuple[Dialect | None, Dialect | None]:
    """Return the world's own dialect if its hooks must be translated from it, and the one read if it marks answers."""
    if not isinstance(codec, Dialect):
        return None, None
    if isinstance(codec, Tags) and "think" in world._tools:
        raise ValueError(
            f"the codec {codec.name!r} can never call the tool 'think' of {type(world).__name__}: what stands in "
            "<think> is reasoning, which is not read; give the tool another name, or take another codec, such as "
            "'hermes'"
        )
    own = find_codec(type(world), None)
    native = own if isinstance(own, Dialect) and own is not codec else None
    return native, codec if codec.environment else None


def check_world(world: type[World[Any]], privileged: bool, render_mode: str | None) -> None:
    """Refuse worlds that can take no action, and what they cannot show."""
    if world.transition is World.transition and world.say is World.say and not world._tools:
        raise TypeError(f"{world.__name__} must define transition(state, action, rng), say(…) or methods marked @tool")
    if privileged and world.secrets is World.secrets:
        raise ValueError(f"{world.__name__} has no privileged information: it defines no secrets(state)")
    if render_mode not in (None, "ansi"):
        raise ValueError(unknown("render mode", render_mode, ["ansi"]))


def checked_options(options: Any) -> Mapping[str, Any]:
    """Return the options of a reset; none at all is an empty mapping."""
    if options is None:
        return {}
    if type(options) is not dict and not isinstance(options, Mapping):
        raise TypeError(f"options must be a mapping of names to values, not {options!r:.60}")
    return options


def checked_limit(world: World[Any], limit: Any) -> int:
    """Return what `limit(state)` returned; an episode whose limit is no number of turns would never end."""
    try:
        turns: Any = "a bool is no number of turns" if isinstance(limit, bool) else limit
        return index(turns)
    except TypeError:
        name = type(world).__name__
        raise WorldError(f"{name}.limit(state) returned {limit!r:.60}: it must return an int") from None


def checked_timeout(world: World[Any], outcome: Any) -> Outcome:
    """Return what `timeout(state)` returned; without an outcome the episode would never end."""
    if not isinstance(outcome, Outcome):
        name = type(world).__name__
        raise WorldError(f"{name}.timeout(state) returned {outcome!r:.60}: it must return an Outcome, which ends it")
    return outcome


def outcome_fault(outcome: Any) -> str:
    """Return what is wrong with an outcome; "" if nothing is."""
    if not isinstance(outcome, Outcome):
        return "that is no Outcome"
    reward: Any = outcome.reward
    reason: Any = outcome.reason
    number = not isinstance(reward, bool) and isinstance(reward, Real)
    if not number or float(reward) - float(reward) != 0.0:
        return "the outcome reward is not a finite number"
    if not isinstance(reason, EndReason):
        return f"the reason is {reason!r:.40}, not an EndReason"
    success: Any = outcome.success
    detail: Any = outcome.detail
    if not isinstance(success, bool | np.bool_) or not isinstance(detail, str):
        return "success must be a bool and detail a str"
    if reason is (EndReason.FAILED if outcome.success else EndReason.SOLVED):
        return "success and reason contradict each other: SOLVED goes with success, FAILED without"
    return ""


def state_types(world: type[World[Any]]) -> dict[str, type]:
    """Return the classes that a snapshot of the world may hold, by qualified name."""
    types: dict[str, type] = {}
    for owner in reversed(world.__mro__):
        module = sys.modules.get(owner.__module__)
        members = vars(module).values() if module is not None else ()
        types.update({kind.__qualname__: kind for kind in members if isinstance(kind, type)})
    return types | {kind.__qualname__: kind for kind in world.state_types}
