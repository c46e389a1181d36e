"""Messages as sentences of tokens: lower case, plain quotes, words apart from figures and their signs."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

LONGEST: Final = 4_000
"""Characters of a message that are looked at."""

_LINE: Final = 600  # characters of a sentence; longer ones are cut, so that no search has to go far
_BREAK = re.compile(r"(?<=[.!?…])[)\"*]*\s+|\n+|;\s|\s[–—]\s|\s-\s")
_TOKEN = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+|[^\W\d_]+(?:'[^\W\d_]+)?|[$€£%,:?!\"+²/]|\d")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "\u00a0": " ", "\u202f": " ", "*": None, "`": None})
_ENDS: Final = ("ing", "ed", "es", "s", "e", "ly")


class Sentence(NamedTuple):
    """One sentence.

    Attributes:
        text: as it stands in the message.
        tokens: its words, figures and signs, lower case; hyphens and full stops are none. Not to be changed.
        stems: the tokens without their endings. Not to be changed.
    """

    text: str
    tokens: list[str]
    stems: list[str]

    @property
    def words(self) -> list[str]:
        """Return the tokens that are words or figures."""
        return [token for token in self.tokens if token[0].isalnum()]


@lru_cache(maxsize=1024)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of the first 4,000 characters of a message; the last messages' are kept."""
    plain = text[:LONGEST]
    if "*" in plain or "`" in plain or not plain.isascii():
        plain = plain.translate(_QUOTES)
    found = []
    for piece in _BREAK.split(plain):
        for start in range(0, len(piece), _LINE):
            part = piece[start : start + _LINE]
            tokens = _TOKEN.findall(part.lower())
            if tokens:
                found.append(Sentence(part, tokens, list(map(stem, tokens))))
    return tuple(found)


def words_of(text: str) -> list[str]:
    """Return the tokens of a text."""
    return _TOKEN.findall(text.lower().translate(_QUOTES))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return a word without the endings of number and tense, so that "charging", "charged" and "charge" are one."""
    if len(word) <= 3 or not word[0].isalpha():
        return word
    word = word.removesuffix("'s")
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for end in _ENDS:
        if word.endswith(end) and len(word) - len(end) >= 3 and not (end == "s" and word[-2:] in ("ss", "us", "is")):
            word = word[: -len(end)]
            if end in ("ing", "ed") and word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    return word.removesuffix("e") if len(word) > 3 else word


def phrase(text: str) -> tuple[str, ...]:
    """Return the stems of a turn of phrase, without what anybody may put in between, such as "it" or "the"."""
    stems = [stem(token) for token in words_of(text)]
    kept = tuple(each for each in stems if each not in _DROPPED)
    return kept or tuple(stems)


def stemmed(text: str) -> frozenset[str]:
    """Return the stems of a text's words."""
    return frozenset(stem(word) for word in text.split())


_DROPPED: Final = stemmed("a an the it them they this these those you your my our their its")
FILLERS: Final = _DROPPED | stemmed(
    "that his her us me one any some all very really so also just even only ever of"
    " fully completely actually quite pretty"
    " free full other whole own anything something everything"
)
"""Words that may stand between the words of a turn of phrase without changing what it says."""
