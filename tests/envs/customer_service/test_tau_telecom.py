"""The official telecom tools of the agent, the sync with the phone, and what tasks prepare and ask."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tau_oracle import exact
from tau_phone import company, with_phone

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.domains import DOMAINS
from agentgym.envs.customer_service.official.telecom_data import dump, user_dump
from agentgym.envs.customer_service.official.telecom_setup import ACTIONS, ASSERTIONS, holds, prepare
from agentgym.envs.customer_service.official.toolkit import Outcome, Refusal

TELECOM = DOMAINS["telecom"]
START = with_phone()


def call(name: str, database: Database = START, **arguments: Any) -> Outcome:
    return TELECOM.call(database, name, arguments)


def refused(name: str, database: Database = START, **arguments: Any) -> str:
    found = call(name, database, **arguments)
    assert found.error and found.kind == "domain_error" and found.database == database
    return found.text.removeprefix("Error: ")


def done(name: str, database: Database = START, **arguments: Any) -> tuple[Database, Any]:
    found = call(name, database, **arguments)
    assert not found.error, found.text
    try:
        return found.database, json.loads(found.text)
    except ValueError:
        return found.database, found.text


def around(database: Database) -> dict[str, Any]:
    return database["user"]["surroundings"]


# ---- Reading -----------------------------------------------------------------------------------------------------


def test_customers_are_found_by_any_of_their_numbers_and_by_name() -> None:
    for number in ("07", "071", "072"):
        assert done("get_customer_by_phone", phone_number=number)[1]["customer_id"] == "C2"
    assert refused("get_customer_by_phone", phone_number=7) == "Customer with phone number 7 not found"
    assert [one["customer_id"] for one in done("get_customer_by_name", full_name="ADA byron", dob="1990-01-31")[1]] == [
        "C2"
    ]
    assert done("get_customer_by_name", full_name="Ada Byron", dob="")[1] == []
    assert call("get_customer_by_name", full_name=None, dob="").kind == "internal_error"
    assert refused("get_customer_by_id", customer_id=None) == "Customer with ID None not found"


def test_the_first_letter_of_an_id_says_the_table() -> None:
    assert done("get_details_by_id", id="L2")[1]["line_id"] == "L2"
    assert call("get_details_by_id", id="C2").text.endswith(
        '"created_at": "2025-01-15 10:30:00", "last_extension_date": null, "goodwill_credit_used_this_year": 0.0}'
    )
    assert done("get_details_by_id", id="P1")[1]["data_limit_gb"] == 5.0
    for key, name in (("L9", "Line"), ("D9", "Device"), ("B9", "Bill"), ("C9", "Customer"), ("P9", "Plan")):
        assert refused("get_details_by_id", id=key) == f"{name} with ID {key} not found"
    assert refused("get_details_by_id", id="x1") == "Unknown ID format or type: x1"
    assert call("get_details_by_id", id=5).kind == "internal_error"


def test_bills_come_newest_first_and_are_cut_as_python_cuts() -> None:
    def found(**limit: Any) -> list[str]:
        return [bill["bill_id"] for bill in done("get_bills_for_customer", customer_id="C2", **limit)[1]]

    assert found() == ["B2", "B1"] and found(limit=0) == [] and found(limit=-1) == ["B2"]


def test_usage_is_told_in_texts() -> None:
    assert call("get_data_usage", customer_id="C2", line_id="L2").text == (
        '{"line_id": "L2", "data_used_gb": "1.5", "data_limit_gb": "5.0", "data_refueling_gb": "0.0", '
        '"cycle_end_date": "2025-02-28"}'
    )
    assert refused("get_data_usage", customer_id="C1", line_id="L2") == "Line L2 not found for customer C1"


def test_the_other_sides_tools_are_not_found() -> None:
    assert refused("toggle_data") == "Tool 'toggle_data' not found."
    found = TELECOM.call(START, "enable_roaming", {"customer_id": "C2", "line_id": "L2"}, "user")
    assert found.text == "Error: Tool 'enable_roaming' not found."
    assert DOMAINS["retail"].call(START, "toggle_data", {}, "user").error


# ---- Writing and sync --------------------------------------------------------------------------------------------


def test_a_suspended_line_reaches_the_phone_but_not_its_network() -> None:
    after, said = done("suspend_line", customer_id="C2", line_id="L2", reason="holiday")
    assert said["message"] == "Line suspended successfully. $5/month holding fee will apply."
    assert (said["line"]["status"], said["line"]["suspension_start_date"]) == ("Suspended", "2025-02-25")
    assert around(after)["line_active"] is False
    assert after["user"]["device"]["network_connection_status"] == "connected"  # until it searches again
    assert refused("suspend_line", after, customer_id="C2", line_id="L2", reason="") == "Line must be active to suspend"
    back, said = done("resume_line", after, customer_id="C2", line_id="L2")
    assert said["message"] == "Line resumed successfully" and back == START
    assert refused("resume_line", customer_id="C2", line_id="L2") == "Line must be suspended to resume"
    assert not call("resume_line", customer_id="C1", line_id="L3").error  # pending activation passes


def test_roaming_is_switched_once() -> None:
    who = {"customer_id": "C2", "line_id": "L2"}
    after, said = done("enable_roaming", **who)
    assert said == "Roaming enabled successfully" and around(after)["roaming_allowed"] is True
    assert done("enable_roaming", after, **who) == (after, "Roaming was already enabled")
    assert done("disable_roaming", after, **who) == (START, "Roaming disabled successfully")
    assert done("disable_roaming", **who)[1] == "Roaming was already disabled"


def test_a_bill_is_asked_for_paid_and_gone() -> None:
    asked, said = done("send_payment_request", customer_id="C2", bill_id="B2")
    assert said == "Payment request sent to the customer for bill B2"
    assert around(asked)["payment_request"] == {"bill_id": "B2", "amount_due": 50.5, "paid": False}
    message = refused("send_payment_request", asked, customer_id="C2", bill_id="B1")
    assert message == "A bill is already awaiting payment for this customer"
    assert "B2" in TELECOM.call(asked, "check_payment_request", {}, "user").text
    paid = TELECOM.call(asked, "make_payment", {}, "user").database
    assert paid["bills"]["B2"]["status"] == "Paid" and around(paid)["payment_request"] is None
    assert refused("send_payment_request", customer_id="C1", bill_id="B1") == "Bill B1 not found for customer C1"
    assert not call("send_payment_request", paid, customer_id="C2", bill_id="B2").error  # even a paid one


def test_data_is_charged_to_a_draft_or_to_a_new_bill() -> None:
    after, said = done("refuel_data", customer_id="C1", line_id="L3", gb_amount=2)
    assert said == {
        "message": "Successfully added 2 GB of data for line L3 for $4.00",
        "new_data_refueling_gb": "2.0",
        "charge": "4.0",
    }
    item = {
        "description": "Data refueling: 2 GB at $2.0/GB",
        "amount": 4.0,
        "date": "2025-02-25",
        "item_type": "Charge",
    }
    assert after["bills"]["B3"]["line_items"] == [item] and after["bills"]["B3"]["total_due"] == 4.0
    new, _ = done("refuel_data", customer_id="C2", line_id="L2", gb_amount=0.5)
    assert new["customers"]["C2"]["bill_ids"] == ["B1", "B2", "Bf0000001"]
    assert (new["bills"]["Bf0000001"]["due_date"], new["bills"]["Bf0000001"]["total_due"]) == ("2025-03-15", 1.0)
    more, _ = done("refuel_data", new, customer_id="C2", line_id="L2", gb_amount=1)
    assert more["bills"]["Bf0000001"]["total_due"] == 3.0 and len(more["bills"]) == 4
    assert [bill["bill_id"] for bill in dump(more)["bills"]] == ["B1", "B2", "B3", "Bf0000001"]


def test_what_refuelling_refuses() -> None:
    who = {"customer_id": "C2", "line_id": "L2"}
    assert refused("refuel_data", **who, gb_amount=0) == "Refuel amount must be positive"
    assert call("refuel_data", **who, gb_amount="2").kind == "internal_error"
    assert call("refuel_data", **who, gb_amount=float("nan")).database == START


def test_used_up_data_comes_back_with_a_refill() -> None:
    usage = {"customer_id": "C2", "line_id": "L2", "data_used_gb": 5}
    full = prepare(START, "assistant", "set_data_usage", usage)
    assert around(full)["mobile_data_usage_exceeded"] is True  # 5 ≥ 5 + 0
    after, _ = done("refuel_data", full, customer_id="C2", line_id="L2", gb_amount=0.1)
    assert around(after)["mobile_data_usage_exceeded"] is False


def test_without_a_phone_number_nothing_is_brought_together() -> None:
    bare = company()
    after, _ = done("enable_roaming", bare, customer_id="C2", line_id="L2")
    assert after["user"] == bare["user"]


def test_a_number_of_nobody_fails_at_the_first_write() -> None:
    with pytest.raises(KeyError, match="no line has the number 999"):
        with_phone("999")
    lost = START.set("user", "surroundings", {**around(START), "phone_number": "999"})
    found = call("enable_roaming", lost, customer_id="C2", line_id="L2")
    assert found.kind == "internal_error" and found.database["lines"]["L2"]["roaming_enabled"] is True


def test_lines_without_an_owner_or_a_plan_fail_as_they_must() -> None:
    owner = START["customers"]["C2"]
    orphan = START.set("customers", "C2", {**owner, "line_ids": ["L1"]})
    assert call("enable_roaming", orphan, customer_id="C2", line_id="L1").kind == "internal_error"
    gone = START.set("customers", "C2", {**owner, "line_ids": ["L2", "L9"]})
    assert refused("enable_roaming", gone, customer_id="C2", line_id="L9") == "Line L9 not found for customer C2"
    unplanned = START.set("lines", "L2", {**START["lines"]["L2"], "plan_id": "P9"})
    assert refused("get_data_usage", unplanned, customer_id="C2", line_id="L2") == "Plan with ID P9 not found"


# ---- Tasks -------------------------------------------------------------------------------------------------------


def test_a_line_is_suspended_for_a_bill_of_last_month() -> None:
    given = {"customer_id": "C2", "line_id": "L2", "new_bill_id": "B9", "contract_ended": True}
    after = prepare(START, "assistant", "suspend_line_for_overdue_bill", given)
    bill, line = after["bills"]["B9"], after["lines"]["L2"]
    assert (bill["status"], bill["total_due"], bill["due_date"]) == ("Overdue", 40.0, "2025-01-15")
    assert (line["status"], line["contract_end_date"]) == ("Suspended", "2025-01-31")
    assert not holds(after, "assistant", "assert_no_overdue_bill", {"overdue_bill_id": "B9"})
    assert holds(START, "assistant", "assert_no_overdue_bill", {"overdue_bill_id": "B9"})
    kept = prepare(START, "assistant", "suspend_line_for_overdue_bill", {**given, "contract_ended": False})
    assert kept["lines"]["L2"]["contract_end_date"] is None


PREPARED: dict[str, dict[str, Any]] = {
    "set_data_usage": {"customer_id": "C2", "line_id": "L2", "data_used_gb": 9.0},
    "suspend_line_for_overdue_bill": {
        "customer_id": "C2",
        "line_id": "L2",
        "new_bill_id": "B9",
        "contract_ended": True,
    },
    "enable_roaming": {"customer_id": "C2", "line_id": "L2"},
    "disable_roaming": {"customer_id": "C2", "line_id": "L2"},
    "set_user_info": {"name": "Bob", "phone_number": "08"},
    "set_user_location": {"abroad": True},
    "lock_sim_card": {"mode": "puk"},
    "set_network_mode_preference": {"mode": "3g_only"},
    "set_wifi_calling": {"enabled": True, "mms_over_wifi": True},
    "remove_app_permission": {"app_name": "messaging", "permission": "sms"},
}


@pytest.mark.parametrize("side, name", sorted(ACTIONS))
def test_every_action_keeps_the_database_in_its_models(side: str, name: str) -> None:
    after = prepare(START, side, name, PREPARED.get(name, {}))
    for table, check in TELECOM.models.items():
        assert all(exact(check(row)) == exact(row) for row in after[table].values())
    assert all(exact(TELECOM.user_models[key](row)) == exact(row) for key, row in user_dump(after).items())


def test_what_fails_in_a_task_is_raised() -> None:
    with pytest.raises(Refusal, match="Line L9 not found"):
        prepare(START, "assistant", "set_data_usage", {"customer_id": "C2", "line_id": "L9", "data_used_gb": 1})
    with pytest.raises(KeyError):
        prepare(START, "user", "set_data_usage", {})
    with pytest.raises(TypeError):
        prepare(START, "user", "set_user_location", {})


def test_what_tasks_ask() -> None:
    def so(name: str, database: Database = START, **arguments: Any) -> bool:
        side = next(side for side, known in ASSERTIONS if known == name)
        return holds(database, side, name, arguments)

    off = prepare(START, "user", "turn_airplane_mode_on", {})
    assert so("assert_mobile_data_status", expected_status=True)
    assert so("assert_mobile_data_status", off, expected_status=False)
    assert so("assert_service_status", expected_status="connected")
    assert so("assert_service_status", off, expected_status="no_service")
    assert so("assert_can_send_mms", expected_status=True) and so("assert_can_send_mms", off, expected_status=False)
    # (50 + 500) / 2 · 0.8 for a good signal: 220 Mbps
    assert so("assert_internet_speed", expected_speed=200, expected_desc="excellent")
    assert not so("assert_internet_speed", expected_speed=221)
    assert not so("assert_internet_speed", expected_desc="good") and not so("assert_internet_speed", off)
    refilled, _ = done("refuel_data", customer_id="C2", line_id="L2", gb_amount=2)
    given = {"customer_id": "C2", "line_id": "L2", "expected_amount": 2.0}
    assert so("assert_data_refueling_amount", refilled, **given) and not so("assert_data_refueling_amount", **given)
    assert len(ASSERTIONS) == 6


def test_every_tool_has_a_description_of_itself_and_of_its_arguments() -> None:
    assert TELECOM.user_tools is not None
    for tool in [*TELECOM.tools.tools.values(), *TELECOM.user_tools.tools.values()]:
        assert tool.spec.description and all(one["description"] for one in tool.spec.parameters["properties"].values())
    assert (len(TELECOM.tools.tools), len(TELECOM.user_tools.tools)) == (13, 30)
