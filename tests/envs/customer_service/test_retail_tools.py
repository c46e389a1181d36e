"""The shop's tools: what each does, what each refuses, and that a refusal changes nothing and says what is allowed."""

import pytest

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.domains.retail import RETAIL
from tests.envs.customer_service.retail_shop import (
    BASE,
    an_order,
    call,
    charged,
    days_ago,
    is_final,
    methods_of,
    refusal,
    siblings,
)

PROCESSING = an_order("processing", lambda order: len(order["lines"]) > 1)
SHIPPED = an_order("shipped")
RECENT = an_order(
    "delivered",
    lambda order: (
        BASE["shipments"][order["shipment_id"]]["delivered_on"] > "2027-02-25"
        and len(order["lines"]) > 1
        and not any(map(is_final, order["lines"]))
        and "gift card" in methods_of(order["customer"])
    ),
)
HOME = {"street": "4 Kiln Street", "town": "York", "postcode": "YO1 7HH"}


def is_plain(order: dict) -> bool:
    """Whether an order goes by standard delivery and no gift card pays for it."""
    return order["delivery"]["speed"] == "standard" and "balance" not in BASE["payment_methods"][order["paid_with"]]


def own(order: dict, kind: str = "gift card") -> str:
    return methods_of(order["customer"])[kind]["method_id"]


# ---- looking up ------------------------------------------------------------------------------------------------------


def test_a_customer_is_found_by_email_in_any_case() -> None:
    key, customer = next(iter(BASE["customers"].items()))
    _, found = call(BASE, "find_customer_by_email", email=f" {customer['email'].upper()} ")
    assert found == {"customer_id": key, "name": customer["name"]}
    assert "nobody@home.example" in refusal(BASE, "find_customer_by_email", email="nobody@home.example")


def test_namesakes_are_told_apart_by_their_postcode() -> None:
    people = list(BASE["customers"].values())
    names = ["{first} {last}".format(**one["name"]) for one in people]
    twins = [one for one, name in zip(people, names, strict=True) if names.count(name) > 1][:2]
    for twin in twins:
        name, code = "{first}  {last}".format(**twin["name"]).lower(), twin["address"]["postcode"]
        for spelt in (code, code.lower().replace(" ", "")):
            _, found = call(BASE, "find_customer_by_name_postcode", name=name, postcode=spelt)
            assert found["customer_id"] == twin["customer_id"]
    assert "lives at ZE1 0AA" in refusal(BASE, "find_customer_by_name_postcode", name=names[0], postcode="ZE1 0AA")
    assert "no postcode" in refusal(BASE, "find_customer_by_name_postcode", name=names[0], postcode="here")


def test_a_customer_is_shown_with_methods_and_orders_as_they_are_now() -> None:
    owner = PROCESSING["customer"]
    after, _ = call(BASE, "cancel_order", order_id=PROCESSING["order_id"], reason="changed mind")
    _, shown = call(after, "get_customer", customer_id=owner)
    assert {one["order_id"]: one["status"] for one in shown["orders"]}[PROCESSING["order_id"]] == "cancelled"
    assert sorted(one["kind"] for one in shown["payment_methods"]) == sorted(methods_of(owner))
    assert len(shown["orders"]) == sum(order["customer"] == owner for order in BASE["orders"].values())


def test_orders_shipments_and_products_are_shown() -> None:
    assert call(BASE, "get_order", order_id=f" {SHIPPED['order_id'].lower()}")[1] == SHIPPED
    shipment = call(BASE, "get_shipment", shipment_id=SHIPPED["shipment_id"])[1]
    assert shipment["order_id"] == SHIPPED["order_id"] and shipment["delivered_on"] is None
    line = SHIPPED["lines"][0]
    product = call(BASE, "get_product", product_id=line["product_id"])[1]
    variant = next(one for one in product["variants"] if one["variant_id"] == line["variant_id"])
    assert variant["price"] == line["unit_price"] and set(variant) == {"variant_id", "options", "price", "stock"}


@pytest.mark.parametrize(
    "tool, argument, key",
    [
        ("get_customer", "customer_id", "C-1"),
        ("get_order", "order_id", "ORD-1"),
        ("get_shipment", "shipment_id", "SHP-1"),
        ("get_product", "product_id", "P-1"),
    ],
)
def test_what_is_not_there_is_named(tool: str, argument: str, key: str) -> None:
    assert f"there is no {argument[:-3]} {key}" in refusal(BASE, tool, **{argument: key})


