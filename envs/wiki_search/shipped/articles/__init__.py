"""Articles of the shipped encyclopedia: an entity's facts in sentences, worded by draws that depend on its id alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from agentgym.envs.wiki_search.shipped.articles.city import CITY
from agentgym.envs.wiki_search.shipped.articles.country import CONTINENT, COUNTRY, REGION
from agentgym.envs.wiki_search.shipped.articles.grammar import Wording, Writer, compose
from agentgym.envs.wiki_search.shipped.articles.matter import ELEMENT
from agentgym.envs.wiki_search.shipped.articles.nature import NATURE
from agentgym.envs.wiki_search.shipped.articles.people import PERSON
from agentgym.envs.wiki_search.shipped.articles.shared import shared
from agentgym.envs.wiki_search.shipped.articles.sky import CONSTELLATION, MESSIER, STAR
from agentgym.envs.wiki_search.shipped.articles.tongues import CURRENCY, LANGUAGE, SCRIPT
from agentgym.envs.wiki_search.shipped.articles.travel import AIRPORT, ZONE
from agentgym.envs.wiki_search.shipped.facts import DISAMBIGUATION, Entity, Fact, Facts
from agentgym.rng import TurnRng

WORDINGS: Final[Mapping[str, Wording]] = {
    "airport": AIRPORT,
    "city": CITY,
    "constellation": CONSTELLATION,
    "continent": CONTINENT,
    "country": COUNTRY,
    "currency": CURRENCY,
    "desert": NATURE,
    "element": ELEMENT,
    "island": NATURE,
    "lake": NATURE,
    "language": LANGUAGE,
    "messier": MESSIER,
    "mountain": NATURE,
    "mountain range": NATURE,
    "peninsula": NATURE,
    "person": PERSON,
    "region": REGION,
    "river": NATURE,
    "script": SCRIPT,
    "star": STAR,
    "zone": ZONE,
}


@dataclass(frozen=True, slots=True)
class Article:
    """A page of the encyclopedia.

    Attributes:
        title: the entity's.
        text: sentences, joined with one blank.
        links: titles of the articles whose names stand in the text, in the order in which they first do.
        facts: those that the text states, in its order, each once.
    """

    title: str
    text: str
    links: tuple[str, ...]
    facts: tuple[Fact, ...]


def render(entity: Entity, facts: Facts) -> Article:
    """Return the article of an entity. Other entities matter only by their names."""
    seed = int.from_bytes(blake2b(entity.id.encode(), digest_size=8).digest(), "big") >> 1
    writer = Writer(entity, facts, TurnRng(seed, stream="article"))
    text = shared(writer) if entity.kind == DISAMBIGUATION else compose(writer, WORDINGS[entity.kind])
    return Article(entity.title, text, tuple(writer.links), tuple(dict.fromkeys(writer.used)))
