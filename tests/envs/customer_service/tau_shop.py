"""A shop of our own in the shape of the official retail data, small enough to work out by hand."""

from __future__ import annotations

from typing import Any

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.retail_data import MODELS

ADDRESS = {"address1": "1 Mill Lane", "address2": "", "city": "Ely", "country": "UK", "state": "", "zip": "CB7"}


def variant(item: str, price: float, available: bool = True, **options: str) -> dict[str, Any]:
    return {"item_id": item, "options": options, "available": available, "price": price}


def product(name: str, number: str, *variants: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "product_id": number, "variants": {one["item_id"]: one for one in variants}}


CUP = product("Cup", "p1", variant("c1", 10.0, size="S"), variant("c2", 12.5, size="L"), variant("c3", 1.0, False))
LAMP = product("Lamp", "p2", variant("l1", 30.0, colour="red"), variant("l2", 41.1, colour="blue"))


def item(of: dict[str, Any], number: str) -> dict[str, Any]:
    found = of["variants"][number]
    return {
        "name": of["name"],
        "product_id": of["product_id"],
        **{key: found[key] for key in ("item_id", "price", "options")},
    }


def order(number: str, status: str, items: list[dict[str, Any]], paid: float, method: str) -> dict[str, Any]:
    payment = {"transaction_type": "payment", "amount": paid, "payment_method_id": method}
    return {
        "order_id": number, "user_id": "ada", "address": ADDRESS, "items": items, "status": status,
        "fulfillments": [], "payment_history": [payment],
    }  # fmt: skip


GIFT = {"source": "gift_card", "id": "gift", "balance": 20.0}
CARD = {"source": "credit_card", "id": "card", "brand": "visa", "last_four": "0001"}
PAYPAL = {"source": "paypal", "id": "paypal"}


def user(number: str, first: str, last: str, email: str, *methods: dict[str, Any]) -> dict[str, Any]:
    return {
        "user_id": number, "name": {"first_name": first, "last_name": last}, "address": ADDRESS, "email": email,
        "payment_methods": {one["id"]: one for one in methods}, "orders": [],
    }  # fmt: skip


RAW: dict[str, dict[str, Any]] = {
    "products": {"p2": LAMP, "p1": CUP},
    "users": {
        "zoe": user("zoe", "Zoë", "Ode", "both@example.com"),
        "ada": user("ada", "Ada", "Byron", "ada@example.com", GIFT, CARD, PAYPAL),
        "bob": user("bob", "Bob", "Ode", "Both@Example.com"),
    },
    "orders": {
        "#1": order("#1", "pending", [item(CUP, "c1"), item(LAMP, "l1")], 40.0, "card"),
        "#2": order("#2", "delivered", [item(CUP, "c1"), item(CUP, "c1"), item(LAMP, "l1")], 50.0, "paypal"),
        "#3": order("#3", "pending", [item(CUP, "c1")], 10.0, "gift"),
        "#4": order("#4", "processed", [item(LAMP, "l2")], 41.1, "card"),
    },
}


def shop() -> Database:
    return Database({name: {key: model(RAW[name][key]) for key in RAW[name]} for name, model in MODELS.items()})
