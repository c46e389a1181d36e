"""How entities and values are called in questions, and what is accepted as an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from agentgym.envs.wiki_search.answers import normalize
from agentgym.envs.wiki_search.shipped.articles.grammar import called
from agentgym.envs.wiki_search.shipped.facts import DISAMBIGUATION, Entity, Fact, Facts
from agentgym.envs.wiki_search.shipped.questions.pages import Pages

Said = Mapping[str, str]
"""Slot → what stands in its place: {"a": "Lisbon", "a.iata": "LIS"}."""

KINDS: Final[Mapping[str, str]] = {
    "element": "chemical element",
    "messier": "object of Messier",
    "zone": "time zone",
}
"""Kind → what it is called where that is not its name."""
RELATIONS: Final[Mapping[str, str]] = {
    "area_km2": "area in square kilometres",
    "boiling_point_k": "boiling point in kelvins",
    "borders": "neighbour",
    "born": "year of birth",
    "born_in": "country of birth",
    "cas_number": "CAS number",
    "died": "year of death",
    "discovered": "discovered element",
    "discovered_by": "discoverer",
    "as_dense_as": "element with the nearest density",
    "element_above": "element directly above in the group",
    "element_below": "element directly below in the group",
    "elevation_ft": "elevation in feet",
    "first_year": "first year",
    "followed_by": "successor",
    "height_ft": "height in feet",
    "henry_draper": "Henry Draper number",
    "hipparcos": "Hipparcos number",
    "iata": "IATA code",
    "icao": "ICAO code",
    "in_country": "country",
    "iso_4217": "ISO 4217 code",
    "iso_639_3": "ISO 639-3 code",
    "iso_15924": "ISO 15924 code",
    "iso_code": "ISO 3166-2 code",
    "iso_number": "ISO number",
    "largest_share_in": "country with the largest share of speakers",
    "local_time_until": "last year of local mean time",
    "melting_point_k": "melting point in kelvins",
    "melts_next_to": "element with the nearest melting point",
    "messier_number": "Messier number",
    "nearest_city_abroad": "nearest city abroad",
    "nearest_star": "nearest named star",
    "next_higher": "next higher mountain",
    "own_name": "name in itself",
    "used_in": "country",
    "writes": "language",
    "years_lived": "age at death",
}
"""Relation → what a hop of the decomposition calls it, where that is not its name."""
CLEAR: Final = ("constellation", "element", "language", "person", "script", "star", "zone")
"""Kinds that wordings always say, or that nobody mistakes, so that no name needs them beside it."""
UNITS: Final[Mapping[str, tuple[str, ...]]] = {
    "area_km2": ("km²", "square kilometres", "square kilometers"),
    "elevation_ft": ("ft", "feet"),
    "height_ft": ("ft", "feet"),
    "melting_point_k": ("K", "kelvins"),
    "boiling_point_k": ("K", "kelvins"),
}
"""Relation → what may be written after its numbers."""


@dataclass(frozen=True, slots=True)
class Told:
    """A value and the entity whose page says it."""

    page: Entity
    fact: Fact


Node = Entity | Told
"""What a name of a plan stands for."""


def spellings(value: str | int | float) -> tuple[str, ...]:
    """Return how a value can be written, with separators first: 1,234,567 and 1234567."""
    if isinstance(value, str):
        return (value,)
    return tuple(dict.fromkeys((f"{value:,}", str(value))))


def stated(entity: Entity, relation: str) -> set[str]:
    """Return what the facts state of a relation, in any spelling."""
    return {way for fact in entity.all(relation) for way in spellings(fact.value)}


class Speech:
    """What the facts and the pages call things.

    Attributes:
        facts: of all entities.
        pages: their articles.
    """

    def __init__(self, facts: Facts, pages: Pages) -> None:
        self.facts, self.pages = facts, pages
        self._called: dict[str, list[Entity]] = {}
        self._names: dict[str, str] = {}
        self._told: dict[tuple[str, str], list[str]] = {}
        for entity in facts.entities.values():
            if entity.kind != DISAMBIGUATION:
                for name in dict.fromkeys(map(normalize, (entity.name, entity.title, *entity.aliases))):
                    self._called.setdefault(name, []).append(entity)

    def noun(self, kind: str) -> str:
        """Return what a kind is called: "city", "chemical element"."""
        return KINDS.get(kind, kind.replace("_", " "))

    def called(self, text: str) -> list[Entity]:
        """Return all entities with that name, title or alias; after "the city" cities alone."""
        found = list(self._called.get(normalize(text), ()))
        for kind in self.facts.kinds:
            start = f"the {self.noun(kind)} "
            if text.startswith(start):
                same = self._called.get(normalize(text.removeprefix(start)), ())
                found += [one for one in same if one.kind == kind and one not in found]
        return found

    def name(self, entity: Entity) -> str:
        """Return how a question names an entity so that no other can be meant; "" where its kind would not tell."""
        if entity.id not in self._names:
            wanted = normalize(entity.name)
            same = self._called[wanted]
            alone = [one.id for one in same if one.kind == entity.kind] == [entity.id]
            bare = entity.kind in CLEAR or all(one is entity or normalize(one.name) != wanted for one in same)
            named = called(entity) if bare else f"the {self.noun(entity.kind)} {entity.name}"
            self._names[entity.id] = named if alone else ""
        return self._names[entity.id]

    def text(self, node: Node) -> str:
        """Return an entity's name, or a value as its page writes it; "" where the page does not write it."""
        if isinstance(node, Entity):
            return node.name
        ways = spellings(node.fact.value)
        return next((way for way in ways if self.pages.writes(node.page.title, way)), "")

    def told(self, entity: Entity, relation: str) -> list[str]:
        """Return what the page of an entity says of a relation."""
        key = entity.id, relation
        if key not in self._told:
            facts = entity.all(relation)
            found = [str(fact.value) if fact.target else self.text(Told(entity, fact)) for fact in facts]
            self._told[key] = [text for text in found if self.pages.says(entity.title, text)]
        return self._told[key]

    def accepted(self, node: Node) -> list[str]:
        """Return the accepted answers for an entity or a value, as the articles write it first."""
        if isinstance(node, Entity):
            return _different((node.name, node.title, *node.aliases))
        text, value = self.text(node), node.fact.value
        numbers = [text, *(spellings(value) if isinstance(value, int) and abs(value) >= 10_000 else ())]
        units = [f"{number} {unit}" for number in numbers for unit in UNITS.get(node.fact.relation, ())]
        return list(dict.fromkeys((*numbers, *units)))


def _different(names: Iterable[str]) -> list[str]:
    """Return names without those that scorers cannot tell from one before."""
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(normalize(name), name)
    return [name for key, name in found.items() if key]


def is_said(text: str, phrase: str) -> bool:
    """Return whether a phrase stands in a text, word by word, both normalised as answers are."""
    wanted = normalize(phrase)
    return bool(wanted) and re.search(rf"(?<!\S){re.escape(wanted)}(?!\S)", normalize(text)) is not None
