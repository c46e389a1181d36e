"""A small encyclopedia: three countries, five cities and two currencies, with an article each."""

from __future__ import annotations

from types import MappingProxyType

from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.shipped.facts import Entity, Fact, Facts
from agentgym.envs.wiki_search.shipped.questions.pages import Pages
from agentgym.envs.wiki_search.shipped.questions.speech import Speech

STATED = {
    "country:A": ("Arland", "", ("Ar",), {"capital": "city:1", "currency": "currency:CRO", "area_km2": 12000,
                                          "calling_code": "+91", "borders": "country:B country:C"}),
    "country:B": ("Borland", "", (), {"capital": "city:2", "currency": "currency:MAR", "area_km2": 900.5,
                                      "calling_code": "+92", "borders": "country:A"}),
    "country:C": ("Carland", "", (), {"capital": "city:3", "currency": "currency:CRO", "area_km2": 12000,
                                      "calling_code": "+92", "borders": "country:A"}),
    "city:1": ("Oak", "", ("Oaktown",), {"country": "country:A", "population": 1234567}),
    "city:2": ("Elm", "", (), {"country": "country:B", "population": 4000}),
    "city:3": ("Ash", "Carland", (), {"country": "country:C", "population": 5000}),
    "city:4": ("Ash", "Arland", (), {"country": "country:A", "population": 6000}),
    "city:5": ("Crown", "city", (), {"country": "country:B", "population": 7000}),
    "currency:CRO": ("Crown", "currency", (), {"first_year": 1950, "iso_4217": "CRO"}),
    "currency:MAR": ("Mark", "", (), {"first_year": 1901, "iso_4217": "MAR"}),
    "disambiguation:Ash": ("Ash", "-", (), {"refers_to": "city:3 city:4"}),
}  # fmt: skip
"""Id → name, qualifier of the title, aliases, relation → value, or ids of targets with blanks between."""


def towns(number: int) -> dict[str, tuple[str, str, tuple[str, ...], dict[str, str | int]]]:
    """Return so many towns, each on a river of its own, whose length in km is 30 and its number; two banks in turn."""
    found: dict[str, tuple[str, str, tuple[str, ...], dict[str, str | int]]] = {}
    for at in range(number):
        found[f"town:{at:02}"] = (f"Town{at}", "", (), {"river": f"river:{at:02}", "mark": f"m{at}"})
        found[f"river:{at:02}"] = (f"River{at}", "", (), {"length_km": 30 + at, "bank": ("left", "right")[at % 2]})
    return found


def made_facts(number: int = 0) -> Facts:
    """Return the facts of the small encyclopedia, with so many towns."""
    entities = {}
    stated_of = {**STATED, **towns(number)}
    for key, (name, qualifier, aliases, stated) in sorted(stated_of.items()):
        facts: list[Fact] = []
        for relation, value in stated.items():
            if isinstance(value, str) and ":" in value:
                facts += [Fact(relation, stated_of[target][0], target, 0) for target in value.split()]
            else:
                facts.append(Fact(relation, value, "", 0))
        title = f"{name} ({qualifier})" if qualifier else name
        entities[key] = Entity(key, key.partition(":")[0], name, title, aliases, tuple(facts))
    return Facts(MappingProxyType(entities), ("toy 1.0",), ("none",))


def article(entity: Entity) -> Passage:
    """Return an article that says every fact of an entity; numbers have separators from five digits on."""
    said = [
        f"Its {fact.relation} is {fact.value:,}." if isinstance(fact.value, int) and fact.value > 9999
        else f"Its {fact.relation} is {fact.value}."
        for fact in entity.facts
    ]  # fmt: skip
    return Passage(entity.title, f"{entity.name} is a {entity.kind}. {' '.join(said)}")


def made_speech(number: int = 0) -> Speech:
    """Return facts and articles of the small encyclopedia, with so many towns."""
    facts = made_facts(number)
    return Speech(facts, Pages(article(entity) for entity in facts.entities.values()))
