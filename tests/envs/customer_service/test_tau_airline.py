"""The official airline tools: what each refuses and changes, worked out on a small airline."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tau_airfield import ADA, BOB, METHODS, RAW, airfield
from tau_oracle import exact

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.airline_data import dump
from agentgym.envs.customer_service.official.airline_writes import TOOLS
from agentgym.envs.customer_service.official.toolkit import Outcome

FIELD = airfield()
F1 = {"flight_number": "F1", "date": "2024-05-20"}
BOOKING: dict[str, Any] = {
    "user_id": "ada", "origin": "AAA", "destination": "CCC", "flight_type": "one_way", "cabin": "economy",
    "flights": [F1], "passengers": [ADA], "payment_methods": [{"payment_id": "card", "amount": 100}],
    "total_baggages": 0, "nonfree_baggages": 0, "insurance": "no",
}  # fmt: skip


def call(name: str, database: Database = FIELD, **arguments: Any) -> Outcome:
    return TOOLS.call(database, name, arguments)


def refused(name: str, database: Database = FIELD, **arguments: Any) -> str:
    found = call(name, database, **arguments)
    assert found.error and found.kind == "domain_error" and found.database == database
    return found.text.removeprefix("Error: ")


def fails(name: str, **arguments: Any) -> str:
    found = call(name, **arguments)
    assert found.error and found.database == FIELD
    return found.kind


def done(name: str, database: Database = FIELD, **arguments: Any) -> tuple[Database, Any]:
    found = call(name, database, **arguments)
    assert not found.error, found.text
    return found.database, json.loads(found.text)


def worth(database: Database) -> dict[str, float]:
    methods = database["users"]["ada"]["payment_methods"]
    return {name: method["amount"] for name, method in methods.items() if "amount" in method}


def paid(*amounts: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"payment_id": name, "amount": amount} for name, amount in amounts]


# ---- Reading -----------------------------------------------------------------------------------------------------


def test_records_are_shown_in_the_models_order_with_money_of_balances_as_floats() -> None:
    shown = call("get_user_details", user_id="ada").text
    assert '"gift": {"source": "gift_card", "id": "gift", "amount": 200.0}' in shown
    assert call("get_reservation_details", reservation_id="R1").text.endswith('"insurance": "no", "status": null}')
    assert refused("get_user_details", user_id="Ada") == "User Ada not found"
    assert refused("get_reservation_details", reservation_id=None) == "Reservation None not found"
    assert fails("get_user_details", user_id=["ada"]) == "internal_error"


def test_airports_come_in_the_official_order() -> None:
    airports = json.loads(call("list_all_airports").text)
    assert airports[0] == {"iata": "SFO", "city": "San Francisco"} and airports[-1]["city"] == "LaGuardia"
    assert len(airports) == 20


def test_the_status_of_a_flight_is_a_bare_word() -> None:
    assert call("get_flight_status", flight_number="F1", date="2024-05-21").text == "cancelled"
    assert refused("get_flight_status", flight_number="F9", date="2024-05-21") == "Flight F9 not found"
    assert refused("get_flight_status", flight_number="F1", date="x") == "Flight F1 not found on date x"
    assert fails("get_flight_status", flight_number="F1", date=["2024-05-21"]) == "internal_error"


def test_direct_flights_come_in_table_order_where_seats_are_sold() -> None:
    def found(origin: Any, destination: Any, date: Any) -> list[str]:
        rows = done("search_direct_flight", origin=origin, destination=destination, date=date)[1]
        assert all(row["date"] is None and row["status"] == "available" for row in rows)
        return [row["flight_number"] for row in rows]

    assert found("BBB", "CCC", "2024-05-20") == ["F3", "F2"]
    assert found("AAA", "BBB", "2024-05-21") == []  # cancelled, and no such day
    assert found(None, "CCC", "2024-05-21") == ["F2", "F5"]
    assert found("AAA", "XXX", ["2024-05-20"]) == found([], {}, "2024-05-20") == []
    assert fails("search_direct_flight", origin="AAA", destination="BBB", date=[]) == "internal_error"


def test_a_stop_is_long_enough_as_text_and_the_day_after_has_no_zero() -> None:
    def found(date: str) -> list[tuple[str, str, str, str]]:
        pairs = done("search_onestop_flight", origin="AAA", destination="CCC", date=date)[1]
        return [(one["flight_number"], one["date"], two["flight_number"], two["date"]) for one, two in pairs]

    # F1 lands at 08:00:00: F3 left a second before. F4 lands on the 21st at "01:00:00+1", before "02:00:00" as text.
    assert found("2024-05-20") == [
        ("F1", "2024-05-20", "F2", "2024-05-20"),
        ("F4", "2024-05-20", "F2", "2024-05-21"),
        ("F4", "2024-05-20", "F5", "2024-05-21"),
    ]
    assert found("2024-05-08") == []  # F5 leaves on "2024-05-09", not on "2024-05-9"
    assert found("no day") == []


# ---- Booking -----------------------------------------------------------------------------------------------------


def test_a_booking_takes_seats_and_balances_and_comes_last() -> None:
    payments = paid(("cert", 30), ("gift", "150"), ("card", 30.0))
    given = {
        **BOOKING,
        "passengers": [ADA, BOB],
        "payment_methods": payments,
        "nonfree_baggages": -1,
        "insurance": "yes",
    }
    after, made = done("book_reservation", **given)  # 2 · 100 + 2 · 30 − 50 = 210 = 30 + 150 + 30
    assert made["reservation_id"] == "HATHAT" and made["created_at"] == "2024-05-15T15:00:00"
    assert exact(made["payment_history"]) == exact(paid(("cert", 30), ("gift", 150), ("card", 30)))
    assert made["flights"] == [{**F1, "origin": "AAA", "destination": "BBB", "price": 100}]
    assert worth(after) == {"gift": 50.0}  # the certificate is used up whole
    assert after["days"]["F1 2024-05-20"]["available_seats"] == {"business": 1, "economy": 1, "basic_economy": 0}
    assert after["users"]["ada"]["reservations"] == ["R1", "HATHAT"]
    assert list(after.rows("reservations")) == ["R1", "HATHAT"]
    assert dump(after)["flights"]["F1"]["dates"]["2024-05-20"]["available_seats"]["economy"] == 1


def test_three_bookings_are_made_and_no_fourth() -> None:
    database = FIELD
    for number in ("HATHAT", "HATHAU", "HATHAV"):
        database, made = done("book_reservation", database, **BOOKING)
        assert made["reservation_id"] == number
    assert refused("book_reservation", database, **BOOKING) == "Too many reservations"


def test_empty_lists_pass_if_the_sum_is_right() -> None:
    none: dict[str, Any] = {"flights": [], "passengers": [], "payment_methods": []}
    assert done("book_reservation", **{**BOOKING, **none})[1]["flights"] == []
    message = "Payment amount does not add up, total price is 50, but paid 0"
    assert refused("book_reservation", **{**BOOKING, **none, "nonfree_baggages": 1}) == message


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"user_id": "bob"}, "User bob not found"),
        ({"flights": [{**F1, "flight_number": "F9"}]}, "Flight F9 not found"),
        ({"flights": [{**F1, "date": "2024-05-22"}]}, "Flight F1 not found on date 2024-05-22"),
        ({"flights": [{**F1, "date": "2024-05-21"}]}, "Flight F1 not available on date 2024-05-21"),
        ({"cabin": "business", "passengers": [ADA, BOB]}, "Not enough seats on flight F1"),
        ({"payment_methods": paid(("visa", 100))}, "Payment method visa not found"),
        ({"payment_methods": paid(("gift", 201))}, "Not enough balance in payment method gift"),
        (
            {"payment_methods": paid(("card", 99))},
            "Payment amount does not add up, total price is 100, but paid 99",
        ),
    ],
)
def test_what_booking_refuses(changes: dict[str, Any], message: str) -> None:
    assert refused("book_reservation", **{**BOOKING, **changes}) == message


@pytest.mark.parametrize(
    "changes, kind",
    [
        ({"flights": [{"date": "2024-05-20"}]}, "validation_error"),
        ({"flights": ["F1"]}, "internal_error"),
        ({"flights": [F1, "F1"]}, "internal_error"),  # one that is no object switches the check off for all
        ({"flights": None}, "internal_error"),
        ({"passengers": [{**ADA, "dob": 1990}]}, "validation_error"),
        ({"passengers": ["Ada"]}, "validation_error"),
        ({"payment_methods": paid(("card", 99.5))}, "validation_error"),
        ({"flight_type": "multi_city"}, "validation_error"),
        ({"cabin": "first"}, "validation_error"),
        ({"insurance": True}, "validation_error"),
        ({"total_baggages": "1e2"}, "validation_error"),
        ({"nonfree_baggages": "0"}, "internal_error"),  # the price reads it as it was given
        ({"payment_methods": paid(("card", float("nan")))}, "validation_error"),
    ],
)
def test_what_booking_fails_with(changes: dict[str, Any], kind: str) -> None:
    assert fails("book_reservation", **{**BOOKING, **changes}) == kind


def test_a_certificate_named_twice_is_gone_and_nothing_is_booked() -> None:
    found = call("book_reservation", **{**BOOKING, "payment_methods": paid(("cert", 50), ("cert", 50))})
    assert (found.error, found.kind) == (True, "internal_error")
    assert found.database.changes(FIELD).keys() == {"users"} and worth(found.database) == {"gift": 200.0}


def test_a_gift_card_named_twice_may_go_below_zero() -> None:
    given = {**BOOKING, "passengers": [ADA, BOB, BOB], "payment_methods": paid(("gift", 150), ("gift", 150))}
    assert worth(done("book_reservation", **given)[0])["gift"] == -100.0


# ---- Changing ----------------------------------------------------------------------------------------------------


def test_each_cancellation_negates_the_whole_history() -> None:
    once, made = done("cancel_reservation", reservation_id="R1")
    assert [payment["amount"] for payment in made["payment_history"]] == [180, -180] and made["status"] == "cancelled"
    _, again = done("cancel_reservation", once, reservation_id="R1")
    assert [payment["amount"] for payment in again["payment_history"]] == [180, -180, -180, 180]
    assert refused("cancel_reservation", reservation_id="R2") == "Reservation R2 not found"


def test_certificates_are_named_in_turn_and_there_are_three() -> None:
    database = FIELD
    for number, amount in ((3221322, "100"), (3221323, -5), (3221324, True)):
        found = call("send_certificate", database, user_id="ada", amount=amount)
        name = f"certificate_{number}"
        assert found.text == f"Certificate {name} added to user ada with amount {amount}."
        database = found.database
        assert exact(worth(database)[name]) == exact(float(amount))
    assert refused("send_certificate", database, user_id="ada", amount=1) == "Too many certificates"
    assert refused("send_certificate", user_id="bob", amount=1) == "User bob not found"
    for amount in (None, [50], "abc", "NaN", float("inf")):
        assert fails("send_certificate", user_id="ada", amount=amount) == "validation_error"


def test_baggage_is_paid_by_the_piece_and_counted_as_given() -> None:
    given = {"reservation_id": "R1", "payment_id": "gift"}
    after, made = done("update_reservation_baggages", **given, total_baggages="many", nonfree_baggages=2.0)
    assert worth(after)["gift"] == 100.0 and exact(made["payment_history"][1]["amount"]) == "100"
    assert exact([made["total_baggages"], made["nonfree_baggages"]]) == '["many", 2.0]'
    fewer, made = done("update_reservation_baggages", after, **given, total_baggages=0, nonfree_baggages=0)
    assert worth(fewer)["gift"] == 100.0 and len(made["payment_history"]) == 2  # nothing back, and no entry of 0


def test_what_baggage_refuses() -> None:
    def said(method: str, nonfree: int = 0) -> str:
        given = {"reservation_id": "R1", "total_baggages": 1, "nonfree_baggages": nonfree, "payment_id": method}
        return refused("update_reservation_baggages", **given)

    assert said("visa") == "Payment method not found"
    assert said("cert") == "Certificate cannot be used to update reservation"
    assert said("gift", 5) == "Gift card balance is not enough"  # 250 of 200


def test_a_fraction_debits_the_gift_card_and_then_fails() -> None:
    given = {"reservation_id": "R1", "total_baggages": 1, "nonfree_baggages": 0.25, "payment_id": "gift"}
    found = call("update_reservation_baggages", **given)
    assert found.kind == "validation_error" and worth(found.database)["gift"] == 187.5
    assert found.database["reservations"] == FIELD["reservations"]


def test_flights_that_stay_keep_their_fare_and_no_seat_is_counted() -> None:
    given = {"reservation_id": "R1", "payment_id": "gift"}
    same, made = done("update_reservation_flights", **given, cabin="economy", flights=[F1])
    assert made["flights"][0]["price"] == 90 and len(made["payment_history"]) == 1
    assert same["reservations"]["R1"]["flights"] == FIELD["reservations"]["R1"]["flights"]
    more = [F1, {"flight_number": "F2", "date": "2024-05-20"}]
    after, made = done("update_reservation_flights", **given, cabin="economy", flights=more)
    assert made["payment_history"][1] == {"payment_id": "gift", "amount": 200}  # 2 · (90 + 100) − 2 · 90
    assert worth(after)["gift"] == 0.0 and after["days"] == FIELD["days"]
    none, made = done("update_reservation_flights", after, **given, cabin="business", flights=[])
    assert worth(none)["gift"] == 380.0 and made["cabin"] == "business"


def test_flights_changed_on_a_card_are_noted_and_nothing_is_debited() -> None:
    given = {"reservation_id": "R1", "payment_id": "card", "cabin": "economy"}
    leg = {"flight_number": "F2", "date": "2024-05-20"}
    after, made = done("update_reservation_flights", **given, flights=[leg])
    assert made["payment_history"][1] == {"payment_id": "card", "amount": 20}  # 2 · (100 − 90)
    assert after["users"] == FIELD["users"]


def test_what_changing_flights_refuses() -> None:
    def said(cabin: Any, *flights: Any, number: str = "R1") -> str:
        given = {"reservation_id": number, "cabin": cabin, "flights": list(flights), "payment_id": "card"}
        found = call("update_reservation_flights", **given)
        assert found.error and found.database == FIELD
        return found.text.removeprefix("Error: ") if found.kind == "domain_error" else found.kind

    other = {"flight_number": "F1", "date": "2024-05-08"}
    assert said("economy", number="R2") == "Reservation R2 not found"
    assert said("business", F1) == "Not enough seats on flight F1"  # kept only in the same cabin
    assert said("economy", {**other, "date": "2024-05-21"}) == "Flight F1 not available on date 2024-05-21"
    assert said("first", F1) == said(None, F1) == said("economy", "F1") == "internal_error"
    assert said("economy", {"date": "2024-05-20"}) == "validation_error"


def test_passengers_are_checked_only_if_all_are_objects() -> None:
    given = {"reservation_id": "R1"}
    _, made = done("update_reservation_passengers", **given, passengers=[BOB, {**ADA, "seat": "1A"}])
    assert made["passengers"] == [BOB, ADA]
    people = [{"name": ["x"]}, "Bob"]
    after, made = done("update_reservation_passengers", **given, passengers=people)
    assert made["passengers"] == people
    people[0]["name"].append("y")  # type: ignore[index]
    assert after["reservations"]["R1"]["passengers"][0] == {"name": ["x"]}
    assert (
        fails("update_reservation_passengers", **given, passengers=[ADA, {"first_name": "Bob"}]) == "validation_error"
    )
    message = refused("update_reservation_passengers", **given, passengers=[ADA])
    assert message == "Number of passengers does not match"


def test_days_are_records_of_their_own_and_the_dump_puts_them_back() -> None:
    whole = dump(FIELD)
    assert exact(whole["flights"]) == exact(RAW["flights"]) and set(whole) == {"flights", "users", "reservations"}
    assert list(whole["users"]["ada"]["payment_methods"]) == list(METHODS)


def test_every_tool_has_a_description_of_itself_and_of_its_arguments() -> None:
    for tool in TOOLS.tools.values():
        assert tool.spec.description and all(one["description"] for one in tool.spec.parameters["properties"].values())
    assert len(TOOLS.tools) == 14 and sum(tool.tag == "write" for tool in TOOLS.tools.values()) == 6
    payments = TOOLS.tools["book_reservation"].spec.parameters["properties"]["payment_methods"]
    assert payments["items"]["properties"]["amount"] == {"type": "integer"} and "price" in payments["description"]
