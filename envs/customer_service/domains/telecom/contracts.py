"""The agent's tools that change lines and take payments.

Each checks all that can be checked before it writes; whether the customer said yes is beyond them.
"""

# ruff: noqa: D417 - the desk is no argument of the tool, so its docstring does not list it

from __future__ import annotations

from typing import Any, Literal

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.domain import Desk, Domain, Refused, serves
from agentgym.envs.customer_service.domains.telecom.accounts import bills_of
from agentgym.envs.customer_service.domains.telecom.device import pay
from agentgym.envs.customer_service.domains.telecom.plans import MOST_EXTRA_GB, PACKS
from agentgym.envs.customer_service.domains.telecom.rows import months_later


class Contracts(Domain):
    """Payments and changes of contract."""

    @serves("write")
    def charge_card(self, desk: Desk, *, bill_id: str) -> Any:
        """Pay a bill in full with the card on file.

        Args:
            bill_id: such as HB3100000.
        """
        bill = _unpaid(desk, bill_id)
        card = desk.database["customers"][bill["customer"]]["card"]
        if card["valid_until"] < desk.clock[:7]:
            until = card["valid_until"]
            raise Refused(f"the card on file was valid until {until}: send a payment request for bill {bill_id}")
        return pay(desk, bill_id)

    @serves("write")
    def send_payment_request(self, desk: Desk, *, bill_id: str) -> Any:
        """Send a request for a bill to the customer's phone, who pays it there; one request at a time.

        Args:
            bill_id: such as HB3100000.
        """
        bill = _unpaid(desk, bill_id)
        waiting = desk.database["customers"][bill["customer"]]["payment_request"]
        if waiting is not None:
            raise Refused(f"a payment request for bill {waiting} still waits for the customer")
        desk.change("customers", bill["customer"], payment_request=bill_id)
        return {"sent_for": bill_id, "amount": bill["total"]}

    @serves("write")
    def suspend_line(self, desk: Desk, *, line_id: str) -> Any:
        """Suspend an active line at the customer's wish, such as when the phone is lost.

        Args:
            line_id: such as HL204000.
        """
        _active(desk, line_id)
        return desk.change("lines", line_id, status="suspended", status_reason="wish of the customer")

    @serves("write")
    def resume_line(self, desk: Desk, *, line_id: str) -> Any:
        """Make a suspended line active again; its overdue bills must be paid.

        Args:
            line_id: such as HL204000.
        """
        line = desk.find("lines", line_id, "line")
        if line["status"] == "barred":
            raise Refused(f"line {line_id} is barred: only the fraud team can lift that, see transfer_to_human")
        if line["status"] != "suspended":
            raise Refused(f"line {line_id} is {line['status']}, only a suspended line can be resumed")
        _nothing_overdue(desk, line_id)
        return desk.change("lines", line_id, status="active", status_reason="")

    @serves("write")
    def change_plan(self, desk: Desk, *, line_id: str, plan_id: str) -> Any:
        """Put an active line on another plan that is on sale; its minimum term begins anew.

        Args:
            line_id: such as HL204000.
            plan_id: such as willow-20.
        """
        line = _active(desk, line_id)
        plan = desk.find("plans", plan_id, "plan")
        if not plan["on_sale"]:
            raise Refused(f"plan {plan_id} is not on sale any more: see list_plans")
        if plan_id == line["plan_id"]:
            raise Refused(f"line {line_id} is on plan {plan_id} already")
        until = line["minimum_term_until"]
        price = desk.database["plans"][line["plan_id"]]["monthly_price"]
        if until is not None and until > desk.clock[:10] and money.cents(plan["monthly_price"]) < money.cents(price):
            raise Refused(f"line {line_id} has a minimum term until {until}: no plan below {price} before that day")
        _nothing_overdue(desk, line_id)
        months = plan["minimum_term_months"]
        ends = months_later(desk.clock[:10], months) if months else None
        roams = line["roaming_allowed"] and plan["roaming"] != "none"
        return desk.change("lines", line_id, plan_id=plan_id, minimum_term_until=ends, roaming_allowed=roams)

    @serves("write")
    def add_data(self, desk: Desk, *, line_id: str, pack_gb: int) -> Any:
        """Add a pack of data to an active line for this month; its price goes on the next bill.

        Args:
            line_id: such as HL204000.
            pack_gb: 1, 3, 5 or 10 gigabytes.
        """
        line = _active(desk, line_id)
        if pack_gb not in PACKS:
            raise Refused(f"pack_gb: there is no pack of {pack_gb} GB; there are {', '.join(map(str, PACKS))}")
        extra = line["extra_gb"] + pack_gb
        if extra > MOST_EXTRA_GB:
            rest = MOST_EXTRA_GB - line["extra_gb"]
            raise Refused(f"pack_gb: a line may have {MOST_EXTRA_GB} GB of extra data a month, {rest} GB are left")
        _nothing_overdue(desk, line_id)
        extras = [*line["next_bill_extras"], {"what": f"{pack_gb} GB of extra data", "amount": PACKS[pack_gb]}]
        return desk.change("lines", line_id, extra_gb=extra, next_bill_extras=extras)

    @serves("write")
    def allow_roaming(self, desk: Desk, *, line_id: str) -> Any:
        """Allow an active line to roam, where its plan includes that.

        Args:
            line_id: such as HL204000.
        """
        line = _active(desk, line_id)
        if desk.database["plans"][line["plan_id"]]["roaming"] == "none":
            raise Refused(f"line {line_id} is on plan {line['plan_id']}, which has no roaming: change the plan first")
        if line["roaming_allowed"]:
            raise Refused(f"line {line_id} may roam already")
        return desk.change("lines", line_id, roaming_allowed=True)

    @serves("write")
    def transfer_to_human(
        self, desk: Desk, *, customer_id: str, topic: Literal["barred line", "port a number", "change of holder"]
    ) -> Any:
        """Hand a customer's matter over to a colleague, who calls back within a day.

        Args:
            customer_id: such as HC10400.
            topic: what it is about.
        """
        desk.find("customers", customer_id, "customer")
        key = f"{customer_id}: {topic}"
        if key in desk.database["tickets"]:
            raise Refused(f"the matter {topic!r} of customer {customer_id} was handed over already")
        ticket = {"customer": customer_id, "topic": topic, "opened": desk.clock[:10]}
        desk.set("tickets", key, ticket)
        return ticket


def _unpaid(desk: Desk, bill_id: str) -> Record:
    bill = desk.find("bills", bill_id, "bill")
    if bill["status"] == "paid":
        raise Refused(f"bill {bill_id} was paid on {bill['paid_on']}")
    return bill


def _active(desk: Desk, line_id: str) -> Record:
    line = desk.find("lines", line_id, "line")
    if line["status"] != "active":
        raise Refused(f"line {line_id} is {line['status']}, this needs an active line")
    return line


def _nothing_overdue(desk: Desk, line_id: str) -> None:
    late = [bill["bill_id"] for bill in bills_of(desk.database, line_id) if bill["status"] == "overdue"]
    if late:
        raise Refused(f"line {line_id} has overdue bills, to be paid first: {', '.join(late)}")
