"""The tools of Kittiwake Air that write: they check what a booking system can check, and write all or nothing.

What only policy knows (is this refund due? is this the same person?) they do not check: that is the agent's part.
"""

# ruff: noqa: D417 - the desk is no argument of the tool, so its docstring does not list it

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.domain import Desk, Refused, serves
from agentgym.envs.customer_service.domains.airline import rules
from agentgym.envs.customer_service.domains.airline.network import CLOCK
from agentgym.envs.customer_service.domains.airline.rows import voucher_id
from agentgym.envs.customer_service.domains.airline.tools import Reading, day_of

_NAME = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+)*")
MOST_VOUCHER: Final = 2000_00


def active(desk: Desk, booking_code: str) -> Record:
    """Return a booking that is not cancelled; Refused otherwise."""
    booking = desk.find("bookings", booking_code, "booking")
    if booking["status"] != "active":
        raise Refused(f"booking {booking_code} is {booking['status']}; only an active one can be changed")
    return booking


def unflown(desk: Desk, booking: Record, legs: Iterable[Record]) -> None:
    """Refused where one of the legs has departed."""
    for leg in legs:
        if rules.has_left(rules.flight_of(desk.database, leg)):
            raise Refused(
                f"flight {leg['flight']} of {leg['date']} in booking {booking['booking_code']} has departed; "
                "only flights that have not can be changed or cancelled"
            )


def seat(desk: Desk, key: str, cabin: str, count: int) -> None:
    """Take seats on a flight, or give some back where `count` is negative; Refused where too few are free."""
    flight = desk.database["flights"][key]
    left = flight["seats"][cabin] - count
    if left < 0:
        raise Refused(
            f"flight {flight['flight']} of {flight['date']} has {flight['seats'][cabin]} free seats in {cabin}, "
            f"{count} are needed"
        )
    desk.change("flights", key, seats={**flight["seats"], cabin: left})


def pay(desk: Desk, booking: Record, payment_id: str, amount: int, what: str) -> list[Record]:
    """Charge a method of the customer, or pay back where `amount` is negative, and return the booking's payments.

    What a method pays for one purpose is one line, however many calls it took.
    """
    customer = desk.database["customers"][booking["customer"]]
    cards = [card["payment_id"] for card in customer["cards"]]
    if payment_id not in cards and payment_id not in customer["vouchers"]:
        allowed = ", ".join((*cards, *customer["vouchers"]))
        raise Refused(f"payment_id {payment_id[:30]} is not the customer's; these are: {allowed}")
    if payment_id not in cards and amount:
        balance = money.cents(desk.database["vouchers"][payment_id]["balance"])
        if balance < amount:
            raise Refused(
                f"voucher {payment_id} holds {money.text(balance)}, {money.text(amount)} are needed; take a card"
            )
        desk.change("vouchers", payment_id, balance=money.text(balance - amount))
    lines: list[Record] = list(booking["payments"])
    if not amount:
        return lines
    at = next((n for n, row in enumerate(lines) if (row["payment_id"], row["for"]) == (payment_id, what)), len(lines))
    total = amount + sum(money.cents(row["amount"]) for row in lines[at : at + 1])
    lines[at : at + 1] = [{"payment_id": payment_id, "amount": money.text(total), "for": what}] if total else []
    return lines


