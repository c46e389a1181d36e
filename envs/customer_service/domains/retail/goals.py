"""Requests that the shop grants, each as a goal about a shopper's records; None where these hold no case for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.domains.retail import ledger, rows
from agentgym.envs.customer_service.domains.retail.shopper import METHODS, Shopper, listed
from agentgym.envs.customer_service.sheet import Call, Goal, Tell

REASONS: Final = {
    "I changed my mind": "changed mind",
    "I ordered it by mistake": "ordered by mistake",
    "it takes too long to get here": "delivery too slow",
    "I found it cheaper elsewhere": "cheaper elsewhere",
}
"""What a customer says → `cancel_order`'s reason."""

TROUBLES: Final = {
    "arrived broken": "damaged",
    "was missing from the parcel": "missing item",
    "is not the one I ordered": "wrong item",
}
"""What a customer says → `open_case`'s trouble."""

ORIGINAL: Final = "the way I paid"

Maker = Callable[[Shopper], Goal | None]


def cancel(shop: Shopper) -> Goal | None:
    """Cancel a whole order, named by its number or by an item."""
    for order in shop.orders("processing"):
        lines = shop.lines(order)
        if lines and (not shop.recalls or shop.rng.integers(2) == 0):
            return cancel_of(shop, order, "cancel_by_item", lines[:1])
        if shop.recalls:
            return cancel_of(shop, order, "cancel", [])
    return None


def cancel_of(shop: Shopper, order: Record, intent: str, lines: list[Record]) -> Goal:
    """Cancel this order."""
    shop.use(order)
    said = shop.rng.choice(sorted(REASONS))
    tells = (Tell("refund_total", order["total"]),) if shop.rng.integers(2) else ()
    by_item = intent == "cancel_by_item"
    return Goal(
        intent,
        facts={
            **number(shop, order, opened=not by_item),
            **({"items": listed(lines)} if by_item else {}),
            "reason": said,
        },
        opens=("items",) if by_item else ("order",),
        gold=(Call("cancel_order", {"order_id": order["order_id"], "reason": REASONS[said]}),),
        reads=shop.look(order, line=lines[0] if by_item else None),
        tells=tells,
    )


def number(shop: Shopper, order: Record, *, opened: bool = False) -> dict[str, str]:
    """Return the fact of an order's number, if the customer knows it."""
    return {"order": order["order_id"]} if shop.recalls or opened else {}


def give_back(shop: Shopper) -> Goal | None:
    """Return one or two lines of a delivered order."""
    for order in shop.delivered(late=False):
        lines = shop.lines(order)[: shop.rng.integers(1, 3)]
        if lines:
            shop.use(order)
            return return_of(shop, order, lines, *refund_choice(shop, order))
    return None


def refund_choice(shop: Shopper, order: Record) -> tuple[str, str]:
    """Return where a refund goes, as the customer says it, and the method."""
    gift = shop.gift_card
    if gift and (gift["method_id"] == order["paid_with"] or shop.rng.integers(2)):
        return "my gift card", gift["method_id"]
    return ORIGINAL, order["paid_with"]


def return_of(
    shop: Shopper, order: Record, lines: list[Record], said: str, method: str, intent: str = "return"
) -> Goal:
    """Return these lines, the refund going to a method."""
    facts = {**number(shop, order), "items": listed(lines), "refund": said}
    total = money.text(sum(map(ledger.cost, lines)))
    wanted = {
        "order_id": order["order_id"],
        "variant_ids": sorted(line["variant_id"] for line in lines),
        "refund_to": method,
    }
    return Goal(
        intent,
        facts=facts,
        opens=("items", "refund") if intent == "return_rather" else ("items",),
        gold=(Call("return_items", wanted),),
        reads=shop.look(order, shipment=True, line=lines[0]),
        tells=(Tell("refund_total", total),) if shop.rng.integers(2) else (),
    )


def exchange(shop: Shopper) -> Goal | None:
    """Exchange a delivered line for another variant that is in stock."""
    for order in shop.delivered(late=False):
        for line in shop.lines(order):
            for value, variant in shop.others(line, stocked=True):
                shop.use(order)
                return exchange_of(shop, order, line, value, variant)
    return None


def exchange_of(
    shop: Shopper, order: Record, line: Record, value: str, variant: Record, intent: str = "exchange"
) -> Goal:
    """Exchange this line for this variant."""
    more = money.cents(variant["price"]) - money.cents(line["unit_price"])
    method = shop.payers(more)[0]
    facts = {**number(shop, order), "items": listed([line]), "wish": value, "payment": METHODS[method["kind"]]}
    wanted = {
        "order_id": order["order_id"],
        "variant_id": line["variant_id"],
        "new_variant_id": variant["variant_id"],
        "payment_method_id": method["method_id"],
    }
    return Goal(
        intent,
        facts=facts,
        opens=("items", "wish"),
        gold=(Call("exchange_item", wanted),),
        reads=(*shop.look(order, shipment=True, line=line), shop.product(line)),
        tells=difference(shop, more),
    )


def difference(shop: Shopper, more: int) -> tuple[Tell, ...]:
    """Return, now and then, the wish to hear a difference in price."""
    return (Tell("difference", money.text(abs(more))),) if more and shop.rng.integers(2) else ()


