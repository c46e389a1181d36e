"""The menu: of every kind of thing that an agent may do now, what fits and near misses of it (`offers`).

Each kind has its number of entries, whether or not it is its turn: questions, calls that read, proposals, writes,
refusals, reports, repetitions of what was said. What fits has a twin beside it that differs in a detail, so that
length, form and words tell nowhere what is right; that is in the talk alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, cast

from agentgym.envs.customer_service import plan
from agentgym.envs.customer_service.expert import pushes, worded
from agentgym.envs.customer_service.misses import near_calls
from agentgym.envs.customer_service.offers import POOLS, Entry, Scene, scene_of
from agentgym.envs.customer_service.plan import Step, next_step
from agentgym.envs.customer_service.sheet import Call
from agentgym.envs.customer_service.state import Case, ServiceState
from agentgym.rng import TurnRng
from agentgym.score import added

SIZE: Final = 12
"""Entries of a menu."""

QUOTAS: Final[Mapping[str, int]] = {
    "ask": 1, "read": 3, "propose": 1, "write": 2, "refuse": 1, "report": 1, "echo": 2,
}  # fmt: skip
"""Entries of each kind; further ones are of kinds that are drawn."""

WITH_TOOLS: Final[Mapping[str, int]] = {**QUOTAS, "write": 1, "instruct": 2}
"""The same where the goal is one of the customer's own tools."""

CHANCE: Final = 5
"""One of so many menus in which the expert's call stands out is left so: about as many as chance would make."""

KEPT: Final = 8192
"""Menus that are remembered."""

_KEPT: Final[dict[tuple[object, ...], tuple[Entry, ...]]] = {}
_WORD: Final = re.compile(r"[^\W_]+")


def entries(state: ServiceState) -> tuple[Entry, ...]:
    """Return what is on offer in a state, the expert's action among it, in an order that says nothing."""
    customer = state.customer
    known = (state.called, customer.told, customer.said, customer.agreed, pushes(state))
    key = (state.case, state.number, state.database, *known)
    found = _KEPT.get(key)
    if found is None:
        if len(_KEPT) >= KEPT:
            _KEPT.clear()
        found = _KEPT[key] = tuple(sorted(_made(state), key=str))
    return found


def _made(state: ServiceState) -> list[Entry]:
    scene, step = scene_of(state), next_step(state)
    right, kind = worded(scene.case, scene.goal, step, scene.count), _kind(scene.case, step)
    found: list[Entry] = [right]
    extra: dict[str, list[Entry]] = {}
    for name, quota in (WITH_TOOLS if scene.has_tools else QUOTAS).items():
        mine = _distinct(POOLS[name](scene), quota + 1 - (name == kind), found)
        found += mine[: quota - (name == kind)]
        extra[name] = mine[quota - (name == kind) :]
    rng = scene.rng(f"extra {scene.moment}")
    rest = [entry for name in rng.shuffled([*extra]) for entry in extra[name]]
    found += _distinct(rest, SIZE - len(found), found)
    return _levelled(scene, found, rng) if isinstance(right, Call) else found


def _levelled(scene: Scene, found: list[Entry], rng: TurnRng) -> list[Entry]:
    """Return a menu in which its first entry, a call, is only by chance the one that is most like all the others.

    Near misses are like what they miss. So, where it must, a twin of the next best replaces a call that is like few.
    """
    if not _stands_out(found) or rng.integers(CHANCE) == 0:
        return found
    right = cast(Call, found[0])
    for twin in [entry for entry in found[1:] if isinstance(entry, Call) and entry.name == right.name]:
        changed = _shared_out(found, right, twin, scene.case)
        if not _stands_out(changed):
            return changed
    likeness = _likeness(found)
    order = sorted(range(1, len(found)), key=lambda place: -likeness[place])
    calls = [place for place in order if isinstance(found[place], Call)]
    for centre in calls[:2]:
        for twin in near_calls(scene.case, cast(Call, found[centre]), rng):
            for place in reversed(calls):
                if place != centre and twin not in found and twin not in scene.case.golds:
                    changed = [*found[:place], twin, *found[place + 1 :]]
                    if not _stands_out(changed):
                        return changed
    return found


def _shared_out(found: Sequence[Entry], right: Call, twin: Call, case: Case) -> list[Entry]:
    """Return a menu in which other entries that name what the first call names name instead what its twin does.

    One after the other, until the first call is not any more most like all the others.
    """
    pairs = [(value, twin.arguments.get(name)) for name, value in right.arguments.items()]
    swaps = [(old, new) for old, new in pairs if isinstance(old, str) and isinstance(new, str) and old != new]
    changed = list(found)
    for place in sorted(range(1, len(found)), key=lambda place: isinstance(found[place], str)):
        for old, new in swaps:
            other = _swapped(changed[place], old, new)
            if other not in changed and other not in case.golds:
                changed[place] = other
        if not _stands_out(changed):
            break
    return changed


def _swapped(entry: Entry, old: str, new: str) -> Entry:
    """Return an entry with one value in place of another."""
    if isinstance(entry, str):
        return entry.replace(old, new)
    return Call(entry.name, {key: new if value == old else value for key, value in entry.arguments.items()}, entry.side)


def _stands_out(entries: Sequence[Entry]) -> bool:
    """Return whether the first entry is as much like all the others as any."""
    first, *others = _likeness(entries)
    return first >= max(others)


def _likeness(entries: Sequence[Entry]) -> list[float]:
    """Return how much each entry has in common with all others, by words."""
    words = [_words(entry if isinstance(entry, str) else f"{entry.name} {entry.arguments}") for entry in entries]
    return [added(len(one & other) / max(len(one | other), 1) for other in words) for one in words]


@lru_cache(maxsize=8192)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _distinct(items: Iterable[Entry], many: int, known: list[Entry]) -> list[Entry]:
    found: list[Entry] = []
    for item in items:
        if len(found) == many:
            break
        if item not in found and item not in known:
            found.append(item)
    return found


def _kind(case: Case, step: Step) -> str:
    """Return the kind of entry that a step makes."""
    if step.kind == plan.CALL:
        assert step.call is not None
        return "read" if case.domain.tools[step.call.name].tag == "read" else "write"
    return {plan.DONE: "report", plan.MORE: "report"}.get(step.kind, step.kind)
