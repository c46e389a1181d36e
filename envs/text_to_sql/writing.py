"""Queries as the menu writes them, all by one hand, so that the spelling of none says where it comes from."""

from __future__ import annotations

from sqlglot import exp

from agentgym.envs.text_to_sql.parsing import parse

VALUES = 20
"""Values that a probe of a column asks for."""


def plain(query: str, dialect: str) -> str:
    """Return a query in sqlglot's spelling, on one line; as it stands where sqlglot does not understand it."""
    tree = parse(query, dialect)
    return " ".join(query.split()) if tree is None else tree.sql(dialect=dialect, comments=False)


def readable(query: str, dialect: str) -> str:
    """Return a query that an agent wrote, in sqlglot's spelling where it understands it; on one line in any case."""
    tree = parse(query, dialect)
    return " ".join((query if tree is None else tree.sql(dialect=dialect, comments=False)).split())


def column_probe(table: str, column: str, dialect: str) -> str:
    """Return a query for the values of a column."""
    name = exp.to_identifier(column)
    query = exp.select(exp.Column(this=name)).distinct().from_(exp.Table(this=exp.to_identifier(table)))
    return query.order_by(exp.Column(this=name.copy())).limit(VALUES).sql(dialect=dialect)
