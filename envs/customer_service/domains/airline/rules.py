"""Kittiwake Air's rules as functions: prices, allowances, and what policy allows; shared by tools and scenarios.

Amounts are whole cents here and texts with two decimals in records ("124.50"), so nothing is ever rounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Final

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database, Record

_AMOUNT = re.compile(r"(\d{1,5})(?:\.(\d{1,2}))?", re.ASCII)

Routes = dict[tuple[str, str, str], list[str]]

CABINS: Final = ("economy", "premium", "business")
TIERS: Final = ("blue", "silver", "gold")

BAGS: Final = {
    "blue": {"economy": 0, "premium": 1, "business": 2},
    "silver": {"economy": 1, "premium": 2, "business": 3},
    "gold": {"economy": 2, "premium": 3, "business": 3},
}
"""Free checked bags of every passenger, by the customer's tier and the booking's cabin."""

MOST_BAGS: Final = 4  # of every passenger
BAG_FEE: Final = 34_85
CHANGE_FEE: Final = 27_45  # of every passenger with a standard fare
PREMIUM: Final = 19_95  # the insurance, of every passenger
COMPENSATION: Final = {"blue": 60_00, "silver": 90_00, "gold": 130_00}  # of every passenger from two hours on
LATE: Final = 120
VERY_LATE: Final = 240  # twice as much, as for a cancelled flight
CONNECTION: Final = 45  # minutes between two flights at the least
TYPO: Final = 3  # letters that a correction may change


def amount(text: str) -> int:
    """Return an amount that somebody wrote, such as "120" or "€ 120.50", in cents; 0 where it is none."""
    match = _AMOUNT.fullmatch(text.strip().removeprefix("€").strip())
    return int(match[1]) * 100 + int((match[2] or "0").ljust(2, "0")) if match else 0


def minutes(clock: str) -> int:
    """Return a time of day such as "07:40" in minutes."""
    return int(clock[:2]) * 60 + int(clock[3:])


def flight_of(database: Mapping[str, Mapping[str, Record]], leg: Record) -> Record:
    """Return the dated flight of a leg of a booking."""
    return database["flights"][f"{leg['flight']}/{leg['date']}"]


def has_left(flight: Record) -> bool:
    """Whether a flight has departed; a cancelled one never does."""
    return flight["status"] in ("landed", "departed")


def legs_of(booking: Record, direction: str) -> list[Record]:
    """Return the legs of a booking in one direction, in the order in which they are flown."""
    return [leg for leg in booking["legs"] if leg["direction"] == direction]


def allowance(booking: Record, tier: str) -> int:
    """Return how many checked bags are free in a booking."""
    return BAGS[tier][booking["cabin"]] * len(booking["passengers"])


def bag_price(booking: Record, tier: str, extra: int) -> int:
    """Return the price of more checked bags, in cents: those beyond the allowance."""
    free, before = allowance(booking, tier), int(booking["bags"])
    return BAG_FEE * (max(0, before + extra - free) - max(0, before - free))


def paid(booking: Record) -> dict[str, int]:
    """Return what every payment method paid for a booking, refunds taken off, in cents."""
    found: dict[str, int] = {}
    for payment in booking["payments"]:
        found[payment["payment_id"]] = found.get(payment["payment_id"], 0) + money.cents(payment["amount"])
    return found


def is_fresh(booking: Record, clock: str) -> bool:
    """Whether a booking was made in the last 24 hours."""
    day_before = (date.fromisoformat(clock[:10]) - timedelta(days=1)).isoformat()
    return str(booking["booked_at"]) >= day_before + clock[10:]


def is_disrupted(database: Mapping[str, Mapping[str, Record]], booking: Record) -> bool:
    """Whether the airline cancelled a flight of a booking."""
    return any(flight_of(database, leg)["status"] == "cancelled" for leg in booking["legs"])


def refunds(database: Mapping[str, Mapping[str, Record]], booking: Record, clock: str) -> dict[str, int]:
    """Return what cancelling a booking gives back, in cents by payment method.

    All that was paid; the insurance only within 24 hours or where the airline cancelled a flight.
    """
    kept = 0
    if booking["insurance"] and not is_fresh(booking, clock) and not is_disrupted(database, booking):
        kept = PREMIUM * len(booking["passengers"])
    sums, found = paid(booking), {}
    kept -= sum(amount for amount in sums.values() if amount < 0)  # what another method got back already
    for method, amount in sums.items():
        held = min(kept, max(0, amount))
        kept -= held
        if amount - held > 0:
            found[method] = amount - held
    return found


def cabin_price(database: Mapping[str, Mapping[str, Record]], booking: Record, cabin: str) -> int:
    """Return the difference in cents between a cabin's prices today and what was paid for the flights."""
    rows = [
        (money.cents(flight_of(database, leg)["prices"][cabin]), money.cents(leg["price"])) for leg in booking["legs"]
    ]
    return sum(now - then for now, then in rows) * len(booking["passengers"])


