"""From what a seeker says of themselves to how a supporter says it to them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_YOU: Final = {
    "i am": "you are", "i'm": "you're", "i was": "you were", "am i": "are you", "was i": "were you",
    "i've": "you've", "i'd": "you'd", "i'll": "you'll", "i": "you", "me": "you", "my": "your", "mine": "yours",
    "myself": "yourself", "we are": "you are", "we": "you", "us": "you", "our": "your", "ours": "yours",
}  # fmt: skip
_FIRST: Final = re.compile(r"\b(?:" + "|".join(sorted(_YOU, key=lambda word: -len(word))) + r")\b(?!')", re.IGNORECASE)


@lru_cache(maxsize=8192)
def you(text: str) -> str:
    """Return a seeker's words with the second person for the first: "my boss told me" → "your boss told you"."""
    return _FIRST.sub(lambda match: _YOU[match[0].lower()], text)


def sentence(text: str, end: str = ".") -> str:
    """Return a clause as a sentence: its first letter a capital, with an end where it has none."""
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!", "…", '"')) else text + end
