"""Lists of words, written as one text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def listed(text: str) -> tuple[str, ...]:
    """Return the words of a text in their order."""
    return tuple(text.split())


def phrases(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the turns of phrase of a text, which stand apart by semicolons, each as its words."""
    return tuple(tuple(each.split()) for each in text.split(";"))
