"""The official retail tools: finding and reading. Those that write are in `retail_writes`."""

# ruff: noqa: D417 - a draft is no argument of the tool, so its docstring does not list it

from __future__ import annotations

import json
from typing import Final

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.official.arithmetic import calculate as _calculate
from agentgym.envs.customer_service.official.toolkit import Draft, Refusal, Toolkit, shown

TOOLS: Final = Toolkit()


def _emails(fresh: Database) -> dict[str, str]:
    found: dict[str, str] = {}
    for user in fresh.rows("users"):
        found.setdefault(fresh["users"][user]["email"].lower(), user)
    return found


def _first_names(fresh: Database) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for user in fresh.rows("users"):
        name = fresh["users"][user]["name"]
        found.setdefault(name["first_name"].lower(), []).append((name["last_name"].lower(), user))
    return found


def _items(fresh: Database) -> dict[str, tuple[str, Record]]:
    found: dict[str, tuple[str, Record]] = {}
    for product in fresh.rows("products"):
        for item, variant in fresh["products"][product]["variants"].items():
            found.setdefault(item, (product, variant))
    return found


def _types(fresh: Database) -> str:
    products = fresh["products"].values()
    return json.dumps(dict(sorted((product["name"], product["product_id"]) for product in products)))


@TOOLS.tool("read")
def find_user_id_by_email(draft: Draft, *, email: str) -> str:
    """Find a user id by email address; the case of letters does not matter.

    Args:
        email: the address, such as "ada@example.com".
    """
    found = draft.database.index("emails", _emails).get(email.lower())
    if found is None:
        raise Refusal("User not found")
    return found


@TOOLS.tool("read")
def find_user_id_by_name_zip(draft: Draft, *, first_name: str, last_name: str, zip: str) -> str:
    """Find a user id by first name, last name and postal code, for users who do not know their email address.

    Args:
        first_name: such as "Ada".
        last_name: such as "Byron".
        zip: the postal code of the user's address.
    """
    for last, user in draft.database.index("first_names", _first_names).get(first_name.lower(), ()):
        if last == last_name.lower() and draft.database["users"][user]["address"]["zip"] == zip:
            return user
    raise Refusal("User not found")


@TOOLS.tool("read")
def get_user_details(draft: Draft, *, user_id: str) -> str:
    """Read a user's name, address, email, payment methods and orders.

    Args:
        user_id: such as "ada_byron_1234".
    """
    draft.find("users", user_id, "User not found")
    return shown(draft, "users", user_id)


@TOOLS.tool("read")
def get_order_details(draft: Draft, *, order_id: str) -> str:
    """Read an order: status, items, address, payments.

    Args:
        order_id: with its "#", such as "#W0000000".
    """
    draft.find("orders", order_id, "Order not found")
    return shown(draft, "orders", order_id)


@TOOLS.tool("read")
def get_product_details(draft: Draft, *, product_id: str) -> str:
    """Read a product with all its variants.

    Args:
        product_id: which is another id than an item's.
    """
    draft.find("products", product_id, "Product not found")
    return shown(draft, "products", product_id)


@TOOLS.tool("read")
def get_item_details(draft: Draft, *, item_id: str) -> str:
    """Read one variant of a product: options, price, whether it is available.

    Args:
        item_id: which is another id than a product's.
    """
    found = draft.database.index("items", _items).get(item_id)
    if found is None:
        raise Refusal("Item not found")
    return draft.database.text("items", item_id, found[1], json.dumps)


@TOOLS.tool("read")
def list_all_product_types(draft: Draft) -> str:
    """List all product types by name with their product ids."""
    return draft.database.index("types", _types)


@TOOLS.tool("generic")
def calculate(draft: Draft, *, expression: str) -> str:
    """Calculate the value of an expression, rounded to two places.

    Args:
        expression: of numbers, + - * / and parentheses.
    """
    return _calculate(expression)


@TOOLS.tool("generic")
def transfer_to_human_agents(draft: Draft, *, summary: str) -> str:
    """Hand the user over to a human agent; only where policy says so, or where no tool can help.

    Args:
        summary: the user's concern, in short.
    """
    return "Transfer successful"
