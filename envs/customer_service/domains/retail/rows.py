"""The shop's database, drawn from one seed: customers, payment methods, products, variants, orders, shipments.

Amounts are decimal texts. In every order the charges less the refunds are its total, and what its lines cost with the
delivery fee; stock is what lies on the shelf.
Cases and hand-overs are still none.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from itertools import product as combinations
from typing import Any, Final

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domains.retail.catalogue import NAMES, PRODUCTS
from agentgym.envs.customer_service.domains.retail.people import CARRIERS, FIRST, LAST, MAILBOXES, STREETS, TOWNS
from agentgym.rng import TurnRng

CLOCK: Final = "2027-03-18 10:30:00"
TODAY: Final = date(2027, 3, 18)
CUSTOMERS: Final = 600
FEES: Final = {"standard": 395, "express": 895}
"""Delivery speed → fee in cents."""

_LETTERS = "ABDEFGHJLNPQRSTUWXYZ"
_STATES = ("processing", "shipped", "recent", "old", "cancelled")
_SHARES = (32, 14, 28, 20, 6)
_SENT = {"shipped": (1, 9), "recent": (4, 26), "old": (37, 120)}
"""State → how many days ago the parcel was sent, from and below."""
_ORDERS = (1, 2, 2, 3, 3, 4, 5)
_LINES = (1, 2, 2, 3, 3, 4)

Tables = dict[str, dict[str, Record]]


@cache
def database() -> Database:
    """Return the base that all tasks share."""
    rng = TurnRng(20_270_318, stream="retail rows")
    tables: Tables = {
        name: {}
        for name in (
            "customers",
            "payment_methods",
            "products",
            "variants",
            "orders",
            "shipments",
            "cases",
            "handovers",
        )
    }
    _catalogue(tables, rng)
    for index in range(CUSTOMERS):
        customer = _customer(tables, rng, index)
        methods = _methods(tables, rng, customer)
        for _ in range(rng.choice(_ORDERS)):
            _order(tables, rng, customer, methods)
    return Database(tables)


def spread(index: int, low: int, size: int, step: int) -> int:
    """Return the index-th of `size` numbers from `low` on, in scattered order; step and size have to be coprime."""
    return low + (index * step + 17) % size


def address(rng: TurnRng) -> Record:
    """Return a drawn address."""
    town, area = rng.choice(TOWNS).rsplit(" ", 1)
    code = f"{area}{rng.integers(1, 20)} {rng.integers(1, 10)}{rng.choice(_LETTERS)}{rng.choice(_LETTERS)}"
    return {"street": f"{rng.integers(1, 140)} {rng.choice(STREETS)}", "town": town, "postcode": code}


def _catalogue(tables: Tables, rng: TurnRng) -> None:
    for index, item in enumerate(PRODUCTS):
        key = f"P-{spread(index, 100, 900, 37)}"
        tables["products"][key] = {
            "product_id": key,
            "name": item.name,
            "category": item.category,
            "final_sale": item.final,
            "variants": [],
        }
        for first, second in combinations(item.first, item.second):
            price = item.base + item.second.index(second) * item.base // 3 + rng.integers(4) * 165
            name = f"V-{spread(len(tables['variants']), 10_000, 90_000, 4_877)}"
            tables["products"][key]["variants"].append(name)
            tables["variants"][name] = {
                "variant_id": name,
                "product_id": key,
                "name": item.name,
                "options": {NAMES_OF[item.first]: first, NAMES_OF[item.second]: second},
                "price": money.text(price),
                "stock": 0 if rng.integers(100) < 22 else rng.integers(2, 60),
            }


NAMES_OF: Final = {
    part: NAMES[whole]
    for whole in NAMES
    for start in range(len(whole))
    for end in range(start + 1, len(whole) + 1)
    for part in [whole[start:end]]
}
"""Any run of an option's values → the option's name."""


def _customer(tables: Tables, rng: TurnRng, index: int) -> Record:
    key = f"C-{spread(index, 1_000, 9_000, 1_871)}"
    first, last = rng.choice(FIRST), rng.choice(LAST)
    if index % 12 == 11:  # someone of the same name, or nearly, lives elsewhere
        namesake = list(tables["customers"].values())[index - rng.integers(1, 10)]["name"]
        first, last = (namesake["first"], namesake["last"]) if index % 24 == 11 else (first, namesake["last"])
    handle = f"{first}.{last}".lower() if rng.integers(2) else f"{first[0]}{last}".lower()
    record = {
        "customer_id": key,
        "name": {"first": first, "last": last},
        "email": f"{handle}{rng.integers(10, 100)}@{rng.choice(MAILBOXES)}",
        "address": address(rng),
        "member_since": str(TODAY - timedelta(days=rng.integers(100, 2_000))),
    }
    taken = {other["email"] for other in tables["customers"].values()} if index % 12 == 11 else ()
    if record["email"] in taken:
        record["email"] = f"{key.lower()}.{record['email']}"
    tables["customers"][key] = record
    return record


def _methods(tables: Tables, rng: TurnRng, customer: Record) -> list[Record]:
    kinds = [kind for kind, share in _KINDS if rng.integers(100) < share] or ["Visa card"]
    if kinds == ["gift card"]:
        kinds = ["Mastercard", "gift card"]
    found = []
    for kind in kinds:
        key = f"PM-{spread(len(tables['payment_methods']), 1_000, 9_000, 2_903)}"
        record: Record = {"method_id": key, "customer": customer["customer_id"], "kind": kind}
        if kind == "gift card":
            record["balance"] = money.text(rng.integers(300, 16_000))
        elif kind != "Pennywell wallet":
            record["last_four"] = f"{rng.integers(10_000):04d}"
        tables["payment_methods"][key] = record
        found.append(record)
    return found


_KINDS: Final = (("Visa card", 62), ("Mastercard", 45), ("Pennywell wallet", 40), ("gift card", 66))


def _order(tables: Tables, rng: TurnRng, customer: Record, methods: list[Record]) -> None:
    key = f"ORD-{spread(len(tables['orders']), 10_000, 90_000, 48_611)}"
    state = rng.choice(_STATES, _SHARES)
    lines = _lines(tables, rng)
    speed = "express" if rng.integers(5) == 0 else "standard"
    total = FEES[speed] + sum(line["quantity"] * money.cents(line["unit_price"]) for line in lines)
    method = rng.choice(
        [item for item in methods if item["kind"] != "gift card" or rng.integers(3) == 0] or methods[:1]
    )
    payments = [{"kind": "charge", "method_id": method["method_id"], "amount": money.text(total)}]
    order: dict[str, Any] = {
        "order_id": key,
        "customer": customer["customer_id"],
        "status": "delivered" if state in ("recent", "old") else state,
        "placed_on": "",
        "lines": lines,
        "delivery": {"speed": speed, "fee": money.text(FEES[speed])},
        "total": money.text(total),
        "paid_with": method["method_id"],
        "payments": payments,
        "address": customer["address"] if rng.integers(6) else address(rng),
        "shipment_id": None,
    }
    if state == "cancelled":
        payments.append({**payments[0], "kind": "refund"})
        order |= {"total": "0.00", "lines": [{**line, "status": "cancelled"} for line in lines]}
        order["delivery"] = {"speed": speed, "fee": "0.00"}
    _dates(tables, rng, order, state)
    tables["orders"][key] = order


def _lines(tables: Tables, rng: TurnRng) -> list[Record]:
    names = list(tables["variants"])
    picked: list[Record] = []
    for _ in range(rng.choice(_LINES)):
        variant = tables["variants"][rng.choice(names)]
        if variant["variant_id"] not in [line["variant_id"] for line in picked]:
            picked.append(
                {
                    "variant_id": variant["variant_id"],
                    "product_id": variant["product_id"],
                    "name": variant["name"],
                    "options": variant["options"],
                    "quantity": 2 if rng.integers(6) == 0 else 1,
                    "unit_price": variant["price"],
                    "status": "ordered",
                }
            )
    return picked


def _dates(tables: Tables, rng: TurnRng, order: Record, state: str) -> None:
    """Give an order its dates, and a shipment where it was sent."""
    if state in ("processing", "cancelled"):
        days = rng.integers(0, 3) if state == "processing" else rng.integers(5, 90)
        order["placed_on"] = str(TODAY - timedelta(days=days))
        return
    shipped = TODAY - timedelta(days=rng.integers(*_SENT[state]))
    arrived = shipped + timedelta(days=rng.integers(1, 4))
    key = f"SHP-{spread(len(tables['shipments']), 10_000, 90_000, 31_247)}"
    order["placed_on"] = str(shipped - timedelta(days=rng.integers(1, 3)))
    order["shipment_id"] = key
    tables["shipments"][key] = {
        "shipment_id": key,
        "order_id": order["order_id"],
        "customer": order["customer"],
        "carrier": rng.choice(CARRIERS),
        "tracking_code": f"LL{rng.integers(10**7, 10**8)}",
        "status": "in transit" if state == "shipped" else "delivered",
        "shipped_on": str(shipped),
        "expected_on": str(shipped + timedelta(days=4)),
        "delivered_on": None if state == "shipped" else str(arrived),
    }
