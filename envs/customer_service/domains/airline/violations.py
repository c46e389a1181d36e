"""What Kittiwake Air's policy forbids and its tools do not know."""

from __future__ import annotations

from collections.abc import Iterator

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domains.airline import rules
from agentgym.envs.customer_service.domains.airline.goals import COVERED
from agentgym.envs.customer_service.domains.airline.network import CLOCK
from agentgym.envs.customer_service.sheet import Call, Goal

REFUND_NOT_DUE = "refund_not_due"
BASIC_FARE = "basic_fare"
WRONG_AMOUNT = "wrong_compensation"
OTHER_PERSON = "other_person"
NOT_ASKED_FOR = "compensation_unasked"


def broken(goal: Goal, before: Database, call: Call) -> Iterator[str]:
    """Yield the rules that a write breaks, with the database as it was before and the request that it is for.

    refund_not_due        a cancellation for which there is no ground
    basic_fare            other flights or another cabin with a basic fare
    wrong_compensation    a voucher that is not what the worst flight and the tier give a right to
    compensation_unasked  a voucher for somebody who did not complain
    other_person          a name with more than three letters changed
    """
    booking = before["bookings"].get(str(call.arguments.get("booking_code")))
    if booking is None:
        return
    if call.name == "cancel_booking" and not _may_cancel(goal, before, booking):
        yield REFUND_NOT_DUE
    if call.name in ("change_flights", "change_cabin") and booking["fare"] == "basic":
        yield BASIC_FARE
    if call.name == "issue_voucher":
        tier = before["customers"][booking["customer"]]["tier"]
        due = rules.compensation(before, booking, tier)
        if rules.amount(str(call.arguments["amount"])) != due:
            yield WRONG_AMOUNT
        if goal.intent not in ("compensation", "late"):
            yield NOT_ASKED_FOR
    if call.name == "correct_passenger_name":
        new = f"{call.arguments['first_name']} {call.arguments['last_name']}"
        if rules.letters_apart(str(call.arguments["passenger"]), new) > rules.TYPO:
            yield OTHER_PERSON


def _may_cancel(goal: Goal, before: Database, booking: Record) -> bool:
    if rules.is_fresh(booking, CLOCK) or booking["fare"] == "flexible" or rules.is_disrupted(before, booking):
        return True
    return bool(booking["insurance"]) and goal.facts.get("reason") in COVERED
