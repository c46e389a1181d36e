"""Exhaustive searches through the kernel, and random worlds small enough for them: the expert's measure."""

from __future__ import annotations

import random

from agentgym.envs.babyai import kernel
from agentgym.envs.babyai.build import Thing, build
from agentgym.envs.babyai.mission import ORDERS, VERBS, Desc, Leaf, Part, Seq
from agentgym.envs.babyai.state import GridState, is_door, is_thing

MOST = 60_000  # states of one search; a world with more is left out

WALLS = (
    ("#####", "#...#", "#...#", "#####"),
    ("######", "#....#", "######"),
    ("######", "#.#..#", "#.#..#", "######"),
    ("#######", "#.#.#.#", "#######"),
)
DOORS = ((), (), ((2, 1),), ((2, 1), (4, 1)))


def shortest(start: GridState, *, hands: bool = True) -> int | None:
    """Return the length of a shortest way to success, None if there is none, -1 beyond `MOST` states.

    Without `hands` nothing is moved, and no box opened, but by the last action.
    """
    frontier, seen, length = [start], {start}, 0
    while frontier:
        length += 1
        following = []
        for state in frontier:
            for action in range(7):
                nxt, verdict = kernel.step(state, action)
                if verdict == "success":
                    return length
                if verdict == "failure" or nxt in seen or not hands and moves_something(state, nxt):
                    continue
                seen.add(nxt)
                following.append(nxt)
        if len(seen) > MOST:
            return -1
        frontier = following
    return None


def moves_something(before: GridState, after: GridState) -> bool:
    pairs = zip(before.cells, after.cells, strict=True)
    return any(is_thing(a) or is_thing(b) for a, b in pairs if a != b) or before.carry != after.carry


def world(seed: int) -> GridState:
    """Return a tiny random world, some after a few random actions."""
    draw = random.Random(seed)
    which = draw.randrange(len(WALLS))
    walls = WALLS[which]
    free = [(x, y) for y, row in enumerate(walls) for x, mark in enumerate(row) if mark == "."]
    draw.shuffle(free)
    states = ("locked", "locked", "closed", "open")
    things = [Thing("door", color(draw), x, y, draw.choice(states)) for x, y in DOORS[which]]
    for _ in range(draw.choice((1, 2, 2))):
        kind = draw.choice(("key", "key", "ball", "box"))
        content = ("key", color(draw)) if kind == "box" and draw.random() < 0.4 else ()
        things.append(Thing(kind, color(draw), *free.pop(), "", content))
    agent = (*free.pop(), draw.randrange(4))
    mission: Part = leaf(draw, things)
    if draw.random() < 0.4:
        mission = Seq(draw.choice(ORDERS), mission, leaf(draw, things))
    state = build(walls, things, agent, mission, room_size=3, max_steps=1000)
    for _ in range(draw.choice((0, 0, 5, 20))):
        nxt, verdict = kernel.step(state, draw.choices(range(7), (16, 16, 30, 14, 10, 6, 1))[0])
        if verdict != "continue":
            break
        state = nxt
    return state


def color(draw: random.Random) -> str:
    return draw.choice(("red", "blue"))


def leaf(draw: random.Random, things: list[Thing]) -> Leaf:
    doors = [thing for thing in things if thing.type == "door"]
    portable = [thing for thing in things if thing.type != "door"]
    verb = draw.choice(VERBS if doors else ("go to", "pick up", "put next"))

    def desc(pool: list[Thing]) -> Desc:
        thing = draw.choice(pool)
        return Desc(thing.type, thing.color if draw.random() < 0.8 else "")

    if verb == "open":
        return Leaf(verb, desc(doors))
    if verb == "go to":
        return Leaf(verb, desc(things))
    return Leaf(verb, desc(portable), desc(things)) if verb == "put next" else Leaf(verb, desc(portable))


def lost(state: GridState) -> bool:
    """True when something an unfinished part needs is no longer in the world: opened boxes vanish."""
    there = {code for code in state.cells if code and not is_door(code)} | {state.carry}
    for part, above in zip(state.level.leaf, state.level.above, strict=True):
        if above & state.done or part.verb in ("go to", "open"):
            continue
        fixed = part.verb == "put next" and not part.fixed.doors
        if not there & set(part.desc.codes) or fixed and not there & set(part.fixed.codes):
            return True
    return False
