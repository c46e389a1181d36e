"""Larder & Loom: the tools that look things up, and the domain."""

# ruff: noqa: D417 - the desk is no argument of the tool, and Args is what the agent reads

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domain import Desk, Refused, serves
from agentgym.envs.customer_service.domains.retail import ledger, rows
from agentgym.envs.customer_service.domains.retail.families import FAMILIES
from agentgym.envs.customer_service.domains.retail.shopper import owned_by
from agentgym.envs.customer_service.domains.retail.voice import VOICE
from agentgym.envs.customer_service.domains.retail.words import WORDS
from agentgym.envs.customer_service.domains.retail.writes import Writes


class Retail(Writes):
    """An online shop for kitchen and home."""

    name: ClassVar[str] = "retail"
    title: ClassVar[str] = "the online shop Larder & Loom"
    words = WORDS
    voice = VOICE
    families = FAMILIES

    @cached_property
    def database(self) -> Database:
        """The shop's base."""
        return rows.database()

    @serves("read")
    def find_customer_by_email(self, desk: Desk, *, email: str) -> Any:
        """Find a customer by e-mail address.

        Args:
            email: the address that the customer is registered with.
        """
        found = desk.database.index("by email", _by_email).get(email.strip().lower())
        if found is None:
            raise Refused(f"no customer has the e-mail address {email[:60]!r}")
        return _brief(desk, found)

    @serves("read")
    def find_customer_by_name_postcode(self, desk: Desk, *, name: str, postcode: str) -> Any:
        """Find a customer by full name and the postcode of their home address.

        Args:
            name: first and last name.
            postcode: such as BA1 4XX.
        """
        code = ledger.postcode(postcode)
        for key in desk.database.index("by name", _by_name).get(" ".join(name.lower().split()), ()):
            if desk.database["customers"][key]["address"]["postcode"] == code:
                return _brief(desk, key)
        raise Refused(f"no customer is called {name[:60]!r} and lives at {code}")

    @serves("read")
    def get_customer(self, desk: Desk, *, customer_id: str) -> Any:
        """Show a customer: name, addresses, payment methods with balances, and the orders with their states.

        Args:
            customer_id: such as C-1042.
        """
        database = desk.database
        customer = desk.find("customers", ledger.code(customer_id), "customer")
        owned = database.index("owned", owned_by)[customer["customer_id"]]
        methods = _listed(database, "payment_methods", owned["payment_methods"], _method)
        orders = _listed(database, "orders", owned["orders"], _entry)
        head = database.text("customer", customer["customer_id"], customer, _whole)[:-1]
        return f'{head}, "payment_methods": {methods}, "orders": {orders}}}'

    @serves("read")
    def get_order(self, desk: Desk, *, order_id: str) -> Any:
        """Show an order: state, lines, delivery, payments, address, and the number of its shipment.

        Args:
            order_id: such as ORD-48213.
        """
        found = ledger.order(desk, order_id)
        return desk.database.text("order", found["order_id"], found, json.dumps)

    @serves("read")
    def get_shipment(self, desk: Desk, *, shipment_id: str) -> Any:
        """Show a shipment: carrier, tracking code, when it was sent, is expected, was delivered.

        Args:
            shipment_id: such as SHP-30127, as the order names it.
        """
        return desk.find("shipments", ledger.code(shipment_id), "shipment")

    @serves("read")
    def get_product(self, desk: Desk, *, product_id: str) -> Any:
        """Show a product with all its variants: options, price, stock.

        Args:
            product_id: such as P-217, as the lines of an order name it.
        """
        product = desk.find("products", ledger.code(product_id), "product")
        head = json.dumps({name: product[name] for name in product if name != "variants"}, ensure_ascii=False)
        return f'{head[:-1]}, "variants": {_listed(desk.database, "variants", product["variants"], _shelf)}}}'

    @serves("generic")
    def add_up(self, desk: Desk, *, amounts: list[str]) -> Any:
        """Add amounts of money; put a minus in front of what is to be subtracted.

        Args:
            amounts: such as ["24.50", "-3.95"].
        """
        try:
            return money.text(sum(map(money.cents, amounts)))
        except ValueError as error:
            raise Refused(f"amounts: {error}") from None


def _brief(desk: Desk, key: str) -> Mapping[str, Any]:
    customer = desk.database["customers"][key]
    return {"customer_id": key, "name": customer["name"]}


def _listed(database: Database, table: str, keys: Sequence[str], render: Callable[[Record], str]) -> str:
    """Return a JSON list of records as `render` shows them, each remembered as long as it stands."""
    records = database[table]
    return f"[{', '.join(database.text(table, key, records[key], render) for key in keys)}]"


def _whole(record: Record) -> str:
    return json.dumps(record, ensure_ascii=False)


def _method(record: Record) -> str:
    return json.dumps({name: record[name] for name in record if name != "customer"}, ensure_ascii=False)


def _entry(record: Record) -> str:
    return json.dumps({name: record[name] for name in ("order_id", "placed_on", "status")}, ensure_ascii=False)


def _shelf(record: Record) -> str:
    return json.dumps({name: record[name] for name in ("variant_id", "options", "price", "stock")}, ensure_ascii=False)


def _by_email(database: Database) -> Mapping[str, str]:
    return {customer["email"]: key for key, customer in database["customers"].items()}


def _by_name(database: Database) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, customer in database["customers"].items():
        found.setdefault("{first} {last}".format(**customer["name"]).lower(), []).append(key)
    return found


RETAIL = Retail()
