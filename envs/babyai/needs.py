"""What has to be moved, unboxed or unlocked before a deed can be done, and whether it can be done at all."""

from __future__ import annotations

from agentgym.envs.babyai.distance import around, bits, spread
from agentgym.envs.babyai.mission import Leaf
from agentgym.envs.babyai.scene import Ground, Scene, members
from agentgym.envs.babyai.state import COLORS, DOOR, THING, GridState, Level


class Needs:
    """What has to be picked up, unboxed or unlocked before a leaf can be done, as sets of cells.

    Of all ways to something out of reach only those through the fewest obstacles count; an obstacle is an object in
    the way or a locked door. Where a locked door comes first, its key is wanted, and perhaps a way to that.
    """

    def __init__(self, ground: Ground, leaf: Leaf) -> None:
        self.pick = self.unbox = self.unlock = 0
        self._ground = ground
        scene = ground.scene
        if leaf.verb == "go to":
            self._seek(members(scene.state.noted[leaf.slot]))
        elif leaf.verb == "open":
            self._seek(members(leaf.desc.doors))
        elif leaf.verb == "pick up":
            self._seek(scene.at(leaf.desc.codes))
        else:
            self._seek_both(scene.at(leaf.desc.codes), scene.fixed(leaf))

    def _seek_both(self, moved: int, fixed: int) -> None:
        """Something to move and a place for it; the place first, since it is no use to carry things about."""
        ground = self._ground
        beside = around(fixed, ground.width)
        ready = around(beside & ground.scene.empty, ground.width) & ground.floor
        if not ready and fixed & ground.edge:  # no room left beside it, unless what is picked up makes some
            self.pick |= (fixed | beside | moved) & ground.scene.things & ground.edge
        elif not ready:
            self._seek(fixed)
        if ready or not moved & ground.edge:
            self._seek(moved)

    def _seek(self, wanted: int) -> None:
        ground = self._ground
        found = wanted & ground.edge
        if not found:
            found = self._obstacles(wanted)
            self.unbox |= found & ground.keys(ground.scene.locked)[1]
        self.pick |= found & ground.scene.things
        doors = found & ground.scene.locked & ~self.unlock
        if not doors:
            return
        self.unlock |= doors
        keys, boxes = ground.keys(doors)
        if (keys | boxes) & ground.edge:
            self.pick |= keys & ground.edge
            self.unbox |= boxes & ground.edge
        else:
            self._seek(keys | boxes)

    def _obstacles(self, wanted: int) -> int:
        """Return the obstacles at the edge of reach from which the fewest further ones lie before what is wanted."""
        ground, width = self._ground, self._ground.width
        blocked = ground.scene.things | ground.scene.locked
        inside = wanted | spread(around(wanted, width) & ground.open, ground.open, width)
        while True:
            ring = around(inside, width) & blocked & ~inside
            if not ring or ring & ground.edge:
                return ring & ground.edge
            inside = spread(inside | ring, ground.open, width)


def possible(ground: Ground, leaf: Leaf) -> bool:
    """False when a leaf can never be done, however much is moved about: its objects or a key are gone for good."""
    scene, state = ground.scene, ground.scene.state
    reach = ground.floor
    while True:
        colors = _key_colors(state, reach)
        doors = members(tuple(door for door in bits(scene.locked) if COLORS[(state.cells[door] - DOOR) // 3] in colors))
        wider = spread(reach, ground.open | scene.things | doors, scene.width)
        if wider == reach:
            break
        reach = wider
    reach |= around(reach, scene.width) & ~(scene.locked & ~doors if leaf.verb == "open" else 0)
    return _can(scene, leaf, reach)


def _key_colors(state: GridState, reach: int) -> set[str]:
    """Return the colours of the keys in these cells and in the hands, boxes included."""
    level: Level = state.level
    codes = {state.cells[cell] for cell in bits(reach)} | {state.carry}
    codes |= {level.kind(code).content for code in codes if code >= THING}
    return {level.kind(code).color for code in codes if code >= THING and level.kind(code).type == "key"}


def _can(scene: Scene, leaf: Leaf, reach: int) -> bool:
    carry = scene.state.carry
    moved = scene.at(leaf.desc.codes) & reach
    if leaf.verb == "go to":
        return bool(moved | members(scene.state.noted[leaf.slot]) & reach) or carry in leaf.desc.codes
    if leaf.verb == "open":
        return bool(members(leaf.desc.doors) & reach)
    if leaf.verb == "pick up":
        return bool(moved) or carry in leaf.desc.codes
    fixed = scene.fixed(leaf) & reach
    both = (moved | fixed).bit_count() + (carry in leaf.desc.codes + leaf.fixed.codes)  # nothing is beside itself
    return both > 1 and bool(moved or carry in leaf.desc.codes) and bool(fixed or carry in leaf.fixed.codes)
