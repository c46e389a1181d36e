"""The requests of Kittiwake Air's customers, as goals of a story; None where a booking does not allow one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.domains.airline import rules
from agentgym.envs.customer_service.domains.airline.network import CLOCK
from agentgym.envs.customer_service.domains.airline.story import Story, plain_amount, spoken
from agentgym.envs.customer_service.sheet import Call, Goal, Tell

TRIP: Final = ("destination", "date")
"""What customers say of their trip with the request itself; for more they have to be asked."""

COVERED: Final = ("I have fallen ill", "I broke my leg", "my grandmother died")
UNCOVERED: Final = ("my plans have changed", "my meeting was called off", "I have to work that week")

HOURS: Final = ("no", "one", "two", "three", "four", "five", "six")


def tells(topic: str, cents: int) -> tuple[Tell, ...] | None:
    """Return an amount that the agent has to say, () for nothing, None where people would say it in several ways."""
    text = plain_amount(cents)
    return () if cents == 0 else (Tell(topic, text),) if text else None


def insurance(has: bool) -> str:
    """Return what a customer says of the insurance."""
    return "yes, I took the travel insurance" if has else "no, I have no travel insurance"


def cost(cents: int) -> str:
    """Return a price as it is put into a sentence."""
    if not cents:
        return "free of charge"
    return f"{money.text(abs(cents))} euros {'to pay' if cents > 0 else 'back'}"


def cancel(story: Story, booking: Record, why: Sequence[str]) -> Goal | None:
    """Cancel a booking; what is refunded is to be told. Who is insured says so at once, or when asked."""
    back = sum(rules.refunds(story.database, booking, CLOCK).values())
    told = tells("refund", back)
    if not told:
        return None
    claims = why == COVERED and story.rng.integers(2)
    return Goal(
        "cancel_insured" if claims else "cancel",
        {**story.trip(booking), "reason": story.rng.choice(why), "insurance": insurance(booking["insurance"])},
        opens=TRIP,
        gold=(Call("cancel_booking", {"booking_code": booking["booking_code"]}),),
        reads=story.look(booking),
        tells=told,
    )


def upgrade(story: Story, booking: Record) -> Goal | None:
    """Move a booking to a better cabin, for more money."""
    found = _better_cabin(story, booking)
    if found is None:
        return None
    cabin, price = found
    told = tells("price", price)
    if not told:
        return None
    called, payment_id = story.payment(price)
    arguments = {"booking_code": booking["booking_code"], "cabin": cabin, "payment_id": payment_id}
    facts = {**story.trip(booking), "cabin": cabin, "payment": called, "cost": cost(price)}
    reads = (*story.look(booking), *states(booking["legs"]))
    return Goal("upgrade", facts, (*TRIP, "cabin"), (Call("change_cabin", arguments),), reads, told)


def bags(story: Story, booking: Record, extra: int = 0) -> Goal | None:
    """Add bags, free or paid."""
    extra = extra or 1 + story.rng.integers(2)
    if booking["bags"] + extra > rules.MOST_BAGS * len(booking["passengers"]):
        return None
    price = rules.bag_price(booking, story.tier, extra)
    told = tells("bag_price", price)
    if told is None:
        return None
    called, payment_id = story.payment(price)
    arguments = {"booking_code": booking["booking_code"], "extra": extra, "payment_id": payment_id}
    facts = {**story.trip(booking), "bags": str(extra), "payment": called, "cost": cost(price)}
    intent, opens = "add_bags", [*TRIP, "bags"]
    if not price and story.tier != "blue" and story.rng.integers(2):
        intent, opens, facts["tier"] = "free_bags", [*opens, "tier"], story.tier
    return Goal(intent, facts, tuple(opens), (Call("add_bags", arguments),), story.look(booking), told)


def change(story: Story, booking: Record, day: str = "") -> Goal | None:
    """Fly at another time, the same day or on another one: the first, the last or the cheapest direct flight."""
    way = _direction(story, booking)
    if way is None or booking["fare"] == "basic":
        return None
    leg = rules.legs_of(booking, way)[0]
    open_rows = [row for row in _others(story, booking, leg, day or leg["date"]) if _has_seats(row, booking)]
    found = _wished(story, open_rows, booking["cabin"])
    if found is None:
        return None
    wish, row = found
    if not day and story.rng.integers(3) == 0:
        return moved(story, booking, way, f"flight {row['flight']}", row, "take_flight")
    return moved(story, booking, way, wish, row)


def moved(
    story: Story, booking: Record, way: str, wish: str, row: Record, intent: str = "change_flight"
) -> Goal | None:
    """Return the goal of flying with `row` instead, which the customer calls `wish`."""
    price = rules.change_price(booking, way, [row])
    told = tells("difference", price)
    if told is None:
        return None
    called, payment_id = story.payment(price)
    code, leg = booking["booking_code"], rules.legs_of(booking, way)[0]
    facts = {
        **story.trip(booking, way), "direction": way, "new_date": spoken(row["date"]), "wish": wish,
        "flights": row["flight"], "payment": called, "cost": cost(price),
    }  # fmt: skip
    arguments = {
        "booking_code": code, "direction": way, "date": row["date"], "flights": [row["flight"]],
        "payment_id": payment_id,
    }  # fmt: skip
    reads = (*story.look(booking), search(leg, row["date"]))
    if intent == "take_flight":
        reads = (*story.look(booking), *states([row]))
    opens = (*TRIP, "direction") if intent == "change_flight" else (*TRIP, "direction", "wish")
    return Goal(intent, facts, opens, (Call("change_flights", arguments),), reads, told)


def search(leg: Record, day: str) -> Call:
    """Return the search for direct flights that go where a leg goes."""
    return Call("search_flights", {"origin": leg["origin"], "destination": leg["destination"], "date": day})


def sold_out(story: Story, booking: Record) -> Goal | None:
    """Ask for a flight without a seat, and for the next best one then."""
    way = _direction(story, booking)
    if way is None or booking["fare"] == "basic":
        return None
    leg = rules.legs_of(booking, way)[0]
    rows = _others(story, booking, leg, leg["date"])
    full = [row for row in rows if not _has_seats(row, booking)]
    free = [row for row in rows if _has_seats(row, booking)]
    if len(full) != 1 or len(free) != 1:
        return None
    instead = moved(story, booking, way, "the other direct flight of the day", free[0], "take_other")
    if instead is None:
        return None
    facts = {**instead.facts, "wish": f"flight {full[0]['flight']}", "flights": full[0]["flight"]}
    del facts["cost"]
    reads = (*story.look(booking), *states(full))
    return Goal("take_flight", facts, instead.opens, reads=reads, reason="sold_out", fallback=instead)


def respell(story: Story, booking: Record) -> Goal | None:
    """Correct the customer's own name, which was typed wrongly."""
    passenger, who = booking["passengers"][0], story.customer
    if rules.full_name(passenger) == rules.full_name(who):
        return None
    facts = {**story.trip(booking), "passenger": rules.full_name(passenger), "new_name": rules.full_name(who)}
    arguments = {
        "booking_code": booking["booking_code"], "passenger": facts["passenger"], "first_name": who["first_name"],
        "last_name": who["last_name"],
    }  # fmt: skip
    return Goal("fix_name", facts, TRIP, (Call("correct_passenger_name", arguments),), story.look(booking))


