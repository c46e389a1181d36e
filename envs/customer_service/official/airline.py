"""The official airline tools: finding and reading. Those that write are in `airline_writes`."""

# ruff: noqa: D417 - a draft is no argument of the tool, so its docstring does not list it

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.official.arithmetic import calculate as _calculate
from agentgym.envs.customer_service.official.toolkit import Draft, Toolkit, shown

TOOLS: Final = Toolkit()

AIRPORTS: Final = (
    "SFO San Francisco, JFK New York, LAX Los Angeles, ORD Chicago, DFW Dallas, DEN Denver, SEA Seattle, ATL Atlanta, "
    "MIA Miami, BOS Boston, PHX Phoenix, IAH Houston, LAS Las Vegas, MCO Orlando, EWR Newark, CLT Charlotte, "
    "MSP Minneapolis, DTW Detroit, PHL Philadelphia, LGA LaGuardia"
)
_AIRPORTS: Final = json.dumps([{"iata": name[:3], "city": name[4:]} for name in AIRPORTS.split(", ")])


def flight(draft: Draft, number: Any) -> Record:
    """Return a flight, without its days."""
    return draft.find("flights", number, f"Flight {number} not found")


def day(draft: Draft, number: Any, date: Any) -> Record:
    """Return a day of a flight that is there."""
    hash(date)  # a list as a date is an accident
    return draft.find("days", f"{number} {date}", f"Flight {number} not found on date {date}")


@TOOLS.tool("read")
def get_user_details(draft: Draft, *, user_id: str) -> str:
    """Read a user's name, address, payment methods, saved passengers, membership and reservations.

    Args:
        user_id: such as "ada_byron_1234".
    """
    draft.find("users", user_id, f"User {user_id} not found")
    return shown(draft, "users", user_id)


@TOOLS.tool("read")
def get_reservation_details(draft: Draft, *, reservation_id: str) -> str:
    """Read a reservation: flights, passengers, payments, baggage, status.

    Args:
        reservation_id: such as "ABC123".
    """
    draft.find("reservations", reservation_id, f"Reservation {reservation_id} not found")
    return shown(draft, "reservations", reservation_id)


@TOOLS.tool("read")
def list_all_airports(draft: Draft) -> str:
    """List all airports with their cities."""
    return _AIRPORTS


@TOOLS.tool("read")
def get_flight_status(draft: Draft, *, flight_number: str, date: str) -> str:
    """Read the status of a flight on a day.

    Args:
        flight_number: such as "HAT001".
        date: such as "2024-05-20".
    """
    flight(draft, flight_number)
    status: str = day(draft, flight_number, date)["status"]
    return status


def _routes(fresh: Database) -> dict[tuple[Any, Any], list[str]]:
    """Return (origin, destination) → flight numbers in table order; None stands for any airport."""
    found: dict[tuple[Any, Any], list[str]] = {}
    for number in fresh.rows("flights"):
        origin, destination = fresh["flights"][number]["origin"], fresh["flights"][number]["destination"]
        for pair in ((origin, destination), (origin, None), (None, destination), (None, None)):
            found.setdefault(pair, []).append(number)
    return found


def open_flights(draft: Draft, origin: Any, destination: Any, date: Any) -> Iterator[tuple[str, Record]]:
    """Yield the flights of a route with their day, where seats are sold on it."""
    if not all(part is None or type(part) is str for part in (origin, destination)):
        return
    for number in draft.database.index("routes", _routes).get((origin, destination), ()):
        hash(date)
        record = draft.database["days"].get(f"{number} {date}")
        if record is not None and record["status"] == "available":
            yield number, record


def _result(draft: Draft, number: str, record: Record, date: str | None) -> str:
    """Return one search result as text, kept for as long as the seats stay."""

    def render(held: Any) -> str:
        fields = draft.database["flights"][number]
        names = ("flight_number", "origin", "destination")
        times = ("scheduled_departure_time_est", "scheduled_arrival_time_est")
        made = {
            **{name: fields[name] for name in names},
            "status": "available",
            **{name: fields[name] for name in times},
        }
        seats, prices = held["available_seats"], held["prices"]
        return json.dumps({**made, "date": date, "available_seats": seats, "prices": prices})

    return draft.database.text("direct" if date is None else f"leg {date}", number, record, render)


@TOOLS.tool("read")
def search_direct_flight(draft: Draft, *, origin: str, destination: str, date: str) -> str:
    """Search direct flights between two cities on a day.

    Args:
        origin: the airport's code, such as "JFK".
        destination: the airport's code, such as "LAX".
        date: such as "2024-05-20".
    """
    found = [_result(draft, number, record, None) for number, record in open_flights(draft, origin, destination, date)]
    return f"[{', '.join(found)}]"


@TOOLS.tool("read")
def search_onestop_flight(draft: Draft, *, origin: str, destination: str, date: str) -> str:
    """Search flights with one stop between two cities on a day.

    Args:
        origin: the airport's code, such as "JFK".
        destination: the airport's code, such as "LAX".
        date: such as "2024-05-20".
    """
    flights, found = draft.database["flights"], []
    for first, record in open_flights(draft, origin, None, date):
        arrival = flights[first]["scheduled_arrival_time_est"]
        # The official fault: no leading zero, no end of the month, and clock times with "+1" are compared as texts.
        then = f"2024-05-{int(date[-2:]) + 1}" if "+1" in arrival else date
        for second, other in open_flights(draft, flights[first]["destination"], destination, then):
            if flights[second]["scheduled_departure_time_est"] >= arrival:
                found.append(f"[{_result(draft, first, record, date)}, {_result(draft, second, other, then)}]")
    return f"[{', '.join(found)}]"


@TOOLS.tool("generic")
def calculate(draft: Draft, *, expression: str) -> str:
    """Calculate the value of an expression, rounded to two places.

    Args:
        expression: of numbers, + - * / and parentheses.
    """
    return _calculate(expression)


@TOOLS.tool("generic")
def transfer_to_human_agents(draft: Draft, *, summary: str) -> str:
    """Hand the user over to a human agent; only where policy says so, or where no tool can help.

    Args:
        summary: the user's concern, in short.
    """
    return "Transfer successful"
