"""The state of a BabyAI world: `Level` (what never changes) and `GridState` (what does).

Cells are numbered row by row, `cell = y * width + x`, (0, 0) top left. Headings: 0 right, 1 down, 2 left, 3 up.
Each cell holds one code:

    0               empty
    1               wall
    2 … 19          door: 2 + 3 * colour + (0 open, 1 closed, 2 locked), colours in the order of COLORS
    20 …            a key, ball or box: entry `code - 20` of `Level.kinds`

Two portable objects share a code exactly when nothing can ever tell them apart: same type, colour, content and the
same descriptions of the instruction mean them. So a code carries all the identity the rules look at, and two worlds
that differ only by an exchange of twins are one state.

All that influences the future is in the state, but the turn counter. In particular `noted`: "go to" and "put next"
look at positions noted at reset and refreshed only by a drop (which minigrid does, and so do we), and `held`:
"pick up" and "put next" remember what was carried one verification earlier.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from agentgym.envs.babyai.mission import Leaf, Part, Seq, leaves

COLORS = ("red", "green", "blue", "purple", "yellow", "grey")
TYPES = ("key", "ball", "box")
DOOR_STATES = ("open", "closed", "locked")

EMPTY, WALL, DOOR, THING = 0, 1, 2, 20
FAILED = 1 << 30

Noted = tuple[tuple[int, ...], ...]
Watch = tuple[tuple[int, ...], tuple[int, ...]] | None


class Kind(NamedTuple):
    """One sort of portable object: type, colour, the code of its content (0: none) and which descriptions mean it.

    `meant` holds the numbers of the descriptions: 2 * slot for a leaf's `desc`, 2 * slot + 1 for its `fixed`.
    """

    type: str
    color: str
    content: int = 0
    meant: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """What stays the same through an episode, shared by all its states; equal by content.

    Attributes:
        width, height: of the grid, walls included.
        room_size: side of a room with both its walls; rooms overlap by one wall.
        kinds: the portable objects' sorts, for codes from 20 on.
        mission: the instruction in words.
        mission_tree: the same, resolved.
        max_steps: the time limit, in steps.
        delta: cell number difference of one step ahead, by heading.
        leaf: the leaves, by slot.
        above: by slot, the bits of the leaf itself and of every part around it (compare with `GridState.done`).
        watch: by slot, the codes and the door cells whose places the leaf notes; None for a leaf that notes none.
        looks: table for `bytes.translate`: code to what can be seen of it, 20 + 6 * type + colour for a thing.
        key: 128-bit hash of the content, 16 bytes.
    """

    width: int
    height: int
    room_size: int
    kinds: tuple[Kind, ...]
    mission: str
    mission_tree: Part
    max_steps: int
    delta: tuple[int, int, int, int] = field(init=False)
    leaf: tuple[Leaf, ...] = field(init=False)
    above: tuple[int, ...] = field(init=False)
    watch: tuple[Watch, ...] = field(init=False)
    looks: bytes = field(init=False)
    key: bytes = field(init=False)

    def __post_init__(self) -> None:
        size = (self.width, self.height, self.room_size, self.max_steps)
        content = (size, tuple(map(tuple, self.kinds)), self.mission, self.mission_tree)
        object.__setattr__(self, "delta", (1, self.width, -1, -self.width))
        object.__setattr__(self, "leaf", tuple(leaves(self.mission_tree)))
        object.__setattr__(self, "above", tuple(_masks(self.mission_tree, 0)))
        object.__setattr__(self, "watch", tuple(map(_watched, self.leaf)))
        seen = [THING + 6 * TYPES.index(kind.type) + COLORS.index(kind.color) for kind in self.kinds]
        object.__setattr__(self, "looks", bytes([*range(THING), *seen, *bytes(256 - THING - len(seen))]))
        object.__setattr__(self, "key", blake2b(repr(content).encode(), digest_size=16).digest())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Level) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def cell(self, x: int, y: int) -> int:
        """Return the cell number of column x, row y."""
        return y * self.width + x

    def xy(self, cell: int) -> tuple[int, int]:
        """Return (column, row) of a cell number."""
        y, x = divmod(cell, self.width)
        return x, y

    def kind(self, code: int) -> Kind:
        """Return the sort of portable object behind a code ≥ 20."""
        return self.kinds[code - THING]


def _masks(part: Part, above: int) -> Iterator[int]:
    mask = above | 1 << part.node
    if isinstance(part, Seq):
        yield from _masks(part.a, mask)
        yield from _masks(part.b, mask)
    else:
        yield mask


def _watched(leaf: Leaf) -> Watch:
    if leaf.verb == "go to":
        return leaf.desc.codes, leaf.desc.doors
    return (leaf.fixed.codes, leaf.fixed.doors) if leaf.verb == "put next" else None


class GridState(NamedTuple):
    """A frozen moment. Compare, hash and share it freely; `kernel.step` makes the next one.

    Attributes:
        level: the shared, unchanging part.
        cells: one code a cell.
        pos: the agent's cell.
        dir: its heading, 0 right, 1 down, 2 left, 3 up.
        carry: the code of what it carries, 0 for nothing.
        noted: for each leaf the sorted cells where its object ("go to") or its goal ("put next") stood at reset or
            at the latest drop; () for other leaves and for finished ones.
        done: bit n set when part n of the tree is finished; bit 0 is the whole instruction. `FAILED` after a failure.
        held: bit s set when leaf s remembers that the agent's hands were full at its latest verification.
    """

    level: Level
    cells: bytes
    pos: int
    dir: int
    carry: int
    noted: Noted
    done: int
    held: int

    def canonical(self) -> bytes:
        """Return all of the state and its level as bytes, equal exactly for equal states (the level as its hash)."""
        level, cells, pos, heading, carry, noted, done, held = self
        return b"%b%d,%d,%d,%d,%d,%b|%b" % (
            level.key,
            pos,
            heading,
            carry,
            done,
            held,
            repr(noted).encode() if noted else b"",
            cells,
        )

    @property
    def xy(self) -> tuple[int, int]:
        """The agent's (column, row)."""
        return self.level.xy(self.pos)

    @property
    def front(self) -> int:
        """The cell ahead of the agent."""
        return self.pos + self.level.delta[self.dir]

    @property
    def solved(self) -> bool:
        """True once the whole instruction is fulfilled."""
        return bool(self.done & 1)

    @property
    def failed(self) -> bool:
        """True once a strict instruction was broken."""
        return bool(self.done & FAILED)


