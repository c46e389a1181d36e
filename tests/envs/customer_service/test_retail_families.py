"""The shop's sheets: enough of them, every gold runs, what is forbidden is, and what is to be told is true."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from functools import cache

import pytest

from agentgym.digest import state_hash
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domains.retail import RETAIL, refused
from agentgym.envs.customer_service.sheet import Call, Goal, Sheet
from agentgym.envs.customer_service.sheet_json import as_json, read_sheet
from agentgym.envs.customer_service.tasks import customers_of
from agentgym.rng import TurnRng
from tests.envs.customer_service.retail_shop import BASE
from tests.layering import ROOT

NAMES = [family.name for family in RETAIL.families]


@cache
def drawn(family: str, split: str = "test", number: int = 0) -> tuple[Sheet, ...]:
    """Return what one draw for each customer of a split gives."""
    draw = next(one.draw for one in RETAIL.families if one.name == family)
    keys = customers_of(RETAIL, split)
    sheets = (draw(BASE, key, TurnRng(number, stream=f"{family}/{key}")) for key in keys)
    return tuple(sheet for sheet in sheets if sheet is not None)


def plays(sheet: Sheet) -> Iterator[tuple[Goal, Database]]:
    """Yield each goal with the database at its beginning, earlier goals served."""
    database = RETAIL.start(sheet)
    for goal in sheet.all_goals:
        yield goal, database
        for call in goal.due:
            reply = RETAIL.call(database, call)
            assert not reply.error, f"{sheet.family} {sheet.customer}: {reply.text}"
            assert reply.database != database, f"{call} changes nothing"
            database = reply.database


def test_there_are_many_families() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 14


@pytest.mark.parametrize("family", NAMES)
def test_a_family_has_enough_sheets_for_the_test_customers(family: str) -> None:
    sheets = drawn(family)
    assert len({state_hash(as_json(sheet)) for sheet in sheets}) >= 9
    assert {sheet.family for sheet in sheets} == {family}
    assert all(sheet.domain == "retail" and sheet.customer in BASE["customers"] for sheet in sheets)


@pytest.mark.parametrize("family", NAMES)
def test_every_gold_runs_and_every_look_up_finds_something(family: str) -> None:
    for sheet in drawn(family):
        for call in sheet.identify:
            assert not RETAIL.call(BASE, call).error
        assert sheet.identify[-1] == Call("get_customer", {"customer_id": sheet.customer})
        assert RETAIL.call(BASE, sheet.identify[0]).text.startswith(f'{{"customer_id": "{sheet.customer}"')
        for goal, database in plays(sheet):
            for call in goal.reads:
                assert not RETAIL.call(database, call).error
            if goal.change:  # what is proposed at first could be done too
                assert goal.gold and not any(RETAIL.call(database, call).error for call in goal.gold)
                assert goal.due == ()


@pytest.mark.parametrize("family", NAMES)
def test_nothing_is_won_by_refusing_or_by_a_fixed_text(family: str) -> None:
    for sheet in drawn(family):
        goals = list(sheet.all_goals)
        assert any(goal.due or goal.tells for goal in goals)
        for goal in goals:
            assert bool(goal.reason) != bool(goal.gold or goal.tells), "a goal is refused, or it is served"
            assert not (goal.reason and not goal.reads), "a refusal takes a look"


def test_only_records_of_the_customer_are_written_and_looked_up() -> None:
    for family in NAMES:
        for sheet in drawn(family)[:20]:
            calls = [call for goal in sheet.all_goals for call in (*goal.reads, *goal.gold)]
            for text in re.findall(r"(?:ORD|SHP|PM|C)-\d+", str(calls)):
                assert RETAIL.owner(BASE, text) == sheet.customer


def test_every_tool_that_writes_is_some_gold() -> None:
    golds = {call.name for family in NAMES for sheet in drawn(family) for call in sheet.gold}
    assert golds == {name for name, tool in RETAIL.tools.items() if tool.tag == "write"}


def test_every_reason_comes_up() -> None:
    reasons = {goal.reason for family in NAMES for sheet in drawn(family) for goal in sheet.all_goals}
    assert reasons - {""} == set(RETAIL.words.refused)


# ---- what is forbidden ----------------------------------------------------------------------------------------------


def order_of(goal: Goal) -> Record:
    keys = [call.arguments["order_id"] for call in goal.reads if call.name == "get_order"]
    return BASE["orders"][keys[-1]]


def lines_of(goal: Goal, order: Record) -> list[Record]:
    """Return the lines of an order that a goal's items name."""
    return [line for line in order["lines"] if f"the {line['name']}" in goal.facts["items"]]


