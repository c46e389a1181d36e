"""Which fact an amount speaks of: the words around it, what it measures, and how near they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from agentgym.envs.sales.claims.amounts import DATE, Amount
from agentgym.envs.sales.claims.clauses import Clause
from agentgym.envs.sales.claims.ear import Ear, Hit
from agentgym.envs.sales.claims.tokens import Sentence
from agentgym.envs.sales.vocabulary import words

_DIFFERENCE: Final = words(
    "more less longer shorter lighter heavier cheaper faster slower off older ago"
    " earlier later bigger smaller wider discount"
)
_OFFERS: Final = words(
    "knock off discount down throw deal instead drop lower reduce meet budget settle split agree"
    " offer quote yours today save saving"
    " payments instalments installments counter let final could can give afford spend between"
    " i'd i'll we'd we'll rebate cut"
)
_LIST: Final = words("list retails retail regular normal usual official catalogue priced sells tag")
_BY_DEFAULT: Final = words("weight power energy voltage noise pressure turns torque charge resolution light speed")
_PRICE_SIGNS: Final = words(
    "it's that's at for only just costs cost price is are they're be comes charge pay than charges charged run runs"
)
_BEGINNINGS: Final = words(", and but or so that's which")
_SUBJECTS: Final = words("it it's you we they there there's i they're you'd you'll")
_ENDS: Final = words(", it and so you that which or it's ! is")
_NONE: Final[frozenset[int]] = frozenset()
_NEVER: Final = 100.0
_ROADS: Final = frozenset(("km", "mi"))


class Reading(NamedTuple):
    """A sentence that is being read: its clauses, the turns of phrase in it, its amounts, for a product."""

    sentence: Sentence
    ear: Ear
    parts: list[Clause]
    hits: list[Hit]
    said: list[Amount]


def fact_of(amount: Amount, place: int, reading: Reading) -> int | None:
    """Return the place of the fact that an amount is about; −1: none of the catalogue's; None: it claims nothing.

    Args:
        amount: the amount.
        place: of its clause.
        reading: of its sentence.
    """
    sentence, ear, parts, hits, _ = reading
    tokens, part, product = sentence.tokens, parts[place], ear.product
    behind = tokens[amount.end : amount.end + 1]
    if amount.per == "other" or (behind and behind[0] in _DIFFERENCE and tokens[amount.end - 1 : amount.end] != ["or"]):
        return None
    if amount.per == DATE:
        there = ear.places["delivery time"]
        return there if any(hit.fact == there and part.start <= hit.start < part.end for hit in hits) else None
    pays = amount.per != "" and (amount.per == product.per or {amount.per, product.per} == {"month", "year"})
    named = _best(amount, place, reading, outside=not pays)
    if named is not None:
        return named
    if amount.kind == "money":
        signs = tokens[max(part.start, amount.start - 4) : amount.start]
        return ear.places["price"] if pays or not _PRICE_SIGNS.isdisjoint(signs) else None
    return _default(amount, ear, tokens) if amount.unit else None


def _best(amount: Amount, place: int, reading: Reading, *, outside: bool) -> int | None:
    """Return the fact among those that fit of which the words stand nearest and are the surest.

    Args:
        amount: the amount.
        place: of its clause.
        reading: of its sentence.
        outside: whether words of the clauses before and behind count.
    """
    fits = reading.ear.fits.get(amount.kind, _NONE)
    best, score = None, 0.0
    for hit in reading.hits:
        if hit.fact in fits:
            near = _near(hit, place, reading, outside)
            if near:
                worth = near + _worth(hit, amount, reading)
                if worth > score:
                    best, score = hit.fact, worth
    return best


def _near(hit: Hit, place: int, reading: Reading, outside: bool) -> float:
    """Return what it counts in which clause a turn of phrase stands, 0 where it cannot be meant."""
    tokens, parts, part = reading.sentence.tokens, reading.parts, reading.parts[place]
    if part.start <= hit.start < part.end:
        return 3.0
    if outside and place and parts[place - 1].start <= hit.start < part.start and _goes_on(tokens, part):
        return 2.5
    if outside and not part.verb and place + 1 < len(parts) and part.end <= hit.start < parts[place + 1].end:
        return 1.0
    return 0.0


def _worth(hit: Hit, amount: Amount, reading: Reading) -> float:
    """Return how surely a turn of phrase is what an amount is about, by how near it stands and what it is."""
    fact, tokens = reading.ear.facts[hit.fact], reading.sentence.tokens
    gap = _gap(hit, amount)
    worth = hit.strength - 0.15 * gap
    if len(reading.said) > 1 and gap and any(_between(hit, amount, other) for other in reading.said):
        worth -= 5.0 if hit.start >= amount.end else 1.0
    if amount.kind == "count":
        if fact.kind == "money":
            return worth - 3.0 * (hit.start < amount.start) if _is_money(amount, tokens) else -_NEVER
        if not _counts(hit, amount):
            return -_NEVER
        worth -= 3.0 * (hit.start < amount.start)
    if fact.attribute == "price":
        worth -= 1.5 + 1.5 * (tokens[hit.start] in ("cost", "costs", "charge", "charged"))
    return worth - 0.5 * (amount.kind == "money" and fact.kind == "percentage")


def _gap(hit: Hit, amount: Amount) -> int:
    """Return how many tokens stand between a turn of phrase and an amount."""
    return max(hit.start - amount.end, amount.start - hit.end, 0)


def _between(hit: Hit, amount: Amount, other: Amount) -> bool:
    """Whether another amount of the kind stands nearer to a turn of phrase than an amount does, on the same side."""
    if other is amount or other.kind != amount.kind:
        return False
    if hit.start >= amount.end:
        return amount.end <= other.start and _gap(hit, other) < _gap(hit, amount)
    return other.end <= amount.start and other.start >= hit.end


def _is_money(amount: Amount, tokens: Sequence[str]) -> bool:
    """Whether a bare number may be an amount of money: a large one, and no year."""
    return amount.low >= 100 and tokens[amount.start - 1 : amount.start] not in (["in"], ["since"])


def _goes_on(tokens: Sequence[str], part: Clause) -> bool:
    """Whether a clause has no subject of its own, as "and costs $45"."""
    at = part.start
    while at < part.end and tokens[at] in _BEGINNINGS:
        at += 1
    return not part.verb or at == part.end or tokens[at] not in _SUBJECTS


def _counts(hit: Hit, amount: Amount) -> bool:
    """Whether a number counts what a hit names: it stands right behind the number, or not far before it."""
    return 0 <= hit.start - amount.end <= 2 or 0 <= amount.start - hit.end <= 6


def _default(amount: Amount, ear: Ear, tokens: Sequence[str]) -> int | None:
    """Return the fact of an amount with no name near it, where only one can be meant."""
    if amount.kind in ("time", "percentage"):
        return None
    fits = sorted(ear.fits.get(amount.kind, _NONE))
    behind = tokens[amount.end : amount.end + 1]
    only = [at for at in fits if ear.facts[at].attribute == amount.kind != "length"] or fits
    if len(only) != 1 or behind == ["of"]:
        return -1
    if amount.kind in _BY_DEFAULT or {amount.unit, ear.facts[only[0]].unit} <= _ROADS:
        return only[0]
    alone = amount.unit == ear.facts[only[0]].unit and (not behind or behind[0] in _ENDS)
    return only[0] if alone and amount.kind == "length" else -1


def is_offer(sentence: Sentence, amount: Amount, part: Clause) -> bool:
    """Whether a price is one that the seller offers, and not one that is said to be the product's."""
    inner = sentence.tokens[part.start : part.end]
    offered = not _OFFERS.isdisjoint(inner) or " for you" in sentence.text.lower()
    return offered and _LIST.isdisjoint(inner)


def wider(one: Hit, other: Hit) -> bool:
    """Whether a turn of phrase holds another, and more."""
    return one.start <= other.start and one.end >= other.end and (one.end - one.start) > (other.end - other.start)
