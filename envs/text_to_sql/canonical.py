"""One text for all spellings of a query: the key under which the world remembers what a query showed.

Spelling is: case of key words and names, blanks, a byte order mark, comments, semicolons at the end, quotes around
names, `main.` before a table, OFFSET 0 (of a sub-query only where its result is not open, see below), names of
aliases (of tables, of common table expressions and of result columns), qualified or bare columns, redundant brackets,
the order of what AND and OR join, sides of a comparison, `!=` and `==`, the order of an IN list, JOIN … ON or comma and
WHERE where all joins before it are inner or LEFT, result columns named by place, alias or expression in GROUP BY and
ORDER BY. All else is kept: 1 is not 1.0, x BETWEEN 1 AND 2 is not two comparisons, `a, b` is not `b, a`.

Names of result columns do not count: a result is its values. Whoever needs the names (a scorer that sorts columns by
name) keys its cache by the query itself.

Two queries of one text give equal results on any database of this schema: equal as multisets, and in the order that
they ask for. Where a query leaves its result open (LIMIT through a tie, a column that a group does not fix, rows seen
in order, one row of several: `is_open`), SQLite's plan decides, so what it plans by is kept there: the order of OR, the
sides of a comparison (but with a value in a block of one source), CROSS JOIN. Taken for granted: columns that are
compared share a collation, no column holds equal values that look different (1 beside 1.0), and sums of floats that
differ in their last digit count as equal.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from agentgym.envs.text_to_sql.blocks import Schema, Tables
from agentgym.envs.text_to_sql.engine import TableInfo
from agentgym.envs.text_to_sql.lexical import tokens
from agentgym.envs.text_to_sql.names import Names
from agentgym.envs.text_to_sql.normal_form import normal_form
from agentgym.envs.text_to_sql.parsing import FAULTS, words_tree
from agentgym.envs.text_to_sql.reading import columns_of, literals_of, skeleton, sources_of, statements, tables_of
from agentgym.envs.text_to_sql.shape import Shape, codes, filled, parts, shape

__all__ = ["CACHE", "Form", "canonical", "columns_of", "form", "literals_of", "schema_of", "skeleton", "statements"]
__all__ += ["tables_of"]

CACHE: Final = 4096
"""Queries, and shapes of queries, whose canonical text is kept."""

_SHORT: Final = 4096  # characters; longer queries are not kept as written, so that the memory is bounded
_READS: Final = ("select", "with", "(")
_SCHEMAS: dict[int, tuple[Tables, Schema]] = {}
_PATTERNS: dict[tuple[str, str, Schema], _Pattern] = {}


class Form(NamedTuple):
    """What is known of a query by its text.

    Attributes:
        text: the one text for all its spellings.
        tables: as `tables_of`.
        ordered: whether its outermost SELECT orders the rows.
    """

    text: str
    tables: tuple[str, ...]
    ordered: bool


class _Pattern(NamedTuple):
    """The form of all queries of one shape: the text as its pieces and the ranks of the values between them."""

    pieces: tuple[str | int, ...]
    tables: tuple[str, ...]
    ordered: bool


def canonical(query: str, dialect: str = "sqlite", tables: Tables = ()) -> str:
    """Return one text for all spellings of `query`; "" for no statement. Never raises, whatever the text.

    Args:
        query: any text. One that is no single reading statement, or is beyond the parser's bounds (`lexical`), gets
            its lexical form behind "? ".
        dialect: sqlglot's name: "sqlite", "duckdb", "postgres".
        tables: the database's tables, best the same tuple each time (known again by identity). Without them a bare
            column among several sources, or in double quotes, cannot be told for sure: such a query keeps its names.
    """
    return form(query, dialect, tables).text


def form(query: str, dialect: str = "sqlite", tables: Tables = ()) -> Form:
    """Return the canonical text of a query and what else its text tells; see `canonical`.

    A text seen before costs a look-up, a known shape with other values some 20 µs, a new shape some hundred.
    """
    schema = schema_of(tables)
    return _of_text(query, dialect, schema) if len(query) <= _SHORT else _read(query, dialect, schema)


def schema_of(tables: Tables) -> Schema:
    """Return the schema made of `tables`: one for equal tables, found at once for the same tuple."""
    known = _SCHEMAS.get(id(tables))
    if known is not None and known[0] is tables:
        return known[1]
    if len(_SCHEMAS) >= 256:
        _SCHEMAS.clear()
    schema = _made(tuple(tables))
    _SCHEMAS[id(tables)] = (tables, schema)
    return schema


@lru_cache(maxsize=256)
def _made(tables: tuple[TableInfo, ...]) -> Schema:
    return Schema(tables)


@lru_cache(maxsize=CACHE)
def _of_text(query: str, dialect: str, schema: Schema) -> Form:
    return _read(query, dialect, schema)


def _read(query: str, dialect: str, schema: Schema) -> Form:
    words = tokens(query, dialect)
    if not words:
        return Form("", (), False)
    found = shape(words, dialect)
    key = (found.key, dialect, schema)
    pattern = _PATTERNS.get(key)
    if pattern is None:
        pattern = _pattern(words, found, dialect, schema)
        if len(query) <= _SHORT and found.free.issubset(pattern.pieces):  # each value is where its rank says it is
            if len(_PATTERNS) >= CACHE:
                _PATTERNS.clear()
            _PATTERNS[key] = pattern
    return Form(filled(pattern.pieces, found.values), pattern.tables, pattern.ordered)


def _pattern(words: list[str], found: Shape, dialect: str, schema: Schema) -> _Pattern:
    tree = words_tree(words, dialect)
    text, tables = None, tuple[str, ...]()
    if tree is not None:
        try:
            names = Names(tree, schema, dialect)
            tables = sources_of(names)
            text = normal_form(tree, words, names, dialect, codes(found.values)) if words[0] in _READS else None
        except FAULTS:  # a tree of a kind never seen
            text = None
    if not text:
        coded = codes(found.values)
        text = "? " + " ".join([coded.get(word, word) for word in words])
    return _Pattern(parts(text), tables, _is_ordered(words))


def _is_ordered(words: list[str]) -> bool:
    depth = 0
    for word in words:
        depth += (word == "(") - (word == ")")
        if word == "order" and depth == 0:
            return True
    return False