def swap(shop: Shopper) -> Goal | None:
    """Change a line of a processing order to another variant that is in stock."""
    for order in shop.orders("processing"):
        for line in shop.lines(order):
            for value, variant in payable(shop, order, line):
                shop.use(order)
                return swap_of(shop, order, line, value, variant)
    return None


def payable(shop: Shopper, order: Record, line: Record) -> list[tuple[str, Record]]:
    """Return the variants in stock whose difference in price the method of the order bears."""
    found = []
    for value, variant in shop.others(line, stocked=True):
        more = money.cents(variant["price"]) - money.cents(line["unit_price"])
        if order["paid_with"] in [one["method_id"] for one in shop.payers(more)]:
            found.append((value, variant))
    return found


def swap_of(shop: Shopper, order: Record, line: Record, value: str, variant: Record, intent: str = "swap") -> Goal:
    """Change this line to this variant."""
    more = money.cents(variant["price"]) - money.cents(line["unit_price"])
    wanted = {
        "order_id": order["order_id"],
        "variant_id": line["variant_id"],
        "new_variant_id": variant["variant_id"],
    }
    return Goal(
        intent,
        facts={**number(shop, order), "items": listed([line]), "wish": value},
        opens=("items", "wish"),
        gold=(Call("change_item", wanted),),
        reads=(*shop.look(order, line=line), shop.product(line)),
        tells=difference(shop, more),
    )


def address(shop: Shopper) -> Goal | None:
    """Send a processing order elsewhere."""
    for order in shop.orders("processing"):
        shop.use(order)
        return address_of(shop, order)
    return None


def address_of(shop: Shopper, order: Record, intent: str = "address") -> Goal:
    """Send this order elsewhere."""
    new = rows.address(shop.rng)
    return Goal(
        intent,
        facts={"order": order["order_id"], "address": f"{new['street']}, {new['town']}, {new['postcode']}"},
        opens=("address",) if intent == "address_rather" else ("order",),
        gold=(Call("change_address", {"order_id": order["order_id"], **new}),),
        reads=shop.look(order),
    )


def payment(shop: Shopper) -> Goal | None:
    """Pay a processing order with another method."""
    for order in shop.orders("processing"):
        methods = [one for one in shop.payers(money.cents(order["total"])) if one["method_id"] != order["paid_with"]]
        if methods:
            shop.use(order)
            return payment_of(shop, order, methods[0])
    return None


def payment_of(shop: Shopper, order: Record, method: Record, intent: str = "payment") -> Goal:
    """Pay this order with this method."""
    return Goal(
        intent,
        facts={"order": order["order_id"], "payment": METHODS[method["kind"]]},
        opens=("payment",) if intent == "payment_rather" else ("order",),
        gold=(Call("change_payment", {"order_id": order["order_id"], "payment_method_id": method["method_id"]}),),
        reads=shop.look(order),
    )


def express(shop: Shopper) -> Goal | None:
    """Send a processing order by express."""
    more = rows.FEES["express"] - rows.FEES["standard"]
    for order in shop.orders("processing"):
        able = order["paid_with"] in [one["method_id"] for one in shop.payers(more)]
        if able and order["delivery"]["speed"] == "standard":
            shop.use(order)
            return Goal(
                "express",
                facts={"order": order["order_id"]},
                opens=("order",),
                gold=(Call("change_delivery", {"order_id": order["order_id"], "speed": "express"}),),
                reads=shop.look(order),
                tells=(Tell("new_total", money.text(money.cents(order["total"]) + more)),),
            )
    return None


def default_address(shop: Shopper) -> Goal | None:
    """Send later orders elsewhere."""
    new = rows.address(shop.rng)
    return Goal(
        "default_address",
        facts={"address": f"{new['street']}, {new['town']}, {new['postcode']}"},
        gold=(Call("set_default_address", {"customer_id": shop.key, **new}),),
        reads=(Call("get_customer", {"customer_id": shop.key}),),
    )


def trouble(shop: Shopper) -> Goal | None:
    """Have a case opened about an item that arrived broken, is missing or is a wrong one."""
    for order in shop.delivered(late=False):
        for line in shop.lines(order):
            shop.use(order)
            said = shop.rng.choice(sorted(TROUBLES))
            return Goal(
                "trouble",
                facts={**number(shop, order), "items": listed([line]), "trouble": said},
                opens=("items", "trouble"),
                gold=(Call("open_case", {"order_id": order["order_id"], "trouble": TROUBLES[said]}),),
                reads=shop.look(order, shipment=True, line=line),
            )
    return None


def overdue(shop: Shopper) -> Goal | None:
    """Have a case opened about a parcel that should have arrived, and hear its tracking code."""
    for order in shop.orders("shipped"):
        shipment = shop.database["shipments"][order["shipment_id"]]
        if shipment["expected_on"] < rows.CLOCK[:10]:
            shop.use(order)
            return Goal(
                "overdue",
                facts={"order": order["order_id"]},
                opens=("order",),
                gold=(Call("open_case", {"order_id": order["order_id"], "trouble": "not arrived"}),),
                reads=shop.look(order, shipment=True),
                tells=(Tell("tracking", shipment["tracking_code"]),),
            )
    return None
