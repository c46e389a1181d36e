"""The scenario families of the shop."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domain import Family
from agentgym.envs.customer_service.domains.retail import goals, handovers, questions, refused
from agentgym.envs.customer_service.domains.retail.goals import Maker
from agentgym.envs.customer_service.domains.retail.shopper import Shopper
from agentgym.envs.customer_service.sheet import Goal, Sheet
from agentgym.rng import TurnRng

_WRITES: Final = (
    goals.cancel,
    goals.give_back,
    goals.exchange,
    goals.swap,
    goals.address,
    goals.payment,
    goals.express,
    goals.trouble,
    goals.default_address,
)

Plan = Callable[[Shopper], bool]
"""Adds a family's goals to a shopper; False where the records hold no case for it."""


def _one(make: Maker, shop: Shopper) -> bool:
    """Add one goal."""
    goal = make(shop)
    if goal:
        shop.add(goal)
    return goal is not None


def _any(makers: Sequence[Maker], shop: Shopper) -> bool:
    """Add one goal of the first kind, in a drawn order, that the records hold a case for."""
    return any(_one(make, shop) for make in shop.rng.shuffled(makers))


def _and_more(make: Maker, shop: Shopper) -> bool:
    """Add a forbidden goal and one that is not, whichever comes first.

    The forbidden one is drawn first, since records for it are rarer; it writes nothing, so the other may go before it.
    """
    goal = make(shop)
    if goal is None:
        return False
    first = shop.rng.integers(3) == 0
    if not first:
        shop.add(goal)
    more = _any((*_WRITES, *questions.ALL, *questions.ALL), shop)
    if first:
        shop.add(goal)
    return more


def _several(shop: Shopper) -> bool:
    """Add two or three requests that the shop grants."""
    wanted = shop.rng.integers(2, 4)
    for make in shop.rng.shuffled((*_WRITES, goals.overdue, *questions.ALL[:3])):
        if len(shop.goals) < wanted:
            _one(make, shop)
    return len(shop.goals) >= 2


def _questions(shop: Shopper) -> bool:
    """Add two questions, of which one at least has to be worked out."""
    if not _any((questions.spent, questions.refund, questions.difference), shop):
        return False
    return _any((questions.balance, questions.total, questions.tracking, questions.refund), shop)


def _second_thoughts(shop: Shopper) -> bool:
    """Add a request that the customer changes when asked for a yes."""
    return any(plan(shop) for plan in shop.rng.shuffled((_other_address, _other_variant, _cancel_after_all)))


def _changed(shop: Shopper, first: Goal, after: Goal) -> bool:
    shop.add(replace(first, tells=(), change=after))
    return True


def _other_address(shop: Shopper) -> bool:
    for order in shop.orders("processing"):
        shop.use(order)
        return _changed(shop, goals.address_of(shop, order), goals.address_of(shop, order, "address_rather"))
    return False


def _other_variant(shop: Shopper) -> bool:
    for order in shop.orders("processing"):
        for line in shop.lines(order):
            left = goals.payable(shop, order, line)
            if len(left) > 1:
                shop.use(order)
                after = goals.swap_of(shop, order, line, *left[1], intent="swap_rather")
                return _changed(shop, goals.swap_of(shop, order, line, *left[0]), after)
    return False


def _cancel_after_all(shop: Shopper) -> bool:
    for order in shop.orders("processing"):
        for line in shop.lines(order):
            left = goals.payable(shop, order, line)
            if left and shop.recalls:
                shop.use(order)
                after = goals.cancel_of(shop, order, "cancel_instead", [])
                return _changed(shop, goals.swap_of(shop, order, line, *left[0]), after)
    return False


def _draw(name: str, plan: Plan, database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    shop = Shopper(database, customer, rng, recalls=name in _REFUSED)
    return shop.sheet(name, by_name=name == "unknown_email") if plan(shop) else None


_GRANTED: Final[Mapping[str, Plan]] = {
    "cancel_order": partial(_one, goals.cancel),
    "return_items": partial(_one, goals.give_back),
    "exchange_item": partial(_one, goals.exchange),
    "change_item": partial(_one, goals.swap),
    "change_address": partial(_any, (goals.address, goals.address, goals.default_address)),
    "change_payment": partial(_one, goals.payment),
    "express_delivery": partial(_one, goals.express),
    "parcel_trouble": partial(_any, (goals.trouble, goals.overdue)),
    "to_a_human": partial(_any, handovers.ALL),
    "several_requests": _several,
    "second_thoughts": _second_thoughts,
    "questions": _questions,
    "unknown_email": partial(_any, _WRITES),
}
"""Family → what happens in it; the shop grants everything."""

_REFUSED: Final[Mapping[str, Plan]] = {
    "out_of_stock": partial(_one, refused.out_of_stock),
    "short_gift_card": partial(_one, refused.short_card),
    "refund_elsewhere": partial(_one, refused.refund_elsewhere),
    "final_sale": partial(_one, refused.final_sale),
    "other_product": partial(_one, refused.other_product),
    "shipped_order": partial(_one, refused.shipped),
    "late_return": partial(_and_more, refused.late_return),
    "promised_by_manager": partial(_and_more, partial(refused.late_return, intent="return_promised")),
    "false_date": partial(_and_more, partial(refused.late_return, intent="return_dated")),
    "price_match": partial(_and_more, refused.price_match),
    "others_order": partial(_and_more, refused.someone_elses),
}
"""Family → what happens in it; something is refused, and the customers know their order numbers.

So a customer who has to see that the records were looked up does not ask for those of other orders.
"""

FAMILIES: Final = tuple(Family(name, partial(_draw, name, plan)) for name, plan in {**_GRANTED, **_REFUSED}.items())
