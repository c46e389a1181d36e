"""The official airline tools that write."""

# ruff: noqa: D417 - a draft is no argument of the tool, so its docstring does not list it

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.official.airline import TOOLS, day, flight
from agentgym.envs.customer_service.official.airline_data import (
    CERTIFICATE,
    FLIGHT_INFO,
    PASSENGER,
    PAYMENT,
    RESERVATION,
)
from agentgym.envs.customer_service.official.toolkit import Draft, Refusal, shown
from agentgym.score import added
from agentgym.turn import copy_json

__all__ = ["TOOLS"]

NOW: Final = "2024-05-15T15:00:00"
"""The official clock stands still."""

PAYMENTS: Final = {
    "items": {
        "type": "object",
        "properties": {"payment_id": {"type": "string"}, "amount": {"type": "integer"}},
        "required": ["payment_id", "amount"],
    }
}
"""JSON schema of the payments of a booking."""

NEW: Final = ("HATHAT", "HATHAU", "HATHAV")
CERTIFICATES: Final = ("certificate_3221322", "certificate_3221323", "certificate_3221324")


def _checked(rows: Any, model: Callable[[Any], Record]) -> Any:
    """Return rows through their model; one that is no object switches the check off for all."""
    return [model(row) for row in rows] if all(type(row) is dict for row in rows) else rows


def _legs(rows: Any) -> list[Record]:
    """Return flights to read fields from; TypeError where they were not checked."""
    if type(rows) is not list or not all(type(row) is dict for row in rows):
        raise TypeError("an entry is no object")
    return rows


def _available(draft: Draft, number: str, date: str, cabin: Any, passengers: int) -> tuple[Record, Record]:
    """Return a flight and its day, where enough seats are left."""
    found = flight(draft, number)
    record = day(draft, number, date)
    if record["status"] != "available":
        raise Refusal(f"Flight {number} not available on date {date}")
    if record["available_seats"][cabin] < passengers:
        raise Refusal(f"Not enough seats on flight {number}")
    return found, record


def _segment(found: Record, date: str, price: int) -> Record:
    where = {name: found[name] for name in ("flight_number", "origin", "destination")}
    return {**where, "date": date, "price": price}


def _method(draft: Draft, user_id: str, method_id: Any, missing: str) -> Record:
    methods: dict[str, Record] = draft.find("users", user_id, f"User {user_id} not found")["payment_methods"]
    if method_id not in methods:
        raise Refusal(missing)
    return methods[method_id]


def debit(draft: Draft, user_id: str, method_id: str, amount: float) -> None:
    """Take from a gift card."""
    methods = draft.database["users"][user_id]["payment_methods"]
    card = methods[method_id]
    draft.change("users", user_id, payment_methods={**methods, method_id: {**card, "amount": card["amount"] - amount}})


