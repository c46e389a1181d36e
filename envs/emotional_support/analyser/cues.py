"""Cues: the turns of phrase by which a sentence shows what its speaker does, whatever the story.

They stand in data/cues.txt. Only what follows one of a cue's words is tried, so a sentence is read in one pass.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from agentgym.errors import DataError

PATH: Final = Path(__file__).parent / "data" / "cues.txt"


Match = Callable[[str, int], re.Match[str] | None]


class Tail(NamedTuple):
    """What may follow a word: the match of a pattern for any kind, and of one for each kind."""

    any: Match
    kinds: tuple[tuple[str, Match], ...]


def _rows(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, words, pattern) for each line of a text of cues."""
    kind, parts = "", {}  # type: str, dict[str, str]
    for number, line in enumerate(text.split("\n"), 1):
        name, equals, part = line.partition(" = ")
        if equals and name[:1] == "{":
            parts[name] = part
        elif line.startswith("== "):
            kind = line[3:].strip()
        elif line and not line.startswith("#"):
            words, bar, rest = line.partition(" |")
            if not bar or not kind:
                raise DataError(
                    f"cues, line {number}: a cue needs a kind, words, and a bar before its pattern: {line!r:.80}"
                )
            for name, part in parts.items():
                rest = rest.replace(name, part)
            yield kind, words, rest


def compiled(text: str) -> Mapping[str, Tail]:
    """Return the tails of a text of cues, by the words that begin them.

    Raises:
        DataError: a line without a kind or a bar, or a pattern that does not compile.
    """
    follows: dict[str, dict[str, list[str]]] = {}
    for kind, words, rest in _rows(text):
        try:
            re.compile(rest)
        except re.error as error:
            raise DataError(f"cues, {kind} {words}: {rest!r:.80} is no pattern: {error}") from None
        for word in words.split():
            follows.setdefault(word, {}).setdefault(kind, []).append(rest)
    return {word: _tail(kinds) for word, kinds in follows.items()}


def _tail(kinds: Mapping[str, list[str]]) -> Tail:
    joined = {kind: "|".join(f"(?:{rest})" for rest in rests) for kind, rests in kinds.items()}
    return Tail(
        re.compile("|".join(joined.values())).match,
        tuple((kind, re.compile(pattern).match) for kind, pattern in joined.items()),
    )


@lru_cache(maxsize=1)
def tails() -> Mapping[str, Tail]:
    """Return the shipped cues."""
    return compiled(PATH.read_text("utf-8"))


def cues(words: Sequence[str], text: str) -> dict[str, int]:
    """Return the kinds of cues in a sentence, each with the place of the first one; `text` is its words joined."""
    found: dict[str, int] = {}
    known, end = tails(), -1
    for word in words:
        end += len(word) + 1
        if word in known:
            tail = known[word]
            if tail.any(text, end) is not None:
                for kind, match in tail.kinds:
                    if kind not in found and match(text, end) is not None:
                        found[kind] = end - len(word)
    return found
