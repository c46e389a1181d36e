"""What a product is worth to a buyer, and how likely the buyer is to pay a price for it; amounts in US cents.

The buyer takes a product if its worth, less what it costs, less what another seller's offer would bring, less doubts
and distrust, is above a mood that is uniform between −spread and +spread. So the chance of a yes is known exactly, and
where it is 0 or 1 nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final

from agentgym.envs.sales.buyer import DOUBTS, REASSURING, RISK, SPREAD, Buyer, Case
from agentgym.envs.sales.state import SalesState

HOPE: Final = 30
"""How much of a need's worth a buyer counts who does not know yet whether it is met, in per cent."""
WARY: Final = 20
"""Below this trust nobody buys."""


def worth(case: Case, met: Mapping[str, bool]) -> int:
    """Return what a product is worth of which a buyer believes this: attribute → whether it meets the need."""
    buyer, hundredths = case.buyer, 100 * case.buyer.base
    for need in buyer.needs:
        found = met.get(need.attribute)
        if found:
            hundredths += 100 * need.worth
        elif found is None:
            hundredths += HOPE * need.worth
        elif need.must:
            hundredths -= 100 * buyer.base
    return hundredths


def spread(case: Case, product: int) -> int:
    """Return how far mood moves a decision either way."""
    return max(case.prices[product] * SPREAD // 100, 1)


def to_pay(case: Case, product: int, price: int) -> int:
    """Return a price with the delivery."""
    return price + round(100 * case.shelf[product].delivery_price)


def distrust(case: Case, product: int, trust: int) -> int:
    """Return what a lack of trust takes off."""
    return case.prices[product] * RISK * (100 - trust) // 10_000


def doubts(buyer: Buyer, settled: frozenset[str]) -> int:
    """Return what the objections that are not resolved take off."""
    return 100 * sum(cost for doubt, cost in buyer.doubts.items() if doubt not in settled)


def most(state: SalesState, product: int) -> int:
    """Return the highest price at which the buyer would surely buy now; below 0 for none."""
    case = state.case
    buyer = case.buyer
    if state.trust < WARY or not case.shelf[product].stock:
        return -1
    found = worth(case, state.belief(product)) - doubts(buyer, state.settled) - 100 * buyer.gain
    found -= distrust(case, product, state.trust) + spread(case, product)
    return min(found, 100 * buyer.budget) - to_pay(case, product, 0)


def seen_through(state: SalesState) -> str:
    """Return what a buyer who reads the sheet finds untrue of what it believes of the product; "" for nothing."""
    if not state.case.buyer.careful:
        return ""
    met = state.case.met[state.product]
    return next((name for name, fits in state.belief(state.product).items() if fits and name not in met), "")


def chance(state: SalesState) -> float:
    """Return the probability that the buyer says yes if it is asked to decide now; 0 where no product is at hand."""
    product, case = state.product, state.case
    if product < 0:
        return 0.0
    price = state.price if state.price >= 0 else case.prices[product]
    if to_pay(case, product, price) > 100 * case.buyer.budget or seen_through(state):
        return 0.0
    width = 2 * spread(case, product)
    found = most(state, product)
    return 0.0 if found < 0 else min(max((found - price + width) / width, 0.0), 1.0)


def gained(case: Case, product: int, price: int) -> int:
    """Return what a buyer really has of a product at a price, beyond what another seller's offer would bring.

    Of one who bargains, it is what is left of the most that it would have paid.
    """
    met = case.met[product]
    true = worth(case, {need.attribute: need.attribute in met for need in case.buyer.needs})
    if case.buyer.target:
        true = min(true, 100 * case.buyer.budget)
    return true - to_pay(case, product, price) - 100 * case.buyer.gain


def answerable(case: Case, product: int) -> frozenset[str]:
    """Return the objections that can be resolved for a product without a lower price: something true of it does."""
    facts = case.facts[product]
    able = {"worth": bool(case.met[product]), "lower price": False}
    able.update({way: way in facts and bool(facts[way].value) for way in REASSURING})
    return frozenset(doubt for doubt in case.buyer.doubts if any(able.get(way, True) for way in DOUBTS[doubt]))


def informed(case: Case, product: int) -> int:
    """Return the highest price that a buyer surely pays who knows the truth and has no doubt left that can be resolved.

    Trust is what it is at first.
    """
    met = case.met[product]
    beliefs = tuple((product, need.attribute, need.attribute in met) for need in case.buyer.needs)
    settled = answerable(case, product)
    return most(SalesState(case, 0, 1, case.buyer.trust, beliefs=beliefs, settled=settled), product)


@lru_cache(maxsize=4096)
def best(case: Case) -> int:
    """Return the product that the buyer can be won for, −1 for none.

    Of several the one that meets most needs, and of these the one that leaves buyer and seller most together.
    """
    room = [informed(case, product) - floor for product, floor in enumerate(case.floors)]
    able = [product for product, left in enumerate(room) if left >= 0]
    return max(able, key=lambda product: (len(case.met[product]), room[product]), default=-1)


@lru_cache(maxsize=4096)
def blocks(case: Case) -> frozenset[str]:
    """Return why a buyer cannot be won: a need's attribute, "budget" or "rival", without which alone it could be."""
    if best(case) >= 0:
        return frozenset()
    buyer = case.buyer
    without = {
        "budget": replace(buyer, budget=10**6),
        "rival": replace(buyer, gain=0),
        **{
            need.attribute: replace(buyer, needs=tuple(other for other in buyer.needs if other != need))
            for need in buyer.needs
            if need.must
        },
    }
    return frozenset(reason for reason, changed in without.items() if best(replace(case, buyer=changed)) >= 0)
