"""What the agent of Kittiwake Air can write: every precondition, every sum, on a database worked out by hand."""

import pytest
from little_airline import LITTLE, called, refusal, seats

from agentgym.envs.customer_service.domains.airline import rules

OTHERS = {"booking_code": "AB2CDE", "direction": "outbound", "date": "2025-09-15", "payment_id": "visa-1111"}


def lines(database, code="AB2CDE"):
    return [(row["payment_id"], row["amount"], row["for"]) for row in database["bookings"][code]["payments"][1:]]


# ---- cancelling


def test_a_cancelled_booking_gives_seats_and_money_back_but_not_the_insurance():
    after = called("cancel_booking", booking_code="AB2CDE")
    assert after["bookings"]["AB2CDE"]["status"] == "cancelled"
    # 395.75 paid, of which 2 * 19.95 = 39.90 for the insurance
    assert lines(after) == [("visa-1111", "-355.85", "cancellation")]
    assert seats(after, "KW103/15") == 7 and seats(after, "KW104/17") == 7


def test_within_24_hours_the_insurance_is_refunded_too():
    old = LITTLE["bookings"]["AB2CDE"]
    for booked_at, back in (("2025-09-09 14:00:00", "-395.75"), ("2025-09-09 13:59:59", "-355.85")):
        database = LITTLE.set("bookings", "AB2CDE", {**old, "booked_at": booked_at})
        assert lines(called("cancel_booking", database, booking_code="AB2CDE"))[0][1] == back


def test_what_the_airline_cancelled_is_refunded_in_full():
    database = LITTLE.set(
        "flights", "KW104/2025-09-17", {**LITTLE["flights"]["KW104/2025-09-17"], "status": "cancelled"}
    )
    assert lines(called("cancel_booking", database, booking_code="AB2CDE"))[0][1] == "-395.75"


def test_a_refund_goes_to_every_method_that_paid():
    parts = [{"payment_id": "visa-1111", "amount": "30.00", "for": "booking"},
             {"payment_id": "V-70001", "amount": "365.75", "for": "booking"}]  # fmt: skip
    database = LITTLE.set("bookings", "AB2CDE", {**LITTLE["bookings"]["AB2CDE"], "payments": parts})
    after = called("cancel_booking", database, booking_code="AB2CDE")
    # the 39.90 of the insurance come off the first 30.00 and then off the voucher: 365.75 - 9.90 = 355.85
    assert after["bookings"]["AB2CDE"]["payments"][2:] == [
        {"payment_id": "V-70001", "amount": "-355.85", "for": "cancellation"}
    ]
    assert after["vouchers"]["V-70001"]["balance"] == "405.85"


def test_what_another_method_got_back_is_not_refunded_again():
    parts = [{"payment_id": "visa-1111", "amount": "395.75", "for": "booking"},
             {"payment_id": "V-70001", "amount": "-19.80", "for": "change of flights"}]  # fmt: skip
    database = LITTLE.set("bookings", "AB2CDE", {**LITTLE["bookings"]["AB2CDE"], "payments": parts})
    after = called("cancel_booking", database, booking_code="AB2CDE")
    # 395.75 - 19.80 - 39.90 = 336.05
    assert lines(after)[1:] == [("visa-1111", "-336.05", "cancellation")]
    assert after["vouchers"] == LITTLE["vouchers"]


@pytest.mark.parametrize(
    "code, said",
    [
        ("ZZ9ZZZ", "there is no booking ZZ9ZZZ"),
        ("LM4NPR", "booking LM4NPR is cancelled; only an active one"),
        ("FG3HJK", "flight KW101 of 2025-09-09 in booking FG3HJK has departed"),
    ],
)
def test_what_cannot_be_cancelled(code, said):
    assert said in refusal("cancel_booking", booking_code=code)


# ---- other flights


def test_other_flights_cost_the_difference_and_a_fee_for_everyone():
    after = called("change_flights", flights=["KW105"], **OTHERS)
    # 80.20 - 90.10 + 27.45 = 17.55 for each of two
    assert lines(after) == [("visa-1111", "35.10", "change of flights")]
    assert [leg["flight"] for leg in after["bookings"]["AB2CDE"]["legs"]] == ["KW105", "KW104"]
    assert after["bookings"]["AB2CDE"]["legs"][0]["price"] == "80.20"
    assert seats(after, "KW103/15") == 7 and seats(after, "KW105/15") == 3


