"""What the agent of Kittiwake Air can look up, and the calculator."""

import json

import pytest
from little_airline import LITTLE, refusal

from agentgym.envs.customer_service.domains.airline import AIRLINE, network
from agentgym.envs.customer_service.domains.airline.arithmetic import value
from agentgym.envs.customer_service.domains.airline.writes import DESK
from agentgym.envs.customer_service.sheet import Call


def read(tool, **arguments):
    reply = DESK.call(LITTLE, Call(tool, arguments))
    assert not reply.error and reply.database is LITTLE
    return reply.text


def test_customers_are_found_however_they_are_spelt():
    assert read("find_customer_by_email", email=" Ada.Byron@mail.EXAMPLE ") == "C-10001"
    assert read("find_customer_by_name", name="ada  BYRON", birth_date="1990-01-31") == "C-10001"


def test_nobody_is_found_by_what_is_wrong():
    assert "no customer with the email bob@mail.example" in refusal("find_customer_by_email", email="bob@mail.example")
    text = refusal("find_customer_by_name", name="Ada Byron", birth_date="1990-02-01")
    assert "no customer Ada Byron born on 1990-02-01" in text
    assert "no customer C-1" in refusal("get_customer", customer_id="C-1")


def test_a_profile_shows_what_its_vouchers_hold():
    shown = json.loads(read("get_customer", customer_id="C-10001"))
    assert shown["vouchers"] == [{"voucher_id": "V-70001", "balance": "50.00"}]
    assert shown["tier"] == "blue" and shown["bookings"] == ["AB2CDE", "FG3HJK", "LM4NPR"]


def test_a_booking_is_shown_as_it_is():
    assert json.loads(read("get_booking", booking_code="AB2CDE")) == LITTLE["bookings"]["AB2CDE"]
    assert "no booking ZZ9ZZZ" in refusal("get_booking", booking_code="ZZ9ZZZ")


def test_a_search_shows_what_can_still_be_booked_by_departure():
    found = json.loads(read("search_flights", origin="MUC", destination="AMS", date="2025-09-15"))
    assert [row["flights"][0]["flight"] for row in found] == ["KW103", "KW105", "KW107"]  # KW109 is cancelled
    assert found[1]["prices"] == {"economy": "80.20", "premium": "180.50", "business": "300.00"}
    assert found[2]["seats"] == {"economy": 1, "premium": 2, "business": 0}
    assert json.loads(read("search_flights", origin="MUC", destination="AMS", date="2025-09-09")) == []  # it has landed


def test_a_connection_leaves_three_quarters_of_an_hour():
    [only] = json.loads(read("search_flights", origin="MUC", destination="AMS", date="2025-09-15", one_stop=True))
    # KW111 lands at 10:40; KW113 leaves 44 minutes later, KW115 45
    assert [row["flight"] for row in only["flights"]] == ["KW111", "KW115"]
    assert only["prices"]["premium"] == "361.00" and only["seats"]["business"] == 0


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"origin": "XXX"}, "origin must be the code of one of our cities"),
        ({"destination": "Amsterdam"}, "destination must be the code of one of our cities"),
        ({"date": "15 September"}, "date must be written like 2025-09-10, not '15 September'"),
        ({"date": "2025-12-01"}, "runs from 2025-09-03 to 2025-09-28"),
    ],
)
def test_a_search_names_the_argument_that_is_wrong(arguments, said):
    right = {"origin": "MUC", "destination": "AMS", "date": "2025-09-15"}
    assert said in refusal("search_flights", **{**right, **arguments})


def test_a_flight_is_shown_with_its_delay():
    shown = json.loads(read("flight_status", flight="KW101", date="2025-09-09"))
    assert (shown["status"], shown["delay_minutes"]) == ("landed", 125)
    assert "no flight KW101/2025-09-10" in refusal("flight_status", flight="KW101", date="2025-09-10")


def test_cities_are_listed():
    assert json.loads(read("list_cities")) == network.CITIES


@pytest.mark.parametrize(
    "expression, result",
    [
        ("0.1 + 0.2", "0.30"),
        ("2 * (84.30 + 12.5) - 3", "190.60"),
        ("-(2 - 5) / 2", "1.50"),
        ("10 / 3", "3.33"),
        ("0.005", "0.01"),
        ("-0.005", "-0.01"),
        ("€ 3 * .5", "1.50"),
        ("((((1))))", "1.00"),
        ("1 - 2 - 3", "-4.00"),
    ],
)
def test_the_calculator_is_exact(expression, result):
    assert value(expression) == result == read("calculate", expression=expression)


@pytest.mark.parametrize(
    "expression, said",
    [
        ("", "a number is missing at the end"),
        ("2 +", "a number is missing at the end"),
        ("2 * / 3", "a number is missing before '/'"),
        ("(1 + 2", "a parenthesis is not closed"),
        ("1 2", "'2' is too much"),
        ("1 / 0", "it has no value"),
        ("0 / 0", "it has no value"),
        ("2 ** 3", "a number is missing before '*'"),
        ("__import__('os')", "is neither a number nor one of"),
        ("٣ + 1", "is neither a number nor one of"),
        ("9" * 600, "at most 500 characters"),
        ("9" * 60 + " * 9", "it has no value"),
        ("(" * 100 + "1", "at most 20"),
        ("-" * 100 + "1", "at most 20"),
    ],
)
def test_the_calculator_says_what_is_wrong(expression, said):
    assert said in refusal("calculate", expression=expression)


def test_tools_are_tagged_and_described():
    tags = {name: tool.tag for name, tool in AIRLINE.tools.items()}
    assert sorted(name for name, tag in tags.items() if tag == "write") == [
        "add_bags", "cancel_booking", "change_cabin", "change_flights", "correct_passenger_name", "issue_voucher",
        "transfer_to_human",
    ]  # fmt: skip
    assert [name for name, tag in tags.items() if tag == "generic"] == ["calculate"] and len(tags) == 15
    for tool in AIRLINE.tools.values():
        assert tool.spec.description
        assert all(row.get("description") for row in tool.spec.parameters["properties"].values())