def compensate(story: Story, booking: Record) -> Goal | None:
    """Complain about a late or cancelled flight, with or without saying how late, and ask for compensation."""
    worth = rules.compensation(story.database, booking, story.tier)
    if not worth or booking.get("compensation"):
        return None
    arguments = {"booking_code": booking["booking_code"], "amount": money.text(worth)}
    facts = {**story.trip(booking), "amount": money.text(worth)}
    reads = (*story.look(booking), *states(booking["legs"]))
    fate, flight = rules.worst(story.database, booking)
    there = [(leg["flight"], leg["date"]) for leg in rules.legs_of(booking, "outbound")]
    if fate == "cancelled" or (flight["flight"], flight["date"]) not in there or story.rng.integers(2):
        return Goal("compensation", facts, TRIP, (Call("issue_voucher", arguments),), reads)
    facts["hours"] = HOURS[flight["delay_minutes"] // 60]
    return Goal("late", facts, (*TRIP, "hours"), (Call("issue_voucher", arguments),), reads)


def hand_over(story: Story, topic: str) -> Goal:
    """Ask for what only a colleague can do."""
    call = Call("transfer_to_human", {"customer_id": story.customer["customer_id"], "topic": topic})
    return Goal(topic, gold=(call,))


def ask_refund(story: Story, booking: Record) -> Goal | None:
    """Ask what cancelling would give back, without doing it."""
    told = tells("refund", sum(rules.refunds(story.database, booking, CLOCK).values()))
    if not told or not may_cancel(story, booking):
        return None
    return Goal("ask_refund", story.trip(booking), TRIP, reads=story.look(booking), tells=told)


def ask_upgrade(story: Story, booking: Record) -> Goal | None:
    """Ask what a better cabin would cost, without taking it."""
    found = _better_cabin(story, booking)
    told = tells("price", found[1]) if found else None
    if not found or not told:
        return None
    facts = {**story.trip(booking), "cabin": found[0]}
    reads = (*story.look(booking), *states(booking["legs"]))
    return Goal("ask_upgrade", facts, (*TRIP, "cabin"), reads=reads, tells=told)


def ask_bags(story: Story, booking: Record) -> Goal | None:
    """Ask what more bags would cost, without adding them."""
    room = rules.MOST_BAGS * len(booking["passengers"]) - booking["bags"]
    if room < 1:
        return None
    extra = 1 + story.rng.integers(min(3, room))
    told = tells("bag_price", rules.bag_price(booking, story.tier, extra))
    if not told:
        return None
    facts = {**story.trip(booking), "bags": str(extra)}
    return Goal("ask_bags", facts, (*TRIP, "bags"), reads=story.look(booking), tells=told)


def ask_paid(story: Story, booking: Record) -> Goal | None:
    """Ask what was paid in all, with whichever cards."""
    told = tells("paid", sum(rules.paid(booking).values()))
    if not told or len(booking["payments"]) < 2:
        return None
    return Goal("ask_paid", story.trip(booking), TRIP, reads=story.look(booking), tells=told)


def may_cancel(story: Story, booking: Record) -> bool:
    """Whether policy lets a customer cancel, whatever the reason."""
    fresh, disrupted = rules.is_fresh(booking, CLOCK), rules.is_disrupted(story.database, booking)
    return fresh or disrupted or booking["fare"] == "flexible"


def states(legs: Sequence[Record]) -> tuple[Call, ...]:
    """Return the reads that show how flights stand."""
    return tuple(Call("flight_status", {"flight": leg["flight"], "date": leg["date"]}) for leg in legs)


def _has_seats(row: Record, booking: Record) -> bool:
    return bool(row["seats"][booking["cabin"]] >= len(booking["passengers"]))


def _better_cabin(story: Story, booking: Record) -> tuple[str, int] | None:
    """Draw a better cabin with seats on all flights that costs more; None where there is none."""
    if booking["fare"] == "basic":
        return None
    flights = [rules.flight_of(story.database, leg) for leg in booking["legs"]]
    found = []
    for cabin in rules.CABINS[rules.CABINS.index(booking["cabin"]) + 1 :]:
        price = rules.cabin_price(story.database, booking, cabin)
        if price > 0 and all(row["seats"][cabin] >= len(booking["passengers"]) for row in flights):
            found.append((cabin, price))
    return story.rng.choice(found) if found else None


def _direction(story: Story, booking: Record) -> str | None:
    """Draw a direction with a single flight."""
    ways = [way for way in ("outbound", "return") if len(rules.legs_of(booking, way)) == 1]
    return story.rng.choice(ways) if ways else None


def _others(story: Story, booking: Record, leg: Record, day: str) -> list[Record]:
    """Return the other direct flights of a day that can still be booked, where a leg goes."""
    flights = story.database["flights"]
    keys = rules.direct(story.database).get((leg["origin"], leg["destination"], day), ())
    own = [f"{leg['flight']}/{leg['date']}" for leg in booking["legs"]]
    return [flights[key] for key in keys if key not in own and flights[key]["status"] in ("scheduled", "delayed")]


def _wished(story: Story, rows: Sequence[Record], cabin: str) -> tuple[str, Record] | None:
    """Draw what a customer wishes, and the one flight with seats that it means."""
    if len(rows) < 2:
        return None
    cheap = sorted(rows, key=lambda row: money.cents(row["prices"][cabin]))
    ways = [
        ("the earliest of the other direct flights with free seats", rows[0]),
        ("the latest of the other direct flights with free seats", rows[-1]),
    ]
    if cheap[0]["prices"][cabin] != cheap[1]["prices"][cabin]:
        ways.append(("the cheapest of the other direct flights with free seats", cheap[0]))
    return story.rng.choice(ways)
