"""The customer's role card, and the drafts of what it says: for a user that puts them into words of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agentgym.envs.customer_service.customer.plan import Step, plan_of
from agentgym.envs.customer_service.customer.say import Speaker
from agentgym.envs.customer_service.state import Case, ServiceState
from agentgym.user import Draft

LEAVE: Final = "leave"
"""What a customer with a mind of its own may do instead of what was drafted: end the talk, unserved."""

_LONGEST: Final = 60


def card(state: ServiceState) -> str:
    """Return who the customer is, what they want in which order, what they say only when asked, and where they stand.

    Nothing of the agent's side is in it: no policy, no record, no result of a call.
    """
    case, customer = state.case, state.customer
    sheet = case.sheet
    lines = [f"You are a customer of {case.domain.title} and write to its service.", f"Your mood: {sheet.mood}."]
    lines += [f"About you, {_name(fact)}: {value}" for fact, value in sheet.facts.items()]
    if sheet.unknown:
        lines.append(f"You do not remember your {', '.join(map(_name, sheet.unknown))}.")
    speaker = Speaker(case.domain.words, sheet.mood, customer.manner, "card")
    for place, chain in enumerate(plan_of(case.domain.words, sheet), 1):
        for step in chain:
            lines += _wish(speaker, step, place)
    lines += [line for line in case.brief if line]
    lines += ["State a fact only when you are asked for it. End the talk when everything is settled.", _standing(state)]
    return "\n".join(lines)


def draft(state: ServiceState, text: str, kind: str) -> Draft:
    """Return what the customer is about to say.

    Args:
        state: after the message that is answered.
        text: the scripted words.
        kind: what the message was taken for (`customer.state.Reaction`).
    """
    return Draft(text, kind, tuple(_facts(state.case, text)), () if state.customer.ended else (LEAVE,))


def _wish(speaker: Speaker, step: Step, place: int) -> Iterator[str]:
    """Yield what the card says of one goal."""
    goal = step.goal
    yield f"Request {place}: {speaker.wants(step)}"
    hidden = {fact: value for fact, value in goal.facts.items() if fact not in step.opens}
    if hidden:
        yield "  To tell when asked: " + "; ".join(f"{_name(fact)}: {value}" for fact, value in hidden.items())
    if goal.tells:
        yield f"  To find out: {speaker.asks(step, range(len(goal.tells)))}"
    if goal.change is not None:
        yield "  When you are first asked for a yes you change your mind: the next request takes its place."
    elif goal.reason:
        pushes = f"push back {goal.insist} time{'s' if goal.insist > 1 else ''}, then " if goal.insist else ""
        then = "ask for the next request instead" if goal.fallback is not None else "accept it"
        yield f"  When it is refused: {pushes}{then}."


def _standing(state: ServiceState) -> str:
    """Return where the talk stands for the customer."""
    customer, goal = state.customer, state.goal
    if customer.ended:
        return "Now: the talk is over."
    if goal is None:
        return "Now: everything is settled."
    told = ", ".join(_name(fact) for fact in sorted(customer.told)) or "nothing"
    yes = "; you have said yes" if customer.agreed else ""
    left = f"messages in vain that you still bear: {customer.patience}"
    return f"Now: request {customer.goal + 1}; told: {told}{yes}; {left}."


def _facts(case: Case, text: str) -> Iterator[str]:
    """Yield the sheet's facts that stand in a text, each once, but no whole messages, as of public tasks."""
    values = [*case.sheet.facts.values(), *(value for goal in case.goals for value in goal.facts.values())]
    for value in dict.fromkeys(values):
        if len(value) <= _LONGEST and value in text and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text):
            yield value


def _name(fact: str) -> str:
    return fact.replace("_", " ")
