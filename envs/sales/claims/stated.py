"""What a sentence states of a product's facts, and whether the catalogue agrees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from agentgym.envs.sales.claims.amounts import DATE, EXACT, Amount, amounts
from agentgym.envs.sales.claims.clauses import Clause, clauses, cut, is_denied
from agentgym.envs.sales.claims.ear import LACKED, NAMED, NO_END, NONE, OTHER, VALUE, Ear, Hit
from agentgym.envs.sales.claims.matching import Reading, fact_of, is_offer, wider
from agentgym.envs.sales.claims.shelf import shelf
from agentgym.envs.sales.claims.stance import is_question, states_nothing
from agentgym.envs.sales.claims.tokens import Sentence
from agentgym.envs.sales.claims.weigh import agrees, converted
from agentgym.envs.sales.product import Fact
from agentgym.envs.sales.vocabulary import words

MATTERS: Final = words("thinking think worry worried afraid fear ask asked asking mention need want wish matter")


class Stated(NamedTuple):
    """One statement: the fact's place (−1: none), the words, and the verdict."""

    fact: int
    words: str
    verdict: Literal["true", "false", "unknown"]


def stated(sentence: Sentence, ear: Ear, prices: Sequence[float]) -> list[Stated]:
    """Return what a sentence states of a product.

    Args:
        sentence: the sentence.
        ear: what listens for the product's facts.
        prices: prices at which it was offered, beside the list price.
    """
    hits = ear.hits(sentence)
    said = amounts(sentence.tokens)
    on_shelf = shelf(sentence.tokens, said, ear)
    if not (hits or said or on_shelf) or is_question(sentence.text):
        return []
    if states_nothing(sentence, ear.names, ear.aliases):
        return []
    named = {
        at for hit in hits if hit.how in (NAMED, LACKED) and hit.end - hit.start > 1 for at in range(hit.start, hit.end)
    }
    parts = clauses(sentence.tokens, named)
    reading = Reading(sentence, ear, parts, hits, said)
    found: list[Stated] = []
    for place, part in enumerate(parts):
        if part.states:
            found += _of_clause(place, reading, prices)
            for start, end, least, most in on_shelf:
                if part.start <= start < part.end:
                    found += _stock(ear, part, (start, end, least, most), sentence)
    return found


def _of_clause(place: int, reading: Reading, prices: Sequence[float]) -> Iterator[Stated]:
    sentence, ear, parts, hits, said = reading
    part = parts[place]
    end = cut(sentence.tokens, part)
    spoken: set[int] = set()
    numbers = False
    for amount in said:
        if not part.start <= amount.start < end:
            continue
        numbers = True
        fact = fact_of(amount, place, reading)
        if fact is None:
            continue
        if fact < 0:
            yield Stated(-1, _words(sentence, amount.start, amount.end), "unknown")
            continue
        verdict = _verdict(ear, fact, amount, sentence, part, prices)
        if verdict is not None:
            spoken.add(fact)
            yield Stated(fact, _words(sentence, amount.start, amount.end), verdict)
    inside = [hit for hit in hits if part.start <= hit.start < end]
    if inside:
        yield from _without_numbers(sentence, ear, part, inside, numbers, spoken)


_TIMES: Final = {("month", "year"): 12.0, ("year", "month"): 1 / 12}


def _verdict(
    ear: Ear, place: int, amount: Amount, sentence: Sentence, part: Clause, prices: Sequence[float]
) -> Literal["true", "false"] | None:
    """Return whether an amount is true of a fact; None where it is an offer and no claim."""
    fact = ear.facts[place]
    assert not isinstance(fact.value, bool | tuple)
    value: float | None = float(fact.value)
    if fact.unit == "%" and amount.unit == "USD":
        value = ear.product.price * float(fact.value) / 100
    elif amount.unit == "" or amount.kind == fact.kind:
        value = converted(float(fact.value), fact.unit, amount.unit or fact.unit)
    elif amount.kind == "time":  # nights are counted, and a week is seven of them
        value = converted(float(fact.value), "day", amount.unit)
    if value is None:
        return None
    if fact.attribute == "price":
        times = _TIMES.get((ear.product.per, amount.per), 1.0)
        known = [value * times, *(price * times for price in prices)]
        if any(agrees(fact, amount, each) for each in known):
            return "true"
        return None if is_offer(sentence, amount, part) else "false"
    denied = part.denied and is_denied(sentence.tokens[part.start : amount.start])
    if denied and (amount.bound == EXACT or amount.per == DATE):
        return None
    return "true" if agrees(fact, amount, value) else "false"


