"""airline: Kittiwake Air, a European airline with bookings, dated flights, tiers, insurance and vouchers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Final

from agentgym.envs.customer_service.customer.words import CustomerWords
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domain import Family
from agentgym.envs.customer_service.domains.airline import network, rows, violations
from agentgym.envs.customer_service.domains.airline.families import ALLOWED
from agentgym.envs.customer_service.domains.airline.refusals import FORBIDDEN
from agentgym.envs.customer_service.domains.airline.voice import VOICE
from agentgym.envs.customer_service.domains.airline.words import WORDS
from agentgym.envs.customer_service.domains.airline.writes import Writing
from agentgym.envs.customer_service.sheet import Call, Goal, Sheet
from agentgym.envs.customer_service.voice import Voice

__all__ = ["AIRLINE", "Airline"]


class Airline(Writing):
    """Kittiwake Air."""

    name: ClassVar[str] = "airline"
    title: ClassVar[str] = "the airline Kittiwake Air"
    clock: ClassVar[str] = network.CLOCK
    words: ClassVar[CustomerWords] = WORDS
    voice: ClassVar[Voice] = VOICE
    families: ClassVar[Sequence[Family]] = ALLOWED + FORBIDDEN

    @cached_property
    def database(self) -> Database:
        """The base, which all tasks of the domain share."""
        return rows.database()

    def violations(self, sheet: Sheet, goal: Goal, before: Database, call: Call) -> Sequence[str]:
        """Return the rules of the policy that a write breaks, which no tool checks; see `violations`."""
        return tuple(violations.broken(goal, before, call))


AIRLINE: Final = Airline()
