"""The mixed local level: BALROG's five BabyAI tasks, drawn by our own draws and without minigrid.

A room of 8 x 8 with its walls, distractors of any sort (twins allowed), every object reachable without moving
another. Missions that speak of a `HELD_OUT` combination are drawn again; with `held_out=True` only those are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from agentgym.envs.babyai.build import Thing, build
from agentgym.envs.babyai.mission import Desc, Leaf, Part, Seq
from agentgym.envs.babyai.state import COLORS, DOOR, TYPES, GridState, is_door
from agentgym.errors import unknown

TASKS = ("goto", "pickup", "putnext", "pick_up_seq_go_to", "open")
HELD_OUT = ("yellow box", "red key", "red door", "green ball", "grey door")
NUM_DISTS = 8
MOST_DISTS = 12
"""With more, hardly any draw leaves every object within reach: "putnext" takes some 30 with 12, thousands with 16."""
MOST_TRIES = 2000
"""Draws of one world before it is given up."""

_ROOM = 8
_ONE_ROOM = ("########", *["#......#"] * 6, "########")
_TWO_ROOMS = ("#" * 15, *["#......#......#"] * 6, "#" * 15)
_AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1))

T = TypeVar("T")
Spot = tuple[int, int]


class Draws(Protocol):
    """What is needed of a `TurnRng`."""

    def integers(self, low: int, high: int) -> int:
        """Return a whole number from low to high - 1."""
        ...

    def choice(self, items: Sequence[T]) -> T:
        """Return one of the items, each as likely."""
        ...


def draw(task: str, rng: Draws, *, num_dists: int = NUM_DISTS, held_out: bool = False) -> GridState:
    """Return the first state of a world of one of the five tasks.

    Args:
        task: one of TASKS.
        rng: all draws come from it.
        num_dists: distractors, 0 … 12; the objects of the mission come on top, as many as it needs.
        held_out: keep the missions with a combination of HELD_OUT and only those (the test level).

    Raises:
        ValueError: unknown task, a number of distractors that does not fit, or no world in MOST_TRIES draws.
    """
    if task not in TASKS:
        raise ValueError(unknown("mixed local task", task, TASKS))
    if isinstance(num_dists, bool) or not isinstance(num_dists, int) or not 0 <= num_dists <= MOST_DISTS:
        raise ValueError(f"num_dists is {num_dists!r}: give an integer from 0 to {MOST_DISTS}, the room has 36 cells")
    for _ in range(MOST_TRIES):
        state = _draw_open(rng, num_dists, held_out) if task == "open" else _draw_room(task, rng, num_dists)
        spoken = any(words in state.level.mission for words in HELD_OUT)
        if spoken == held_out and all_reachable(state) and _is_work(state):
            return state
    raise ValueError(f"no world of {task!r} with num_dists {num_dists} in {MOST_TRIES} draws: choose another seed")


def _draw_room(task: str, rng: Draws, num_dists: int) -> GridState:
    x, y, heading = rng.integers(1, 7), rng.integers(1, 7), rng.integers(0, 4)
    free = [(i, j) for i in range(1, 7) for j in range(1, 7) if abs(i - x) + abs(j - y) > 1]
    count = num_dists + (2 if task in ("putnext", "pick_up_seq_go_to") else 1)
    things = _scatter(rng, free, count)
    return build(_ONE_ROOM, things, (x, y, heading), _instruction(task, rng, things), room_size=_ROOM)


def _instruction(task: str, rng: Draws, things: Sequence[Thing]) -> Part:
    first = rng.choice(things)
    a = Desc(first.type, first.color)
    if task in ("goto", "pickup"):
        return Leaf("go to" if task == "goto" else "pick up", a)
    # Not the same object twice: the same words only where two objects fit, and never for "put next".
    fits = [thing for thing in things if (thing.type, thing.color) == (first.type, first.color)]
    others = [thing for thing in things if thing not in fits]
    second = rng.choice(others if task == "putnext" and others or len(fits) == 1 and others else things)
    b = Desc(second.type, second.color)
    if task == "putnext":
        return Leaf("put next", a, b)
    pick_up, go_to = Leaf("pick up", a), Leaf("go to", b)
    return Seq("before", pick_up, go_to) if rng.integers(0, 2) else Seq("after", go_to, pick_up)


def _draw_open(rng: Draws, num_dists: int, held_out: bool) -> GridState:
    color = rng.choice([color for color in COLORS if (color in ("red", "grey")) == held_out])
    left = 1 + 7 * rng.integers(0, 2)  # the room the agent starts in; the other one is locked
    free = [(i, j) for i in range(left, left + 6) for j in range(1, 7)]
    key = free.pop(rng.integers(0, len(free)))
    things = [Thing("door", color, 7, rng.integers(1, 7), "locked"), Thing("key", color, *key)]
    things += _scatter(rng, free, num_dists)
    named = held_out or rng.integers(0, 2) == 1
    taken = {(thing.x, thing.y) for thing in things}
    while True:
        (x, y), heading = rng.choice(free), rng.integers(0, 4)
        if (x + _AHEAD[heading][0], y + _AHEAD[heading][1]) not in taken:  # as minigrid places an agent
            break
    door = Leaf("open", Desc("door", color if named else ""))
    return build(_TWO_ROOMS, things, (x, y, heading), door, room_size=_ROOM)


def _scatter(rng: Draws, free: list[Spot], count: int) -> list[Thing]:
    """Put `count` random objects on free cells; those cells leave the list."""
    things = []
    for _ in range(count):
        color, kind = rng.choice(COLORS), rng.choice(TYPES)
        things.append(Thing(kind, color, *free.pop(rng.integers(0, len(free)))))
    return things


def all_reachable(state: GridState) -> bool:
    """True when the agent can stand beside every door and object without moving one; locked doors count as ways."""
    level, cells = state.level, state.cells
    reached = {state.pos}
    stack = [state.pos]
    while stack:
        cell = stack.pop()
        if cells[cell] and not is_door(cells[cell]):
            continue  # an object or a wall: reached, but no way through
        for step in level.delta:
            if cell + step not in reached:
                reached.add(cell + step)
                stack.append(cell + step)
    return all(code < DOOR or cell in reached for cell, code in enumerate(cells))


def _is_work(state: GridState) -> bool:
    """False for a "put next" whose objects already lie side by side or share their words."""
    for leaf in state.level.leaf:
        if leaf.verb == "put next":
            moved = [cell for cell, code in enumerate(state.cells) if code in leaf.desc.codes]
            beside = {cell + step for cell in moved for step in state.level.delta}
            if leaf.desc.codes == leaf.fixed.codes or beside & set(state.noted[leaf.slot]):
                return False
    return True
