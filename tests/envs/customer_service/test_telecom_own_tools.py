"""The tools of Heathline: what each finds, what it checks before it writes, and that money is conserved."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domains.telecom import TELECOM
from agentgym.envs.customer_service.domains.telecom.accounts import bills_of
from agentgym.envs.customer_service.domains.telecom.plans import PACKS, PLANS
from agentgym.envs.customer_service.domains.telecom.rows import CLOCK, TODAY, build, months_later
from agentgym.envs.customer_service.domains.telecom.volumes import gigabytes, tenths
from agentgym.envs.customer_service.sheet import CUSTOMER, Call
from agentgym.rng import TurnRng

BASE = TELECOM.database
DIGEST = "39402a8203fcfb4093dcf87fc66ab200"


def call(name: str, database: Database = BASE, /, **arguments: Any) -> Any:
    """Return what an agent's call that must succeed answers."""
    reply = TELECOM.call(database, Call(name, arguments))
    assert not reply.error, reply.text
    return json.loads(reply.text)


def write(name: str, database: Database = BASE, /, side: str = "agent", **arguments: Any) -> Database:
    """Return the database after a call that must succeed."""
    reply = TELECOM.call(database, Call(name, arguments, side))
    assert not reply.error, reply.text
    return reply.database


def refused(name: str, database: Database = BASE, /, **arguments: Any) -> str:
    """Return why a call is refused; it must leave the database alone."""
    reply = TELECOM.call(database, Call(name, arguments))
    assert reply.error and reply.database is database
    return reply.text.removeprefix("Error: ")


def line_where(**wanted: Any) -> str:
    """Return the first active line of the base, nothing of it overdue, that has such fields."""
    wanted = {"status": "active", **wanted}
    for key, line in BASE["lines"].items():
        fits = all(line[name] == value for name, value in wanted.items())
        if fits and all(bill["status"] != "overdue" for bill in bills_of(BASE, key)):
            return key
    raise AssertionError(f"no line with {wanted}")


def overdue_line(card_valid: bool, count: int = 1) -> tuple[str, list[str]]:
    """Return a suspended line with as many overdue bills, and their ids; its holder's card is valid or not."""
    for key, line in BASE["lines"].items():
        late = [bill["bill_id"] for bill in bills_of(BASE, key) if bill["status"] == "overdue"]
        card = BASE["customers"][line["customer"]]["card"]
        if line["status"] == "suspended" and len(late) == count and (card["valid_until"] >= CLOCK[:7]) == card_valid:
            return key, late
    raise AssertionError("no such line")


# ---- The base ----------------------------------------------------------------------------------------------------


def test_the_base_is_what_it_was() -> None:
    assert build() is BASE
    assert BASE.digest == DIGEST
    sizes = {name: len(table) for name, table in BASE.items()}
    assert sizes == {
        "customers": 520, "lines": 793, "bills": 2379, "devices": 520, "plans": 14, "outages": 4, "tickets": 0,
    }  # fmt: skip


def test_records_refer_to_records_that_are_there() -> None:
    for key, customer in BASE["customers"].items():
        lines = [BASE["lines"][line] for line in customer["line_ids"]]
        assert lines and all(line["customer"] == key for line in lines)
        phone = BASE["devices"][key]
        assert phone["customer"] == key and phone["line_id"] == customer["line_ids"][0]
    for key, line in BASE["lines"].items():
        assert key in BASE["customers"][line["customer"]]["line_ids"] and line["plan_id"] in PLANS
        bills = bills_of(BASE, key)
        assert [bill["date"] for bill in bills] == ["2025-01-01", "2025-02-01", "2025-03-01"]
        assert all(bill["customer"] == line["customer"] for bill in bills)
        until = line["minimum_term_until"]
        assert until is None or until == months_later(line["since"], PLANS[line["plan_id"]]["minimum_term_months"])
    assert len({line["phone"] for line in BASE["lines"].values()}) == len(BASE["lines"])
    people = {(customer["name"], customer["birth_date"]) for customer in BASE["customers"].values()}
    assert len(people) == len(BASE["customers"])


