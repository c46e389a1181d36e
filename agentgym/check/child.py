"""What a fresh process does for the checker: it rebuilds the world, plays it, and says what it saw."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import Any

from gymnasium.envs.registration import EnvSpec

from agentgym.action import ToolCall
from agentgym.check.facts import episodes, play
from agentgym.check.moments import gone_on, kept
from agentgym.check.subject import Subject
from agentgym.digest import decode, encode
from agentgym.task import Task, TaskPanel


@dataclass(frozen=True)
class Panel:
    """A TaskPanel on its way to another process."""

    name: str
    splits: Any


@dataclass(frozen=True)
class Sent:
    """A Task on its way."""

    id: str
    data: Any


@dataclass(frozen=True)
class Pairs:
    """A dict on its way, in its own order; canonical bytes know none."""

    items: Any


_TYPES = {"Panel": Panel, "Sent": Sent, "Pairs": Pairs}


def packed(kwargs: Mapping[str, Any]) -> str:
    """Return constructor arguments as text; TypeError or ValueError for what has no canonical bytes."""
    return encode(_leaving(dict(kwargs))).hex()


def _leaving(value: Any) -> Any:
    if isinstance(value, TaskPanel):
        return Panel(value.name, _leaving({split: tuple(value[split]) for split in value}))
    if isinstance(value, Task):
        return Sent(value.id, _leaving(dict(value.data)))
    if type(value) is dict:
        return Pairs(tuple((_leaving(key), _leaving(item)) for key, item in value.items()))
    return type(value)(map(_leaving, value)) if type(value) in (list, tuple) else value


def unpacked(text: str) -> dict[str, Any]:
    """Return the arguments in such a text."""
    kwargs: dict[str, Any] = _arriving(decode(bytes.fromhex(text), _TYPES))
    return kwargs


def _arriving(value: Any) -> Any:
    if isinstance(value, Panel):
        return TaskPanel(value.name, _arriving(value.splits))
    if isinstance(value, Sent):
        return Task(value.id, _arriving(value.data))
    if isinstance(value, Pairs):
        return {_arriving(key): _arriving(item) for key, item in value.items}
    return type(value)(map(_arriving, value)) if type(value) in (list, tuple) else value


def described(subject: Subject) -> dict[str, Any]:
    """Return what rebuilds a subject in another process, as JSON. Raises TypeError or ValueError where nothing does."""
    world = subject.world
    actions = [[one.name, dict(one.arguments)] if isinstance(one, ToolCall) else one for one in subject.given]
    return {
        "module": type(world).__module__,
        "name": type(world).__qualname__,
        "id": "" if world.spec is None else world.spec.id,
        "kwargs": packed(world._init_kwargs),
        "seed": subject.seed,
        "tasks": subject.wanted,
        "actions": actions,
    }


def rebuilt_subject(told: Mapping[str, Any]) -> Subject:
    """Return the subject of such a description."""
    kind = attrgetter(told["name"])(import_module(told["module"]))
    world = kind(**unpacked(told["kwargs"]))
    if told["id"]:
        world.spec = EnvSpec(told["id"], entry_point=f"{told['module']}:{told['name']}")
    actions = [ToolCall(*one) if isinstance(one, list) else one for one in told["actions"]]
    return Subject(world, seed=told["seed"], tasks=told["tasks"], actions=actions)


def answer(request: Mapping[str, Any]) -> None:
    """Write what this process sees of the world to standard output, as JSON; what the world prints goes elsewhere."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    with out:
        try:
            subject = rebuilt_subject(request["subject"])
        except Exception as error:  # noqa: BLE001 - it is told to the one who asked
            json.dump({"failed": f"{type(error).__name__}: {error}"}, out)
            return
        json.dump(seen(subject, request["moments"]), out)


def seen(subject: Subject, moments: list[list[Any]]) -> dict[str, Any]:
    """Return the hash of the panel, the records of a few episodes, and what is wrong with moments from elsewhere.

    Args:
        subject: the world.
        moments: [number of the episode, turn, bytes as hex digits] of moments that another process kept.
    """
    return {
        "panel": subject.world.panel.hash,
        "records": _told(lambda: [_records(subject, *one) for one in episodes(subject)]),
        "moments": _told(lambda: _first_fault(subject, moments)),
    }


def _records(subject: Subject, task: Task, seed: int) -> list[Any]:
    return play(subject, subject.make(signals=subject.signals()), task, seed).records


def _first_fault(subject: Subject, moments: list[list[Any]]) -> str:
    for number, turn, data in moments:
        env = subject.make(signals=subject.signals())
        if found := gone_on(subject, env, kept(subject)[number], turn, bytes.fromhex(data)):
            return found
    return ""


def _told(look: Callable[[], Any]) -> Any:
    """Return what a function returns; what it raises, as text."""
    try:
        return look()
    except Exception as error:  # noqa: BLE001 - it is told to the one who asked
        return f"{type(error).__name__}: {error}"
