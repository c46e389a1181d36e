"""A state as plain values (tuples, ints, bytes, strings) and back, for snapshots that leave the process."""

from __future__ import annotations

from typing import Any

from agentgym.envs.babyai.mission import ORDERS, VERBS, Desc, Leaf, Part, Seq
from agentgym.envs.babyai.state import GridState, Kind, Level


def pack(state: GridState) -> tuple[Any, ...]:
    """Return plain values that hold the state and its whole level; `unpack` inverts it exactly."""
    level = state.level
    size = (level.width, level.height, level.room_size, level.max_steps)
    kinds = tuple(tuple(kind) for kind in level.kinds)
    return (size, kinds, level.mission, _pack_part(level.mission_tree), *state[1:])


def unpack(plain: Any) -> GridState:
    """Return the state that `pack` turned into these values.

    Raises:
        ValueError: not what `pack` gives.
    """
    try:
        (width, height, room_size, max_steps), kinds, mission, tree, *rest = plain
        cells, pos, heading, carry, noted, done, held = rest
        level = Level(
            width, height, room_size, tuple(Kind(*kind) for kind in kinds), mission, _unpack_part(tree), max_steps
        )
        return GridState(level, cells, pos, heading, carry, noted, done, held)
    except (TypeError, KeyError) as error:
        raise ValueError(f"not a packed BabyAI state: {error}") from error


def _pack_part(part: Part) -> tuple[Any, ...]:
    if isinstance(part, Seq):
        return (part.order, _pack_part(part.a), _pack_part(part.b), part.strict, part.node)
    return (part.verb, _pack_desc(part.desc), _pack_desc(part.fixed), part.strict, part.node, part.slot)


def _unpack_part(plain: tuple[Any, ...]) -> Part:
    word, a, b, *rest = plain
    if word in ORDERS:
        return Seq(word, _unpack_part(a), _unpack_part(b), *rest)
    if word not in VERBS:
        raise ValueError(f"not a packed BabyAI state: {word!r} is neither an order nor a verb")
    return Leaf(word, Desc(*a), Desc(*b), *rest)


def _pack_desc(desc: Desc) -> tuple[Any, ...]:
    return (desc.type, desc.color, desc.loc, desc.codes, desc.doors, desc.plural)
