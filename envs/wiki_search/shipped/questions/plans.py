"""Plans: how the answer of a question follows from the facts, step by step.

A plan is written in lines, with semicolons between them, each about something that has a short name:

    a: city                             a city that the question names
    a: airport / iata                   the airport with an IATA code that the question tells, as {a.iata}
    b = a.country                       what the page of `a` says of its country, an entity or a value
    c: country / capital=b currency     the country with the capital `b` and a currency that the question tells
    more p q                            that one of the two whose value `p` or `q` is greater; `less` likewise
    same p q                            yes or no: whether both are the same

The answer is the last line's. `worlds` draws what the names can stand for; `answers` goes the other way: it takes
what a question says, and finds every way to read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from agentgym.envs.wiki_search.shipped.facts import Entity, Facts
from agentgym.envs.wiki_search.shipped.questions.speech import Node, Said, Speech, Told, stated
from agentgym.rng import TurnRng

FEW: Final = 30
"""So many are tried for a further entity that is free to choose, for each choice of the first."""
VERDICTS: Final = ("more", "less", "same")
_FREE: Final = re.compile(r"(\w+): (\w+)(?: / (.+))?")
_STEP: Final = re.compile(r"(\w+) = (\w+)\.(\w+)")
_VERDICT: Final = re.compile(rf"({'|'.join(VERDICTS)}) (\w+) (\w+)")

World = Mapping[str, Node]
"""Name → what it stands for."""


@dataclass(frozen=True, slots=True)
class Named:
    """An entity that the question names."""

    name: str
    kind: str

    def drawn(self, world: World, facts: Facts) -> list[Node]:
        """Return all that it could stand for."""
        return [facts.entities[key] for key in facts.kinds[self.kind]]

    def fitting(self, world: World, said: Said, speech: Speech) -> list[Node]:
        """Return whatever is called what the question says."""
        return list(speech.called(said[self.name]))


@dataclass(frozen=True, slots=True)
class Described:
    """An entity that the question describes: by values that it tells, or by entities that came before."""

    name: str
    kind: str
    told: tuple[str, ...]
    given: tuple[tuple[str, str], ...]  # relation, name of an entity

    def drawn(self, world: World, facts: Facts) -> list[Node]:
        """Return the entities of the kind that have all these relations, to the entities given."""
        return [one for one in self._pool(world, facts) if all(one.one(told) is not None for told in self.told)]

    def fitting(self, world: World, said: Said, speech: Speech) -> list[Node]:
        """Return the entities of which the facts state all that the question tells, whatever their pages say."""
        return [
            one
            for one in self._pool(world, speech.facts)
            if all(said[f"{self.name}.{told}"] in stated(one, told) for told in self.told)
        ]

    def _pool(self, world: World, facts: Facts) -> list[Entity]:
        pools = []
        for relation, name in self.given:
            node = world[name]
            pools.append(facts.inverse(relation, node.id) if isinstance(node, Entity) else ())
        first, *others = pools or [facts.kinds[self.kind]]
        kept = [key for key in first if all(key in other for other in others)]
        return [facts.entities[key] for key in kept if facts.entities[key].kind == self.kind]


@dataclass(frozen=True, slots=True)
class Step:
    """What the page of an entity says of it."""

    name: str
    base: str
    relation: str

    def drawn(self, world: World, facts: Facts) -> list[Node]:
        """Return all entities and values that the relation leads to."""
        page = world[self.base]
        if not isinstance(page, Entity):
            return []
        return [facts.entities[fact.target] if fact.target else Told(page, fact) for fact in page.all(self.relation)]

    def fitting(self, world: World, said: Said, speech: Speech) -> list[Node]:
        """Return the same: the question says nothing of it."""
        return self.drawn(world, speech.facts)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A comparison of what two names stand for."""

    how: str
    first: str
    second: str


Line = Named | Described | Step


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan, read. `verdict` is None where the answer is the last line's."""

    lines: tuple[Line, ...]
    verdict: Verdict | None

    @property
    def free(self) -> tuple[str, ...]:
        """Return the names that a question tells or describes."""
        return tuple(line.name for line in self.lines if not isinstance(line, Step))

    def line(self, name: str) -> Line:
        """Return the line about a name."""
        return next(line for line in self.lines if line.name == name)

    def root(self, name: str) -> str:
        """Return the entity, named or described, from which steps lead to a name."""
        line = self.line(name)
        return self.root(line.base) if isinstance(line, Step) else name

    @property
    def chain(self) -> tuple[str, ...]:
        """Return the relations that it follows, in order, however what is found is compared."""
        found: list[str] = []
        for line in self.lines:
            if isinstance(line, Step):
                found.append(line.relation)
            elif isinstance(line, Described):
                found += [*line.told, *(relation for relation, _ in line.given)]
        return tuple(found)


