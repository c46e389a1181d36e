"""The shipped questions as a file: all families drawn, none asked twice, placed in splits."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from agentgym.envs.wiki_search.shipped.questions.drawing import SEED, drawn
from agentgym.envs.wiki_search.shipped.questions.families import Entry, Family, Mark
from agentgym.envs.wiki_search.shipped.questions.speech import Speech
from agentgym.rng import TurnRng

SPLITS: Final = ("train", "dev", "test")
SHARES: Final = (60, 15, 25)
"""Of train, dev and test, in per cent of each family."""


def made_entries(
    families: Iterable[Family], speech: Speech, say: Callable[[str], None] = lambda line: None
) -> list[Entry]:
    """Return the questions of these families, placed in splits; `say` is told how many each has."""
    seen: set[Mark] = set()
    found: list[Entry] = []
    for family in families:
        own = drawn(family, speech, seen)
        say(f"{family.name}: {len(own)} of {family.count}")
        found += placed(own, family.name)
    return found


def placed(entries: Sequence[Entry], stream: str) -> list[Entry]:
    """Return entries with their `split`: SHARES of them, drawn."""
    rng = TurnRng(SEED, stream=f"splits of {stream}")
    start = rng.integers(100)  # so that small families do not round alike
    split = {}
    for number, entry in enumerate(rng.shuffled(entries)):
        split[entry["id"]] = _share((start + (number * 100 + 50) // len(entries)) % 100)
    return [{**entry, "split": split[entry["id"]]} for entry in entries]


def _share(mark: int) -> str:
    for split, share in zip(SPLITS, SHARES, strict=True):
        if mark < share:
            return split
        mark -= share
    raise AssertionError("SHARES sum to 100")


def packed(entries: Sequence[Entry]) -> bytes:
    """Return entries as the bytes of the file: one a line, compressed, without a time."""
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False, sort_keys=True) for entry in entries)
    return gzip.compress(f"[\n{lines}\n]\n".encode(), mtime=0)
