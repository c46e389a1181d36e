"""Plans: what of a task sheet a customer has to know at every turn, worked out once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any, Final

from agentgym.envs.customer_service.customer.figures import Shapes, shapes_of
from agentgym.envs.customer_service.customer.hear import Ear, ear_of
from agentgym.envs.customer_service.customer.sentences import fold
from agentgym.envs.customer_service.customer.words import CustomerWords
from agentgym.envs.customer_service.sheet import Call, Goal, Sheet

_SHORTEST: Final = 4  # letters of a value that a proposal can be known by


@dataclass(frozen=True, slots=True)
class Step:
    """A goal as the talk comes to it.

    Attributes:
        goal: the goal.
        number: its place in `Sheet.all_goals`.
        facts: fact → what the customer says: those of the goal, and those about the customer.
        opens: the facts that the request states; fewer than `Goal.opens` where no text of the domain has a slot.
        wants: the texts of the request; `again`, `pretexts`: those for reminding and pushing back.
        questions: for each tell, how it is asked for.
        tells: what has to be said, folded, without commas.
        names: the ids that have to do with the goal, folded.
        values: what else a proposal can be known by: the goal's facts, folded.
        choices: fact → the goal's value of it, where the domain's `choices` know it.
        shapes: the shapes of the goal's facts, by which another figure in their place is known (`figures`).
        looks: the ids that an agent must have looked at to be believed.
    """

    goal: Goal
    number: int
    facts: Mapping[str, str]
    opens: tuple[str, ...]
    wants: tuple[str, ...]
    again: tuple[str, ...]
    pretexts: tuple[str, ...]
    questions: tuple[tuple[str, ...], ...]
    tells: tuple[str, ...]
    names: frozenset[str]
    values: tuple[str, ...]
    choices: tuple[tuple[str, str], ...]
    shapes: Shapes
    looks: frozenset[str]


Plan = tuple[tuple[Step, ...], ...]
"""For each goal of the sheet, the steps of its chain."""

_PLANS: dict[tuple[int, int], tuple[CustomerWords, Sheet, Plan]] = {}


def plan_of(words: CustomerWords, sheet: Sheet) -> Plan:
    """Return the plan of a sheet; made once for each sheet object.

    Raises:
        ValueError: the domain has no words for an intent or a topic of the sheet.
    """
    known = _PLANS.get((id(words), id(sheet)))
    if known is not None and known[0] is words and known[1] is sheet:
        return known[2]
    number, rows = 0, []
    for goal in sheet.goals:
        chain = goal.chain
        rows.append(tuple(_step(words, sheet, part, number + depth) for depth, part in enumerate(chain)))
        number += len(chain)
    if len(_PLANS) >= 1_024:
        _PLANS.clear()
    plan = tuple(rows)
    _PLANS[id(words), id(sheet)] = words, sheet, plan
    return plan


def _step(words: CustomerWords, sheet: Sheet, goal: Goal, number: int) -> Step:
    ear = ear_of(words)
    facts = {**sheet.facts, **goal.facts}
    told = set(goal.opens)
    wants = _fitting(words.wants, goal.intent, told, facts, "wants", most=True)
    stated = sorted(_slots(wants[0]))
    calls = (*goal.gold, *goal.reads, *sheet.identify)
    about = (*facts.values(), sheet.customer, *(text for call in calls for text in texts_of(call.arguments)))
    looks = ear.ids("\n".join(fold(text) for call in goal.reads for text in texts_of(call.arguments)))
    return Step(
        goal=goal,
        number=number,
        facts=facts,
        opens=tuple(stated),
        wants=wants,
        again=_fitting(words.again, goal.intent, told, facts, "again"),
        pretexts=_fitting(words.pretexts, goal.intent, told, facts, "") if goal.intent in words.pretexts else (),
        questions=tuple(_fitting(words.questions, tell.topic, told, facts, "questions") for tell in goal.tells),
        tells=tuple(fold(tell.text).replace(",", "") for tell in goal.tells),
        names=ear.ids("\n".join(map(fold, about))),
        values=tuple(sorted({fold(value) for value in goal.facts.values() if len(value) >= _SHORTEST})),
        choices=tuple(_own_choices(words, ear, goal)),
        shapes=shapes_of(value for value in goal.facts.values() if not ear.ids(fold(value))),
        looks=looks,
    )


def texts_of(value: Any) -> Iterator[str]:
    """Yield the texts inside plain JSON, numbers too, keys not."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from texts_of(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts_of(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def used(goal: Goal, tool: str, side: str) -> list[Mapping[str, Any]]:
    """Return the arguments of each call by which a goal has a tool used, in order."""
    calls: Iterator[Call] = (call for call in (*goal.gold, *goal.reads) if (call.name, call.side) == (tool, side))
    return [call.arguments for call in calls]


def _own_choices(words: CustomerWords, ear: Ear, goal: Goal) -> Iterator[tuple[str, str]]:
    """Yield (fact, value) for the facts of a goal that the domain's `choices` know, by the value or by its patterns."""
    for fact, known in words.choices.items():
        said = goal.facts.get(fact)
        if said is None:
            continue
        found = {said} if said in known else ear.named(fold(said)).get(fact, frozenset())
        if len(found) == 1:
            yield fact, next(iter(found))


def _slots(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def _fitting(
    texts: Mapping[str, Sequence[str]],
    key: str,
    told: set[str],
    facts: Mapping[str, str],
    what: str,
    most: bool = False,
) -> tuple[str, ...]:
    """Return the texts whose slots are among what the goal opens with; with `most`, those that state most of it."""
    known = told & facts.keys()
    found = [text for text in texts.get(key, ()) if _slots(text) <= known]
    if most and found:
        widest = max((sorted(_slots(text)) for text in found), key=lambda slots: (len(slots), slots))
        found = [text for text in found if sorted(_slots(text)) == widest]
    if not found and what:
        raise ValueError(f"the customers' words have no text {what}[{key!r}] with slots among {sorted(known)}")
    return tuple(found)
