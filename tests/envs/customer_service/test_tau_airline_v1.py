"""tau-bench's own airline tools: what differs from tau2's, by hand, and every call of the recorded runs."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import tau_airfield
from tau_oracle import data as real
from tau_oracle import reference

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.airline_data import split
from agentgym.envs.customer_service.official.domains import DOMAINS, officials
from agentgym.envs.customer_service.official.toolkit import Outcome

V1 = officials("tau-bench")["airline"]
RUNS = Path("trajectories/gpt-4o-airline-first20.json")


def old_field() -> Database:
    """The small airline as tau-bench keeps it: without `user_id` in users."""
    raw = json.loads(json.dumps(tau_airfield.RAW))
    tables = {name: {key: model(raw[name][key]) for key in raw[name]} for name, model in V1.models.items()}
    return V1.build(tables)


def call(database: Database, name: str, **arguments: Any) -> Outcome:
    return V1.call(database, name, arguments)


BOOKING: dict[str, Any] = {
    "user_id": "ada", "origin": "AAA", "destination": "CCC", "flight_type": "one_way", "cabin": "economy",
    "flights": [{"flight_number": "F1", "date": "2024-05-20"}, {"flight_number": "F2", "date": "2024-05-20"}],
    "passengers": [tau_airfield.ADA], "payment_methods": [{"payment_id": "gift", "amount": 200}],
    "total_baggages": 0, "nonfree_baggages": 0, "insurance": "no",
}  # fmt: skip


def test_the_first_version_has_a_think_and_no_flight_status() -> None:
    assert set(V1.tools.tools) ^ set(DOMAINS["airline"].tools.tools) == {"think", "get_flight_status"}
    field = old_field()
    assert call(field, "think", thought="Two legs.") == (field, "", False, "ok")
    assert call(field, "get_flight_status", flight_number="F1", date="2024-05-20").text == (
        "Unknown action get_flight_status"
    )
    assert call(field, "calculate", expression="152 + 103").text == "255.0"
    assert call(field, "transfer_to_human_agents", summary="x").text == "Transfer successful"
    assert call(field, "list_all_airports").text.startswith('{"SFO": "San Francisco", "JFK": "New York", ')
    assert officials("tau2") is DOMAINS and officials("tau-bench")["retail"] is DOMAINS["retail"]


def test_records_are_shown_as_the_file_has_them() -> None:
    field = old_field()
    user = {key: value for key, value in tau_airfield.RAW["users"]["ada"].items() if key != "user_id"}
    assert call(field, "get_user_details", user_id="ada").text == json.dumps(user)  # amounts stay whole: 200
    # No "status": null, and keys in the file's order.
    shown = call(field, "get_reservation_details", reservation_id="R1").text
    assert shown == json.dumps(tau_airfield.RAW["reservations"]["R1"])
    cancelled = json.loads(call(field, "cancel_reservation", reservation_id="R1").text)
    assert list(cancelled)[-1] == "status" and cancelled["status"] == "cancelled"
    assert cancelled["payment_history"][-1] == {"payment_id": "card", "amount": -180}


def test_a_booking_takes_no_seats_and_stores_what_it_was_given() -> None:
    field = old_field()
    booked = call(field, "book_reservation", **BOOKING)
    assert not booked.error, booked.text
    made = json.loads(booked.text)
    assert made["flights"][0] == {
        "flight_number": "F1", "date": "2024-05-20", "price": 100, "origin": "AAA", "destination": "BBB"
    }  # fmt: skip
    assert "status" not in made and made["reservation_id"] == "HATHAT"
    assert booked.database["days"] == field["days"]
    user = booked.database["users"]["ada"]
    assert user["payment_methods"]["gift"]["amount"] == 0 and user["reservations"] == ["R1", "HATHAT"]
    # A certificate is used up whole, and strangers fly unchecked: passengers may be any texts.
    paid = [{"payment_id": "cert", "amount": 100}, {"payment_id": "card", "amount": 100}]
    again = call(booked.database, "book_reservation", **{**BOOKING, "payment_methods": paid, "passengers": ["Eve"]})
    assert json.loads(again.text)["passengers"] == ["Eve"]
    assert "cert" not in again.database["users"]["ada"]["payment_methods"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"user_id": "bob"}, "user not found"),
        ({"flights": [{"flight_number": "F9", "date": "2024-05-20"}]}, "flight F9 not found"),
        ({"flights": [{"flight_number": "F1", "date": "2024-05-01"}]}, "flight F1 not found on date 2024-05-01"),
        ({"flights": [{"flight_number": "F1", "date": "2024-05-21"}]}, "flight F1 not available on date 2024-05-21"),
        ({"cabin": "basic_economy"}, "not enough seats on flight F1"),
        ({"payment_methods": [{"payment_id": "x", "amount": 200}]}, "payment method x not found"),
        ({"payment_methods": [{"payment_id": "cert", "amount": 200}]}, "not enough balance in payment method cert"),
        # Two flights of 100, insurance 30, two paid bags of 50.
        (
            {"insurance": "yes", "nonfree_baggages": 2},
            "payment amount does not add up, total price is 330, but paid 200",
        ),
    ],
)
def test_errors_of_a_booking(change: dict[str, Any], said: str) -> None:
    field = old_field()
    assert call(field, "book_reservation", **{**BOOKING, **change}) == (field, f"Error: {said}", True, "domain_error")


def test_new_flights_leave_the_cabin_as_it_was() -> None:
    # Two passengers: economy 90 → business 300, (300 − 90) · 2 = 420; one business seat is left, so two do not fit.
    legs = [{"flight_number": "F2", "date": "2024-05-20"}]
    change: dict[str, Any] = {"reservation_id": "R1", "cabin": "business", "flights": legs, "payment_id": "card"}
    assert call(old_field(), "update_reservation_flights", **change).text == "Error: not enough seats on flight F2"
    found = call(old_field(), "update_reservation_flights", **{**change, "cabin": "economy"})
    made = json.loads(found.text)
    assert made["cabin"] == "economy" and made["flights"][0]["price"] == 100
    assert made["payment_history"][-1] == {"payment_id": "card", "amount": 20}  # (100 − 90) · 2
    cheap = {**change, "cabin": "business", "flights": []}
    refunded = json.loads(call(old_field(), "update_reservation_flights", **cheap).text)
    assert refunded["cabin"] == "economy" and refunded["payment_history"][-1]["amount"] == -180
    for method, said in [
        ("x", "payment method not found"),
        ("cert", "certificate cannot be used to update reservation"),
    ]:
        change = {"reservation_id": "R1", "total_baggages": 1, "nonfree_baggages": 0, "payment_id": method}
        assert call(old_field(), "update_reservation_baggages", **change).text == f"Error: {said}"
    change = {"reservation_id": "R1", "total_baggages": 9, "nonfree_baggages": 5, "payment_id": "gift"}
    assert call(old_field(), "update_reservation_baggages", **change).text == (
        "Error: gift card balance is not enough"  # 250 of 200
    )


def test_passengers_certificates_and_unknown_records() -> None:
    field = old_field()
    wrong = call(field, "update_reservation_passengers", reservation_id="R1", passengers=[tau_airfield.ADA])
    assert wrong.text == "Error: number of passengers does not match"
    assert call(field, "get_reservation_details", reservation_id="R7").text == "Error: reservation not found"
    for number in (3221322, 3221323, 3221324):
        sent = call(field, "send_certificate", user_id="ada", amount=50)
        assert sent.text == f"Certificate certificate_{number} added to user ada with amount 50."
        field = sent.database
    assert call(field, "send_certificate", user_id="ada", amount=50) == (field, "null", False, "ok")


def test_a_second_leg_shows_the_seats_of_the_first_ones_day() -> None:
    # F1 lands at 08:00: F2 leaves at 08:00, F3 a second before. F4 lands at "01:00:00+1", and on the 21st F2 leaves at
    # "08:00:00" and F5 at "02:00:00"; F5 does not fly on the 20th, whose seats would be shown.
    field, route = old_field(), {"origin": "AAA", "destination": "CCC", "date": "2024-05-20"}
    failed = call(field, "search_onestop_flight", **route)
    assert failed.error and failed.kind == "internal_error"
    field = field.remove("days", "F5 2024-05-21")
    field = field.set("days", "F2 2024-05-21", tau_airfield.sold(economy=9))
    pairs = json.loads(call(field, "search_onestop_flight", **route).text)
    assert [(one["flight_number"], two["flight_number"], two["date"]) for one, two in pairs] == [
        ("F1", "F2", "2024-05-20"), ("F4", "F2", "2024-05-21")
    ]  # fmt: skip
    assert [two["available_seats"]["economy"] for _, two in pairs] == [3, 3]
    direct = json.loads(call(field, "search_direct_flight", **{**route, "origin": "BBB"}).text)
    assert [found["flight_number"] for found in direct] == ["F3", "F2"] and "date" not in direct[0]


@pytest.fixture(scope="module")
def runs() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((real("tau-bench") / RUNS).read_text("utf-8"))
    return loaded


@pytest.fixture(scope="module")
def older() -> Database:
    """tau-bench's airline as it was when the runs were recorded: addresses had a `province`."""
    raw = {
        name: json.loads((real("tau-bench") / f"airline/{name}.json").read_text("utf-8"))
        for name in ("flights", "users", "reservations")
    }
    for user in raw["users"].values():
        user["address"] = {("province" if key == "state" else key): item for key, item in user["address"].items()}
    return Database({**split(raw.pop("flights")), **raw})