def test_a_flexible_fare_has_no_fee_and_gets_money_back():
    database = LITTLE.set("bookings", "AB2CDE", {**LITTLE["bookings"]["AB2CDE"], "fare": "flexible"})
    assert lines(called("change_flights", database, flights=["KW105"], **OTHERS))[0][1] == "-19.80"  # 2 * -9.90


def test_a_connection_can_take_the_place_of_a_direct_flight_and_keeps_the_way_back():
    after = called("change_flights", flights=["KW111", "KW115"], **OTHERS)
    assert [leg["direction"] for leg in after["bookings"]["AB2CDE"]["legs"]] == ["outbound", "outbound", "return"]
    # 200.00 - 90.10 + 27.45 = 137.35 for each of two
    assert lines(after)[0][1] == "274.70"
    back = called("change_flights", after, flights=["KW103"], **OTHERS)
    # today's 100.00 - 200.00 + 27.45 = -72.55 for each of two
    assert lines(back)[0][1] == "129.60" and seats(back, "KW111/15") == 5  # one line for one purpose


def test_a_flight_that_stays_keeps_its_price():
    after = called("change_flights", flights=["KW111", "KW115"], **OTHERS)
    legs = [
        {**leg, "price": "1.00"} if leg["flight"] == "KW111" else leg for leg in after["bookings"]["AB2CDE"]["legs"]
    ]
    row = {**after["bookings"]["AB2CDE"], "legs": legs}
    late = {**LITTLE["flights"]["KW115/2025-09-15"], "flight": "KW117", "departs": "15:00", "arrives": "16:35"}
    database = after.set("bookings", "AB2CDE", row).set("flights", "KW117/2025-09-15", late)
    again = called("change_flights", database, flights=["KW111", "KW117"], **OTHERS)
    assert [leg["price"] for leg in again["bookings"]["AB2CDE"]["legs"][:2]] == ["1.00", "100.00"]
    # the fee alone, 2 * 27.45, since both second flights cost 100.00: 274.70 + 54.90
    assert lines(again)[0][1] == "329.60"


@pytest.mark.parametrize(
    "change, said",
    [
        ({"booking_code": "LM4NPR"}, "is cancelled"),
        ({"booking_code": "FG3HJK"}, "has departed"),
        ({"flights": []}, "flights must name one or two flights, not 0"),
        ({"flights": ["KW111", "KW115", "KW103"]}, "not 3"),
        ({"flights": ["KW999"]}, "there is no flight KW999/2025-09-15"),
        ({"flights": ["KW109"]}, "flight KW109 of 2025-09-15 is cancelled"),
        ({"date": "2025-09-09", "flights": ["KW101"]}, "flight KW101 of 2025-09-09 is landed"),
        ({"flights": ["KW102"]}, "flights must go from MUC to AMS"),
        ({"flights": ["KW111"]}, "these go MUC-CPH"),
        ({"flights": ["KW111", "KW113"]}, "45 minutes to change planes, these leave 44"),
        ({"flights": ["KW103"]}, "has these flights already"),
        ({"flights": ["KW107"]}, "flight KW107 of 2025-09-15 has 1 free seats in economy, 2 are needed"),
        (
            {"payment_id": "amex-2222", "flights": ["KW105"]},
            "amex-2222 is not the customer's; these are: visa-1111, V-70001",
        ),
        ({"date": "soon", "flights": ["KW105"]}, "date must be written like 2025-09-10"),
        ({"direction": "sideways"}, "direction"),
        (
            {"direction": "return", "date": "2025-09-15", "flights": ["KW102"]},
            "date must be after the outbound flights",
        ),
        (
            {"direction": "return", "date": "2025-09-14", "flights": ["KW106"]},
            "date must be after the outbound flights",
        ),
    ],
)
def test_flights_that_cannot_be_had(change, said):
    assert said in refusal("change_flights", **{**OTHERS, "flights": ["KW105"], **change})


