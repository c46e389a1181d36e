"""Making a first state from plain facts: a grid, the things in it, the agent and an unresolved instruction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agentgym.envs.babyai.kernel import first_state
from agentgym.envs.babyai.mission import Desc, Part, Seq, navigations, surface
from agentgym.envs.babyai.state import COLORS, DOOR_STATES, EMPTY, THING, TYPES, WALL, GridState, Kind, Level, door_code

_AHEAD = ((1, 0), (0, 1), (-1, 0), (0, -1))


@dataclass(frozen=True, slots=True)
class Thing:
    """A key, ball, box or door at column x, row y; `state` is a door's, `content` (type, colour) a box's or ()."""

    type: str
    color: str
    x: int
    y: int
    state: str = ""
    content: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        states = DOOR_STATES if self.type == "door" else ("",)
        if self.type not in (*TYPES, "door") or self.color not in COLORS or self.state not in states:
            raise ValueError(f"no such object: {self}; types {TYPES} and door, colours {COLORS}, states {DOOR_STATES}")


def build(
    walls: Sequence[str],
    things: Sequence[Thing],
    agent: tuple[int, int, int],
    mission_tree: Part,
    *,
    room_size: int = 8,
    mission: str = "",
    max_steps: int = 0,
    carrying: int = -1,
) -> GridState:
    """Return the first state of a world.

    Args:
        walls: rows from the top, "#" for a wall, anything else for floor; the border must be wall or door.
        things: every door and object, in any order.
        agent: column, row, heading.
        mission_tree: unresolved; what each description means is looked up here, as minigrid does at reset.
        room_size: side of a room with walls (descriptions with a place look into the agent's room only).
        mission: its words; made from the tree when empty.
        max_steps: the time limit; when 0 minigrid's rule, room area x rooms x walks.
        carrying: the number of a thing put into the agent's hands *after* the look-up, or -1.

    Raises:
        ValueError: an impossible world; the message names the place.
    """
    width, height = len(walls[0]), len(walls)
    cells = bytearray(WALL if mark == "#" else EMPTY for row in walls for mark in row)
    tree, meant = _resolve(mission_tree, things, agent, room_size, width)
    kinds = _kinds(things, meant)
    codes = [_code(thing, numbers, kinds) for thing, numbers in zip(things, meant, strict=True)]
    for thing, code in zip(things, codes, strict=True):
        at = thing.y * width + thing.x
        if cells[at] > WALL or cells[at] == WALL and thing.type != "door":
            raise ValueError(f"{thing.type} on something else at column {thing.x}, row {thing.y}: choose an empty cell")
        cells[at] = code
    _check(cells, width, height, agent)
    tree = _with_codes(tree, kinds)
    rooms = (width - 1) // (room_size - 1) * ((height - 1) // (room_size - 1))
    limit = max_steps or room_size**2 * rooms * navigations(tree)
    level = Level(width, height, room_size, kinds, mission or surface(tree), tree, limit)
    state = first_state(level, bytes(cells), agent[1] * width + agent[0], agent[2])
    if carrying < 0:
        return state
    cells[things[carrying].y * width + things[carrying].x] = EMPTY
    return state._replace(cells=bytes(cells), carry=codes[carrying])


def _check(cells: bytearray, width: int, height: int, agent: tuple[int, int, int]) -> None:
    edge = [y * width + x for y in range(height) for x in range(width) if x in (0, width - 1) or y in (0, height - 1)]
    if any(cells[at] != WALL for at in edge):
        raise ValueError("the border must be walls: the rules never look beyond it")
    if len(cells) != width * height:
        raise ValueError(f"rows of unequal length: all must have {width} cells")
    x, y, heading = agent
    if not (0 < x < width and 0 < y < height and heading in range(4)) or cells[y * width + x] >= THING:
        raise ValueError(f"the agent cannot stand at column {x}, row {y}, heading {heading}")


def _kinds(things: Sequence[Thing], meant: Sequence[tuple[int, ...]]) -> tuple[Kind, ...]:
    """Return the sorted sorts of portable things: first what is empty (contents too), then the full boxes."""
    plain = {Kind(thing.content[0], thing.content[1]) for thing in things if thing.content}
    plain |= {
        Kind(thing.type, thing.color, 0, numbers)
        for thing, numbers in zip(things, meant, strict=True)
        if thing.type != "door" and not thing.content
    }
    kinds = sorted(plain)
    full = {
        Kind(thing.type, thing.color, THING + kinds.index(Kind(thing.content[0], thing.content[1])), numbers)
        for thing, numbers in zip(things, meant, strict=True)
        if thing.content
    }
    return (*kinds, *sorted(full))


def _code(thing: Thing, numbers: tuple[int, ...], kinds: tuple[Kind, ...]) -> int:
    if thing.type == "door":
        return door_code(thing.color, thing.state)
    content = 0
    if thing.content:  # not in the grid at reset, so no description means it
        content = THING + kinds.index(Kind(thing.content[0], thing.content[1]))
    return THING + kinds.index(Kind(thing.type, thing.color, content, numbers))


def _resolve(
    tree: Part, things: Sequence[Thing], agent: tuple[int, int, int], room_size: int, width: int
) -> tuple[Part, list[tuple[int, ...]]]:
    """Number the tree, fill in doors and plurals, and say for each thing which descriptions mean it."""
    tree = _number(tree, [0, 0])
    meant: list[tuple[int, ...]] = [()] * len(things)

    def look_up(desc: Desc, number: int) -> Desc:
        fits = [i for i, thing in enumerate(things) if _fits(thing, desc, agent, room_size)]
        for i in fits:
            meant[i] += (number,)
        doors = sorted(things[i].y * width + things[i].x for i in fits if things[i].type == "door")
        walls = desc.type == "" and desc.color in ("", "grey")  # walls are grey objects to minigrid
        return replace(desc, doors=tuple(doors), plural=walls or len(fits) > 1)

    def visit(part: Part) -> Part:
        if isinstance(part, Seq):
            return replace(part, a=visit(part.a), b=visit(part.b))
        desc = look_up(part.desc, 2 * part.slot)
        fixed = look_up(part.fixed, 2 * part.slot + 1) if part.verb == "put next" else part.fixed
        return replace(part, desc=desc, fixed=fixed)

    return visit(tree), meant


def _fits(thing: Thing, desc: Desc, agent: tuple[int, int, int], room_size: int) -> bool:
    if desc.type not in ("", thing.type) or desc.color not in ("", thing.color):
        return False
    if not desc.loc:
        return True
    span = room_size - 1
    x, y, heading = agent
    left, top = x // span * span, y // span * span
    if not (left <= thing.x <= left + span and top <= thing.y <= top + span):
        return False  # a place is told only of things in the agent's own room, its walls included
    ahead_x, ahead_y = _AHEAD[heading]
    dx, dy = thing.x - x, thing.y - y
    forward, right = dx * ahead_x + dy * ahead_y, dy * ahead_x - dx * ahead_y
    return {"front": forward > 0, "behind": forward < 0, "right": right > 0, "left": right < 0}[desc.loc]


def _number(part: Part, counts: list[int]) -> Part:
    """Give nodes and leaves their numbers; `counts` holds the next node and the next slot."""
    node, slot = counts
    counts[0] += 1
    if isinstance(part, Seq):
        return Seq(part.order, _number(part.a, counts), _number(part.b, counts), part.strict, node)
    counts[1] += 1
    return replace(part, node=node, slot=slot)


def _with_codes(part: Part, kinds: tuple[Kind, ...]) -> Part:
    """Fill in the codes each description means."""
    if isinstance(part, Seq):
        return replace(part, a=_with_codes(part.a, kinds), b=_with_codes(part.b, kinds))

    def codes(number: int) -> tuple[int, ...]:
        return tuple(THING + i for i, kind in enumerate(kinds) if number in kind.meant)

    return replace(
        part,
        desc=replace(part.desc, codes=codes(2 * part.slot)),
        fixed=replace(part.fixed, codes=codes(2 * part.slot + 1)),
    )
