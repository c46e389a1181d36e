"""The menu: of every kind of thing that an agent may do now the one that fits, and near misses of it.

Of each kind, whether or not it is its turn, there are as many entries: questions, calls that read, proposals, writes,
refusals, a report. So neither the number of entries of a kind nor their look says what to do now; that is in the talk
alone. Numbers that only the database knows stand beside wrong ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from typing import Final
from zlib import crc32

from agentgym.envs.customer_service import plan
from agentgym.envs.customer_service.catalog import catalog
from agentgym.envs.customer_service.expert import pushes, slots_of, worded
from agentgym.envs.customer_service.misses import adapted, known_keys, near_calls, other_facts, other_tells
from agentgym.envs.customer_service.plan import Step, next_step
from agentgym.envs.customer_service.sheet import AGENT, CUSTOMER, Call, Goal, Tell
from agentgym.envs.customer_service.state import Case, ServiceState
from agentgym.rng import TurnRng

QUOTAS: Final[Mapping[str, int]] = {"ask": 2, "read": 3, "propose": 2, "write": 2, "refuse": 2, "report": 1}
"""Entries of each kind."""

WITH_TOOLS: Final[Mapping[str, int]] = {**QUOTAS, "propose": 1, "write": 2, "instruct": 2, "refuse": 1}
"""Entries of each kind where customers have tools of their own."""

Entry = str | Call


def entries(state: ServiceState) -> list[Entry]:
    """Return what is on offer in a state, the expert's action among it, in the order of kinds."""
    case, goal, count = state.case, state.goal, pushes(state)
    quotas = WITH_TOOLS if case.domain.voice.instructs else QUOTAS
    step = next_step(state)
    pools: dict[str, Iterable[Entry]] = {
        "ask": _asks(state, goal),
        "read": _reads(state, goal),
        "propose": _proposals(state, goal),
        "write": _writes(state, goal),
        "instruct": _instructions(state, goal),
        "refuse": _refusals(state, goal),
        "report": _reports(state, goal),
    }
    right = worded(case, goal, step, count)
    kind = _kind(case, step)
    found: list[Entry] = []
    for name, quota in quotas.items():
        first = [right] if name == kind else []
        found += _distinct([*first, *pools[name]], quota, found)
    if right not in found:
        found.append(right)
    return found


def _distinct(items: Iterable[Entry], many: int, known: list[Entry]) -> list[Entry]:
    found: list[Entry] = []
    for item in items:
        if len(found) == many:
            break
        if item not in found and item not in known:
            found.append(item)
    return found


def _kind(case: Case, step: Step) -> str:
    """Return the kind of entry that a step makes."""
    if step.kind == plan.CALL:
        assert step.call is not None
        return "read" if case.domain.tools[step.call.name].tag == "read" else "write"
    return {plan.DONE: "report", plan.MORE: "report"}.get(step.kind, step.kind)


def _number(case: Case, goal: Goal | None) -> int:
    return -1 if goal is None else plan.number_of(case, goal)


def _goal(case: Case, number: int) -> Goal | None:
    return None if number < 0 else case.goals[number]


def _rng(case: Case, number: int, what: str) -> TurnRng:
    """Return draws that belong to a goal of a task."""
    return TurnRng(crc32(case.task.encode()), stream=f"menu {number} {what}")


# ---- pools: what fits comes first -----------------------------------------------------------------------------------


def _asks(state: ServiceState, goal: Goal | None) -> Iterator[str]:
    """Yield questions: for what is still to be known, then for other things that customers can be asked."""
    case, count = state.case, pushes(state)
    identity = plan.identity_facts(case)
    needed = () if goal is None else plan.needed_facts(case, goal)
    stranger = not all(plan.was_called(state, call) for call in case.sheet.identify)
    open_now = plan.missing(state, identity if stranger else needed)
    others = [fact for fact in case.domain.voice.asks if fact not in open_now]
    single = [(fact,) for fact in _rng(case, _number(case, goal), "asks").shuffled(others)]
    for asked in [open_now, *single] if open_now else single:
        line = _said(case, goal, Step(plan.ASK, asked), count)
        if line is not None:
            yield line


def _reads(state: ServiceState, goal: Goal | None) -> Iterator[Call]:
    """Yield calls that look something up: the next one to make, then others about what the talk is about."""
    case = state.case
    sheet = case.sheet
    due = [*sheet.identify, *(goal.reads if goal else ())]
    mine = [call for call in due if call.side == AGENT]
    left = [call for call in mine if not plan.was_called(state, call)]
    yield from left[:1]
    yield from _other_reads(case, _number(case, goal))
    yield from reversed(mine)


@lru_cache(maxsize=4096)
def _other_reads(case: Case, number: int) -> tuple[Call, ...]:
    goal, rng = _goal(case, number), _rng(case, number, "reads")
    mine = [call for call in (*case.sheet.identify, *(goal.reads if goal else ())) if call.side == AGENT]
    keyed = [call for call in mine if known_record(case, call)]
    near = [other for call in reversed(keyed) for other in near_calls(case, call, rng)[:2]]
    fitted = [adapted(case, call, goal, rng) for call in rng.shuffled(catalog(case.domain).reads)]
    able = [call for call in fitted if call.side == AGENT and known_record(case, call)]
    found = [call for pair in _interleaved(able, near) for call in pair]
    return tuple(call for call in found if call not in mine)


