"""What the writes have in common: the checks of an order, its lines and its payments, and how money and stock move."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.domain import Desk, Refused

RETURN_DAYS = 30
"""A delivered line may go back for so many days after the day of delivery."""

_POSTCODE = re.compile(r"[A-Z]{1,2}\d[A-Z\d]?\d[A-Z]{2}", re.ASCII)


def code(text: str) -> str:
    """Return a record's id as it is spelt in the tables."""
    return text.strip().upper()


def postcode(text: str) -> str:
    """Return a postcode as it is spelt in the tables: "ba11aa" → "BA1 1AA"; Refused if it is none."""
    bare = "".join(text.split()).upper()
    if not _POSTCODE.fullmatch(bare):
        raise Refused(f"postcode: {text[:20]!r} is no postcode such as BA1 4XX")
    return f"{bare[:-3]} {bare[-3:]}"


def new_address(street: str, town: str, code: str) -> Record:
    """Return an address of tidied texts; Refused if a part is missing."""
    tidy = {"street": " ".join(street.split()).strip(" ,"), "town": " ".join(town.split()).strip(" ,")}
    for name, value in tidy.items():
        if not 2 <= len(value) <= 80:
            raise Refused(f"{name}: give 2 to 80 characters")
    return {**tidy, "postcode": postcode(code)}


def order(desk: Desk, order_id: str) -> Record:
    """Return an order."""
    return desk.find("orders", code(order_id), "order")


def processing(desk: Desk, order_id: str, what: str) -> Record:
    """Return an order that has not been packed yet; Refused, saying that only then `what` is possible, if it has."""
    found = order(desk, order_id)
    if found["status"] != "processing":
        raise Refused(f"order {found['order_id']} is {found['status']}; {what} only while an order is processing")
    return found


def delivered(desk: Desk, order_id: str, what: str) -> Record:
    """Return an order delivered at most 30 days ago; Refused if it was not, or earlier."""
    found = order(desk, order_id)
    if found["status"] != "delivered":
        raise Refused(f"order {found['order_id']} is {found['status']}; {what} only once an order is delivered")
    arrived = desk.find("shipments", found["shipment_id"], "shipment")["delivered_on"]
    days = (date.fromisoformat(desk.clock[:10]) - date.fromisoformat(arrived)).days
    if days > RETURN_DAYS:
        raise Refused(
            f"order {found['order_id']} was delivered on {arrived}, {days} days ago; "
            f"{what} only within {RETURN_DAYS} days of delivery"
        )
    return found


def line(found: Record, variant_id: str) -> Record:
    """Return the line of an order that holds a variant and is not on its way back or exchanged."""
    wanted = code(variant_id)
    item: Record
    for item in found["lines"]:
        if item["variant_id"] == wanted:
            if item["status"] != "ordered":
                raise Refused(f"{wanted} in order {found['order_id']} is already marked {item['status']!r}")
            return item
    held = ", ".join(item["variant_id"] for item in found["lines"])
    raise Refused(f"order {found['order_id']} has no line with {wanted}; it holds {held}")


def with_line(found: Record, old: Record, new: Record) -> list[Record]:
    """Return an order's lines, one of them replaced."""
    return [new if item is old else item for item in found["lines"]]


def method(desk: Desk, customer_id: str, method_id: str) -> Record:
    """Return a payment method of a customer; Refused, naming those that there are, if it is not theirs."""
    wanted = code(method_id)
    found = desk.database["payment_methods"].get(wanted)
    if found is None or found["customer"] != customer_id:
        table = desk.database["payment_methods"]
        own = ", ".join(key for key in table if table[key]["customer"] == customer_id)
        raise Refused(f"payment method {wanted} is not one of customer {customer_id}; theirs are {own}")
    return found


def pay(desk: Desk, found: Record, method_id: str, cents: int) -> Record:
    """Charge a method for an order (refund it if below 0), and return the order with the payment and the new total.

    Refused if a gift card holds less.
    """
    if cents == 0:
        return found
    card = desk.find("payment_methods", method_id, "payment method")
    if "balance" in card:
        left = money.cents(card["balance"]) - cents
        if left < 0:
            raise Refused(
                f"gift card {method_id} holds {card['balance']}, which does not cover {money.text(cents)}; "
                "use a method that does"
            )
        desk.change("payment_methods", method_id, balance=money.text(left))
    entry = {"kind": "charge" if cents > 0 else "refund", "method_id": method_id, "amount": money.text(abs(cents))}
    total = money.text(money.cents(found["total"]) + cents)
    return {**found, "payments": [*found["payments"], entry], "total": total}


def charged(found: Record) -> Mapping[str, int]:
    """Return method → what an order has cost it so far, in cents, in the order of the payments."""
    sums: dict[str, int] = {}
    for entry in found["payments"]:
        sign = 1 if entry["kind"] == "charge" else -1
        sums[entry["method_id"]] = sums.get(entry["method_id"], 0) + sign * money.cents(entry["amount"])
    return sums


def cost(item: Record) -> int:
    """Return what a line costs, in cents."""
    return int(item["quantity"]) * money.cents(item["unit_price"])


def shelve(desk: Desk, variant_id: str, units: int) -> None:
    """Put units of a variant on the shelf, or take them off it (below 0); Refused if there are fewer."""
    variant = desk.find("variants", variant_id, "variant")
    left = variant["stock"] + units
    if left < 0:
        raise Refused(f"variant {variant_id} has {variant['stock']} in stock, {-units} are needed")
    desk.change("variants", variant_id, stock=left)


def sibling(desk: Desk, old: Record, new_variant_id: str) -> Record:
    """Return the variant that a line is exchanged for: another one of the same product; Refused if it is not."""
    new = desk.find("variants", code(new_variant_id), "variant")
    if new["product_id"] != old["product_id"]:
        raise Refused(
            f"{new['variant_id']} is a {new['name']}, the line is a {old['name']}; "
            "only a variant of the same product can take its place"
        )
    if new["variant_id"] == old["variant_id"]:
        raise Refused(f"new_variant_id: the line holds {old['variant_id']} already")
    return new
