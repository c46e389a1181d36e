"""ServiceState: the database as it stands, what the customer has in mind, and what the agent has looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from json.encoder import encode_basestring_ascii as quote
from operator import attrgetter
from typing import Any, Final

from agentgym.digest import encode, hash_bytes, state_hash
from agentgym.envs.customer_service.customer.listen import once
from agentgym.envs.customer_service.customer.plan import texts_of
from agentgym.envs.customer_service.customer.talk import CustomerState
from agentgym.envs.customer_service.database import Database, Record, same
from agentgym.envs.customer_service.domain import Domain
from agentgym.envs.customer_service.sheet import Call, Goal, Sheet
from agentgym.envs.customer_service.sheet_json import as_json, plain_call

SERVED: Final = "served"
REFUSED: Final = "refused"

Talk = tuple[tuple[str, str], ...]

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

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """For each of the sheet's goals its number in `goals`; last, how many there are."""
        return tuple(accumulate((len(goal.chain) for goal in self.sheet.goals), initial=0))

    @cached_property
    def tells(self) -> frozenset[tuple[int, int]]:
        """What has to be said: (goal's number, index of the tell)."""
        return frozenset((number, index) for number, goal in enumerate(self.goals) for index in range(len(goal.tells)))

    @cached_property
    def identifying(self) -> frozenset[str]:
        """The keys of the calls that find the customer."""
        return frozenset(map(call_key, self.sheet.identify))

    @cached_property
    def named(self) -> Mapping[str, tuple[Call, ...]]:
        """The gold calls by the name of their tool."""
        return {gold.name: tuple(one for one in self.golds if one.name == gold.name) for gold in self.golds}

    @cached_property
    def right(self) -> frozenset[str]:
        """The keys of the gold calls."""
        return frozenset(map(call_key, self.golds))

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The texts among the arguments of the gold calls, such as the keys of records that have to be looked at."""
        return frozenset(text for call in self.golds for text in texts_of(call.arguments))

    @cached_property
    def _paths(self) -> tuple[Mapping[tuple[str, str], Sequence[Record | None]], ...]:
        """For each goal, what its writes leave each record that they change as, one after the other."""
        database, paths = self.start, []
        for goal in self.goals:
            path: dict[tuple[str, str], list[Record | None]] = {}
            for call in goal.due:
                after = self.domain.call(database, call).database
                for table, records in after.changes(database).items():
                    for key, record in records.items():
                        path.setdefault((table, key), []).append(record)
                database = after
            paths.append(path)
        return tuple(paths)

    @cached_property
    def _works(self) -> tuple[tuple[int, int], ...]:
        """(number, how many writes) of the goals that take any."""
        return tuple((number, len(goal.due)) for number, goal in enumerate(self.goals) if goal.due)

    @cached_property
    def _left(self) -> tuple[tuple[tuple[str, str, Record | None], ...], ...]:
        """`leaves` as (table, key, record)."""
        return tuple(
            tuple((table, key, record) for table, records in left.items() for key, record in records.items())
            for left in self.leaves
        )

    @cached_property
    def _refusals(self) -> int:
        return self.results.count(REFUSED)

    def remaining(self, state: ServiceState) -> int:
        """Return how many writes, answers and refusals a state lacks."""
        customer, standing = state.customer, state.standing
        left = len(self.tells - customer.said)
        for number, writes in self._works:
            if not (standing[number] or self._built_on(number, state)):
                left += writes
        return left + max(self._refusals - customer.results.count(REFUSED), 0) if self._refusals else left

    def is_served(self, number: int, state: ServiceState) -> bool:
        """Whether the records that the writes of a goal leave stand in the database."""
        database = state.database
        for table, key, record in self._left[number]:  # noqa: SIM110 - a generator costs several times as much
            if database[table].get(key) != record:
                return False
        return True

    def _built_on(self, number: int, state: ServiceState) -> bool:
        """Whether the records that the writes of a goal left were since changed by those of later goals, as wanted.

        Only of goals that the talk has left behind, since the customer settles a goal where its own writes stand.
        """
        if number >= state.number or number + 1 >= len(self.goals):
            return False
        later = self._paths[number + 1 :]
        for table, key, record in self._left[number]:
            found = state.database[table].get(key)
            if found != record and not any(found in path.get((table, key), ()) for path in later):
                return False
        return True

    def is_wanted(self, state: ServiceState, call: Call, after: Database) -> bool:
        """Whether a write is what the goal at hand wants: one of its own, or one that leaves each record as they do.

        Args:
            state: before the write.
            call: the write.
            after: the database after it.
        """
        number = state.number
        if number >= len(self.goals):
            return False
        if call in self.goals[number].due and not state.standing[number]:
            return True
        path = self._paths[number]
        changed = after.changes(state.database)
        return all(
            any(same(record, left) for left in path.get((table, key), ()))
            for table, records in changed.items()
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
        return {
            "database": float(state.database == self.end),
            "tells": float(self.tells <= said),
            "refusals": float(results == self.results),
        }

    @property
    def brief(self) -> tuple[str, ...]:
        """What the customer's card says besides the sheet, a line each."""
        return ()

    @property
    def note(self) -> str:
        """What an outcome leaves open; "" where nothing is."""
        return ""


def work(goal: Goal) -> int:
    """Return how many writes, answers and refusals a goal takes."""
    return len(goal.due) + len(goal.tells) + bool(goal.reason and not goal.change)


