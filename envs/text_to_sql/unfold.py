"""How much a query unfolds into when a database prepares it, before any step that a budget could count.

Databases put the definition of a derived column or table in the place of each of its names. Where each of k common
tables uses the one before twice, k lines become 2ᵏ copies, and preparing them takes memory and time without end. The
time to plan a join grows with the cube of the number of its tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

MAX_WEIGHT: Final = 20_000
MAX_TABLES: Final = 96


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


_KEYWORDS: Final = words(
    "ALL AND AS BETWEEN CASE DISTINCT ELSE ESCAPE EXCEPT EXISTS FROM GROUP HAVING IN INTERSECT IS ISNULL JOIN LIMIT "
    "NOT NOTNULL NULL ON OR ORDER SELECT SET THEN UNION USING VALUES WHEN WHERE"
)
"""Words that can name nothing unless they are quoted, in SQLite."""
_CLAUSES: Final = words("from select where group having order limit window union except intersect")


@dataclass(slots=True)
class _Body:
    """A pair of parentheses, or the whole: what is named in it, and how often."""

    select: bool = False
    name: str = ""  # of the common table that it defines
    most: int = 1
    stars: int = 0
    tables: int = 0  # that it selects from
    listing: bool = False  # whether the words now are those tables
    counts: dict[str, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    inner: list[_Body] = field(default_factory=list)

    def see(self, name: str, times: int = 1) -> None:
        """Count a name; a star stands for every name."""
        if name == "*":
            self.stars += times
        else:
            self.counts[name] = self.counts.get(name, 0) + times
        count = self.counts.get(name) or max(self.counts.values(), default=0)
        self.most = max(self.most, self.stars + count)


def unfolded(piece: list[re.Match[str]]) -> tuple[int, int]:
    """Return upper bounds of how often the innermost parts of a query are copied, and of how many tables it reads.

    In each SELECT no name stands more often than `most`; so each part of what it selects from is copied at most so
    often, and the copies multiply from one level to the next. A table is read as often as its name stands in what the
    query unfolds into.
    """
    whole, commons = _bodies(piece)
    known: dict[str, tuple[int, int]] = {}

    def weigh(body: _Body) -> tuple[int, int]:
        parts, tables = 1, body.tables
        for inner in body.inner:
            more = weigh(inner)
            parts, tables = parts + more[0], tables + more[1]
        for name in body.names:
            more = named(name)
            parts, tables = parts + more[0], tables + more[1]
        return min(body.most * parts, 10 * MAX_WEIGHT), min(tables, 10 * MAX_TABLES)

    def named(name: str) -> tuple[int, int]:
        if name not in commons:
            return 0, 0
        if name not in known:
            known[name] = 0, 0  # of itself, where it is recursive
            parts = tables = 0
            for body in commons[name]:
                more = weigh(body)
                parts, tables = parts + more[0], tables + more[1]
            known[name] = parts, tables
        return known[name]

    return weigh(whole)


def _bodies(piece: list[re.Match[str]]) -> tuple[_Body, dict[str, list[_Body]]]:
    """Return the tree of bodies, and those that define common tables, by name."""
    stack, commons = [_Body(select=True)], dict[str, list[_Body]]()
    last = ""
    for kind, word, begun, after in _words(piece):
        body = stack[-1]
        if kind == "word" and word in _CLAUSES:
            body.listing = word == "from"
        body.tables += body.listing and word in ("from", ",", "join")
        if begun and body.names and body.names[-1] == begun:
            body.names.pop()  # where it is defined it is not used
        if word == "(":
            stack.append(_Body(name=begun, listing=body.listing and last in ("from", ",", "join", "(")))
        elif word == ")":
            if len(stack) > 1:
                _closed(stack.pop(), stack[-1], commons)
        elif kind == "word" and word == "select":
            body.select, body.counts, body.stars = True, {}, 0
        elif kind != "other" and after not in ("(", "."):
            if kind == "quoted" or (kind == "word" and word.upper() not in _KEYWORDS):
                body.see(word)
            if kind != "word" or word not in ("as", "not", "materialized"):
                body.names.append(word)
        elif word == "*" and last in ("select", "distinct", "all", ",", "."):
            body.see(word)
        last = word
    while len(stack) > 1:
        _closed(stack.pop(), stack[-1], commons)
    return stack[0], commons


def _closed(body: _Body, outer: _Body, commons: dict[str, list[_Body]]) -> None:
    if not body.select:  # arguments or an expression: part of what stands around it
        for name, times in (*body.counts.items(), ("*", body.stars)):
            outer.see(name, times)
        outer.names += body.names
        outer.inner += body.inner
        outer.tables += body.tables
    elif body.name:
        commons.setdefault(body.name, []).append(body)
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