def test_there_is_before_back():
    late = {**LITTLE["flights"]["KW103/2025-09-15"], "date": "2025-09-17"}
    database = LITTLE.set("flights", "KW103/2025-09-17", late)
    asked = {**OTHERS, "date": "2025-09-17", "flights": ["KW103"]}
    assert "date must be before the return on 2025-09-17" in refusal("change_flights", database, **asked)
    one_way = {**LITTLE["bookings"]["AB2CDE"], "legs": LITTLE["bookings"]["AB2CDE"]["legs"][:1]}
    database = database.set("bookings", "AB2CDE", one_way)
    assert "has no flights of the direction return" in refusal(
        "change_flights", database, **{**asked, "direction": "return"}
    )
    assert called("change_flights", database, **asked)["bookings"]["AB2CDE"]["legs"][0]["date"] == "2025-09-17"


# ---- another cabin


def test_another_cabin_is_paid_at_todays_prices():
    after = called("change_cabin", booking_code="AB2CDE", cabin="premium", payment_id="visa-1111")
    # 2 * (180.50 - 90.10 + 180.50 - 70.40) = 401.00
    assert lines(after) == [("visa-1111", "401.00", "change of cabin")]
    assert (seats(after, "KW103/15"), seats(after, "KW103/15", "premium")) == (7, 0)
    assert after["bookings"]["AB2CDE"]["cabin"] == "premium"
    assert {leg["price"] for leg in after["bookings"]["AB2CDE"]["legs"]} == {"180.50"}


@pytest.mark.parametrize(
    "change, said",
    [
        ({"booking_code": "FG3HJK"}, "has departed"),
        ({"booking_code": "LM4NPR"}, "is cancelled"),
        ({"booking_code": "ST5UVW", "payment_id": "amex-2222"}, "flight KW109 of 2025-09-15 is cancelled"),
        ({"cabin": "economy"}, "is in economy already"),
        ({"cabin": "business"}, "has 0 free seats in business, 2 are needed"),
        ({"cabin": "first"}, "cabin"),
        ({"payment_id": "V-70001"}, "voucher V-70001 holds 50.00, 401.00 are needed; take a card"),
        ({"payment_id": "cash"}, "payment_id cash is not the customer's"),
    ],
)
def test_cabins_that_cannot_be_had(change, said):
    asked = {"booking_code": "AB2CDE", "cabin": "premium", "payment_id": "visa-1111"}
    assert said in refusal("change_cabin", **{**asked, **change})


# ---- bags


def test_bags_beyond_the_allowance_are_paid_by_card_or_voucher():
    after = called("add_bags", booking_code="AB2CDE", extra=1, payment_id="V-70001")
    assert lines(after) == [("V-70001", "34.85", "bags")] and after["bookings"]["AB2CDE"]["bags"] == 2
    assert after["vouchers"]["V-70001"]["balance"] == "15.15"


def test_bags_one_by_one_come_to_the_same_as_at_once():
    one = called("add_bags", booking_code="AB2CDE", extra=1, payment_id="visa-1111")
    two = called("add_bags", one, booking_code="AB2CDE", extra=1, payment_id="visa-1111")
    assert two == called("add_bags", booking_code="AB2CDE", extra=2, payment_id="visa-1111")
    assert lines(called("add_bags", one, booking_code="AB2CDE", extra=1, payment_id="V-70001")) == [
        ("visa-1111", "34.85", "bags"), ("V-70001", "34.85", "bags"),
    ]  # fmt: skip


def test_a_line_that_comes_to_nothing_goes():
    flexible = LITTLE.set("bookings", "AB2CDE", {**LITTLE["bookings"]["AB2CDE"], "fare": "flexible"})
    dear = called("change_flights", flexible, flights=["KW111", "KW115"], **OTHERS)
    assert lines(dear)[0][1] == "219.80"  # 2 * (200.00 - 90.10)
    cheap = {**LITTLE["flights"]["KW103/2025-09-15"], "prices": {"economy": "90.10"}}
    back = called("change_flights", dear.set("flights", "KW103/2025-09-15", cheap), flights=["KW103"], **OTHERS)
    assert lines(back) == []


