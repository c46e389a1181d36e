"""Money: decimal texts such as "24.50" in records and messages, whole cents in between."""

from __future__ import annotations

import re

_AMOUNT = re.compile(r"(-?)(\d{1,9})(?:\.(\d{1,2}))?", re.ASCII)


def text(cents: int) -> str:
    """Return an amount as a text: 2450 → "24.50", −5 → "-0.05"."""
    sign, size = "-" if cents < 0 else "", abs(cents)
    return f"{sign}{size // 100}.{size % 100:02d}"


def cents(amount: str) -> int:
    """Return an amount in cents: "24.5" → 2450.

    Raises:
        ValueError: not an amount of money with at most two digits after the point; the message quotes it.
    """
    found = _AMOUNT.fullmatch(amount.strip().replace("£", "").replace(",", ""))
    if not found:
        raise ValueError(f"{amount[:40]!r} is no amount of money such as 24.50")
    size = int(found[2]) * 100 + int((found[3] or "0").ljust(2, "0"))
    return -size if found[1] else size
