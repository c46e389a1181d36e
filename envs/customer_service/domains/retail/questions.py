"""Goals that only want an answer, most of them one that has to be worked out from several records."""

from __future__ import annotations

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.domains.retail import goals, ledger
from agentgym.envs.customer_service.domains.retail.shopper import Shopper, listed
from agentgym.envs.customer_service.sheet import Call, Goal, Tell


def balance(shop: Shopper) -> Goal | None:
    """Ask what the gift card holds."""
    card = shop.gift_card
    if card is None or card["balance"] == "0.00":
        return None
    read = Call("get_customer", {"customer_id": shop.key})
    return Goal("ask_balance", reads=(read,), tells=(Tell("balance", card["balance"]),))


def total(shop: Shopper) -> Goal | None:
    """Ask what an order cost."""
    for order in shop.orders("processing", "shipped", "delivered"):
        shop.use(order)
        return Goal(
            "ask_total",
            facts={"order": order["order_id"]},
            opens=("order",),
            reads=shop.look(order),
            tells=(Tell("order_total", order["total"]),),
        )
    return None


def spent(shop: Shopper) -> Goal | None:
    """Ask what all orders that are not cancelled come to."""
    orders = [one for one in shop.all_orders if one["status"] != "cancelled"]
    if len(orders) < 2:
        return None
    reads = tuple(Call("get_order", {"order_id": one["order_id"]}) for one in orders)
    sum_ = money.text(sum(money.cents(one["total"]) for one in orders))
    return Goal("ask_spent", reads=reads, tells=(Tell("spent", sum_),))


def refund(shop: Shopper) -> Goal | None:
    """Ask what returning two lines would bring."""
    for order in shop.delivered(late=False):
        lines = shop.lines(order)[:2]
        if len(lines) == 2:
            shop.use(order)
            return Goal(
                "ask_refund",
                facts={**goals.number(shop, order), "items": listed(lines)},
                opens=("items",),
                reads=shop.look(order, shipment=True, line=lines[0]),
                tells=(Tell("refund_total", money.text(sum(map(ledger.cost, lines)))),),
            )
    return None


def difference(shop: Shopper) -> Goal | None:
    """Ask how far another variant's price is from what was paid."""
    for order in shop.orders("processing", "delivered"):
        for line in shop.lines(order):
            for value, variant in shop.others(line, stocked=True):
                more = _more(line, variant)
                if more:
                    shop.use(order)
                    return Goal(
                        "ask_difference",
                        facts={**goals.number(shop, order), "items": listed([line]), "wish": value},
                        opens=("items", "wish"),
                        reads=(*shop.look(order, line=line), shop.product(line)),
                        tells=(Tell("difference", money.text(abs(more))),),
                    )
    return None


def tracking(shop: Shopper) -> Goal | None:
    """Ask for the tracking code of a parcel on its way."""
    for order in shop.orders("shipped"):
        shop.use(order)
        return tracking_of(shop, order)
    return None


def tracking_of(shop: Shopper, order: Record) -> Goal:
    """Ask for the tracking code of this order's parcel."""
    code = shop.database["shipments"][order["shipment_id"]]["tracking_code"]
    return Goal(
        "ask_tracking",
        facts={"order": order["order_id"]},
        opens=("order",),
        reads=shop.look(order, shipment=True),
        tells=(Tell("tracking", code),),
    )


def _more(line: Record, variant: Record) -> int:
    return money.cents(variant["price"]) - money.cents(line["unit_price"])


ALL = (balance, total, spent, refund, difference, tracking)
