"""Story: a customer with a voice of their own, and the goals of a talk one after the other.

Each goal is made for the database as the goals before it leave it, so that prices and balances hold when they are said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domains.airline import rules
from agentgym.envs.customer_service.domains.airline.network import CITIES, CLOCK
from agentgym.envs.customer_service.domains.airline.writes import DESK
from agentgym.envs.customer_service.sheet import Call, Goal, Sheet
from agentgym.rng import TurnRng

MOODS: Final = ("calm", "calm", "hurried", "grumpy", "chatty")
_MONTHS: Final = ("", "January", "February", "March", "April", "May", "June", "July", "August", "September",
                  "October", "November", "December")  # fmt: skip
_PARTY: Final = ("", "just me", "two of us", "three of us", "four of us")

Fits = Callable[[Record], bool]


def spoken(day: str) -> str:
    """Return a date as people say it: "2025-09-14" → "14 September"."""
    when = date.fromisoformat(day)
    return f"{when.day} {_MONTHS[when.month]}"


class Story:
    """Draws what a sheet needs about one customer.

    Attributes:
        database: as it is when the next goal begins.
        customer: the customer's record.
        rng: draws.
        goals: the goals so far.
        used: codes of the bookings that they are about.
    """

    def __init__(self, database: Database, key: str, rng: TurnRng) -> None:
        self.database = database
        self.customer: Record = database["customers"][key]
        self.rng = rng
        self.goals: list[Goal] = []
        self.used: list[str] = []
        self.knows_codes = rng.integers(10) < 7

    @property
    def tier(self) -> str:
        """The customer's tier."""
        return str(self.customer["tier"])

    def bookings(self, fits: Fits) -> list[Record]:
        """Return the customer's active bookings that fit, and of which the destination says which one is meant."""
        own = [self.database["bookings"][code] for code in self.customer["bookings"]]
        ends = [self.goes_to(row) for row in own]
        known = [row for row, end in zip(own, ends, strict=True) if ends.count(end) == 1]
        return [row for row in known if row["status"] == "active" and fits(row)]

    def booking(self, fits: Fits, *, again: bool = False) -> Record | None:
        """Draw one of `bookings`, none that a goal is about already unless `again`; None where there is none."""
        found = [row for row in self.bookings(fits) if again or row["booking_code"] not in self.used]
        return self.rng.choice(found) if found else None

    def goes_to(self, booking: Record) -> str:
        """Return the city that a trip goes to."""
        return CITIES[rules.legs_of(booking, "outbound")[-1]["destination"]]

    def is_ahead(self, booking: Record) -> bool:
        """Whether no flight of a booking has departed, and the airline cancelled none."""
        flights = [rules.flight_of(self.database, leg) for leg in booking["legs"]]
        return all(row["status"] in ("scheduled", "delayed") for row in flights)

    def trip(self, booking: Record, direction: str = "outbound") -> dict[str, str]:
        """Return the facts by which a trip is known."""
        legs = rules.legs_of(booking, direction)
        self.used.append(booking["booking_code"])
        code = {"booking": booking["booking_code"]} if self.knows_codes else {}
        return {
            **code,
            "origin": CITIES[rules.legs_of(booking, "outbound")[0]["origin"]],
            "destination": self.goes_to(booking),
            "date": spoken(legs[0]["date"]),
            "trip_type": "a round trip" if rules.legs_of(booking, "return") else "one way",
            "flight_numbers": " and ".join(leg["flight"] for leg in booking["legs"]),
            "passengers": _PARTY[len(booking["passengers"])],
        }

    def look(self, booking: Record) -> tuple[Call, ...]:
        """Return the reads that find a booking: all the customer's up to it, if they do not know the code."""
        codes = self.customer["bookings"]
        code = booking["booking_code"]
        first = codes.index(code) if self.knows_codes else 0
        return tuple(Call("get_booking", {"booking_code": name}) for name in codes[first : codes.index(code) + 1])

    def payment(self, amount: int) -> tuple[str, str]:
        """Draw how a customer pays: what they call it, and its id; a voucher only where it holds the amount."""
        ways = [(card["brand"], card["payment_id"]) for card in self.customer["cards"]]
        names = self.database["customers"][self.customer["customer_id"]]["vouchers"]
        if names != self.customer["vouchers"]:
            names = []  # of an old and a new one nobody would know which is meant
        held = {name: money.cents(self.database["vouchers"][name]["balance"]) for name in names}
        ways += [("voucher", name) for name, balance in held.items() if 0 < amount <= balance]
        return self.rng.choice(ways)

    def add(self, *goals: Goal | None) -> bool:
        """Go on with goals; False, where one is missing or one of its writes fails."""
        for goal in goals:
            if goal is None:
                return False
            for part in goal.chain:
                for call in part.due:
                    reply = DESK.call(self.database, call)
                    if reply.error:
                        return False
                    self.database = reply.database
            self.goals.append(goal)
        return True

    def sheet(self, family: str, *, shuffle: bool = False) -> Sheet:
        """Return the sheet of all goals; `shuffle`: in a drawn order, where none changes what another one is about."""
        rng, who = self.rng, self.customer
        facts = {"customer_id": who["customer_id"], "email": who["email"], "name": rules.full_name(who),
                 "birth_date": who["birth_date"]}  # fmt: skip
        identify = [Call("get_customer", {"customer_id": who["customer_id"]})]
        unknown: list[str] = []
        known = rng.integers(10)
        if known < 4:
            identify.insert(0, Call("find_customer_by_email", {"email": who["email"]}))
            unknown = ["customer_id"]
        elif known < 7:
            by_name = {"name": facts["name"], "birth_date": who["birth_date"]}
            identify.insert(0, Call("find_customer_by_name", by_name))
            unknown = ["customer_id", "email"]
        if not self.knows_codes:
            unknown.append("booking")
        goals: Sequence[Goal] = rng.shuffled(self.goals) if shuffle else self.goals
        return Sheet(
            "airline",
            family,
            who["customer_id"],
            facts={name: text for name, text in facts.items() if name not in unknown},
            goals=tuple(goals),
            identify=tuple(identify),
            unknown=tuple(unknown),
            mood=rng.choice(MOODS),
            patience=4 + rng.integers(3),
        )


def pushing(goal: Goal, rng: TurnRng) -> Goal:
    """Return a forbidden goal whose customer pushes back once or twice."""
    return replace(goal, insist=1 + rng.integers(2))


def is_over(booking: Record) -> bool:
    """Whether the 24 hours after a booking are over."""
    return not rules.is_fresh(booking, CLOCK)


def plain_amount(cents: int) -> str | None:
    """Return an amount as it is to be said, None for whole euros, which some say with and some without the zeros."""
    return money.text(abs(cents)) if cents % 100 else None
