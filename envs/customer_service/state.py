"""ServiceState: the database as it stands, what the customer has in mind, and what the agent has looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from agentgym.digest import hash_bytes, state_hash
from agentgym.envs.customer_service.customer.talk import CustomerState, goal_of
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domain import Domain
from agentgym.envs.customer_service.sheet import Call, Goal, Sheet
from agentgym.envs.customer_service.sheet_json import as_json, plain_call

SERVED: Final = "served"
REFUSED: Final = "refused"

Leaves = Mapping[str, Mapping[str, Record | None]]
"""table → key → record, None where it is gone."""


@dataclass(frozen=True, eq=False)
class Case:
    """What a task comes to: everything about it that does not change in an episode.

    Attributes:
        task: id of the task.
        domain: the service.
        sheet: the customer's affair.
        start: the database when the talk begins.
        end: the database when everybody was served rightly.
        leaves: per goal of `sheet.all_goals`, the records that its writes leave otherwise than they were; of one that
            the customer changes, what the writes would leave that were wanted at first.
    """

    task: str
    domain: Domain
    sheet: Sheet
    start: Database
    end: Database
    leaves: tuple[Leaves, ...]

    @cached_property
    def goals(self) -> tuple[Goal, ...]:
        """The goals that come up when all are served rightly, in order."""
        return tuple(self.sheet.all_goals)

    @cached_property
    def hash(self) -> str:
        """The hash of what the task says: equal sheets over equal databases, equal hash."""
        return state_hash((as_json(self.sheet), self.start.digest))

    @cached_property
    def golds(self) -> tuple[Call, ...]:
        """The agent's calls of serving the customer rightly, reads too, in order."""
        sheet = self.sheet
        calls = (*sheet.identify, *(call for goal in self.goals for call in (*goal.reads, *goal.due)))
        return tuple(call for call in calls if call.side == "agent")

    @cached_property
    def results(self) -> tuple[str, ...]:
        """How each goal ends when all are served rightly."""
        return tuple(REFUSED if goal.reason and not goal.change else SERVED for goal in self.goals if not goal.change)

    @cached_property
    def total(self) -> int:
        """How many writes, answers and refusals it takes."""
        return sum(map(work, self.goals)) or 1

    def is_served(self, number: int, state: ServiceState) -> bool:
        """Whether the records that the writes of a goal leave stand in the database."""
        database = state.database
        return all(
            database[table].get(key) == record
            for table, records in self.leaves[number].items()
            for key, record in records.items()
        )

    def made(self, call: Call) -> frozenset[int]:
        """Return which gold actions a call is, where the task counts them; here the database tells."""
        return frozenset()

    def parts(self, state: ServiceState) -> dict[str, float]:
        """Return what success is the product of, each 1.0 or 0.0.

        database    it is what it is when everybody was served rightly, by whichever path
        tells       everything was said that had to be said
        refusals    each request that policy forbids was refused for the right reason, and no other
        """
        said, results = state.customer.said, state.customer.results
        told = all((number, tell) in said for number, goal in enumerate(self.goals) for tell in range(len(goal.tells)))
        return {
            "database": float(state.database == self.end),
            "tells": float(told),
            "refusals": float(results == self.results),
        }

    @property
    def note(self) -> str:
        """What an outcome leaves open; "" where nothing is."""
        return ""


def work(goal: Goal) -> int:
    """Return how many writes, answers and refusals a goal takes."""
    return len(goal.due) + len(goal.tells) + bool(goal.reason and not goal.change)


@dataclass(frozen=True, slots=True)
class ServiceState:
    """A moment of a talk.

    Attributes:
        case: the task.
        database: as it stands.
        customer: what the customer knows, wants and has heard.
        looked: texts among the arguments of the agent's successful calls: which records it has looked at.
        called: keys of the agent's successful calls (`call_key`).
        safe: whether no rule was broken so far.
        made: which gold actions were made, where the task counts them.
    """

    case: Case
    database: Database
    customer: CustomerState
    looked: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    safe: bool = True
    made: frozenset[int] = frozenset()

    @property
    def number(self) -> int:
        """Number in `Sheet.all_goals` of the goal that the talk is about; their count when all are settled."""
        goals, customer = self.case.sheet.goals, self.customer
        return sum(len(goal.chain) for goal in goals[: customer.goal]) + customer.depth

    @property
    def served(self) -> bool:
        """Whether the writes of the goal that the talk is about stand in the database."""
        number = self.number
        return number < len(self.case.goals) and self.case.is_served(number, self)

    @property
    def goal(self) -> Goal | None:
        """The goal that the talk is about; None when all are settled."""
        return goal_of(self.case.sheet, self.customer)

    @property
    def remaining(self) -> int:
        """How many writes, answers and refusals are still missing; what a goal's end undid counts again."""
        case, customer = self.case, self.customer
        left = 0
        for number, goal in enumerate(case.goals):
            due = goal.due
            if due and not case.is_served(number, self):
                left += len(due)
            left += sum((number, index) not in customer.said for index in range(len(goal.tells)))
        refusals = sum(result == REFUSED for result in case.results)
        return left + max(refusals - sum(result == REFUSED for result in customer.results), 0)

    def canonical(self) -> Any:
        """Return all that decides the futures of this state."""
        return (
            self.case.hash, self.database.digest, self.customer, tuple(sorted(self.looked)),
            tuple(sorted(self.called)), self.safe, tuple(sorted(self.made)),
        )  # fmt: skip

    def visible(self) -> Any:
        """Return what the agent can tell apart: without the customer's patience and manner of speaking."""
        case, database, customer, looked, called, _, made = self.canonical()
        return case, database, replace(customer, manner=0, patience=0, idle=0), looked, called, made

    def pack(self) -> Any:
        """Return plain values that hold the state; the first is the task's id."""
        return (
            self.case.task, self.database.pack(), self.customer, tuple(sorted(self.looked)),
            tuple(sorted(self.called)), self.safe, tuple(sorted(self.made)),
        )  # fmt: skip

    @classmethod
    def unpack(cls, case: Case, value: Sequence[Any]) -> ServiceState:
        """Return the state of what `pack` returned, without the task's id."""
        database, customer, looked, called, safe, made = value
        found = case.start.unpack(database)
        return cls(case, found, customer, frozenset(looked), frozenset(called), safe, frozenset(made))


def call_key(call: Call) -> str:
    """Return a short key of a call: its name, and a hash of its arguments."""
    return f"{call.name}:{hash_bytes(plain_call(call).encode())[:16]}"


def case_of(task: str, domain: Domain, sheet: Sheet) -> Case:
    """Return the case of a sheet.

    Raises:
        ValueError: the sheet prepares a record that is not there, or one of its writes fails; the message names both.
    """
    where = f"task {task!r}"
    try:
        start = domain.start(sheet)
    except KeyError as error:
        raise ValueError(f"{where}: its setup changes the record {error}, which {domain.name} does not have") from None
    database, leaves = start, []
    for number, goal in enumerate(sheet.all_goals):
        after = database
        for call in goal.gold if goal.change else goal.due:
            reply = domain.call(after, call)
            if reply.error:
                raise ValueError(f"{where}, goal {number} ({goal.intent}): the write {call.name} fails: {reply.text}")
            after = reply.database
        leaves.append(after.changes(database))
        database = database if goal.change else after  # what is wanted after all is written instead
    return Case(task, domain, sheet, start, database, tuple(leaves))
