"""The scenario families of Heathline: how many sheets, that gold calls run, and that what is told is true."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import islice

import pytest

from agentgym.envs.customer_service.customer.hear import hear
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domain import Family
from agentgym.envs.customer_service.domains.telecom import TELECOM
from agentgym.envs.customer_service.domains.telecom.reach import GOOD, Reach, data_left, reach
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.sheet import CUSTOMER, Call, Goal, Sheet
from agentgym.envs.customer_service.sheet_json import as_json, read_sheet
from agentgym.envs.customer_service.tasks import drawn
from agentgym.rng import TurnRng

BASE = TELECOM.database
FAMILIES = {family.name: family for family in TELECOM.families}
PHONE = [name for name, tool in TELECOM.tools.items() if (tool.side, tool.tag) == (CUSTOMER, "write")]
FAULTS = {"airplane_mode", "loose_sim", "mobile_data_off", "access_point", "data_saver", "slow_data", "abroad"}
REFUSALS = {
    "claims_paid": "unpaid_bill",
    "bound": "minimum_term",
    "withdrawn_plan": "plan_withdrawn",
    "no_roaming": "plan_without_roaming",
    "too_much_data": "data_limit",
    "line_of_another": "not_the_holder",
}


@cache
def sheets(family: str, split: str = "test", count: int = 14) -> list[Sheet]:
    """Return different sheets of a family about customers of a split."""
    return list(islice(drawn(TELECOM, FAMILIES[family], split), count))


def all_sheets() -> Iterator[Sheet]:
    """Yield more than 300 sheets, as many of each family."""
    for family in FAMILIES:
        yield from sheets(family)


def played(sheet: Sheet) -> Iterator[tuple[Goal, Database, Database]]:
    """Play the gold writes; yield each goal with the database before and after it."""
    database = TELECOM.start(sheet)
    for goal in sheet.all_goals:
        before = database
        for call in goal.due:
            reply = TELECOM.call(database, call)
            assert not reply.error, (sheet.family, call, reply.text)
            assert reply.database != database, (sheet.family, call)
            database = reply.database
        yield goal, before, database


def end(sheet: Sheet) -> Database:
    """Return the database when the customer was served rightly."""
    return list(played(sheet))[-1][2]


def read(database: Database, call: Call) -> str:
    """Return what a call that reads answers."""
    reply = TELECOM.call(database, call)
    assert not reply.error and reply.database is database, (call, reply.text)
    return reply.text


# ---- How many, and how they differ ---------------------------------------------------------------------------------


def test_there_are_enough_families() -> None:
    assert len(FAMILIES) == len(TELECOM.families) == 23


@pytest.mark.parametrize("family", FAMILIES)
def test_each_family_gives_enough_sheets_about_enough_test_customers(family: str) -> None:
    found = sheets(family)
    assert len(found) == 14
    assert len({json.dumps(as_json(sheet), sort_keys=True) for sheet in found}) == 14
    assert len({sheet.customer for sheet in found}) >= 6  # at least 8 of the 104 fit even the rarest, barred
    for sheet in found:
        assert (sheet.domain, sheet.family) == ("telecom", family)
        assert read_sheet(json.loads(json.dumps(as_json(sheet)))) == sheet


def test_what_customers_say_first_does_not_give_the_cause_away() -> None:
    """The same words for airplane mode, a loose SIM card, an outage, a suspended and a barred line; and so on."""
    wants = TELECOM.words.wants
    for kind in ("no_service", "no_data", "slow", "abroad"):
        assert len({id(texts) for intent, texts in wants.items() if intent.startswith(kind)}) == 1
    causes = {sheet.family for sheet in all_sheets() if sheet.goals[0].intent.startswith("no_service")}
    assert causes == {"airplane_mode", "loose_sim", "outage", "suspended", "barred"}
    assert {sheets(family)[0].goals[0].intent for family in ("mobile_data_off", "access_point")} == {"no_data"}


def test_several_requests_changes_of_mind_and_refusals_all_occur() -> None:
    found = list(all_sheets())
    assert sum(len(sheet.goals) > 1 for sheet in found) > len(found) / 2
    assert {sheet.family for sheet in found if any(goal.change for goal in sheet.goals)} == {
        "bigger_plan", "used_up", "lost_phone",
    }  # fmt: skip
    reasons = {(sheet.family, goal.reason) for sheet in found for goal in sheet.all_goals if goal.reason}
    assert reasons == set(REFUSALS.items())
    assert {sheet.unknown for sheet in found} == {(), ("phone",)}
    assert {sheet.mood for sheet in found} == {"calm", "hurried", "grumpy", "chatty"}


# ---- What serving comes to -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES)
def test_gold_runs_and_what_is_looked_up_is_there(family: str) -> None:
    for sheet in sheets(family):
        start = TELECOM.start(sheet)
        for call in sheet.identify:
            assert json.loads(read(start, call))["customer_id"] == sheet.customer
        for goal, before, after in played(sheet):
            assert goal.reads
            for call in goal.reads:
                read(before, call)
            names = [text for call in (*goal.reads, *goal.due) for text in call.arguments.values()]
            owners = {TELECOM.owner(before, text) for text in names if isinstance(text, str)} - {""}
            assert owners <= {sheet.customer}
            assert (before is after) == (not goal.due)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_forbidden_is_refused_by_the_tools_or_concerns_somebody_else(family: str) -> None:
    """What the customer wants before the fallback cannot be had: the tool refuses it, or the line is another's."""
    for sheet in sheets(family):
        start = TELECOM.start(sheet)
        for goal in sheet.goals:
            assert bool(goal.reason) == (goal is sheet.goals[0] and family in REFUSALS)
            if not goal.reason:
                continue
            assert not goal.gold and not goal.due and goal.insist >= 1 and goal.reason == REFUSALS[family]
            if goal.intent == "line_of_another":
                own = [BASE["lines"][key]["phone"] for key in BASE["customers"][sheet.customer]["line_ids"]]
                assert goal.facts["other_phone"] not in own
                continue
            reply = TELECOM.call(start, wanted(goal))
            assert reply.error and reply.database is start


