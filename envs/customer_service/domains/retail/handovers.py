"""Requests that no tool fulfils and that the policy leaves to the shop's staff."""

from __future__ import annotations

from agentgym.envs.customer_service.domains.retail import goals
from agentgym.envs.customer_service.domains.retail.shopper import Shopper, listed
from agentgym.envs.customer_service.sheet import Call, Goal


def deletion(shop: Shopper) -> Goal | None:
    """Have the account deleted."""
    return Goal("delete_account", gold=(_hand_over(shop, "account deletion"),), reads=(_customer(shop),))


def invoice(shop: Shopper) -> Goal | None:
    """Get an invoice in a company's name."""
    for order in shop.orders("processing", "shipped", "delivered"):
        shop.use(order)
        return Goal(
            "invoice",
            facts={"order": order["order_id"]},
            opens=("order",),
            gold=(_hand_over(shop, "business invoice"),),
            reads=shop.look(order),
        )
    return None


def injury(shop: Shopper) -> Goal | None:
    """Report that somebody was hurt by an item."""
    for order in shop.orders("delivered"):
        for line in shop.lines(order):
            shop.use(order)
            return Goal(
                "injury",
                facts={**goals.number(shop, order), "items": listed([line])},
                opens=("items",),
                gold=(_hand_over(shop, "safety concern"),),
                reads=(_customer(shop),),
            )
    return None


def _hand_over(shop: Shopper, reason: str) -> Call:
    return Call("transfer_to_human", {"customer_id": shop.key, "reason": reason})


def _customer(shop: Shopper) -> Call:
    return Call("get_customer", {"customer_id": shop.key})


ALL = (deletion, invoice, injury)
