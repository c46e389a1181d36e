"""Which fact an amount speaks of: the words around it, what it measures, and how near they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentgym.envs.sales.claims.amounts import DATE, Amount
from agentgym.envs.sales.claims.clauses import Clause
from agentgym.envs.sales.claims.ear import NAMED, Ear, Hit
from agentgym.envs.sales.claims.tokens import Sentence
from agentgym.envs.sales.product import Fact
from agentgym.envs.sales.vocabulary import words

_DIFFERENCE: Final = words(
    "more less longer shorter lighter heavier cheaper faster slower off older ago away"
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
_ROADS: Final = frozenset(("km", "mi"))


def fact_of(
    amount: Amount, sentence: Sentence, ear: Ear, part: Clause, parts: Sequence[Clause], place: int, hits: Sequence[Hit]
) -> int | None:
    """Return the place of the fact that an amount is about; −1: none of the catalogue's; None: it claims nothing."""
    tokens = sentence.tokens
    behind = tokens[amount.end : amount.end + 1]
    if amount.per == "other" or (behind and behind[0] in _DIFFERENCE and tokens[amount.end - 1 : amount.end] != ["or"]):
        return None
    if amount.per == DATE:
        place_of = ear.places["delivery time"]
        return place_of if any(hit.fact == place_of and part.start <= hit.start < part.end for hit in hits) else None
    fits = ear.fits.get(amount.kind, frozenset())
    pays = amount.per != "" and (amount.per == ear.product.per or (amount.per == "year" and ear.product.per == "month"))
    named = _best(amount, ear, part, parts, place, hits, fits, tokens, outside=not pays)
    if named is not None:
        return named
    if amount.kind == "money":
        price = ear.places["price"]
        signs = tokens[max(part.start, amount.start - 4) : amount.start]
        return price if pays or not _PRICE_SIGNS.isdisjoint(signs) else None
    if amount.unit == "":
        return None
    return _default(amount, ear, fits, tokens)


def _best(
    amount: Amount,
    ear: Ear,
    part: Clause,
    parts: Sequence[Clause],
    place: int,
    hits: Sequence[Hit],
    fits: frozenset[int],
    tokens: Sequence[str],
    *,
    outside: bool,
) -> int | None:
    """Return the fact among those that fit of which the words stand nearest and are the surest."""
    best, score = None, 0.0
    before = parts[place - 1] if place else None
    after = parts[place + 1] if place + 1 < len(parts) else None
    for hit in hits:
        if hit.fact not in fits:
            continue
        fact = ear.facts[hit.fact]
        if part.start <= hit.start < part.end:
            worth = 3.0
        elif not outside:
            continue
        elif before is not None and before.start <= hit.start < before.end and _goes_on(tokens, part):
            worth = 2.5
        elif after is not None and after.start <= hit.start < after.end and not part.verb:
            worth = 1.0
        else:
            continue
        if amount.kind == "count" and not _counts(hit, amount, fact):
            continue
        if amount.kind == "count" and hit.start < amount.start:
            worth -= 3.0
        gap = hit.start - amount.end if hit.start >= amount.end else amount.start - hit.end
        if hit.start < amount.end and amount.start < hit.end:
            gap = 0
        if fact.attribute == "price":
            worth -= 1.5 + 1.5 * (tokens[hit.start] in ("cost", "costs", "charge", "charged"))
        if amount.kind == "money" and fact.kind == "percentage":
            worth -= 0.5
        worth += hit.strength - 0.15 * max(gap, 0)
        if fact.kind == "money" and amount.unit == "" and not _is_money(amount, tokens):
            continue
        if worth > score:
            best, score = hit.fact, worth
    return best


def _is_money(amount: Amount, tokens: Sequence[str]) -> bool:
    """Whether a bare number may be an amount of money: a large one, and no year."""
    return amount.low >= 100 and tokens[amount.start - 1 : amount.start] not in (["in"], ["since"])


def _goes_on(tokens: Sequence[str], part: Clause) -> bool:
    """Whether a clause has no subject of its own, as "and costs $45"."""
    at = part.start
    while at < part.end and tokens[at] in (",", "and", "but", "or", "so", "that's", "which"):
        at += 1
    head = tokens[at : at + 1]
    return (
        not part.verb
        or not head
        or head[0] not in ("it", "it's", "you", "we", "they", "there", "there's", "i", "they're", "you'd", "you'll")
    )


def _counts(hit: Hit, amount: Amount, fact: Fact) -> bool:
    """Whether a number counts what a hit names: it stands right behind the number, or right before it."""
    if fact.kind == "money":
        return True
    return 0 <= hit.start - amount.end <= 2 or 0 <= amount.start - hit.end <= (
        6 if hit.strength >= 3 or hit.how == NAMED else 1
    )


def _default(amount: Amount, ear: Ear, fits: frozenset[int], tokens: Sequence[str]) -> int | None:
    """Return the fact of an amount with no name near it, where only one can be meant."""
    if tokens[amount.end : amount.end + 1] == ["of"]:
        return -1
    same = [at for at in sorted(fits) if ear.facts[at].attribute == amount.kind]
    only = same or sorted(fits)
    if amount.kind in ("time", "percentage") or not fits:
        return None if amount.kind in ("time", "percentage") else -1
    if len(only) == 1 and (amount.kind in _BY_DEFAULT or {amount.unit, ear.facts[only[0]].unit} <= _ROADS):
        return only[0]
    return -1


def is_offer(sentence: Sentence, amount: Amount, part: Clause) -> bool:
    """Whether a price is one that the seller offers, and not one that is said to be the product's."""
    inner = sentence.tokens[part.start : part.end]
    offered = not _OFFERS.isdisjoint(inner) or " for you" in sentence.text.lower()
    return offered and _LIST.isdisjoint(inner)


def wider(one: Hit, other: Hit) -> bool:
    """Whether a turn of phrase holds another, and more."""
    return one.start <= other.start and one.end >= other.end and (one.end - one.start) > (other.end - other.start)
