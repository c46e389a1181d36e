"""The last walk of a deed: where from, and with which actions, a leaf of the instruction can be fulfilled at once."""

from __future__ import annotations

from typing import NamedTuple

from agentgym.envs.babyai.distance import Poses, around, bits, facing
from agentgym.envs.babyai.kernel import DONE, DROP, PICK_UP, TOGGLE
from agentgym.envs.babyai.mission import Leaf, surface
from agentgym.envs.babyai.scene import Scene, members
from agentgym.envs.babyai.state import GridState, door_state, placed

PICK, UNLOCK, UNBOX, PUT_DOWN, FINISH = range(5)  # sorts of errands


class Errand(NamedTuple):
    """A walk and what is done at its end, with the subgoals both serve.

    `key` names it among its like: sort, then heading and cell of the pose it ends in.
    """

    key: tuple[int, int, int]
    walk: list[int]
    last: tuple[int, ...]
    walk_text: str
    last_text: str


class End(NamedTuple):
    """One kind of ending: the last actions and the poses they work from."""

    last: tuple[int, ...]
    poses: Poses
    walk_text: str
    last_text: str


def name(state: GridState, cell: int) -> str:
    """Return "the red ball" for what lies in a cell (-1: in the hands)."""
    thing = placed(state.level, cell, state.carry if cell < 0 else state.cells[cell])
    return f"the {thing.color} {thing.type}"


def finishes(scene: Scene, leaf: Leaf, many: int) -> list[Errand]:
    """Return the shortest errands that fulfil a leaf by walking alone, `many` at most; none when that cannot be."""
    walks = scene.walks
    found = _ENDS[leaf.verb](scene, leaf)
    spots: list[tuple[int, int, int, int, int]] = []  # actions in all, walk, heading, cell, which end
    level = 0
    while found and (len(spots) < many or level <= spots[many - 1][0]):
        for which, end in enumerate(found):
            total = level + len(end.last) + (level == 0 and _waits(scene.state, leaf, end))
            for heading, (mine, goal) in enumerate(zip(walks.levels[level], end.poses, strict=True)):
                spots += [(total, level, heading, cell, which) for cell in bits(mine & goal)]
        spots.sort()
        level += 1
        if level == len(walks.levels) and not walks.grow():
            break
    errands = []
    for _, level, heading, cell, which in spots[:many]:
        end = found[which]
        last = (DONE, *end.last) if level == 0 and _waits(scene.state, leaf, end) else end.last
        key = (FINISH, heading, cell)
        errands.append(Errand(key, walks.path(level, cell, heading), last, end.walk_text, end.last_text))
    return errands


def _waits(state: GridState, leaf: Leaf, end: End) -> bool:
    """True when an action must pass before the last ones count: the rules look only after an action."""
    if leaf.verb == "go to":
        return not end.last
    return leaf.verb == "put next" and not state.held >> leaf.slot & 1


def _ends_go_to(scene: Scene, leaf: Leaf) -> list[End]:
    state = scene.state
    text = "go next to " + surface(leaf).removeprefix("go to ")
    found = [End((), facing(members(state.noted[leaf.slot]), scene.width), text, text)]
    if state.carry in leaf.desc.codes:  # a drop notes the places anew, and then it lies in front
        drop = f"drop {name(state, -1)}"
        found.append(End((DROP,), facing(scene.empty, scene.width), drop, drop))
    return found


def _ends_open(scene: Scene, leaf: Leaf) -> list[End]:
    state, doors = scene.state, leaf.desc.doors
    shut = members(doors) & scene.shut
    ajar = members(tuple(door for door in doors if door_state(state.cells[door]) == "open" and not leaf.strict))
    door = surface(leaf).removeprefix("open ")
    walk, last = f"go next to {door}", f"open {door}"
    return [
        End((TOGGLE,), facing(shut, scene.width), walk, last),
        End((TOGGLE, TOGGLE), facing(ajar, scene.width), walk, last),  # only a door that opens counts: close it first
    ]


def _ends_pick_up(scene: Scene, leaf: Leaf) -> list[End]:
    state = scene.state
    thing = surface(leaf).removeprefix("pick up ")
    walk, last = f"go next to {thing}", f"pick up {thing}"
    if not state.carry:
        return [End((PICK_UP,), facing(scene.at(leaf.desc.codes), scene.width), walk, last)]
    if state.carry in leaf.desc.codes and not state.held >> leaf.slot & 1:
        return [End((PICK_UP,), scene.walks.levels[0], walk, last)]  # the rules take it for picked up just now
    return []


def _ends_put_next(scene: Scene, leaf: Leaf) -> list[End]:
    state = scene.state
    if state.carry not in leaf.desc.codes:
        return []
    spots = around(scene.fixed(leaf), scene.width) & scene.empty
    place = surface(leaf).partition(" next to ")[2]
    drop = f"drop {name(state, -1)} next to {place}"
    return [End((DROP,), facing(spots, scene.width), f"go next to {place}", drop)]


_ENDS = {"go to": _ends_go_to, "open": _ends_open, "pick up": _ends_pick_up, "put next": _ends_put_next}
