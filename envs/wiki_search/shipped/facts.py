"""The facts of the shipped encyclopedia: what `gather` read from data packages, each with the package that says it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from agentgym.errors import unknown

FILE: Final = Path(__file__).parents[1] / "data" / "facts.json.gz"
DISAMBIGUATION: Final = "disambiguation"
"""The kind of the pages that list the pages of a name that several have; `refers_to` leads to them."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement about an entity.

    Attributes:
        relation: what it states, such as "capital"; docs list them all.
        value: a word, a whole number or a decimal one; the target's name if there is a target.
        target: id of the entity that the value names, or "" where it names none that has an article.
        source: index into `Facts.sources`. What was computed bears the package that it was computed from.
    """

    relation: str
    value: str | int | float
    target: str
    source: int


@dataclass(frozen=True, slots=True)
class Entity:
    """Something with an article.

    Attributes:
        id: kind and key, such as "country:FR".
        kind: such as "country".
        name: what people say, such as "Georgia"; several may share it.
        title: of its article, unique: the name, or the name with a qualifier as in "Georgia (country)".
        aliases: other names, never the name.
        facts: in the order of their relations as gathered; a relation may have several.
    """

    id: str
    kind: str
    name: str
    title: str
    aliases: tuple[str, ...]
    facts: tuple[Fact, ...]

    def all(self, relation: str) -> tuple[Fact, ...]:
        """Return the facts of a relation in order, none if it has none."""
        return tuple(fact for fact in self.facts if fact.relation == relation)

    def one(self, relation: str) -> Fact | None:
        """Return the first fact of a relation, if there is one."""
        return next((fact for fact in self.facts if fact.relation == relation), None)


@dataclass(frozen=True)
class Facts:
    """All entities, read once a process.

    Attributes:
        entities: by id, in sorted order.
        sources: each package as "name version".
        licences: of each source, by its place.
        kinds: ids by kind, both in sorted order.
    """

    entities: Mapping[str, Entity]
    sources: tuple[str, ...]
    licences: tuple[str, ...]
    kinds: Mapping[str, tuple[str, ...]] = field(init=False)

    def __post_init__(self) -> None:
        kinds: dict[str, list[str]] = {}
        for entity in self.entities.values():
            kinds.setdefault(entity.kind, []).append(entity.id)
        object.__setattr__(self, "kinds", MappingProxyType({kind: tuple(kinds[kind]) for kind in sorted(kinds)}))
        relations: dict[str, list[tuple[str, Fact]]] = {}
        inverse: dict[tuple[str, str], list[str]] = {}
        for entity in self.entities.values():
            for fact in entity.facts:
                relations.setdefault(fact.relation, []).append((entity.id, fact))
                if fact.target:
                    inverse.setdefault((fact.relation, fact.target), []).append(entity.id)
        object.__setattr__(self, "_relations", {name: tuple(relations[name]) for name in sorted(relations)})
        object.__setattr__(self, "_inverse", {key: tuple(found) for key, found in inverse.items()})
        object.__setattr__(self, "_titles", {entity.title: entity.id for entity in self.entities.values()})

    @property
    def relations(self) -> tuple[str, ...]:
        """The names of all relations, sorted."""
        return tuple(self.__dict__["_relations"])

    def by_relation(self, relation: str) -> tuple[tuple[str, Fact], ...]:
        """Return (id, fact) of every fact of a relation, in the order of the ids.

        Raises:
            ValueError: no entity has such a fact; the message offers the nearest relation.
        """
        found: dict[str, tuple[tuple[str, Fact], ...]] = self.__dict__["_relations"]
        if relation not in found:
            raise ValueError(unknown("relation", relation, list(found)))
        return found[relation]

    def inverse(self, relation: str, target: str) -> tuple[str, ...]:
        """Return the ids of the entities with a fact of this relation that leads to `target`, in sorted order."""
        found: dict[tuple[str, str], tuple[str, ...]] = self.__dict__["_inverse"]
        return found.get((relation, target), ())

    def titled(self, title: str) -> Entity | None:
        """Return the entity whose article has this title, if there is one."""
        found: dict[str, str] = self.__dict__["_titles"]
        return self.entities[found[title]] if title in found else None


@cache
def load() -> Facts:
    """Return the shipped facts; a process reads them once."""
    return unpack(FILE.read_bytes())


def pack(facts: Facts) -> bytes:
    """Return facts as they are shipped: compressed JSON, equal bytes for equal facts."""
    ids = list(facts.entities)
    place = {key: index for index, key in enumerate(ids)}
    relations = list(facts.relations)
    number = {name: index for index, name in enumerate(relations)}

    def row(fact: Fact) -> list[Any]:
        named = [number[fact.relation], fact.source]
        return [*named, None, place[fact.target]] if fact.target else [*named, fact.value]

    lines = [
        json.dumps(
            [entity.id, entity.name, _qualifier(entity), list(entity.aliases), [row(fact) for fact in entity.facts]],
            ensure_ascii=False,
            separators=(",", ":"),
        )
        for entity in facts.entities.values()
    ]
    head = json.dumps({"sources": list(zip(facts.sources, facts.licences, strict=True)), "relations": relations})
    return gzip.compress(("[\n" + ",\n".join([head, *lines]) + "\n]\n").encode(), mtime=0)


def unpack(packed: bytes) -> Facts:
    """Return what `pack` packed."""
    head, *rows = json.loads(gzip.decompress(packed))
    relations: list[str] = head["relations"]
    names: list[str] = [row[1] for row in rows]
    ids: list[str] = [row[0] for row in rows]

    def fact(number: int, source: int, value: str | float | None, target: int = -1) -> Fact:
        if value is None:
            return Fact(relations[number], names[target], ids[target], source)
        return Fact(relations[number], value, "", source)

    entities = {}
    for key, name, qualifier, aliases, stated in rows:
        title = f"{name} ({qualifier})" if qualifier else name
        found = tuple(fact(*row) for row in stated)
        entities[key] = Entity(key, key.partition(":")[0], name, title, tuple(aliases), found)
    sources = tuple(source for source, _ in head["sources"])
    return Facts(MappingProxyType(entities), sources, tuple(licence for _, licence in head["sources"]))


def _qualifier(entity: Entity) -> str:
    return entity.title.removeprefix(entity.name).removeprefix(" (").removesuffix(")")
