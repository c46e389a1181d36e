"""The scenarios of Kittiwake Air: enough of each, golds run, what is forbidden changes nothing, tells are true."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice

import pytest

from agentgym.digest import state_hash
from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.domains.airline import AIRLINE, goals, network, rules
from agentgym.envs.customer_service.sheet import Call
from agentgym.envs.customer_service.sheet_json import as_json
from agentgym.envs.customer_service.tasks import customers_of, drawn

FAMILIES = {family.name: family for family in AIRLINE.families}
FORBIDDEN = {
    "cancel_too_late": "not_refundable", "cancel_not_insured": "no_insurance", "cancel_not_covered": "not_covered",
    "basic_fare": "basic_fare", "full_flight": "sold_out", "false_tier": "wrong_tier",
    "other_passenger": "other_person", "no_delay": "no_delay", "strangers_booking": "foreign",
}  # fmt: skip


@cache
def sheets(name):
    """Twenty sheets of a family over the test customers."""
    return tuple(islice(drawn(AIRLINE, FAMILIES[name], "test"), 20))


EVERY = [(name, sheet) for name in FAMILIES for sheet in sheets(name)]


def targets(sheet, goal):
    """The booking that a goal is about: what its write names, else the last one that is looked up."""
    codes = [call.arguments.get("booking_code") for call in (*goal.gold, *reversed(goal.reads))]
    return next((code for code in codes if code), None)


def states(sheet):
    """(goal, database when it comes up), written as its golds say."""
    database = AIRLINE.start(sheet)
    for goal in sheet.all_goals:
        yield goal, database
        for call in goal.due:
            database = AIRLINE.call(database, call).database


def test_there_are_families_enough_and_each_has_different_sheets_of_many_customers():
    assert len(FAMILIES) >= 14 and FORBIDDEN.keys() <= FAMILIES.keys()
    for name in FAMILIES:
        assert len({state_hash(as_json(sheet)) for sheet in sheets(name)}) == 20, name
        assert len({sheet.customer for sheet in sheets(name)}) >= 9, name
    share = set(customers_of(AIRLINE, "test"))
    assert all(sheet.customer in share for _, sheet in EVERY)


def test_every_gold_and_every_read_runs():
    for name, sheet in EVERY:
        database = AIRLINE.start(sheet)
        for call in sheet.identify:
            assert not AIRLINE.call(database, call).error
        for goal in sheet.all_goals:
            for call in (*goal.reads, *goal.due):
                reply = AIRLINE.call(database, call)
                assert not reply.error, (name, call, reply.text)
                database = reply.database
        assert (database != AIRLINE.start(sheet)) == bool(sheet.gold), name


def test_no_gold_breaks_a_rule():
    for name, sheet in EVERY:
        for goal, database in states(sheet):
            for call in goal.due:
                assert not AIRLINE.violations(sheet, goal, database, call), (name, call)
                database = AIRLINE.call(database, call).database


def test_identification_leads_to_the_customer():
    for _, sheet in EVERY:
        *first, last = sheet.identify
        assert last == Call("get_customer", {"customer_id": sheet.customer})
        for call in first:
            assert AIRLINE.call(AIRLINE.database, call).text == sheet.customer
            assert set(map(str, call.arguments.values())) <= set(sheet.facts.values())
        assert not set(sheet.unknown) & sheet.facts.keys()
        assert not any(set(sheet.unknown) & goal.facts.keys() for goal in sheet.all_goals)


def test_the_talk_is_about_the_customers_own_bookings():
    for name, sheet in EVERY:
        own = AIRLINE.database["customers"][sheet.customer]["bookings"]
        for goal in sheet.all_goals:
            codes = [
                call.arguments["booking_code"] for call in (*goal.reads, *goal.gold) if "booking_code" in call.arguments
            ]
            assert set(codes) <= set(own), name


def test_a_trip_is_known_by_where_it_goes():
    for _, sheet in EVERY:
        own = [AIRLINE.database["bookings"][code] for code in AIRLINE.database["customers"][sheet.customer]["bookings"]]
        ends = [network.CITIES[rules.legs_of(row, "outbound")[-1]["destination"]] for row in own]
        for goal in sheet.all_goals:
            if "destination" in goal.facts:
                assert ends.count(goal.facts["destination"]) == 1
                assert own[ends.index(goal.facts["destination"])]["booking_code"] == targets(sheet, goal)


@pytest.mark.parametrize("name, reason", sorted(FORBIDDEN.items()))
def test_what_is_forbidden_changes_nothing_and_comes_with_something_to_do(name, reason):
    for sheet in sheets(name):
        refused = [goal for goal in sheet.goals if goal.reason]
        assert [goal.reason for goal in refused] == [reason]
        assert refused[0].due == () == refused[0].gold and refused[0].reads
        others = [goal for goal in sheet.all_goals if not goal.reason]
        assert any(goal.due or goal.tells for goal in others), name


def test_only_the_forbidden_families_have_something_to_refuse():
    for name, sheet in EVERY:
        assert any(goal.reason for goal in sheet.all_goals) == (name in FORBIDDEN)


# ---- what is told is true, and what is refused has to be: worked out from the records again


def amount(database, goal, sheet):
    """What a goal's tell has to be, in cents, from the database as it is then."""
    booking = database["bookings"][targets(sheet, goal)]
    people, [tell] = len(booking["passengers"]), goal.tells
    flights = [database["flights"][f"{leg['flight']}/{leg['date']}"] for leg in booking["legs"]]
    if tell.topic == "paid":
        return sum(money.cents(row["amount"]) for row in booking["payments"])
    if tell.topic == "refund":
        total = sum(money.cents(row["amount"]) for row in booking["payments"])
        keeps = booking["booked_at"] < "2025-09-09 14:00:00" and all(row["status"] != "cancelled" for row in flights)
        return total - (1995 * people if booking["insurance"] and keeps else 0)
    if tell.topic == "price":
        rows = zip(flights, booking["legs"], strict=True)
        cabin = goal.facts["cabin"]
        return people * sum(money.cents(row["prices"][cabin]) - money.cents(leg["price"]) for row, leg in rows)
    if tell.topic == "bag_price":
        tier = database["customers"][sheet.customer]["tier"]
        free, count = rules.BAGS[tier][booking["cabin"]] * people, int(goal.facts["bags"])
        return 3485 * sum(1 for bag in range(booking["bags"] + 1, booking["bags"] + count + 1) if bag > free)
    assert tell.topic == "difference"
    [call] = goal.gold
    [old] = [leg for leg in booking["legs"] if leg["direction"] == call.arguments["direction"]]
    [number] = call.arguments["flights"]
    new = database["flights"][f"{number}/{call.arguments['date']}"]["prices"][booking["cabin"]]
    fee = 2745 if booking["fare"] == "standard" else 0
    return abs(people * (money.cents(new) - money.cents(old["price"]) + fee))


