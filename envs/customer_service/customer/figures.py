"""Figures that a proposal gets wrong: "8 GB" where 5 GB are wanted, another house number, a plan that is not the one.

What a customer knows has a shape, which is its text with every number as 0: "5 GB" has the shape "0gb"; the letters of
a code such as a postcode do not count either: "PR12 2TP" has "@0 0@". A sentence that holds the
shape of something known, in a message that nowhere holds what is known itself, is about something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from agentgym.envs.customer_service.customer.sentences import fold

_NUMBER = re.compile(r"\d+")
_UNIT = re.compile(r"(?<=\d) (?=[a-z])")
_PIECES = re.compile(r", | and ")
_CODE = re.compile(r"\b[a-z]{1,3}(\d+) (\d+)[a-z]{2}\b")
"""A code of two parts, as a postcode, in which other letters are another code."""
_AMOUNT = re.compile(r"\d+\.\d\d")
_DECIMAL = re.compile(r"\.\d")
_LONGEST: Final = 40  # characters of a piece; longer ones are never said alike
_SHORTEST: Final = 2  # letters

Shapes = Mapping[str, frozenset[str]]
"""Shape → the pieces of that shape that the customer knows, folded, no blank between a number and its unit."""


def shapes_of(values: Iterable[str]) -> Shapes:
    """Return the shapes of what a customer knows: of its parts with a number and letters, and of amounts of money."""
    found: dict[str, set[str]] = {}
    for value in values:
        for piece in _PIECES.split(fold(value)):
            letters = sum(map(str.isalpha, piece))
            known = _AMOUNT.fullmatch(piece) or (letters >= _SHORTEST and _NUMBER.search(piece))
            if known and len(piece) <= _LONGEST:
                tight = _UNIT.sub("", piece)
                found.setdefault(_shape(tight), set()).add(tight)
    return {shape: frozenset(pieces) for shape, pieces in found.items()}


def names_another(sentences: Iterable[str], text: str, shapes: Shapes) -> bool:
    """Whether one of some sentences of a folded text names something of a known shape, and the text nothing known."""
    shaped = _shape(_UNIT.sub("", "\n".join(sentences)))
    held = [known for shape, known in shapes.items() if _holds(shaped, shape)]
    if not held:
        return False
    tight = _UNIT.sub("", text)
    return any(not any(_holds(tight, piece) for piece in known) for known in held)


def _shape(tight: str) -> str:
    coded = tight if _CODE.search(tight) is None else _CODE.sub(r"@\1 \2@", tight)
    return _NUMBER.sub("0", coded)


def _holds(text: str, piece: str) -> bool:
    """Whether a text holds a piece that is no part of a longer number or word."""
    start = text.find(piece)
    while start >= 0:
        end = start + len(piece)
        before, after = text[start - 1 : start], text[end : end + 1]
        decimal = text[end : end + 2]
        within = before.isalnum() or before == "." or (piece[-1].isdigit() and after.isdigit())
        if not within and not (piece[-1].isalpha() and after.isalpha()) and not _DECIMAL.match(decimal):
            return True
        start = text.find(piece, start + 1)
    return False
