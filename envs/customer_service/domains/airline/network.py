"""The network of Kittiwake Air: cities, routes, and every dated flight around the domain's clock.

All cities share one time zone, so that an arrival minus a departure is a duration.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from math import prod
from typing import Any, Final

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.domains.airline.rules import CABINS
from agentgym.rng import TurnRng

CLOCK: Final = "2025-09-10 14:00:00"
FIRST: Final = date(2025, 9, 3)
DAYS: Final = 26

CITIES: Final = {
    "AMS": "Amsterdam", "ARN": "Stockholm", "BCN": "Barcelona", "BER": "Berlin", "BLL": "Billund", "BRU": "Brussels",
    "CDG": "Paris", "CPH": "Copenhagen", "FCO": "Rome", "HAM": "Hamburg", "MAD": "Madrid", "MUC": "Munich",
    "MXP": "Milan", "NCE": "Nice", "OSL": "Oslo", "PRG": "Prague", "VIE": "Vienna", "WAW": "Warsaw", "ZRH": "Zurich",
}  # fmt: skip

_MINUTES: Final = {
    "MUC": {"AMS": 95, "BCN": 125, "BER": 70, "BRU": 85, "CDG": 100, "FCO": 95, "MAD": 155, "OSL": 145, "WAW": 95,
            "CPH": 100, "VIE": 60},
    "CPH": {"AMS": 90, "ARN": 70, "BER": 60, "BLL": 50, "HAM": 55, "MXP": 125, "NCE": 140, "OSL": 75, "PRG": 80,
            "ZRH": 110},
}  # fmt: skip
_WAVES: Final = ((6 * 60, 150), (11 * 60 + 30, 150), (17 * 60, 180))  # earliest departure, and within how many minutes
_FACTORS: Final = {"economy": 100, "premium": 165, "business": 290}
# One less is the most that is free; about one flight in six is sold out.
_SEATS: Final = {"economy": 38, "premium": 12, "business": 9}
_WAYS: Final = prod(most + most // 5 for most in _SEATS.values())


def routes() -> Iterator[tuple[str, str, int]]:
    """Yield every (origin, destination, minutes in the air), there and back."""
    for hub, spokes in _MINUTES.items():
        for spoke, minutes in spokes.items():
            yield hub, spoke, minutes
            yield spoke, hub, minutes


def days() -> list[str]:
    """Return the dates of the timetable, such as "2025-09-03"."""
    return [(FIRST + timedelta(days=index)).isoformat() for index in range(DAYS)]


def timetable(rng: TurnRng) -> list[dict[str, Any]]:
    """Return the flight numbers, three a route: number, origin, destination, departs and arrives in minutes."""
    found = []
    for index, (origin, destination, minutes) in enumerate(routes()):
        for wave, (earliest, width) in enumerate(_WAVES):
            departs = earliest + 5 * rng.integers(width // 5)
            number = f"KW{101 + 2 * (3 * (index // 2) + wave) + index % 2}"
            found.append(
                {"flight": number, "origin": origin, "destination": destination, "from": departs,
                 "to": departs + minutes + 5 * rng.integers(4)}
            )  # fmt: skip
    return found


def flights(rng: TurnRng) -> dict[str, Record]:
    """Return every dated flight by its key, "KW214/2025-09-14"."""
    found = {}
    numbers = timetable(rng)
    for day in days():
        for row in numbers:
            found[f"{row['flight']}/{day}"] = _dated(row, day, rng)
    return found


def _dated(row: dict[str, Any], day: str, rng: TurnRng) -> Record:
    minutes = row["to"] - row["from"]
    price = (3900 + 31 * minutes) * (700 + rng.integers(750)) // 1000
    status, delay = _status(row, day, rng)
    return {
        "flight": row["flight"],
        "date": day,
        "origin": row["origin"],
        "destination": row["destination"],
        "departs": _clock(row["from"]),
        "arrives": _clock(row["to"]),
        "status": status,
        "delay_minutes": delay,
        "seats": _free(rng),
        "prices": {cabin: money.text(price * _FACTORS[cabin] // 100) for cabin in CABINS},
    }


def _free(rng: TurnRng) -> dict[str, int]:
    """Draw how many seats are free in each cabin, all in one draw."""
    drawn, found = rng.integers(_WAYS), {}
    for cabin, most in _SEATS.items():
        drawn, seats = divmod(drawn, most + most // 5)
        found[cabin] = max(0, seats - most // 5)
    return found


def _status(row: dict[str, Any], day: str, rng: TurnRng) -> tuple[str, int]:
    """Draw a status and a delay: what the clock has passed has flown, late or not, or was cancelled."""
    now = f"{CLOCK[:10]} {CLOCK[11:16]}"
    fate = rng.integers(100)
    if fate < 4:
        return "cancelled", 0
    if f"{day} {_clock(row['from'])}" > now:
        return "scheduled", 0
    delay = 0 if fate < 65 else 10 + rng.integers(90) if fate < 80 else 120 + rng.integers(240)
    if delay and day == CLOCK[:10]:
        delay = min(delay, 45)  # nothing of today is later than that, so what was to depart an hour ago has departed
    left, landed = _clock(row["from"] + delay), _clock(row["to"] + delay)
    if f"{day} {left}" > now:
        return "delayed", delay
    return "departed" if f"{day} {landed}" > now else "landed", delay


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"