class Placed(NamedTuple):
    """An object and where it is; `state` is "" for all but doors, `content` is () for all but full boxes."""

    cell: int
    code: int
    type: str
    color: str
    state: str
    content: tuple[str, ...]


def door_code(color: str, state: str) -> int:
    """Return the code of a door, e.g. door_code("red", "locked")."""
    return DOOR + 3 * COLORS.index(color) + DOOR_STATES.index(state)


def is_door(code: int) -> bool:
    """True for a door in any state."""
    return DOOR <= code < THING


def is_thing(code: int) -> bool:
    """True for a key, ball or box: what can be picked up."""
    return code >= THING


def is_passable(code: int) -> bool:
    """True where the agent can walk: an empty cell or an open door."""
    return code == EMPTY or (DOOR <= code < THING and (code - DOOR) % 3 == 0)


def door_state(code: int) -> str:
    """Return "open", "closed" or "locked" for a door's code."""
    return DOOR_STATES[(code - DOOR) % 3]


def color_of(level: Level, code: int) -> str:
    """Return the colour of a door or a portable object."""
    return level.kind(code).color if code >= THING else COLORS[(code - DOOR) // 3]


def type_of(level: Level, code: int) -> str:
    """Return "key", "ball", "box" or "door"."""
    return level.kind(code).type if code >= THING else "door"


def placed(level: Level, cell: int, code: int) -> Placed:
    """Describe the object with this code in this cell (-1: carried)."""
    if code < THING:
        return Placed(cell, code, "door", color_of(level, code), door_state(code), ())
    kind = level.kind(code)
    content = level.kind(kind.content)[:2] if kind.content else ()
    return Placed(cell, code, kind.type, kind.color, "", content)


def objects(state: GridState) -> Iterator[Placed]:
    """Yield doors, keys, balls and boxes row by row; not walls, not what is carried."""
    for cell, code in enumerate(state.cells):
        if code >= DOOR:
            yield placed(state.level, cell, code)


def carried(state: GridState) -> Placed | None:
    """Return what the agent carries (its cell is -1), or None."""
    return placed(state.level, -1, state.carry) if state.carry else None


def open_leaves(state: GridState) -> tuple[Leaf, ...]:
    """Return the leaves that can be worked on now: the first unfinished one of a sequence, both of an "and"."""
    return tuple(_open(state.level.mission_tree, state.done))


def _open(part: Part, done: int) -> Iterator[Leaf]:
    if done >> part.node & 1:
        return
    if isinstance(part, Leaf):
        yield part
        return
    first, second = (part.b, part.a) if part.order == "after" else (part.a, part.b)
    if part.order == "and":
        yield from _open(first, done)
        yield from _open(second, done)
    else:
        yield from _open(second if done >> first.node & 1 else first, done)


def finished_leaves(state: GridState) -> int:
    """Return how many of the instruction's deeds are done, of `len(state.level.leaf)`."""
    return sum(1 for mask in state.level.above if mask & state.done)


def where(cells: bytes, codes: tuple[int, ...], doors: tuple[int, ...] = ()) -> tuple[int, ...]:
    """Return the sorted cells that hold one of `codes`, joined with `doors` (pass a Desc's two fields)."""
    found = list(doors)
    for code in codes:
        cell = cells.find(code)
        while cell >= 0:
            found.append(cell)
            cell = cells.find(code, cell + 1)
    return tuple(sorted(found))


def targets(state: GridState, leaf: Leaf) -> tuple[int, ...]:
    """Return the cells of what a leaf asks for now: its object, or where to put what is in hand.

    For "put next" with one of the objects in hand it is the place to put it beside. What is carried has no cell.
    "go to" answers with the noted cells, because those count; they are stale until the next drop.
    """
    if leaf.verb == "go to":
        return state.noted[leaf.slot]
    if leaf.verb == "put next" and state.carry in leaf.desc.codes:
        return where(state.cells, leaf.fixed.codes, leaf.fixed.doors)
    return where(state.cells, leaf.desc.codes, leaf.desc.doors)
