# calendar_world.py
"""A world with three tools; docs/actions.md shows it."""

from dataclasses import dataclass, replace
from typing import Literal

from agentgym import AgentEnv, EndReason, InvalidAction, Opening, Outcome, RewardSpec, Task, TaskPanel, Turn, tool

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
PEOPLE = ("Ada", "Ben", "Cleo", "Dan")


@dataclass(frozen=True)
class Week:
    busy: tuple[tuple[str, ...], ...]  # the busy days of each person, in the order of PEOPLE
    seen: tuple[str, ...] = ()  # whose calendar was looked at, in the order of PEOPLE
    booked: str = ""

    def free(self):
        return next(day for day in DAYS if not any(day in days for days in self.busy))


class Calendar(AgentEnv[Week]):
    """Book a meeting on the one day on which all are free."""

    panel = TaskPanel(
        "meetings",
        {
            "train": [Task("two", {"people": 2}), Task("three", {"people": 3})],
            "test": [Task("four", {"people": 4})],
        },
    )
    max_turns = 10
    rewards = RewardSpec({"seen": 0.1})

    def initial(self, task, rng):
        order = rng.shuffled(DAYS)  # the first day stays free; each other one is taken by at least one person
        busy = [set() for _ in range(task.data["people"])]
        for day in order[1:]:
            rng.choice(busy).add(day)
            rng.choice(busy).add(day)
        week = Week(tuple(tuple(day for day in DAYS if day in days) for days in busy))
        names = " and ".join(PEOPLE[: len(busy)])
        return Opening(week, f"Find a day for {names}.", "Book the day on which all are free, then confirm.")

    @tool
    def look(self, state, rng, *, person: Literal["Ada", "Ben", "Cleo", "Dan"]):
        """Look at a calendar.

        Args:
            person: whose.
        """
        place = PEOPLE.index(person)
        if place >= len(state.busy):
            raise InvalidAction(f"{person} does not take part; look at {' or '.join(PEOPLE[: len(state.busy)])}")
        seen = tuple(name for name in PEOPLE if name == person or name in state.seen)
        text = f"{person} is busy on {', '.join(state.busy[place]) or 'no day'}."
        return Turn(replace(state, seen=seen), text, {"seen": len(seen) - len(state.seen)}, tool_result=True)

    @tool
    def book(self, state, rng, *, day: str, minutes: int = 30):
        """Book a day for all; a later booking replaces it.

        Args:
            day: a working day, by its English name.
            minutes: how long the meeting takes, from 15 to 120.
        """
        if day not in DAYS:
            raise InvalidAction("that is no working day; write its English name, with a capital")
        if not 15 <= minutes <= 120:
            raise InvalidAction(f"a meeting takes 15 to 120 minutes, not {minutes}")
        return Turn(replace(state, booked=day), f"Booked: {day}.", tool_result=True)

    @tool
    def confirm(self, state, rng):
        """Confirm the booking; that ends it."""
        if not state.booked:
            raise InvalidAction("nothing is booked yet: book a day first")
        won = state.booked == state.free()
        end = Outcome(won, float(won), EndReason.SOLVED if won else EndReason.FAILED)
        return Turn(state, "All can come." if won else "Someone cannot come.", outcome=end)

    def menu(self, state):
        looks = [f"<look>{name}</look>" for name in PEOPLE[: len(state.busy)]]
        books = [f'<book>{{"day": "{day}"}}</book>' for day in DAYS]
        return [*looks, *books, *(["<confirm></confirm>"] if state.booked else [])]

    def expert(self, state):
        for name in PEOPLE[: len(state.busy)]:
            if name not in state.seen:
                return f"<look>{name}</look>"
        return "<confirm></confirm>" if state.booked == state.free() else f'<book>{{"day": "{state.free()}"}}</book>'

    def potential(self, state):
        return 0.5 * len(state.seen) / len(state.busy) + 0.5 * (state.booked == state.free())

    def describe(self, state):
        known = [f"{name} is busy on {', '.join(state.busy[PEOPLE.index(name)]) or 'no day'}." for name in state.seen]
        return " ".join([*known, f"Booked: {state.booked or 'nothing'}."])

    def anchor(self, state):
        return len(state.busy), self.describe(state)

    def secrets(self, state):
        return {"free": state.free()}
