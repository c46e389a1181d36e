"""What a query is and what it speaks of: statements, tables, columns, literals, skeleton. Never raises on any text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import sqlglot
from sqlglot import exp

from agentgym.envs.text_to_sql.blocks import Schema, Tables
from agentgym.envs.text_to_sql.lexical import is_parsable, lexical, tokens
from agentgym.envs.text_to_sql.names import Names
from agentgym.envs.text_to_sql.parsing import FAULTS, marked_tree, parse

READ: Final = "read"
WRITE: Final = "write"
OTHER: Final = "other"
NONE: Final = "none"

_PARSED: Final = frozenset(["select", "with", "values", "(", "insert", "update", "delete", "merge"])
_CHANGING = "alter analyze copy create delete drop insert merge reindex rename replace truncate update vacuum"
_WRITES: Final = frozenset(_CHANGING.split())
_CHANGES: Final = (exp.Insert, exp.Update, exp.Delete, exp.Merge)


@dataclass(frozen=True, slots=True)
class Statements:
    """How many statements a text holds, and the gravest kind among them: WRITE, OTHER, READ; NONE if none."""

    count: int
    kind: str


@lru_cache(maxsize=1024)
def statements(query: str, dialect: str = "sqlite") -> Statements:
    """Count and classify the statements of a text; empty ones between semicolons do not count.

    READ is a query, WRITE changes data or schema (INSERT … anywhere in it, CREATE, VACUUM …), OTHER is all else
    (PRAGMA, ATTACH, BEGIN, EXPLAIN, no SQL at all). It informs; what keeps a database safe is its engine.
    """
    pieces: list[list[str]] = [[]]
    for word in tokens(query, dialect):
        if word == ";":
            pieces.append([])
        else:
            pieces[-1].append(word)
    kinds = [_kind(piece, dialect) for piece in pieces if piece]
    worst = next((kind for kind in (WRITE, OTHER, READ) if kind in kinds), NONE)
    return Statements(len(kinds), worst)


def _kind(words: list[str], dialect: str) -> str:
    if words[0] not in _PARSED:
        return WRITE if words[0] in _WRITES else OTHER
    if is_parsable(words, dialect):
        try:
            tree = sqlglot.parse_one(" ".join(words), read=dialect)
        except FAULTS:
            tree = None
        if tree is not None:
            if tree.find(*_CHANGES) is not None:
                return WRITE
            return READ if isinstance(tree, exp.Query | exp.Values) else OTHER
    if words[0] == "with":  # what follows the common table expressions, outside all brackets
        depth = 0
        for word in words:
            depth += (word == "(") - (word == ")")
            if not depth and word in ("insert", "replace", "update", "delete", "merge"):
                return WRITE
        return READ
    return WRITE if words[0] in _WRITES else READ


@lru_cache(maxsize=1024)
def tables_of(query: str, dialect: str = "sqlite") -> tuple[str, ...]:
    """Return the folded names of the tables that a query reads, each once, as they appear; () if it cannot be parsed.

    Common table expressions and derived tables are no tables; what they read is.
    """
    tree = marked_tree(lexical(query, dialect), dialect)
    if tree is None:
        return ()
    return sources_of(Names(tree, Schema(), dialect))


def sources_of(names: Names) -> tuple[str, ...]:
    """Return the folded names of the tables that a tree reads, each once."""
    blocks = names.blocks.values()
    return tuple(dict.fromkeys(source.name for block in blocks for source in block.sources if source.name))


def columns_of(query: str, tables: Tables, dialect: str = "sqlite") -> tuple[tuple[str, str], ...]:
    """Return the (table, column) pairs that a query names, folded, each once; () if it cannot be parsed.

    `*` and `t.*` give (table, "*") for each table that they show. Names that no table has are left out.
    """
    tree = parse(query, dialect)
    if tree is None:
        return ()
    names = Names(tree, Schema(tables), dialect)
    found: dict[tuple[str, str], None] = {}
    for column in tree.find_all(exp.Column, bfs=False):
        ref = names.refs.get(id(column))
        if ref is not None and ref.source.name:
            found[ref.source.name, ref.column] = None
    for block in names.blocks.values():
        if any(isinstance(item, exp.Star) for item in block.select.expressions):
            found.update({(source.name, "*"): None for source in block.sources if source.name})
    return tuple(found)


def literals_of(query: str, tables: Tables = (), dialect: str = "sqlite") -> tuple[str, ...]:
    """Return the values written in a query, as text, each once; () if it cannot be parsed.

    Numbers as written (a minus sign included), strings without quotes, in SQLite also names in double quotes that none
    of `tables` has, which it takes for strings. Places in GROUP BY and ORDER BY (`ORDER BY 2`) are no values.
    """
    tree = parse(query, dialect)
    if tree is None:
        return ()
    strings = Names(tree, Schema(tables), dialect, plain=True).strings if tables else frozenset()
    found: dict[str, None] = {}
    for node in tree.walk(bfs=False):
        if isinstance(node, exp.Literal) and not isinstance(node.parent, exp.DataTypeParam) and not _is_place(node):
            sign = "-" if isinstance(node.parent, exp.Neg) and not node.is_string else ""
            found[sign + str(node.this)] = None
        elif id(node) in strings:
            found[node.name] = None
    return tuple(found)


def _is_place(node: exp.Literal) -> bool:
    parent = node.parent
    if isinstance(parent, exp.Ordered):
        parent = parent.parent
    return isinstance(parent, exp.Group | exp.Order) and not node.is_string


def skeleton(query: str, dialect: str = "sqlite") -> str:
    """Return a query with every name written `_`, every value `?`, and no aliases; lists of values as one value.

    Function names and key words stay. A text that cannot be parsed gives its tokens, quoted ones and numbers as `?`.
    """
    tree = parse(query, dialect)
    if tree is not None:
        try:
            return _bare(tree, dialect)
        except FAULTS:  # sqlglot cannot write all that it reads
            pass
    words = tokens(query, dialect)
    return " ".join("?" if word[0] in "'\"`0123456789" else word for word in words)


def _bare(tree: exp.Query, dialect: str) -> str:
    bare: exp.Expr = exp.Subquery(this=tree.copy())  # a root, so that every node can be replaced
    for alias in list(bare.find_all(exp.Alias)):
        alias.replace(alias.this)
    for node in list(bare.walk()):
        _strip(node)
    text: str = bare.this.sql(dialect=dialect, comments=False)
    return text


def _strip(node: exp.Expr) -> None:
    if isinstance(node, exp.Literal):
        node.replace(exp.Placeholder())
    elif isinstance(node, exp.Column):
        node.replace(exp.Star() if isinstance(node.this, exp.Star) else exp.column("_"))
    elif isinstance(node, exp.TableAlias):
        if isinstance(node.parent, exp.CTE):
            node.replace(exp.TableAlias(this=exp.to_identifier("_")))
        else:
            node.pop()
    elif isinstance(node, exp.Identifier) and isinstance(node.parent, exp.Table):
        node.replace(exp.to_identifier("_"))
    elif isinstance(node, exp.In) and len(node.expressions) > 1:
        node.set("expressions", node.expressions[:1])
