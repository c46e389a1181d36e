"""The official retail tools that write. They never ask who calls: any order of any user may be changed."""

# ruff: noqa: D417 - a draft is no argument of the tool, so its docstring does not list it

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.official.retail import TOOLS
from agentgym.envs.customer_service.official.retail_data import ADDRESS, PAYMENT
from agentgym.envs.customer_service.official.toolkit import Draft, Refusal, shown

__all__ = ["TOOLS"]

_PENDING = "Non-pending order cannot be modified"


def _order(draft: Draft, order_id: str) -> Record:
    return draft.find("orders", order_id, "Order not found")


def _method(draft: Draft, user_id: str, method_id: Any) -> Record:
    """Return a payment method of a user."""
    methods: dict[str, Record] = draft.find("users", user_id, "User not found")["payment_methods"]
    if method_id not in methods:
        raise Refusal("Payment method not found")
    return methods[method_id]


def _credit(draft: Draft, user_id: str, method_id: str, amount: float) -> None:
    """Add to the balance of a gift card, rounded to two places; other methods have none."""
    method = _method(draft, user_id, method_id)
    if method["source"] == "gift_card":
        methods = draft.database["users"][user_id]["payment_methods"]
        credited = {**method, "balance": round(method["balance"] + amount, 2)}
        draft.change("users", user_id, payment_methods={**methods, method_id: credited})


def _entry(kind: str, amount: float, method_id: str) -> Record:
    return PAYMENT({"transaction_type": kind, "amount": amount, "payment_method_id": method_id})


@TOOLS.tool("write")
def cancel_pending_order(
    draft: Draft, *, order_id: str, reason: Literal["no longer needed", "ordered by mistake"]
) -> str:
    """Cancel a pending order and refund it; explain this to the user and get an explicit yes first.

    Args:
        order_id: with its "#", such as "#W0000000".
        reason: the user's reason.
    """
    order = _order(draft, order_id)
    if order["status"] != "pending":
        raise Refusal("Non-pending order cannot be cancelled")
    if reason not in {"no longer needed", "ordered by mistake"}:
        raise Refusal("Invalid reason")
    refunds = []
    for payment in order["payment_history"]:  # refunds too: they are refunded once more
        refunds.append(_entry("refund", payment["amount"], payment["payment_method_id"]))
        _credit(draft, order["user_id"], payment["payment_method_id"], payment["amount"])
    history = [*order["payment_history"], *refunds]
    draft.change("orders", order_id, status="cancelled", cancel_reason=reason, payment_history=history)
    return shown(draft, "orders", order_id)


@TOOLS.tool("write")
def modify_pending_order_address(
    draft: Draft, *, order_id: str, address1: str, address2: str, city: str, state: str, country: str, zip: str
) -> str:
    """Change the shipping address of a pending order; explain this to the user and get an explicit yes first.

    Args:
        order_id: with its "#", such as "#W0000000".
        address1: first line, such as "1 Mill Lane".
        address2: second line, such as "Flat 2", or "".
        city: such as "Denver".
        state: such as "CO".
        country: such as "USA".
        zip: the postal code.
    """
    order = _order(draft, order_id)
    if "pending" not in order["status"]:
        raise Refusal(_PENDING)
    draft.change("orders", order_id, address=_address(address1, address2, city, state, country, zip))
    return shown(draft, "orders", order_id)


def _address(address1: Any, address2: Any, city: Any, state: Any, country: Any, code: Any) -> Record:
    given = {"address1": address1, "address2": address2, "city": city, "state": state, "country": country, "zip": code}
    return ADDRESS(given)


@TOOLS.tool("write")
def modify_user_address(
    draft: Draft, *, user_id: str, address1: str, address2: str, city: str, state: str, country: str, zip: str
) -> str:
    """Change a user's default address; explain this to the user and get an explicit yes first.

    Args:
        user_id: such as "ada_byron_1234".
        address1: first line, such as "1 Mill Lane".
        address2: second line, such as "Flat 2", or "".
        city: such as "Denver".
        state: such as "CO".
        country: such as "USA".
        zip: the postal code.
    """
    draft.find("users", user_id, "User not found")
    draft.change("users", user_id, address=_address(address1, address2, city, state, country, zip))
    return shown(draft, "users", user_id)


def _pairs(draft: Draft, order: Record, old_ids: Any, new_ids: Any, *, other: bool) -> list[tuple[Record, Record]]:
    """Return each pair as the order's item and the new variant; with `other`, the new item must be another one."""
    pairs = []
    for old, new in zip(old_ids, new_ids, strict=False):
        if other and old == new:
            raise Refusal("The new item id should be different from the old item id")
        item = next(item for item in order["items"] if item["item_id"] == old)
        variants = draft.find("products", item["product_id"], "Product not found")["variants"]
        if new not in variants:
            raise Refusal("Variant not found")
        if not variants[new]["available"]:
            raise Refusal(f"New item {new} not found or available")
        pairs.append((item, variants[new]))
    return pairs


def _missing(order: Record, item_ids: Any) -> Any:
    """Return the first item of which more copies are asked than the order holds, in a tuple; () if there is none."""
    held = [item["item_id"] for item in order["items"]]
    return next(((item,) for item in item_ids if item_ids.count(item) > held.count(item)), ())


def _difference(pairs: Sequence[tuple[Record, Record]]) -> float:
    total: float = 0
    for item, variant in pairs:
        total += variant["price"] - item["price"]
    return total