@cache
def read(text: str) -> Plan:
    """Return the plan that a text describes.

    Raises:
        ValueError: a line that is none of the forms, or speaks of a name that no line before it is about.
    """
    lines: list[Line] = []
    verdict = None
    for part in (part.strip() for part in text.split(";")):
        known = {line.name for line in lines}
        needed: set[str] = set()
        if verdict is not None:
            raise ValueError(f"plan {text!r}: nothing can follow {verdict.how!r}")
        if match := _VERDICT.fullmatch(part):
            verdict = Verdict(match[1], match[2], match[3])
            needed = {match[2], match[3]}
        elif match := _STEP.fullmatch(part):
            lines.append(Step(match[1], match[2], match[3]))
            needed = {match[2]}
        elif match := _FREE.fullmatch(part):
            lines.append(_free(match[1], match[2], (match[3] or "").split()))
            needed = {condition.partition("=")[2] for condition in (match[3] or "").split()} - {""}
        else:
            raise ValueError(f"plan {text!r}: {part!r} is no line of a plan")
        if needed - known:
            raise ValueError(
                f"plan {text!r}: {part!r} speaks of {min(needed - known)!r}, which no line before is about"
            )
    return Plan(tuple(lines), verdict)


def _free(name: str, kind: str, conditions: list[str]) -> Named | Described:
    if not conditions:
        return Named(name, kind)
    parts = [condition.partition("=") for condition in conditions]
    told = tuple(relation for relation, sign, _ in parts if not sign)
    return Described(name, kind, told, tuple((relation, given) for relation, sign, given in parts if sign))


def worlds(plan: Plan, facts: Facts, rng: TurnRng) -> Iterator[dict[str, Node]]:
    """Yield what the names of a plan can stand for, in a drawn order.

    That is every choice of the first entity, FEW of any other that is free, and all that follows from them.
    """
    yield from _worlds(plan, 0, {}, facts, rng)


def _worlds(plan: Plan, place: int, world: dict[str, Node], facts: Facts, rng: TurnRng) -> Iterator[dict[str, Node]]:
    if place == len(plan.lines):
        yield world
        return
    line = plan.lines[place]
    found = line.drawn(world, facts)
    if place == 0:
        found = rng.shuffled(found)
    elif not isinstance(line, Step) and len(found) > FEW:
        found = [rng.choice(found) for _ in range(FEW)]
    for node in found:
        yield from _worlds(plan, place + 1, {**world, line.name: node}, facts, rng)


def fitting(plan: Plan, said: Said, speech: Speech) -> list[dict[str, Node]]:
    """Return all that the names of a plan can stand for by what a question says: one way, if it is a good question."""
    found: list[dict[str, Node]] = [{}]
    for line in plan.lines:
        found = [{**world, line.name: node} for world in found for node in line.fitting(world, said, speech)]
    return found


def answers(plan: Plan, said: Said, speech: Speech) -> list[str]:
    """Return the answer of each way to read what a question says, in order; those of two ways may be equal."""
    return sorted(answer_of(plan, world, speech) for world in fitting(plan, said, speech))


def answer_of(plan: Plan, world: World, speech: Speech) -> str:
    """Return the answer of a plan in one of its worlds, "" where it has none."""
    found = result(plan, world, speech)
    return found if isinstance(found, str) else speech.text(found) if found else ""


def result(plan: Plan, world: World, speech: Speech) -> Node | str | None:
    """Return what a plan finds in one of its worlds: an entity or a value, yes or no; None where it cannot be said."""
    verdict = plan.verdict
    if verdict is None:
        return world[plan.lines[-1].name]
    first, second = world[verdict.first], world[verdict.second]
    texts = speech.text(first), speech.text(second)
    if verdict.how == "same":
        return ("no", "yes")[texts[0] == texts[1]] if all(texts) else None
    if not (isinstance(first, Told) and isinstance(second, Told)) or texts[0] == texts[1]:
        return None
    values = first.fact.value, second.fact.value
    if isinstance(values[0], str) or isinstance(values[1], str) or values[0] == values[1]:
        return None
    ahead = (values[0] > values[1]) == (verdict.how == "more")
    return world[plan.root(verdict.first if ahead else verdict.second)]