def forbidden(family: str) -> list[tuple[Sheet, Goal]]:
    return [(sheet, goal) for sheet in drawn(family) for goal in sheet.all_goals if goal.reason]


def give_back(goal: Goal, method: str) -> Call:
    order = order_of(goal)
    names = [line["variant_id"] for line in lines_of(goal, order)]
    return Call("return_items", {"order_id": order["order_id"], "variant_ids": names, "refund_to": method})


@pytest.mark.parametrize("family", ["late_return", "promised_by_manager", "false_date"])
def test_late_returns_are_refused_by_the_tool(family: str) -> None:
    for _, goal in forbidden(family):
        assert goal.reason == "window"
        text = RETAIL.call(BASE, give_back(goal, order_of(goal)["paid_with"])).text
        assert "only within 30 days" in text


def test_the_dates_that_customers_claim_are_false() -> None:
    for _, goal in forbidden("false_date"):
        assert goal.facts["arrived"] in refused.ARRIVALS
        assert BASE["shipments"][order_of(goal)["shipment_id"]]["delivered_on"] < "2027-02-16"


def test_shipped_orders_stay() -> None:
    for _, goal in forbidden("shipped_order"):
        key = order_of(goal)["order_id"]
        address = {"street": "1 Mill Lane", "town": "Hull", "postcode": "HU1 1AA"}
        for call in (
            Call("cancel_order", {"order_id": key, "reason": "changed mind"}),
            Call("change_address", {"order_id": key, **address}),
        ):
            assert "is shipped" in RETAIL.call(BASE, call).text


def test_somebody_elses_order_is_not_in_the_customers_list() -> None:
    for sheet, goal in forbidden("others_order"):
        shown = RETAIL.call(BASE, goal.reads[0]).text
        assert goal.facts["order"] not in shown
        assert BASE["orders"][goal.facts["order"]]["customer"] != sheet.customer


def test_sold_out_variants_are_refused_and_the_next_best_is_there() -> None:
    for _, goal in forbidden("out_of_stock"):
        order = order_of(goal)
        (line,) = lines_of(goal, order)
        product = BASE["products"][line["product_id"]]
        wanted = [
            key
            for key in product["variants"]
            if goal.facts["wish"] in BASE["variants"][key]["options"].values()
            and sum(BASE["variants"][key]["options"][name] != value for name, value in line["options"].items()) == 1
        ]
        assert [BASE["variants"][key]["stock"] for key in wanted] == [0]
        assert goal.fallback and goal.fallback.due and goal.fallback.facts["wish"] != goal.facts["wish"]


def test_short_gift_cards_are_refused_by_the_tool() -> None:
    for sheet, goal in forbidden("short_gift_card"):
        card = next(
            key
            for key, one in BASE["payment_methods"].items()
            if one["customer"] == sheet.customer and one["kind"] == "gift card"
        )
        call = Call("change_payment", {"order_id": goal.facts["order"], "payment_method_id": card})
        assert "does not cover" in RETAIL.call(BASE, call).text


def test_refunds_elsewhere_are_refused_by_the_tool() -> None:
    for sheet, goal in forbidden("refund_elsewhere"):
        kind = goal.facts["refund"].removeprefix("my ")
        method = next(
            key
            for key, one in BASE["payment_methods"].items()
            if one["customer"] == sheet.customer and one["kind"] == kind
        )
        assert "refunds go to" in RETAIL.call(BASE, give_back(goal, method)).text


def test_final_sales_and_other_products_are_refused_by_the_tools() -> None:
    for _, goal in forbidden("final_sale"):
        assert "final sale" in RETAIL.call(BASE, give_back(goal, order_of(goal)["paid_with"])).text
    for _, goal in forbidden("other_product"):
        order = order_of(goal)
        (line,) = lines_of(goal, order)
        other = next(key for key, one in BASE["variants"].items() if f"a {one['name']}" == goal.facts["other"])
        wanted = {"variant_id": line["variant_id"], "new_variant_id": other, "payment_method_id": order["paid_with"]}
        call = Call("exchange_item", {"order_id": order["order_id"], **wanted})
        assert "only a variant of the same product" in RETAIL.call(BASE, call).text


