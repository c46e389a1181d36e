"""The task sheet: who the customer is, what they want, what they know, and what serving them rightly comes to.

A sheet is plain JSON in a task's data (`sheet_json`), so a task can be written by hand. Which words a
customer has for all this is the domain's affair (`domain`, `customer`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

AGENT: Final = "agent"
CUSTOMER: Final = "customer"


class Call(NamedTuple):
    """A call of a tool: its name, its arguments (plain JSON), and whose tool it is, the agent's or the customer's."""

    name: str
    arguments: Mapping[str, Any]
    side: str = AGENT


@dataclass(frozen=True, slots=True)
class Tell:
    """Something that the agent has to say.

    Attributes:
        topic: what it is, a key of the domain's phrases: how the customer asks for it.
        text: what has to occur in a message, such as "54.12"; commas in messages and letter case do not count.
    """

    topic: str
    text: str


@dataclass(frozen=True, slots=True)
class Goal:
    """One request of a customer.

    Attributes:
        intent: what is asked for, a key of the domain's phrases.
        facts: fact → what the customer says when asked for it; they belong to this request.
        opens: which of the facts the customer states with the request itself.
        gold: the writes that fulfil it, in order; () where policy forbids it, or where only something is to be told.
        reads: what an agent has to look up for it, in order; the records that these calls name are what it is about.
        tells: what the agent has to say.
        reason: the domain's key of why policy forbids it; "" where it does not.
        insist: how often the customer pushes back on a refusal before giving in.
        fallback: what the customer asks for instead, once refused.
        change: what the customer wants after all, said when the agent first asks for a yes; replaces this goal.
    """

    intent: str
    facts: Mapping[str, str] = field(default_factory=dict)
    opens: tuple[str, ...] = ()
    gold: tuple[Call, ...] = ()
    reads: tuple[Call, ...] = ()
    tells: tuple[Tell, ...] = ()
    reason: str = ""
    insist: int = 0
    fallback: Goal | None = None
    change: Goal | None = None

    @property
    def chain(self) -> tuple[Goal, ...]:
        """This goal, and those that take its place one after the other when it is served rightly."""
        follower = self.change or (self.fallback if self.reason else None)
        return (self, *follower.chain) if follower else (self,)

    @property
    def due(self) -> tuple[Call, ...]:
        """The writes of this goal itself, none where it is given up or forbidden."""
        return () if self.change or self.reason else self.gold


@dataclass(frozen=True, slots=True)
class Sheet:
    """A customer's whole affair.

    Attributes:
        domain: name of the domain.
        family: name of the scenario family.
        customer: key of the customer's record; writes to records of others are violations.
        facts: fact → what the customer says about themselves when asked: name, e-mail, postcode …
        unknown: facts that the customer says not to remember.
        identify: the reads by which an agent finds the customer.
        goals: the requests, in the order in which the customer comes out with them.
        setup: (table, key, fields) merged into the base when the talk begins, such as a phone's settings.
        mood: how the customer talks: "calm", "hurried", "grumpy", "chatty".
        patience: how many messages in vain the customer bears.
    """

    domain: str
    family: str
    customer: str
    facts: Mapping[str, str]
    goals: tuple[Goal, ...]
    identify: tuple[Call, ...] = ()
    unknown: tuple[str, ...] = ()
    setup: tuple[tuple[str, str, Mapping[str, Any]], ...] = ()
    mood: str = "calm"
    patience: int = 5

    @property
    def all_goals(self) -> Iterator[Goal]:
        """Every goal that comes up when all are served rightly, in order."""
        for goal in self.goals:
            yield from goal.chain

    @property
    def gold(self) -> tuple[Call, ...]:
        """All writes of serving this customer rightly, in order."""
        return tuple(call for goal in self.all_goals for call in goal.due)
