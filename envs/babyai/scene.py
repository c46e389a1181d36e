"""A state as the planner sees it: sets of cells, the walks from here, and what empty hands could reach."""

from __future__ import annotations

from functools import lru_cache

from agentgym.envs.babyai.distance import Walks, around, bits, cells_of, free_cells, spread, table
from agentgym.envs.babyai.kernel import TOGGLE, step
from agentgym.envs.babyai.mission import Leaf, nodes
from agentgym.envs.babyai.state import COLORS, DOOR, EMPTY, THING, GridState, Level

EMPTY_TABLE = table(frozenset((EMPTY,)))
THING_TABLE = table(frozenset(range(THING, 256)))
LOCKED_TABLE = table(frozenset(DOOR + 3 * i + 2 for i in range(len(COLORS))))


class Scene:
    """The sets of cells of a state and the walks from it.

    Attributes:
        empty, things, locked: cells with nothing, with something to pick up, with a locked door.
        free: cells to walk into at once; `shut` those with a door that one toggle opens and that may be opened.
        walks: all shortest walks from the agent's pose.
    """

    def __init__(self, state: GridState) -> None:
        cells, level = state.cells, state.level
        self.state, self.width = state, level.width
        self.empty = cells_of(cells, EMPTY_TABLE)
        self.things = cells_of(cells, THING_TABLE)
        self.locked = cells_of(cells, LOCKED_TABLE)
        self.free = free_cells(cells)
        self.shut = cells_of(cells, _shut_table(level, state.carry))
        if _is_strict(level):
            self.shut = members(tuple(door for door in bits(self.shut) if not _breaks(state, door)))
        self.walks = Walks(self.width, self.free, self.shut, state.pos, state.dir)

    def at(self, codes: tuple[int, ...]) -> int:
        """Return the cells that hold one of these codes."""
        return cells_of(self.state.cells, table(frozenset(codes))) if codes else 0

    def fixed(self, leaf: Leaf) -> int:
        """Return the cells of what a "put next" puts beside."""
        return self.at(leaf.fixed.codes) | members(leaf.fixed.doors)


def members(cells: tuple[int, ...]) -> int:
    """Return these cells as a set."""
    found = 0
    for cell in cells:
        found |= 1 << cell
    return found


@lru_cache(maxsize=1024)
def _shut_table(level: Level, carry: int) -> bytes:
    """Mark the doors one toggle opens: closed ones, and locked ones whose key is in hand."""
    codes = {DOOR + 3 * i + 1 for i in range(len(COLORS))}
    if carry and level.kind(carry).type == "key":
        codes.add(DOOR + 3 * COLORS.index(level.kind(carry).color) + 2)
    return table(frozenset(codes))


@lru_cache(maxsize=1024)
def _is_strict(level: Level) -> bool:
    return any(part.strict for part in nodes(level.mission_tree))


def _breaks(state: GridState, door: int) -> bool:
    """True when toggling this door now would end the episode with a failure."""
    heading = next(i for i, ahead in enumerate(state.level.delta) if 0 <= door - ahead < len(state.cells))
    return step(state._replace(pos=door - state.level.delta[heading], dir=heading), TOGGLE)[0].failed


class Ground:
    """What the agent could reach if its hands were empty.

    Attributes:
        open: all cells one can stand in, reached or not; `floor` those in reach of the agent.
        edge: the cells beside the floor, so what could be looked at.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene, self.width = scene, scene.width
        self.open = scene.free | scene.shut & ~scene.locked
        self.floor = spread(1 << scene.state.pos, self.open, scene.width)
        self.edge = around(self.floor, scene.width)
        self._keep: int | None = None

    def keys(self, doors: int) -> tuple[int, int]:
        """Return where the keys of these locked doors lie, and the boxes with such a key in them."""
        state = self.scene.state
        keys, boxes = _keys_and_boxes(state.level, frozenset(state.cells[door] for door in bits(doors)))
        return self.scene.at(keys), self.scene.at(boxes)

    def allows(self, stand: int, cell: int) -> bool:
        """True when an object put into `cell` from `stand` leaves all in reach that the rest may need."""
        if self._keep is None:
            self._keep = self._important() & (self.floor | self.edge)
        floor = spread(1 << stand, self.floor & ~(1 << cell), self.width)
        return not self._keep & ~(floor | around(floor, self.width))

    def _important(self) -> int:
        """Return the places of all that unfinished leaves speak of, of locked doors, and of their keys."""
        scene, state = self.scene, self.scene.state
        keys, boxes = self.keys(scene.locked)
        cells = scene.locked | keys | boxes
        for leaf, above in zip(state.level.leaf, state.level.above, strict=True):
            if not above & state.done:
                cells |= scene.at(leaf.desc.codes) | members(leaf.desc.doors) | scene.fixed(leaf)
                cells |= members(state.noted[leaf.slot])
        return cells


@lru_cache(maxsize=1024)
def _keys_and_boxes(level: Level, doors: frozenset[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the codes of the keys for doors with these codes, and of boxes with such a key in them."""
    fits = [("key", color) for i, color in enumerate(COLORS) if DOOR + 3 * i + 2 in doors]
    keys = tuple(THING + i for i, kind in enumerate(level.kinds) if kind[:2] in fits)
    return keys, tuple(THING + i for i, kind in enumerate(level.kinds) if kind.content in keys)