def test_amounts_are_added_up_to_the_penny() -> None:
    # 0.10 thirty times is 3.00 and not 2.9999…; −24.50 + 3.95 = −20.55
    assert call(BASE, "add_up", amounts=["0.10"] * 30)[1] == "3.00"
    assert call(BASE, "add_up", amounts=["-24.50", "3.95"])[1] == "-20.55"
    assert call(BASE, "add_up", amounts=[])[1] == "0.00"
    assert "'ten' is no amount" in refusal(BASE, "add_up", amounts=["1.00", "ten"])


# ---- orders that are processing --------------------------------------------------------------------------------------


def test_a_cancelled_order_gives_everything_back() -> None:
    key, method = PROCESSING["order_id"], PROCESSING["paid_with"]
    before = charged(BASE, method)
    after, said = call(BASE, "cancel_order", order_id=key, reason="ordered by mistake")
    order = after["orders"][key]
    assert said["refunded"] == {method: PROCESSING["total"]}
    assert order["status"] == "cancelled" and order["total"] == "0.00" and order["delivery"]["fee"] == "0.00"
    assert {line["status"] for line in order["lines"]} == {"cancelled"}
    assert charged(after, method) == before - money.cents(PROCESSING["total"])
    for line in PROCESSING["lines"]:
        gained = after["variants"][line["variant_id"]]["stock"] - BASE["variants"][line["variant_id"]]["stock"]
        assert gained == line["quantity"]
    assert "is cancelled" in refusal(after, "cancel_order", order_id=key, reason="ordered by mistake")


def test_the_reason_of_a_cancellation_is_one_of_four() -> None:
    text = refusal(BASE, "cancel_order", order_id=PROCESSING["order_id"], reason="bored")
    assert "changed mind, ordered by mistake, delivery too slow, cheaper elsewhere" in text


@pytest.mark.parametrize(
    "tool, arguments",
    [
        ("cancel_order", {"reason": "changed mind"}),
        ("change_item", {"variant_id": "V-1", "new_variant_id": "V-2"}),
        ("change_address", HOME),
        ("change_payment", {"payment_method_id": "PM-1"}),
        ("change_delivery", {"speed": "express"}),
    ],
)
@pytest.mark.parametrize("order", [SHIPPED, RECENT], ids=["shipped", "delivered"])
def test_orders_that_left_stay_as_they_are(tool: str, arguments: dict, order: dict) -> None:
    text = refusal(BASE, tool, order_id=order["order_id"], **arguments)
    assert f"order {order['order_id']} is {order['status']}" in text and "only while an order is processing" in text


def test_a_line_is_changed_to_another_variant_and_the_difference_settled() -> None:
    key, old = PROCESSING["order_id"], PROCESSING["lines"][0]
    new = next(one for one in siblings(old) if one["stock"] >= old["quantity"])
    more = old["quantity"] * (money.cents(new["price"]) - money.cents(old["unit_price"]))
    wanted = {"order_id": key, "variant_id": old["variant_id"], "new_variant_id": new["variant_id"]}
    after, said = call(BASE, "change_item", **wanted)
    assert money.cents(said["difference"]) == more
    assert after["orders"][key]["lines"][0]["options"] == new["options"]
    assert money.cents(after["orders"][key]["total"]) == money.cents(PROCESSING["total"]) + more
    assert after["variants"][new["variant_id"]]["stock"] == new["stock"] - old["quantity"]
    assert f"has no line with {old['variant_id']}" in refusal(after, "change_item", **wanted)


def test_a_line_changes_only_within_its_product_and_the_stock() -> None:
    key, old, other = PROCESSING["order_id"], *PROCESSING["lines"][:2]
    wanted = {"order_id": key, "variant_id": old["variant_id"]}
    text = refusal(BASE, "change_item", **wanted, new_variant_id=other["variant_id"])
    assert "only a variant of the same product" in text
    assert "holds" in refusal(BASE, "change_item", **wanted, new_variant_id=old["variant_id"])
    assert "there is no variant V-1" in refusal(BASE, "change_item", **wanted, new_variant_id="V-1")
    new = siblings(old)[0]
    empty = BASE.set("variants", new["variant_id"], {**new, "stock": 0})
    text = refusal(empty, "change_item", **wanted, new_variant_id=new["variant_id"])
    assert "has 0 in stock" in text


