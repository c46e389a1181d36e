"""What the panel of a domain promises, measured by playing its test tasks: expert, no-op, random choice, menus."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from agentgym.chance import both_ways, guessed
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng
from agentgym.task import Quality, Task

SEED: Final = 1
EPISODES: Final = 2  # of random choice, for each task
EDGE: Final = 1.5  # times chance: what a mark may gain at most

CALL: Final = "<tool_call>"
_WORD: Final = re.compile(r"[^\W_]+")
_MARK: Final = re.compile(r"[^\w\s]")

World = AgentEnv[Any]
Policy = Callable[[Any], str]


def measure(world: World, tasks: Sequence[Task]) -> list[Quality]:
    """Return what was measured of some tasks of a world.

    Args:
        world: a world of one domain.
        tasks: of its panel, such as those of the split "test".
    """
    name, many = world.panel.name, len(tasks)
    expert = [play(world, task, world.advice, f"expert {task.id}") for task in tasks]
    nothing = [play(world, task, lambda _: "", f"nothing {task.id}") for task in tasks]
    lucky = [
        play(world, task, lambda state, draws=draws: draws.choice(world.choices(state)), f"random {task.id}")  # type: ignore[misc]
        for task in tasks
        for draws in (TurnRng(SEED, stream=f"choices {number} of {task.id}") for number in range(EPISODES))
    ]
    solved = per_cent(sum(won for won, _, _ in expert), many)
    unsafe = sum(broken for _, broken, _ in expert)
    random = per_cent(sum(won for won, _, _ in lucky), len(lucky))
    turns = round(sum(turns for _, _, turns in expert) / many, 1)
    return [
        Quality(f"{name}: tasks that the expert solves, per cent", solved, "100", solved == 100.0),
        Quality(f"{name}: turns that it takes, on average", turns),
        Quality(f"{name}: rules that it breaks", unsafe, "0", unsafe == 0),
        _none(f"{name}: tasks that the empty action solves", sum(won for won, _, _ in nothing)),
        Quality(f"{name}: episodes that random choice solves, per cent", random, "at most 5", random <= 5.0),
        *of_menus(world, tasks),
    ]


def per_cent(part: int, whole: int) -> float:
    """Return a share in per cent, to a tenth."""
    return round(100.0 * part / whole, 1)


def _none(name: str, value: int) -> Quality:
    return Quality(name, value, "0", value == 0)


def play(world: World, task: Task, policy: Policy, stream: str) -> tuple[bool, int, int]:
    """Return whether a policy solves a task, how many violations it makes, and in how many turns."""
    state, broken = world.initial(task, TurnRng(SEED)).state, 0
    for number in range(world.max_turns):
        turn, _, _ = world.apply(state, policy(state), TurnRng(SEED, turn=number, stream=stream))
        broken += len(turn.violations)
        if turn.outcome is not None:
            return turn.outcome.success, broken, number + 1
        state = turn.state
    return False, broken, world.max_turns


# ---- menus -----------------------------------------------------------------------------------------------------------


def of_menus(world: World, tasks: Sequence[Task]) -> list[Quality]:
    """Return how often a reader finds the expert's action who takes the first, longest, … entry of each menu.

    Menus are those on the expert's way. Where several entries are first alike, the reader draws among them; what
    counts is how often he is right on average, in multiples of how often a reader is who draws among all.
    """
    menus = (menu for number, task in enumerate(tasks) for menu in menus_of(world, task, SEED + number))
    found = guessed((offered, right, marks(offered, heard)) for offered, right, heard in menus)
    name = world.panel.name
    return [
        _none(f"{name}: menus without the expert's action, or with it twice", found.missing),
        Quality(f"{name}: entries of a menu, on average", round(sum(found.sizes) / len(found.sizes), 1)),
        Quality(f"{name}: entries of the smallest menu", min(found.sizes), "at least 8", min(found.sizes) >= 8),
        *(_edge(f"{name}: times chance, who takes the {way} is right", found.gains[way]) for way in found.gains),
    ]


def _edge(name: str, gain: float) -> Quality:
    return Quality(name, round(gain, 2), f"at most {EDGE}", round(gain, 2) <= EDGE)


def menus_of(world: World, task: Task, seed: int) -> Iterator[tuple[list[str], str, str]]:
    """Yield (what is on offer, the expert's action, what the customer said last) along the expert's way."""
    opening = world.initial(task, TurnRng(seed))
    state, heard = opening.state, opening.observation
    for number in range(world.max_turns):
        right = world.advice(state)
        yield world.offer(state, seed, number), right, heard
        turn, _, _ = world.apply(state, right, TurnRng(seed, turn=number))
        if turn.outcome is not None:
            return
        state, heard = turn.state, heard if right.startswith(CALL) else turn.observation


def marks(offered: Sequence[str], heard: str) -> dict[str, Sequence[float]]:
    """Return for each way of guessing how much speaks for each entry."""
    words = set(_WORD.findall(heard.lower()))
    shared = [len(words & set(_WORD.findall(entry.lower()))) for entry in offered]
    calls = [float(entry.startswith(CALL)) for entry in offered]
    features: dict[str, list[float]] = {
        "length": [float(len(entry)) for entry in offered],
        "punctuation": [float(len(_MARK.findall(entry))) for entry in offered],
        "digits": [float(sum(char.isdigit() for char in entry)) for entry in offered],
        "words shared with what was said last": [float(count) for count in shared],
        "share of such words": [c / max(len(_WORD.findall(e)), 1) for c, e in zip(shared, offered, strict=True)],
        "likeness to the others": _likeness(offered),
    }
    found = both_ways(len(offered), features)
    found["calls of tools"] = calls
    found["messages"] = [1.0 - value for value in calls]
    found["questions"] = [float(entry.endswith("?")) for entry in offered]
    found["longest message"] = [len(e) * (1.0 - call) for e, call in zip(offered, calls, strict=True)]
    return found


def _likeness(offered: Sequence[str]) -> list[float]:
    """Return how much each entry has in common with all others, by words."""
    words = [set(_WORD.findall(entry.lower())) for entry in offered]
    return [sum(len(one & other) / max(len(one | other), 1) for other in words) for one in words]