def wanted(goal: Goal) -> Call:
    """Return the call that would give the customer what policy forbids."""
    line = {"line_id": next(call.arguments["line_id"] for call in goal.reads)}
    if goal.intent == "change_plan":
        return Call("change_plan", {**line, "plan_id": goal.facts["plan"].lower().replace(" ", "-")})
    if goal.intent == "add_data":
        return Call("add_data", {**line, "pack_gb": int(goal.facts["pack"].removesuffix(" GB"))})
    return Call({"resume_unpaid": "resume_line", "allow_roaming": "allow_roaming"}[goal.intent], line)


@pytest.mark.parametrize("family", sorted(FAULTS))
def test_a_fault_is_felt_and_the_gold_mends_it(family: str) -> None:
    for sheet in sheets(family):
        start, after = TELECOM.start(sheet), end(sheet)
        before, now = (reach(found, found["devices"][sheet.customer]) for found in (start, after))
        if family in ("airplane_mode", "loose_sim"):
            assert before.blocked and not now.blocked
        elif family in ("mobile_data_off", "access_point", "abroad"):
            assert not before.data and now.data
        elif family == "slow_data":
            assert 0 < before.speed < GOOD <= now.speed
        else:
            assert start["devices"][sheet.customer]["data_saver"] and not after["devices"][sheet.customer]["data_saver"]
        assert all(call.name in PHONE or call.name == "allow_roaming" for call in sheet.goals[0].gold)


def test_other_lines_without_service_have_it_in_the_end() -> None:
    for sheet in sheets("suspended"):
        phone = TELECOM.start(sheet)["devices"][sheet.customer]
        assert reach(TELECOM.start(sheet), phone) == Reach("no service", False, 0)
        after = end(sheet)
        assert reach(after, after["devices"][sheet.customer]).blocked == ""
        bills = [bill for bill in after["bills"].values() if bill["line_id"] == phone["line_id"]]
        assert all(bill["status"] != "overdue" for bill in bills)
    for sheet in sheets("used_up"):
        line = BASE["devices"][sheet.customer]["line_id"]
        after = end(sheet)
        assert data_left(BASE, BASE["lines"][line]) == 0 < data_left(after, after["lines"][line])


@pytest.mark.parametrize("family", sorted(FAULTS))
def test_each_instruction_beyond_the_gold_is_seen_in_the_end_state(family: str) -> None:
    """Whoever has the customer try everything ends elsewhere: the right calls are few, others change the phone."""
    for sheet in sheets(family):
        everything = TELECOM.start(sheet)
        for name in PHONE:
            reply = TELECOM.call(everything, Call(name, {"customer_id": sheet.customer}, CUSTOMER))
            everything = reply.database
        assert everything["devices"] != end(sheet)["devices"]


# ---- What is told --------------------------------------------------------------------------------------------------


