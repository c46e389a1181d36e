"""The shop's base: its size, its references, its money, and that it is the same to the byte everywhere."""

from collections import Counter
from datetime import date

import pytest

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.domains.retail import RETAIL, catalogue, rows

DIGEST = "f2acd45698bedafeef80dac5b29e534f"
BASE = RETAIL.database


def test_the_base_is_as_large_as_a_shop() -> None:
    sizes = {name: len(table) for name, table in BASE.items()}
    assert sizes["customers"] == rows.CUSTOMERS >= 500
    assert sizes["orders"] >= 1_500 and sizes["products"] >= 40 and sizes["variants"] >= 200
    assert sizes["cases"] == 0
    assert {len(order["lines"]) for order in BASE["orders"].values()} == {1, 2, 3, 4}
    states = Counter(order["status"] for order in BASE["orders"].values())
    assert set(states) == {"processing", "shipped", "delivered", "cancelled"} and min(states.values()) > 50


def test_every_reference_leads_somewhere() -> None:
    for order in BASE["orders"].values():
        assert order["customer"] in BASE["customers"]
        for entry in order["payments"]:
            assert BASE["payment_methods"][entry["method_id"]]["customer"] == order["customer"]
        for line in order["lines"]:
            variant = BASE["variants"][line["variant_id"]]
            assert line["product_id"] == variant["product_id"] and line["options"] == variant["options"]
        if order["shipment_id"] is not None:
            assert BASE["shipments"][order["shipment_id"]]["order_id"] == order["order_id"]
        assert (order["shipment_id"] is None) == (order["status"] in ("processing", "cancelled"))
    for key, product in BASE["products"].items():
        assert all(BASE["variants"][name]["product_id"] == key for name in product["variants"])
    for name, table in BASE.items():
        assert all(next(iter(record.values())) == key for key, record in table.items()), name


def test_every_order_costs_what_its_lines_and_its_delivery_cost() -> None:
    for order in BASE["orders"].values():
        kept = [line for line in order["lines"] if line["status"] == "ordered"]
        lines = sum(line["quantity"] * money.cents(line["unit_price"]) for line in kept)
        paid = sum((1 if p["kind"] == "charge" else -1) * money.cents(p["amount"]) for p in order["payments"])
        assert money.cents(order["total"]) == lines + money.cents(order["delivery"]["fee"]) == paid


def test_dates_run_from_order_to_delivery_and_end_today() -> None:
    for shipment in BASE["shipments"].values():
        order = BASE["orders"][shipment["order_id"]]
        days = [order["placed_on"], shipment["shipped_on"], shipment["delivered_on"] or RETAIL.clock[:10]]
        assert days == sorted(days) and days[-1] <= RETAIL.clock[:10]
        assert (shipment["delivered_on"] is None) == (shipment["status"] == "in transit")
    ages = [
        (rows.TODAY - date.fromisoformat(shipment["delivered_on"])).days
        for shipment in BASE["shipments"].values()
        if shipment["delivered_on"]
    ]
    assert min(sum(age <= 30 for age in ages), sum(age > 30 for age in ages)) > 200


def test_customers_can_be_told_apart_but_only_by_more_than_their_name() -> None:
    people = list(BASE["customers"].values())
    names = Counter((one["name"]["first"], one["name"]["last"]) for one in people)
    assert sum(count > 1 for count in names.values()) >= 20
    assert len({one["email"] for one in people}) == len(people)
    assert len({(*one["name"].values(), one["address"]["postcode"]) for one in people}) == len(people)


def test_everyone_can_pay_and_has_a_kind_of_method_once() -> None:
    kinds: dict[str, list[str]] = {key: [] for key in BASE["customers"]}
    for method in BASE["payment_methods"].values():
        kinds[method["customer"]].append(method["kind"])
    for owned in kinds.values():
        assert len(set(owned)) == len(owned) and set(owned) - {"gift card"}


def test_no_value_stands_for_two_options() -> None:
    values = [value for option in catalogue.OPTIONS for value in option]
    assert len(set(values)) == len(values)
    for variant in BASE["variants"].values():
        assert len(variant["options"]) == 2
    assert sum(variant["stock"] == 0 for variant in BASE["variants"].values()) > 50


def test_the_base_is_this_one() -> None:
    """Every change of the base shows here; `test_retail_families` draws it under another hash seed."""
    assert BASE.digest == DIGEST


@pytest.mark.parametrize(
    "text, cents", [("24.50", 2450), ("-0.05", -5), ("7", 700), ("£1,234.5", 123450), (" 0.00 ", 0)]
)
def test_amounts_are_read(text: str, cents: int) -> None:
    assert money.cents(text) == cents


@pytest.mark.parametrize("text", ["", "-", "1.234", "1e3", "nan", "٣", "12.", "12 34", "9" * 10])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no amount of money"):
        money.cents(text)


@pytest.mark.parametrize("cents, text", [(0, "0.00"), (5, "0.05"), (-5, "-0.05"), (123456, "1234.56"), (-100, "-1.00")])
def test_amounts_are_written_and_read_back(cents: int, text: str) -> None:
    assert money.text(cents) == text
    assert money.cents(text) == cents