@TOOLS.tool("write", payment_methods=PAYMENTS)
def book_reservation(
    draft: Draft,
    *,
    user_id: str,
    origin: str,
    destination: str,
    flight_type: Literal["one_way", "round_trip"],
    cabin: Literal["business", "economy", "basic_economy"],
    flights: list[dict[str, str]],
    passengers: list[dict[str, str]],
    payment_methods: list[dict[str, str]],
    total_baggages: int,
    nonfree_baggages: int,
    insurance: Literal["yes", "no"],
) -> str:
    """Book a reservation.

    Args:
        user_id: such as "ada_byron_1234".
        origin: the airport's code, such as "JFK".
        destination: the airport's code, such as "LAX".
        flight_type: one way or round trip.
        cabin: the same for all flights.
        flights: each {"flight_number": "HAT001", "date": "2024-05-20"}.
        passengers: each {"first_name": "Ada", "last_name": "Byron", "dob": "1990-01-31"}.
        payment_methods: each {"payment_id": "gift_card_1", "amount": 100}; together the whole price.
        total_baggages: pieces of checked baggage.
        nonfree_baggages: those of them that are paid for.
        insurance: whether travel insurance is bought.
    """
    legs = _checked(flights, FLIGHT_INFO)
    people = _checked(passengers, PASSENGER)
    payments = _checked(payment_methods, PAYMENT)
    user = draft.find("users", user_id, f"User {user_id} not found")
    number = next((name for name in NEW if name not in draft.database["reservations"]), "")
    if not number:
        raise Refusal("Too many reservations")
    made = RESERVATION({
        "reservation_id": number, "user_id": user_id, "origin": origin, "destination": destination,
        "flight_type": flight_type, "cabin": cabin, "flights": [], "passengers": people,
        "payment_history": payments, "created_at": NOW, "total_baggages": total_baggages,
        "nonfree_baggages": nonfree_baggages, "insurance": insurance,
    })  # fmt: skip
    days = [
        (leg["date"], *_available(draft, leg["flight_number"], leg["date"], cabin, len(people))) for leg in _legs(legs)
    ]
    made["flights"] = [_segment(found, date, record["prices"][cabin]) for date, found, record in days]
    _pay(draft, user_id, payments, _price(made, nonfree_baggages))
    for leg in legs:
        key = f"{leg['flight_number']} {leg['date']}"
        seats = draft.database["days"][key]["available_seats"]
        draft.change("days", key, available_seats={**seats, cabin: seats[cabin] - len(people)})
    draft.set("reservations", number, made)
    draft.change("users", user_id, reservations=[*user["reservations"], number])
    return shown(draft, "reservations", number)


def _price(made: Record, nonfree: Any) -> Any:
    """Return what a new reservation costs, with the baggage as it was given."""
    people = len(made["passengers"])
    total = added(segment["price"] for segment in made["flights"]) * people
    total += 30 * people if made["insurance"] == "yes" else 0
    total += 50 * nonfree
    return total


def _pay(draft: Draft, user_id: str, payments: list[Record], price: Any) -> None:
    """Check and make the payments of a booking: a gift card is debited, a certificate is used up whole."""
    for payment in payments:
        method_id, amount = payment["payment_id"], payment["amount"]
        method = _method(draft, user_id, method_id, f"Payment method {method_id} not found")
        if method["source"] != "credit_card" and method["amount"] < amount:
            raise Refusal(f"Not enough balance in payment method {method_id}")
    paid = added(payment["amount"] for payment in payments)
    if paid != price:
        raise Refusal(f"Payment amount does not add up, total price is {price}, but paid {paid}")
    for payment in payments:
        method_id = payment["payment_id"]
        methods = draft.database["users"][user_id]["payment_methods"]
        source = methods[method_id]["source"]  # KeyError: a certificate that was used up a moment ago
        if source == "gift_card":
            debit(draft, user_id, method_id, payment["amount"])
        elif source == "certificate":
            draft.change("users", user_id, payment_methods={key: methods[key] for key in methods if key != method_id})


@TOOLS.tool("write")
def cancel_reservation(draft: Draft, *, reservation_id: str) -> str:
    """Cancel a whole reservation.

    Args:
        reservation_id: such as "ABC123".
    """
    found = draft.find("reservations", reservation_id, f"Reservation {reservation_id} not found")
    refunds = [{**payment, "amount": -payment["amount"]} for payment in found["payment_history"]]
    history = [*found["payment_history"], *refunds]
    draft.change("reservations", reservation_id, payment_history=history, status="cancelled")
    return shown(draft, "reservations", reservation_id)


@TOOLS.tool("write")
def send_certificate(draft: Draft, *, user_id: str, amount: int) -> str:
    """Give a user a certificate.

    Args:
        user_id: such as "ada_byron_1234".
        amount: what it is worth.
    """
    methods = draft.find("users", user_id, f"User {user_id} not found")["payment_methods"]
    for name in CERTIFICATES:
        if name not in methods:
            made = CERTIFICATE({"source": "certificate", "id": name, "amount": amount})
            draft.change("users", user_id, payment_methods={**methods, name: made})
            return f"Certificate {name} added to user {user_id} with amount {amount}."
    raise Refusal("Too many certificates")


