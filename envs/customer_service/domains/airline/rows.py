"""The database of Kittiwake Air: customers, bookings, dated flights and vouchers, the same in every process.

Tables: `customers` by customer id, `bookings` by booking code, `flights` by "flight/date", `vouchers` by voucher id;
`handovers` by customer id, which is empty until the agent hands a customer over to a colleague.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domains.airline import network, people
from agentgym.envs.customer_service.domains.airline.rules import (
    BAG_FEE,
    PREMIUM,
    allowance,
    by_route,
    connections,
)
from agentgym.rng import TurnRng

SEED: Final = 20250910
CUSTOMERS: Final = 600
_LETTERS: Final = "ABCDEFGHJKLMNPRSTUVWXYZ"
_SPOKES: Final = tuple(sorted(city for city in network.CITIES if city not in ("CPH", "MUC")))
_BRANDS: Final = ("Visa", "Mastercard", "Amex")
_FIRST_VOUCHER: Final = 70_001


@cache
def database() -> Database:
    """Return the base, which every task of the domain shares."""
    flights = network.flights(TurnRng(SEED, stream="airline/flights"))
    writer = _Writer(flights, TurnRng(SEED, stream="airline/customers"))
    for index in range(CUSTOMERS):
        writer.add(index)
    return Database(
        {
            "customers": writer.customers,
            "bookings": writer.bookings,
            "flights": flights,
            "vouchers": writer.vouchers,
            "handovers": {},
        }
    )


def voucher_id(database: Database) -> str:
    """Return the id of the next voucher; vouchers are used up, never removed."""
    return f"V-{_FIRST_VOUCHER + len(database['vouchers'])}"


class _Writer:
    """Draws one customer after the other, with everything that is theirs."""

    def __init__(self, flights: Mapping[str, Record], rng: TurnRng) -> None:
        self.flights = flights
        self.routes = by_route(flights)
        self.rng = rng
        self.customers: dict[str, Record] = {}
        self.bookings: dict[str, Record] = {}
        self.vouchers: dict[str, Record] = {}
        self.names: dict[str, None] = {}
        self.direct = [(origin, destination) for origin, destination, _ in network.routes()]
        self.days = network.days()
        self.today = self.days.index(network.CLOCK[:10])

    def add(self, index: int) -> None:
        """Draw a customer."""
        rng = self.rng
        first, last = self._name()
        customer_id = f"C-{10_000 + 89 * index + rng.integers(89)}"
        provider, number = rng.choice(people.PROVIDERS), rng.integers(1, 99)
        customer: Record = {
            "customer_id": customer_id,
            "first_name": first,
            "last_name": last,
            "birth_date": self._birth_date(),
            "email": f"{first}.{last}{number}@{provider}".lower(),
            "tier": rng.choice(("blue", "silver", "gold"), (5, 3, 2)),
            "cards": self._cards(),
            "vouchers": [],
            "bookings": [],
        }
        if rng.integers(5) < 2:
            customer["vouchers"].append(self._voucher(customer_id))
        self.customers[customer_id] = customer
        for place in range(rng.choice((2, 3, 4), (4, 4, 1))):
            self._book(customer, past=place == 0 and rng.integers(2) == 0)

    def _name(self) -> tuple[str, str]:
        while True:
            first, last = self.rng.choice(people.FIRST), self.rng.choice(people.LAST)
            if f"{first} {last}" not in self.names:
                self.names[f"{first} {last}"] = None
                return first, last

    def _birth_date(self) -> str:
        month, day = divmod(self.rng.integers(58 * 12 * 28), 28)
        return f"{1948 + month // 12}-{1 + month % 12:02d}-{1 + day:02d}"

    def _cards(self) -> list[Record]:
        rng = self.rng
        brands = rng.shuffled(_BRANDS)[: 1 + rng.integers(2)]
        found = []
        for brand in brands:
            digits = f"{rng.integers(1000, 10_000)}"
            found.append({"payment_id": f"{brand.lower()}-{digits}", "brand": brand, "last_four": digits})
        return found

    def _voucher(self, customer_id: str) -> str:
        name = f"V-{_FIRST_VOUCHER + len(self.vouchers)}"
        balance = money.text(4000 + 10 * self.rng.integers(2600))
        self.vouchers[name] = {"voucher_id": name, "customer": customer_id, "balance": balance, "booking_code": None}
        return name

    def _book(self, customer: Record, past: bool) -> None:
        rng = self.rng
        code = self._code()
        cabin = rng.choice(("economy", "premium", "business"), (7, 2, 1))
        passengers = self._passengers(customer)
        booking: Record = {
            "booking_code": code,
            "customer": customer["customer_id"],
            "status": "active",
            "booked_at": "",
            "cabin": cabin,
            "fare": rng.choice(("basic", "standard", "flexible"), (3, 4, 3)),
            "insurance": rng.integers(3) == 0,
            "passengers": passengers,
            "legs": [],
            "bags": rng.integers(len(passengers) + 1),
            "payments": [],
        }
        booking["legs"] = self._legs(booking, past)
        booking["booked_at"] = self._booked_at(booking)
        self._misspell(booking)
        booking["payments"] = self._payments(booking, customer)
        if not past and rng.integers(14) == 0:
            back = [{**row, "amount": money.text(-money.cents(row["amount"]))} for row in booking["payments"]]
            booking.update(status="cancelled", payments=booking["payments"] + back)
        self.bookings[code] = booking
        customer["bookings"].append(code)

    def _code(self) -> str:
        rng = self.rng
        while True:
            drawn, letters = rng.integers(8 * len(_LETTERS) ** 5), ""
            for _ in range(5):
                drawn, place = divmod(drawn, len(_LETTERS))
                letters += _LETTERS[place]
            code = f"{letters[:2]}{2 + drawn}{letters[2:]}"
            if code not in self.bookings:
                return code

    def _passengers(self, customer: Record) -> list[Record]:
        rng = self.rng
        found = [{name: customer[name] for name in ("first_name", "last_name", "birth_date")}]
        for _ in range(rng.choice((0, 1, 2, 3), (9, 6, 2, 1))):
            taken = [row["first_name"] for row in found]
            first = next(name for name in iter(lambda: rng.choice(people.FIRST), "") if name not in taken)
            last = customer["last_name"] if rng.integers(3) else rng.choice(people.LAST)
            found.append({"first_name": first, "last_name": last, "birth_date": self._birth_date()})
        return found

    def _misspell(self, booking: Record) -> None:
        """Now and then the customer's own name was typed wrongly: two letters of it stand the other way round."""
        name = booking["passengers"][0]["last_name"]
        at = 1 + self.rng.integers(len(name) - 2)
        if self.rng.integers(7) == 0 and name[at] != name[at + 1]:
            wrong = name[:at] + name[at + 1] + name[at] + name[at + 2 :]
            booking["passengers"][0] = {**booking["passengers"][0], "last_name": wrong}

    def _legs(self, booking: Record, past: bool) -> list[Record]:
        """Draw where the trip goes and when, there and perhaps back."""
        rng = self.rng
        if rng.integers(4):
            origin, destination = rng.choice(self.direct)
        else:
            origin, destination = _SPOKES[rng.integers(8)], _SPOKES[8 + rng.integers(len(_SPOKES) - 8)]
            if rng.integers(2):
                origin, destination = destination, origin
        while True:
            there = rng.integers(self.today) if past else rng.integers(self.today + 1, len(self.days) - 3)
            back = there + 1 + rng.integers(6)
            outbound = self._choose(origin, destination, there, past or rng.integers(4) == 0)
            home = self._choose(destination, origin, back) if rng.integers(5) < 3 and back < len(self.days) else ()
            if outbound:
                break
            origin, destination = rng.choice(self.direct)
        legs = [self._leg(booking, "outbound", key) for key in outbound]
        return legs + [self._leg(booking, "return", key) for key in home]

    def _choose(self, origin: str, destination: str, day: int, marred: bool = False) -> tuple[str, ...]:
        """Draw flights of a day, () where none go; `marred`: rather those that are late or cancelled."""
        way = origin, destination, self.days[day]
        ways: list[tuple[str, ...]] = [(key,) for key in self.routes.get(way, ())]
        ways = ways or [*connections(self.routes, self.flights, way)[:5]]
        if not ways:
            return ()
        drawn = self.rng.choice(ways)
        if marred and self.rng.integers(2):
            drawn = max(ways, key=lambda way: max(map(self._trouble, way)))
        return drawn

    def _trouble(self, key: str) -> int:
        flight = self.flights[key]
        return 1_000 if flight["status"] == "cancelled" else int(flight["delay_minutes"])

    def _leg(self, booking: Record, direction: str, key: str) -> Record:
        flight, rng = self.flights[key], self.rng
        share = 80 + rng.integers(41) + (15 if booking["fare"] == "flexible" else 0)
        price = money.cents(flight["prices"][booking["cabin"]]) * share // 100
        shown = {name: flight[name] for name in ("flight", "date", "origin", "destination")}
        return {"direction": direction, **shown, "price": money.text(price)}

    def _booked_at(self, booking: Record) -> str:
        """Draw when a booking was made: of those to come, one in five in the last 24 hours."""
        rng = self.rng
        ahead = booking["legs"][0]["date"] > network.CLOCK[:10]
        if ahead and rng.integers(5) == 0:
            day, hour = (10, rng.integers(7, 14)) if rng.integers(2) else (9, rng.integers(15, 23))
            return f"2025-09-{day:02d} {hour:02d}:{rng.integers(60):02d}:00"
        return f"2025-08-{rng.integers(1, 29):02d} {rng.integers(7, 23):02d}:{rng.integers(60):02d}:00"

    def _payments(self, booking: Record, customer: Record) -> list[Record]:
        """Draw who paid: a card, or two."""
        people_count = len(booking["passengers"])
        total = sum(money.cents(leg["price"]) for leg in booking["legs"]) * people_count
        total += BAG_FEE * max(0, booking["bags"] - allowance(booking, customer["tier"]))
        total += PREMIUM * people_count if booking["insurance"] else 0
        cards = [card["payment_id"] for card in customer["cards"]]
        if len(cards) == 2 and self.rng.integers(3) == 0:
            part = total * (20 + self.rng.integers(60)) // 100
            return [_payment(cards[0], part), _payment(cards[1], total - part)]
        return [_payment(self.rng.choice(cards), total)]


def _payment(payment_id: str, amount: int) -> dict[str, Any]:
    return {"payment_id": payment_id, "amount": money.text(amount), "for": "booking"}
