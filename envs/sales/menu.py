"""The menu: of every kind of thing that a seller may do now, what fits and near misses of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentgym.envs.sales import expert, seller
from agentgym.envs.sales.buyer import Case
from agentgym.envs.sales.hear import BUDGET, RIVAL
from agentgym.envs.sales.state import SalesState
from agentgym.rng import TurnRng

SIZE: Final = 12


def entries(state: SalesState) -> Sequence[str]:
    """Return what is on offer in a state, the expert's action among it, in an order that says nothing."""
    right = expert.advice(state)
    case, turn = state.case, expert.wording(state)
    rng = TurnRng(
        int(case.hash[:12], 16), turn=len(state.told) + len(state.beliefs) + len(state.settled), stream="menu"
    )
    pool = rng.shuffled(_pool(state, case, turn, rng))
    found = [right]
    for entry in pool:
        if len(found) == SIZE:
            break
        if entry not in found:
            found.append(entry)
    return sorted(found)


def _pool(state: SalesState, case: Case, turn: int, rng: TurnRng) -> list[str]:
    """Return what may be on offer besides."""
    topics = [*case.sells.topics, BUDGET, RIVAL]
    numbers = list(range(len(case.shelf)))
    pool = [seller.asks(case, rng.shuffled(topics)[:2], turn), seller.asks(case, [rng.choice(topics)], turn)]
    pool += [seller.tells(case, number, rng.shuffled([*case.sells.topics])[:2], turn) for number in numbers[:2]]
    pool += [seller.look_up(case, number) for number in rng.shuffled(numbers)[:2]]
    pool += [
        seller.assures(case, rng.choice(numbers), name, turn) for name in ("warranty", "return period", "delivery time")
    ]
    product = state.product if state.product >= 0 else rng.choice(numbers)
    low, high = case.floors[product] // 100, case.prices[product] // 100
    pool += [seller.quote(100 * rng.integers(low, high + 1)), seller.call("close")]
    pool += [
        seller.one(texts, turn, case) for texts in (seller.EASE, seller.HURRY, seller.IS_MACHINE, seller.IS_PERSON)
    ]
    pool += [seller.lets_go(case, rng.choice(topics[:-1]), turn)]
    return pool
