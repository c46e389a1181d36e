"""The expert: what the agent has to do next (`plan`), in the words of the domain's voice.

It looks at the state alone, so it knows a way from wherever somebody's play led. Which of a voice's texts it takes
follows from the task and from how often the customer was put off, so that it says the same in the same state. What
customers listen for is not known here: their rules are never imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from string import Formatter
from zlib import crc32

from agentgym.envs.customer_service.plan import ASK, CALL, DONE, INSTRUCT, MORE, PROPOSE, REFUSE, Step, next_step
from agentgym.envs.customer_service.sheet import Call, Goal
from agentgym.envs.customer_service.state import Case, ServiceState

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


def worded(case: Case, goal: Goal | None, step: Step, count: int = 0) -> str | Call:
    """Return a step as a message, or as a call.

    Args:
        case: the task.
        goal: what the talk is about.
        step: what to do.
        count: how often the customer was put off.

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
    told = [said(case, voice.tells, tell.topic, {**facts, "text": tell.text}, count) for tell in step.tells]
    if step.kind == ASK:
        lines = [said(case, voice.asks, fact, facts, count) for fact in step.facts]
    elif step.kind == PROPOSE:
        lines = [*told, said(case, voice.proposes, goal.intent, facts, count)]
    elif step.kind == INSTRUCT:
        assert step.call is not None
        lines = [said(case, voice.instructs, step.call.name, facts, count)]
    elif step.kind == REFUSE:
        lines = [said(case, voice.refuses, step.reason, facts, count), *told]
    else:
        assert step.kind == DONE
        lines = [_done(case, goal, facts, count), *told]
    return " ".join(lines)


def _done(case: Case, goal: Goal, facts: Mapping[str, str], count: int) -> str:
    """Return what is said once a goal is fulfilled; where nothing was done, that it was looked up."""
    if goal.due and goal.intent in case.domain.voice.done:
        return said(case, case.domain.voice.done, goal.intent, facts, count)
    return choose(case, "found", FOUND, count)


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


@cache
def slots_of(text: str) -> frozenset[str]:
    """Return the names of the slots in a template."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name)


def choose(case: Case, key: str, texts: Sequence[str], count: int) -> str:
    """Return one of some texts, by the task and the key; the next one each time that `count` is higher."""
    return texts[(crc32(f"{case.task} {key}".encode()) + count) % len(texts)]
