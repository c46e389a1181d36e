"""Volumes of data as they stand in the records, and as numbers to reckon with."""

from __future__ import annotations


def tenths(gigabytes: str) -> int:
    """Return a volume such as "7.4" in tenths of a gigabyte."""
    whole, _, rest = gigabytes.partition(".")
    return int(whole) * 10 + int(rest)


def gigabytes(count: int) -> str:
    """Return tenths of a gigabyte as a volume: 74 is "7.4"."""
    return f"{count // 10}.{count % 10}"
