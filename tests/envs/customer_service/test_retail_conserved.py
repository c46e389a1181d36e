"""No write makes or loses money or goods: over random calls, right and wrong ones, what the shop conserves stays."""

from collections.abc import Iterator
from typing import Any

import pytest

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domains.retail import RETAIL
from agentgym.envs.customer_service.sheet import Call
from agentgym.rng import TurnRng
from tests.envs.customer_service.retail_shop import BASE

HELD = ("ordered", "return requested", "exchange requested")


def sign(entry: dict) -> int:
    return 1 if entry["kind"] == "charge" else -1


def gift_cards(database: Database) -> dict[str, int]:
    """Return card → what it holds and what it has been charged, which no order changes."""
    sums = {key: money.cents(one["balance"]) for key, one in database["payment_methods"].items() if "balance" in one}
    for order in database["orders"].values():
        for entry in order["payments"]:
            if entry["method_id"] in sums:
                sums[entry["method_id"]] += sign(entry) * money.cents(entry["amount"])
    return sums


def units(database: Database) -> dict[str, int]:
    """Return variant → units on the shelf, with customers, and reserved for an exchange."""
    sums = {key: one["stock"] for key, one in database["variants"].items()}
    for order in database["orders"].values():
        for line in order["lines"]:
            if line["status"] in HELD:
                sums[line["variant_id"]] += line["quantity"]
            if "replacement" in line:
                sums[line["replacement"]["variant_id"]] += line["quantity"]
    return sums


def is_settled(order: dict) -> bool:
    """Whether an order's total is what was paid, and what its lines and its delivery cost."""
    paid = sum(sign(entry) * money.cents(entry["amount"]) for entry in order["payments"])
    cost = money.cents(order["delivery"]["fee"])
    for line in order["lines"]:
        if line["status"] in ("ordered", "exchange requested"):
            price = line.get("replacement", line)["unit_price"]
            cost += line["quantity"] * money.cents(price)
    return money.cents(order["total"]) == paid == cost


def random_calls(rng: TurnRng, count: int) -> Iterator[Call]:
    """Yield writes about a few customers' records, most of them sensible, some with a stranger's."""
    orders = rng.shuffled(list(BASE["orders"].values()))[:25]
    methods = list(BASE["payment_methods"].values())
    for _ in range(count):
        order = rng.choice(orders)
        line = rng.choice(order["lines"])
        mine = [one["method_id"] for one in methods if one["customer"] == order["customer"]]
        method = rng.choice([*mine, *mine, rng.choice(methods)["method_id"]])
        new = rng.choice(BASE["products"][line["product_id"]]["variants"])
        names = [one["variant_id"] for one in order["lines"]][: rng.integers(1, 3)]
        key: dict[str, Any] = {"order_id": order["order_id"]}
        swap = {"variant_id": line["variant_id"], "new_variant_id": new}
        yield rng.choice(
            [
                Call("cancel_order", {**key, "reason": "changed mind"}),
                Call("change_item", {**key, **swap}),
                Call("change_item", {**key, **swap}),
                Call("change_payment", {**key, "payment_method_id": method}),
                Call("change_delivery", {**key, "speed": rng.choice(["standard", "express"])}),
                Call("return_items", {**key, "variant_ids": names, "refund_to": method}),
                Call("exchange_item", {**key, **swap, "payment_method_id": method}),
                Call("open_case", {**key, "trouble": rng.choice(["damaged", "not arrived"])}),
            ]
        )


@pytest.mark.parametrize("seed", range(6))
def test_random_calls_conserve_money_and_goods(seed: int) -> None:
    database, done = BASE, set()
    touched: set[str] = set()
    for call in random_calls(TurnRng(seed, stream="retail calls"), 250):
        reply = RETAIL.call(database, call)
        if reply.error:
            assert reply.database is database
        else:
            done.add(call.name)
            touched.add(call.arguments["order_id"])
        database = reply.database
        assert all(is_settled(database["orders"][key]) for key in touched), call
    assert len(done) >= 6
    assert gift_cards(database) == gift_cards(BASE)
    assert units(database) == units(BASE)
    assert all(money.cents(one["balance"]) >= 0 for one in database["payment_methods"].values() if "balance" in one)
    assert all(one["stock"] >= 0 for one in database["variants"].values())
    assert database.unpack(database.pack()) == database


def test_the_same_write_twice_is_refused_or_changes_nothing_more() -> None:
    database, tried = BASE, set()
    for call in random_calls(TurnRng(77, stream="retail calls"), 150):
        reply = RETAIL.call(database, call)
        if not reply.error and reply.database is not database:
            again = RETAIL.call(reply.database, call)
            assert again.error or again.database == reply.database, call
            tried.add(call.name)
        database = reply.database
    assert len(tried) >= 6