def known_record(case: Case, call: Call) -> bool:
    """Return whether a call names a record of this talk."""
    keys = {key for group in known_keys(case).values() for key in group}
    return any(text in keys for text in plan.texts(call.arguments))


def _interleaved(one: Iterable[Call], other: Iterable[Call]) -> Iterator[tuple[Call, ...]]:
    for pair in zip_longest(one, other):
        yield tuple(call for call in pair if call is not None)


def _writes(state: ServiceState, goal: Goal | None) -> Iterator[Call]:
    """Yield writes: the next one to make, or one that would fulfil what is asked for, then near misses of it."""
    case = state.case
    gold = () if goal is None else tuple(call for call in goal.due if call.side == AGENT)
    left = [] if goal is None else plan.writes_left(state, goal, plan.number_of(case, goal))
    here = next((call for call in left if call.side == AGENT), gold[-1] if gold else None)
    yield from _near_writes(case, _number(case, goal), gold.index(here) if here in gold else -1)


@lru_cache(maxsize=8192)
def _near_writes(case: Case, number: int, place: int) -> tuple[Call, ...]:
    """Return the gold write at a place (−1: none) and near misses; without one, writes that others ask for."""
    goal, rng = _goal(case, number), _rng(case, number, f"writes {place}")
    known = catalog(case.domain).writes
    same = [call for call in known.get(goal.intent if goal else "", ()) if call.side == AGENT]
    every = [call for intent in known for call in known[intent] if call.side == AGENT]
    fitted = [adapted(case, call, goal, rng) for call in (*same, *rng.shuffled(every))]
    if goal is None or place < 0:
        return tuple(fitted)
    gold = [call for call in goal.due if call.side == AGENT][place]
    near = near_calls(case, gold, rng)
    return (gold, *near, *(call for call in fitted if call != gold))


def _instructions(state: ServiceState, goal: Goal | None) -> Iterator[str]:
    """Yield requests to use a tool of the customer's own, that which is due first."""
    case, count = state.case, pushes(state)
    rng = _rng(case, _number(case, goal), "instructions")
    left = () if goal is None else plan.writes_left(state, goal, plan.number_of(case, goal))
    due = [call for call in left if call.side == CUSTOMER][:1]
    known = [name for name, tool in case.domain.tools.items() if tool.side == CUSTOMER]
    others = [Call(name, {}, CUSTOMER) for name in rng.shuffled(known)]
    for call in (*due, *others):
        line = _said(case, goal, Step(plan.INSTRUCT, call=call), count)
        if line is not None:
            yield line


def _proposals(state: ServiceState, goal: Goal | None) -> Iterator[str]:
    """Yield questions for a yes: to what is asked for, to that with another detail, to something else."""
    if goal is None:
        return
    case, count = state.case, pushes(state)
    rng = _rng(case, _number(case, goal), "proposals")
    step = Step(plan.PROPOSE, tells=plan.tells_now(state, goal))
    used = {slot for text in case.domain.voice.proposes.get(goal.intent, ()) for slot in slots_of(text)}
    wrong = replace_tells(step, other_tells(case, step.tells, rng))
    misses = [(replace(goal, facts=facts), step) for facts in other_facts(case, goal, used, rng)]
    misses = rng.shuffled([*misses, (goal, wrong)])
    others = [
        (replace(goal, intent=intent), Step(plan.PROPOSE)) for intent in rng.shuffled(list(case.domain.voice.proposes))
    ]
    for which, proposed in [(goal, step), *misses, *others]:
        line = _said(case, which, proposed, count)
        if line is not None:
            yield line


def _refusals(state: ServiceState, goal: Goal | None) -> Iterator[str]:
    """Yield refusals: for the right reason if there is one, then for others."""
    case, count = state.case, pushes(state)
    reasons = _rng(case, _number(case, goal), "refusals").shuffled(list(case.domain.voice.refuses))
    right = [goal.reason] if goal is not None and goal.reason else []
    told = plan.tells_now(state, goal) if goal is not None else ()
    for reason in dict.fromkeys([*right, *reasons]):
        line = _said(case, goal, Step(plan.REFUSE, reason=reason, tells=told), count)
        if line is not None:
            yield line


def _reports(state: ServiceState, goal: Goal | None) -> Iterator[str]:
    """Yield what is said once something is done: a wrong or a right figure, as drawn; then an offer of more help."""
    case, count = state.case, pushes(state)
    if goal is not None:
        rng = _rng(case, _number(case, goal), "reports")
        right = Step(plan.DONE, tells=goal.tells)
        for step in rng.shuffled([replace_tells(right, other_tells(case, goal.tells, rng)), right]):
            line = _said(case, goal, step, count)
            if line is not None:
                yield line
    more = worded(case, None, Step(plan.MORE), count)
    assert isinstance(more, str)
    yield more


def replace_tells(step: Step, tells: Iterable[Tell]) -> Step:
    """Return a step that tells something else."""
    return step._replace(tells=tuple(tells))


def _said(case: Case, goal: Goal | None, step: Step, count: int) -> str | None:
    """Return a step's message; None where the voice has no text that fits."""
    try:
        line = worded(case, goal, step, count)
    except KeyError:
        return None
    return line if isinstance(line, str) else None
