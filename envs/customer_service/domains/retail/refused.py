"""Requests that the shop's policy forbids, with the reason, and what the customer settles for."""

from __future__ import annotations

from typing import Final

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.domains.retail import goals, questions
from agentgym.envs.customer_service.domains.retail.shopper import METHODS, Shopper, listed
from agentgym.envs.customer_service.sheet import Call, Goal

OWNERS: Final = ("my sister", "my neighbour", "my flatmate", "a colleague of mine", "my mother", "my partner")
RIVALS: Final = ("Homeleaf", "Pantry & Pine", "Castle Street Stores", "the Saturday market", "Brightside Home")
ARRIVALS: Final = ("last Friday", "this Monday", "about a week ago", "the day before yesterday", "two weeks ago")


def late_return(shop: Shopper, intent: str = "return") -> Goal | None:
    """Return something delivered more than 30 days ago; with `return_dated`, under a wrong date."""
    for order in shop.delivered(late=True):
        for line in shop.lines(order):
            shop.use(order)
            facts = {**goals.number(shop, order), "items": listed([line])}
            said = {} if intent == "return_promised" else {"refund": goals.refund_choice(shop, order)[0]}
            if intent == "return_dated":
                said["arrived"] = shop.rng.choice(ARRIVALS)
            return Goal(
                intent,
                facts={**facts, **said},
                opens=("items", "arrived") if intent == "return_dated" else ("items",),
                reads=shop.look(order, shipment=True, line=line),
                reason="window",
                insist=shop.rng.integers(1, 3),
            )
    return None


def shipped(shop: Shopper) -> Goal | None:
    """Cancel a parcel on its way, or send it elsewhere; then the tracking code will do."""
    for order in shop.orders("shipped"):
        shop.use(order)
        intent = shop.rng.choice(("cancel", "address"))
        made = goals.cancel_of(shop, order, "cancel", []) if intent == "cancel" else goals.address_of(shop, order)
        return Goal(
            intent,
            facts=made.facts,
            opens=made.opens,
            reads=made.reads,
            reason="shipped",
            insist=shop.rng.integers(1, 3),
            fallback=questions.tracking_of(shop, order),
        )
    return None


def someone_elses(shop: Shopper) -> Goal | None:
    """Cancel an order of somebody else, which is why it is not in the customer's list."""
    keys = [key for key, one in shop.database["orders"].items() if one["status"] == "processing"]
    order = shop.database["orders"][shop.rng.choice(keys)]
    if order["customer"] == shop.key:
        return None
    return Goal(
        "others_cancel",
        facts={"order": order["order_id"], "owner": shop.rng.choice(OWNERS), "reason": "I changed my mind"},
        opens=("order", "owner"),
        reads=(Call("get_customer", {"customer_id": shop.key}),),
        reason="not_yours",
        insist=shop.rng.integers(1, 3),
    )


def price_match(shop: Shopper) -> Goal | None:
    """Have the difference to another shop's price paid back."""
    for order in shop.orders("processing", "shipped", "delivered"):
        for line in shop.lines(order):
            shop.use(order)
            return Goal(
                "price_match",
                facts={**goals.number(shop, order), "items": listed([line]), "rival": shop.rng.choice(RIVALS)},
                opens=("items", "rival"),
                reads=shop.look(order, line=line),
                reason="price_match",
                insist=shop.rng.integers(1, 3),
            )
    return None


def out_of_stock(shop: Shopper) -> Goal | None:
    """Have a variant that is sold out; then another one will do."""
    for order in [*shop.orders("processing"), *shop.delivered(late=False)]:
        for line in shop.lines(order):
            made = _sold_out(shop, order, line)
            if made:
                return made
    return None


def _sold_out(shop: Shopper, order: Record, line: Record) -> Goal | None:
    """Return the goal about this line, if one of its variants is sold out and another one to be had."""
    processing = order["status"] == "processing"
    gone = shop.others(line, stocked=False)
    left = goals.payable(shop, order, line) if processing else shop.others(line, stocked=True)
    if not gone or not left:
        return None
    shop.use(order)
    if processing:
        made = goals.swap_of(shop, order, line, *left[0], intent="swap_rather")
    else:
        made = goals.exchange_of(shop, order, line, *left[0], intent="exchange_rather")
    return Goal(
        "swap" if processing else "exchange",
        facts={**made.facts, "wish": gone[0][0]},
        opens=("items", "wish"),
        reads=made.reads,
        reason="stock",
        insist=shop.rng.integers(2),
        fallback=made,
    )


def short_card(shop: Shopper) -> Goal | None:
    """Pay with a gift card that holds too little; then another method will do."""
    card = shop.gift_card
    for order in shop.orders("processing"):
        if card is None or order["paid_with"] == card["method_id"]:
            continue
        other = [one for one in shop.methods if "balance" not in one and one["method_id"] != order["paid_with"]]
        if other and money.cents(card["balance"]) < money.cents(order["total"]):
            shop.use(order)
            made = goals.payment_of(shop, order, shop.rng.choice(other), "payment_rather")
            return Goal(
                "payment",
                facts={**made.facts, "payment": METHODS["gift card"]},
                opens=("order",),
                reads=made.reads,
                reason="balance",
                insist=shop.rng.integers(2),
                fallback=made,
            )
    return None


def refund_elsewhere(shop: Shopper) -> Goal | None:
    """Have a refund on a method that did not pay; then the one that did, or the gift card, will do."""
    for order in shop.delivered(late=False):
        others = [one for one in shop.methods if one["method_id"] != order["paid_with"] and "balance" not in one]
        for line in shop.lines(order) if others else ():
            shop.use(order)
            made = goals.return_of(shop, order, [line], *goals.refund_choice(shop, order), intent="return_rather")
            wished = METHODS[shop.rng.choice(others)["kind"]]
            return Goal(
                "return_elsewhere",
                facts={**made.facts, "refund": wished},
                opens=("items", "refund"),
                reads=made.reads,
                reason="refund_method",
                insist=shop.rng.integers(1, 3),
                fallback=made,
            )
    return None


def final_sale(shop: Shopper) -> Goal | None:
    """Return an item that stays sold together with another one; then the other one alone will do."""
    for order in shop.delivered(late=False):
        fixed, free = shop.lines(order, final=True)[:1], shop.lines(order)[:1]
        if fixed and free:
            shop.use(order)
            made = goals.return_of(shop, order, free, *goals.refund_choice(shop, order), intent="return_rest")
            return Goal(
                "return",
                facts={**made.facts, "items": listed(shop.rng.shuffled([*fixed, *free]))},
                opens=("items",),
                reads=(*made.reads, shop.product(fixed[0])),
                reason="final_sale",
                insist=shop.rng.integers(1, 3),
                fallback=made,
            )
    return None


def other_product(shop: Shopper) -> Goal | None:
    """Exchange a line for another product; then returning it will do."""
    for order in shop.delivered(late=False):
        for line in shop.lines(order):
            shop.use(order)
            made = goals.return_of(shop, order, [line], *goals.refund_choice(shop, order), intent="return_rest")
            names = [one["name"] for key, one in shop.database["products"].items() if key != line["product_id"]]
            return Goal(
                "exchange_other",
                facts={**goals.number(shop, order), "items": listed([line]), "other": f"a {shop.rng.choice(names)}"},
                opens=("items", "other"),
                reads=made.reads,
                reason="other_product",
                insist=shop.rng.integers(1, 3),
                fallback=made,
            )
    return None
