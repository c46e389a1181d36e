"""The rules of a BabyAI world as a pure function: `step(state, action)` returns the next state and the verdict.

Agrees with minigrid 3.2.0 step for step on every BabyAI id, including what its verifiers remember and forget (see
`state`). The turn counter, the time limit and the reward's size are the caller's: `reward` gives minigrid's formula.

One memory of minigrid's is left out because no level can reach it: an object put into the agent's hands at reset still
counts as lying where it came from until it is dropped once, so a drop that fails could put it "next to" something. The
levels that start so never have the two objects side by side, and full hands can move nothing.
"""

from __future__ import annotations

from agentgym.envs.babyai.mission import Leaf, Part, Seq
from agentgym.envs.babyai.state import (
    DOOR,
    EMPTY,
    FAILED,
    THING,
    GridState,
    Level,
    Noted,
    color_of,
    door_code,
    door_state,
    is_door,
    is_passable,
    where,
)

ACTIONS = ("turn left", "turn right", "go forward", "pick up", "drop", "toggle", "done")
LEFT, RIGHT, FORWARD, PICK_UP, DROP, TOGGLE, DONE = range(7)
CONTINUE, SUCCESS, FAILURE = "continue", "success", "failure"

_PASSABLE = frozenset(code for code in range(256) if is_passable(code))


def reward(steps: int, max_steps: int) -> float:
    """Return minigrid's reward for a success with step number `steps` (1 for the first): 1 - 0.9 * steps / limit."""
    return 1 - 0.9 * (steps / max_steps)


def step(state: GridState, action: int) -> tuple[GridState, str]:
    """Return the state after one action and "continue", "success" or "failure".

    Args:
        state: a running one (neither solved nor failed).
        action: 0 … 6, an index of ACTIONS.

    Returns:
        The very same state object when nothing changed, so that hashes and texts can be reused.
    """
    level, cells, pos, heading, carry, noted, done, held = state
    hands = carry
    front = pos + level.delta[heading]
    if action == LEFT or action == RIGHT:
        heading = (heading - 1 if action == LEFT else heading + 1) & 3
        front = pos + level.delta[heading]
    elif action == FORWARD:
        if cells[front] in _PASSABLE:
            pos = front
            front = pos + level.delta[heading]
    elif action == PICK_UP:
        if not carry and cells[front] >= THING:
            carry = cells[front]
            cells = _put(cells, front, EMPTY)
    elif action == DROP:
        if carry and cells[front] == EMPTY:
            cells = _put(cells, front, carry)
            carry = EMPTY
        noted = _note(level, cells, done)
    elif action == TOGGLE:
        cells = _toggle(level, cells, front, carry)
    elif action != DONE:
        raise ValueError(f"no action {action!r}: give a number from 0 to 6 ({', '.join(ACTIONS)})")

    scene = (action, cells, front, hands, carry, noted, level.width)
    verdict, now_done, held = _verify(level.mission_tree, scene, done, held)
    if now_done != done:
        noted, held = _forget(level, noted, now_done, held)
    if (
        pos == state.pos
        and heading == state.dir
        and cells is state.cells
        and carry == state.carry
        and now_done == done
        and held == state.held
        and noted == state.noted
    ):
        return state, verdict
    return GridState(level, cells, pos, heading, carry, noted, now_done, held), verdict


def first_state(level: Level, cells: bytes, pos: int, heading: int) -> GridState:
    """Return the state at reset, hands empty, with the positions noted as the verifiers note them."""
    noted = _note(level, cells, 0) if any(level.watch) else ((),) * len(level.leaf)
    return GridState(level, cells, pos, heading, EMPTY, noted, 0, 0)


def _put(cells: bytes, cell: int, code: int) -> bytes:
    return b"%b%c%b" % (cells[:cell], code, cells[cell + 1 :])


def _toggle(level: Level, cells: bytes, front: int, carry: int) -> bytes:
    code = cells[front]
    if code >= THING:
        kind = level.kind(code)
        return _put(cells, front, kind.content) if kind.type == "box" else cells
    if code < DOOR:
        return cells
    state = door_state(code)
    if state != "locked":
        return _put(cells, front, code - 1 if state == "closed" else code + 1)
    color = color_of(level, code)
    if carry and level.kind(carry)[:2] == ("key", color):
        return _put(cells, front, door_code(color, "open"))
    return cells