def test_tells_are_true():
    seen = set()
    for name, sheet in EVERY:
        for goal, database in states(sheet):
            for tell in goal.tells:
                seen.add(tell.topic)
                assert money.cents(tell.text) == amount(database, goal, sheet), (name, goal)
                assert re.fullmatch(r"\d+\.\d\d", tell.text) and not tell.text.endswith(".00")
    assert seen == set(AIRLINE.words.questions)


def reasons(database, sheet, goal):
    """Whether a refusal of a goal is right, by the policy."""
    booking = database["bookings"].get(targets(sheet, goal), {})
    if goal.reason == "foreign":
        return database["bookings"][goal.facts["booking"]]["customer"] != sheet.customer
    if goal.reason in ("not_refundable", "no_insurance", "not_covered"):
        binding = booking["fare"] != "flexible" and booking["booked_at"] < "2025-09-09 14:00:00"
        covered = goal.facts["reason"] in goals.COVERED
        whole = all(rules.flight_of(database, leg)["status"] == "scheduled" for leg in booking["legs"])
        return (
            binding
            and whole
            and booking["insurance"] == (goal.reason == "not_covered")
            and covered == (goal.reason == "no_insurance")
        )
    if goal.reason == "basic_fare":
        return booking["fare"] == "basic"
    if goal.reason == "sold_out":
        day = next(call.arguments["date"] for call in goal.reads if call.name == "flight_status")
        row = database["flights"][f"{goal.facts['flights']}/{day}"]
        return row["seats"][booking["cabin"]] < len(booking["passengers"])
    if goal.reason == "wrong_tier":
        return goal.facts["tier"] != database["customers"][sheet.customer]["tier"]
    if goal.reason == "other_person":
        return rules.letters_apart(goal.facts["passenger"], goal.facts["new_name"]) > 3
    flown = [rules.flight_of(database, leg) for leg in booking["legs"]]
    return all(row["status"] != "cancelled" and row["delay_minutes"] < 120 for row in flown)


def test_refusals_are_right():
    for name, sheet in EVERY:
        for goal, database in states(sheet):
            assert not goal.reason or reasons(database, sheet, goal), (name, goal)


def test_a_wish_means_one_flight():
    for _, sheet in EVERY:
        for goal, database in states(sheet):
            if goal.intent == "change_flight" and goal.due:
                [call] = goal.gold
                booking = database["bookings"][call.arguments["booking_code"]]
                search = next(read for read in goal.reads if read.name == "search_flights")
                keys = rules.direct(database)[tuple(search.arguments.values())]
                own = {(leg["flight"], leg["date"]) for leg in booking["legs"]}
                rows = [database["flights"][key] for key in keys]
                rows = [row for row in rows if (row["flight"], row["date"]) not in own and row["status"] == "scheduled"]
                rows = [row for row in rows if row["seats"][booking["cabin"]] >= len(booking["passengers"])]
                price = lambda row: money.cents(row["prices"][booking["cabin"]])  # noqa: B023 - used at once
                best = {
                    "earliest": min(rows, key=lambda row: row["departs"]),
                    "latest": max(rows, key=lambda row: row["departs"]),
                    "cheapest": min(rows, key=price),
                }[goal.facts["wish"].split()[1]]
                assert [best["flight"]] == call.arguments["flights"]


def test_false_and_true_claims_sound_alike():
    """No wording of a request gives away whether it is allowed; give_ticket and cancel_other say it openly."""
    refused = {goal.intent for _, sheet in EVERY for goal in sheet.all_goals if goal.reason}
    allowed = {goal.intent for _, sheet in EVERY for goal in sheet.all_goals if goal.due}
    assert refused - allowed == {"give_ticket", "cancel_other"}


def test_compensation_is_what_the_worst_flight_and_the_tier_give():
    each = {"blue": 6000, "silver": 9000, "gold": 13000}
    seen = set()
    for sheet in sheets("compensation"):
        for goal, database in states(sheet):
            for call in goal.gold:
                if call.name == "issue_voucher":
                    booking = database["bookings"][call.arguments["booking_code"]]
                    rows = [rules.flight_of(database, leg) for leg in booking["legs"]]
                    late = max(row["delay_minutes"] for row in rows)
                    twice = late >= 240 or any(row["status"] == "cancelled" for row in rows)
                    tier = database["customers"][sheet.customer]["tier"]
                    assert twice or late >= 120
                    assert money.cents(call.arguments["amount"]) == (1 + twice) * each[tier] * len(
                        booking["passengers"]
                    )
                    seen.add((tier, twice))
    assert len(seen) >= 4