def _without_numbers(
    sentence: Sentence, ear: Ear, part: Clause, inside: Sequence[Hit], numbers: bool, spoken: set[int]
) -> Iterator[Stated]:
    """Yield what a clause says of features and choices, and of numbers that it says are none or without end."""
    tokens = sentence.tokens
    told: set[tuple[int, str]] = set()
    for hit in inside:
        fact = ear.facts[hit.fact]
        said = " ".join(tokens[hit.start : hit.end])
        if isinstance(fact.value, bool):
            if (hit.fact, "") in told or not _says(tokens, part, hit):
                continue
            if any(other.fact == hit.fact and other.how != hit.how and wider(other, hit) for other in inside):
                continue
            if fact.attribute.endswith("included") and _GIVES.isdisjoint(tokens[part.start : part.end]):
                continue
            told.add((hit.fact, ""))
            claimed = (hit.how == NAMED) != part.denied
            yield Stated(hit.fact, said if claimed else f"not: {said}", "true" if claimed == fact.value else "false")
        elif hit.how in (VALUE, OTHER):
            if (hit.fact, hit.words) in told or not _says(tokens, part, hit):
                continue
            told.add((hit.fact, hit.words))
            right = (hit.how == VALUE) != part.denied
            yield Stated(hit.fact, said if not part.denied else f"not: {said}", "true" if right else "false")
        elif hit.fact not in spoken and not isinstance(fact.value, tuple):
            verdict = _extreme(sentence, fact, part, hit, inside, numbers)
            if verdict is not None:
                spoken.add(hit.fact)
                yield Stated(hit.fact, said, verdict)


def _extreme(
    sentence: Sentence, fact: Fact, part: Clause, hit: Hit, inside: Sequence[Hit], numbers: bool
) -> Literal["true", "false"] | None:
    """Return the verdict on "no deductible", "unlimited users", "free delivery"; None: nothing like it is said."""
    value = fact.value
    assert not isinstance(value, bool | tuple)
    if hit.how == NO_END:
        named = any(other.fact == hit.fact and other.how == NAMED for other in inside)
        return None if part.denied or not named else "false"
    if hit.how == NONE:
        return "true" if value == 0 else "false"
    tokens = sentence.tokens
    before = tokens[max(part.start, hit.start - 4) : hit.start]
    inner = tokens[part.start : part.end]
    if fact.kind == "money" and fact.attribute != "price" and not numbers and _costs_nothing(inner):
        return "true" if value == 0 else "false"
    if numbers or fact.kind in _PHYSICAL or any(word in fact.attribute for word in _ALWAYS_SOME):
        return None
    if _none_of(before) or (part.denied and not _NEEDING.isdisjoint(inner) and not hit.strength < 1.5):
        return "true" if value == 0 else "false"
    return None


_ALWAYS_SOME: Final = (
    "delivery time",
    "price",
    "charging",
    "battery",
    "heat",
    "claims",
    "stock",
    "speed",
    "seats",
    "size",
    "range",
)
_PHYSICAL: Final = words(
    "weight length area volume power energy charge voltage data speed turns frequency noise"
    " pressure torque light resolution"
)
_NEEDING: Final = words("have has come comes need needs pay charge any require requires is are there's there's had")
_FILL: Final = words("a an any minimum such kind of real long fixed extra hidden more monthly")


def _none_of(before: Sequence[str]) -> bool:
    """Whether the words right before a name say that there is none of it."""
    for token in reversed(before):
        if token in ("no", "without", "zero"):
            return True
        if token not in _FILL:
            return False
    return False


def _costs_nothing(inner: Sequence[str]) -> bool:
    text = " ".join(inner)
    if "not free" in text or "isn't free" in text or "free trial" in text:
        return False
    return any(each in text for each in _FREE) or ("n't cost" in text and "anything" in text)


_FREE: Final = (
    "free", "costs nothing", "cost nothing", "no charge", "on us", "on the house", "included", "no extra", "no cost",
    "costs you nothing", "n't cost you", "no shipping", "no delivery", "for nothing", "no fee", "waive", "n't pay",
    "n't charge", "without charge", "zero",
)  # fmt: skip


_GIVES: Final = words(
    "include includes included including come comes with get gets box package part free has have"
    " got there there's extra separately own"
    " us throw add find price bundled supplied ships contains contain need sell sold buy inclusive isn't aren't"
    " are is no without"
)


_COPULAS: Final = words("is are would sounds seems can may might")
_OPINIONS: Final = words(
    "nice great lovely handy useful important good better best wonderful pleasant overrated worth key essential"
    " crucial"
    " tempting everything annoying expensive rare common likely unlikely unusual a"
)


def _says(tokens: Sequence[str], part: Clause, hit: Hit) -> bool:
    """Whether a clause states that a product has or is something, and does not only speak of it."""
    before = tokens[part.start : hit.start]
    if not MATTERS.isdisjoint(before) and not part.denied:
        return "don't" in before or "you'd" in before
    behind = tokens[hit.end : min(hit.end + 4, part.end)]
    if behind and behind[0] in _COPULAS and not _OPINIONS.isdisjoint(behind):
        return False
    return part.verb or hit.end - hit.start > 1 or part.end - part.start <= 7


def _stock(ear: Ear, part: Clause, heard: tuple[int, int, int, int], sentence: Sentence) -> Iterator[Stated]:
    """Yield the verdict on how many are said to be there: from least to most; all of it denied: none."""
    place = ear.places.get("stock")
    if place is None:
        return
    start, end, least, most = heard
    value = ear.product.stock
    if part.denied and least > 0:
        least = most = 0
    yield Stated(place, _words(sentence, start, end), "true" if least <= value <= most else "false")


def _words(sentence: Sentence, start: int, end: int) -> str:
    return " ".join(sentence.tokens[start:end])