# What a verification looks at: action, cells, cell ahead, hands before the action, hands now, noted cells, grid width.
Scene = tuple[int, bytes, int, int, int, Noted, int]


def _verify(part: Part, scene: Scene, done: int, held: int) -> tuple[str, int, int]:
    """Judge one part; return the verdict and the marks `done` and `held` after it."""
    if isinstance(part, Leaf):
        verdict = _VERIFY[part.verb](part, scene, held)
        if part.verb in _REMEMBERS:
            held = held | 1 << part.slot if scene[4] else held & ~(1 << part.slot)
    elif part.order == "and":
        verdict, done, held = _verify_both(part, scene, done, held)
    else:
        verdict, done, held = _verify_in_order(part, scene, done, held)
    if verdict == SUCCESS:
        done |= 1 << part.node
    elif verdict == FAILURE and part.node == 0:
        done |= FAILED
    return verdict, done, held


def _verify_both(part: Seq, scene: Scene, done: int, held: int) -> tuple[str, int, int]:
    for half in (part.a, part.b):
        if not done >> half.node & 1:
            _, done, held = _verify(half, scene, done, held)
    return SUCCESS if done >> part.a.node & done >> part.b.node & 1 else CONTINUE, done, held


def _verify_in_order(part: Seq, scene: Scene, done: int, held: int) -> tuple[str, int, int]:
    first, second = (part.b, part.a) if part.order == "after" else (part.a, part.b)
    if not done >> first.node & 1:
        verdict, done, held = _verify(first, scene, done, held)
        if verdict == FAILURE:
            return FAILURE, done, held
        if verdict == CONTINUE:
            if not part.strict:
                return CONTINUE, done, held
            # Strict: the second half is watched all along, and doing it first is a failure.
            verdict, done, held = _verify(second, scene, done, held)
            if verdict == SUCCESS:
                return FAILURE, done & ~(1 << second.node), held
            return CONTINUE, done, held
    return _verify(second, scene, done, held)  # also right after the first half's success, by the same action


def _verify_go_to(leaf: Leaf, scene: Scene, held: int) -> str:
    return SUCCESS if scene[2] in scene[5][leaf.slot] else CONTINUE


def _verify_open(leaf: Leaf, scene: Scene, held: int) -> str:
    action, cells, front = scene[:3]
    code = cells[front]
    if action != TOGGLE or not is_door(code):
        return CONTINUE
    if front in leaf.desc.doors and door_state(code) == "open":
        return SUCCESS
    return FAILURE if leaf.strict else CONTINUE


def _verify_pick_up(leaf: Leaf, scene: Scene, held: int) -> str:
    action, carry = scene[0], scene[4]
    if action != PICK_UP:
        return CONTINUE
    if carry in leaf.desc.codes and not held >> leaf.slot & 1:
        return SUCCESS  # with full hands too, when this leaf is looked at for the first time
    return FAILURE if leaf.strict and carry else CONTINUE


def _verify_put_next(leaf: Leaf, scene: Scene, held: int) -> str:
    action, _, front, hands, carry, noted, width = scene
    if leaf.strict and action == PICK_UP and carry:
        return FAILURE
    if action != DROP or carry or hands not in leaf.desc.codes or not held >> leaf.slot & 1:
        return CONTINUE
    return SUCCESS if any(abs(front - cell) in (1, width) for cell in noted[leaf.slot]) else CONTINUE


_VERIFY = {"go to": _verify_go_to, "open": _verify_open, "pick up": _verify_pick_up, "put next": _verify_put_next}
_REMEMBERS = ("pick up", "put next")


def _note(level: Level, cells: bytes, done: int) -> Noted:
    """Note where the watched objects stand; unfinished leaves only."""
    return tuple(
        where(cells, *watch) if watch and not mask & done else ()
        for watch, mask in zip(level.watch, level.above, strict=True)
    )


def _forget(level: Level, noted: Noted, done: int, held: int) -> tuple[Noted, int]:
    """Drop what finished leaves noted and held: it can matter no more."""
    kept = tuple(() if mask & done else cells for cells, mask in zip(noted, level.above, strict=True))
    for slot, mask in enumerate(level.above):
        if mask & done:
            held &= ~(1 << slot)
    return kept, held
