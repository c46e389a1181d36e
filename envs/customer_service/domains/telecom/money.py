"""Amounts and gigabytes as they stand in the records, and as numbers to reckon with."""

from __future__ import annotations


def cents(amount: str) -> int:
    """Return an amount such as "24.90" in cents."""
    whole, _, rest = amount.partition(".")
    return int(whole) * 100 + int(rest)


def amount(count: int) -> str:
    """Return cents as an amount: 2490 is "24.90"."""
    return f"{count // 100}.{count % 100:02}"


def tenths(gigabytes: str) -> int:
    """Return a volume such as "7.4" in tenths of a gigabyte."""
    whole, _, rest = gigabytes.partition(".")
    return int(whole) * 10 + int(rest)


def gigabytes(count: int) -> str:
    """Return tenths of a gigabyte as a volume: 74 is "7.4"."""
    return f"{count // 10}.{count % 10}"
