"""The cheapest way to do one deed of the instruction: a search over errands, each a shortest walk and an action.

An errand is: pick up something of use, unlock a door, open a box, put down what is in hand, or the deed itself. Of
use are the key of a locked door in the way, a box with such a key in it, what has to be put somewhere, and objects in
the way. Where the deed can be done by walking alone, nothing else is considered: nothing is moved without need.

What may be done depends on the layout and on what the agent can reach, not on where in reach it stands; the walks to
a place and the ranks of places stay what they are while one of them is walked to; ties are broken by the errands
themselves. So the rest of a cheapest way is the cheapest way of the rest, and an expert that plans anew after each of
its actions hardly ever changes its mind for the worse (`expert` has the numbers).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from heapq import heappop, heappush
from itertools import islice
from typing import NamedTuple

from agentgym.envs.babyai.distance import bits, facing
from agentgym.envs.babyai.finish import PICK, PUT_DOWN, UNBOX, UNLOCK, Errand, finishes, name
from agentgym.envs.babyai.kernel import DROP, PICK_UP, TOGGLE, step
from agentgym.envs.babyai.mission import Leaf
from agentgym.envs.babyai.needs import Needs, possible
from agentgym.envs.babyai.scene import Ground, Scene
from agentgym.envs.babyai.state import THING, GridState

ERRANDS = 2000  # states searched at most for one deed
CLEARINGS = 400  # states searched at most where the useful errands lead nowhere
DROPS = 3  # places to put something down that are weighed against each other
UNSAFE_DROPS = 12  # the same where every place cuts something off


class Way(NamedTuple):
    """Actions, the subgoal each serves, and the state they lead to."""

    actions: tuple[int, ...]
    subgoals: tuple[str, ...]
    state: GridState


def do(state: GridState, leaf: Leaf, many: int = 1) -> list[Way]:
    """Return the `many` cheapest ways from here until a part of the instruction is finished by working at `leaf`.

    Where the useful errands lead nowhere, errands of any kind are tried until they do (then one way only). Empty when
    no way was found: as a rule there is none, else the search was given up.
    """
    ways = _search(state, leaf, many, set())
    if ways == [] and possible(Ground(Scene(state)), leaf):
        return _clear(state, leaf)
    return ways or []


def _search(state: GridState, leaf: Leaf, many: int, seen: set[GridState]) -> list[Way] | None:
    """Search useful errands, leaving out states in `seen`, which grows; None when given up."""
    ways: list[Way] = []
    for way in _explore(state, partial(_useful, leaf=leaf, many=many), ERRANDS, seen):
        if way is None:
            return ways or None
        if way.state.done != state.done:
            ways.append(way)
            if len(ways) == many:
                break
    return ways


def _clear(state: GridState, leaf: Leaf) -> list[Way]:
    """Search errands of any kind after which useful ones lead on; return the cheapest way or none."""
    best: Way | None = None
    dead: set[GridState] = set()  # from where useful errands lead nowhere
    for way in _explore(state, _any, CLEARINGS, set()):
        if way is None or best is not None and len(way.actions) >= len(best.actions):
            break
        seen = set(dead)
        tails = _search(way.state, leaf, 1, seen) if way.state.done == state.done else [Way((), (), way.state)]
        if tails is None:
            break
        dead = dead if tails else seen
        for tail in tails:
            found = Way(way.actions + tail.actions, way.subgoals + tail.subgoals, tail.state)
            if best is None or len(found.actions) < len(best.actions):
                best = found
    return [] if best is None else [best]


def _explore(
    state: GridState, expand: Callable[[GridState], list[Errand]], budget: int, seen: set[GridState]
) -> Iterator[Way | None]:
    """Yield ways to new states, the cheapest first, ties by the keys of their errands; a last None when given up.

    Ways end where a part of the instruction is finished; those that break it are left out. It is given up when
    `seen`, which grows, holds as many states as the budget.
    """
    queue: list[tuple[int, tuple[tuple[int, int, int], ...], Way, Errand | None]] = [(0, (), Way((), (), state), None)]
    while queue:
        if len(seen) >= budget:
            yield None
            return
        cost, keys, way, errand = heappop(queue)
        if errand is not None:
            way = run(way, errand)
        if way.state.failed or way.state in seen:
            continue
        yield way
        if way.state.done != state.done:
            continue
        seen.add(way.state)
        for following in expand(way.state):
            length = len(following.walk) + len(following.last)
            heappush(queue, (cost + length, (*keys, following.key), way, following))


def run(way: Way, errand: Errand) -> Way:
    """Play an errand through the kernel; it stops early when a part of the instruction is finished or broken."""
    state = way.state
    texts: list[str] = []
    since = 0  # where the present stretch of walking began
    actions = (*errand.walk, *errand.last)
    for i, action in enumerate(actions):
        if i >= len(errand.walk):
            texts.append(errand.last_text)
        elif action == TOGGLE:
            door = name(state, state.front)
            texts[since:] = [f"go next to {door}"] * (i - since) + [f"open {door}"]
            since = i + 1
        else:
            texts.append(errand.walk_text)
        state, _ = step(state, action)
        if state.done != way.state.done:
            break
    return Way(way.actions + actions[: len(texts)], way.subgoals + tuple(texts), state)


def _useful(state: GridState, leaf: Leaf, many: int) -> list[Errand]:
    """Return what is worth doing next for a leaf; the deed alone, in `many` ways at most, where it can be done."""
    scene = Scene(state)
    found = finishes(scene, leaf, many)
    if found:
        return found
    scene.walks.finish()
    ground = Ground(scene)
    needs = Needs(ground, leaf)
    if state.carry:
        doors = needs.unlock & scene.shut  # those that the key in hand opens
        return list(_visits(scene, doors, UNLOCK, TOGGLE)) if doors else _drops(scene, ground)
    return [*_visits(scene, needs.pick, PICK, PICK_UP), *_visits(scene, needs.unbox, UNBOX, TOGGLE)]


def _any(state: GridState) -> list[Errand]:
    """Return whatever can be done next: pick up anything, unlock any door, open any box, drop anywhere."""
    scene = Scene(state)
    scene.walks.finish()
    boxes = scene.at(tuple(THING + i for i, kind in enumerate(state.level.kinds) if kind.type == "box"))
    found = [*_visits(scene, scene.shut & scene.locked, UNLOCK, TOGGLE), *_visits(scene, boxes, UNBOX, TOGGLE)]
    if state.carry:
        return [*found, *(_drop(scene, spot) for spot in islice(_drop_spots(scene), UNSAFE_DROPS))]
    return [*found, *_visits(scene, scene.things, PICK, PICK_UP)]


def _visits(scene: Scene, cells: int, sort: int, action: int) -> Iterator[Errand]:
    """Yield the errands of acting on each of these cells, from the nearest pose that looks at it, where in reach."""
    verb = "pick up" if action == PICK_UP else "open"
    for cell in bits(cells):
        spot = scene.walks.nearest(facing(1 << cell, scene.width))
        if spot is not None:
            thing = name(scene.state, cell)
            key = (sort, spot[2], spot[1])
            yield Errand(key, scene.walks.path(*spot), (action,), f"go next to {thing}", f"{verb} {thing}")


def _drop(scene: Scene, spot: tuple[int, int, int]) -> Errand:
    text = f"drop {name(scene.state, -1)}"
    return Errand((PUT_DOWN, spot[2], spot[1]), scene.walks.path(*spot), (DROP,), text, text)


def _drops(scene: Scene, ground: Ground) -> list[Errand]:
    """Return the nearest drops of what is in hand that cut nothing important off; if there is none, some that do."""
    safe: list[tuple[int, int, int]] = []
    unsafe: list[tuple[int, int, int]] = []
    for spot in _drop_spots(scene):
        _, cell, heading = spot
        (safe if ground.allows(cell, cell + scene.state.level.delta[heading]) else unsafe).append(spot)
        if len(safe) == DROPS:
            break
    return [_drop(scene, spot) for spot in safe or unsafe[:UNSAFE_DROPS]]


def _drop_spots(scene: Scene) -> Iterator[tuple[int, int, int]]:
    """Yield (walk, cell, heading) of all poses that look at an empty cell, nearest first."""
    goals = facing(scene.empty, scene.width)
    for level, poses in enumerate(scene.walks.levels):
        for heading, (mine, goal) in enumerate(zip(poses, goals, strict=True)):
            for cell in bits(mine & goal):
                yield level, cell, heading
