"""What the shipped encyclopedia promises, measured on its facts and articles."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Final

from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.shipped.bounds import least, most, none, per_cent
from agentgym.envs.wiki_search.shipped.facts import DISAMBIGUATION, Entity
from agentgym.envs.wiki_search.shipped.questions.speech import Speech
from agentgym.task import Quality

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_OPEN: Final = re.compile(r"[“”\"'()]|\b\w*[\dA-Z_]\w*\b(?:[.,]\d+)*")
"""What is left out of a sentence to compare its frame: names, numbers, quotation marks."""


def of_articles(passages: Sequence[Passage], speech: Speech) -> list[Quality]:
    """Return how many articles there are, of which kinds, how long and how full, and how alike their sentences.

    Args:
        passages: the articles.
        speech: the facts, and these articles.
    """
    entities = {entity.title: entity for entity in speech.facts.entities.values()}
    about = [(passage, entities[passage.title]) for passage in passages if passage.title in entities]
    full = [(passage, entity) for passage, entity in about if entity.kind != DISAMBIGUATION]
    lists = [(passage, entity) for passage, entity in about if entity.kind == DISAMBIGUATION]
    lengths = [len(passage.text.split()) for passage, _ in full]
    stated = [sum(len(said) for said in _said(entity, speech).values()) for _, entity in full]
    links = [_links(entity, speech) for _, entity in full]
    shares = frames(full, speech)
    strays = len(entities) + len(passages) - 2 * len(about)
    incomplete = sum(not _lists_all(entity, speech) for _, entity in lists)
    return [
        least("articles", len(full), 5_000),
        least("kinds of articles", len({entity.kind for _, entity in full}), 8),
        none("articles about nothing in the facts, or entities without one", strays),
        least("words of an article, median", median(lengths), 120),
        Quality("words of the shortest article", min(lengths)),
        least("facts that an article states, fewest", min(stated), 6),
        least("articles that an article names, fewest", min(links), 5),
        least("names that several articles share, with a page that lists them", len(lists), 200),
        none("such pages that leave one out", incomplete),
        most("commonest frame of a sentence, per cent of the articles", per_cent(max(shares.values()), len(full)), 5),
    ]  # fmt: skip


def _said(entity: Entity, speech: Speech) -> Mapping[str, list[str]]:
    """Return relation → the values that the article says."""
    relations = dict.fromkeys(fact.relation for fact in entity.facts)
    pages = speech.pages
    return {name: [text for text in speech.told(entity, name) if pages.says(entity.title, text)] for name in relations}


def _links(entity: Entity, speech: Speech) -> int:
    targets = {fact.target for fact in entity.facts if fact.target and speech.pages.says(entity.title, str(fact.value))}
    return len(targets)


def _lists_all(entity: Entity, speech: Speech) -> bool:
    titles = [speech.facts.entities[fact.target].title for fact in entity.all("refers_to")]
    return all(speech.pages.says(entity.title, title) for title in titles)


def frames(about: Sequence[tuple[Passage, Entity]], speech: Speech) -> Counter[str]:
    """Return frame of a sentence → in how many articles it stands.

    A frame is a sentence without names, numbers and whatever else the facts say of what the article is about.
    """
    found: Counter[str] = Counter()
    for passage, entity in about:
        values = {text for said in _said(entity, speech).values() for text in said if not text.isdigit()}
        names = sorted({entity.name, *values}, key=lambda text: (-len(text), text))
        pattern = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names))
        sentences = _SENTENCE.split(passage.text)
        found.update({frame(pattern.sub("_", sentence)) for sentence in sentences})
    return found


def frame(sentence: str) -> str:
    """Return a sentence in lower case with its names and numbers as one "_" each."""
    words = _OPEN.sub("_", sentence).lower()
    return " ".join(re.sub(r"_(?:[\s,;-]*(?:and |of |the )?_)+", "_", words).split())
