"""Official grading: what the reward of a tau2 task is the product of.

DB              the database is equal, types included, to what the gold actions leave; by whichever path
ENV_ASSERTION   every assertion about the end holds
COMMUNICATE     every text of `communicate` stands in one of the agent's messages to the customer, letter case and the
                messages' commas aside ("1,628" says 1628; a text of its own comma is never found, as officially)
ACTION          every gold action was made, among whatever others: a call of that tool by that side, in which the
                arguments that `compare` names are equal; null: all that the call has; []: the name is enough
NL_ASSERTION    a judge says yes to every statement about the talk; without statements there is nothing to fail

Each is 1 or 0. What is not in the task's basis is measured and does not count. A judge is a language model, or a
person: without one, NL_ASSERTION with statements is unknown, and so is a reward that needs it.

Sources: https://github.com/sierra-research/tau2-bench/blob/main/docs/evaluation.md; Yao et al. 2024, arXiv 2406.12045,
§3 (database and outputs); Barres et al. 2025, arXiv 2506.07982.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.official.telecom_setup import holds
from agentgym.envs.customer_service.official.toolkit import ACCIDENTS

Judge = Callable[[str], bool]
"""Whether a statement about the talk is true; it knows the talk."""


class Call(NamedTuple):
    """A tool call that was made: by "assistant" or "user", with its arguments."""

    side: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Grade:
    """How a task went.

    Attributes:
        parts: what was measured → 1.0 or 0.0; None: it needs a judge.
        basis: which of them count.
        actions: which gold actions were made, in their order.
    """

    parts: Mapping[str, float | None]
    basis: tuple[str, ...]
    actions: tuple[bool, ...]

    @property
    def reward(self) -> float | None:
        """The product of what counts: 0.0 as soon as one part fails, None where only a judge can tell."""
        return None if self.measured and self.needs_judge else self.measured

    @property
    def measured(self) -> float:
        """The product of what counts and could be measured without a judge."""
        return float(all(self.parts[name] != 0.0 for name in self.basis))

    @property
    def needs_judge(self) -> bool:
        """Whether something that counts needs a judge, and had none."""
        return any(self.parts[name] is None for name in self.basis)


def grade(
    data: Mapping[str, Any], database: Database, calls: Sequence[Call], said: Sequence[str], judge: Judge | None = None
) -> Grade:
    """Grade an episode.

    Args:
        data: of the task, as `sources.entries` describes it.
        database: at the end.
        calls: all calls of both sides, in order.
        said: the agent's messages to the customer.
        judge: of NL_ASSERTION.
    """
    made = tuple(any(matches(action, call) for call in calls) for action in data["gold"])
    statements: Sequence[str] = data["nl_assertions"]
    judged = None if judge is None and statements else float(all(judge(one) for one in statements if judge))
    parts = {
        "DB": float(database.digest == data["end"]),
        "ENV_ASSERTION": float(asserted(data, database)),
        "COMMUNICATE": float(all(communicated(said, text) for text in data["communicate"])),
        "ACTION": float(all(made)),
        "NL_ASSERTION": judged,
    }
    return Grade(parts, tuple(data["basis"]), made)


def asserted(data: Mapping[str, Any], database: Database) -> bool:
    """Whether every assertion of a task about its end comes out as expected."""
    return all(_so(database, *one) for one in data["env_assertions"])


def _so(database: Database, side: str, name: str, arguments: Mapping[str, Any], expected: bool) -> bool:
    """Whether an assertion comes out as expected; one that has an accident, on a phone that was broken, does not."""
    try:
        return holds(database, side, name, arguments) is expected
    except ACCIDENTS:
        return False


def communicated(said: Sequence[str], text: str) -> bool:
    """Whether a text stands in one of the messages, letter case and the messages' commas aside."""
    wanted = text.lower()
    return any(wanted in message.lower().replace(",", "") for message in said)


def matches(action: Mapping[str, Any], call: Call) -> bool:
    """Whether a call is a gold action."""
    if (action["side"], action["name"]) != (call.side, call.name):
        return False
    compared = call.arguments.keys() if action["compare"] is None else set(action["compare"])
    wanted = {name: value for name, value in action["arguments"].items() if name in compared}
    return wanted == {name: value for name, value in call.arguments.items() if name in compared}
