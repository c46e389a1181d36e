"""The expert: what the agent has to do next (`plan`), in the words of the domain's voice.

It looks at the state alone, so it knows a way from wherever somebody's play led. Which of a voice's texts it takes
follows from the task and from how often the customer was put off, so that it says the same in the same state. What
customers listen for is not known here: their rules are never imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import Formatter
from typing import TYPE_CHECKING
from zlib import crc32

from agentgym.envs.customer_service.plan import ASK, CALL, DONE, INSTRUCT, MORE, PROPOSE, REFUSE, Step, next_step
from agentgym.envs.customer_service.sheet import Call, Goal, Tell

if TYPE_CHECKING:
    from agentgym.envs.customer_service.state import Case, ServiceState

GREETING = ("Happy to help.", "Of course.", "Sure, I'll look into it.")
FOUND = ("Here is what I found.", "I have looked it up.", "I have it here.")
OFFERS = (
    "Is there anything else I can do for you?",
    "Can I help you with anything else?",
    "Anything else I can do for you today?",
)


def advice(state: ServiceState) -> str | Call:
    """Return what the expert does now: a message, or a call."""
    return worded(state.case, state.goal, next_step(state), pushes(state))


def pushes(state: ServiceState) -> int:
    """Return how often the customer was put off so far; it changes what is said."""
    return state.customer.pushed + state.case.sheet.patience - state.customer.patience


def worded(
    case: Case, goal: Goal | None, step: Step, count: int = 0, tells: Sequence[Tell] | None = None
) -> str | Call:
    """Return a step as a message, or as a call.

    Args:
        case: the task.
        goal: what the talk is about.
        step: what to do.
        count: how often the customer was put off.
        tells: what to say of what was done; None: all that the goal asks for.

    Raises:
        KeyError: the domain's voice has no text for it; the message names what is missing.
    """
    if step.kind == CALL:
        assert step.call is not None
        return step.call
    if step.kind == MORE or goal is None:
        return choose(case, "more", OFFERS, count)
    facts = {**case.sheet.facts, **goal.facts}
    voice = case.domain.voice
    if step.kind == ASK:
        return " ".join(said(case, voice.asks, fact, facts, count) for fact in step.facts)
    if step.kind == INSTRUCT:
        assert step.call is not None
        return said(case, voice.instructs, step.call.name, facts, count)
    if step.kind == REFUSE:
        return said(case, voice.refuses, step.reason, facts, count)
    if step.kind == PROPOSE:
        return said(case, voice.proposes, goal.intent, facts, count)
    assert step.kind == DONE
    return report(case, goal, goal.tells if tells is None else tells, count)


def report(case: Case, goal: Goal, tells: Sequence[Tell], count: int = 0) -> str:
    """Return what is said once a goal is fulfilled: what was done, if something was, and what is to be told."""
    facts = {**case.sheet.facts, **goal.facts}
    voice = case.domain.voice
    head = said(case, voice.done, goal.intent, facts, count) if goal.intent in voice.done else ""
    if not head:
        head = choose(case, "found", FOUND, count)
    rest = [said(case, voice.tells, tell.topic, {**facts, "text": tell.text}, count) for tell in tells]
    return " ".join([head, *rest])


def said(case: Case, texts: Mapping[str, Sequence[str]], key: str, slots: Mapping[str, str], count: int) -> str:
    """Return one of a key's texts that can be filled, its slots filled.

    Raises:
        KeyError: there is no text for the key, or none whose slots are all known.
    """
    if key not in texts:
        raise KeyError(f"the voice of {case.domain.name} has no text for {key!r}")
    able = [text for text in texts[key] if slots_of(text) <= slots.keys()]
    if not able:
        lacking = sorted(slots_of(texts[key][0]) - slots.keys())
        raise KeyError(f"the voice of {case.domain.name}, {key!r}: nothing is known for {', '.join(lacking)}")
    return choose(case, key, able, count).format_map(slots)


def slots_of(text: str) -> set[str]:
    """Return the names of the slots in a template."""
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def choose(case: Case, key: str, texts: Sequence[str], count: int) -> str:
    """Return one of some texts, by the task and the key; the next one each time that `count` is higher."""
    return texts[(crc32(f"{case.task} {key}".encode()) + count) % len(texts)]
