"""The turn reward "progress": the change of a cheap potential in [0, 1] that needs no planner.

    progress(state) = (deeds done + closeness of the nearest open deed) / deeds of the instruction

Closeness grows from 0 (farthest cell) towards 1 (beside the object) with the walking distance to the nearest object
asked for. Distances are over the walls alone: doors count as open and objects as air, so a locked door or a blocked
way can make the reward point the wrong way for a while. "put next" counts half for the walk to the object and half
for the walk to its goal. A fulfilled instruction is 1, a broken one 0.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from agentgym.envs.babyai.mission import Leaf
from agentgym.envs.babyai.state import WALL, GridState, finished_leaves, open_leaves, targets

CACHE = 2048  # distance fields kept; at most a kilobyte each

_LAYOUT = bytes(code == WALL for code in range(256))
_UNREACHED = 0xFFFF

_fields: dict[tuple[bytes, int, tuple[int, ...]], tuple[Sequence[int], int]] = {}


def progress(state: GridState) -> float:
    """Return the potential of a state, 0 … 1."""
    if state.solved:
        return 1.0
    if state.failed:
        return 0.0
    leaf = state.level.leaf
    if len(leaf) == 1:
        return closeness(state, leaf[0])
    return (finished_leaves(state) + max(closeness(state, part) for part in open_leaves(state))) / len(leaf)


def closeness(state: GridState, leaf: Leaf) -> float:
    """Return how near an unfinished deed is to its end, in [0, 1)."""
    if leaf.verb == "put next":
        return 0.5 * (state.carry in leaf.desc.codes) + 0.5 * _near(state, leaf)
    if leaf.verb == "pick up" and state.carry in leaf.desc.codes:
        return 0.5  # in the hands since before it was asked for: it has to be put down and taken again
    return _near(state, leaf)


def _near(state: GridState, leaf: Leaf) -> float:
    goals = targets(state, leaf)
    if not goals:
        return 0.0
    distances, farthest = distance_field(state, goals)
    steps = distances[state.pos]
    return 0.0 if steps == _UNREACHED else 1.0 - (steps or 1) / (farthest + 1)


def distance_field(state: GridState, goals: tuple[int, ...]) -> tuple[Sequence[int], int]:
    """Return for each cell the steps to the nearest of `goals` (65535: no way), and the greatest number of steps."""
    walls = state.cells.translate(_LAYOUT)
    key = (walls, state.level.width, goals)
    found = _fields.get(key)
    if found is None:
        if len(_fields) >= CACHE:
            _fields.clear()
        found = _fields[key] = _spread(walls, state.level.delta, goals)
    return found


def _spread(walls: bytes, delta: tuple[int, ...], goals: tuple[int, ...]) -> tuple[Sequence[int], int]:
    field = array("H", [_UNREACHED]) * len(walls)
    for cell in goals:
        field[cell] = 0
    rim, steps = list(goals), 0
    while rim:
        ahead = []
        for cell in rim:
            for step in delta:
                if not walls[cell + step] and field[cell + step] == _UNREACHED:
                    field[cell + step] = steps + 1
                    ahead.append(cell + step)
        rim, steps = ahead, steps + 1
    return field, steps - 1
