"""Words and figures of a verdict: what an interval says of a direction, and how it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

WORDS = ("shown", "refuted", "mixed", "not told apart", "not tested")
"""What a verdict may say."""


def interval(row: Mapping[str, Any], digits: int = 2) -> str:
    """Return "value (low to high)"."""
    return _written(row, f".{digits}f")


def signed(row: Mapping[str, Any], digits: int = 2) -> str:
    """Return a difference, "+value (low to high)"."""
    return _written(row, f"+.{digits}f")


def _written(row: Mapping[str, Any], form: str) -> str:
    value, low, high = (f"{row[key] + 0.0:{form}}" for key in ("value", "low", "high"))
    zero = f"{0.0:{form}}"
    value, low, high = (zero if text.strip("+-") == zero.strip("+-") else text for text in (value, low, high))
    return f"{value} ({low} to {high})"


def direction(difference: Mapping[str, Any]) -> str:
    """Return "shown" for an interval above 0, "refuted" for one below, else "not told apart"."""
    if difference["low"] > 0.0:
        return "shown"
    return "refuted" if difference["high"] < 0.0 else "not told apart"


def safer(difference: Mapping[str, Any]) -> str:
    """Return the same of a difference in broken rules, of which fewer are better."""
    return direction({"low": -difference["high"], "high": -difference["low"]})


def together(words: Sequence[str]) -> str:
    """Return one word for several measures: what any of them tells, "mixed" where they disagree."""
    told = {word for word in words if word != "not told apart"}
    return "not told apart" if not told else told.pop() if len(told) == 1 else "mixed"
