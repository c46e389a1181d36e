"""Sets whose passages stand in a file of their own, a line each, read as it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources.parts import Unplayable
from agentgym.envs.wiki_search.sources.reading import Reading, count_lines

Passages = Callable[[Any], Iterator[Passage | Unplayable]]
"""Yields the passages of a line, and in the place of one that cannot be kept what is wrong with it."""


def scan(reading: Reading, file: str, passages: Passages, found: Callable[[Any, Passage], None]) -> None:
    """Read all passages of a file, note what is wrong with them, and tell `found` each with the value of its line."""
    reading.expected += count_lines(reading.folder / file)
    for place, value in reading.lines(file):
        reading.step()
        for passage in [value] if isinstance(value, Unplayable) else passages(value):
            if isinstance(passage, Passage):
                found(value, passage)
            else:
                reading.wrong(file, place, passage.wrong, passage.remedy)


def missing_titles(reading: Reading, file: str, passages: Passages) -> set[str]:
    """Read all passages of a file, and return the titles of gold pages that none of them has."""
    missing = reading.titles()
    scan(reading, file, passages, lambda _, passage: missing.discard(passage.title))
    return missing


def corpus_passages(folder: Path, file: str, passages: Passages) -> Iterator[Passage]:
    """Yield the passages of a file, repeated ones too."""
    for _, value in Reading(folder).lines(file):
        yield from (passage for passage in passages(value) if isinstance(passage, Passage))
