"""The airline tools of tau-bench, the first version, as far as they differ from tau2's.

They work on records as files hold them: no checks, no added fields, keys in the file's order. Errors begin with a small
letter and name no user and no reservation; a booking takes no seats, new flights leave the cabin as it was, a fourth
certificate is null, and a second leg shows the seats of the first one's day. `think` is here, `get_flight_status` not.

Source: what they were seen to answer in recorded runs of https://github.com/sierra-research/tau-bench (Yao et al. 2024,
arXiv 2406.12045).
"""

# ruff: noqa: D417 - a draft is no argument of the tool, so its docstring does not list it

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, Literal

from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.official import airline
from agentgym.envs.customer_service.official.airline import AIRPORTS, open_flights
from agentgym.envs.customer_service.official.airline_writes import CERTIFICATES, NEW, NOW, PAYMENTS, debit, fares
from agentgym.envs.customer_service.official.toolkit import Draft, Refusal, Toolkit
from agentgym.score import added
from agentgym.turn import copy_json

TOOLS: Final = Toolkit(unknown="Unknown action {name}").with_tools(
    {name: airline.TOOLS.tools[name] for name in ("calculate", "transfer_to_human_agents")}
)
_AIRPORTS: Final = json.dumps({name[:3]: name[4:] for name in AIRPORTS.split(", ")})


def _shown(draft: Draft, table: str, key: str) -> str:
    return draft.database.text(f"{table} v1", key, draft.database[table][key], json.dumps)


@TOOLS.tool("read")
def get_user_details(draft: Draft, *, user_id: str) -> str:
    """Read a user's name, address, payment methods, saved passengers, membership and reservations.

    Args:
        user_id: such as "ada_byron_1234".
    """
    draft.find("users", user_id, "user not found")
    return _shown(draft, "users", user_id)


@TOOLS.tool("read")
def get_reservation_details(draft: Draft, *, reservation_id: str) -> str:
    """Read a reservation: flights, passengers, payments, baggage.

    Args:
        reservation_id: such as "ABC123".
    """
    draft.find("reservations", reservation_id, "reservation not found")
    return _shown(draft, "reservations", reservation_id)


@TOOLS.tool("read")
def list_all_airports(draft: Draft) -> str:
    """List all airports with their cities."""
    return _AIRPORTS


def _result(draft: Draft, number: str, date: str) -> Record:
    return {**draft.database["flights"][number], **draft.database["days"][f"{number} {date}"]}


@TOOLS.tool("read")
def search_direct_flight(draft: Draft, *, origin: str, destination: str, date: str) -> str:
    """Search direct flights between two cities on a day.

    Args:
        origin: the airport's code, such as "JFK".
        destination: the airport's code, such as "LAX".
        date: such as "2024-05-20".
    """
    return json.dumps([_result(draft, number, date) for number, _ in open_flights(draft, origin, destination, date)])


@TOOLS.tool("read")
def search_onestop_flight(draft: Draft, *, origin: str, destination: str, date: str) -> str:
    """Search flights with one stop between two cities on a day.

    Args:
        origin: the airport's code, such as "JFK".
        destination: the airport's code, such as "LAX".
        date: such as "2024-05-20".
    """
    return json.dumps(list(_pairs(draft, origin, destination, date)))


def _pairs(draft: Draft, origin: Any, destination: Any, date: Any) -> Iterator[list[Record]]:
    flights = draft.database["flights"]
    for first, _ in open_flights(draft, origin, None, date):
        arrival = flights[first]["scheduled_arrival_time_est"]
        then = f"2024-05-{int(date[-2:]) + 1}" if "+1" in arrival else date
        for second, _ in open_flights(draft, flights[first]["destination"], destination, then):
            if flights[second]["scheduled_departure_time_est"] >= arrival:
                # The official fault: the second leg is shown with the first one's day.
                yield [{**_result(draft, first, date), "date": date}, {**_result(draft, second, date), "date": then}]


@TOOLS.tool("generic")
def think(draft: Draft, *, thought: str) -> str:
    """Think about something; nothing is looked up and nothing changes.

    Args:
        thought: what there is to think about.
    """
    return ""


# ---- Tools that write ----------------------------------------------------------------------------------------------


def _fare(draft: Draft, number: Any, date: Any, cabin: Any, passengers: int) -> int:
    """Return today's price of a flight on which enough seats are left."""
    draft.find("flights", number, f"flight {number} not found")
    day = draft.find("days", f"{number} {date}", f"flight {number} not found on date {date}")
    if day["status"] != "available":
        raise Refusal(f"flight {number} not available on date {date}")
    if day["available_seats"][cabin] < passengers:
        raise Refusal(f"not enough seats on flight {number}")
    fare: int = day["prices"][cabin]
    return fare


