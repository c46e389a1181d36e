"""What a reader who understands nothing could tell entries of a menu apart by: length, punctuation, common words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agentgym.score import added

_WORD: Final = re.compile(r"[^\W_]+")
_MARK: Final = re.compile(r"[^\w\s]")


def spelling(entries: Sequence[str], question: str) -> dict[str, list[float]]:
    """Return by name what each entry measures; `likeness` is how much its words have in common with all others'."""
    asked = words(question)
    said = [words(entry) for entry in entries]
    shared = [float(len(asked & found)) for found in said]
    return {
        "length": [float(len(entry)) for entry in entries],
        "words": [float(len(_WORD.findall(entry))) for entry in entries],
        "punctuation": [float(len(_MARK.findall(entry))) for entry in entries],
        "digits": [float(sum(map(str.isdigit, entry))) for entry in entries],
        "words shared with the question": shared,
        "share of such words": [count / max(len(found), 1) for count, found in zip(shared, said, strict=True)],
        "likeness to the others": [added(row) for row in likenesses(said)],
    }


def words(text: str) -> frozenset[str]:
    """Return the words of a text, in lower case, each once."""
    return frozenset(_WORD.findall(text.lower()))


def likenesses(said: Sequence[frozenset[str]]) -> list[list[float]]:
    """Return the Jaccard index of every two sets of words."""
    return [[len(one & other) / max(len(one | other), 1) for other in said] for one in said]
