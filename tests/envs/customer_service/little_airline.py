"""An airline in the shape of Kittiwake Air, small enough to work out by hand."""

from __future__ import annotations

from typing import Any

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domains.airline.writes import DESK
from agentgym.envs.customer_service.sheet import Call

PRICES = {"economy": "100.00", "premium": "180.50", "business": "300.00"}
SEATS = {"economy": 5, "premium": 2, "business": 0}


def flight(number: str, day: str, way: str, times: str, **more: Any) -> dict[str, Any]:
    origin, destination = way.split("-")
    departs, arrives = times.split("-")
    return {
        "flight": number, "date": f"2025-09-{day}", "origin": origin, "destination": destination, "departs": departs,
        "arrives": arrives, "status": "scheduled", "delay_minutes": 0, "seats": dict(SEATS), "prices": dict(PRICES),
        **more,
    }  # fmt: skip


def leg(direction: str, row: dict[str, Any], price: str) -> dict[str, Any]:
    shown = {name: row[name] for name in ("flight", "date", "origin", "destination")}
    return {"direction": direction, **shown, "price": price}


def person(first: str, last: str) -> dict[str, str]:
    return {"first_name": first, "last_name": last, "birth_date": "1990-01-31"}


_FLIGHTS = [
    flight("KW101", "09", "MUC-AMS", "08:00-09:30", status="landed", delay_minutes=125),
    flight("KW102", "15", "AMS-MUC", "08:00-09:30"),
    flight("KW103", "15", "MUC-AMS", "12:00-13:30"),
    flight("KW105", "15", "MUC-AMS", "18:00-19:30", prices={**PRICES, "economy": "80.20"}),
    flight("KW107", "15", "MUC-AMS", "20:00-21:30", seats={**SEATS, "economy": 1}),
    flight("KW109", "15", "MUC-AMS", "21:00-22:30", status="cancelled"),
    flight("KW111", "15", "MUC-CPH", "09:00-10:40"),
    flight("KW113", "15", "CPH-AMS", "11:24-13:00"),
    flight("KW115", "15", "CPH-AMS", "11:25-13:00"),
    flight("KW104", "17", "AMS-MUC", "10:00-11:30"),
    flight("KW106", "14", "AMS-MUC", "10:00-11:30"),
]
_BY_KEY = {f"{row['flight']}/{row['date']}": row for row in _FLIGHTS}
_THERE, _BACK, _FLOWN = (
    _BY_KEY[f"{key}/2025-09-{day}"] for key, day in (("KW103", 15), ("KW104", 17), ("KW101", "09"))
)


def booking(code: str, legs: list[dict[str, Any]], paid: str, **more: Any) -> dict[str, Any]:
    return {
        "booking_code": code, "customer": "C-10001", "status": "active", "booked_at": "2025-08-01 10:00:00",
        "cabin": "economy", "fare": "standard", "insurance": False, "passengers": [person("Ada", "Byron")],
        "legs": legs, "bags": 0, "payments": [{"payment_id": "visa-1111", "amount": paid, "for": "booking"}], **more,
    }  # fmt: skip


_BOOKINGS = [
    # two people there and back, one bag too many for a blue tier, insured: 2 * (90.10 + 70.40 + 19.95) + 34.85
    booking(
        "AB2CDE", [leg("outbound", _THERE, "90.10"), leg("return", _BACK, "70.40")], "395.75", bags=1, insurance=True,
        passengers=[person("Ada", "Byorn"), person("Bob", "Ode")],
    ),
    booking("FG3HJK", [leg("outbound", _FLOWN, "60.00"), leg("return", _BACK, "70.00")], "130.00"),
    booking("LM4NPR", [leg("outbound", _THERE, "90.00")], "90.00", status="cancelled"),
    booking("ST5UVW", [leg("outbound", _BY_KEY["KW109/2025-09-15"], "50.00")], "50.00", customer="C-10002"),
]  # fmt: skip

LITTLE = Database(
    {
        "customers": {
            "C-10001": {
                "customer_id": "C-10001", **person("Ada", "Byron"), "email": "ada.byron@mail.example", "tier": "blue",
                "cards": [{"payment_id": "visa-1111", "brand": "Visa", "last_four": "1111"}], "vouchers": ["V-70001"],
                "bookings": ["AB2CDE", "FG3HJK", "LM4NPR"],
            },
            "C-10002": {
                "customer_id": "C-10002", **person("Cy", "Gale"), "email": "cy@mail.example", "tier": "gold",
                "cards": [{"payment_id": "amex-2222", "brand": "Amex", "last_four": "2222"}], "vouchers": [],
                "bookings": ["ST5UVW"],
            },
        },
        "bookings": {row["booking_code"]: row for row in _BOOKINGS},
        "flights": _BY_KEY,
        "vouchers": {
            "V-70001": {"voucher_id": "V-70001", "customer": "C-10001", "balance": "50.00", "booking_code": None}
        },
        "handovers": {},
    }
)  # fmt: skip


def called(tool: str, database: Database = LITTLE, **arguments: Any) -> Database:
    """Return the database after a call that must not be refused."""
    reply = DESK.call(database, Call(tool, arguments))
    assert not reply.error, reply.text
    return reply.database


def refusal(tool: str, database: Database = LITTLE, **arguments: Any) -> str:
    """Return what a call is refused with; nothing may be written."""
    reply = DESK.call(database, Call(tool, arguments))
    assert reply.error and reply.database is database
    return reply.text


def seats(database: Database, key: str, cabin: str = "economy") -> int:
    number, day = key.split("/")
    return int(database["flights"][f"{number}/2025-09-{day}"]["seats"][cabin])