def _settle(draft: Draft, found: Record, method_id: str, price: Any) -> list[Record]:
    """Take or give back the price of an update; return what it adds to the reservation's payment history."""
    user_id = found["user_id"]
    method = _method(draft, user_id, method_id, "Payment method not found")
    if method["source"] == "certificate":
        raise Refusal("Certificate cannot be used to update reservation")
    if method["source"] == "gift_card":
        if method["amount"] < price:
            raise Refusal("Gift card balance is not enough")
        debit(draft, user_id, method_id, price)
    return [PAYMENT({"payment_id": method_id, "amount": price})] if price != 0 else []


@TOOLS.tool("write")
def update_reservation_baggages(
    draft: Draft, *, reservation_id: str, total_baggages: int, nonfree_baggages: int, payment_id: str
) -> str:
    """Change the checked baggage of a reservation.

    Args:
        reservation_id: such as "ABC123".
        total_baggages: pieces of checked baggage from now on.
        nonfree_baggages: those of them that are paid for.
        payment_id: what pays for additional pieces.
    """
    found = draft.find("reservations", reservation_id, f"Reservation {reservation_id} not found")
    price = 50 * max(0, nonfree_baggages - found["nonfree_baggages"])
    history = [*found["payment_history"], *_settle(draft, found, payment_id, price)]
    draft.change(
        "reservations",
        reservation_id,
        payment_history=history,
        total_baggages=copy_json(total_baggages),  # as it was given
        nonfree_baggages=nonfree_baggages,
    )
    return shown(draft, "reservations", reservation_id)


@TOOLS.tool("write")
def update_reservation_flights(
    draft: Draft,
    *,
    reservation_id: str,
    cabin: Literal["business", "economy", "basic_economy"],
    flights: list[dict[str, str]],
    payment_id: str,
) -> str:
    """Change the flights or the cabin of a reservation.

    Args:
        reservation_id: such as "ABC123".
        cabin: the cabin of all flights from now on.
        flights: all flights from now on, also those that stay: {"flight_number": "HAT001", "date": "2024-05-20"} each.
        payment_id: what pays or receives the difference in price.
    """
    legs = _checked(flights, FLIGHT_INFO)
    found = draft.find("reservations", reservation_id, f"Reservation {reservation_id} not found")
    people = len(found["passengers"])
    segments = []
    for leg in _legs(legs):
        here = (leg["flight_number"], leg["date"])
        kept = [old for old in found["flights"] if (old["flight_number"], old["date"]) == here]
        if kept and cabin == found["cabin"]:
            segments.append(kept[0])
        else:
            number, record = _available(draft, *here, cabin, people)
            segments.append(_segment(number, leg["date"], record["prices"][cabin]))
    price = (fares(segments) - fares(found["flights"])) * people
    history = [*found["payment_history"], *_settle(draft, found, payment_id, price)]
    draft.change("reservations", reservation_id, cabin=cabin, flights=segments, payment_history=history)
    return shown(draft, "reservations", reservation_id)


def fares(segments: list[Record]) -> int:
    """Return what a passenger pays for some flights."""
    found: int = added(segment["price"] for segment in segments)
    return found


@TOOLS.tool("write")
def update_reservation_passengers(draft: Draft, *, reservation_id: str, passengers: list[dict[str, str]]) -> str:
    """Change who flies; their number stays.

    Args:
        reservation_id: such as "ABC123".
        passengers: all of them: {"first_name": "Ada", "last_name": "Byron", "dob": "1990-01-31"} each.
    """
    people = _checked(passengers, PASSENGER)
    found = draft.find("reservations", reservation_id, f"Reservation {reservation_id} not found")
    if len(people) != len(found["passengers"]):
        raise Refusal("Number of passengers does not match")
    draft.change("reservations", reservation_id, passengers=copy_json(people))  # as given where one is no object
    return shown(draft, "reservations", reservation_id)
