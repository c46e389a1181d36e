"""What the agent has to do next, before it is put into words: a function of the state and the task sheet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.sheet import AGENT, CUSTOMER, Call, Goal, Tell
from agentgym.envs.customer_service.state import Case, ServiceState, call_key

ASK: Final = "ask"
CALL: Final = "call"
PROPOSE: Final = "propose"
INSTRUCT: Final = "instruct"
REFUSE: Final = "refuse"
DONE: Final = "done"
MORE: Final = "more"

_SPACE: Final = re.compile(r"\s+")


class Step(NamedTuple):
    """Something that an agent may do.

    Attributes:
        kind: ASK for facts, CALL a tool, PROPOSE to fulfil the goal, INSTRUCT the customer to use a tool of their own,
            REFUSE, say what was DONE or found, or ask whether there is anything MORE.
        facts: what is asked for.
        call: the call, or the customer's one.
        reason: of a refusal.
        tells: what is told besides.
    """

    kind: str
    facts: tuple[str, ...] = ()
    call: Call | None = None
    reason: str = ""
    tells: tuple[Tell, ...] = ()


def next_step(state: ServiceState) -> Step:
    """Return what serves the customer rightly from here on."""
    case, goal = state.case, state.goal
    step = _identification(state)
    if step is not None:
        return step
    if goal is None:
        return Step(MORE)
    asked = missing(state, needed_facts(case, goal))
    if asked:
        return Step(ASK, asked)
    for call in goal.reads:
        if call.side == AGENT and not was_called(state, call):
            return Step(CALL, call=call)
    if goal.reason:
        return Step(REFUSE, reason=goal.reason, tells=tells_now(state, goal))
    return _fulfilment(state, goal)


def _identification(state: ServiceState) -> Step | None:
    """Return what is left of finding out who the customer is."""
    sheet = state.case.sheet
    left = [call for call in sheet.identify if not was_called(state, call)]
    if not left:
        return None
    asked = missing(state, identity_facts(state.case))
    return Step(ASK, asked) if asked else Step(CALL, call=left[0])


def _fulfilment(state: ServiceState, goal: Goal) -> Step:
    """Return the next write of an allowed goal, the question for a yes before it, or the word that it is done."""
    if goal.change is not None:
        return Step(PROPOSE, tells=tells_now(state, goal))
    number = number_of(state.case, goal)
    left = writes_left(state, goal, number)
    if not left:
        told = unsaid(state, goal)
        return Step(DONE, tells=told) if told or goal.due else Step(MORE)
    if left[0].side == CUSTOMER:
        return Step(INSTRUCT, call=left[0])
    return Step(CALL, call=left[0]) if state.customer.agreed else Step(PROPOSE, tells=tells_now(state, goal))


def tells_now(state: ServiceState, goal: Goal) -> tuple[Tell, ...]:
    """Return what is still to be told of a goal and can be said before its writes: what the look-ups show."""
    left = unsaid(state, goal)
    if goal.change is not None or goal.reason or not left:
        return left
    known = shown(state.case, number_of(state.case, goal))
    return tuple(tell for tell in left if tell in known)


def unsaid(state: ServiceState, goal: Goal) -> tuple[Tell, ...]:
    """Return what is still to be told of a goal."""
    number = number_of(state.case, goal)
    return tuple(tell for place, tell in enumerate(goal.tells) if (number, place) not in state.customer.said)


@lru_cache(maxsize=4096)
def shown(case: Case, number: int) -> frozenset[Tell]:
    """Return those of a goal's tells that its look-ups, and those by which the customer was found, show."""
    goal = case.goals[number]
    reads = [call for call in (*case.sheet.identify, *goal.reads) if call.side == AGENT]
    text = "\n".join(case.domain.call(case.start, call).text for call in reads).lower()
    return frozenset(tell for tell in goal.tells if tell.text.lower() in text)


def writes_left(state: ServiceState, goal: Goal, number: int) -> tuple[Call, ...]:
    """Return those of a goal's writes that are still to be made: the shortest end of them that completes it.

    Where none completes it any more (something else was written), those that were not made and can be.
    """
    case, gold = state.case, goal.due
    if not gold or case.is_served(number, state):
        return ()
    for start in reversed(range(len(gold))):
        after = written(case, state.database, gold[start:])
        if after is not None and case.is_served(number, made(state, after, gold[start:])):
            return gold[start:]
    return tuple(
        call for call in gold if not was_called(state, call) and written(case, state.database, [call]) is not None
    )


def made(state: ServiceState, database: Database, calls: Iterable[Call]) -> ServiceState:
    """Return the state with a database that some calls led to."""
    return replace(state, database=database, made=state.made.union(*map(state.case.made, calls)))


def written(case: Case, database: Database, calls: Iterable[Call]) -> Database | None:
    """Return the database after some calls; None where one of them fails."""
    for call in calls:
        reply = case.domain.call(database, call)
        if reply.error:
            return None
        database = reply.database
    return database


def was_called(state: ServiceState, call: Call) -> bool:
    """Return whether the agent made a call, with success."""
    return call_key(call) in state.called


def number_of(case: Case, goal: Goal) -> int:
    """Return the place of a goal among those that come up."""
    return next(number for number, known in enumerate(case.goals) if known is goal)


def missing(state: ServiceState, facts: Iterable[str]) -> tuple[str, ...]:
    """Return those facts that the customer was not asked for, or has not told."""
    sheet, told = state.case.sheet, state.customer.told
    return tuple(fact for fact in facts if fact not in told and fact not in sheet.unknown)


@lru_cache(maxsize=4096)
def identity_facts(case: Case) -> tuple[str, ...]:
    """Return the facts about themselves that customers have to tell before they can be found."""
    sheet = case.sheet
    return tuple(fact for fact in named(sheet.facts, sheet.identify) if fact in case.domain.voice.asks)


def needed_facts(case: Case, goal: Goal) -> tuple[str, ...]:
    """Return the facts of a request that have to be known: all of an allowed one, those to look up of another."""
    found = named(goal.facts, goal.reads) if goal.reason else goal.facts
    return tuple(fact for fact in found if fact in case.domain.voice.asks)


def named(facts: Mapping[str, str], calls: Iterable[Call]) -> list[str]:
    """Return those facts whose values occur among the arguments of calls."""
    values = {plain(text) for call in calls for text in texts(call.arguments)}
    return [fact for fact, value in facts.items() if plain(value) in values]


def texts(value: Any) -> Iterator[str]:
    """Yield every text and number in plain JSON, as text; the keys of objects are none."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from texts(item)
    elif value is not None:
        yield str(value)


def plain(text: str) -> str:
    """Return a text without letter case and white space at its ends."""
    return _SPACE.sub(" ", text).strip().lower()
