"""Where a customer stands, what of the world it sees, and what it does about a message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from agentgym.envs.customer_service.database import Database

SERVED: Final = "served"
REFUSED: Final = "refused"
DROPPED: Final = "dropped"


@dataclass(frozen=True, slots=True)
class CustomerState:
    """Where a customer stands.

    Attributes:
        manner: which of the possible words the customer chooses; drawn once, at the opening.
        goal: index in `Sheet.goals`; their number when all are settled.
        depth: index in the goal's chain of changes and fallbacks.
        told: facts that were stated or said not to be known, of the goal at hand and about the customer.
        said: what the agent has told: (goal's number in `Sheet.all_goals`, index of the tell).
        offered: the last offer, which asked for no yes, was the goal's: a bare "shall I go ahead?" is about it.
        agreed: a yes stands for the goal at hand.
        yielded: the refusal of the goal at hand was accepted.
        pushed: how often the customer pushed back on refusals of the goal at hand.
        used: (tool, what it showed) of the customer's own tools; showing the same again brings nothing.
        idle: messages of the goal at hand that were borne though they brought nothing: waiting, a vain instruction.
        patience: how many messages in vain the customer still bears.
        results: for each settled goal, "served", "refused" (rightly) or "dropped" (refused though allowed).
        ended: the customer has ended the talk.
    """

    manner: int
    goal: int = 0
    depth: int = 0
    told: frozenset[str] = frozenset()
    said: frozenset[tuple[int, int]] = frozenset()
    offered: bool = False
    agreed: bool = False
    yielded: bool = False
    pushed: int = 0
    used: frozenset[tuple[str, str]] = frozenset()
    idle: int = 0
    patience: int = 5
    results: tuple[str, ...] = ()
    ended: bool = False

    @property
    def left(self) -> bool:
        """Whether the customer ended the talk because its patience was at an end."""
        return self.ended and self.patience <= 0


class View(NamedTuple):
    """What of the world bears on the customer's answer.

    Attributes:
        database: as it is now.
        looked: the texts among the arguments of the agent's successful calls.
        served: the writes of the goal at hand are in the database.
    """

    database: Database
    looked: frozenset[str]
    served: bool


class Reaction(NamedTuple):
    """What the customer does about a message.

    Attributes:
        state: after it.
        text: what the customer says; "" after the end.
        database: changed by the customer's own tools, else the same object.
        kind: what the message was taken for, or what came of it: "asks", "agreed", "declined", "changed" (its mind),
            "either", "doubted", "why", "pushed", "gave_in", "dropped", "settled", "goodbye", "claim", "more", "offer",
            "missing" (something was not told), "tell", "instruction", "wish", "wait", "lost", "unclear", "silence",
            "ended".
        faults: what the message does wrong: "false_claim", "refused_allowed".
    """

    state: CustomerState
    text: str
    database: Database
    kind: str
    faults: tuple[str, ...] = ()