@dataclass(frozen=True)
class ServiceState:
    """A moment of a talk.

    Attributes:
        case: the task.
        database: as it stands.
        customer: what the customer knows, wants and has heard.
        looked: texts among the arguments of the agent's successful calls: which records it has looked at.
        called: keys of the agent's successful calls (`call_key`).
        made: which gold actions were made, where the task counts them.
        talk: (role, text) of the messages so far, kept for a user that has words of its own; () where the words follow
            from the rest.
    """

    case: Case
    database: Database
    customer: CustomerState
    looked: frozenset[str] = frozenset()
    called: frozenset[str] = frozenset()
    made: frozenset[int] = frozenset()
    talk: Talk = ()

    @property
    def number(self) -> int:
        """Number in `Sheet.all_goals` of the goal that the talk is about; their count when all are settled."""
        return self.case.firsts[self.customer.goal] + self.customer.depth

    @once
    def standing(self) -> tuple[bool, ...]:
        """For each of the case's goals, whether its writes stand in the database."""
        return tuple([self.case.is_served(number, self) for number in range(len(self.case.goals))])

    @property
    def served(self) -> bool:
        """Whether the writes of the goal that the talk is about stand in the database."""
        return self.number < len(self.case.goals) and self.standing[self.number]

    @property
    def goal(self) -> Goal | None:
        """The goal that the talk is about; None when all are settled."""
        return self.case.goals[self.number] if self.number < len(self.case.goals) else None

    @once
    def remaining(self) -> int:
        """How many writes, answers and refusals are still missing; what a goal's end undid counts again."""
        return self.case.remaining(self)

    def heard(self, database: Database, customer: CustomerState) -> ServiceState:
        """Return the state after a message."""
        after = _state(self.case, database, customer, self.looked, self.called, self.made)
        if database is self.database:
            vars(after).update(standing=self.standing, _done=self._done)
            before = self.customer
            settled = before.results == customer.results and before.goal == customer.goal
            if settled and before.depth == customer.depth and before.said == customer.said:
                vars(after)["remaining"] = self.remaining
        return after

    def talked(self, *messages: tuple[str, str]) -> ServiceState:
        """Return this state with more messages in `talk`; all else stays."""
        after = object.__new__(ServiceState)
        vars(after).update(vars(self), talk=self.talk + messages)
        return after

    def left(self) -> ServiceState:
        """Return the state after the customer went away of its own accord."""
        gone = replace(self.customer, patience=0, ended=True)
        return replace(self, customer=gone)

    def called_with(self, database: Database, texts: frozenset[str], key: str, made: frozenset[int]) -> ServiceState:
        """Return the state after a call, this very state where nothing is new.

        Args:
            database: after the call.
            texts: the texts among the arguments, none where it failed.
            key: the call's key (`call_key`), "" where it failed.
            made: the gold actions that the call is.
        """
        looked = self.looked if texts <= self.looked else self.looked | texts
        called = self.called if not key or key in self.called else self.called | {key}
        done = self.made if made <= self.made else self.made | made
        same = looked is self.looked and called is self.called and done is self.made
        if same and database == self.database:
            return self
        after = _state(self.case, database, self.customer, looked, called, done)
        vars(after)["_told"] = self._told
        if self.talk:
            vars(after)["talk"] = self.talk
        if database is self.database and done is self.made:
            vars(after).update(standing=self.standing, remaining=self.remaining)
        return after

    def canonical(self) -> bytes:
        """Return all that decides the futures of this state, as bytes that are hashed as they are."""
        return self.visible + _coded(_HIDDEN(self.customer))

    @once
    def visible(self) -> bytes:
        """What the agent can tell apart, as bytes: without the customer's patience and manner of speaking."""
        return self._done + b"\n" + self._told

    @once
    def _done(self) -> bytes:
        """What the agent's calls made of the task."""
        made = " ".join(map(str, sorted(self.made))) if self.made else ""
        texts = (self.case.hash, self.database.digest, _sorted(self.looked), _sorted(self.called), made)
        return "\n".join(texts).encode()

    @once
    def _told(self) -> bytes:
        """What can be seen of the customer."""
        return _coded(_SHOWN(self.customer))

    def pack(self) -> Any:
        """Return plain values that hold the state; the first is the task's id, the last the talk if there is one."""
        kept = (
            self.case.task, self.database.pack(), self.customer, tuple(sorted(self.looked)),
            tuple(sorted(self.called)), tuple(sorted(self.made)),
        )  # fmt: skip
        return (*kept, self.talk) if self.talk else kept

    @classmethod
    def unpack(cls, case: Case, value: Sequence[Any]) -> ServiceState:
        """Return the state of what `pack` returned, without the task's id."""
        database, customer, looked, called, made, *talk = value
        found = case.start.unpack(database)
        return cls(case, found, customer, frozenset(looked), frozenset(called), frozenset(made), *talk)


def _state(
    case: Case,
    database: Database,
    customer: CustomerState,
    looked: frozenset[str],
    called: frozenset[str],
    made: frozenset[int],
) -> ServiceState:
    """Return a state, without the checks of a frozen dataclass's constructor, which take most of its time."""
    state = object.__new__(ServiceState)
    vars(state).update(case=case, database=database, customer=customer, looked=looked, called=called, made=made)
    return state


_UNSEEN: Final = ("manner", "patience", "idle")
_HIDDEN: Final = attrgetter(*_UNSEEN)
_SHOWN: Final = attrgetter(*(field.name for field in fields(CustomerState) if field.name not in _UNSEEN))

_coded = lru_cache(maxsize=4096)(encode)


@lru_cache(maxsize=4096)
def _sorted(texts: frozenset[str]) -> str:
    """Return texts as JSON texts on one line, sorted."""
    return " ".join(sorted(map(quote, texts)))


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
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: its setup is no plain JSON: {error}") from None
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
