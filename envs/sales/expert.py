"""The expert: knows the buyer, asks before it recommends, tells the truth, answers doubts, lets go where it must."""

from __future__ import annotations

from typing import Final

from agentgym.envs.sales import seller, value
from agentgym.envs.sales.buyer import DOUBTS, REASSURING
from agentgym.envs.sales.hear import BUDGET, MOST_ASKED, MOST_TOLD, RIVAL
from agentgym.envs.sales.state import SalesState

_FACTS: Final = frozenset(seller.ASSURES)


def step(state: SalesState) -> tuple[str, str]:
    """Return what the expert writes now, after its kind: ask, look, tell, assure, say, go, quote or close."""
    case, turn = state.case, wording(state)
    if state.asks_identity:
        return "say", seller.one(seller.IS_MACHINE, turn, case)
    topics = unknown_topics(state)
    best = value.best(case)
    if topics:
        return "ask", seller.asks(case, topics[:MOST_ASKED], turn, bool(state.earlier))
    if best < 0:
        unseen = [product for product in range(len(case.shelf)) if product not in state.looked]
        if unseen:
            return "look", seller.look_up(case, unseen[0])
        return "go", seller.lets_go(case, min(value.blocks(case) & state.told), turn)
    if best not in state.looked:
        return "look", seller.look_up(case, best)
    return _sells(state, best, turn)


def _sells(state: SalesState, product: int, turn: int) -> tuple[str, str]:
    """Return what the expert writes who knows what the buyer needs, and the product."""
    case = state.case
    beliefs = state.belief(product)
    answerable = value.answerable(case, product)
    if state.product == product and state.open in answerable:
        return answer(state, product, state.open, turn)
    missing = [need.attribute for need in case.buyer.needs if need.attribute not in beliefs]
    if missing or (case.buyer.needs and state.product != product):
        return "tell", seller.tells(case, product, missing[:MOST_TOLD] or [case.buyer.needs[0].attribute], turn)
    due = [n for n in range(len(case.shelf[product].disclosures)) if (product, n) not in state.disclosed]
    if due:
        return "say", case.shelf[product].disclosures[due[0]].text
    waiting = [d for d in case.buyer.doubts if d not in state.settled and d in answerable and d != "price"]
    if waiting and waiting[0] not in state.raised:
        return answer(state, product, waiting[0], turn)
    price = asked_for(state, product)
    return ("close", seller.call("close")) if 0 <= state.price <= price else ("quote", seller.quote(price))


def asked_for(state: SalesState, product: int) -> int:
    """Return the highest price, in whole dollars, that the buyer surely pays once it is told what it is worth."""
    case = state.case
    doubt = 0 if "price" in state.settled else 100 * case.buyer.doubts.get("price", 0)
    most = min(value.most(state, product) + doubt, 100 * case.buyer.budget - value.to_pay(case, product, 0))
    return max(min(case.prices[product], most // 100 * 100), case.floors[product])


def answer(state: SalesState, product: int, doubt: str, turn: int) -> tuple[str, str]:
    """Return what resolves an objection, after its kind."""
    case, facts = state.case, state.case.facts[product]
    for way in DOUBTS[doubt]:
        if way == "no hurry":
            return "assure", seller.one(seller.EASE, turn, case)
        if way in _FACTS and (way not in REASSURING or facts[way].value):
            return "assure", seller.assures(case, product, way, turn)
    fits = [need.attribute for need in case.buyer.needs if need.attribute in case.met[product]]
    return "tell", seller.shows(case, product, doubt, fits[(turn // 2) % len(fits)], turn + 1)


def unknown_topics(state: SalesState) -> list[str]:
    """Return what the buyer has still to be asked about."""
    buyer = state.case.buyer
    topics = [need.attribute for need in buyer.needs] + [BUDGET] + ([RIVAL] if buyer.rival else [])
    return [topic for topic in topics if topic not in state.told]


def wording(state: SalesState) -> int:
    """Return a number by which words are chosen, which goes on as the talk does."""
    return state.patience + len(state.told) + len(state.beliefs) + len(state.settled) + state.manner % 7
