"""Retail's records: the official models, and the database of a file."""

from __future__ import annotations

from typing import Any, Final

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.values import (
    Model,
    by_source,
    decimal,
    flag,
    keyed,
    listed,
    maybe,
    one_of,
    text,
)

TABLES: Final = ("products", "users", "orders")

ADDRESS: Final = Model("UserAddress", dict.fromkeys(("address1", "address2", "city", "country", "state", "zip"), text))
VARIANT: Final = Model("Variant", {"item_id": text, "options": keyed(text), "available": flag, "price": decimal})
PRODUCT: Final = Model("Product", {"name": text, "product_id": text, "variants": keyed(VARIANT)})
METHOD: Final = by_source(
    credit_card=Model("CreditCard", {"source": text, "id": text, "brand": text, "last_four": text}),
    paypal=Model("Paypal", {"source": text, "id": text}),
    gift_card=Model("GiftCard", {"source": text, "id": text, "balance": decimal}),
)
USER: Final = Model(
    "User",
    {
        "user_id": text,
        "name": Model("UserName", {"first_name": text, "last_name": text}),
        "address": ADDRESS,
        "email": text,
        "payment_methods": keyed(METHOD),
        "orders": listed(text),
    },
)
ITEM: Final = Model(
    "OrderItem", {"name": text, "product_id": text, "item_id": text, "price": decimal, "options": keyed(text)}
)
STATUSES: Final = (
    "processed",
    "pending",
    "pending (item modified)",
    "delivered",
    "cancelled",
    "exchange requested",
    "return requested",
)
PAYMENT: Final = Model(
    "OrderPayment",
    {"transaction_type": one_of("payment", "refund"), "amount": decimal, "payment_method_id": text},
)
_LATER: Final = {
    "cancel_reason": maybe(one_of("no longer needed", "ordered by mistake")),
    "exchange_items": maybe(listed(text)),
    "exchange_new_items": maybe(listed(text)),
    "exchange_payment_method_id": maybe(text),
    "exchange_price_difference": maybe(decimal),
    "return_items": maybe(listed(text)),
    "return_payment_method_id": maybe(text),
}
ORDER: Final = Model(
    "Order",
    {
        "order_id": text,
        "user_id": text,
        "address": ADDRESS,
        "items": listed(ITEM),
        "status": one_of(*STATUSES),
        "fulfillments": listed(Model("OrderFullfilment", {"tracking_id": listed(text), "item_ids": listed(text)})),
        "payment_history": listed(PAYMENT),
        **_LATER,
    },
    dict.fromkeys(_LATER),
)
MODELS: Final = {"products": PRODUCT, "users": USER, "orders": ORDER}


def dump(database: Database) -> dict[str, Any]:
    """Return the whole database in the shape of the official dump."""
    return {name: dict(database[name]) for name in TABLES}
