"""Bargaining over a listing: a buyer with a target and a limit, drawn from the listing's id, and one thing to sell.

As in CraigslistBargain the buyer has a target, a share of the listing price, and the seller wants the listing price.
Both have a limit besides: the buyer does not pay more, the seller does not go lower.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agentgym.envs.sales.buyer import Buyer, Case
from agentgym.envs.sales.catalogue import Industry
from agentgym.envs.sales.product import Product
from agentgym.rng import TurnRng

CATEGORIES: Final[Mapping[str, tuple[str, str, str]]] = {
    "bike": ("bike", "a bike", "bikes"),
    "car": ("car", "a car", "cars"),
    "electronics": ("gadget", "a gadget", "gadgets"),
    "furniture": ("piece of furniture", "a piece of furniture", "furniture"),
    "housing": ("place", "a place", "places"),
    "phone": ("phone", "a phone", "phones"),
}
"""Category → what one is called, one of them, many."""
FLOOR: Final = 65
"""The least that the seller takes, in per cent of the listing price."""
NAMES: Final = ("Alex", "Bo", "Chris", "Dana", "Eli", "Fran", "Glen", "Jo", "Kim", "Lee", "Max", "Nic", "Pat", "Robin")


def case_of_listing(task: str, listing: Mapping[str, Any]) -> Case:
    """Return the case of a listing.

    Raises:
        ValueError: it lacks something, or is of a category that nobody knows; the message names the task.
    """
    try:
        category, title, price = listing["category"], listing["title"], int(listing["price"])
        noun, a, plural = CATEGORIES[category]
    except KeyError as error:
        raise ValueError(f"task {task!r}: its listing has no {error}, or a category that is none") from None
    if price < 1:
        raise ValueError(f"task {task!r}: its listing costs {price}; give a price in whole dollars")
    note = str(listing.get("description", "")).replace("<", "‹").replace(">", "›")
    product = Product(title, category, float(price), 1, 0, 0, 0, ())
    floor = max(price * FLOOR // 100, 1)
    sells = Industry("listing", noun, a, plural, "the ad", ("for myself",), {}, (product,), (floor,), ())
    return Case(task, buyer(str(listing.get("post_id", title)), price), sells, (product,), (100 * floor,), note)


def buyer(key: str, price: int) -> Buyer:
    """Return the buyer of a listing: target and limit are shares of its price, drawn from its id."""
    rng = TurnRng(0, stream=f"bargain {key}")
    limit = max(price * rng.integers(55, 111) // 100, 1)
    target = max(limit * rng.integers(60, 91) // 100, 1)
    trust = rng.integers(50, 81)
    doubts = {"think": max(price * 3 // 100, 1)} if rng.integers(3) == 0 else {}
    return Buyer(
        name=rng.choice(NAMES), industry="listing", shelf=(0,), about=0, base=max(price, limit) * 5 // 4 + 1, needs=(),
        opens=0, budget=limit, doubts=doubts, rival="", rival_price=0, gain=0, trust=trust,
        patience=rng.integers(12, 19), careful=True, haggles=True, curious=1 if rng.integers(4) == 0 else 0,
        target=target,
    )  # fmt: skip
