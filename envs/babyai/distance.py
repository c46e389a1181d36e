"""Shortest walks in a fixed layout, counted in actions: turns, steps, and toggles of closed doors on the way.

A set of cells is one whole number, bit c for cell c, so that a breadth-first search moves a whole frontier with a few
shifts. A set of poses is four of them, one a heading. Objects are never moved here; a shut door costs one toggle.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from agentgym.envs.babyai.state import is_passable

Poses = tuple[int, int, int, int]

_LEFT, _RIGHT, _FORWARD, _TOGGLE = 0, 1, 2, 5
_FREE = bytes(49 if is_passable(code) else 48 for code in range(256))


@lru_cache(maxsize=4096)
def table(codes: frozenset[int]) -> bytes:
    """Return the translation that turns these codes into "1" and all others into "0" (for `cells_of`)."""
    return bytes(49 if code in codes else 48 for code in range(256))


def cells_of(cells: bytes, which: bytes) -> int:
    """Return the set of cells whose code a `table` marks."""
    return int(cells.translate(which)[::-1], 2)


def free_cells(cells: bytes) -> int:
    """Return the set of cells the agent can walk into as they are."""
    return int(cells.translate(_FREE)[::-1], 2)


def bits(cells: int) -> Iterator[int]:
    """Yield the members of a set of cells, lowest first."""
    while cells:
        low = cells & -cells
        yield low.bit_length() - 1
        cells ^= low


def around(cells: int, width: int) -> int:
    """Return the cells beside these (left, right, above, below)."""
    return cells << 1 | cells >> 1 | cells << width | cells >> width


def facing(cells: int, width: int) -> Poses:
    """Return the poses that look at one of these cells."""
    return cells >> 1, cells >> width, cells << 1, cells << width


def spread(start: int, through: int, width: int) -> int:
    """Return all of `start` and what can be reached from it inside `through`, moving sideways and up and down."""
    found = edge = start
    while edge:
        edge = around(edge, width) & through & ~found
        found |= edge
    return found


class Walks:
    """All shortest walks from one pose: `levels[k]` holds the poses whose shortest walk takes k actions.

    Levels are made on demand by `grow`. A walk may open the doors in `shut` (one toggle each, then through).
    """

    __slots__ = ("_late", "cell", "free", "heading", "levels", "seen", "shut", "width")

    def __init__(self, width: int, free: int, shut: int, cell: int, heading: int) -> None:
        here = 1 << cell
        first: Poses = (here * (heading == 0), here * (heading == 1), here * (heading == 2), here * (heading == 3))
        self.width, self.free, self.shut = width, free, shut
        self.cell, self.heading = cell, heading
        self.levels = [first]
        self.seen = first
        self._late: Poses = (0, 0, 0, 0)  # poses beyond a door being opened, due one level later

    def grow(self) -> bool:
        """Add the next level; False when there is nothing left to reach."""
        width, free, shut = self.width, self.free, self.shut
        l0, l1, l2, l3 = self.levels[-1]
        s0, s1, s2, s3 = self.seen
        f0, f1, f2, f3 = l0 << 1, l1 << width, l2 >> 1, l3 >> width
        d0, d1, d2, d3 = self._late
        odd, even = l0 | l2, l1 | l3
        n0 = (even | f0 & free | d0) & ~s0
        n1 = (odd | f1 & free | d1) & ~s1
        n2 = (even | f2 & free | d2) & ~s2
        n3 = (odd | f3 & free | d3) & ~s3
        late = self._late = (f0 & shut, f1 & shut, f2 & shut, f3 & shut)
        if not (n0 or n1 or n2 or n3 or late != (0, 0, 0, 0)):
            return False
        self.levels.append((n0, n1, n2, n3))
        self.seen = (s0 | n0, s1 | n1, s2 | n2, s3 | n3)
        return True

    def finish(self) -> Walks:
        """Add all levels."""
        while self.grow():
            pass
        return self

    @property
    def reached(self) -> int:
        """The cells the agent can stand in, as far as the levels go."""
        s0, s1, s2, s3 = self.seen
        return s0 | s1 | s2 | s3

    def nearest(self, goals: Poses) -> tuple[int, int, int] | None:
        """Return (actions, cell, heading) of the first of these poses, ties by heading, then cell; None if none."""
        level = 0
        while True:
            for heading, (mine, goal) in enumerate(zip(self.levels[level], goals, strict=True)):
                if mine & goal:
                    both = mine & goal
                    return level, (both & -both).bit_length() - 1, heading
            level += 1
            if level == len(self.levels) and not self.grow():
                return None

    def path(self, level: int, cell: int, heading: int) -> list[int]:
        """Return the actions of one shortest walk to a pose of this level.

        Built from the end, always with the same preference, so that the rest of a walk is the walk of the rest.
        """
        actions: list[int] = []
        levels, delta = self.levels, (1, self.width, -1, -self.width)
        while level:
            before = cell - delta[heading]
            if self.free >> cell & 1 and levels[level - 1][heading] >> before & 1:
                actions.append(_FORWARD)
                cell, level = before, level - 1
            elif level > 1 and self.shut >> cell & 1 and levels[level - 2][heading] >> before & 1:
                actions += (_FORWARD, _TOGGLE)
                cell, level = before, level - 2
            elif levels[level - 1][(heading + 1) & 3] >> cell & 1:
                actions.append(_LEFT)
                heading, level = (heading + 1) & 3, level - 1
            else:
                actions.append(_RIGHT)
                heading, level = (heading - 1) & 3, level - 1
        actions.reverse()
        return actions