class Writing(Reading):
    """Changing bookings."""

    @serves("write")
    def cancel_booking(self, desk: Desk, *, booking_code: str) -> dict[str, Any]:
        """Cancel a whole booking none of whose flights has departed, and refund it to the methods that paid.

        Args:
            booking_code: such as AB2CDE.
        """
        booking = active(desk, booking_code)
        unflown(desk, booking, booking["legs"])
        refunds = rules.refunds(desk.database, booking, desk.clock)
        for leg in booking["legs"]:
            seat(desk, f"{leg['flight']}/{leg['date']}", booking["cabin"], -len(booking["passengers"]))
        payments = booking["payments"]
        for method, amount in refunds.items():
            payments = pay(desk, {**booking, "payments": payments}, method, -amount, "cancellation")
        desk.change("bookings", booking_code, status="cancelled", payments=payments)
        back = {method: money.text(amount) for method, amount in refunds.items()}
        return {"booking_code": booking_code, "status": "cancelled", "refunded": back}

    @serves("write")
    def change_flights(
        self,
        desk: Desk,
        *,
        booking_code: str,
        direction: Literal["outbound", "return"],
        date: str,
        flights: list[str],
        payment_id: str,
    ) -> dict[str, Any]:
        """Put other flights of one day in the place of all flights of one direction, for all passengers.

        Args:
            booking_code: such as AB2CDE.
            direction: which flights to replace.
            date: the day of the new flights, such as 2025-09-10.
            flights: the new flight numbers, one or two, in the order in which they are flown.
            payment_id: the card or voucher that pays the difference, or gets it back.
        """
        booking = active(desk, booking_code)
        old = rules.legs_of(booking, direction)
        if not old:
            raise Refused(f"booking {booking_code} has no flights of the direction {direction}")
        unflown(desk, booking, old)
        chosen = [desk.find("flights", f"{number}/{day_of(date, desk)}", "flight") for number in flights]
        _check_way(booking, direction, old, chosen)
        count, cabin = len(booking["passengers"]), booking["cabin"]
        price = rules.change_price(booking, direction, chosen)
        kept = {(leg["flight"], leg["date"]): leg["price"] for leg in old}
        for leg in old:
            seat(desk, f"{leg['flight']}/{leg['date']}", cabin, -count)
        for row in chosen:
            seat(desk, f"{row['flight']}/{row['date']}", cabin, count)
        new = [_leg(direction, row, kept.get((row["flight"], row["date"]), row["prices"][cabin])) for row in chosen]
        others = [leg for leg in booking["legs"] if leg["direction"] != direction]
        legs = new + others if direction == "outbound" else others + new
        payments = pay(desk, booking, payment_id, price, "change of flights")
        desk.change("bookings", booking_code, legs=legs, payments=payments)
        return {"booking_code": booking_code, "flights": flights, "date": date, "charged": money.text(price)}

    @serves("write")
    def change_cabin(
        self, desk: Desk, *, booking_code: str, cabin: Literal["economy", "premium", "business"], payment_id: str
    ) -> dict[str, Any]:
        """Move all passengers on all flights of a booking, none of which has departed, to another cabin.

        Args:
            booking_code: such as AB2CDE.
            cabin: the new cabin.
            payment_id: the card or voucher that pays the difference, or gets it back.
        """
        booking = active(desk, booking_code)
        unflown(desk, booking, booking["legs"])
        if booking["cabin"] == cabin:
            raise Refused(f"booking {booking_code} is in {cabin} already")
        count, price = len(booking["passengers"]), rules.cabin_price(desk.database, booking, cabin)
        legs = []
        for leg in booking["legs"]:
            flight = rules.flight_of(desk.database, leg)
            _check_open(flight)
            seat(desk, f"{leg['flight']}/{leg['date']}", booking["cabin"], -count)
            seat(desk, f"{leg['flight']}/{leg['date']}", cabin, count)
            legs.append({**leg, "price": flight["prices"][cabin]})
        payments = pay(desk, booking, payment_id, price, "change of cabin")
        desk.change("bookings", booking_code, cabin=cabin, legs=legs, payments=payments)
        return {"booking_code": booking_code, "cabin": cabin, "charged": money.text(price)}

    @serves("write")
    def add_bags(self, desk: Desk, *, booking_code: str, extra: int, payment_id: str) -> dict[str, Any]:
        """Add checked bags to a booking; those beyond the free allowance are charged.

        Args:
            booking_code: such as AB2CDE.
            extra: how many bags more, for all passengers together.
            payment_id: the card or voucher that pays, where there is something to pay.
        """
        booking = active(desk, booking_code)
        unflown(desk, booking, booking["legs"])
        most = rules.MOST_BAGS * len(booking["passengers"])
        if not 1 <= extra <= most - booking["bags"]:
            raise Refused(
                f"extra must be from 1 to {most - booking['bags']}: booking {booking_code} may hold {most} bags"
            )
        tier = desk.database["customers"][booking["customer"]]["tier"]
        price = rules.bag_price(booking, tier, extra)
        payments = pay(desk, booking, payment_id, price, "bags")
        desk.change("bookings", booking_code, bags=booking["bags"] + extra, payments=payments)
        return {"booking_code": booking_code, "bags": booking["bags"] + extra, "charged": money.text(price)}

    @serves("write")
    def correct_passenger_name(
        self, desk: Desk, *, booking_code: str, passenger: str, first_name: str, last_name: str
    ) -> dict[str, Any]:
        """Correct the name of a passenger of a booking.

        Args:
            booking_code: such as AB2CDE.
            passenger: first and last name as the booking has them.
            first_name: the right first name.
            last_name: the right last name.
        """
        booking = active(desk, booking_code)
        unflown(desk, booking, booking["legs"])
        names = [rules.full_name(row) for row in booking["passengers"]]
        if passenger not in names:
            raise Refused(f"there is no passenger {passenger[:60]} in booking {booking_code}: {', '.join(names)}")
        for name, text in (("first_name", first_name), ("last_name", last_name)):
            if not _NAME.fullmatch(text) or len(text) > 40:
                raise Refused(f"{name} must be a name of at most 40 letters, not {text[:40]!r}")
        new, at = f"{first_name} {last_name}", names.index(passenger)
        if new in names:
            raise Refused(f"booking {booking_code} has a passenger {new} already")
        passengers = list(booking["passengers"])
        passengers[at] = {**passengers[at], "first_name": first_name, "last_name": last_name}
        desk.change("bookings", booking_code, passengers=passengers)
        return {"booking_code": booking_code, "passengers": [rules.full_name(row) for row in passengers]}

    @serves("write")
    def issue_voucher(self, desk: Desk, *, booking_code: str, amount: str) -> dict[str, Any]:
        """Give the customer of a booking a voucher as compensation, once for a booking.

        Args:
            booking_code: such as AB2CDE.
            amount: in euros, such as 120.00.
        """
        booking = desk.find("bookings", booking_code, "booking")
        worth = rules.amount(amount)
        if not 0 < worth <= MOST_VOUCHER:
            raise Refused(f"amount must be from 0.01 to {money.text(MOST_VOUCHER)} euros, not {amount[:20]!r}")
        if booking.get("compensation"):
            raise Refused(
                f"booking {booking_code} has been compensated already, with voucher {booking['compensation']}"
            )
        name, owner = voucher_id(desk.database), booking["customer"]
        row = {"voucher_id": name, "customer": owner, "balance": money.text(worth), "booking_code": booking_code}
        desk.set("vouchers", name, row)
        desk.change("bookings", booking_code, compensation=name)
        desk.change("customers", owner, vouchers=[*desk.database["customers"][owner]["vouchers"], name])
        return {"voucher_id": name, "balance": money.text(worth)}

    @serves("write")
    def transfer_to_human(
        self, desk: Desk, *, customer_id: str, topic: Literal["lost_baggage", "special_assistance", "group_booking"]
    ) -> str:
        """Hand a customer over to a colleague, for what the tools cannot do.

        Args:
            customer_id: such as C-12345.
            topic: which desk is to take over.
        """
        desk.find("customers", customer_id, "customer")
        if customer_id in desk.database["handovers"]:
            raise Refused(f"customer {customer_id} has been handed over already")
        desk.set("handovers", customer_id, {"customer": customer_id, "topic": topic})
        return "A colleague will call the customer back within the hour."