def test_bills_add_up_and_their_status_follows_from_clock_and_payment() -> None:
    for bill in BASE["bills"].values():
        assert sum(money.cents(item["amount"]) for item in bill["items"]) == money.cents(bill["total"])
        if bill["status"] == "paid":
            assert bill["paid"] == bill["total"] and bill["date"] < bill["paid_on"] < TODAY
        else:
            assert bill["paid"] == "0.00" and bill["paid_on"] is None
            assert bill["status"] == ("overdue" if bill["due"] < TODAY else "open")


def test_a_line_is_suspended_for_a_bill_only_where_one_is_overdue() -> None:
    for key, line in BASE["lines"].items():
        if line["status_reason"] == "overdue bill":
            assert line["status"] == "suspended"
            assert any(bill["status"] == "overdue" for bill in bills_of(BASE, key))


def test_amounts_and_volumes() -> None:
    assert [money.cents(text) for text in ("0.00", "24.90", "7.05")] == [0, 2490, 705]
    assert [money.text(count) for count in (0, 2490, 705)] == ["0.00", "24.90", "7.05"]
    assert [tenths(text) for text in ("0.3", "17.4")] == [3, 174]
    assert [gigabytes(count) for count in (3, 174)] == ["0.3", "17.4"]


def test_months_later_keeps_the_day_where_it_can() -> None:
    assert months_later("2025-03-17", 12) == "2026-03-17"
    assert months_later("2025-03-17", -3) == "2024-12-17"
    assert months_later("2024-12-31", 2) == "2025-02-28"  # the 28th at most
    assert months_later("2025-11-05", 1) == "2025-12-05"


# ---- Looking -----------------------------------------------------------------------------------------------------


def test_customers_are_found_by_number_and_date_of_birth() -> None:
    key, customer = next((key, one) for key, one in BASE["customers"].items() if len(one["line_ids"]) == 3)
    born = customer["birth_date"]
    for line in customer["line_ids"]:
        phone = BASE["lines"][line]["phone"]
        for written in (phone, phone.replace(" ", ""), phone.replace(" ", "-")):
            assert call("find_customer_by_phone", phone=written, birth_date=born)["customer_id"] == key
    assert refused("find_customer_by_phone", phone=phone, birth_date="1900-01-01").startswith("birth_date: 1900-01-01")
    assert refused("find_customer_by_phone", phone="12", birth_date=born) == "phone: no line has the number 12"


def test_customers_are_found_by_name_and_date_of_birth() -> None:
    key, customer = next(iter(BASE["customers"].items()))
    name, born = customer["name"], customer["birth_date"]
    assert call("find_customer_by_name", name=f" {name.upper()} ", birth_date=born)["customer_id"] == key
    assert refused("find_customer_by_name", name=name, birth_date="1900-01-01").startswith("name, birth_date: no")


def test_what_is_read() -> None:
    key, line = next(iter(BASE["lines"].items()))
    assert call("get_line", line_id=key) == {**line, "plan": PLANS[line["plan_id"]]}
    assert call("get_customer", customer_id=line["customer"]) == BASE["customers"][line["customer"]]
    assert call("get_plan", plan_id="ridge-80")["on_sale"] is False
    assert [bill["line_id"] for bill in call("get_bills", line_id=key)] == [key] * 3
    sold = call("list_plans")
    assert len(sold) == 10 and all(plan["on_sale"] for plan in sold)  # 14 plans, 4 withdrawn
    assert [plan["plan_id"] for plan in sold][:3] == ["brook-2", "brook-5", "willow-10"]
    area, down = next(iter(BASE["outages"].items()))
    assert call("get_outage", area=area) == down
    served = next(one["area"] for one in BASE["customers"].values() if one["area"] not in BASE["outages"])
    assert call("get_outage", area=served) == {"area": served, "outage": None}


