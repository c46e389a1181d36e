"""Whether what a sentence says of a number agrees with the number that the catalogue gives."""

from __future__ import annotations

from typing import Final

from agentgym.envs.sales.claims.amounts import ABOUT, ABOVE, EXACT, GOOD, LEAST, MOST, NEARLY, UPTO, WITHIN, Amount
from agentgym.envs.sales.product import UNITS, Fact
from agentgym.envs.sales.vocabulary import listed

NEAR: Final = 0.015
"""Share by which an exact figure may be off, for what is measured; counts have to be right."""

CONVERTED: Final = 0.03
"""The same for a figure in another unit than the catalogue's."""

_ALLOWED: Final = ("return", "trial", "cancel", "warranty", "withdraw", "guarantee")  # "within" is how long one may
LOOSE: Final = 0.1
"""Share by which "about" may be off."""

SLIGHT: Final = 0.15
"""Share by which "just under" and "a bit over" may be off, on their side."""

_LUNAR: Final = 0.09
_LONG: Final = ("month", "year")  # between which and weeks or days calendars leave that share open
_SMALL: Final = listed(
    "delivery charging heat waiting claims weight price deductible noise fee cost deposit excess"
    " wait assembly contract notice term"
)


def low_is_good(fact: Fact) -> bool:
    """Whether "up to" says of a fact that it is no more than that, and not that it may reach it."""
    return any(word in fact.attribute for word in _SMALL)


def agrees(fact: Fact, amount: Amount, value: float) -> bool:
    """Return whether an amount is true of a fact.

    Args:
        fact: the fact, a number.
        amount: what was said, with a unit of the same quantity, or none.
        value: the fact's number in the amount's unit.
    """
    off = _tolerance(fact, amount)
    low, high = amount.low, amount.high
    least, most = low - _slack(amount, low, off), high + _slack(amount, high, off)
    bound = amount.bound
    if bound == WITHIN:
        bound = LEAST if any(word in fact.attribute for word in _ALLOWED) else MOST
    if bound == UPTO:
        bound = MOST if low_is_good(fact) else LEAST
    if bound == EXACT:
        return least <= value <= most
    if bound == ABOUT:
        return low * (1 - LOOSE) <= value <= high * (1 + LOOSE) + 1e-9
    if bound == NEARLY:
        return low * (1 - SLIGHT) <= value <= most
    if bound == ABOVE:
        return least <= value <= high * (1 + SLIGHT)
    if bound == GOOD:
        return value >= low * 0.95
    if bound == MOST:
        return value <= most
    return value >= least


def _slack(amount: Amount, number: float, off: float) -> float:
    if amount.kind == "percentage":
        return 0.05
    return abs(number) * off + 1e-9


def _tolerance(fact: Fact, amount: Amount) -> float:
    if amount.kind == "count":
        return 0.0
    if amount.kind == "money":
        return 0.01
    if amount.unit in (fact.unit, ""):
        return NEAR
    return _LUNAR if amount.kind == "time" and (amount.unit in _LONG) != (fact.unit in _LONG) else CONVERTED


def converted(value: float, unit: str, into: str) -> float | None:
    """Return a number in another unit, None where the two measure different things."""
    kind, factor = UNITS[unit]
    other, divisor = UNITS[into]
    return value * factor / divisor if kind == other else None