def answer(sheet: Sheet, goal: Goal, topic: str, database: Database) -> str:
    """Work out what is to be told from the tools' answers alone, as an agent would."""
    customer = json.loads(read(database, sheet.identify[0]))
    if topic == "card":
        return str(customer["card"]["last_four"])
    if topic == "outage_until":
        return str(json.loads(read(database, Call("get_outage", {"area": customer["area"]})))["expected_until"][11:])
    calls = [call for call in (*goal.reads, *goal.gold) if "line_id" in call.arguments]
    key = {"line_id": calls[0].arguments["line_id"]}
    line, bills = (json.loads(read(database, Call(name, key))) for name in ("get_line", "get_bills"))
    unpaid = [bill for bill in bills if bill["status"] != "paid"]
    before, last = (round(100 * float(bill["total"])) for bill in bills[-2:])
    plan = next((call.arguments["plan_id"] for call in goal.gold if call.name == "change_plan"), "")
    left = float(line["plan"]["data_gb"] + line["extra_gb"]) - float(line["data_used_gb"])
    worked_out = {
        "unlock_code": lambda: line["unlock_code"],
        "term": lambda: line["minimum_term_until"],
        "data_left": lambda: f"{left:.1f}",
        "bill_total": lambda: bills[-1]["total"],
        "difference": lambda: f"{(last - before) / 100:.2f}",
        "item": lambda: bills[-1]["items"][-1]["amount"],
        "unpaid_total": lambda: f"{sum(round(100 * float(bill['total'])) for bill in unpaid) / 100:.2f}",
        "monthly_price": lambda: json.loads(read(database, Call("get_plan", {"plan_id": plan})))["monthly_price"],
    }
    return str(worked_out[topic]())


def test_what_is_told_is_what_an_agent_can_work_out() -> None:
    topics = set()
    for sheet in all_sheets():
        for goal, before, _ in played(sheet):
            for tell in goal.tells:
                topics.add(tell.topic)
                assert tell.text == answer(sheet, goal, tell.topic, before), (sheet.family, tell)
    assert topics == set(TELECOM.words.questions) == set(TELECOM.voice.tells)


def test_customers_state_true_prices_and_sums() -> None:
    for sheet in all_sheets():
        for goal, before, after in played(sheet):
            changed = after.changes(before)
            if "price" in goal.facts and goal.due:
                (line,) = changed["lines"].values()
                assert line and line["next_bill_extras"][-1]["amount"] == goal.facts["price"]
            if "amount" in goal.facts:
                paid = sum(round(100 * float(bill["paid"])) for bill in changed["bills"].values() if bill)
                assert f"{paid / 100:.2f}" == goal.facts["amount"]


# ---- Played --------------------------------------------------------------------------------------------------------


def test_the_expert_serves_every_family_without_breaking_a_rule() -> None:
    env = CustomerServiceEnv(domain="telecom", train=1, signals=("expert",))
    assert env.problems == []
    for task in env.panel["test"]:
        if not task.id.endswith(("/0", "/7")):
            continue
        _, info = env.reset(seed=2, options={"task": task.id})
        while not info["end_reason"]:
            _, _, _, _, info = env.step(info["expert"])
            assert not info.get("violations"), (task.id, info["violations"])
        assert info["end_reason"] == "solved", task.id


def test_no_single_instruction_wins_a_family() -> None:
    """A fixed text is no way to win, not even the right one: something has to be looked up besides."""
    env = CustomerServiceEnv(domain="telecom", train=1)
    texts = {name: TELECOM.voice.instructs[name][0] for name in PHONE}
    for family in sorted(FAULTS):
        sheet = sheets(family)[0]
        gold = [texts[call.name] for call in sheet.goals[0].gold if call.side == CUSTOMER]
        env.reset(seed=1, options={"task": f"telecom/{family}/test/0"})
        for text in (*gold, "Is there anything else?", *gold, "Is there anything else?", "Anything more?"):
            _, _, ended, _, info = env.step(text)
            if ended:
                break
        assert info["end_reason"] != "solved", family


def test_draws_are_the_same_every_time() -> None:
    for family in FAMILIES.values():
        assert isinstance(family, Family)
        for key in list(BASE["customers"])[:20]:
            one, other = (family.draw(BASE, key, TurnRng(4, stream=family.name)) for _ in range(2))
            assert one == other
            assert one is None or one.customer == key


def test_customers_hear_the_experts_instructions_as_what_they_are() -> None:
    for name, texts in TELECOM.voice.instructs.items():
        for text in texts:
            assert hear(TELECOM.words, text).instructs == (name,), text
