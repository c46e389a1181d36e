"""Wrong queries near a gold, verified: they run, and pass for it in no filling, whoever compares."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

from agentgym.envs.text_to_sql.canonical import canonical
from agentgym.envs.text_to_sql.distinct import without_distinct
from agentgym.envs.text_to_sql.engine import TableInfo
from agentgym.envs.text_to_sql.near_misses import Values, near_misses
from agentgym.envs.text_to_sql.render import render
from agentgym.envs.text_to_sql.shipped.alike import alike
from agentgym.envs.text_to_sql.shipped.beside import beside, share_said
from agentgym.envs.text_to_sql.shipped.families import SEED, Question, Rows
from agentgym.envs.text_to_sql.shipped.settled import run
from agentgym.rng import TurnRng

AROUND: Final = 12  # near misses verified of a query
CENTRES: Final = 2  # misses of the gold that have misses of their own, one of which has some again
NEAREST: Final = 6  # further misses of the gold
VALUES: Final = 30  # of a column, from which misses take theirs
STEPS: Final = 2_000_000  # budget of a miss
MOST_ROWS: Final = 10_000

Results = list[tuple[Rows, Rows]]
"""A query's rows in each filling: as it stands, and without its DISTINCTs, as Spider's rule compares queries."""


def menu_misses(
    question: Question, made: Sequence[sqlite3.Connection], tables: tuple[TableInfo, ...], values: Values
) -> list[str]:
    """Return the wrong queries that stand beside the gold in menus, chosen from verified ones (`beside`).

    Most changes take away a word that the text says. The queries that others are near are those which leave the most,
    so that the gold need not be the one that shares most with the text.

    Args:
        question: whose gold they come near.
        made: all fillings of its database.
        tables: the database's tables.
        values: what its columns hold (`values_of`).
    """
    rng = TurnRng(SEED, stream=f"misses of {question.id}")
    golds = results(question.gold, made)
    gold, text = render(question.gold, tables, "sqlite"), f"{question.question} {question.evidence}"
    forms = {canonical(question.gold, "sqlite", tables)}

    def verified(query: str) -> list[str]:
        found: list[str] = []
        for near, _ in near_misses(query, tables, rng, values, limit=2 * AROUND):
            form = canonical(near, "sqlite", tables)
            others = [] if form in forms or len(found) == AROUND else results(near, made)
            forms.add(form)
            if others and is_wrong(golds, others):
                found.append(near)
        return found

    def around(centre: str) -> list[list[str]]:
        """Return the queries near one that is near the gold, and those near one of them, each without the other."""
        near = verified(centre)
        if not near:
            return [[centre]]
        further = max(near, key=lambda query: share_said(query, text))
        return [[centre, *(query for query in near if query != further)], [further, *verified(further)]]

    near = verified(gold)
    centres = sorted(near, key=lambda query: -share_said(query, text))[:CENTRES]
    groups = [[query for query in near if query not in centres][:NEAREST]]
    return beside(gold, [*groups, *(group for centre in centres for group in around(centre))], text, rng)


def values_of(tables: tuple[TableInfo, ...], connection: sqlite3.Connection) -> Values:
    """Return (table, column) → values that stand in it, for columns that are no key."""
    found = {}
    for table in tables:
        for column in (column.name for column in table.columns if not column.key):
            query = (
                f'SELECT DISTINCT "{column}" FROM "{table.name}" WHERE "{column}" IS NOT NULL ORDER BY 1 LIMIT {VALUES}'
            )
            found[table.name.lower(), column.lower()] = [row[0] for row in connection.execute(query)]
    return found


def results(query: str, made: Sequence[sqlite3.Connection]) -> Results:
    """Return what a query comes to in each filling; nothing where it does not run in one, or gives too many rows."""
    bare, found = without_distinct(query), []
    try:
        for connection in made:
            rows = run(connection, query, STEPS).rows
            found.append((rows, rows if bare == query else run(connection, bare, STEPS).rows))
            if len(rows) > MOST_ROWS:
                return []
    except sqlite3.Error:
        return []
    return found


def is_wrong(golds: Results, others: Results) -> bool:
    """Return whether a query's results can pass for the gold's in no filling, whoever compares."""
    return not any(
        alike(*pair) for gold, other in zip(golds, others, strict=True) for pair in zip(gold, other, strict=True)
    )
