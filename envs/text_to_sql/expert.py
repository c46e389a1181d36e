"""The expert: looks at the tables that the gold reads, asks one sensible question of the data, tries the gold, submits.

It looks at the state alone, so it knows a way from wherever somebody's play led.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from sqlglot import exp

from agentgym.envs.text_to_sql.parsing import parse
from agentgym.envs.text_to_sql.render import identifier, render
from agentgym.envs.text_to_sql.state import Question, SqlState
from agentgym.envs.text_to_sql.trial import form_of, touched, tried

TESTS: Final = 2
"""Queries that expert and menu try before they submit."""

VALUES: Final = 20
"""Values that a probe asks for."""


def advice(state: SqlState) -> tuple[str, str]:
    """Return the tool that the expert would call now, and its argument."""
    question = state.question
    gold, probe = answer(question), sensible_probe(question)
    for table in touched(question, gold):
        if not state.knows(table):
            return "schema", table
    if probe and len(state.facts) < TESTS - 1 and not has_run(state, probe):
        return "sql", probe
    if len(state.facts) < TESTS and not has_run(state, gold):
        return "sql", gold
    return "submit", gold


def has_run(state: SqlState, query: str) -> bool:
    """Return whether what a query tells is known."""
    if not state.facts:
        return False
    form = form_of(state.question, query)
    return any(fact.query == form for fact in state.facts)


@lru_cache(maxsize=4096)
def answer(question: Question) -> str:
    """Return the first gold as the menu writes all queries."""
    return render(question.golds[0], question.tables, question.dialect)


@lru_cache(maxsize=4096)
def sensible_probe(question: Question) -> str:
    """Return the probe of the gold, which is asked before it is tried; "" where it compares no text."""
    return probe_of(question, question.golds[0])


def probe_of(question: Question, query: str) -> str:
    """Return a query for the values of a column that `query` compares with a text; "" where it compares none."""
    tree = parse(query, question.dialect)
    if tree is None:
        return ""
    for node in tree.find_all(exp.EQ, exp.NEQ, exp.In, exp.Like):
        column = next((part for part in node.args.values() if isinstance(part, exp.Column)), None)
        literals = [part for part in node.iter_expressions() if isinstance(part, exp.Literal) and part.is_string]
        if column is None or not literals:
            continue
        table = table_of(question, tree, column)
        probe = column_probe(question, table, column.name) if table else ""
        if probe and tried(question, probe).fact is not None:
            return probe
    return ""


def column_probe(question: Question, table: str, column: str) -> str:
    """Return a query for the values of a column."""
    name, of = (identifier(part, question.dialect).sql(question.dialect) for part in (column, table))
    return f"SELECT DISTINCT {name} FROM {of} ORDER BY {name} LIMIT {VALUES}"


def table_of(question: Question, tree: exp.Query, column: exp.Column) -> str:
    """Return the name of the table that a column of a query belongs to; "" where it is not sure."""
    scope = column.parent_select or tree
    named = {table.alias_or_name.lower(): table.name for table in scope.find_all(exp.Table)}
    asked = column.table.lower()
    found = []
    for name in dict.fromkeys(named.values() if not asked else [named[asked]] if asked in named else []):
        table = question.table(name)
        if table is not None and any(known.name.lower() == column.name.lower() for known in table.columns):
            found.append(table.name)
    return found[0] if len(found) == 1 else ""
