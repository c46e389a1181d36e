"""An airline of our own in the shape of the official data, small enough to work out by hand."""

from __future__ import annotations

from typing import Any

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.airline_data import MODELS, split

SEATS = {"business": 1, "economy": 3, "basic_economy": 0}
PRICES = {"business": 300, "economy": 100, "basic_economy": 50}


def sold(**seats: int) -> dict[str, Any]:
    return {"status": "available", "available_seats": {**SEATS, **seats}, "prices": PRICES}


def flight(number: str, origin: str, destination: str, leaves: str, lands: str, **days: Any) -> dict[str, Any]:
    return {
        "flight_number": number, "origin": origin, "destination": destination, "scheduled_departure_time_est": leaves,
        "scheduled_arrival_time_est": lands, "dates": {f"2024-05-{day[1:]}": record for day, record in days.items()},
    }  # fmt: skip


ADDRESS = {"address1": "1 Mill Lane", "address2": "", "city": "Ely", "country": "UK", "state": "", "zip": "CB7"}
ADA = {"first_name": "Ada", "last_name": "Byron", "dob": "1990-01-31"}
BOB = {"first_name": "Bob", "last_name": "Ode", "dob": "1991-02-01"}
METHODS: dict[str, dict[str, Any]] = {
    "card": {"source": "credit_card", "brand": "visa", "last_four": "0001", "id": "card"},
    "gift": {"source": "gift_card", "amount": 200, "id": "gift"},
    "cert": {"source": "certificate", "amount": 100, "id": "cert"},
}

RAW: dict[str, dict[str, Any]] = {
    "flights": {
        "F1": flight("F1", "AAA", "BBB", "06:00:00", "08:00:00", d08=sold(), d20=sold(), d21={"status": "cancelled"}),
        "F3": flight("F3", "BBB", "CCC", "07:59:59", "09:00:00", d20=sold()),
        "F2": flight("F2", "BBB", "CCC", "08:00:00", "09:00:00", d20=sold(), d21=sold()),
        "F4": flight("F4", "AAA", "BBB", "23:00:00", "01:00:00+1", d20=sold(), d08=sold()),
        "F5": flight("F5", "BBB", "CCC", "02:00:00", "03:00:00", d21=sold(), d09=sold()),
    },
    "users": {
        "ada": {
            "user_id": "ada", "name": {"first_name": "Ada", "last_name": "Byron"}, "address": ADDRESS,
            "email": "ada@example.com", "dob": "1990-01-31", "payment_methods": METHODS, "saved_passengers": [],
            "membership": "gold", "reservations": ["R1"],
        }
    },
    "reservations": {
        "R1": {
            "reservation_id": "R1", "user_id": "ada", "origin": "AAA", "destination": "BBB", "flight_type": "one_way",
            "cabin": "economy", "flights": [
                {"origin": "AAA", "destination": "BBB", "flight_number": "F1", "date": "2024-05-20", "price": 90}
            ],
            "passengers": [ADA, BOB], "payment_history": [{"payment_id": "card", "amount": 180}],
            "created_at": "2024-05-02T03:10:19", "total_baggages": 1, "nonfree_baggages": 0, "insurance": "no",
        }
    },
}  # fmt: skip


def airfield() -> Database:
    rows = {name: {key: model(RAW[name][key]) for key in RAW[name]} for name, model in MODELS.items()}
    return Database({**split(rows.pop("flights")), **rows})