def change_price(booking: Record, direction: str, chosen: Sequence[Record]) -> int:
    """Return what other flights in a direction cost, in cents, fee included; negative: given back.

    A flight that stays keeps its price.
    """
    old = {(leg["flight"], leg["date"]): money.cents(leg["price"]) for leg in legs_of(booking, direction)}
    cabin = booking["cabin"]
    new = [old.get((row["flight"], row["date"]), money.cents(row["prices"][cabin])) for row in chosen]
    fee = CHANGE_FEE if booking["fare"] == "standard" else 0
    return (sum(new) - sum(old.values()) + fee) * len(booking["passengers"])


def worst(database: Mapping[str, Mapping[str, Record]], booking: Record) -> tuple[str, Record]:
    """Return "none", "late", "very late" or "cancelled", and the flight of the booking that was worst."""
    flights = [flight_of(database, leg) for leg in booking["legs"]]
    flight = max(flights, key=lambda row: 10_000 if row["status"] == "cancelled" else row["delay_minutes"])
    if flight["status"] == "cancelled":
        return "cancelled", flight
    delay = flight["delay_minutes"]
    return ("very late" if delay >= VERY_LATE else "late" if delay >= LATE else "none"), flight


def compensation(database: Mapping[str, Mapping[str, Record]], booking: Record, tier: str) -> int:
    """Return the voucher in cents that a booking's worst flight gives a right to, 0 for none."""
    fate, _ = worst(database, booking)
    times = {"none": 0, "late": 1}.get(fate, 2)
    return times * COMPENSATION[tier] * len(booking["passengers"])


def letters_apart(one: str, other: str) -> int:
    """Return how many letters have to be put in, taken out or replaced to turn one name into another."""
    one, other = one.lower(), other.lower()
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, start=1):
        above, row[0] = row[0], index
        for place, wanted in enumerate(other, start=1):
            above, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, above + (letter != wanted))
    return row[-1]


def full_name(passenger: Record) -> str:
    """Return a passenger's first and last name."""
    return f"{passenger['first_name']} {passenger['last_name']}"


def by_route(flights: Mapping[str, Record]) -> Routes:
    """Return (origin, destination, date) → keys of the direct flights, by departure."""
    found: Routes = {}
    for key, row in flights.items():
        found.setdefault((row["origin"], row["destination"], row["date"]), []).append(key)
    for keys in found.values():
        keys.sort(key=lambda key: (flights[key]["departs"], key))
    return found


def direct(database: Database) -> Routes:
    """Return `by_route` of a database; no tool changes a timetable."""
    return database.index("airline routes", lambda base: by_route(base["flights"]))


def connections(routes: Routes, flights: Mapping[str, Record], way: tuple[str, str, str]) -> list[tuple[str, str]]:
    """Return the keys of two flights that connect, for (origin, destination, date), by the first one's departure."""
    origin, destination, day = way
    found = []
    for hub in ("CPH", "MUC"):
        for first in routes.get((origin, hub, day), ()):
            lands = minutes(flights[first]["arrives"]) + CONNECTION
            seconds = routes.get((hub, destination, day), ())
            found += [(first, second) for second in seconds if minutes(flights[second]["departs"]) >= lands]
    return sorted(found, key=lambda pair: (flights[pair[0]]["departs"], flights[pair[1]]["arrives"], pair))


def as_option(rows: Sequence[Record]) -> dict[str, Any]:
    """Return flights flown one after the other as search results show them: free seats and price a passenger."""
    shown = ("flight", "origin", "destination", "departs", "arrives")
    return {
        "flights": [{name: row[name] for name in shown} for row in rows],
        "seats": {cabin: min(row["seats"][cabin] for row in rows) for cabin in CABINS},
        "prices": {cabin: money.text(sum(money.cents(row["prices"][cabin]) for row in rows)) for cabin in CABINS},
    }
