"""The agent's tools that look things up."""

# ruff: noqa: D417 - the desk is no argument of the tool, so its docstring does not list it

from __future__ import annotations

from typing import Any

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domain import Desk, Domain, Refused, serves


class Accounts(Domain):
    """Finding customers, and reading what belongs to them."""

    @serves("read")
    def find_customer_by_phone(self, desk: Desk, *, phone: str, birth_date: str) -> Any:
        """Find a customer by the number of one of their lines, and check the date of birth.

        Args:
            phone: the number; blanks and dashes do not count.
            birth_date: YYYY-MM-DD.
        """
        numbers = desk.database.index("telecom: numbers", _by_number)
        key = numbers.get(_digits(phone))
        if key is None:
            raise Refused(f"phone: no line has the number {phone[:40]}")
        customer = desk.database["customers"][key]
        if customer["birth_date"] != birth_date:
            raise Refused(f"birth_date: {birth_date[:20]} is not that of the customer with this number")
        return customer

    @serves("read")
    def find_customer_by_name(self, desk: Desk, *, name: str, birth_date: str) -> Any:
        """Find a customer by full name and date of birth.

        Args:
            name: first and last name.
            birth_date: YYYY-MM-DD.
        """
        key = desk.database.index("telecom: names", _by_name).get((_plain(name), birth_date))
        if key is None:
            raise Refused(f"name, birth_date: no customer is called {name[:60]} and was born on {birth_date[:20]}")
        return desk.database["customers"][key]

    @serves("read")
    def get_customer(self, desk: Desk, *, customer_id: str) -> Any:
        """Read a customer's record: address, card on file, ids of the lines.

        Args:
            customer_id: such as HC10400.
        """
        return desk.find("customers", customer_id, "customer")

    @serves("read")
    def get_line(self, desk: Desk, *, line_id: str) -> Any:
        """Read a line: status, data used, extra data, minimum term, roaming, and the plan it is on.

        Args:
            line_id: such as HL204000.
        """
        line = desk.find("lines", line_id, "line")
        return {**line, "plan": desk.database["plans"][line["plan_id"]]}

    @serves("read")
    def get_bills(self, desk: Desk, *, line_id: str) -> Any:
        """Read the bills of a line, the oldest first.

        Args:
            line_id: such as HL204000.
        """
        desk.find("lines", line_id, "line")
        return bills_of(desk.database, line_id)

    @serves("read")
    def list_plans(self, desk: Desk) -> Any:
        """List the plans that are on sale, the cheapest first."""
        return [plan for plan in _plans(desk.database) if plan["on_sale"]]

    @serves("read")
    def get_plan(self, desk: Desk, *, plan_id: str) -> Any:
        """Read one plan, on sale or not.

        Args:
            plan_id: such as willow-20.
        """
        return desk.find("plans", plan_id, "plan")

    @serves("read")
    def get_outage(self, desk: Desk, *, area: str) -> Any:
        """Ask whether the network is down in an area, and until when.

        Args:
            area: as in the customer's record.
        """
        known = desk.database.index("telecom: areas", _areas)
        if area not in known:
            raise Refused(f"area: there is no area {area[:40]}")
        return desk.database["outages"].get(area) or {"area": area, "outage": None}


def bills_of(database: Database, line_id: str) -> list[Record]:
    """Return the bills of a line, the oldest first."""
    keys = database.index("telecom: bills", _by_line).get(line_id, [])
    return [database["bills"][key] for key in keys]


def _by_line(database: Database) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key in database.rows("bills"):
        found.setdefault(database["bills"][key]["line_id"], []).append(key)
    return found


def _by_number(database: Database) -> dict[str, str]:
    return {_digits(line["phone"]): line["customer"] for line in database["lines"].values()}


def _by_name(database: Database) -> dict[tuple[str, str], str]:
    customers = database["customers"].items()
    return {(_plain(customer["name"]), customer["birth_date"]): key for key, customer in customers}


def _areas(database: Database) -> frozenset[str]:
    return frozenset(customer["area"] for customer in database["customers"].values()) | set(database["outages"])


def _plans(database: Database) -> list[Record]:
    return sorted(database["plans"].values(), key=lambda plan: (float(plan["monthly_price"]), plan["plan_id"]))


def _digits(phone: str) -> str:
    return "".join(char for char in phone if char.isdecimal())


def _plain(name: str) -> str:
    return " ".join(name.lower().split())
