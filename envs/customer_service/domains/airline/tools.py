"""The tools of Kittiwake Air that read; those that write are in `writes`."""

# ruff: noqa: D417 - the desk is no argument of the tool, so its docstring does not list it

from __future__ import annotations

import re
from typing import Any, ClassVar

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domain import Desk, Domain, Refused, serves
from agentgym.envs.customer_service.domains.airline import network
from agentgym.envs.customer_service.domains.airline.arithmetic import value
from agentgym.envs.customer_service.domains.airline.rules import as_option, connections, direct, full_name

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def day_of(date: str, desk: Desk) -> str:
    """Return a date of the timetable; Refused where it is none."""
    days = network.days()
    if not _DAY.fullmatch(date):
        raise Refused(f"date must be written like {desk.clock[:10]}, not {date[:20]!r}")
    if date not in days:
        raise Refused(f"date {date} is not in the timetable, which runs from {days[0]} to {days[-1]}")
    return date


def city_of(code: str, name: str) -> str:
    """Return a city's code; Refused where none of ours, naming the argument."""
    if code not in network.CITIES:
        raise Refused(f"{name} must be the code of one of our cities, see list_cities, not {code[:20]!r}")
    return code


class Reading(Domain):
    """Looking things up."""

    customers: ClassVar[str] = "customers"

    @serves("read")
    def find_customer_by_email(self, desk: Desk, *, email: str) -> str:
        """Find a customer by e-mail address; answers the customer id.

        Args:
            email: the address in the customer's profile.
        """
        found = desk.database.index("airline emails", _by_email).get(email.strip().lower())
        if found is None:
            raise Refused(f"there is no customer with the email {email[:60]}")
        return found

    @serves("read")
    def find_customer_by_name(self, desk: Desk, *, name: str, birth_date: str) -> str:
        """Find a customer by name and date of birth; answers the customer id.

        Args:
            name: first and last name as in the profile.
            birth_date: such as 1980-12-31.
        """
        who = " ".join(name.lower().split()), birth_date.strip()
        found = desk.database.index("airline names", _by_name).get(who)
        if found is None:
            raise Refused(f"there is no customer {name[:60]} born on {birth_date[:20]}")
        return found

    @serves("read")
    def get_customer(self, desk: Desk, *, customer_id: str) -> Record:
        """Show a customer: name, date of birth, tier, cards, vouchers with their balance, and booking codes.

        Args:
            customer_id: such as C-12345.
        """
        customer = desk.find("customers", customer_id, "customer")
        vouchers = [desk.database["vouchers"][name] for name in customer["vouchers"]]
        return {**customer, "vouchers": [{name: row[name] for name in ("voucher_id", "balance")} for row in vouchers]}

    @serves("read")
    def get_booking(self, desk: Desk, *, booking_code: str) -> Record:
        """Show a booking: passengers, flights with the price paid for each passenger, bags, insurance and payments.

        Args:
            booking_code: such as AB2CDE.
        """
        return desk.find("bookings", booking_code, "booking")

    @serves("read")
    def flight_status(self, desk: Desk, *, flight: str, date: str) -> Record:
        """Show one flight of one day: times, status, delay in minutes, free seats and today's prices for a passenger.

        Args:
            flight: the flight number, such as KW101.
            date: such as 2025-09-10.
        """
        return desk.find("flights", f"{flight}/{day_of(date, desk)}", "flight")

    @serves("read")
    def search_flights(
        self, desk: Desk, *, origin: str, destination: str, date: str, one_stop: bool = False
    ) -> list[dict[str, Any]]:
        """Search the flights of a day that can still be booked, with free seats and today's prices for a passenger.

        Args:
            origin: code of a city, such as MUC.
            destination: code of a city.
            date: such as 2025-09-10.
            one_stop: whether to show connections with one stop instead of direct flights.
        """
        way = city_of(origin, "origin"), city_of(destination, "destination"), day_of(date, desk)
        routes, flights = direct(desk.database), desk.database["flights"]
        keys = connections(routes, flights, way) if one_stop else [(key,) for key in routes.get(way, ())]
        options = [[flights[key] for key in option] for option in keys]
        return [as_option(rows) for rows in options if all(row["status"] in ("scheduled", "delayed") for row in rows)]

    @serves("read")
    def list_cities(self, desk: Desk) -> dict[str, str]:
        """List the cities that Kittiwake Air flies to, by code."""
        return network.CITIES

    @serves("generic")
    def calculate(self, desk: Desk, *, expression: str) -> str:
        """Calculate with numbers.

        Args:
            expression: numbers, + - * / and parentheses, such as 2 * (84.30 + 12.5).
        """
        try:
            return value(expression)
        except ValueError as error:
            raise Refused(f"expression: {error}") from None


def _by_email(base: Database) -> dict[str, str]:
    return {row["email"]: key for key, row in base["customers"].items()}


def _by_name(base: Database) -> dict[tuple[str, str], str]:
    return {(full_name(row).lower(), row["birth_date"]): key for key, row in base["customers"].items()}
