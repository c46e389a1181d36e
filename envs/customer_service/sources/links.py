"""References between the records of an official database that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from agentgym.envs.customer_service.database import Database

Dangling = tuple[str, str, str]
"""Table, key, and what its record names that is not there."""


def dangling(domain: str, database: Database) -> Iterator[Dangling]:
    """Yield what records name that is not there, in the order of the tables."""
    yield from _FINDERS[domain](database)


def _retail(database: Database) -> Iterator[Dangling]:
    users, orders, products = database["users"], database["orders"], database["products"]
    for key in database.rows("users"):
        yield from (("users", key, f"order {order!r}") for order in users[key]["orders"] if order not in orders)
    for key in database.rows("orders"):
        order = orders[key]
        methods = users[order["user_id"]]["payment_methods"] if order["user_id"] in users else None
        if methods is None:
            yield "orders", key, f"user {order['user_id']!r}"
        for item in order["items"]:
            product = products.get(item["product_id"])
            if product is None or item["item_id"] not in product["variants"]:
                yield "orders", key, f"item {item['item_id']!r} of product {item['product_id']!r}"
        for payment in order["payment_history"]:
            if methods is not None and payment["payment_method_id"] not in methods:
                yield "orders", key, f"payment method {payment['payment_method_id']!r}"


def _airline(database: Database) -> Iterator[Dangling]:
    users, reservations = database["users"], database["reservations"]
    for key in database.rows("users"):
        for number in users[key]["reservations"]:
            if number not in reservations:
                yield "users", key, f"reservation {number!r}"
    for key in database.rows("reservations"):
        reservation = reservations[key]
        if reservation["user_id"] not in users:
            yield "reservations", key, f"user {reservation['user_id']!r}"
        for segment in reservation["flights"]:
            if f"{segment['flight_number']} {segment['date']}" not in database["days"]:
                yield "reservations", key, f"flight {segment['flight_number']} on {segment['date']}"


def _telecom(database: Database) -> Iterator[Dangling]:
    for table, field, other in (("lines", "plan_id", "plans"), ("lines", "device_id", "devices")):
        for key in database.rows(table):
            name = database[table][key][field]
            if name is not None and name not in database[other]:
                yield table, key, f"{field} {name!r}"
    for key in database.rows("bills"):
        if database["bills"][key]["customer_id"] not in database["customers"]:
            yield "bills", key, f"customer_id {database['bills'][key]['customer_id']!r}"
    for key in database.rows("customers"):
        for field, other in (("line_ids", "lines"), ("bill_ids", "bills")):
            for name in database["customers"][key][field]:
                if name not in database[other]:
                    yield "customers", key, f"{field} {name!r}"


_FINDERS = {"airline": _airline, "retail": _retail, "telecom": _telecom}
