"""What Spider's scorer does to the text of a query before it runs it: DISTINCT goes, `> =` becomes `>=`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_TOKEN: Final = re.compile(
    r"'(?:[^']|'')*'?"  # text; what is not closed goes to the end
    r'|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?'  # quoted names
    r"|--[^\n]*|/\*(?:.*?\*/|.*)"  # comments
    r"|\w+|[<>!] =|.",
    re.DOTALL,
)


def with_operators_joined(query: str) -> str:
    """Return the query with the blank taken out of `> =`, `< =` and `! =`, but in texts, quoted names and comments."""
    return "".join(token[0] + "=" if token in ("> =", "< =", "! =") else token for token in _tokens(query))


def without_distinct(query: str) -> str:
    """Return the query without the keyword DISTINCT, wherever it stands but in IS [NOT] DISTINCT FROM."""
    kept, before = [], ""
    for token in _tokens(query):
        if token.lower() != "distinct" or before in ("is", "not"):
            kept.append(token)
        if token[0].isalnum():
            before = token.lower()
    return "".join(kept)


def _tokens(query: str) -> Iterator[str]:
    return (found[0] for found in _TOKEN.finditer(query))