@pytest.mark.parametrize(
    "name, argument, what",
    [
        ("get_customer", "customer_id", "customer"),
        ("get_line", "line_id", "line"),
        ("get_bills", "line_id", "line"),
        ("get_plan", "plan_id", "plan"),
        ("charge_card", "bill_id", "bill"),
        ("send_payment_request", "bill_id", "bill"),
        ("suspend_line", "line_id", "line"),
        ("resume_line", "line_id", "line"),
        ("allow_roaming", "line_id", "line"),
    ],
)
def test_records_that_are_not_there_are_named(name: str, argument: str, what: str) -> None:
    assert refused(name, **{argument: "X1"}) == f"there is no {what} X1"


def test_other_arguments_that_are_not_there_are_named() -> None:
    line = line_where()
    assert refused("get_outage", area="Nowhere") == "area: there is no area Nowhere"
    assert refused("change_plan", line_id=line, plan_id="X1") == "there is no plan X1"
    assert refused("transfer_to_human", customer_id="X1", topic="barred line") == "there is no customer X1"
    assert "transfer_to_human.topic must be one of" in refused(
        "transfer_to_human", customer_id="HC10400", topic="weather"
    )


# ---- Writing -----------------------------------------------------------------------------------------------------


def test_a_bill_is_paid_with_the_card_once() -> None:
    _, (bill,) = overdue_line(True)
    paid = write("charge_card", bill_id=bill)
    total = BASE["bills"][bill]["total"]
    assert paid.changes(BASE) == {
        "bills": {bill: {**BASE["bills"][bill], "paid": total, "paid_on": "2025-03-17", "status": "paid"}}
    }
    assert refused("charge_card", paid, bill_id=bill) == f"bill {bill} was paid on 2025-03-17"
    assert refused("send_payment_request", paid, bill_id=bill) == f"bill {bill} was paid on 2025-03-17"


def test_an_expired_card_is_not_charged_but_a_request_is_paid() -> None:
    line, (bill,) = overdue_line(False)
    customer = BASE["lines"][line]["customer"]
    assert f"send a payment request for bill {bill}" in refused("charge_card", bill_id=bill)
    nothing = TELECOM.call(BASE, Call("pay_request", {"customer_id": customer}, CUSTOMER))
    assert nothing.text == "there is no payment request" and nothing.database is BASE
    sent = write("send_payment_request", bill_id=bill)
    assert sent["customers"][customer]["payment_request"] == bill and sent["bills"] == BASE["bills"]
    assert refused("send_payment_request", sent, bill_id=bill).startswith(f"a payment request for bill {bill}")
    done = write("pay_request", sent, side=CUSTOMER, customer_id=customer)
    assert done["customers"] == BASE["customers"] and done["bills"][bill]["status"] == "paid"


def test_a_card_holds_to_the_end_of_its_month() -> None:
    _, (bill,) = overdue_line(True)
    customer = BASE["bills"][bill]["customer"]
    record = BASE["customers"][customer]
    this = BASE.set("customers", customer, {**record, "card": {**record["card"], "valid_until": "2025-03"}})
    last = BASE.set("customers", customer, {**record, "card": {**record["card"], "valid_until": "2025-02"}})
    assert write("charge_card", this, bill_id=bill) != this
    assert "was valid until 2025-02" in refused("charge_card", last, bill_id=bill)


def test_a_bill_paid_by_card_takes_back_the_request_for_it() -> None:
    line, (bill,) = overdue_line(True)
    customer = BASE["lines"][line]["customer"]
    both = write("charge_card", write("send_payment_request", bill_id=bill), bill_id=bill)
    assert both["customers"][customer]["payment_request"] is None
    assert both == write("charge_card", bill_id=bill)
    again = TELECOM.call(both, Call("pay_request", {"customer_id": customer}, CUSTOMER))
    assert again.text == "there is no payment request" and again.database is both


