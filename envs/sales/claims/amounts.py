"""Amounts in a sentence: figures and numbers in words, with their units, and what bounds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from agentgym.envs.sales.product import UNITS
from agentgym.envs.sales.vocabulary import listed, words

EXACT, ABOUT, NEARLY, ABOVE, MOST, LEAST, UPTO, GOOD, WITHIN = (
    "exact", "about", "nearly", "above", "most", "least", "up to", "good", "within",
)  # fmt: skip

_SPELT: Final[dict[str, str]] = {
    "USD": "dollar dollars bucks buck usd",
    "g": "gram grams gramme grammes", "kg": "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes",
    "lb": "lb lbs pound pounds", "oz": "oz ounce ounces", "t": "tonne tonnes ton tons",
    "mm": "mm millimetre millimetres millimeter millimeters",
    "cm": "cm cms centimetre centimetres centimeter centimeters",
    "m": "metre metres meter meters", "km": "km kms kilometre kilometres kilometer kilometers",
    "in": "inch inches", "ft": "ft foot feet", "mi": "mile miles", "m2": "sqm", "sqft": "sqft",
    "ml": "ml millilitre millilitres milliliter milliliters", "l": "litre litres liter liters",
    "gal": "gallon gallons",
    "s": "second seconds sec secs", "min": "minute minutes min mins", "h": "hour hours hr hrs",
    "day": "day days night nights", "week": "week weeks", "month": "month months", "year": "year years yr yrs",
    "W": "watt watts", "kW": "kw kilowatt kilowatts", "hp": "hp horsepower",
    "Wh": "wh", "kWh": "kwh", "mAh": "mah", "V": "volt volts",
    "MB": "mb megabyte megabytes", "GB": "gb gig gigs gigabyte gigabytes", "TB": "tb terabyte terabytes",
    "Mbps": "mbps mbit mbits megabit megabits", "Gbps": "gbps gbit gigabit gigabits",
    "km/h": "kmh kph", "mph": "mph", "rpm": "rpm revs", "Hz": "hz hertz", "dB": "db decibel decibels",
    "bar": "bar bars", "lm": "lm lumen lumens", "MP": "megapixel megapixels", "Nm": "nm",
    "C": "celsius", "%": "% percent pct",
}  # fmt: skip
_UNIT: Final = {word: unit for unit, words in _SPELT.items() for word in words.split()}
_SHORT: Final = {  # units only right behind a figure
    "g": "g", "m": "m", "l": "l", "s": "s", "h": "h", "v": "V", "w": "W", "mi": "mi", "mp": "MP", '"': "in", "in": "in",
    "c": "C", "t": "t", "d": "day",
}  # fmt: skip
_CURRENCY: Final = frozenset("$€£")
_ONES: Final = listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen"
    " eighteen nineteen"
)
_TENS: Final = listed("twenty thirty forty fifty sixty seventy eighty ninety")
_WORDS: Final[dict[str, float]] = {
    **{word: float(value) for value, word in enumerate(_ONES)},
    **{word: 10.0 * value for value, word in enumerate(_TENS, 2)},
}
_SHARES: Final = {"third": 1 / 3, "fifth": 0.2, "tenth": 0.1, "quarter": 0.25}
_SCALES: Final = {"hundred": 100.0, "thousand": 1000.0, "million": 1e6, "k": 1000.0, "dozen": 12.0, "grand": 1000.0}
_BETWEEN: Final = words(
    "full whole working business straight solid good more extra long entire calendar consecutive"
    " separate different"
    " complete solid additional"
)
STARTS: Final = frozenset(
    ("half", "quarter", "three", "couple", "few", "several", "single", "a", "an", *_WORDS, *_SCALES)
)
_ARTICLE: Final = words(  # before "a week", where it is how long something takes
    "in within of for takes take is lasts last about than after under over to full whole just only runs run be around"
    " almost nearly get got gives it's that's there's at least inside as almost exactly have gets you've with includes"
)
_DATES: Final = {"tomorrow": 1.0, "overnight": 1.0, "tonight": 0.0, "day": -1.0}
DATE: Final = "date"
_PER: Final = frozenset(("a", "an", "per", "each", "every", "/", "for"))
_FIGURES: Final = frozenset("0123456789.")
_ARTICLES: Final = frozenset(("a", "an"))
_AFTER_ARTICLE: Final = frozenset(
    ("half", "quarter", "couple", "few", "good", "single", "free", "one", "two", *_SCALES, *_SHARES, *_BETWEEN, *_UNIT)
)
_MAY_BEGIN: Final = STARTS | _CURRENCY | frozenset(_DATES)
_PERIODS: Final = {"month": "month", "monthly": "month", "year": "year", "yearly": "year", "annually": "year",
                   "annum": "year", "week": "week", "weekly": "week", "day": "day", "mo": "month"}  # fmt: skip
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
        elif token not in _ARTICLES or tokens[at + 1 : at + 2] and tokens[at + 1] in _AFTER_ARTICLE:
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
    at, money = start, tokens[start] in _CURRENCY
    at += money
    read = _number(tokens, at)
    if read is None:
        return None
    value, at, article = read
    low = value
    joined = at < len(tokens) and tokens[at] in ("to", "and", "or", "by", "x") and not article
    if joined:
        skip = at + 1 + (at + 1 < len(tokens) and tokens[at + 1] in _CURRENCY)
        other = _number(tokens, skip) if skip < len(tokens) and tokens[skip] not in ("a", "an") else None
        if other is not None and tokens[at] in ("by", "x"):
            unit, _ = _unit(tokens, other[1])
            return Amount(value, value, EXACT, unit, "", start, at) if unit else None
        ranged = tokens[at] == "to" or (tokens[at] == "and" and "between" in tokens[max(0, start - 2) : start])
        ranged = ranged or tokens[at] == "or"
        if other is not None and ranged and other[0] > value and (_unit(tokens, other[1])[0] or money):
            value, at = other[0], other[1]
    elif at < len(tokens) and tokens[at][0].isdigit() and _dash(tokens, at, value):
        value, at, _ = _number(tokens, at) or (value, at + 1, False)
    if money:
        unit = "USD"
    elif tokens[at - 1] in _SHARES or (tokens[at - 1] == "half" and _of_price(tokens, at)):
        unit, low, value = "%", low * 100, value * 100
    else:
        unit, at = _unit(tokens, at)
    if unit and tokens[at : at + 3] == ["and", "a", "half"]:
        low, value, at = low + 0.5, value + 0.5, at + 3
    if article and (not unit or not _article(tokens, start)):
        return None
    per, after = _per(tokens, at) if unit == "USD" else ("", at)
    bound = EXACT if low != value else _bound(tokens, start, after)
    return Amount(low, value, bound, unit, per, start, after)


def _dash(tokens: Sequence[str], at: int, value: float) -> bool:
    """Whether a second figure right behind one makes a range with it, as in "2-3 days"."""
    try:
        second = float(tokens[at].replace(",", ""))
    except ValueError:
        return False
    return value < second <= 3 * value + 2 and bool(_unit(tokens, at + 1)[0])


def _number(tokens: Sequence[str], at: int) -> tuple[float, int, bool] | None:
    """Return the number that begins at a token, where it ends, and whether it is but an article."""
    if at >= len(tokens):
        return None
    token = tokens[at]
    if token[0].isdigit() or token[0] == ".":
        value, at = float(token.replace(",", "")), at + 1
        if at < len(tokens) and tokens[at] == "/":  # 24/7
            return None if at + 1 < len(tokens) and tokens[at + 1][0].isdigit() else (value, at, False)
        while at < len(tokens) and tokens[at] in _SCALES:
            value, at = value * _SCALES[tokens[at]], at + 1
        return value, at, False
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    if token in ("a", "an"):
        if following in ("half", "quarter"):
            return _fraction(tokens, at + 1)
        if following in _SCALES and following != "k":
            return _words(tokens, at + 1, 1.0)
        if following in ("couple", "few"):
            return 2.0 if following == "couple" else 3.0, at + 2 + (tokens[at + 2 : at + 3] == ["of"]), False
        if following in _SHARES and tokens[at + 2 : at + 3] in (["of"], ["is"], ["up"], ["as"], ["down"]):
            return _SHARES[following], at + 2, False
        if following == "good" and at + 2 < len(tokens):
            return _number(tokens, at + 2)
        skip = at + 1
        while skip < len(tokens) and tokens[skip] in _BETWEEN | {"single", "free", "one", "two"} - _WORDS.keys():
            skip += 1
        return (1.0, skip, True) if skip < len(tokens) and tokens[skip] in _UNIT else None
    if token in ("half", "quarter") or (token == "three" and following in ("quarter", "quarters")):
        return _fraction(tokens, at)
    if token == "single":
        return 1.0, at + 1, False
    if token == "several":
        return 3.0, at + 1, False
    if token in _WORDS or (token in _SCALES and token != "k"):
        return _words(tokens, at, 0.0)
    return None


def _of_price(tokens: Sequence[str], at: int) -> bool:
    """Whether "half" is half the price, and no half of a unit."""
    return not {"price", "total", "amount", "sum", "cost"}.isdisjoint(tokens[at : at + 4])


def _fraction(tokens: Sequence[str], at: int) -> tuple[float, int, bool] | None:
    value = {"half": 0.5, "quarter": 0.25, "three": 0.75}[tokens[at]]
    at += 2 if tokens[at] == "three" else 1
    if tokens[at : at + 1] == ["of"]:
        at += 1
    if tokens[at : at + 1] and tokens[at] in ("a", "an"):
        return value, at + 1, False
    known = at < len(tokens) and (tokens[at] in _UNIT or (value == 0.5 and _of_price(tokens, at)))
    return (value, at, False) if known else None


def _words(tokens: Sequence[str], at: int, first: float) -> tuple[float, int, bool]:
    """Return a number in words: "one hundred and twenty", "two and a half", "three thousand"."""
    total, current = 0.0, first
    while at < len(tokens):
        token = tokens[at]
        if token in _WORDS:
            if current and not (current % 100 >= 20 and _WORDS[token] < 10) and current % 100:
                break
            current += _WORDS[token]
        elif token in _SCALES and token != "k":
            current = (current or 1.0) * _SCALES[token]
            if _SCALES[token] >= 1000:
                total, current = total + current, 0.0
        elif token == "point" and at + 1 < len(tokens) and tokens[at + 1] in _WORDS:
            return total + current + _WORDS[tokens[at + 1]] / 10.0, at + 2, False
        elif token == "and" and tokens[at + 1 : at + 3] in (["a", "half"], ["a", "quarter"]):
            return total + current + (0.5 if tokens[at + 2] == "half" else 0.25), at + 3, False
        elif not (token == "and" and current >= 100 and at + 1 < len(tokens) and tokens[at + 1] in _WORDS):
            break
        at += 1
    return total + current, at, False


def _unit(tokens: Sequence[str], at: int) -> tuple[str, int]:
    """Return the unit at a token, "" if there is none, and where it ends."""
    figure = at > 0 and tokens[at - 1][-1].isdigit()
    if at < len(tokens) and tokens[at] == "of" and at + 1 < len(tokens) and tokens[at + 1] == "a":
        at += 2
    skip = at
    while skip < len(tokens) and tokens[skip] in _BETWEEN:
        skip += 1
    if skip >= len(tokens):
        return "", at
    word = tokens[skip]
    unit = _UNIT.get(word) or _UNIT.get(word.removesuffix("'s").removesuffix("'"), "")
    after = tokens[skip + 1 : skip + 3]
    if not unit and figure and skip == at:
        unit = _SHORT.get(word, "")
        if word == "in" and after[:1] and after[0][0].isalpha() and not _sized(tokens, at):  # "24 in the box"
            unit = ""
    if word in ("sq", "square") and after[:1]:
        return {"m": "m2", "ft": "sqft"}.get(_UNIT.get(after[0], _SHORT.get(after[0], "")), ""), skip + 2
    if word == "per" and after[:1] == ["cent"]:
        return "%", skip + 2
    if unit in ("m", "ft") and after[:1] == ["²"]:
        return "m2" if unit == "m" else "sqft", skip + 2
    if unit in ("km", "mi") and len(after) == 2 and after[0] in ("/", "an", "per") and after[1] in ("h", "hour"):
        return "km/h" if unit == "km" else "mph", skip + 3
    if unit == "MB" and len(after) == 2 and after[0] in ("/", "per") and after[1] in ("s", "second"):
        return "Mbps", skip + 3
    return (unit, skip + 1) if unit else ("", at)


def _sized(tokens: Sequence[str], at: int) -> bool:
    """Whether "in" behind a figure is inches before what has that size, as in "a 15.6 in screen"."""
    return "." in tokens[at - 1] or (at > 1 and tokens[at - 2] in ("a", "an"))


def _article(tokens: Sequence[str], start: int) -> bool:
    """Whether "a week" is how long something takes, and not how often something happens."""
    return start == 0 or tokens[start - 1] in _ARTICLE or tokens[start - 1] in _DIRECT or tokens[start - 1][0] in ",:"


def _per(tokens: Sequence[str], at: int) -> tuple[str, int]:
    """Return of what there is so much each, "" for nothing, and where that ends."""
    if at < len(tokens) and tokens[at] in _PERIODS and tokens[at].endswith("ly"):
        return _PERIODS[tokens[at]], at + 1
    if at + 1 >= len(tokens) or tokens[at] not in _PER:
        return "", at
    word = tokens[at + 1]
    if tokens[at] == "for":
        return "", at
    if word in _PERIODS:
        return _PERIODS[word], at + 2
    if word in ("person", "head", "piece", "unit", "item", "one") or tokens[at] == "/":
        return "", at + 2
    return "other", at + 2


def _bound(tokens: Sequence[str], start: int, end: int) -> str:
    """Return what the words around an amount say of it."""
    before = tokens[max(0, start - 6) : start]
    near = list(before[-3:])
    three, two, one = (["", "", ""] + near)[-3:]
    if one == "than" and two in _LESS | _MORE and three in _SLIGHT:
        return NEARLY if two in _LESS else ABOVE
    if one == "than" and two in _MORE | _LESS:
        denied = any(token in _DENIES for token in before[:-2])
        return LEAST if (two in _MORE) != denied else MOST
    if one == "than" and three in ("more", "less"):
        return LEAST if three == "more" else MOST
    if (one, two) == ("to", "up"):
        return EXACT if tokens[end : end + 1] == ["before"] else UPTO
    if (one, two) == ("to", "close"):
        return ABOUT
    if one == "most" and two == "at":
        return MOST
    if one == "least" and two == "at":
        return LEAST
    if one == "good" and tokens[start - 1 : start] == ["good"]:
        return GOOD
    if one == "of" and two in ("maximum", "minimum", "max", "upwards"):
        return LEAST if two in ("minimum", "upwards") else MOST
    if one in ("under", "over", "below", "above") and two in _SLIGHT:
        return NEARLY if one in ("under", "below") else ABOVE
    if tokens[start : start + 2] == ["a", "good"]:
        return GOOD
    if one == "easily" or two == "easily":
        return GOOD
    if one == "within" and two != "in":
        return WITHIN
    if one in _DIRECT:
        return _DIRECT[one]
    if "doesn't" in before and "even" in before or ("don't" in before and "even" in before):
        return MOST
    return _behind(tokens, end)


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