def test_two_lines_never_come_to_hold_one_variant() -> None:
    old = PROCESSING["lines"][0]
    new = next(one for one in siblings(old) if one["stock"] > 3)
    double = {**PROCESSING["lines"][1], "variant_id": new["variant_id"]}
    order = {**PROCESSING, "lines": [old, double]}
    text = refusal(
        BASE.set("orders", order["order_id"], order),
        "change_item",
        order_id=order["order_id"],
        variant_id=old["variant_id"],
        new_variant_id=new["variant_id"],
    )
    assert f"has a line with {new['variant_id']} already" in text


def test_an_address_is_tidied_and_checked() -> None:
    key = PROCESSING["order_id"]
    spelt = {"street": " 4  Kiln Street,", "town": "York ", "postcode": "yo17hh"}
    after, said = call(BASE, "change_address", order_id=key, **spelt)
    assert said["address"] == HOME == after["orders"][key]["address"]
    assert after["customers"] == BASE["customers"]
    assert "postcode: 'nowhere'" in refusal(BASE, "change_address", order_id=key, **{**HOME, "postcode": "nowhere"})
    assert "street: give 2 to 80" in refusal(BASE, "change_address", order_id=key, **{**HOME, "street": " , "})
    assert "town: give 2 to 80" in refusal(BASE, "change_address", order_id=key, **{**HOME, "town": "x" * 81})


def test_the_home_address_is_a_thing_of_its_own() -> None:
    owner = PROCESSING["customer"]
    after, _ = call(BASE, "set_default_address", customer_id=owner, **HOME)
    assert after["customers"][owner]["address"] == HOME and after["orders"] == BASE["orders"]
    assert "no customer C-1" in refusal(BASE, "set_default_address", customer_id="C-1", **HOME)


def test_an_order_is_paid_with_another_method_as_a_whole() -> None:
    order = an_order("processing", lambda one: len(methods_of(one["customer"])) > 2)
    mine = methods_of(order["customer"])
    new = next(one for one in mine.values() if one["method_id"] != order["paid_with"] and "balance" not in one)
    before = charged(BASE, order["paid_with"]), charged(BASE, new["method_id"])
    after, _ = call(BASE, "change_payment", order_id=order["order_id"], payment_method_id=new["method_id"])
    total = money.cents(order["total"])
    assert charged(after, order["paid_with"]) == before[0] - total
    assert charged(after, new["method_id"]) == before[1] + total
    assert after["orders"][order["order_id"]]["total"] == order["total"]
    text = refusal(after, "change_payment", order_id=order["order_id"], payment_method_id=new["method_id"])
    assert f"is paid with {new['method_id']} already" in text


def test_a_method_of_somebody_else_and_a_short_gift_card_pay_nothing() -> None:
    order = an_order("processing", lambda one: "gift card" in methods_of(one["customer"]))
    stranger = next(one for one in BASE["payment_methods"].values() if one["customer"] != order["customer"])
    text = refusal(BASE, "change_payment", order_id=order["order_id"], payment_method_id=stranger["method_id"])
    assert "theirs are" in text and stranger["method_id"] in text and own(order) in text
    card = methods_of(order["customer"])["gift card"]
    paid = {
        **order,
        "paid_with": own(order, next(kind for kind in methods_of(order["customer"]) if "gift" not in kind)),
    }
    almost = money.text(money.cents(order["total"]) - 1)
    poor = BASE.set("payment_methods", card["method_id"], {**card, "balance": almost})
    poor = poor.set(
        "orders", order["order_id"], {**paid, "payments": [{**order["payments"][0], "method_id": paid["paid_with"]}]}
    )
    text = refusal(poor, "change_payment", order_id=order["order_id"], payment_method_id=card["method_id"])
    assert f"holds {almost}, which does not cover {order['total']}" in text
    enough = poor.set("payment_methods", card["method_id"], {**card, "balance": order["total"]})
    after, _ = call(enough, "change_payment", order_id=order["order_id"], payment_method_id=card["method_id"])
    assert after["payment_methods"][card["method_id"]]["balance"] == "0.00"


def test_express_costs_five_more_and_can_be_taken_back() -> None:
    order = an_order("processing", is_plain)
    key = order["order_id"]
    after, said = call(BASE, "change_delivery", order_id=key, speed="express")
    assert money.cents(said["total"]) == money.cents(order["total"]) + 500  # 8.95 − 3.95
    assert "goes by express delivery already" in refusal(after, "change_delivery", order_id=key, speed="express")
    _, said = call(after, "change_delivery", order_id=key, speed="standard")
    assert said["total"] == order["total"]
    assert "must be one of standard, express" in refusal(BASE, "change_delivery", order_id=key, speed="drone")


