"""Patterns of a domain, searched fast: a pattern is only tried where one of the letters' runs that it needs occurs.

Most patterns of a domain have nothing to do with a message, and `"cancel" in text` takes a fiftieth of the time of a
search for a pattern that begins with a word boundary.
"""

from __future__ import annotations

import re
import re._constants as code  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

_SHORTEST: Final = 2  # letters that a needed run has at least
_MOST: Final = 40  # runs of which one is needed; with more a search is as fast

_NONE: Final[frozenset[str]] = frozenset()
_KEPT: Final = 4_096  # words of which it is known which patterns they bring in; a language repeats its words
_LONG: Final = 20  # letters of such a word at most
_NO_KEYS: Final[tuple[str, ...]] = ()

Pattern = tuple[re.Pattern[str], tuple[str, ...]]
"""A compiled pattern, and runs of letters of which every match contains one; none known: ("",)."""


def compiled(pattern: str, where: str) -> Pattern:
    """Return a pattern with the runs of letters that it needs.

    Raises:
        ValueError: it does not compile; the message says where it stands.
    """
    try:
        return re.compile(pattern), tuple(sorted(needed(parser.parse(pattern)) or {""}))
    except re.error as error:
        raise ValueError(f"the customers' words, {where}: {pattern!r} is no pattern: {error}") from None


def first(patterns: Iterable[Pattern], text: str) -> re.Match[str] | None:
    """Return the first match of the first pattern that has one."""
    for pattern, runs in patterns:
        for run in runs:
            if run in text:
                found = pattern.search(text)
                if found is not None:
                    return found
                break
    return None


class Patterns:
    """The patterns of a mapping; keys with equal patterns are looked for once.

    Args:
        texts: key → patterns.
        where: what the mapping is called, for errors.

    Raises:
        ValueError: a pattern that does not compile; the message says which and where.
    """

    __slots__ = ("_always", "_flat", "_known", "_needed", "groups", "order")

    def __init__(self, texts: Mapping[str, Sequence[str]], where: str) -> None:
        self.order = tuple(texts)
        groups: dict[tuple[str, ...], list[str]] = {}
        for key, items in texts.items():
            groups.setdefault(tuple(items), []).append(key)
        self.groups = [
            ([compiled(item, f"{where}[{keys[0]!r}]") for item in items], tuple(keys)) for items, keys in groups.items()
        ]

        self._flat = [(pattern, keys) for patterns, keys in self.groups for pattern in patterns]
        self._always: list[int] = []
        marked: dict[str, list[int]] = {}
        for place, ((_, runs), _) in enumerate(self._flat):
            words = list(dict.fromkeys(map(_word, runs)))
            if "" in words:
                self._always.append(place)
            else:
                for word in words:
                    marked.setdefault(word, []).append(place)
        self._needed = tuple(marked.items())
        self._known: dict[str, tuple[int, ...]] = {}

    def among(self, words: Iterable[str]) -> Patterns:
        """Return those of these patterns that may be found in a text with these words, or in pieces of it.

        Args:
            words: what stands between the blanks of the text; the text is cut into pieces between letters nowhere.
        """
        places, known = set(self._always), self._known
        for word in words:
            brought = known.get(word)
            if brought is None:
                brought = self._places(word)
            if brought:
                places.update(brought)
        found, last = object.__new__(Patterns), _NO_KEYS
        found.order = self.order
        groups: list[tuple[list[Pattern], tuple[str, ...]]] = []
        some: list[Pattern] = []
        for place in sorted(places):
            pattern, keys = self._flat[place]
            if keys is last:
                some.append(pattern)
            else:
                some, last = [pattern], keys
                groups.append((some, keys))
        found.groups = groups
        return found

    def _places(self, word: str) -> tuple[int, ...]:
        """Return the places of the patterns of which a word holds what they need; those of short words are kept."""
        found = tuple([place for needed, places in self._needed if needed in word for place in places])
        if len(word) <= _LONG:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[word] = found
        return found

    def keys(self, text: str) -> frozenset[str]:
        """Return the keys of which a pattern is found in a text."""
        if not text or not self.groups:
            return _NONE
        found: list[str] = []
        for patterns, keys in self.groups:  # `first` in the loop: calling it takes as long as what it does
            for pattern, runs in patterns:
                for run in runs:
                    if run in text:
                        break
                else:
                    continue
                if pattern.search(text) is not None:
                    found += keys
                    break
        return frozenset(found) if found else _NONE

    def found(self, text: str) -> bool:
        """Whether any pattern is found in a text."""
        return any(first(some, text) is not None for some, _ in self.groups)

    def matches(self, text: str) -> list[tuple[re.Match[str], tuple[str, ...]]]:
        """Return where patterns are found in a text, for each group of keys with equal patterns that are."""
        places = ((first(some, text), keys) for some, keys in self.groups)
        return [(match, keys) for match, keys in places if match is not None]


def _word(run: str) -> str:
    """Return letters in a row that every text with a run has, however it is cut between words: the most, "" if none."""
    return max("".join(char if char.isalpha() else " " for char in run).split(), key=len, default="")


def needed(items: Any) -> set[str] | None:
    """Return runs of letters of which every match of a parsed pattern contains one; None where there are none.

    Of the parts of a sequence, all needed, the one with the longest shortest run is taken.
    """
    found: list[set[str]] = []
    run = ""
    for op, argument in items:
        if op is code.LITERAL:
            run += chr(argument)
            continue
        found.append({run})
        run = ""
        inner = _inner(op, argument)
        if inner is not None:
            found.append(inner)
    found.append({run})
    fit = [some for some in found if len(some) <= _MOST and min(map(len, some)) >= _SHORTEST]
    return max(fit, key=lambda some: (min(map(len, some)), -len(some)), default=None)


def _inner(op: Any, argument: Any) -> set[str] | None:
    """Return what a part of a pattern needs, None where it is nothing."""
    if op is code.SUBPATTERN:
        return needed(argument[-1])
    if op in (code.MAX_REPEAT, code.MIN_REPEAT) and argument[0] > 0:
        return needed(argument[2])
    if op is code.BRANCH:
        parts = [needed(part) for part in argument[1]]
        return {run for part in parts if part for run in part} if all(parts) else None
    return None
