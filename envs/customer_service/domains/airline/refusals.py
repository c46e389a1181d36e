"""Scenario families with a request that policy forbids: the agent has to see it in the records, and say why.

Nearly every such talk has a second request that can be served, before or after the forbidden one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agentgym.envs.customer_service.database import Record
from agentgym.envs.customer_service.domains.airline import goals, people, rules
from agentgym.envs.customer_service.domains.airline.families import ERRANDS, QUESTIONS, Maker, about, family
from agentgym.envs.customer_service.domains.airline.story import Fits, Story, is_over, pushing
from agentgym.envs.customer_service.sheet import Call, Goal, Sheet


def refused(story: Story, goal: Goal | None, name: str) -> Sheet | None:
    """Return the sheet of a forbidden goal and of another one that is served."""
    if goal is None or not story.add(pushing(goal, story.rng)):
        return None
    return story.sheet(name, shuffle=True) if story.add(about(story, QUESTIONS + ERRANDS)) else None


def _binding(booking: Record) -> bool:
    """Whether no cancellation is possible but by the insurance."""
    return is_over(booking) and booking["fare"] != "flexible"


def _cancel(story: Story, fits: Fits, why: tuple[str, ...], intent: str, reason: str) -> Goal | None:
    booking = story.booking(lambda row: story.is_ahead(row) and _binding(row) and fits(row))
    if booking is None:
        return None
    claimed = goals.insurance(intent == "cancel_insured")
    facts = {**story.trip(booking), "reason": story.rng.choice(why), "insurance": claimed}
    return Goal(intent, facts, goals.TRIP, reads=story.look(booking), reason=reason)


def _cancel_too_late(story: Story) -> Sheet | None:
    goal = _cancel(story, lambda row: not row["insurance"], goals.UNCOVERED, "cancel", "not_refundable")
    return refused(story, goal, "cancel_too_late")


def _cancel_not_insured(story: Story) -> Sheet | None:
    """The customer claims an insurance that the booking has not."""
    goal = _cancel(story, lambda row: not row["insurance"], goals.COVERED, "cancel_insured", "no_insurance")
    return refused(story, goal, "cancel_not_insured")


def _cancel_not_covered(story: Story) -> Sheet | None:
    """The booking is insured, but not against this."""
    goal = _cancel(story, lambda row: row["insurance"], goals.UNCOVERED, "cancel_insured", "not_covered")
    return refused(story, goal, "cancel_not_covered")


def _basic(make: Maker) -> Maker:
    """Return what a goal would be if the fare were another one, as a forbidden one."""

    def forbidden(story: Story, booking: Record) -> Goal | None:
        goal = make(story, {**booking, "fare": "standard"})
        if goal is None:
            return None
        facts = {fact: text for fact, text in goal.facts.items() if fact != "cost"}
        return Goal(goal.intent, facts, goal.opens, reads=story.look(booking), reason="basic_fare")

    return forbidden


def _basic_fare(story: Story) -> Sheet | None:
    booking = story.booking(lambda row: story.is_ahead(row) and row["fare"] == "basic")
    make = story.rng.choice([_basic(goals.change), _basic(goals.upgrade)])
    goal = make(story, booking) if booking else None
    if goal and story.rng.integers(2):
        instead = goals.bags(story, booking) if booking else None
        return refused(story, replace(goal, fallback=instead), "basic_fare") if instead else None
    return refused(story, goal, "basic_fare")


def _full_flight(story: Story) -> Sheet | None:
    """The wanted flight has no seat; the other one of the day has."""
    booking = story.booking(story.is_ahead)
    goal = goals.sold_out(story, booking) if booking else None
    return story.sheet("full_flight") if story.add(goal) else None


def _false_tier(story: Story) -> Sheet | None:
    """The customer claims a tier that would make the bags free, and pays in the end."""
    booking = story.booking(story.is_ahead)
    better = [tier for tier in rules.TIERS[1:] if rules.TIERS.index(tier) > rules.TIERS.index(story.tier)]
    paid = goals.bags(story, booking) if booking else None
    if booking is None or paid is None or not paid.tells or not better:
        return None
    claimed = story.rng.choice(better)
    if rules.bag_price(booking, claimed, int(paid.facts["bags"])):
        return None
    facts = {fact: text for fact, text in paid.facts.items() if fact not in ("payment", "cost", "tier")}
    who = story.customer["customer_id"]
    reads = (*story.look(booking), *_profile(who))
    return refused(
        story,
        Goal("free_bags", {**facts, "tier": claimed}, (*paid.opens, "tier"), reads=reads, reason="wrong_tier",
             fallback=paid),
        "false_tier",
    )  # fmt: skip


def _profile(customer_id: str) -> tuple[Call, ...]:
    return (Call("get_customer", {"customer_id": customer_id}),)


def _other_passenger(story: Story) -> Sheet | None:
    """Somebody else is to fly on a ticket, openly or as a typing error."""
    booking = story.booking(story.is_ahead)
    if booking is None:
        return None
    rng = story.rng
    passenger = rules.full_name(rng.choice(booking["passengers"]))
    new = f"{rng.choice(people.FIRST)} {rng.choice(people.LAST)}"
    if rules.letters_apart(passenger, new) <= rules.TYPO + 3:
        return None
    facts = {**story.trip(booking), "passenger": passenger, "new_name": new}
    intent = rng.choice(("give_ticket", "fix_name"))
    goal = Goal(intent, facts, goals.TRIP, reads=story.look(booking), reason="other_person")
    return refused(story, goal, "other_passenger")


def _no_delay(story: Story) -> Sheet | None:
    """The customer claims a long delay of a flight that was on time, or nearly."""

    def fits(row: Record) -> bool:
        flights = [rules.flight_of(story.database, leg) for leg in row["legs"]]
        return flights[0]["status"] == "landed" and rules.worst(story.database, row)[0] == "none"

    booking = story.booking(fits)
    if booking is None:
        return None
    flown = [leg for leg in booking["legs"] if rules.has_left(rules.flight_of(story.database, leg))]
    reads, facts = (*story.look(booking), *goals.states(flown)), story.trip(booking)
    goal = Goal("compensation", facts, goals.TRIP, reads=reads, reason="no_delay")
    if story.rng.integers(2):
        facts["hours"] = story.rng.choice(goals.HOURS[2:])
        goal = replace(goal, intent="late", opens=(*goals.TRIP, "hours"))
    return refused(story, goal, "no_delay")


def _strangers_booking(story: Story) -> Sheet | None:
    """The customer wants a booking changed that is somebody else's."""
    rng, me, story.knows_codes = story.rng, story.customer["customer_id"], True
    bookings = story.database["bookings"]
    other = bookings[rng.choice(story.database.index("airline codes", lambda base: list(base["bookings"])))]
    if other["customer"] == me or other["status"] != "active":
        return None
    facts = {"booking": other["booking_code"], "relation": rng.choice(("sister", "friend", "husband", "colleague"))}
    goal = Goal("cancel_other", facts, ("booking", "relation"), reads=_profile(me), reason="foreign")
    return refused(story, goal, "strangers_booking")


FORBIDDEN: Final = (
    family("cancel_too_late", _cancel_too_late),
    family("cancel_not_insured", _cancel_not_insured),
    family("cancel_not_covered", _cancel_not_covered),
    family("basic_fare", _basic_fare),
    family("full_flight", _full_flight),
    family("false_tier", _false_tier),
    family("other_passenger", _other_passenger),
    family("no_delay", _no_delay),
    family("strangers_booking", _strangers_booking),
)
