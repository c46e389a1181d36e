"""Units as people spell them, behind a number; and of what a price is so much each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentgym.envs.sales.vocabulary import words

_SPELT: Final[dict[str, str]] = {
    "USD": "dollar dollars bucks buck usd",
    "g": "gram grams gramme grammes", "kg": "kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes",
    "lb": "lb lbs pound pounds", "oz": "oz ounce ounces", "t": "tonne tonnes ton tons",
    "mm": "mm millimetre millimetres millimeter millimeters",
    "cm": "cm cms centimetre centimetres centimeter centimeters",
    "m": "metre metres meter meters", "km": "km kms kilometre kilometres kilometer kilometers",
    "in": "inch inches", "ft": "ft foot feet", "mi": "mile miles", "m2": "sqm m²", "sqft": "sqft ft²",
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
UNIT: Final = {word: unit for unit, spelt in _SPELT.items() for word in spelt.split()}
"""Spelling of a unit → a key of `product.UNITS`."""
_SHORT: Final = {  # units only right behind a figure
    "g": "g", "m": "m", "l": "l", "s": "s", "h": "h", "v": "V", "w": "W", "mi": "mi", "mp": "MP", '"': "in", "in": "in",
    "c": "C", "t": "t", "d": "day",
}  # fmt: skip
BETWEEN: Final = words(
    "full whole working business straight solid good more extra long entire calendar consecutive separate different"
    " complete additional"
)
"""Words that may stand between a number and its unit."""
_SQUARES: Final = {"m": "m2", "ft": "sqft"}
_SPEEDS: Final = {"km": "km/h", "mi": "mph"}
_PER: Final = frozenset(("a", "an", "per", "each", "every", "/", "for"))
_PERIODS: Final = {"month": "month", "monthly": "month", "year": "year", "yearly": "year", "annually": "year",
                   "annum": "year", "week": "week", "weekly": "week", "day": "day", "mo": "month"}  # fmt: skip


def unit_at(tokens: Sequence[str], at: int) -> tuple[str, int]:
    """Return the unit at a token, a key of `product.UNITS`, "" if there is none; and where it ends."""
    figure = at > 0 and tokens[at - 1][-1].isdigit()
    if tokens[at : at + 2] == ["of", "a"]:
        at += 2
    skip = at
    while skip < len(tokens) and tokens[skip] in BETWEEN:
        skip += 1
    if skip >= len(tokens):
        return "", at
    word = tokens[skip]
    unit = UNIT.get(word) or UNIT.get(word.removesuffix("'s"), "")
    if not unit and figure and skip == at:
        unit = _short(tokens, at)
    return _compound(word, unit, tokens, skip + 1) or ((unit, skip + 1) if unit else ("", at))


def _short(tokens: Sequence[str], at: int) -> str:
    """Return the unit that a letter or two right behind a figure are."""
    behind = tokens[at + 1 : at + 2]
    if tokens[at] == "in" and behind and behind[0][0].isalpha() and not _sized(tokens, at):  # "24 in the box"
        return ""
    return _SHORT.get(tokens[at], "")


def _compound(word: str, unit: str, tokens: Sequence[str], at: int) -> tuple[str, int] | None:
    """Return a unit of several words and where it ends: "square metres", "km/h", "revolutions per minute"."""
    one, two = [*tokens[at : at + 2], "", ""][:2]
    if word in ("sq", "square"):
        return _SQUARES.get(UNIT.get(one, _SHORT.get(one, "")), ""), at + 1
    if (word, one) == ("per", "cent"):
        return "%", at + 1
    if one in ("/", "an", "per"):
        if unit in _SPEEDS and two in ("h", "hour"):
            return _SPEEDS[unit], at + 2
        if unit == "MB" and two in ("s", "second"):
            return "Mbps", at + 2
        if word in ("revolutions", "turns") and two in ("minute", "min"):
            return "rpm", at + 2
    if word == "newton" and one in ("metres", "meters", "metre", "meter"):
        return "Nm", at + 1
    return None


def _sized(tokens: Sequence[str], at: int) -> bool:
    """Whether "in" behind a figure is inches before what has that size, as in "a 15.6 in screen"."""
    return "." in tokens[at - 1] or (at > 1 and tokens[at - 2] in ("a", "an"))


def per_at(tokens: Sequence[str], at: int) -> tuple[str, int]:
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