def test_free_bags_leave_no_payment():
    gold = LITTLE.set("customers", "C-10001", {**LITTLE["customers"]["C-10001"], "tier": "gold"})
    after = called("add_bags", gold, booking_code="AB2CDE", extra=3, payment_id="visa-1111")  # 2 free for each of two
    assert lines(after) == [] and after["bookings"]["AB2CDE"]["bags"] == 4
    assert lines(called("add_bags", gold, booking_code="AB2CDE", extra=4, payment_id="visa-1111"))[0][1] == "34.85"


@pytest.mark.parametrize(
    "change, said",
    [
        ({"extra": 0}, "extra must be from 1 to 7: booking AB2CDE may hold 8 bags"),
        ({"extra": 8}, "extra must be from 1 to 7"),
        ({"extra": -1}, "extra must be from 1 to 7"),
        ({"booking_code": "FG3HJK"}, "has departed"),
        ({"booking_code": "LM4NPR"}, "is cancelled"),
        ({"extra": 2, "payment_id": "V-70001"}, "holds 50.00, 69.70 are needed"),
        ({"payment_id": "amex-2222"}, "is not the customer's"),
    ],
)
def test_bags_that_cannot_be_added(change, said):
    assert said in refusal("add_bags", **{"booking_code": "AB2CDE", "extra": 1, "payment_id": "visa-1111", **change})


# ---- names


def test_a_name_is_corrected_and_nothing_else():
    after = called(
        "correct_passenger_name", booking_code="AB2CDE", passenger="Ada Byorn", first_name="Ada", last_name="Byron"
    )
    assert [rules.full_name(row) for row in after["bookings"]["AB2CDE"]["passengers"]] == ["Ada Byron", "Bob Ode"]
    assert list(after.changes(LITTLE)) == ["bookings"]


@pytest.mark.parametrize(
    "change, said",
    [
        ({"passenger": "Ada Byron"}, "no passenger Ada Byron in booking AB2CDE: Ada Byorn, Bob Ode"),
        ({"first_name": ""}, "first_name must be a name of at most 40 letters, not ''"),
        ({"last_name": "Byr0n"}, "last_name must be a name"),
        ({"last_name": "x" * 41}, "last_name must be a name"),
        ({"first_name": "Bob", "last_name": "Ode"}, "has a passenger Bob Ode already"),
        ({"booking_code": "FG3HJK", "passenger": "Ada Byron"}, "has departed"),
    ],
)
def test_names_that_cannot_be_corrected(change, said):
    asked = {"booking_code": "AB2CDE", "passenger": "Ada Byorn", "first_name": "Ada", "last_name": "Byron"}
    assert said in refusal("correct_passenger_name", **{**asked, **change})


# ---- vouchers and colleagues


def test_a_voucher_is_the_customers_own_from_then_on():
    after = called("issue_voucher", booking_code="FG3HJK", amount="€ 60")
    assert after["vouchers"]["V-70002"] == {
        "voucher_id": "V-70002", "customer": "C-10001", "balance": "60.00", "booking_code": "FG3HJK",
    }  # fmt: skip
    assert after["customers"]["C-10001"]["vouchers"] == ["V-70001", "V-70002"]
    assert after["bookings"]["FG3HJK"]["compensation"] == "V-70002"
    assert "compensated already, with voucher V-70002" in refusal(
        "issue_voucher", after, booking_code="FG3HJK", amount="60.00"
    )
    assert called("issue_voucher", booking_code="FG3HJK", amount="60.0") == after  # written in another way


@pytest.mark.parametrize("amount", ["0", "-5", "2000.01", "sixty", "60.005", "1e2", "", "60,00", "٦٠"])
def test_amounts_that_are_none(amount):
    assert "amount must be from 0.01 to 2000.00 euros" in refusal("issue_voucher", booking_code="FG3HJK", amount=amount)


def test_a_customer_is_handed_over_once():
    after = called("transfer_to_human", customer_id="C-10001", topic="lost_baggage")
    assert after["handovers"]["C-10001"] == {"customer": "C-10001", "topic": "lost_baggage"}
    again = {"customer_id": "C-10001", "topic": "group_booking"}
    assert "has been handed over already" in refusal("transfer_to_human", after, **again)
    assert "topic" in refusal("transfer_to_human", customer_id="C-10001", topic="weather")
    assert "no customer C-9" in refusal("transfer_to_human", customer_id="C-9", topic="lost_baggage")
