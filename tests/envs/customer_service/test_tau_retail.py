"""The official retail tools: what each refuses and changes, worked out on a small shop."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tau_oracle import exact
from tau_shop import ADDRESS, CUP, GIFT, shop

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.retail_writes import TOOLS
from agentgym.envs.customer_service.official.toolkit import Outcome

SHOP = shop()
PLACE = {"address1": "2 Fen Road", "address2": "Flat 2", "city": "Ely", "state": "", "country": "UK", "zip": "CB6"}


def call(name: str, database: Database = SHOP, **arguments: Any) -> Outcome:
    return TOOLS.call(database, name, arguments)


def refused(name: str, database: Database = SHOP, **arguments: Any) -> str:
    """What a call is refused with, having changed nothing."""
    found = call(name, database, **arguments)
    assert found.error and found.kind == "domain_error" and found.database == database
    return found.text.removeprefix("Error: ")


def accident(name: str, **arguments: Any) -> str:
    found = call(name, **arguments)
    assert found.error and found.database == SHOP
    return found.kind


def done(name: str, database: Database = SHOP, **arguments: Any) -> tuple[Database, dict[str, Any]]:
    found = call(name, database, **arguments)
    assert not found.error, found.text
    return found.database, json.loads(found.text)


def balance(database: Database) -> float:
    amount: float = database["users"]["ada"]["payment_methods"]["gift"]["balance"]
    return amount


# ---- Reading -----------------------------------------------------------------------------------------------------


def test_users_are_found_by_email_in_any_case_and_the_first_in_the_files_order_wins() -> None:
    assert call("find_user_id_by_email", email="ADA@example.com").text == "ada"
    assert call("find_user_id_by_email", email="both@EXAMPLE.com").text == "zoe"  # bob's is the same; zoe stands first
    assert refused("find_user_id_by_email", email=" ada@example.com") == "User not found"
    assert accident("find_user_id_by_email", email=5) == "internal_error"


def test_users_are_found_by_name_and_the_zip_that_they_have_now() -> None:
    who = {"first_name": "ZOË", "last_name": "ode"}
    assert call("find_user_id_by_name_zip", **who, zip="CB7").text == "zoe"
    moved, _ = done("modify_user_address", user_id="zoe", **PLACE)
    assert refused("find_user_id_by_name_zip", moved, **who, zip="CB7") == "User not found"
    assert call("find_user_id_by_name_zip", moved, **who, zip="CB6").text == "zoe"
    assert refused("find_user_id_by_name_zip", first_name="nobody", last_name=5, zip="CB7") == "User not found"
    assert accident("find_user_id_by_name_zip", first_name="zoë", last_name=5, zip="CB7") == "internal_error"


def test_records_are_shown_as_json_in_the_models_order_with_null_for_what_is_not_set() -> None:
    shown = call("get_order_details", order_id="#3").text
    assert shown.startswith('{"order_id": "#3", "user_id": "ada", "address": {"address1": "1 Mill Lane"')
    assert '"amount": 10.0' in shown and shown.endswith('"return_items": null, "return_payment_method_id": null}')
    assert "Zo\\u00eb" in call("get_user_details", user_id="zoe").text
    assert json.loads(call("get_product_details", product_id="p1").text) == CUP
    assert json.loads(call("get_item_details", item_id="c2").text) == CUP["variants"]["c2"]
    assert call("list_all_product_types").text == '{"Cup": "p1", "Lamp": "p2"}'


def test_what_is_not_there_is_not_found() -> None:
    assert refused("get_user_details", user_id="Ada") == "User not found"
    assert refused("get_order_details", order_id=None) == "Order not found"
    assert refused("get_product_details", product_id="c1") == "Product not found"
    assert refused("get_item_details", item_id="p1") == "Item not found"
    assert refused("think", thought="…") == "Tool 'think' not found."
    assert accident("get_order_details", order_id=["#1"]) == "internal_error"


def test_missing_and_extra_arguments_fail_before_anything_happens() -> None:
    assert accident("cancel_pending_order", order_id="#1") == "argument_error"
    assert accident("list_all_product_types", all=True) == "argument_error"


def test_a_text_is_rendered_once_per_record_and_anew_after_a_write() -> None:
    first = call("get_user_details", user_id="zoe").text
    assert call("get_user_details", user_id="zoe").text is first
    moved, shown = done("modify_user_address", user_id="zoe", **PLACE)
    assert shown["address"] == PLACE and json.loads(call("get_user_details", moved, user_id="zoe").text) == shown
    assert call("get_user_details", user_id="zoe").text == first


@pytest.mark.parametrize(
    "expression, value",
    [("2 + 2", "4.0"), ("(1.5*4)/8", "0.75"), ("2.675", "2.67"), ("1.005", "1.0"), ("7//2", "3.0"), ("2**10", "1024.0"),
     ("10**20", "1e+20"), ("-0.0", "-0.0"), ("00", "0.0"), ("  1", "1.0"), ("+".join("1" * 900), "900.0")],
)  # fmt: skip
def test_the_calculator_rounds_to_two_places(expression: str, value: str) -> None:
    assert call("calculate", expression=expression).text == value


@pytest.mark.parametrize(
    "expression",
    ["", "()", "1/0", "007", "5(3)", "1.2.3", "9**9**9", "10**400",
     "(-8)**0.5", "...", "(" * 300 + "1", "1" * 5000, "*".join(["9**9999"] * 3)],
)  # fmt: skip
def test_the_calculator_fails_where_there_is_no_value(expression: str) -> None:
    assert accident("calculate", expression=expression) == "internal_error"


def test_the_calculator_refuses_other_characters() -> None:
    for expression in ("1,000", "5 % 2", "1e3", "２", "1\n"):
        assert refused("calculate", expression=expression) == "Invalid characters in expression"
    assert accident("calculate", expression=True) == accident("calculate", expression=["1"]) == "internal_error"


# ---- Writing -----------------------------------------------------------------------------------------------------


def test_cancelling_refunds_every_entry_and_credits_gift_cards_at_once() -> None:
    after, order = done("cancel_pending_order", order_id="#3", reason="ordered by mistake")
    assert [order["status"], order["cancel_reason"]] == ["cancelled", "ordered by mistake"]
    assert [entry["transaction_type"] for entry in order["payment_history"]] == ["payment", "refund"]
    assert balance(after) == 30.0 and balance(SHOP) == 20.0


def test_what_cancelling_refuses() -> None:
    assert refused("cancel_pending_order", order_id="1", reason="x") == "Order not found"
    assert refused("cancel_pending_order", order_id="#4", reason="x") == "Non-pending order cannot be cancelled"
    assert refused("cancel_pending_order", order_id="#1", reason="x") == "Invalid reason"
    assert accident("cancel_pending_order", order_id="#1", reason=["ordered by mistake"]) == "internal_error"


def test_addresses_take_texts_alone_and_orders_keep_their_own() -> None:
    after, order = done("modify_pending_order_address", order_id="#1", **PLACE)
    assert order["address"] == PLACE and after["users"]["ada"]["address"] == ADDRESS
    assert list(order["address"]) == ["address1", "address2", "city", "country", "state", "zip"]
    assert accident("modify_pending_order_address", **{**PLACE, "order_id": "#1", "zip": 5}) == "validation_error"
    assert refused("modify_pending_order_address", order_id="#2", **PLACE) == "Non-pending order cannot be modified"
    assert refused("modify_user_address", user_id="eve", **PLACE) == "User not found"


def test_all_changed_items_get_the_last_pairs_price_and_options() -> None:
    swap = {"order_id": "#1", "item_ids": ["c1", "l1"], "new_item_ids": ["c2", "l2"], "payment_method_id": "card"}
    after, order = done("modify_pending_order_items", **swap)
    assert [(one["name"], one["item_id"], one["price"]) for one in order["items"]] == [
        ("Cup", "c2", 41.1),
        ("Lamp", "l2", 41.1),
    ]
    assert order["items"][0]["options"] == {"colour": "blue"}
    # 12.5 − 10 + 41.1 − 30 in binary: 2.5 + 11.100000000000001
    assert order["payment_history"][1] == {
        "transaction_type": "payment",
        "amount": 2.5 + (41.1 - 30.0),
        "payment_method_id": "card",
    }
    assert order["status"] == "pending (item modified)"
    again = refused("modify_pending_order_items", after, **swap)
    assert again == "Non-pending order cannot be modified"
    assert refused("cancel_pending_order", after, order_id="#1", reason="x") == "Non-pending order cannot be cancelled"
    assert not call("modify_pending_order_address", after, order_id="#1", **PLACE).error


@pytest.mark.parametrize(
    "old, new, method, message",
    [
        (["c1", "c1"], ["c2", "c2"], "card", "c1 not found"),
        (["c1"], ["c2", "l2"], "card", "The number of items to be exchanged should match"),
        (["c1"], ["c1"], "card", "The new item id should be different from the old item id"),
        (["c1"], ["l2"], "card", "Variant not found"),
        (["c1"], ["c3"], "card", "New item c3 not found or available"),
        (["c1"], ["c2"], "visa", "Payment method not found"),
        ([5], ["c2"], "card", "5 not found"),
    ],
)
def test_what_changing_items_refuses(old: list[Any], new: list[Any], method: str, message: str) -> None:
    given = {"order_id": "#1", "item_ids": old, "new_item_ids": new, "payment_method_id": method}
    assert refused("modify_pending_order_items", **given) == message


def test_a_gift_card_pays_the_difference_if_it_can() -> None:
    given = {"order_id": "#1", "payment_method_id": "gift"}
    after, _ = done("modify_pending_order_items", **given, item_ids=["l1"], new_item_ids=["l2"])
    assert balance(after) == 8.9  # 20 − 11.1
    poorer = SHOP.set("users", "ada", {**SHOP["users"]["ada"], "payment_methods": {"gift": {**GIFT, "balance": 11.0}}})
    message = refused("modify_pending_order_items", poorer, **given, item_ids=["l1"], new_item_ids=["l2"])
    assert message == "Insufficient gift card balance to pay for the new item"


def test_empty_lists_pass() -> None:
    none: dict[str, Any] = {"item_ids": [], "new_item_ids": [], "payment_method_id": "paypal"}
    _, order = done("modify_pending_order_items", order_id="#1", **none)
    assert exact(order["payment_history"][1]["amount"]) == "0.0"
    _, order = done("exchange_delivered_order_items", order_id="#2", **none)
    assert exact(order["exchange_price_difference"]) == "0"  # whole: nothing was added up
    _, order = done("return_delivered_order_items", order_id="#2", item_ids=[], payment_method_id="paypal")
    assert order["return_items"] == []


def test_changing_the_payment_moves_the_money_between_gift_cards() -> None:
    after, order = done("modify_pending_order_payment", order_id="#3", payment_method_id="card")
    assert [(entry["transaction_type"], entry["payment_method_id"]) for entry in order["payment_history"]] == [
        ("payment", "gift"), ("payment", "card"), ("refund", "gift"),
    ]  # fmt: skip
    assert balance(after) == 30.0 and order["status"] == "pending"
    again = {"order_id": "#3", "payment_method_id": "paypal"}
    one = "There should be exactly one payment for a pending order"
    assert refused("modify_pending_order_payment", after, **again) == one
    # Every entry is refunded once more, the refund too: 30 + 10 + 10.
    cancelled, _ = done("cancel_pending_order", after, order_id="#3", reason="ordered by mistake")
    assert balance(cancelled) == 50.0


def test_what_changing_the_payment_refuses() -> None:
    def said(order: str, method: str) -> str:
        return refused("modify_pending_order_payment", order_id=order, payment_method_id=method)

    assert said("#4", "gift") == "Non-pending order cannot be modified"
    assert said("#1", "visa") == "Payment method not found"
    assert said("#1", "card") == "The new payment method should be different from the current one"
    assert said("#1", "gift") == "Insufficient gift card balance to pay for the order"  # 40 of 20


def test_returns_are_sorted_and_paid_back_to_the_first_payment_or_a_gift_card() -> None:
    given: dict[str, Any] = {"order_id": "#2", "item_ids": ["l1", "c1", "c1"]}
    after, order = done("return_delivered_order_items", **given, payment_method_id="gift")
    assert order["return_items"] == ["c1", "c1", "l1"] and order["status"] == "return requested"
    assert balance(after) == 20.0 and len(order["payment_history"]) == 1
    message = "Payment method should be the original payment method"
    assert refused("return_delivered_order_items", **given, payment_method_id="card") == message
    given["item_ids"] = ["c1"] * 3
    assert refused("return_delivered_order_items", **given, payment_method_id="paypal") == "Some item not found"
    message = refused("return_delivered_order_items", order_id="#1", item_ids=[], payment_method_id="card")
    assert message == "Non-delivered order cannot be returned"


def test_exchanges_sort_old_and_new_apart_and_change_no_item() -> None:
    given = {"order_id": "#2", "item_ids": ["l1", "c1"], "new_item_ids": ["l2", "c1"], "payment_method_id": "paypal"}
    _, order = done("exchange_delivered_order_items", **given)
    assert (order["exchange_items"], order["exchange_new_items"]) == (["c1", "l1"], ["c1", "l2"])
    assert order["exchange_price_difference"] == 11.1 and order["status"] == "exchange requested"
    assert [one["item_id"] for one in order["items"]] == ["c1", "c1", "l1"]


def test_what_exchanging_refuses() -> None:
    def said(old: Any, new: Any, method: str = "paypal", order: str = "#2") -> str:
        given = {"order_id": order, "item_ids": old, "new_item_ids": new, "payment_method_id": method}
        return refused("exchange_delivered_order_items", **given)

    assert said([], [], order="#1") == "Non-delivered order cannot be exchanged"
    assert said("123", []) == "Number of 1 not found."  # a text is walked character by character
    assert said(["c1"], []) == "The number of items to be exchanged should match."
    assert said(["c1"], ["c3"]) == "New item c3 not found or available"
    assert said(["l1"], ["c1"]) == "Variant not found"
    assert said(["l1"], ["l2"], "visa") == "Payment method not found"


def test_an_exchange_for_more_than_the_gift_card_holds() -> None:
    ada = SHOP["users"]["ada"]
    poorer = SHOP.set("users", "ada", {**ada, "payment_methods": {"gift": {**GIFT, "balance": 11.0}}})
    given = {"order_id": "#2", "item_ids": ["l1"], "new_item_ids": ["l2"], "payment_method_id": "gift"}
    message = refused("exchange_delivered_order_items", poorer, **given)  # 11.1 of 11
    assert message == "Insufficient gift card balance to pay for the price difference"
    assert not call("exchange_delivered_order_items", **given).error


def test_a_transfer_changes_nothing_whatever_is_said() -> None:
    for summary in ("angry", None, [1]):
        found = call("transfer_to_human_agents", summary=summary)
        assert found.text == "Transfer successful" and found.database is SHOP


def test_every_tool_has_a_description_of_itself_and_of_its_arguments() -> None:
    for tool in TOOLS.tools.values():
        assert tool.spec.description and tool.tag in ("read", "write", "generic")
        assert all(one["description"] for one in tool.spec.parameters["properties"].values()), tool.spec.name
    assert len(TOOLS.tools) == 16 and sum(tool.tag == "write" for tool in TOOLS.tools.values()) == 7
