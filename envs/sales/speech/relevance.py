"""Relevance: whether a message speaks to what the buyer objects to, or asks about.

Of the sentences that say more than a courtesy, at least a third have to be about it; with fewer, the share counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from agentgym.envs.sales.claims.ear import ear_of
from agentgym.envs.sales.claims.tokens import Sentence, sentences, stem
from agentgym.envs.sales.product import Product
from agentgym.envs.sales.vocabulary import words

TOPICS: Final[Mapping[str, str]] = {
    "price": "price cost costs cheap cheaper expensive afford budget discount worth value money dollars offer quote"
    " pay"
    " lower save deal spend $ month",
    "breaks": "warranty guarantee break broken breaks repair repaired replace replacement last durable covered"
    " sturdy fault"
    " fix robust solid defect years",
    "regret": "return returns refund back money trial try mind withdraw cancel send keep days regret",
    "wait": "delivery deliver delivered ship shipping days week weeks wait arrive arrives soon fast quickly tomorrow"
    " date"
    " start ready",
    "gone": "stock left available availability restock reserve reserved warehouse sold order hold back",
    "stranger": "trust shop company years customers return warranty refund know reputation reviews business back money"
    " honest unknown proof",
    "fees": "fee fees delivery shipping extra cost costs charge charges included total hidden free all-in",
    "rival": "compare compared comparison difference other offer better instead cheaper theirs they match against"
    " unlike"
    " worth same lower",
    "think": "time think hurry rush decide decision over sleep pressure ready whenever pace choice mind questions",
}
"""Objection → words of which a sentence about it has one."""

ENOUGH: Final = 1 / 3
"""Share of the sentences that say something which have to be about it."""

_COURTESY: Final = words(
    "thank thanks welcome hello hi hey sure okay great good glad sorry understand appreciate question of course"
    " please you"
    " your that's that is a i can see for the absolutely fair point right yes no wonderful perfect very much"
)


@lru_cache(maxsize=64)
def _stems(topic: str) -> frozenset[str]:
    return frozenset(stem(word) for word in TOPICS[topic].split())


def relevance(text: str, about: str, product: Product | None = None) -> float:
    """Return 0 for a message that speaks to the point, down to −1 for one that passes over it; 0 where there is none.

    Args:
        text: the message.
        about: an objection of `TOPICS`, the name of a fact of the product, or "".
        product: the product, for the words of its facts.
    """
    if not about:
        return 0.0
    said = [sentence for sentence in sentences(text) if not _COURTESY.issuperset(sentence.tokens)]
    if not said:
        return -1.0
    spoken = sum(_is_about(sentence, about, product) for sentence in said)
    return min(spoken / (ENOUGH * len(said)), 1.0) - 1.0


def _is_about(sentence: Sentence, about: str, product: Product | None) -> bool:
    if about in TOPICS:
        return not _stems(about).isdisjoint(sentence.stems)
    if product is None:
        return about in sentence.text.lower()
    ear = ear_of(product)
    place = ear.places.get(about)
    if place is None:
        return about in sentence.text.lower()
    return any(hit.fact == place for hit in ear.hits(sentence))
