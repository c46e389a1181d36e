"""Nothing comes from nowhere: seats and money over random calls of every tool that writes."""

from __future__ import annotations

from collections import Counter

import pytest

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.domains.airline import AIRLINE, rules
from agentgym.envs.customer_service.sheet import Call
from agentgym.rng import TurnRng

BASE = AIRLINE.database
CODES = list(BASE["bookings"])


def capacity(database):
    """(flight, cabin) → free seats and those of active bookings together."""
    found = Counter()
    for key, row in database["flights"].items():
        for cabin, free in row["seats"].items():
            assert free >= 0
            found[key, cabin] += free
    for booking in database["bookings"].values():
        for leg in booking["legs"] if booking["status"] == "active" else ():
            found[f"{leg['flight']}/{leg['date']}", booking["cabin"]] += len(booking["passengers"])
    return found


def by_voucher(database):
    """What vouchers hold and what they paid for bookings together, in cents."""
    held = sum(money.cents(row["balance"]) for row in database["vouchers"].values())
    spent = (rules.paid(row) for row in database["bookings"].values())
    return held + sum(amount for row in spent for method, amount in row.items() if method.startswith("V-"))


def rest(booking):
    """What was paid beyond the prices of the flights, in cents."""
    prices = sum(money.cents(leg["price"]) for leg in booking["legs"]) * len(booking["passengers"])
    return sum(rules.paid(booking).values()) - prices


def random_call(database, rng):
    """A call that has a chance to be carried out."""
    code = rng.choice(CODES)
    booking = database["bookings"][code]
    customer = database["customers"][booking["customer"]]
    payment = rng.choice([card["payment_id"] for card in customer["cards"]] + 3 * customer["vouchers"])
    tool = rng.choice(
        ("cancel_booking", "change_flights", "change_flights", "change_cabin", "add_bags", "issue_voucher")
    )
    arguments = {"booking_code": code}
    if tool == "change_flights":
        way = rng.choice(("outbound", "return"))
        legs = rules.legs_of(booking, way) or booking["legs"]
        day = rng.choice([legs[0]["date"], f"2025-09-{rng.integers(11, 29)}"])
        route = legs[0]["origin"], legs[-1]["destination"], day
        ways = [[key] for key in rules.direct(database).get(route, ())]
        ways += rules.connections(rules.direct(database), database["flights"], route)[:4]
        chosen = [key[:5] for key in rng.choice(ways)] if ways else ["KW101"]
        arguments |= {"direction": way, "date": day, "flights": chosen, "payment_id": payment}
    if tool == "change_cabin":
        arguments |= {"cabin": rng.choice(rules.CABINS), "payment_id": payment}
    if tool == "add_bags":
        arguments |= {"extra": rng.integers(1, 4), "payment_id": payment}
    if tool == "issue_voucher":
        arguments |= {"amount": money.text(rng.integers(1, 40000))}
    return Call(tool, arguments)


def expected_rest(tool, booking, after, database):
    """What `rest` has to be after a write, worked out beside the tool."""
    people = len(booking["passengers"])
    if tool == "change_flights":
        return rest(booking) + (2745 * people if booking["fare"] == "standard" else 0)
    if tool == "add_bags":
        tier = database["customers"][booking["customer"]]["tier"]
        free = rules.BAGS[tier][booking["cabin"]] * people
        new = sum(1 for bag in range(booking["bags"] + 1, after["bags"] + 1) if bag > free)
        return rest(booking) + 3485 * new
    return rest(booking)


@pytest.mark.parametrize("seed", range(2))
def test_seats_and_money_are_conserved(seed):
    rng, database, issued, done = TurnRng(seed, stream="conserved"), BASE, 0, Counter()
    seats, vouchers = capacity(BASE), by_voucher(BASE)
    for _ in range(300):
        call = random_call(database, rng)
        before, reply = database, AIRLINE.call(database, call)
        done[call.name, reply.error] += 1
        if reply.error:
            assert reply.database is before
            continue
        database = reply.database
        old, new = (state["bookings"][call.arguments["booking_code"]] for state in (before, database))
        issued += money.cents(call.arguments["amount"]) if call.name == "issue_voucher" else 0
        if call.name == "cancel_booking":
            full = rules.is_fresh(old, AIRLINE.clock) or rules.is_disrupted(before, old) or not old["insurance"]
            kept = 0 if full else 1995 * len(old["passengers"])
            assert sum(rules.paid(new).values()) == min(kept, max(0, sum(rules.paid(old).values())))
        else:
            assert rest(new) == expected_rest(call.name, old, new, before)
        assert set(database.changes(before)) <= {"bookings", "flights", "vouchers", "customers"}
    assert capacity(database) == seats
    assert by_voucher(database) == vouchers + issued
    assert all(money.cents(row["balance"]) >= 0 for row in database["vouchers"].values())
    assert all(done[name, False] >= 8 for name in ("cancel_booking", "change_flights", "change_cabin", "add_bags"))
