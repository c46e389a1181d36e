"""Queries as sqlglot's trees, within bounds: never raises, whatever text a model wrote.

sqlglot folds what databases tell apart (SQLite takes CAST(x AS STRING) for a number and has no LEN), so `marked` lets
it see each function and type under a name that it does not know. What it says about the query's shape is then the
query's own; `parse` is the plain tree for what looks at meaning, such as components and near misses.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from agentgym.envs.text_to_sql.lexical import is_parsable, tokens
from agentgym.envs.text_to_sql.parser_tokens import parser_tokens

DOUBLE: Final = "\x01"
"""Begins each name of a marked text that stood in double quotes: in SQLite it may be a string after all."""

FUNCTION: Final = "f_"
"""Begins each function's name in a marked text."""

FAULTS: Final = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, LookupError, AssertionError)
"""What sqlglot was seen or is likely to raise for texts that are no SQL."""

READS: Final = frozenset(["select", "with", "values", "("])
"""First words of a query; sqlglot logs a warning for many other statements."""
_KEY_WORDS = (
    "all and any as between by case cross distinct else end escape except exists filter from full glob group having in"
    " inner intersect is join lateral like limit match materialized natural not offset on or order outer over partition"
    " recursive regexp select set some table then union using values when where window with within"
)
_NO_FUNCTION: Final = frozenset(_KEY_WORDS.split())
_FROM_INSIDE: Final = frozenset(
    ["array", "extract", "interval", "overlay", "position", "row", "struct", "trim", "unnest"]
)
_DEFINES: Final = (["as", "("], ["as", "materialized"], ["as", "not"])
_CASTS: Final = frozenset(["cast", "try_cast"])


def parse(query: str, dialect: str = "sqlite") -> exp.Query | None:
    """Return the tree of one reading statement, or None: no such statement, more than one, or beyond the bounds.

    The tree is kept and shared: copy it before you change it.
    """
    return _parse(query, dialect)


@lru_cache(maxsize=128)
def _parse(query: str, dialect: str) -> exp.Query | None:
    words = tokens(query, dialect)
    if not is_parsable(words, dialect) or words[0] not in READS:
        return None
    return tree_of(query, dialect)


@lru_cache(maxsize=16)
def marked_tree(text: str, dialect: str) -> exp.Query | None:
    """Return the tree of a marked text, None where there is none; several look at a query one after the other.

    Args:
        text: the tokens of a query, with blanks between them (`lexical`).
        dialect: sqlglot's name.

    The tree is kept and shared: only read it.
    """
    return words_tree(tokens(text, dialect), dialect)


def words_tree(words: list[str], dialect: str) -> exp.Query | None:
    """Return the tree of a query's tokens, marked, None where there is none."""
    if not is_parsable(words, dialect) or words[0] not in READS:
        return None
    said = marked_words(words, dialect)
    return _tree(" ".join(said), dialect, said)


def tree_of(text: str, dialect: str) -> exp.Query | None:
    """Return the tree of a bounded text that holds one reading statement, None where sqlglot cannot read it so."""
    return _tree(text, dialect)


def _tree(text: str, dialect: str, said: list[str] | None = None) -> exp.Query | None:
    """Return the tree of a text, split into its tokens by us (`said`, with blanks between them) or by sqlglot."""
    reader = Dialect.get_or_raise(dialect)
    try:
        split = reader.tokenize(text) if said is None else parser_tokens(said, dialect)
        found = [tree for tree in reader.parser().parse(split, text) if tree is not None]
    except FAULTS:
        return None
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        return None
    words = text.lower()
    if words.count(" join ") > words.count(" on ") and "true" not in words:
        for join in found[0].find_all(exp.Join):  # sqlglot gives a JOIN without a condition the condition TRUE
            if isinstance(join.args.get("on"), exp.Boolean):
                join.set("on", None)
    return found[0]


def nodes_of(tree: exp.Expr) -> list[exp.Expr]:
    """Return all nodes of a tree, breadth first; several times faster than sqlglot's walk."""
    found = [tree]
    for node in found:  # which grows meanwhile
        for value in node.args.values():
            if isinstance(value, exp.Expr):
                found.append(value)
            elif type(value) is list:
                found += [item for item in value if isinstance(item, exp.Expr)]
    return found


def marked(words: list[str], dialect: str = "sqlite") -> str:
    """Return a text for the parser from the tokens of a query, in any case; functions, types, double quotes marked.

    A function `f(…)` becomes `f_f(…)`; CAST(x AS T) becomes `f_cast(x, 't')`; a name in double quotes begins with
    `DOUBLE`, for in SQLite it may be a string; names in other quotes cannot.
    """
    return " ".join(marked_words(words, dialect))


def marked_words(words: list[str], dialect: str = "sqlite") -> list[str]:
    """Return the tokens of what `marked` returns."""
    out: list[str] = []
    opened: list[tuple[int, str]] = []  # for each open bracket: where its function's name stands in `out`, that name
    kind: list[str] | None = None  # the type of the cast being read
    lowered = [word.lower() for word in words]
    for at, word in enumerate(lowered):
        if kind is not None and (word != ")" or kind.count("(") > kind.count(")")):
            kind.append(word)
            continue
        if word == "(":
            place = len(out) - 1 if _is_call(lowered, at, dialect) else -1
            opened.append((place, words[at - 1] if place >= 0 else ""))
            if place >= 0:
                out[place] = FUNCTION + lowered[at - 1]
        elif word == ")" and opened:
            if kind is not None:
                out.append(_text(" ".join(kind)))
                kind = None
            place, name = opened.pop()
            if place >= 0 and lowered[at + 1 : at + 3] in _DEFINES:
                out[place] = name  # not a call but WITH name(columns) AS (…)
        elif word == "as" and opened and opened[-1][1].lower() in _CASTS:
            kind = []
            out.append(",")
            continue
        out.append(_name(words[at], dialect))
    return out


def _is_call(lowered: list[str], at: int, dialect: str) -> bool:
    """Return whether the bracket `at` calls a function: behind no key word, nor behind a name that AS or ")" gives."""
    name = lowered[at - 1] if at else ""
    before = lowered[at - 2] if at > 1 else ""
    if not name[:1].isidentifier() or name[-1] == "'" or name in _NO_FUNCTION or before in ("as", ")"):
        return False
    return dialect == "sqlite" or name not in _FROM_INSIDE


def _name(word: str, dialect: str) -> str:
    quote = word[0]
    if quote == '"':
        return '"' + DOUBLE + word[1:] if dialect == "sqlite" else word
    if quote == "`" or (quote == "[" and dialect == "sqlite"):
        inner = word[1:-1].replace("``", "`") if quote == "`" else word[1:-1]
        return '"' + inner.replace('"', '""') + '"'
    return word if word.isascii() or quote == "'" else '"' + word + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
