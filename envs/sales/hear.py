"""What a buyer hears in a seller's message, by rules: questions, facts, answers to doubts, hurry, farewells.

Sentences are read one by one. A question is about what its words begin like (`Topic.stems`); what is claimed of the
product is checked against the catalogue. A message that asks for everything or tells everything is heard in part:
`MOST_ASKED` questions and `MOST_TOLD` facts, the first ones, and it takes patience.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agentgym.envs.sales import cues
from agentgym.envs.sales.buyer import Case
from agentgym.envs.sales.catalogue import Industry
from agentgym.envs.sales.claims import Claim, check
from agentgym.envs.sales.speech.identity import says_identity
from agentgym.envs.sales.speech.relevance import relevance

MOST_ASKED: Final = 2
MOST_TOLD: Final = 3
PROMISE: Final = "promise"
LONG: Final = 110
"""Words above which a message is a lecture."""

BUDGET, RIVAL = "budget", "rival"


@dataclass(frozen=True, slots=True)
class Heard:
    """What stands in a message.

    Attributes:
        asks: attributes, `BUDGET` or `RIVAL` that questions are about, in order, each once.
        wide: whether it asks openly what the buyer is looking for.
        product: number on the shelf of the product that it names, −1 for none.
        facts: (attribute, whether it is true) of what is claimed of that product, or of the one at hand, each once;
            what is claimed both rightly and wrongly is false.
        claims: all that is claimed, of whichever product.
        hurry, ease: whether it presses, or leaves time.
        machine: "honest" or "denied" where it says what the seller is.
        parting: whether it lets the buyer go, and `reasons`: what it is about then.
        disclosed: which of the product's disclosures it makes.
        long: whether it is a lecture.
    """

    asks: tuple[str, ...] = ()
    wide: bool = False
    product: int = -1
    facts: tuple[tuple[str, bool], ...] = ()
    claims: tuple[Claim, ...] = ()
    hurry: bool = False
    ease: bool = False
    machine: str = ""
    parting: bool = False
    reasons: tuple[str, ...] = ()
    disclosed: tuple[int, ...] = ()
    long: bool = False


@lru_cache(maxsize=16384)
def hear(
    case: Case, text: str, product: int = -1, price: int = -1, bid: int = -1, question: str = "", asked: str = ""
) -> Heard:
    """Return what a buyer hears.

    Args:
        case: the task.
        text: the seller's message.
        product: the one that the talk is about, −1 for none.
        price: what was quoted for it, in US cents, −1 for nothing.
        bid: what the buyer offered, likewise.
        question: the buyer's own about it that waits for an answer, "" for none.
        asked: what the buyer asked the seller whether it is, "machine" or "person", "" for neither.
    """
    plain = text.lower().replace("’", "'")
    named = _named(case, plain)
    at_hand = named if named >= 0 else product
    asks, statements, wide = _questions(case.sells, plain)
    hurry = any(
        not cues.CALM.search(plain[max(found.start() - 40, 0) : found.start()]) for found in cues.HURRY.finditer(plain)
    )
    parting = bool(cues.PARTING.search(statements) and cues.SORRY.search(statements))
    claims: tuple[Claim, ...] = ()
    if at_hand >= 0:
        prices = [amount / 100 for amount in (price, bid) if amount >= 0 and at_hand == product]
        claims = check(text, case.shelf[at_hand], case.shelf, prices=prices, asked=question)
    return Heard(
        asks, wide, named, _facts(claims, case.shelf[at_hand].name),
        claims, hurry, bool(cues.EASE.search(plain)), says_identity(text, asked), parting,
        _about(case.sells, statements) if parting else (), _disclosed(case, at_hand, plain),
        len(cues.WORD.findall(plain)) > LONG,
    )  # fmt: skip


@lru_cache(maxsize=16384)
def to_the_point(case: Case, product: int, about: str, text: str) -> float:
    """Return how well a message speaks to what the buyer objects to or asks about, from −1 to 0; see `relevance`."""
    return relevance(text, about, case.shelf[product] if product >= 0 else None)


def _facts(claims: tuple[Claim, ...], name: str) -> tuple[tuple[str, bool], ...]:
    """Return (attribute, whether it is true) of the claims about a product that the catalogue can judge."""
    found: dict[str, bool] = {}
    for claim in claims:
        if claim.product == name and claim.attribute not in ("", PROMISE) and claim.verdict != "unknown":
            found[claim.attribute] = found.get(claim.attribute, True) and claim.verdict == "true"
    return tuple(found.items())


def _questions(sells: Industry, plain: str) -> tuple[tuple[str, ...], str, bool]:
    """Return what questions are about, the sentences that are none, and whether one asks openly."""
    asked: list[str] = []
    rest: list[str] = []
    wide = False
    for sentence in cues.SENTENCE.findall(plain):
        if not (sentence.rstrip().endswith("?") or cues.ASKING.search(sentence)):
            rest.append(sentence)
            continue
        about = _about(sells, sentence)
        asked += [topic for topic in about if topic not in asked]
        wide = wide or (not about and bool(cues.WIDE.search(sentence)))
    return tuple(asked), " ".join(rest), wide


def _about(sells: Industry, plain: str) -> tuple[str, ...]:
    """Return the topics that a text is about, those of its earliest words first."""
    found = {
        topic: match.start() for topic, pattern in _stems(sells).items() if (match := pattern.search(plain)) is not None
    }
    return tuple(sorted(found, key=lambda topic: (found[topic], topic)))


@lru_cache(maxsize=32)
def _stems(sells: Industry) -> Mapping[str, re.Pattern[str]]:
    patterns = {name: re.compile(r"\b(?:" + "|".join(topic.stems) + ")") for name, topic in sells.topics.items()}
    return {**patterns, BUDGET: cues.BUDGET, RIVAL: cues.RIVAL}


def _named(case: Case, plain: str) -> int:
    """Return the product that is named last, by its whole name or by an alias that no other on the shelf has."""
    best = (-1, 0, -1)
    for number, product in enumerate(case.shelf):
        for name in (product.name.lower(), *product.aliases):
            place = plain.rfind(name)
            whole = place >= 0 and not plain[place + len(name) : place + len(name) + 1].isalnum()
            if whole and not plain[max(place - 1, 0) : place].isalnum():
                best = max(best, (place, len(name), number))
    return best[2]


def _disclosed(case: Case, product: int, plain: str) -> tuple[int, ...]:
    """Return which disclosures of a product a text makes: a sentence holds one of each group of words."""
    if product < 0:
        return ()
    sentences = [set(cues.WORD.findall(sentence)) for sentence in cues.SENTENCE.findall(plain)]
    return tuple(
        number
        for number, disclosure in enumerate(case.shelf[product].disclosures)
        if any(all(words & set(group) for group in disclosure.words) for words in sentences)
    )
