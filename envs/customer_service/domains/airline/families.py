"""Scenario families whose requests policy allows; `refusals` holds those with something that it forbids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domain import Family
from agentgym.envs.customer_service.domains.airline import goals, rules
from agentgym.envs.customer_service.domains.airline.network import CLOCK, days
from agentgym.envs.customer_service.domains.airline.story import Fits, Story, is_over
from agentgym.envs.customer_service.sheet import Goal, Sheet
from agentgym.rng import TurnRng

Maker = Callable[[Story, Record], Goal | None]
Filler = Callable[[Story], Sheet | None]

QUESTIONS: Final[tuple[Maker, ...]] = (goals.ask_refund, goals.ask_upgrade, goals.ask_bags, goals.ask_paid)
ERRANDS: Final[tuple[Maker, ...]] = (goals.upgrade, goals.bags, goals.change, goals.respell)


def family(name: str, fill: Filler) -> Family:
    """Return a family of the sheets that `fill` makes of a story."""

    def draw(database: Database, customer: str, rng: TurnRng) -> Sheet | None:
        return fill(Story(database, customer, rng))

    return Family(name, draw)


def about(story: Story, makers: tuple[Maker, ...], *, again: bool = False) -> Goal | None:
    """Draw a goal about a trip that is still ahead, of one of some kinds."""
    booking = story.booking(story.is_ahead, again=again)
    if booking is None:
        return None
    for make in story.rng.shuffled(makers):
        goal = make(story, booking)
        if goal is not None:
            return goal
    return None


def also(story: Story, chance: int = 10) -> bool:
    """With a chance of so many in ten go on with a second goal; False where there is none."""
    if story.rng.integers(10) >= chance:
        return True
    return story.add(about(story, QUESTIONS + ERRANDS))


def _one(make: Maker, fits: Fits, story: Story) -> Goal | None:
    booking = story.booking(lambda row: story.is_ahead(row) and fits(row))
    return make(story, booking) if booking else None


def _cancelling(name: str, fits: Fits, why: tuple[str, ...]) -> Family:
    def fill(story: Story) -> Sheet | None:
        goal = _one(lambda story, booking: goals.cancel(story, booking, why), fits, story)
        return story.sheet(name, shuffle=True) if story.add(goal) and also(story, 4) else None

    return family(name, fill)


def _cancel_disrupted(story: Story) -> Sheet | None:
    def fits(row: Record) -> bool:
        flights = [rules.flight_of(story.database, leg) for leg in row["legs"]]
        lost = any(flight["status"] == "cancelled" for flight in flights)
        return lost and not any(map(rules.has_left, flights)) and row["fare"] != "flexible" and is_over(row)

    booking = story.booking(fits)
    if booking is None or not story.add(goals.cancel(story, booking, ("you cancelled my flight",))):
        return None
    return story.sheet("cancel_disrupted") if also(story, 4) else None


def _change_same_day(story: Story) -> Sheet | None:
    goal = _one(goals.change, lambda row: True, story)
    return story.sheet("change_same_day", shuffle=True) if story.add(goal) and also(story, 4) else None


def _change_day(story: Story) -> Sheet | None:
    def make(story: Story, booking: Record) -> Goal | None:
        own = [leg["date"] for leg in booking["legs"]]
        later = [day for day in days() if day > CLOCK[:10] and day not in own]
        return goals.change(story, booking, story.rng.choice(later[:14]))

    return story.sheet("change_day") if story.add(_one(make, lambda row: True, story)) else None


def _upgrade(story: Story) -> Sheet | None:
    goal = _one(goals.upgrade, lambda row: True, story)
    return story.sheet("upgrade", shuffle=True) if story.add(goal) and also(story, 3) else None


def _add_bags(story: Story) -> Sheet | None:
    goal = _one(goals.bags, lambda row: True, story)
    return story.sheet("add_bags", shuffle=True) if story.add(goal) and also(story, 5) else None


def _correct_name(story: Story) -> Sheet | None:
    booking = story.booking(lambda row: story.is_ahead(row) and is_misspelt(story, row))
    goal = goals.respell(story, booking) if booking else None
    return story.sheet("correct_name", shuffle=True) if story.add(goal) and also(story, 5) else None


def is_misspelt(story: Story, booking: Record) -> bool:
    """Whether a booking has the customer's own name wrongly."""
    return rules.full_name(booking["passengers"][0]) != rules.full_name(story.customer)


