"""Records of the shop's base that meet a condition, and calls over them, for the tests of retail."""

import json
from collections.abc import Callable
from typing import Any

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domains.retail import RETAIL
from agentgym.envs.customer_service.sheet import Call

BASE = RETAIL.database


def call(database: Database, tool: str, **arguments: Any) -> tuple[Database, Any]:
    """Return the database after a call that succeeds, and what it said."""
    reply = RETAIL.call(database, Call(tool, arguments))
    assert not reply.error, reply.text
    return reply.database, json.loads(reply.text) if reply.text[:1] in '{"[' else reply.text


def refusal(database: Database, tool: str, **arguments: Any) -> str:
    """Return the error of a call that is refused and changes nothing."""
    reply = RETAIL.call(database, Call(tool, arguments))
    assert reply.error and reply.text.startswith("Error: ")
    assert reply.database is database
    return reply.text


def an_order(status: str, fits: Callable[[Record], bool] = lambda order: True) -> Record:
    """Return the first order in a state that fits."""
    return next(order for order in BASE["orders"].values() if order["status"] == status and fits(order))


def methods_of(customer: str, database: Database = BASE) -> dict[str, Record]:
    """Return kind → payment method of a customer."""
    found = database["payment_methods"].values()
    return {method["kind"]: method for method in found if method["customer"] == customer}


def days_ago(database: Database, order: Record, delivered_on: str) -> Database:
    """Return a database in which an order was delivered on another day."""
    shipment = database["shipments"][order["shipment_id"]]
    return database.set("shipments", order["shipment_id"], {**shipment, "delivered_on": delivered_on})


def siblings(line: Record, database: Database = BASE) -> list[Record]:
    """Return the other variants of a line's product."""
    keys = database["products"][line["product_id"]]["variants"]
    return [database["variants"][key] for key in keys if key != line["variant_id"]]


def is_final(line: Record) -> bool:
    """Whether a line is a final sale."""
    return bool(BASE["products"][line["product_id"]]["final_sale"])


def charged(database: Database, method: str) -> int:
    """Return what all orders have charged a method, in cents, refunds taken off."""
    sums = 0
    for order in database["orders"].values():
        for entry in order["payments"]:
            if entry["method_id"] == method:
                sums += (1 if entry["kind"] == "charge" else -1) * money.cents(entry["amount"])
    return sums