def test_a_line_is_resumed_when_nothing_is_overdue() -> None:
    line, bills = overdue_line(True, 2)
    assert refused("resume_line", line_id=line).endswith(f"to be paid first: {', '.join(bills)}")
    once = write("charge_card", bill_id=bills[0])
    assert refused("resume_line", once, line_id=line).endswith(f"to be paid first: {bills[1]}")
    back = write("resume_line", write("charge_card", once, bill_id=bills[1]), line_id=line)
    assert back["lines"][line] == {**BASE["lines"][line], "status": "active", "status_reason": ""}
    assert "only a suspended line" in refused("resume_line", back, line_id=line)
    barred = next(key for key, one in BASE["lines"].items() if one["status"] == "barred")
    assert "only the fraud team" in refused("resume_line", line_id=barred)


def test_suspending_and_resuming_leave_the_line_as_it_was() -> None:
    line = line_where()
    off = write("suspend_line", line_id=line)
    assert off["lines"][line]["status_reason"] == "wish of the customer"
    assert "is suspended, this needs an active line" in refused("suspend_line", off, line_id=line)
    assert write("resume_line", off, line_id=line) == BASE


def test_a_change_of_plan_begins_a_new_term() -> None:
    line = line_where(plan_id="brook-2")
    dearer = write("change_plan", line_id=line, plan_id="ridge-40")["lines"][line]
    assert (dearer["plan_id"], dearer["minimum_term_until"]) == ("ridge-40", "2027-03-17")  # 24 months from the clock
    free = write("change_plan", line_id=line, plan_id="harbour-15")["lines"][line]
    assert free["minimum_term_until"] is None
    assert "is on plan brook-2 already" in refused("change_plan", line_id=line, plan_id="brook-2")
    assert "not on sale any more" in refused("change_plan", line_id=line, plan_id="ridge-80")
    off = write("suspend_line", line_id=line)
    assert "needs an active line" in refused("change_plan", off, line_id=line, plan_id="ridge-40")


def test_within_the_minimum_term_no_plan_is_cheaper() -> None:
    line = line_where(plan_id="willow-20")
    now = BASE["lines"][line]

    def until(day: str | None) -> Database:
        return BASE.set("lines", line, {**now, "minimum_term_until": day})

    told = refused("change_plan", until("2025-03-18"), line_id=line, plan_id="willow-10")
    assert told == f"line {line} has a minimum term until 2025-03-18: no plan below 21.90 before that day"
    assert write("change_plan", until("2025-03-17"), line_id=line, plan_id="willow-10") != BASE
    assert write("change_plan", until(None), line_id=line, plan_id="willow-10") != BASE
    assert write("change_plan", until("2025-03-18"), line_id=line, plan_id="harbour-25") != BASE


def test_roaming_goes_with_the_plan() -> None:
    line = line_where(roaming_allowed=False, plan_id="harbour-15")
    roams = write("allow_roaming", line_id=line)
    assert roams["lines"][line] == {**BASE["lines"][line], "roaming_allowed": True}
    assert refused("allow_roaming", roams, line_id=line) == f"line {line} may roam already"
    without = BASE.set("lines", line, {**BASE["lines"][line], "roaming_allowed": True, "minimum_term_until": None})
    assert write("change_plan", without, line_id=line, plan_id="brook-5")["lines"][line]["roaming_allowed"] is False
    assert "has no roaming" in refused("allow_roaming", line_id=line_where(plan_id="brook-5"))


def test_extra_data_has_a_limit_and_costs_what_its_pack_costs() -> None:
    line = line_where(extra_gb=3)
    more = write("add_data", line_id=line, pack_gb=5)["lines"][line]
    before = BASE["lines"][line]["next_bill_extras"]
    assert more["extra_gb"] == 8
    assert more["next_bill_extras"] == [*before, {"what": "5 GB of extra data", "amount": "10.00"}]
    assert refused("add_data", line_id=line, pack_gb=10).endswith("12 GB of extra data a month, 9 GB are left")
    assert refused("add_data", line_id=line, pack_gb=2).endswith("there is no pack of 2 GB; there are 1, 3, 5, 10")


