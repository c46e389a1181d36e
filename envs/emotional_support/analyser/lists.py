"""Lists of words, which stand in data/words.txt."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

PATH: Final = Path(__file__).parent / "data" / "words.txt"


@lru_cache(maxsize=1)
def _lists() -> Mapping[str, tuple[str, ...]]:
    """Return the lines of each list by its name."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in PATH.read_text("utf-8").split("\n"):
        if line.startswith("== "):
            name = line[3:].partition(":")[0].strip()
            found[name] = []
        elif line and not line.startswith("#"):
            found[name].append(line)
    return {name: tuple(lines) for name, lines in found.items()}


def rows(name: str) -> tuple[str, ...]:
    """Return the lines of a list."""
    return _lists()[name]


def words(name: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(" ".join(rows(name)).split())


def table(name: str) -> Mapping[str, str]:
    """Return the lines of a list that each say "key: value"."""
    pairs = (line.partition(": ") for line in rows(name))
    return {key: value for key, _, value in pairs}
