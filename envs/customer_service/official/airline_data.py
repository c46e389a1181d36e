"""Airline's records: the official models, and how its file becomes a database.

A flight's days are records of their own here, in the table `days` under "HAT001 2024-05-20": a booking writes one of
them, not thirty. `dump` puts them back.
"""

from __future__ import annotations

from typing import Any, Final

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.official.values import (
    Check,
    Invalid,
    Model,
    by_source,
    decimal,
    keyed,
    listed,
    maybe,
    one_of,
    text,
    whole,
)

TABLES: Final = ("flights", "users", "reservations")
CABINS: Final = ("business", "economy", "basic_economy")

_CABIN: Final = one_of(*CABINS)


def _per_cabin(value: Any) -> dict[str, int]:
    found: dict[str, int] = keyed(whole)(value)
    if found.keys() - set(CABINS):
        raise Invalid(f"the cabins are {', '.join(CABINS)}")
    return found


_DAYS: Final[dict[str, Model]] = {
    "available": Model("Available", {"status": text, "available_seats": _per_cabin, "prices": _per_cabin}),
    "landed": Model("Landed", dict.fromkeys(("status", "actual_departure_time_est", "actual_arrival_time_est"), text)),
    "cancelled": Model("Cancelled", {"status": text}),
    "delayed": Model(
        "Delayed", dict.fromkeys(("status", "estimated_departure_time_est", "estimated_arrival_time_est"), text)
    ),
    "on time": Model(
        "OnTime", dict.fromkeys(("status", "estimated_departure_time_est", "estimated_arrival_time_est"), text)
    ),
    "flying": Model(
        "Flying", dict.fromkeys(("status", "actual_departure_time_est", "estimated_arrival_time_est"), text)
    ),
}


def day(value: Any) -> dict[str, Any]:
    """One day of a flight, by its status."""
    status = value.get("status") if type(value) is dict else None
    if type(status) is not str or status not in _DAYS:
        raise Invalid(f"a day of status {', '.join(_DAYS)} is needed, not {value!r:.60}")
    return _DAYS[status](value)


FLIGHT: Final = Model(
    "Flight",
    {
        **dict.fromkeys(
            ("flight_number", "origin", "destination", "scheduled_departure_time_est", "scheduled_arrival_time_est"),
            text,
        ),
        "dates": keyed(day),
    },
)
PASSENGER: Final = Model("Passenger", dict.fromkeys(("first_name", "last_name", "dob"), text))
FLIGHT_INFO: Final = Model("FlightInfo", {"flight_number": text, "date": text})
PAYMENT: Final = Model("Payment", {"payment_id": text, "amount": whole})
CERTIFICATE: Final = Model("Certificate", {"source": text, "id": text, "amount": decimal})
USER: Final = Model(
    "User",
    {
        "user_id": text,
        "name": Model("Name", {"first_name": text, "last_name": text}),
        "address": Model(
            "Address",
            dict.fromkeys(("address1", "address2", "city", "country", "state", "zip"), text),
            {"address2": None},
        ),
        "email": text,
        "dob": text,
        "payment_methods": keyed(
            by_source(
                credit_card=Model("CreditCard", dict.fromkeys(("source", "id", "brand", "last_four"), text)),
                gift_card=Model("GiftCard", {"source": text, "id": text, "amount": decimal}),
                certificate=CERTIFICATE,
            )
        ),
        "saved_passengers": listed(PASSENGER),
        "membership": one_of("gold", "silver", "regular"),
        "reservations": listed(text),
    },
)
_SEGMENT: Final = Model(
    "ReservationFlight", {"flight_number": text, "origin": text, "destination": text, "date": text, "price": whole}
)
_RESERVATION: Final[dict[str, Check]] = {
    "reservation_id": text,
    "user_id": text,
    "origin": text,
    "destination": text,
    "flight_type": one_of("round_trip", "one_way"),
    "cabin": _CABIN,
    "flights": listed(_SEGMENT),
    "passengers": listed(PASSENGER),
    "payment_history": listed(PAYMENT),
    "created_at": text,
    "total_baggages": whole,
    "nonfree_baggages": whole,
    "insurance": one_of("yes", "no"),
    "status": maybe(one_of("cancelled")),
}
RESERVATION: Final = Model("Reservation", _RESERVATION, {"status": None})
MODELS: Final = {"flights": FLIGHT, "users": USER, "reservations": RESERVATION}


def split(flights: dict[str, Record]) -> dict[str, dict[str, Record]]:
    """Return the tables `flights`, without their days, and `days`."""
    return {
        "flights": {
            number: {key: value for key, value in flight.items() if key != "dates"}
            for number, flight in flights.items()
        },
        "days": {
            f"{number} {date}": record for number, flight in flights.items() for date, record in flight["dates"].items()
        },
    }


def dump(database: Database) -> dict[str, Any]:
    """Return the whole database in the shape of the official dump."""
    flights = {number: {**flight, "dates": {}} for number, flight in database["flights"].items()}
    for key in database.rows("days"):
        number, _, date = key.partition(" ")
        flights[number]["dates"][date] = database["days"][key]
    return {"flights": flights, "users": dict(database["users"]), "reservations": dict(database["reservations"])}
