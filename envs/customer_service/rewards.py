"""What a turn is worth, what it is called for calibration, and which rules it breaks.

The potential of a state is −(writes, answers and refusals that are still missing); the turn reward "progress" is its
rise as a share of all there is to do, so an episode that ends rightly earns 1 in all, and going in circles nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.sheet import Call
from agentgym.envs.customer_service.state import Case, ServiceState
from agentgym.score import soft_match
from agentgym.turn import EndReason, Outcome


def progress(before: ServiceState, after: ServiceState) -> float:
    """Return the rise of the potential as a share of the task's work; negative where something was undone."""
    return (before.remaining - after.remaining) / before.case.total


def critique(before: ServiceState, after: ServiceState, broken: bool) -> float:
    """Return +1 where the potential rose and no rule was broken, −1 where it fell or one was, else 0."""
    rise = before.remaining - after.remaining
    return -1.0 if broken or rise < 0 else float(rise > 0)


def match(case: Case, call: Call, key: str) -> float:
    """Return how well a call, and its key, fit the best of the gold calls of its name (`score.soft_match`), else 0."""
    if key in case.right:
        return 1.0
    return max([soft_match(call.arguments, gold.arguments) for gold in case.named.get(call.name, ())], default=0.0)


def tag_of(tool: str, fit: float, again: bool, written: bool) -> str:
    """Return the class of a call that succeeded: duplicate, gold, soft (a gold tool, other arguments), state or read.

    Args:
        tool: the tool's tag: read, write or generic.
        fit: how well the call fits a gold call (`match`).
        again: whether it was made before.
        written: whether it changed the database.
    """
    if again and not written:
        return "duplicate"
    if fit == 1.0:
        return "gold"
    if fit and tool == "write":
        return "soft"
    return "state" if written else "read"


def broken_by(state: ServiceState, call: Call, texts: Iterable[str], after: Database) -> Iterator[str]:
    """Yield the rules that a write which succeeds, and has these texts among its arguments, breaks, in a fixed order.

    unidentified    the customer's record was never looked at
    unconfirmed     the customer has not said yes, or has said it to something else (`Case.is_wanted`)
    foreign         it names a record of another customer
    and the domain's own.

    Args:
        state: before the write.
        call: the write.
        texts: those among its arguments.
        after: the database after it.
    """
    case = state.case
    sheet, domain = case.sheet, case.domain
    if sheet.identify and case.identifying.isdisjoint(state.called) and sheet.customer not in state.looked:
        yield "unidentified"
    if not (state.customer.agreed and case.is_wanted(state, call, after)):
        yield "unconfirmed"
    owners = {domain.owner(state.database, text) for text in texts}
    if owners - {"", sheet.customer}:
        yield "foreign"
    goal = state.goal or case.goals[-1]
    yield from domain.violations(sheet, goal, state.database, call)


def pries(state: ServiceState, texts: frozenset[str]) -> bool:
    """Whether a look-up names a record of another customer with which the task has nothing to do.

    Args:
        state: before the look-up.
        texts: those among its arguments.
    """
    strange = texts - state.case.mentioned
    owners = {state.case.domain.owner(state.database, text) for text in strange}
    return bool(owners - {"", state.case.sheet.customer})


def texts_in(call: Call) -> Iterator[str]:
    """Yield the texts among a call's arguments, those in lists and objects too."""
    waiting = list(call.arguments.values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, dict):
            waiting.extend(value.values())


def outcome(state: ServiceState) -> Outcome:
    """Return how an episode came out that the customer has ended."""
    if state.goal is not None:
        return Outcome(False, 0.0, EndReason.USER_LEFT, "the customer lost patience")
    wrong = [name for name, value in state.case.parts(state).items() if not value]
    if wrong:
        return Outcome(False, 0.0, EndReason.FAILED, f"wrong: {', '.join(wrong)}")
    return Outcome(True, 1.0, EndReason.SOLVED, state.case.note)