def _segment(draft: Draft, leg: Record, price: int) -> Record:
    flight = draft.database["flights"][leg["flight_number"]]
    return {**leg, "price": price, "origin": flight["origin"], "destination": flight["destination"]}


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
    user = draft.find("users", user_id, "user not found")
    number = next((name for name in NEW if name not in draft.database["reservations"]), "")
    if not number:
        raise Refusal("too many reservations")
    people = len(passengers)
    fares_of = [_fare(draft, leg["flight_number"], leg["date"], cabin, people) for leg in flights]
    segments = [_segment(draft, leg, price) for leg, price in zip(flights, fares_of, strict=True)]
    price = added(fares_of) * people + (30 * people if insurance == "yes" else 0) + 50 * nonfree_baggages
    _pay(draft, user_id, payment_methods, price)
    made = {
        "reservation_id": number, "user_id": user_id, "origin": origin, "destination": destination,
        "flight_type": flight_type, "cabin": cabin, "flights": segments, "passengers": passengers,
        "payment_history": payment_methods, "created_at": NOW, "total_baggages": total_baggages,
        "nonfree_baggages": nonfree_baggages, "insurance": insurance,
    }  # fmt: skip
    draft.set("reservations", number, copy_json(made))
    draft.change("users", user_id, reservations=[*user["reservations"], number])
    return _shown(draft, "reservations", number)


def _pay(draft: Draft, user_id: str, payments: list[Any], price: Any) -> None:
    """Check and make the payments of a booking: a gift card is debited, a certificate is used up whole."""
    methods = draft.database["users"][user_id]["payment_methods"]
    for payment in payments:
        method_id = payment["payment_id"]
        if method_id not in methods:
            raise Refusal(f"payment method {method_id} not found")
        if methods[method_id]["source"] != "credit_card" and methods[method_id]["amount"] < payment["amount"]:
            raise Refusal(f"not enough balance in payment method {method_id}")
    paid = added(payment["amount"] for payment in payments)
    if paid != price:
        raise Refusal(f"payment amount does not add up, total price is {price}, but paid {paid}")
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
    found = draft.find("reservations", reservation_id, "reservation not found")
    refunds = [{**payment, "amount": -payment["amount"]} for payment in found["payment_history"]]
    history = [*found["payment_history"], *refunds]
    draft.change("reservations", reservation_id, payment_history=history, status="cancelled")
    return _shown(draft, "reservations", reservation_id)


@TOOLS.tool("write")
def send_certificate(draft: Draft, *, user_id: str, amount: int) -> str:
    """Give a user a certificate.

    Args:
        user_id: such as "ada_byron_1234".
        amount: what it is worth.
    """
    methods = draft.find("users", user_id, "user not found")["payment_methods"]
    for name in CERTIFICATES:
        if name not in methods:
            made = {"source": "certificate", "amount": copy_json(amount), "id": name}
            draft.change("users", user_id, payment_methods={**methods, name: made})
            return f"Certificate {name} added to user {user_id} with amount {amount}."
    return "null"


def _settle(draft: Draft, found: Record, method_id: Any, price: Any) -> list[Record]:
    """Take or give back the price of an update; return what it adds to the reservation's payment history."""
    user_id = found["user_id"]
    method = draft.database["users"][user_id]["payment_methods"].get(method_id)
    if method is None:
        raise Refusal("payment method not found")
    if method["source"] == "certificate":
        raise Refusal("certificate cannot be used to update reservation")
    if method["source"] == "gift_card":
        if method["amount"] < price:
            raise Refusal("gift card balance is not enough")
        debit(draft, user_id, method_id, price)
    return [{"payment_id": method_id, "amount": price}] if price != 0 else []


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
    found = draft.find("reservations", reservation_id, "reservation not found")
    price = 50 * max(0, nonfree_baggages - found["nonfree_baggages"])
    history = [*found["payment_history"], *_settle(draft, found, payment_id, price)]
    counts = {"total_baggages": copy_json(total_baggages), "nonfree_baggages": nonfree_baggages}
    draft.change("reservations", reservation_id, payment_history=history, **counts)
    return _shown(draft, "reservations", reservation_id)


@TOOLS.tool("write")
def update_reservation_flights(
    draft: Draft,
    *,
    reservation_id: str,
    cabin: Literal["business", "economy", "basic_economy"],
    flights: list[dict[str, str]],
    payment_id: str,
) -> str:
    """Change the flights of a reservation.

    Args:
        reservation_id: such as "ABC123".
        cabin: the same for all flights.
        flights: all flights from now on, also those that stay: {"flight_number": "HAT001", "date": "2024-05-20"} each.
        payment_id: what pays or receives the difference in price.
    """
    found = draft.find("reservations", reservation_id, "reservation not found")
    people = len(found["passengers"])
    segments = []
    for leg in flights:
        here = (leg["flight_number"], leg["date"])
        kept = [old["price"] for old in found["flights"] if (old["flight_number"], old["date"]) == here]
        price = kept[0] if kept and cabin == found["cabin"] else _fare(draft, *here, cabin, people)
        segments.append(_segment(draft, leg, price))
    price = (fares(segments) - fares(found["flights"])) * people
    history = [*found["payment_history"], *_settle(draft, found, payment_id, price)]
    draft.change("reservations", reservation_id, flights=copy_json(segments), payment_history=history)
    return _shown(draft, "reservations", reservation_id)


@TOOLS.tool("write")
def update_reservation_passengers(draft: Draft, *, reservation_id: str, passengers: list[dict[str, str]]) -> str:
    """Change who flies; their number stays.

    Args:
        reservation_id: such as "ABC123".
        passengers: all of them: {"first_name": "Ada", "last_name": "Byron", "dob": "1990-01-31"} each.
    """
    found = draft.find("reservations", reservation_id, "reservation not found")
    if len(passengers) != len(found["passengers"]):
        raise Refusal("number of passengers does not match")
    draft.change("reservations", reservation_id, passengers=copy_json(passengers))
    return _shown(draft, "reservations", reservation_id)
