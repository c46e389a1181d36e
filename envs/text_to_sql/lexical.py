"""The lexical form of a query: its tokens, lower case outside quotes, one blank between them, no comments.

It costs microseconds, is linear in the length of whatever text a model wrote, and needs no parser. Two texts of one
lexical form are the same statement to the database, so it is what caches are keyed by; `canonical` builds on it.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Final

MAX_TOKENS: Final = 800
"""Tokens up to which a query is parsed: the longest of BIRD's golds has 361, and 800 take some 30 ms."""

MAX_FRAMES: Final = 480
"""Nesting up to which a query is parsed, as the frames that the parser needs; Python allows 1,000, BIRD's need 208."""

MAX_BARE_JOINS: Final = 5
"""Joins in a row without a condition up to which a query is parsed: each doubles the time that sqlglot needs."""

MAX_DOTS: Final = 3
"""Dots in one name up to which a query is parsed: catalogue, schema, table and column."""

_REST = "a-zA-Z0-9_$\u0080-\U0010ffff"
_QUOTED = r"""'[^']*+(?:''[^']*+)*+'?|"[^"]*+(?:""[^"]*+)*+"?|`[^`]*+(?:``[^`]*+)*+`?"""  # an open one runs on
_COMMENT = r"--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_APART = re.compile(rf"({_QUOTED}|\[[^\]]*+\]?|{_COMMENT})")
_APART_FOREIGN = re.compile(rf"({_QUOTED}|\$\w*+\$|{_COMMENT})", re.ASCII)
_PLAIN = r"|(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?[%s]*+|\|\||->>?|<<|>>|<=|>=|==|<>|!=|::|[^ \t\n\r\f\ufeff]"
_ASCII = re.compile(r"[a-z_][a-z0-9_$]*+" + _PLAIN % "a-z0-9_$", re.ASCII)  # twice as fast as the other
_ANY = re.compile(rf"[a-zA-Z_\u0080-\ufefe\uff00-\U0010ffff][{_REST}]*+" + _PLAIN % _REST, re.ASCII)
"""U+FEFF, a byte order mark, is blank where a token begins, and a letter within one, as in SQLite."""
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|0[xX][0-9a-fA-F]+", re.ASCII)
_UPPER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_QUOTES: Final = frozenset("'\"`[")
_SYMBOLS: Final = frozenset(
    ["(", ")", ",", ".", ";", "+", "-", "*", "/", "%", "<", ">", "=", "&", "|", "~"]
    + ["||", "->", "->>", "<<", ">>", "<=", ">=", "==", "<>", "!="]
)
_FRAMES: Final = (
    {"(": 26, "case": 28, "[": 26, "->": 26, "not": 10, "union": 8, "except": 8, "intersect": 8}
    | dict.fromkeys(["+", "-", "~", "*", "/", "%", "||", "&", "|", "<<", ">>", "->>"], 2)
    | dict.fromkeys(["=", "==", "<>", "!=", "<", ">", "<=", ">=", "is", "isnull", "notnull", "in", "between"], 2)
    | dict.fromkeys(["like", "glob", "collate", "escape", "div", "ilike", "match", "regexp", "rlike", "similar"], 2)
)
_CLOSE: Final = {")": "(", "end": "case", "]": "["}


def tokens(query: str, dialect: str = "sqlite", *, keep_case: bool = False) -> list[str]:
    """Return the tokens of a text: names, key words and symbols in lower case, quoted ones as written, no comments.

    Args:
        query: any text; a string, a quoted name or a comment left open runs to its end, as in SQLite.
        dialect: sqlglot's name; brackets quote a name in "sqlite" alone. ASCII letters alone change their case.
        keep_case: leave the case of names and key words.
    """
    plain = query.isascii() and not keep_case
    words = _ASCII.findall if plain else _ANY.findall
    lower: Callable[[str], str] = str if keep_case else str.lower if plain else _lower
    parts = (_APART if dialect == "sqlite" else _APART_FOREIGN).split(query)
    found: list[str] = words(lower(parts[0]))
    for at in range(1, len(parts), 2):
        part = parts[at]
        if part[0] == "'" and found and found[-1] == "x" and parts[at - 1][-1:] in ("x", "X"):
            found[-1] = "x" + part.lower()  # bytes, x'0f'
        elif part[0] not in "-/":
            found.append(part)
        if parts[at + 1]:
            found += words(lower(parts[at + 1]))
    while found and found[-1] == ";":
        found.pop()
    return found


def _lower(text: str) -> str:
    return text.translate(_UPPER)


def lexical(query: str, dialect: str = "sqlite") -> str:
    """Return the tokens of `query` joined by blanks, without the semicolons at its end; "" where there are none."""
    return " ".join(tokens(query, dialect))


def is_parsable(words: list[str], dialect: str = "sqlite") -> bool:
    """Return whether a text of these tokens may be given to the parser: of bounded size, all its tokens known.

    The bound is on tokens and on nesting, so the answer is the same at any depth of the caller's stack.
    """
    if not 0 < len(words) <= MAX_TOKENS:
        return False
    used = deepest = 0  # what a bracket or CASE needs is free again behind it; the rest may form one long chain
    bare, dots, last = 0, 0, ""
    for word in words:
        first = word[0]
        if word == "join":
            bare += 1
            if bare > MAX_BARE_JOINS:
                return False
        elif word == last == "from":
            return False  # sqlglot reads FROM without SELECT, so these nest
        elif bare and word in ("on", "using"):
            bare -= 1
        if word == ".":
            dots += 1
            if dots > MAX_DOTS:
                return False
        elif last != ".":
            dots = 0
        if word in _FRAMES:
            used += _FRAMES[word]
            deepest = max(deepest, used)
        elif word in _CLOSE:
            used -= _FRAMES[_CLOSE[word]]
        if first in _QUOTES and first != "[":
            if len(word) < 2 or word[-1] != first:
                return False
        elif first == "[" and dialect == "sqlite":
            if word[-1] != "]":
                return False
        elif "0" <= first <= "9" or (first == "." and len(word) > 1):
            if not _NUMBER.fullmatch(word):
                return False
        elif word[-1] == "'":
            if word[0] != "x" or dialect != "sqlite":
                return False
        elif not (first.isidentifier() or word in _SYMBOLS or (dialect != "sqlite" and word in ("::", "[", "]"))):
            return False
        last = word
    return deepest <= MAX_FRAMES
