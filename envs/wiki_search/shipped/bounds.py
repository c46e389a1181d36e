"""Properties with their bounds, as the modules `quality…` return them."""

from __future__ import annotations

from agentgym.task import Quality


def least(name: str, value: float, bound: float) -> Quality:
    """Return a property that must be at least `bound`."""
    return Quality(name, value, f"at least {bound:,}", value >= bound)


def most(name: str, value: float, bound: float) -> Quality:
    """Return a property that must be at most `bound`."""
    return Quality(name, value, f"at most {bound:,}", value <= bound)


def below(name: str, value: float, bound: float) -> Quality:
    """Return a property that must be less than `bound`."""
    return Quality(name, value, f"below {bound:,}", value < bound)


def none(name: str, value: int) -> Quality:
    """Return how many break a rule that none may break."""
    return Quality(name, value, "none", value == 0)


def per_cent(part: float, whole: float) -> float:
    """Return a share in per cent, to two decimals; 0 of nothing."""
    return round(100 * part / whole, 2) if whole else 0.0
