r"""The words of a text as BM25 counts them: lower case, two word characters or more, no stop words.

The pattern `(?u)\b\w\w+\b` and Lucene's 33 English stop words are what bm25s takes by default, so scores compare.
"""

from __future__ import annotations

import re
from typing import Final

_STOP: Final = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this"
    " to was will with"
)
STOP_WORDS: Final = frozenset(_STOP.split())
words: Final = re.compile(r"\w\w+").findall
"""Words of a lower-cased text, stop words too. Runs are as long as can be, so their ends are word boundaries."""
NAME: Final = r"lower (?u)\b\w\w+\b lucene-33"
"""What an index writes down about the words in it."""


def tokens(text: str) -> list[str]:
    """Return the words of a text in their order, repeated ones too."""
    return [word for word in words(text.lower()) if word not in STOP_WORDS]