def official_hash(database: Database) -> str:
    """The hash that tau-bench records: of the database as nested tuples, keys sorted."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return tuple((key, plain(item)) for key, item in sorted(value.items()))
        return tuple(map(plain, value)) if isinstance(value, list) else value

    return sha256(str(plain(V1.dump(database))).encode()).hexdigest()


@reference
def test_every_recorded_call_is_answered_as_recorded(runs: list[dict[str, Any]], older: Database) -> None:
    answered = 0
    for run in runs:
        database, asked = older, {}
        for message in run["traj"]:
            asked |= {one["id"]: one["function"] for one in message.get("tool_calls") or ()}
            if message["role"] == "tool":
                made = asked[message["tool_call_id"]]
                found = V1.call(database, made["name"], json.loads(made["arguments"]))
                assert found.text == message["content"], made
                database, answered = found.database, answered + 1
    assert answered == 182


@reference
def test_gold_actions_end_with_the_recorded_hash(runs: list[dict[str, Any]], older: Database) -> None:
    compared = 0
    for run in runs:
        recorded = (run["info"]["reward_info"] or {"info": {}})["info"].get("gt_data_hash")
        if recorded:
            database = older
            for action in run["info"]["task"]["actions"]:
                database = V1.call(database, action["name"], action["kwargs"]).database
            assert official_hash(database) == recorded
            compared += 1
    assert compared == 16
