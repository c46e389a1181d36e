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
from typing import Final

from agentgym.envs.text_to_sql.blocks import Schema, Tables
from agentgym.envs.text_to_sql.engine import TableInfo
from agentgym.envs.text_to_sql.lexical import tokens
from agentgym.envs.text_to_sql.normal_form import normal_form
from agentgym.envs.text_to_sql.parsing import FAULTS, marked_tree
from agentgym.envs.text_to_sql.reading import columns_of, literals_of, skeleton, statements, tables_of

__all__ = ["CACHE", "canonical", "columns_of", "literals_of", "schema_of", "skeleton", "statements", "tables_of"]

CACHE: Final = 4096
"""Queries, and lexical forms, whose canonical text is kept."""

_SHORT: Final = 4096  # characters; longer queries are not kept as written, so that the memory is bounded
_READS: Final = ("select", "with", "(")
_SCHEMAS: dict[int, tuple[Tables, Schema]] = {}


def canonical(query: str, dialect: str = "sqlite", tables: Tables = ()) -> str:
    """Return one text for all spellings of `query`; "" for no statement. Never raises, whatever the text.

    Args:
        query: any text. One that is no single reading statement, or is beyond the parser's bounds (`lexical`), gets
            its lexical form behind "? ".
        dialect: sqlglot's name: "sqlite", "duckdb", "postgres".
        tables: the database's tables, best the same tuple each time (known again by identity). Without them a bare
            column among several sources, or in double quotes, cannot be told for sure: such a query keeps its names.

    A text seen before costs a look-up, a new spelling of a known query some 10 µs, a new query some milliseconds.
    """
    schema = schema_of(tables)
    if len(query) <= _SHORT:
        return _of_text(query, dialect, schema)
    return _read(" ".join(tokens(query, dialect)), dialect, schema)


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
def _of_text(query: str, dialect: str, schema: Schema) -> str:
    return _of_words(" ".join(tokens(query, dialect)), dialect, schema)


@lru_cache(maxsize=CACHE)
def _of_words(text: str, dialect: str, schema: Schema) -> str:
    return _read(text, dialect, schema)


def _read(text: str, dialect: str, schema: Schema) -> str:
    words = tokens(text, dialect)
    if not words:
        return ""
    if words[0] in _READS:
        tree = marked_tree(text, dialect)
        try:
            found = None if tree is None else normal_form(tree, words, schema, dialect)
        except FAULTS:  # a tree of a kind never seen
            found = None
        if found:
            return found
    return "? " + text
