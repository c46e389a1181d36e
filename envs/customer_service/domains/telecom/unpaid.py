"""Families about lines that are suspended or barred, and about bills."""

from __future__ import annotations

from agentgym.envs.customer_service import money
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domains.telecom.scenes import Scene, errand, question, scene, total
from agentgym.envs.customer_service.sheet import Call, Goal, Sheet, Tell
from agentgym.rng import TurnRng


def suspended(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """No service: the line is suspended for an overdue bill; it is paid, and the line resumed."""
    found = scene(database, customer, rng, in_phone=True)
    if found.line["status"] != "suspended" or not found.overdue or not found.served:
        return None
    return found.sheet("suspended", _settle(found, "no_service"), question(found), airplane_mode=False)


def claims_paid(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """The customer says that the overdue bill was paid and wants the line back; it was not, so it is paid now."""
    found = scene(database, customer, rng)
    if found.line["status"] != "suspended" or not found.overdue:
        return None
    reads = (found.on_line("get_line"), found.on_line("get_bills"))
    goal = Goal(
        "resume_unpaid",
        reads=reads,
        reason="unpaid_bill",
        insist=1 + rng.integers(2),
        fallback=_settle(found, "settle"),
    )
    return found.sheet("claims_paid", goal)


def barred(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """No service: the line is barred, which only the fraud team can lift; hand over."""
    found = scene(database, customer, rng, in_phone=True)
    if found.line["status"] != "barred" or not found.served:
        return None
    gold = (Call("transfer_to_human", {"customer_id": customer, "topic": "barred line"}),)
    reads = (found.on_line("get_line"), found.on_phone("look_at_status_bar"))
    goal = Goal("no_service_barred", gold=gold, reads=reads)
    return found.sheet("barred", goal, question(found), airplane_mode=False)


def for_a_colleague(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """A number is to be ported, or the line to get another holder: handed over, nothing else."""
    found = scene(database, customer, rng)
    if found.line["status"] != "active":
        return None
    intent, topic = rng.choice((("port_number", "port a number"), ("change_holder", "change of holder")))
    gold = (Call("transfer_to_human", {"customer_id": customer, "topic": topic}),)
    goal = Goal(intent, gold=gold, reads=(found.on_line("get_line"),))
    return found.sheet("for_a_colleague", goal, errand(found))


def bill_question(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """Why the last bill is higher than the one before: by how much, and what it is for; or what is unpaid in all."""
    found = scene(database, customer, rng)
    before, last = found.bills[-2:]
    reads = (found.on_line("get_bills"),)
    more = money.cents(last["total"]) - money.cents(before["total"])
    unpaid = [bill for bill in found.bills if bill["status"] != "paid"]
    goals = []
    if more > 0 and len(last["items"]) == 2:
        item = last["items"][1]
        extra = money.text(more)
        tells = [Tell("difference", extra), Tell("item", item["amount"])][: 1 + (item["amount"] != extra)]
        goals.append(Goal("bill_higher", reads=reads, tells=tuple(tells)))
    if len(unpaid) > 1:
        goals.append(Goal("ask_unpaid", reads=reads, tells=(Tell("unpaid_total", total(unpaid)),)))
    if not goals:
        return None
    return found.sheet("bill_question", *goals, question(found, "bill"))


def pay_open_bill(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
    """The latest bill is to be paid now, with the card on file or by a payment request."""
    found = scene(database, customer, rng)
    bill = found.bills[-1]
    if bill["status"] != "open" or found.overdue:
        return None
    payment = _payment(found, bill["bill_id"])
    intent = "pay_bill" if found.card_valid else "pay_bill_request"
    goal = Goal(intent, {"amount": bill["total"]}, gold=payment, reads=(found.on_line("get_bills"),))
    return found.sheet("pay_open_bill", goal, question(found, "bill"))


def _settle(scene: Scene, intent: str) -> Goal:
    """Return the goal of paying what is overdue and resuming the line; its intent says how it is paid."""
    gold = [call for bill in scene.overdue for call in _payment(scene, bill["bill_id"])]
    gold.append(scene.on_line("resume_line"))
    facts = {"amount": total(scene.overdue)}
    reads = (scene.on_line("get_line"), scene.on_line("get_bills"))
    return Goal(f"{intent}_card" if scene.card_valid else f"{intent}_request", facts, gold=tuple(gold), reads=reads)


def _payment(scene: Scene, bill: str) -> tuple[Call, ...]:
    if scene.card_valid:
        return (Call("charge_card", {"bill_id": bill}),)
    return Call("send_payment_request", {"bill_id": bill}), scene.on_phone("pay_request")
