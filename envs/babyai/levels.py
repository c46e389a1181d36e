"""Worlds made by minigrid, turned into our own states: silently, and once per (level, seed).

minigrid is imported when the first level is made, never before.
"""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any

from agentgym.envs.babyai.build import Thing, build
from agentgym.envs.babyai.mission import Desc, Leaf, Part, Seq
from agentgym.envs.babyai.state import GridState
from agentgym.errors import AgentGymError, unknown

MOST_PLACED = 10_000
"""Placements in one reset before it is given up; a level takes some dozens, minigrid's longest search some hundreds."""

CACHE = 4096  # first states kept; one takes one to three kilobytes


class LevelError(AgentGymError, ValueError):
    """A seed of which minigrid makes no level: it would place and reject for ever."""


_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


@lru_cache(maxsize=CACHE)
def make(level: str, seed: int) -> GridState:
    """Return the first state of a minigrid BabyAI level, e.g. make("BabyAI-GoToLocal-v0", 7).

    Raises:
        ValueError: unknown level (the nearest name is offered).
        LevelError: a seed of which minigrid makes no level.
    """
    try:
        return reset(make_minigrid(level), seed)
    except LevelError as error:
        raise LevelError(f"{level}: {error}") from None


def reset(env: Any, seed: int) -> GridState:
    """Reset a bare minigrid BabyAI environment silently and return its first state.

    Raises:
        LevelError: minigrid would try for ever to make a level from this seed.
    """
    place, placed = env.place_obj, 0

    def counted(*args: Any, **options: Any) -> Any:
        nonlocal placed
        placed += 1
        if placed > MOST_PLACED:
            raise LevelError(f"minigrid makes no level of seed {seed}, it places without end: choose another seed")
        return place(*args, **options)

    env.place_obj = counted
    try:
        with _silence():
            env.reset(seed=seed)
    finally:
        del env.place_obj
    return from_minigrid(env)


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """Return the sorted ids of all BabyAI levels minigrid registers."""
    _load()
    from gymnasium.envs.registration import registry

    return tuple(sorted(name for name in registry if name.startswith("BabyAI-")))


def make_minigrid(level: str) -> Any:
    """Return a new bare minigrid environment of this id, without Gymnasium's wrappers and not yet reset."""
    if level not in names():
        raise ValueError(unknown("BabyAI level", level, names()))
    from gymnasium.envs.registration import load_env_creator, registry

    spec = registry[level]
    creator = load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point
    assert creator is not None
    with _silence():
        return creator(**spec.kwargs)


def from_minigrid(env: Any) -> GridState:
    """Return the state of a minigrid BabyAI environment that has just been reset (nothing may have been done yet)."""
    base = env.unwrapped
    things = [_thing(base.grid.get(x, y), x, y) for y in range(base.height) for x in range(base.width)]
    portable = [thing for thing in things if thing is not None]
    carrying = -1
    if base.carrying is not None:  # taken at the end of reset, after the descriptions were looked up
        x, y = (int(value) for value in base.carrying.init_pos)
        carrying = len(portable)
        portable.append(_portable(base.carrying, x, y))
    walls = [
        "".join("#" if _is_wall(base.grid.get(x, y)) else "." for x in range(base.width)) for y in range(base.height)
    ]
    return build(
        walls,
        portable,
        (int(base.agent_pos[0]), int(base.agent_pos[1]), int(base.agent_dir)),
        instruction(base.instrs),
        room_size=base.room_size,
        mission=base.mission,
        max_steps=int(base.max_steps),
        carrying=carrying,
    )


def instruction(instr: Any) -> Part:
    """Return minigrid's instruction as an unresolved tree."""
    name = type(instr).__name__
    if name in ("BeforeInstr", "AfterInstr", "AndInstr"):
        order = name.removesuffix("Instr").lower()
        return Seq(order, instruction(instr.instr_a), instruction(instr.instr_b), bool(instr.strict))
    if name == "PutNextInstr":
        return Leaf("put next", _desc(instr.desc_move), _desc(instr.desc_fixed), bool(instr.strict))
    verb = {"GoToInstr": "go to", "PickupInstr": "pick up", "OpenInstr": "open"}[name]
    return Leaf(verb, _desc(instr.desc), strict=bool(getattr(instr, "strict", False)))


def _desc(desc: Any) -> Desc:
    return Desc(desc.type or "", desc.color or "", desc.loc or "")


def _is_wall(cell: Any) -> bool:
    return cell is not None and cell.type == "wall"


def _thing(cell: Any, x: int, y: int) -> Thing | None:
    if cell is None or cell.type == "wall":
        return None
    if cell.type == "door":
        state = "open" if cell.is_open else "locked" if cell.is_locked else "closed"
        return Thing("door", cell.color, x, y, state)
    return _portable(cell, x, y)


def _portable(item: Any, x: int, y: int) -> Thing:
    inside = item.contains
    return Thing(item.type, item.color, x, y, "", (inside.type, inside.color) if inside is not None else ())


def _load() -> None:
    """Import minigrid without pygame's greeting, and teach its level generator to be quiet when we ask."""
    if "minigrid" in sys.modules and "minigrid.envs.babyai.core.roomgrid_level" in sys.modules:
        _hush()
        return
    hidden = os.environ.get("PYGAME_HIDE_SUPPORT_PROMPT")
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    try:
        import minigrid.envs.babyai.core.roomgrid_level  # noqa: F401
    finally:
        if hidden is None:
            del os.environ["PYGAME_HIDE_SUPPORT_PROMPT"]
        else:
            os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = hidden
    _hush()


def _hush() -> None:
    """Shadow `print` in the one module that talks while it draws levels; it still prints for everybody else."""
    module: Any = sys.modules["minigrid.envs.babyai.core.roomgrid_level"]
    module.print = _print


def _print(*values: object, **options: Any) -> None:
    if not _quiet.get():
        builtins.print(*values, **options)  # noqa: T201 - it stands in for the builtin


@contextmanager
def _silence() -> Iterator[None]:
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)
