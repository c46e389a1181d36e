"""Queries as sqlglot's trees, within bounds: never raises, whatever text a model wrote.

sqlglot folds what databases tell apart (SQLite takes CAST(x AS STRING) for a number and has no LEN), so `marked` lets
it see each function and type under a name that it does not know. What it says about the query's shape is then the
query's own; `parse` is the plain tree for what looks at meaning, such as components and near misses.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from agentgym.envs.text_to_sql.lexical import is_parsable, tokens

DOUBLE: Final = "\x01"
"""Begins each name of a marked text that stood in double quotes: in SQLite it may be a string after all."""

FUNCTION: Final = "f_"
"""Begins each function's name in a marked text."""

FAULTS: Final = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError, AssertionError)
"""What sqlglot was seen or is likely to raise for texts that are no SQL."""

_READS: Final = frozenset(["select", "with", "values", "("])
_KEY_WORDS = (
    "all and any as between by case cross distinct else end escape except exists filter from full glob group having in"
    " inner intersect is join lateral like limit match materialized natural not offset on or order outer over partition"
    " recursive regexp select set some table then union using values when where window with within"
)
_NO_FUNCTION: Final = frozenset(_KEY_WORDS.split())
_FROM_INSIDE: Final = frozenset(
    ["array", "extract", "interval", "overlay", "position", "row", "struct", "trim", "unnest"]
)
_CASTS: Final = frozenset(["cast", "try_cast"])


def parse(query: str, dialect: str = "sqlite") -> exp.Query | None:
    """Return the tree of one reading statement, or None: no such statement, more than one, or beyond the bounds.

    The tree is kept and shared: copy it before you change it.
    """
    return _parse(query, dialect)


@lru_cache(maxsize=512)
def _parse(query: str, dialect: str) -> exp.Query | None:
    words = tokens(query, dialect)
    if not is_parsable(words, dialect) or words[0] not in _READS:
        return None
    return tree_of(query, dialect)


def tree_of(text: str, dialect: str) -> exp.Query | None:
    """Return the tree of a bounded text that holds one reading statement, None where sqlglot cannot read it so."""
    try:
        found = [tree for tree in sqlglot.parse(text, read=dialect) if tree is not None]
    except FAULTS:
        return None
    return found[0] if len(found) == 1 and isinstance(found[0], exp.Query) else None


def marked(words: list[str], dialect: str = "sqlite") -> str:
    """Return a text for the parser from the tokens of a query, with functions, types and double quotes marked.

    A function `f(…)` becomes `f_f(…)`; CAST(x AS T) becomes `f_cast(x, 't')`; a name in double quotes begins with
    `DOUBLE`; other quoted names are in lower case, for they cannot be strings.
    """
    out: list[str] = []
    opened: list[tuple[int, str]] = []  # for each open bracket: where its function's name stands in `out`, that name
    skip_to = -1  # depth of the cast whose type is being read
    kind: list[str] = []
    foreign = dialect != "sqlite"
    for at, word in enumerate(words):
        if skip_to >= 0 and not (word == ")" and len(opened) == skip_to):
            opened += [(-1, "")] if word == "(" else []
            if word == ")":
                opened.pop()
            kind.append(word)
            continue
        if word == "(":
            name = words[at - 1] if at else ""
            before = words[at - 2] if at > 1 else ""
            if _is_function(name, before) and not (foreign and name in _FROM_INSIDE):
                opened.append((len(out) - 1, name))
                out[-1] = FUNCTION + name
            else:
                opened.append((-1, ""))
        elif word == ")" and opened:
            if skip_to >= 0:
                out.append(_text(" ".join(kind)))
                skip_to, kind = -1, []
            place, name = opened.pop()
            if (
                place >= 0
                and words[at + 1 : at + 2] == ["as"]
                and words[at + 2 : at + 3] in (["("], ["materialized"], ["not"])
            ):
                out[place] = name  # not a call but WITH name(columns) AS (…)
        elif word == "as" and opened and opened[-1][1] in _CASTS:
            skip_to = len(opened)
            out.append(",")
            continue
        out.append(_name(word, foreign))
    return " ".join(out)


def _is_function(name: str, before: str) -> bool:
    """Return whether a word before a bracket calls a function: no key word, no name behind AS or ")"."""
    return (name[:1].isidentifier() and name[-1] != "'") and name not in _NO_FUNCTION and before not in ("as", ")")


def _name(word: str, foreign: bool) -> str:
    quote = word[0]
    if quote == '"':
        return word if foreign else '"' + DOUBLE + word[1:]
    if quote == "`" or (quote == "[" and not foreign):
        inner = word[1:-1].replace("``", "`") if quote == "`" else word[1:-1]
        return '"' + inner.replace('"', '""').lower() + '"'
    return word if word.isascii() or quote == "'" else '"' + word + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
