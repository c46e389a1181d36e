"""Facts: what several rules build upon, found out once a subject.

A world that draws from a global generator also forks badly, and one that changes its state in place also restores
badly: only the first fault is worth reading. So rules stand in an order, each built upon the ones before it,
and where one of those is broken the later ones are not checked and say which to mend first.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from agentgym.check.rule import RULES, NotChecked
from agentgym.check.subject import Subject, Trace, record_difference
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng
from agentgym.task import Task

ORDER = (
    "generators", "clock", "deterministic", "pure", "signals", "hash", "futures", "snapshot", "bytes", "panel",
    "processes",
)  # fmt: skip
"""Rules that others build upon, each upon those before it."""
EPISODES = 6
"""Episodes that a rule plays where it asks for no other number."""

Found = TypeVar("Found")
_FOUND: WeakKeyDictionary[Subject, dict[Any, Any]] = WeakKeyDictionary()
_FAULTS: dict[str, list[Callable[[Subject], str]]] = {}


def once(look: Callable[[Subject], Found]) -> Callable[[Subject], Found]:
    """Make a function of a subject find out only once."""

    def remembered(subject: Subject) -> Found:
        known = _FOUND.setdefault(subject, {})
        if look not in known:
            known[look] = look(subject)
        found: Found = known[look]
        return found

    return update_wrapper(remembered, look)


def fault(rule: str) -> Callable[[Callable[[Subject], str]], Callable[[Subject], str]]:
    """Make a function of a subject, which returns what is wrong or "", one that later rules build upon."""

    def registered(look: Callable[[Subject], str]) -> Callable[[Subject], str]:
        known = once(look)
        _FAULTS.setdefault(rule, []).append(known)
        return known

    return registered


def builds_upon(subject: Subject, before: str = "futures") -> None:
    """Raise NotChecked where a rule of `ORDER` that stands before `before` ("": any of them) is broken."""
    for rule in ORDER[: ORDER.index(before)] if before else ORDER:
        needs(subject, rule)


def needs(subject: Subject, rule: str) -> None:
    """Raise NotChecked where a rule is broken."""
    looks = _FAULTS.get(rule, [])
    if any(look(subject) for look in looks) if looks else _is_broken(subject, rule):
        raise NotChecked(f"the rule {rule!r} comes first, and is broken")


def _is_broken(subject: Subject, rule: str) -> bool:
    known = _FOUND.setdefault(subject, {})
    if rule not in known:
        known[rule] = False
        try:
            if all(subject.offers(hook) for hook in RULES[rule].hooks):
                RULES[rule].look(subject)
        except NotChecked:
            pass
        except Exception:  # noqa: BLE001 - Broken, or what the world raises; the report says which
            known[rule] = True
    return bool(known[rule])


# ---- playing --------------------------------------------------------------------------------------------------------


def episodes(subject: Subject) -> list[tuple[Task, int]]:
    """Return the tasks and seeds that rules play where they ask for no others."""
    return subject.few(EPISODES)


def begin(subject: Subject, env: AgentEnv[Any], task: Task, seed: int) -> Trace:
    """Return a trace that begins; an error of the world on reset becomes its only record."""
    try:
        return subject.start(env, task, seed)
    except Exception as error:  # noqa: BLE001 - the rule "made" reports it, others compare
        record = ["raised", f"{type(error).__name__}: {error}"]
        return Trace(f"task {task.id!r}, seed {seed}", [], [record], error)


def play(subject: Subject, env: AgentEnv[Any], task: Task, seed: int, *, stream: str = "") -> Trace:
    """Play an episode with the checker's mix of actions, which other streams draw otherwise."""
    trace = begin(subject, env, task, seed)
    subject.go_on(env, trace, 40, TurnRng(subject.seed, stream=f"facts {task.id} {seed} {stream}"))
    return trace


def replay(subject: Subject, env: AgentEnv[Any], task: Task, first: Trace, seed: int) -> Trace:
    """Play the actions of a trace."""
    trace = begin(subject, env, task, seed)
    for action in first.actions:
        if trace.over:
            break
        subject.step(env, trace, action)
    return trace


def told(first: Trace, second: Trace) -> str:
    """Return the first difference between two traces of the same actions, and where; "" where they are equal."""
    return told_from(first, first.records, second.records)


def told_from(first: Trace, mine: list[list[Any]], other: list[list[Any]], turn: int = 0) -> str:
    """Return the first difference between records, the first of which stands at `turn` of a trace."""
    for index, (one, two) in enumerate(zip(mine, other, strict=False)):
        if json.dumps(one, sort_keys=True) != json.dumps(two, sort_keys=True):
            return f"{first.at(turn + index)}: {record_difference(one, two)}"
    return "" if len(mine) == len(other) else f"{first.where}: {len(mine) - 1} turns against {len(other) - 1}"
