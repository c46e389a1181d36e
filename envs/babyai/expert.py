"""The expert of BabyAI: a planner of our own on the kernel that sees the whole state and keeps no memory.

`plan` joins the cheapest ways of the deeds in their order; where the order is free it tries all, and for the first
deed it tries a second way, which may end better for what follows. A plan is a pure function of the state. As a rule
each action of it leads to a state whose plan is shorter by one or more: the best of several things to try stays one of
them, and what follows the first deed is tried again when it is its turn. It is no theorem: in seeds 20000 … 20024 of
all levels it held at all 34,944 steps of 2,363 episodes, but in seed 1860277 of SynthSeq one step in 98, and in seed
2017 of MoveTwoAcrossS8N9 one in 40, makes the plan longer by one (and the instruction is fulfilled all the same).

The plan is close to the shortest where a room is all there is, and reasonable elsewhere. It is the shortest one for
"go to", "pick up" and "open" where nothing has to be moved, among all that move nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from agentgym.envs.babyai.deed import Way, do
from agentgym.envs.babyai.kernel import DONE
from agentgym.envs.babyai.mission import Leaf, Part, Seq, nodes
from agentgym.envs.babyai.state import GridState, finished_leaves

CACHE = 16384  # plans kept
UNSOLVABLE = 10_000  # steps remaining where no plan is known; longer than any plan

_FIRST_WAYS = 2  # ways to do the first deed that are tried when others follow


class Plan(NamedTuple):
    """What remains to be done. Both are empty in a solved state.

    Attributes:
        actions: kernel actions (0 … 6) that lead to success, in order.
        subgoals: for each action the subgoal it serves, e.g. "go next to the red key", "pick up the red key",
            "open the grey door", "drop the red key".
    """

    actions: tuple[int, ...]
    subgoals: tuple[str, ...]


@lru_cache(maxsize=CACHE)
def plan(state: GridState) -> Plan | None:
    """Return the remaining actions to success with their subgoals, or None where there is no way any more."""
    if state.failed:
        return None
    if state.solved:
        return Plan((), ())
    known: Known = {}
    best: Plan | None = None
    for order in _orders(state):
        found = _search(state, order, known)
        if found is not None and (best is None or len(found.actions) < len(best.actions)):
            best = found
    return best


def expert_action(state: GridState) -> int:
    """Return the expert's next kernel action; `done` (6) where nothing can be gained: solved, failed or no way."""
    found = plan(state)
    return found.actions[0] if found and found.actions else DONE


def remaining(state: GridState) -> int:
    """Return how many actions the expert needs from here: 0 when solved, `UNSOLVABLE` where it knows no way."""
    found = plan(state)
    return UNSOLVABLE if found is None else len(found.actions)


def subgoal(state: GridState) -> str:
    """Return the subgoal of the expert's next action, "" where there is none."""
    found = plan(state)
    return found.subgoals[0] if found and found.subgoals else ""


Order = frozenset[int]  # the "and" parts whose second half comes first
Known = dict[tuple[GridState, int, int], list[Way]]


def _orders(state: GridState) -> Iterator[Order]:
    """Yield all orders of the free parts still to be done, the one of the text first."""
    done = state.done
    free = [
        part.node
        for part in nodes(state.level.mission_tree)
        if isinstance(part, Seq) and part.order == "and" and not (done >> part.a.node | done >> part.b.node) & 1
    ]
    for choice in product((False, True), repeat=len(free)):
        yield frozenset(node for node, turned in zip(free, choice, strict=True) if turned)


def _search(state: GridState, order: Order, known: Known) -> Plan | None:
    """Do the first deed in each way worth trying and the others in the way that is cheapest then; return the best."""
    last = finished_leaves(state) == len(state.level.leaf) - 1
    best: Plan | None = None
    for way in _ways(state, order, known, 1 if last else _FIRST_WAYS):
        rest = _follow(way, order, known)
        if rest is not None and (best is None or len(rest.actions) < len(best.actions)):
            best = rest
    return best


def _follow(way: Way, order: Order, known: Known) -> Plan | None:
    """Do one deed after the other."""
    actions, subgoals, state = way
    while not state.solved:
        ways = _ways(state, order, known, 1)
        if not ways:
            return None
        actions, subgoals, state = actions + ways[0].actions, subgoals + ways[0].subgoals, ways[0].state
    return Plan(actions, subgoals)


def _ways(state: GridState, order: Order, known: Known, many: int) -> list[Way]:
    leaf = _next(state.level.mission_tree, state.done, order)
    at = (state, leaf.slot, many)
    if at not in known:
        known[at] = do(state, leaf, many)
    return known[at]


def _next(part: Part, done: int, order: Order) -> Leaf:
    """Return the leaf to work at now."""
    while isinstance(part, Seq):
        second_first = part.order == "after" or part.node in order
        first, second = (part.b, part.a) if second_first else (part.a, part.b)
        part = second if done >> first.node & 1 else first
    return part
