"""The database of Kittiwake Air: its size, its references, its sums."""

import subprocess
import sys
from collections import Counter

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.domains.airline import AIRLINE, network, rules

BASE = AIRLINE.database
DIGEST = "dc9ab4a807f27dbef5ed497293ebb04c"


def test_database_is_the_same_everywhere():
    assert BASE.digest == DIGEST
    script = "from agentgym.envs.customer_service.domains.airline import AIRLINE; print(AIRLINE.database.digest)"
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == DIGEST


def test_database_has_a_realistic_size():
    flights = BASE["flights"].values()
    assert len(BASE["customers"]) >= 500 and len(BASE["bookings"]) >= 1200 and len(flights) >= 2000
    assert len({row["flight"] for row in flights}) >= 100
    assert len({row["origin"] for row in flights}) >= 15
    assert {row["origin"] for row in flights} == set(network.CITIES)
    assert not BASE["handovers"] and len(BASE["vouchers"]) >= 100


def test_keys_are_those_of_their_records():
    for table, field in (("customers", "customer_id"), ("bookings", "booking_code"), ("vouchers", "voucher_id")):
        assert all(row[field] == key for key, row in BASE[table].items())
    assert all(f"{row['flight']}/{row['date']}" == key for key, row in BASE["flights"].items())


def test_every_reference_leads_somewhere():
    for code, booking in BASE["bookings"].items():
        assert code in BASE["customers"][booking["customer"]]["bookings"]
        cards = {card["payment_id"] for card in BASE["customers"][booking["customer"]]["cards"]}
        assert {row["payment_id"] for row in booking["payments"]} <= cards
        for leg in booking["legs"]:
            flight = rules.flight_of(BASE, leg)
            assert (flight["origin"], flight["destination"]) == (leg["origin"], leg["destination"])
    for key, customer in BASE["customers"].items():
        assert all(BASE["bookings"][code]["customer"] == key for code in customer["bookings"])
        assert all(BASE["vouchers"][name]["customer"] == key for name in customer["vouchers"])
    assert sum(len(row["bookings"]) for row in BASE["customers"].values()) == len(BASE["bookings"])


def test_payments_add_up_to_what_was_bought():
    for booking in BASE["bookings"].values():
        people, tier = len(booking["passengers"]), BASE["customers"][booking["customer"]]["tier"]
        total = sum(money.cents(leg["price"]) for leg in booking["legs"]) * people
        total += 3485 * max(0, booking["bags"] - rules.BAGS[tier][booking["cabin"]] * people)
        total += 1995 * people * booking["insurance"]
        assert sum(rules.paid(booking).values()) == (total if booking["status"] == "active" else 0)


def test_trips_can_be_flown():
    for booking in BASE["bookings"].values():
        there, back = (rules.legs_of(booking, way) for way in ("outbound", "return"))
        assert booking["legs"] == there + back and there
        assert not back or there[-1]["date"] < back[0]["date"]
        for legs in (there, back):
            for first, second in zip(legs, legs[1:], strict=False):
                assert (first["destination"], first["date"]) == (second["origin"], second["date"])
                lands, leaves = (rules.flight_of(BASE, leg) for leg in (first, second))
                assert rules.minutes(leaves["departs"]) - rules.minutes(lands["arrives"]) >= rules.CONNECTION
        assert booking["booked_at"] <= AIRLINE.clock
        assert booking["booked_at"][:10] <= there[0]["date"]


def test_what_the_clock_has_passed_has_flown():
    counts = Counter()
    for row in BASE["flights"].values():
        departed = f"{row['date']} {row['departs']}:00" <= AIRLINE.clock
        counts[departed, row["status"]] += 1
        if row["status"] in ("landed", "departed"):
            assert departed
        if row["status"] == "scheduled":
            assert not departed and row["delay_minutes"] == 0
    assert {status for passed, status in counts if passed} == {"landed", "departed", "delayed", "cancelled"}
    assert {status for passed, status in counts if not passed} == {"scheduled", "cancelled"}


def test_customers_can_be_told_apart():
    customers = BASE["customers"].values()
    for who in (lambda row: row["email"], rules.full_name):
        assert max(Counter(map(who, customers)).values()) == 1
    for customer in customers:
        brands = [card["brand"] for card in customer["cards"]]
        assert len(brands) == len(set(brands)) >= 1  # "my Visa" is one card
    assert {row["tier"] for row in customers} == set(rules.TIERS)


def test_amounts_are_texts_with_two_decimals():
    assert [money.text(value) for value in (0, 5, 12450, -5, -12450)] == ["0.00", "0.05", "124.50", "-0.05", "-124.50"]
    for value in (0, 5, 99, 12450, -5, -12450):
        assert money.cents(money.text(value)) == value