def _compensation(story: Story) -> Sheet | None:
    booking = story.booking(lambda row: rules.compensation(story.database, row, story.tier) > 0)
    goal = goals.compensate(story, booking) if booking else None
    return story.sheet("compensation", shuffle=True) if story.add(goal) and also(story, 5) else None


def _several(story: Story) -> Sheet | None:
    """Three requests, two of them about one trip."""
    booking = story.booking(story.is_ahead)
    if booking is None:
        return None
    makers = [goals.upgrade, goals.change, goals.bags, goals.respell]
    for make in story.rng.shuffled(makers):
        current = story.database["bookings"][booking["booking_code"]]
        goal = make(story, current) if len(story.goals) < 2 else None
        if goal is not None and not story.add(goal):
            return None
    if len(story.goals) < 2 or not story.add(about(story, QUESTIONS + ERRANDS)):
        return None
    return story.sheet("several_requests")


def _second_thoughts(story: Story) -> Sheet | None:
    """Asked for a yes, the customer wants something else with the same trip."""

    def make(story: Story, booking: Record) -> Goal | None:
        pairs: list[tuple[Maker, Maker]] = [(_fewer_bags(2), _fewer_bags(1)), (goals.upgrade, goals.bags)]
        if goals.may_cancel(story, booking):
            why = goals.UNCOVERED
            pairs += 2 * [(lambda story, row: goals.cancel(story, row, why), goals.change)]
        first, second = story.rng.choice(pairs)
        before, after = first(story, booking), second(story, booking)
        return replace(before, tells=(), change=after) if before and after else None

    goal = _one(make, lambda row: True, story)
    return story.sheet("second_thoughts", shuffle=True) if story.add(goal) and also(story, 3) else None


def _fewer_bags(extra: int) -> Maker:
    return lambda story, booking: goals.bags(story, booking, extra)


def _information(story: Story) -> Sheet | None:
    if not story.add(about(story, QUESTIONS), about(story, QUESTIONS)):
        return None
    return story.sheet("information")


def _hand_over(story: Story) -> Sheet | None:
    topic = story.rng.choice(("lost_baggage", "special_assistance", "group_booking"))
    goal = goals.hand_over(story, topic)
    return story.sheet("hand_over", shuffle=True) if story.add(goal, about(story, QUESTIONS + ERRANDS)) else None


def _fresh(booking: Record) -> bool:
    return not is_over(booking) and booking["fare"] != "flexible"


def _flexible(booking: Record) -> bool:
    return is_over(booking) and booking["fare"] == "flexible"


def _insured(booking: Record) -> bool:
    return is_over(booking) and booking["fare"] != "flexible" and bool(booking["insurance"])


ALLOWED: Final = (
    _cancelling("cancel_in_time", _fresh, goals.UNCOVERED),
    _cancelling("cancel_flexible", _flexible, goals.UNCOVERED),
    _cancelling("cancel_insured", _insured, goals.COVERED),
    family("cancel_disrupted", _cancel_disrupted),
    family("change_same_day", _change_same_day),
    family("change_day", _change_day),
    family("upgrade", _upgrade),
    family("add_bags", _add_bags),
    family("correct_name", _correct_name),
    family("compensation", _compensation),
    family("several_requests", _several),
    family("second_thoughts", _second_thoughts),
    family("information", _information),
    family("hand_over", _hand_over),
)