# ---- orders that were delivered --------------------------------------------------------------------------------------


def test_returned_lines_are_refunded_whatever_their_order() -> None:
    key, lines = RECENT["order_id"], RECENT["lines"][:2]
    names = [line["variant_id"] for line in lines]
    back = sum(line["quantity"] * money.cents(line["unit_price"]) for line in lines)
    card = methods_of(RECENT["customer"])["gift card"]
    wanted = {"order_id": key, "refund_to": card["method_id"]}
    after, said = call(BASE, "return_items", **wanted, variant_ids=names)
    assert money.cents(said["refund"]) == back
    assert money.cents(after["payment_methods"][card["method_id"]]["balance"]) == money.cents(card["balance"]) + back
    assert [line["status"] for line in after["orders"][key]["lines"][:2]] == ["return requested"] * 2
    assert after["variants"] == BASE["variants"]  # back on the shelf only once they have arrived
    twice, _ = call(BASE, "return_items", **wanted, variant_ids=[*reversed(names), names[0]])
    assert twice.digest == after.digest
    assert "already marked 'return requested'" in refusal(after, "return_items", **wanted, variant_ids=names[:1])


def test_a_return_needs_lines_and_a_method_that_may_be_refunded() -> None:
    key, names = RECENT["order_id"], [RECENT["lines"][0]["variant_id"]]
    paid = RECENT["paid_with"]
    assert "name at least one" in refusal(BASE, "return_items", order_id=key, variant_ids=[], refund_to=paid)
    assert "it holds" in refusal(BASE, "return_items", order_id=key, variant_ids=["V-1"], refund_to=paid)
    half = refusal(BASE, "return_items", order_id=key, variant_ids=[*names, "V-1"], refund_to=paid)
    assert "no line with V-1" in half
    order = an_order(
        "delivered",
        lambda one: (
            BASE["shipments"][one["shipment_id"]]["delivered_on"] > "2027-02-20"
            and {"Visa card", "Mastercard"} <= methods_of(one["customer"]).keys()
            and one["paid_with"] == methods_of(one["customer"])["Visa card"]["method_id"]
        ),
    )
    text = refusal(
        BASE,
        "return_items",
        order_id=order["order_id"],
        variant_ids=[order["lines"][0]["variant_id"]],
        refund_to=own(order, "Mastercard"),
    )
    assert f"did not pay for order {order['order_id']}; refunds go to {order['paid_with']} or to a gift card" in text


@pytest.mark.parametrize("day, fine", [("2027-02-16", True), ("2027-02-15", False)])
def test_the_thirtieth_day_is_the_last(day: str, fine: bool) -> None:
    # 2027-02-16 and 30 days is 2027-03-18 (February has 28 days): today
    base = days_ago(BASE, RECENT, day)
    line = RECENT["lines"][0]
    wanted = {"order_id": RECENT["order_id"], "variant_ids": [line["variant_id"]], "refund_to": RECENT["paid_with"]}
    if fine:
        call(base, "return_items", **wanted)
    else:
        assert f"delivered on {day}, 31 days ago" in refusal(base, "return_items", **wanted)
        new = next(one for one in siblings(line) if one["stock"] > 3)
        text = refusal(
            base,
            "exchange_item",
            order_id=RECENT["order_id"],
            variant_id=line["variant_id"],
            new_variant_id=new["variant_id"],
            payment_method_id=RECENT["paid_with"],
        )
        assert "exchanged only within 30 days" in text


def test_only_what_was_delivered_comes_back() -> None:
    for order in (PROCESSING, SHIPPED):
        names = [order["lines"][0]["variant_id"]]
        text = refusal(
            BASE, "return_items", order_id=order["order_id"], variant_ids=names, refund_to=order["paid_with"]
        )
        assert f"is {order['status']}; items can be returned only once an order is delivered" in text


