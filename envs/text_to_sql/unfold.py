"""How much a query unfolds into when a database prepares it, before any step that a budget could count.

Databases put the definition of a derived column or table in the place of each of its names. Where each of k common
tables uses the one before twice, k lines become 2ᵏ copies, and preparing them takes memory and time without end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

MAX_WEIGHT: Final = 100_000


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_KEYWORDS: Final = words(
    "ALL AND AS ASC AVG BETWEEN BY CASE CAST COLLATE COUNT CROSS DESC DISTINCT ELSE END ESCAPE EXCEPT EXISTS FILTER "
    "FIRST FOLLOWING FROM FULL GLOB GROUP HAVING IN INNER INTEGER INTERSECT IS ISNULL JOIN LAST LEFT LIKE LIMIT "
    "MATERIALIZED MAX MIN NATURAL NOT NOTNULL NULL NULLS OFFSET ON OR ORDER OUTER OVER PARTITION PRECEDING RANGE "
    "REAL RECURSIVE RIGHT ROW ROWS SELECT SUM TEXT THEN UNBOUNDED UNION USING VALUES WHEN WHERE WINDOW WITH"
)


@dataclass(slots=True)
class _Body:
    """A pair of parentheses, or the whole: what is named in it, and how often."""

    select: bool = False
    name: str = ""  # of the common table that it defines
    most: int = 1
    counts: dict[str, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    inner: list[_Body] = field(default_factory=list)

    def see(self, name: str, times: int = 1) -> None:
        self.counts[name] = count = self.counts.get(name, 0) + times
        self.most = max(self.most, count)


def weight(piece: list[re.Match[str]]) -> int:
    """Return an upper bound of how many copies of its innermost parts a query unfolds into.

    In each SELECT no name stands more often than `most`; so each part of what it selects from is copied at most so
    often, and the copies multiply from one level to the next.
    """
    whole, tables = _bodies(piece)
    known: dict[str, int] = {}

    def weigh(body: _Body) -> int:
        parts = 1
        for inner in body.inner:
            parts += weigh(inner)
        for name in body.names:
            parts += named(name)
        return min(body.most * parts, 10 * MAX_WEIGHT)

    def named(name: str) -> int:
        if name not in tables:
            return 0
        if name not in known:
            known[name] = 0  # of itself, where it is recursive
            total = 0
            for body in tables[name]:
                total += weigh(body)
            known[name] = total
        return known[name]

    return weigh(whole)


def _bodies(piece: list[re.Match[str]]) -> tuple[_Body, dict[str, list[_Body]]]:
    """Return the tree of bodies, and those that define common tables, by name."""
    stack, tables = [_Body(select=True)], dict[str, list[_Body]]()
    for kind, word, before, after in _words(piece):
        body = stack[-1]
        if word == "(":
            stack.append(_Body(name=before))
        elif word == ")":
            if len(stack) > 1:
                _closed(stack.pop(), stack[-1], tables)
        elif kind == "word" and word == "select":
            body.select, body.counts = True, {}
        elif kind != "other" and after not in ("(", "."):
            if kind == "quoted" or (kind == "word" and word.upper() not in _KEYWORDS):
                body.see(word)
            body.names.append(word)
    while len(stack) > 1:
        _closed(stack.pop(), stack[-1], tables)
    return stack[0], tables


def _closed(body: _Body, outer: _Body, tables: dict[str, list[_Body]]) -> None:
    if not body.select:  # arguments or an expression: part of what stands around it
        for name, times in body.counts.items():
            outer.see(name, times)
        outer.names += body.names
        outer.inner += body.inner
    elif body.name:
        tables.setdefault(body.name, []).append(body)
    else:
        outer.inner.append(body)


def _words(piece: list[re.Match[str]]) -> Iterator[tuple[str, str, str, str]]:
    """Yield of each token kind, text in lower case and unquoted, common table begun there, and the next token."""
    texts = [token.group() for token in piece] + [""]
    for at, token in enumerate(piece):
        kind, text = str(token.lastgroup), texts[at]
        begun = ""
        if text == "(" and at:
            begun = _begun(texts, at)
        if kind in ("text", "quoted"):
            text = text[1:-1]
        yield kind, text.lower(), begun, texts[at + 1]


def _begun(texts: list[str], at: int) -> str:
    """Return the common table, NAME [(…)] AS [[NOT] MATERIALIZED], whose body begins at a parenthesis."""
    at -= 1
    while at >= 0 and texts[at].upper() in ("NOT", "MATERIALIZED"):
        at -= 1
    if at < 1 or texts[at].upper() != "AS":
        return ""
    at -= 1
    if texts[at] == ")":
        while at >= 0 and texts[at] != "(":
            at -= 1
        at -= 1
    if at < 0:
        return ""
    name = texts[at]
    return (name[1:-1] if name[0] in "'\"`[" else name).lower()