# ---- what is told ----------------------------------------------------------------------------------------------------


def worked_out(topic: str, goal: Goal, sheet: Sheet, database: Database) -> str:
    """Work a tell out anew from the records, with decimals instead of the domain's cents."""
    looked = [call.arguments["order_id"] for call in goal.reads if call.name == "get_order"]
    order = database["orders"][looked[-1]] if looked else {}
    if topic == "balance":
        (card,) = [
            one
            for one in database["payment_methods"].values()
            if one["customer"] == sheet.customer and one["kind"] == "gift card"
        ]
        return str(card["balance"])
    if topic == "tracking":
        return str(database["shipments"][order["shipment_id"]]["tracking_code"])
    if topic == "order_total":
        return str(order["total"])
    if topic == "new_total":
        return str(Decimal(order["total"]) - Decimal("3.95") + Decimal("8.95"))
    if topic == "spent":
        orders = [one for one in database["orders"].values() if one["customer"] == sheet.customer]
        return str(sum(Decimal(one["total"]) for one in orders if one["status"] != "cancelled"))
    if topic == "refund_total" and goal.intent.startswith("cancel"):
        return str(order["total"])
    lines = lines_of(goal, order)
    if topic == "refund_total":
        return str(sum(line["quantity"] * Decimal(line["unit_price"]) for line in lines))
    assert topic == "difference"
    (line,) = lines
    (new,) = [
        variant
        for key in database["products"][line["product_id"]]["variants"]
        for variant in [database["variants"][key]]
        if goal.facts["wish"] in variant["options"].values()
        and sum(variant["options"][name] != value for name, value in line["options"].items()) == 1
    ]
    return str(abs(Decimal(new["price"]) - Decimal(line["unit_price"])))


def test_all_that_is_to_be_told_is_true_when_it_is_asked() -> None:
    told = 0
    topics = set()
    for family in NAMES:
        for sheet in drawn(family):
            for goal, database in plays(sheet):
                for tell in goal.tells:
                    assert tell.text == worked_out(tell.topic, goal, sheet, database), (family, goal)
                    topics.add(tell.topic)
                    told += 1
    assert topics == set(RETAIL.words.questions)
    assert told > 500


def test_the_items_that_customers_name_are_in_one_order_alone() -> None:
    bought: dict[str, list[str]] = {key: [] for key in BASE["customers"]}
    for order in BASE["orders"].values():
        bought[order["customer"]] += [line["name"] for line in order["lines"]]
    for family in NAMES:
        for sheet in drawn(family)[:30]:
            names = bought[sheet.customer]
            for goal in sheet.all_goals:
                for name in re.findall(r"the ([A-Z][\w ]+?)(?:,| and|$)", goal.facts.get("items", "")):
                    assert names.count(name) == 1


# ---- sheets as such --------------------------------------------------------------------------------------------------


def test_customers_without_an_email_are_found_by_name_and_postcode() -> None:
    for sheet in drawn("unknown_email"):
        assert "email" in sheet.unknown and "email" not in sheet.facts
        assert sheet.identify[0].name == "find_customer_by_name_postcode"


def test_some_customers_do_not_know_their_order_numbers() -> None:
    sheets = drawn("return_items")
    lost = [sheet for sheet in sheets if "order" in sheet.unknown]
    assert 0.15 < len(lost) / len(sheets) < 0.45
    for sheet in lost:
        assert not any("order" in goal.facts for goal in sheet.all_goals)
    assert any(len([call for call in sheet.goals[0].reads if call.name == "get_order"]) > 1 for sheet in lost)


def test_a_sheet_survives_json_and_a_second_draw() -> None:
    for family in NAMES:
        first = drawn(family)[:10]
        assert [read_sheet(as_json(sheet), "here") for sheet in first] == list(first)
    drawn.cache_clear()
    assert drawn("several_requests")[:10] == tuple(drawn("several_requests")[:10])


def fingerprint() -> str:
    """Return a hash of the base and of some sheets of every family."""
    sheets = [as_json(sheet) for family in NAMES for sheet in drawn(family, "dev")[:8]]
    return f"{BASE.digest} {state_hash(sheets)}"


def test_base_and_sheets_are_the_same_whatever_the_hash_seed() -> None:
    code = "from tests.envs.customer_service.test_retail_families import fingerprint; print(fingerprint())"
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == fingerprint(), done.stderr