@TOOLS.tool("write")
def modify_pending_order_items(
    draft: Draft, *, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
) -> str:
    """Change items of a pending order to other variants of the same products; once per order, after an explicit yes.

    Args:
        order_id: with its "#", such as "#W0000000".
        item_ids: the items to change; one that occurs twice is named twice.
        new_item_ids: what each becomes, in the same order.
        payment_method_id: what pays or receives the difference in price.
    """
    order = _order(draft, order_id)
    if order["status"] != "pending":
        raise Refusal(_PENDING)
    if missing := _missing(order, item_ids):
        raise Refusal(f"{missing[0]} not found")
    if len(item_ids) != len(new_item_ids):
        raise Refusal("The number of items to be exchanged should match")
    pairs = _pairs(draft, order, item_ids, new_item_ids, other=True)
    price = _difference(pairs)
    method = _method(draft, order["user_id"], payment_method_id)
    if method["source"] == "gift_card" and method["balance"] < price:
        raise Refusal("Insufficient gift card balance to pay for the new item")
    _credit(draft, order["user_id"], payment_method_id, -price)
    entry = _entry("payment" if price > 0 else "refund", abs(price), payment_method_id)
    items = list(order["items"])
    for old, new in zip(item_ids, new_item_ids, strict=False):
        place = next(place for place, item in enumerate(items) if item["item_id"] == old)
        last = pairs[-1][1]  # the official fault: price and options are the last pair's, whatever pair this is
        items[place] = {**items[place], "item_id": new, "price": last["price"], "options": last["options"]}
    history = [*order["payment_history"], entry]
    draft.change("orders", order_id, items=items, status="pending (item modified)", payment_history=history)
    return shown(draft, "orders", order_id)


@TOOLS.tool("write")
def modify_pending_order_payment(draft: Draft, *, order_id: str, payment_method_id: str) -> str:
    """Change what a pending order is paid with; explain this to the user and get an explicit yes first.

    Args:
        order_id: with its "#", such as "#W0000000".
        payment_method_id: the new payment method, one of the user's.
    """
    order = _order(draft, order_id)
    if "pending" not in order["status"]:
        raise Refusal(_PENDING)
    method = _method(draft, order["user_id"], payment_method_id)
    history = order["payment_history"]
    if len(history) != 1 or history[0]["transaction_type"] != "payment":
        raise Refusal("There should be exactly one payment for a pending order")
    old, amount = history[0]["payment_method_id"], history[0]["amount"]
    if old == payment_method_id:
        raise Refusal("The new payment method should be different from the current one")
    if method["source"] == "gift_card" and method["balance"] < amount:
        raise Refusal("Insufficient gift card balance to pay for the order")
    _credit(draft, order["user_id"], payment_method_id, -amount)
    _credit(draft, order["user_id"], old, amount)
    entries = [_entry("payment", amount, payment_method_id), _entry("refund", amount, old)]
    draft.change("orders", order_id, payment_history=[*history, *entries])
    return shown(draft, "orders", order_id)


@TOOLS.tool("write")
def return_delivered_order_items(draft: Draft, *, order_id: str, item_ids: list[str], payment_method_id: str) -> str:
    """Ask for the return of items of a delivered order; explain this to the user and get an explicit yes first.

    Args:
        order_id: with its "#", such as "#W0000000".
        item_ids: the items to return; one that occurs twice is named twice.
        payment_method_id: what receives the refund: the one that paid, or a gift card of the user.
    """
    order = _order(draft, order_id)
    if order["status"] != "delivered":
        raise Refusal("Non-delivered order cannot be returned")
    method = _method(draft, order["user_id"], payment_method_id)
    if method["source"] != "gift_card" and payment_method_id != order["payment_history"][0]["payment_method_id"]:
        raise Refusal("Payment method should be the original payment method")
    if _missing(order, item_ids):
        raise Refusal("Some item not found")
    draft.change(
        "orders",
        order_id,
        status="return requested",
        return_items=sorted(item_ids),
        return_payment_method_id=payment_method_id,
    )
    return shown(draft, "orders", order_id)


@TOOLS.tool("write")
def exchange_delivered_order_items(
    draft: Draft, *, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
) -> str:
    """Ask for the exchange of items of a delivered order for other variants of the same products, after a yes.

    Args:
        order_id: with its "#", such as "#W0000000".
        item_ids: the items to exchange; one that occurs twice is named twice.
        new_item_ids: what each is exchanged for, in the same order.
        payment_method_id: what pays or receives the difference in price.
    """
    order = _order(draft, order_id)
    if order["status"] != "delivered":
        raise Refusal("Non-delivered order cannot be exchanged")
    if missing := _missing(order, item_ids):
        raise Refusal(f"Number of {missing[0]} not found.")
    if len(item_ids) != len(new_item_ids):
        raise Refusal("The number of items to be exchanged should match.")
    price = round(_difference(_pairs(draft, order, item_ids, new_item_ids, other=False)), 2)
    method = _method(draft, order["user_id"], payment_method_id)
    if method["source"] == "gift_card" and method["balance"] < price:
        raise Refusal("Insufficient gift card balance to pay for the price difference")
    draft.change(
        "orders",
        order_id,
        status="exchange requested",
        exchange_items=sorted(item_ids),
        exchange_new_items=sorted(new_item_ids),
        exchange_payment_method_id=payment_method_id,
        exchange_price_difference=price,
    )
    return shown(draft, "orders", order_id)
