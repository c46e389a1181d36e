"""Queries written by one hand: the same layout for whatever sqlglot has read, so that no spelling tells two apart.

Key words and functions are in upper case, names as the schema declares them, quoted only where they must be, strings in
single quotes. Functions and types stay what they were (`parsing.marked`), so the text is the same query.
"""

from __future__ import annotations

import re
from typing import Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel
from sqlglot.generator import Generator

from agentgym.envs.text_to_sql.blocks import Schema, Tables, fold
from agentgym.envs.text_to_sql.canonical import schema_of
from agentgym.envs.text_to_sql.lexical import is_parsable, tokens
from agentgym.envs.text_to_sql.names import Names
from agentgym.envs.text_to_sql.parsing import DOUBLE, FAULTS, FUNCTION, marked, nodes_of, tree_of

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_RESERVED_WORDS = (
    "add all alter and as asc autoincrement between by case cast check collate commit constraint create cross"
    " current_date current_time current_timestamp default deferrable delete desc distinct drop else end escape except"
    " exists filter foreign from full glob group having if in index inner insert intersect into is isnull join"
    " lateral left like limit match natural not nothing notnull null offset on or order outer over partition pragma"
    " primary range recursive references regexp returning right row rows select set table then to transaction union"
    " unique update using values when where window with"
)
_RESERVED: Final = frozenset(_RESERVED_WORDS.split())
_SUFFIXED: Final = {exp.In: " IN ", exp.Between: " BETWEEN ", exp.Like: " LIKE ", exp.Glob: " GLOB "}


class Draft:
    """A query's tree, ready to be changed and written: names spelt as declared.

    Attributes:
        tree: the marked tree (`parsing.marked`).
        names: its names, resolved before any change.
        schema: the tables that are known.
        dialect: sqlglot's name.
    """

    def __init__(self, tree: exp.Query, schema: Schema, dialect: str) -> None:
        self.tree = tree
        self.schema = schema
        self.dialect = dialect
        self.names = Names(tree, schema, dialect)
        for node in list(tree.find_all(exp.Column, exp.Table, exp.TableAlias, exp.Alias)):
            self._spell(node)
        for join in tree.find_all(exp.Join):
            if not any(join.args.get(key) for key in ("on", "using", "method", "side", "kind")):
                join.set("kind", "CROSS")  # else the generator adds ON TRUE

    def _spell(self, node: exp.Expr) -> None:
        ref = self.names.refs.get(id(node))
        if id(node) in self.names.strings:
            node.replace(exp.Literal.string(node.name.removeprefix(DOUBLE)))
            return
        if isinstance(node, exp.Column) and ref is None and id(node) not in self.names.by_alias and not node.table:
            if node.name.startswith(DOUBLE):
                return  # a name or a string, who knows
        elif ref is not None and ref.source.table is not None:
            if ref.column != "*":
                node.set("this", identifier(self._declared(ref.source.name, ref.column), self.dialect))
            if fold(node.text("table")) == ref.source.name:  # the table's own name, not an alias
                node.set("table", identifier(ref.source.table.name, self.dialect))
        source = self.names.sources.get(id(node))
        if source is not None and source.table is not None:
            node.set("this", identifier(source.table.name, self.dialect))
        for part in node.args.values():
            for name in part if isinstance(part, list) else [part]:
                if isinstance(name, exp.Identifier):
                    plain = identifier(name.this.removeprefix(DOUBLE), self.dialect)
                    name.set("this", plain.this)
                    name.set("quoted", plain.args["quoted"])

    def _declared(self, table: str, column: str) -> str:
        columns = self.schema.columns[table]
        if column not in columns:
            return column  # rowid
        name: str = self.schema.tables[table].columns[columns[column]].name
        return name

    def write(self, tree: exp.Expr | None = None) -> str:
        """Return the text of the tree as it is now, or of another one made of its parts."""
        root = (self.tree if tree is None else tree).copy()
        kind: type[Generator] = Dialect.get_or_raise(self.dialect).generator_class
        writer = kind(dialect=self.dialect, comments=False, unsupported_level=ErrorLevel.IGNORE)
        for node in reversed(nodes_of(root)):  # what is inside stands behind what it is in
            text = _own_text(node, writer, self.dialect)
            if text is not None and node is not root:
                node.replace(exp.Var(this=text))
            elif text is not None:
                return text
        return writer.generate(root, copy=False)


def draft(query: str, tables: Tables = (), dialect: str = "sqlite") -> Draft | None:
    """Return the draft of a query, None where it cannot be parsed."""
    words = tokens(query, dialect, keep_case=True)
    if not is_parsable(words, dialect):
        return None
    tree = tree_of(marked(words, dialect), dialect)
    if tree is None:
        return None
    try:
        return Draft(tree, schema_of(tables), dialect)
    except FAULTS:  # a tree of a kind never seen
        return None


def render(query: str, tables: Tables = (), dialect: str = "sqlite") -> str:
    """Return `query` in the one layout, the same query to `canonical`; as it was where it cannot be parsed.

    Args:
        query: one reading statement.
        tables: the database's tables; they decide how names are spelt and which names in double quotes are strings.
        dialect: sqlglot's name.
    """
    found = draft(query, tables, dialect)
    return query if found is None else found.write()


def identifier(name: str, dialect: str = "sqlite") -> exp.Identifier:
    """Return a name as a node, quoted only where it must be."""
    plain = _PLAIN_NAME.fullmatch(name) is not None and name.lower() not in _RESERVED
    if dialect == "postgres" and name != name.lower():
        plain = False
    return exp.Identifier(this=name, quoted=not plain)


def _own_text(node: exp.Expr, writer: Generator, dialect: str) -> str | None:
    """Return how a node of a marked tree is written that sqlglot would write otherwise; None where it would not.

    Functions and types stay as they were, NOT stands where people write it. What stands inside is written already. (No
    subclass of sqlglot's generator: the compiled one has none.)
    """
    if isinstance(node, exp.Anonymous):
        return _call(node, writer)
    if isinstance(node, exp.Not):
        return _negation(node, writer)
    if isinstance(node, exp.Identifier) and dialect == "sqlite" and node.args.get("quoted"):
        name: str = node.this
        if name.startswith(DOUBLE):
            return '"' + name.removeprefix(DOUBLE).replace('"', '""') + '"'
        return "`" + name.replace("`", "``") + "`"  # in double quotes it could be a string
    return None


def _call(node: exp.Anonymous, writer: Generator) -> str:
    given = node.this
    name = (given if isinstance(given, str) else writer.sql(given)).removeprefix(FUNCTION).upper()
    parts = [writer.sql(part) for part in node.expressions]
    if name in ("CAST", "TRY_CAST") and len(parts) == 2:
        kind = node.expressions[1].name.upper()
        return f"{name}({parts[0]} AS {kind.replace(' ( ', '(').replace(' , ', ', ').replace(' )', ')')})"
    return f"{name}({', '.join(parts)})"


def _negation(node: exp.Not, writer: Generator) -> str | None:
    inner = node.this
    between = _SUFFIXED.get(type(inner))
    if isinstance(inner, exp.Is) and not inner.args.get("negate"):
        return f"{writer.sql(inner.this)} IS NOT {writer.sql(inner.expression)}"
    if between is not None and not inner.args.get("negate"):
        left, text = writer.sql(inner.this), writer.sql(inner)
        if text.startswith(left + between):
            return left + " NOT" + text[len(left) :]
    return None