def _leg(direction: str, row: Record, price: str) -> Record:
    shown = {name: row[name] for name in ("flight", "date", "origin", "destination")}
    return {"direction": direction, **shown, "price": price}


def _check_open(row: Record) -> None:
    if row["status"] not in ("scheduled", "delayed"):
        raise Refused(f"flight {row['flight']} of {row['date']} is {row['status']}; only one still to depart will do")


def _check_way(booking: Record, direction: str, old: Sequence[Record], chosen: Sequence[Record]) -> None:
    """Refused where the chosen flights do not go the same way, do not connect, or do not fit the other direction."""
    if not 1 <= len(chosen) <= 2:
        raise Refused(f"flights must name one or two flights, not {len(chosen)}")
    for row in chosen:
        _check_open(row)
    stops = [old[0]["origin"], *(row["origin"] for row in chosen[1:]), old[-1]["destination"]]
    way = [chosen[0]["origin"], *(row["destination"] for row in chosen)]
    if way != stops:
        raise Refused(f"flights must go from {stops[0]} to {stops[-1]}, one after the other; these go {'-'.join(way)}")
    if len(chosen) == 2:
        gap = rules.minutes(chosen[1]["departs"]) - rules.minutes(chosen[0]["arrives"])
        if gap < rules.CONNECTION:
            raise Refused(f"flights must leave {rules.CONNECTION} minutes to change planes, these leave {gap}")
    if [(row["flight"], row["date"]) for row in chosen] == [(leg["flight"], leg["date"]) for leg in old]:
        raise Refused(f"booking {booking['booking_code']} has these flights already")
    there, back = rules.legs_of(booking, "outbound"), rules.legs_of(booking, "return")
    day = chosen[0]["date"]
    if direction == "outbound" and back and day >= back[0]["date"]:
        raise Refused(f"date must be before the return on {back[0]['date']}")
    if direction == "return" and day <= there[-1]["date"]:
        raise Refused(f"date must be after the outbound flights on {there[-1]['date']}")


class _Desk(Writing):
    """The tools alone, by which the families try their golds."""

    name = "airline"
    clock = CLOCK


DESK: Final = _Desk()
