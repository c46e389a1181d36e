"""Amounts in a sentence: figures and numbers in words, with their units, and what bounds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from agentgym.envs.sales.claims.numerals import AFTER_ARTICLE, SHARES, STARTS, number_at, of_price
from agentgym.envs.sales.claims.units import per_at, unit_at
from agentgym.envs.sales.product import UNITS
from agentgym.envs.sales.vocabulary import listed, words

EXACT, ABOUT, NEARLY, ABOVE, MOST, LEAST, UPTO, GOOD, WITHIN = (
    "exact", "about", "nearly", "above", "most", "least", "up to", "good", "within",
)  # fmt: skip

_CURRENCY: Final = frozenset("$€£")
_ARTICLE: Final = words(  # before "a week", where it is how long something takes
    "in within of for takes take is lasts last about than after under over to full whole just only runs run be around"
    " almost nearly get got gives it's that's there's at least inside as almost exactly have gets you've with includes"
)
_DATES: Final = {"tomorrow": 1.0, "overnight": 1.0, "tonight": 0.0, "day": -1.0}
DATE: Final = "date"
_FIGURES: Final = frozenset("0123456789.")
_ARTICLES: Final = frozenset(("a", "an"))
_MAY_BEGIN: Final = STARTS | _CURRENCY | frozenset(_DATES)
_MORE: Final = words("more bigger longer heavier greater higher wider larger taller farther further later older")
_LESS: Final = words("less fewer lighter shorter smaller lower cheaper sooner faster narrower quieter")
_DIRECT: Final[dict[str, str]] = {
    **dict.fromkeys(listed("under below within beneath inside maximum max"), MOST),
    **dict.fromkeys(listed("over above beyond exceeding exceeds minimum min from"), LEAST),
    **dict.fromkeys(listed("about around roughly approximately approx circa some maybe probably say like"), ABOUT),
    **dict.fromkeys(listed("nearly almost"), NEARLY),
    **dict.fromkeys(listed("until till"), EXACT),
}
_AFTER: Final[dict[str, str]] = {
    "plus": LEAST,
    "+": LEAST,
    "max": MOST,
    "maximum": MOST,
    "tops": MOST,
    "minimum": LEAST,
}
_PAIRS: Final = {
    ("close", "to"): ABOUT,
    ("at", "most"): MOST,
    ("at", "least"): LEAST,
    ("maximum", "of"): MOST,
    ("max", "of"): MOST,
    ("minimum", "of"): LEAST,
    ("upwards", "of"): LEAST,
}
_SLIGHT: Final = words("just little bit slightly tad shy smidgen")
_DENIES: Final = words("no not never won't don't doesn't isn't aren't can't cannot without didn't nor")


class Amount(NamedTuple):
    """An amount that a sentence names.

    Attributes:
        low, high: the number; apart where it is a range.
        bound: what the sentence says of it: exact, about, nearly, above (a bit over), most, least, up to, good (that
            and more).
        unit: a key of `UNITS`; "" for a bare number.
        per: "month", "year", "week", "day" where it is so much each; "other" for each of something else; "date"
            where it is so long from now, as "tomorrow".
        start, end: the tokens that it spans, without what bounds it.
    """

    low: float
    high: float
    bound: str
    unit: str
    per: str
    start: int
    end: int

    @property
    def kind(self) -> str:
        """Return what the unit measures."""
        return UNITS[self.unit][0]


def amounts(tokens: Sequence[str]) -> list[Amount]:
    """Return the amounts of a sentence, from left to right."""
    found: list[Amount] = []
    done = 0
    for at, token in enumerate(tokens):
        if at < done or not (token in _MAY_BEGIN or token[0] in _FIGURES):
            continue
        if token in _DATES:
            days = _days(tokens, at)
            if days >= 0:
                found.append(Amount(days, days, MOST, "day", DATE, at, at + 1))
        elif token not in _ARTICLES or tokens[at + 1 : at + 2] and tokens[at + 1] in AFTER_ARTICLE:
            amount = _amount(tokens, at)
            if amount is not None:
                found.append(amount)
                done = amount.end
    return found


def _days(tokens: Sequence[str], at: int) -> float:
    """Return in how many days a date is, −1 where the token is none."""
    if tokens[at] == "day":
        return {"next": 1.0, "same": 0.0}.get(tokens[at - 1] if at else "", -1.0)
    return 2.0 if tokens[max(0, at - 2) : at] == ["day", "after"] else _DATES[tokens[at]]


def _amount(tokens: Sequence[str], start: int) -> Amount | None:
    """Return the amount that begins at a token."""
    money = tokens[start] in _CURRENCY
    read = number_at(tokens, start + money)
    if read is None:
        return None
    low, at, article = read
    high = low
    joint = tokens[at] if at < len(tokens) and not article else ""
    if joint in ("by", "x"):
        return _sides(tokens, start, at, low)
    if joint in ("to", "and", "or") or (joint and joint[0].isdigit()):
        high, at = _range(tokens, start, at, low, money)
    if money:
        unit = "USD"
    elif tokens[at - 1] in SHARES or (tokens[at - 1] == "half" and of_price(tokens, at)):
        unit, low, high = "%", low * 100, high * 100
    else:
        unit, at = unit_at(tokens, at)
    if unit and tokens[at : at + 3] == ["and", "a", "half"]:
        low, high, at = low + 0.5, high + 0.5, at + 3
    if article and (not unit or not _article(tokens, start)):
        return None
    per, after = per_at(tokens, at) if unit == "USD" else ("", at)
    bound = EXACT if low != high else _bound(tokens, start, after)
    return Amount(low, high, bound, unit, per, start, after)


def _sides(tokens: Sequence[str], start: int, at: int, value: float) -> Amount | None:
    """Return the first of "180 by 90 cm", which has the unit of the second."""
    other = number_at(tokens, at + 1)
    unit = unit_at(tokens, other[1])[0] if other is not None else ""
    return Amount(value, value, EXACT, unit, "", start, at) if unit else None


def _range(tokens: Sequence[str], start: int, at: int, low: float, money: bool) -> tuple[float, int]:
    """Return the upper end of a range, as "20 to 25 hours", and where it ends; the lower one where there is none."""
    if tokens[at][0].isdigit():
        return (float(tokens[at].replace(",", "")), at + 1) if _dash(tokens, at, low) else (low, at)
    if tokens[at] == "and" and "between" not in tokens[max(0, start - 2) : start]:
        return low, at
    skip = at + 1 + (at + 1 < len(tokens) and tokens[at + 1] in _CURRENCY)
    other = number_at(tokens, skip) if skip < len(tokens) and tokens[skip] not in _ARTICLES else None
    if other is None or other[0] <= low or not (money or unit_at(tokens, other[1])[0]):
        return low, at
    return other[0], other[1]


def _dash(tokens: Sequence[str], at: int, value: float) -> bool:
    """Whether a second figure right behind one makes a range with it, as in "2-3 days"."""
    try:
        second = float(tokens[at].replace(",", ""))
    except ValueError:
        return False
    return value < second <= 3 * value + 2 and bool(unit_at(tokens, at + 1)[0])


def _article(tokens: Sequence[str], start: int) -> bool:
    """Whether "a week" is how long something takes, and not how often something happens."""
    return start == 0 or tokens[start - 1] in _ARTICLE or tokens[start - 1] in _DIRECT or tokens[start - 1][0] in ",:"


def _bound(tokens: Sequence[str], start: int, end: int) -> str:
    """Return what the words around an amount say of it."""
    before = tokens[max(0, start - 6) : start]
    three, two, one = (["", "", "", *before])[-3:]
    if one == "than":
        return _than(before, two, three) or _behind(tokens, end)
    if (one, two) == ("to", "up"):
        return EXACT if tokens[end : end + 1] == ["before"] else UPTO
    if (two, one) in _PAIRS:
        return _PAIRS[two, one]
    if one in ("under", "over", "below", "above") and two in _SLIGHT:
        return NEARLY if one in ("under", "below") else ABOVE
    if one == "good" or tokens[start : start + 2] == ["a", "good"] or "easily" in (one, two):
        return GOOD
    if one == "within" and two != "in":
        return WITHIN
    if one in _DIRECT:
        return _DIRECT[one]
    if "even" in before and not {"doesn't", "don't"}.isdisjoint(before):
        return MOST
    return _behind(tokens, end)


def _than(before: Sequence[str], two: str, three: str) -> str:
    """Return what "more than", "not bigger than", "a bit less than" say, "" for nothing."""
    if two in _LESS or two in _MORE:
        if three in _SLIGHT:
            return NEARLY if two in _LESS else ABOVE
        denied = not _DENIES.isdisjoint(before[:-2])
        return LEAST if (two in _MORE) != denied else MOST
    return {"more": LEAST, "less": MOST}.get(three, "")


def _behind(tokens: Sequence[str], end: int) -> str:
    """Return what the words behind an amount say of it."""
    one, two = [*tokens[end : end + 2], "", ""][:2]
    if one == "or" and two in ("so", "thereabouts"):
        return ABOUT
    if one in ("or", "and") and two in ("more", "up", "over", "longer"):
        return LEAST
    if one == "or" and two in ("less", "fewer", "under"):
        return MOST
    if one == "at" and two in ("most", "least"):
        return MOST if two == "most" else LEAST
    return _AFTER.get(one, EXACT)
