"""Auditing customers: what a customer must never do, checked for one turn, whatever rules made it so.

The errors are those that make simulated users useless as judges of agents: a stated fact that differs from the task
sheet, a fact withheld though asked for, a change of goal nobody asked for, an end before the work is done, an end in
the breath of a yes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentgym.envs.customer_service.customer.hear import ear_of, hear
from agentgym.envs.customer_service.customer.plan import Step, plan_of, texts_of
from agentgym.envs.customer_service.customer.sentences import fold
from agentgym.envs.customer_service.customer.state import DROPPED, REFUSED, SERVED, CustomerState, Reaction, View
from agentgym.envs.customer_service.domain import Domain
from agentgym.envs.customer_service.sheet import Goal, Sheet

_EXACT = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|#?\b[\w-]*\d[\w-]*(?:[.:]\d+)*")


def audit(domain: Domain, sheet: Sheet, before: CustomerState, text: str, view: View, reaction: Reaction) -> list[str]:
    """Return the errors of a customer's reaction to a message, none where there are none.

    Args:
        domain: the domain.
        sheet: the customer's task sheet.
        before: the customer's state before the message.
        text: the agent's message.
        view: what the customer saw of the world.
        reaction: what `talk.react` gave.
    """
    if before.ended:
        silent = reaction.state == before and reaction.text == "" and reaction.database is view.database
        return [] if silent else ["the customer goes on after the end"]
    plan = plan_of(domain.words, sheet)
    step = plan[before.goal][before.depth]
    found = (*_facts(domain, sheet, step, text, reaction), *_goals(plan, before, view, reaction, step))
    return list(found)


def _facts(domain: Domain, sheet: Sheet, step: Step, text: str, reaction: Reaction) -> Iterator[str]:
    said = fold(reaction.text)
    for fact in hear(domain.words, text).asks:
        value = step.facts.get(fact)
        if value is not None and fold(value) not in said:
            yield f"withheld: {fact} was asked for, and {value!r} is not in {reaction.text!r}"
        if value is None and fact not in reaction.state.told and reaction.state.goal == step_index(sheet, step):
            yield f"withheld: {fact} was asked for and passed over"
    known = fold(" ".join(texts_of([_values(goal) for goal in sheet.all_goals]))) + fold(" ".join(_about(sheet)))
    if reaction.kind != "instruction":  # what the customer's own tools printed is not in the sheet
        for exact in _EXACT.findall(said):
            if exact not in known and exact not in _grammar(domain):
                yield f"false: {exact!r} in {reaction.text!r} is not in the task sheet"
    if hear(domain.words, text).asks and reaction.kind == "asks":
        own = {fact: step.facts[fact] for fact in domain.words.choices if fact in step.facts}
        named = ear_of(domain.words).named(said)
        for fact, value in own.items():
            right = ear_of(domain.words).named(fold(value)).get(fact, frozenset({value}))
            if fact in named and not named[fact] & right:
                yield f"false: {fact} is {value!r}, but {reaction.text!r} says {sorted(named[fact])}"


def _about(sheet: Sheet) -> Iterator[str]:
    yield sheet.customer
    yield from sheet.facts.values()


def _values(goal: Goal) -> dict[str, str]:
    return dict(goal.facts)


def _grammar(domain: Domain) -> str:
    """Return all that the domain's own texts contain, whatever the sheet."""
    words = domain.words
    tables = (words.wants, words.again, words.says, words.pretexts, words.questions, words.reports)
    texts = [text for table in tables for items in table.values() for text in items]
    return fold("\n".join((*texts, *words.names.values())))


def step_index(sheet: Sheet, step: Step) -> int:
    """Return the index in `Sheet.goals` of the goal that a step belongs to."""
    number = 0
    for index, goal in enumerate(sheet.goals):
        number += len(goal.chain)
        if step.number < number:
            return index
    return len(sheet.goals)


def _goals(
    plan: tuple[tuple[Step, ...], ...], before: CustomerState, view: View, reaction: Reaction, step: Step
) -> Iterator[str]:
    after, goal = reaction.state, step.goal
    settled = after.results[len(before.results) :]
    moved = (after.goal, after.depth) != (before.goal, before.depth)
    if after.results[: len(before.results)] != before.results or len(settled) > 1:
        yield f"results went from {before.results} to {after.results}"
    if moved and not settled and not (goal.change and after.depth == before.depth + 1 and after.goal == before.goal):
        yield "the goal changed without having been settled, and no change of mind is in the sheet"
    if moved and settled and (after.goal, after.depth) not in _followers(before, goal, settled[0]):
        yield f"after goal {before.goal}.{before.depth} came {after.goal}.{after.depth}"
    told = all((step.number, place) in after.said for place in range(len(step.tells)))
    if settled == (SERVED,) and (goal.reason or goal.change or not view.served or not told):
        yield "the goal was taken for served before its writes and tells"
    if settled == (REFUSED,) and not (goal.reason and told):
        yield "the goal was given up though it is allowed, or before its tells"
    if settled == (DROPPED,) and goal.reason:
        yield "a forbidden goal was dropped without the right reason"
    if after.ended and not after.left and (after.goal != len(plan) or not settled):
        yield "the talk ended before all goals were settled"
    if after.ended and (reaction.kind == "agreed" or (after.agreed and not before.agreed)):
        yield "the talk ended in the turn of a yes"


def _followers(before: CustomerState, goal: Goal, result: str) -> set[tuple[int, int]]:
    if result == REFUSED and goal.fallback is not None:
        return {(before.goal, before.depth + 1)}
    return {(before.goal + 1, 0)}