def test_an_exchange_reserves_the_new_variant() -> None:
    line = RECENT["lines"][0]
    new = next(one for one in siblings(line) if one["stock"] > 3 and one["price"] != line["unit_price"])
    more = line["quantity"] * (money.cents(new["price"]) - money.cents(line["unit_price"]))
    method = next(one for one in methods_of(RECENT["customer"]).values() if "balance" not in one)["method_id"]
    wanted = {"order_id": RECENT["order_id"], "variant_id": line["variant_id"], "new_variant_id": new["variant_id"]}
    before = charged(BASE, method)
    after, said = call(BASE, "exchange_item", **wanted, payment_method_id=method)
    changed = after["orders"][RECENT["order_id"]]["lines"][0]
    assert changed["status"] == "exchange requested" and changed["replacement"]["options"] == new["options"]
    assert charged(after, method) == before + more and money.cents(said["difference"]) == more
    assert after["variants"][new["variant_id"]]["stock"] == new["stock"] - line["quantity"]
    text = refusal(after, "exchange_item", **wanted, payment_method_id=method)
    assert "already marked 'exchange requested'" in text
    gone = BASE.set("variants", new["variant_id"], {**new, "stock": 0})
    assert "has 0 in stock" in refusal(gone, "exchange_item", **wanted, payment_method_id=method)
    assert "is not one of customer" in refusal(BASE, "exchange_item", **wanted, payment_method_id="PM-1")


def test_final_sales_stay_with_the_customer() -> None:
    order = an_order(
        "delivered",
        lambda one: (
            BASE["shipments"][one["shipment_id"]]["delivered_on"] > "2027-02-20"
            and any(map(is_final, one["lines"]))
            and not all(map(is_final, one["lines"]))
        ),
    )
    line = next(filter(is_final, order["lines"]))
    wanted = {"order_id": order["order_id"], "refund_to": order["paid_with"]}
    everything = [one["variant_id"] for one in order["lines"]]
    for names in ([line["variant_id"]], everything):
        assert "is a final sale and cannot be returned" in refusal(BASE, "return_items", **wanted, variant_ids=names)
    text = refusal(
        BASE,
        "exchange_item",
        order_id=order["order_id"],
        variant_id=line["variant_id"],
        new_variant_id=siblings(line)[0]["variant_id"],
        payment_method_id=order["paid_with"],
    )
    assert "is a final sale and cannot be exchanged" in text


# ---- cases and hand-overs --------------------------------------------------------------------------------------------


def test_a_case_is_opened_once_for_a_trouble() -> None:
    key = RECENT["order_id"]
    after, record = call(BASE, "open_case", order_id=key, trouble="damaged")
    assert after["cases"][f"{key}/damaged"] == record and record["customer"] == RECENT["customer"]
    assert "has an open case 'damaged' already" in refusal(after, "open_case", order_id=key, trouble="damaged")
    call(after, "open_case", order_id=key, trouble="wrong item")
    old = days_ago(BASE, RECENT, "2026-12-24")
    assert "only within 30 days" in refusal(old, "open_case", order_id=key, trouble="damaged")
    assert "only once an order is delivered" in refusal(
        BASE, "open_case", order_id=SHIPPED["order_id"], trouble="missing item"
    )


def test_a_parcel_is_overdue_from_the_day_after() -> None:
    key, shipment = SHIPPED["order_id"], BASE["shipments"][SHIPPED["shipment_id"]]
    today = BASE.set("shipments", shipment["shipment_id"], {**shipment, "expected_on": "2027-03-18"})
    text = refusal(today, "open_case", order_id=key, trouble="not arrived")
    assert "expected on 2027-03-18; a case can be opened from the day after" in text
    late = BASE.set("shipments", shipment["shipment_id"], {**shipment, "expected_on": "2027-03-17"})
    call(late, "open_case", order_id=key, trouble="not arrived")
    text = refusal(BASE, "open_case", order_id=RECENT["order_id"], trouble="not arrived")
    assert "'not arrived' is for shipped orders" in text


def test_a_hand_over_leaves_a_record() -> None:
    owner = RECENT["customer"]
    after, record = call(BASE, "transfer_to_human", customer_id=owner, reason="safety concern")
    assert after["handovers"][f"{owner}/safety concern"] == record
    assert "waits for the staff already" in refusal(
        after, "transfer_to_human", customer_id=owner, reason="safety concern"
    )
    text = refusal(BASE, "transfer_to_human", customer_id=owner, reason="difficult customer")
    assert "account deletion, business invoice, safety concern" in text
    assert "no customer C-1" in refusal(BASE, "transfer_to_human", customer_id="C-1", reason="safety concern")


def test_whose_a_record_is() -> None:
    for order in (PROCESSING, SHIPPED):
        for key in (order["order_id"], order["paid_with"], order["customer"]):
            assert RETAIL.owner(BASE, key) == order["customer"]
    assert RETAIL.owner(BASE, SHIPPED["shipment_id"]) == SHIPPED["customer"]
    assert RETAIL.owner(BASE, SHIPPED["lines"][0]["variant_id"]) == RETAIL.owner(BASE, "C-1") == ""
