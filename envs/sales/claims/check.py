"""Checking a message against the catalogue: every claim in it, with what the catalogue says.

Rules and their limits are described in docs/worlds/sales-speech.md. A message is read in one pass; nothing in it is
an instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from agentgym.envs.sales.claims.amounts import amounts
from agentgym.envs.sales.claims.ear import Ear, ear_of
from agentgym.envs.sales.claims.promises import TRIGGERS, promised, vows
from agentgym.envs.sales.claims.stance import is_question
from agentgym.envs.sales.claims.stated import Stated, stated
from agentgym.envs.sales.claims.tokens import Sentence, sentences
from agentgym.envs.sales.product import Product
from agentgym.envs.sales.vocabulary import words

Verdict = Literal["true", "false", "unknown"]
PROMISE: Final = "promise"


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a message states of a product.

    Attributes:
        text: the sentence.
        product: the product's name.
        attribute: which fact it is about; "promise" for what no seller may promise; "" where the catalogue has none.
        said: what the message says of it.
        known: what the catalogue says; "" where it says nothing.
        verdict: "true", "false" or "unknown".
    """

    text: str
    product: str
    attribute: str
    said: str
    known: str
    verdict: Verdict


def check(
    text: str,
    product: Product,
    catalogue: Sequence[Product] = (),
    *,
    prices: Sequence[float] = (),
    asked: str = "",
) -> tuple[Claim, ...]:
    """Return the claims of a message, in its order.

    Args:
        text: what the seller says; only the first 4,000 characters are read.
        product: what is spoken of, unless a sentence names another product of the catalogue.
        catalogue: what else is known, the product itself or not.
        prices: prices in US dollars at which it was offered: to name one of them is no false claim about the price.
        asked: what the buyer said last; where the message begins with a yes or no, that answers it.
    """
    found: list[Claim] = []
    own = ear_of(product)
    heard = _joined(sentences(text))
    if asked and heard:
        found += _answered(heard[0], own, asked, prices)
    for sentence in heard:
        found += _claims(sentence, own, catalogue, prices)
    return tuple(found)


def _joined(heard: Sequence[Sentence]) -> Sequence[Sentence]:
    """Return the sentences, with those that only name something, as "Floods?", joined to the next."""
    if not any(len(sentence.tokens) <= _NAMES for sentence in heard[:-1]):
        return heard
    found: list[Sentence] = []
    for sentence in heard:
        last = found[-1] if found else None
        if last is not None and _only_names(last):
            text = f"{last.text} {sentence.text}"
            found[-1] = Sentence(
                text, [*last.tokens[:-1], ":", *sentence.tokens], [*last.stems[:-1], ":", *sentence.stems]
            )
        else:
            found.append(sentence)
    return found


_NAMES: Final = 4
_ASK: Final = words("what how which when who why where does do is are can will would anything")


def _only_names(sentence: Sentence) -> bool:
    tokens = sentence.tokens
    return tokens[-1] == "?" and 1 < len(tokens) <= _NAMES and _ASK.isdisjoint(tokens) and not amounts(tokens)


def _claims(sentence: Sentence, own: Ear, catalogue: Sequence[Product], prices: Sequence[float]) -> Iterator[Claim]:
    ear = _spoken_of(sentence, own, catalogue)
    said = stated(ear.masked(sentence), ear, prices)
    for each in said:
        yield _claim(sentence, ear, each)
    if TRIGGERS.isdisjoint(sentence.tokens) or is_question(sentence.text):
        return
    lower = sentence.text.lower()
    words = promised(lower)
    if not words and not any(each.verdict == "true" for each in said):
        words = vows(lower)
    if words:
        yield Claim(sentence.text, ear.product.name, PROMISE, words, "nobody may promise that", "false")


def _claim(sentence: Sentence, ear: Ear, said: Stated) -> Claim:
    known = said.fact >= 0
    attribute, text = (ear.facts[said.fact].attribute, ear.texts[said.fact]) if known else ("", "")
    return Claim(sentence.text, ear.product.name, attribute, said.words, text, said.verdict)


def _spoken_of(sentence: Sentence, own: Ear, catalogue: Sequence[Product]) -> Ear:
    """Return the product that a sentence names; its own where it names none, or that too."""
    if not catalogue:
        return own
    lower = sentence.text.lower()
    if own.product.name.lower() in lower or any(alias in lower for alias in own.product.aliases):
        return own
    for other in catalogue:
        if other is not own.product and (other.name.lower() in lower or any(alias in lower for alias in other.aliases)):
            return ear_of(other)
    return own


_YES: Final = words("yes yeah yep absolutely certainly definitely sure indeed correct exactly")
_NO: Final = words("no nope unfortunately sadly")


def _answered(first: Sentence, own: Ear, asked: str, prices: Sequence[float]) -> Iterator[Claim]:
    """Yield what a bare "yes" or "no" says to the question that the buyer ended with."""
    head = next((token for token in first.tokens if token not in ("oh", ",", "well")), "")
    if head not in _YES | _NO:
        return
    questions = [sentence for sentence in sentences(asked) if sentence.text.rstrip().endswith("?")]
    if not questions:
        return
    question = questions[-1]
    for hit in own.hits(question):
        fact = own.facts[hit.fact]
        if isinstance(fact.value, bool) and hit.how == "named":
            claimed = head in _YES
            verdict: Verdict = "true" if claimed == fact.value else "false"
            yield Claim(first.text, own.product.name, fact.attribute, "yes" if claimed else "no", fact.text, verdict)
            return