def test_an_overdue_bill_stands_against_plans_and_data() -> None:
    line = next(
        key
        for key, one in BASE["lines"].items()
        if one["status"] == "active" and any(bill["status"] == "overdue" for bill in bills_of(BASE, key))
    )
    assert "overdue bills" in refused("add_data", line_id=line, pack_gb=1)
    dearest = "summit-300" if BASE["lines"][line]["plan_id"] != "summit-300" else "summit-100"
    told = refused("change_plan", line_id=line, plan_id=dearest)
    assert "overdue bills" in told or "minimum term" in told


def test_a_matter_is_handed_over_once() -> None:
    done = write("transfer_to_human", customer_id="HC10400", topic="port a number")
    ticket = {"customer": "HC10400", "topic": "port a number", "opened": "2025-03-17"}
    assert dict(done["tickets"]) == {"HC10400: port a number": ticket}
    assert "was handed over already" in refused("transfer_to_human", done, customer_id="HC10400", topic="port a number")
    assert len(write("transfer_to_human", done, customer_id="HC10400", topic="barred line")["tickets"]) == 2


def test_agents_cannot_use_the_phone_nor_customers_the_desk() -> None:
    assert "there is no tool vpn_off" in refused("vpn_off", customer_id="HC10400")
    for name, tool in TELECOM.tools.items():
        if tool.side == CUSTOMER:
            assert list(tool.spec.parameters["properties"]) == ["customer_id"], name
    reply = TELECOM.call(BASE, Call("suspend_line", {"line_id": "HL204000"}, CUSTOMER))
    assert reply.error and reply.database is BASE


# ---- Money -------------------------------------------------------------------------------------------------------


def test_money_is_conserved_whatever_is_called() -> None:
    """Every call adds to what was paid or is charged exactly what it says, and no bill is paid beyond its total."""
    rng = TurnRng(5, stream="telecom money")
    customers = list(BASE["customers"])[:12]
    lines = [line for key in customers for line in BASE["customers"][key]["line_ids"]]
    bills = [bill["bill_id"] for line in lines for bill in bills_of(BASE, line)]
    database, paid, extra, done = BASE, _paid(BASE, bills), _extra(BASE, lines), 0
    for _ in range(600):
        made = _random_call(rng, customers, lines, bills)
        reply = TELECOM.call(database, made)
        assert reply.error == (reply.database is database) or TELECOM.tools[made.name].side == CUSTOMER
        if made.name == "charge_card" and not reply.error:
            paid += money.cents(database["bills"][made.arguments["bill_id"]]["total"])
        if made.name == "pay_request":
            waiting = database["customers"][made.arguments["customer_id"]]["payment_request"]
            if waiting is not None:
                paid += money.cents(database["bills"][waiting]["total"])
        if made.name == "add_data" and not reply.error:
            extra += money.cents(PACKS[made.arguments["pack_gb"]])
        done += reply.database is not database
        database = reply.database
        assert (_paid(database, bills), _extra(database, lines)) == (paid, extra)
    assert done > 60
    for key in bills:
        bill = database["bills"][key]
        assert bill["paid"] in ("0.00", bill["total"]) and (bill["paid"] != "0.00") == (bill["status"] == "paid")


def _random_call(rng: TurnRng, customers: list[str], lines: list[str], bills: list[str]) -> Call:
    line, bill, customer = rng.choice(lines), rng.choice(bills), rng.choice(customers)
    return rng.choice(
        (
            Call("charge_card", {"bill_id": bill}),
            Call("send_payment_request", {"bill_id": bill}),
            Call("pay_request", {"customer_id": customer}, CUSTOMER),
            Call("add_data", {"line_id": line, "pack_gb": rng.choice((1, 2, 3, 5, 10))}),
            Call("change_plan", {"line_id": line, "plan_id": rng.choice(tuple(PLANS))}),
            Call("suspend_line", {"line_id": line}),
            Call("resume_line", {"line_id": line}),
            Call("allow_roaming", {"line_id": line}),
        )
    )


def _paid(database: Database, bills: list[str]) -> int:
    return sum(money.cents(database["bills"][key]["paid"]) for key in bills)


def _extra(database: Database, lines: list[str]) -> int:
    return sum(money.cents(item["amount"]) for key in lines for item in database["lines"][key]["next_bill_extras"])
