"""Try a database while it is written: `python -m agentgym.envs.text_to_sql.shipped.try_database NAME [FAMILY …]`.

Fills it three times in memory, draws the questions of its families, and prints each with its SQL, its first rows and
every complaint; at the end what the database as a whole lacks. The exit status is 0 where nothing is to be said.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence

from agentgym.envs.text_to_sql.shipped import checks
from agentgym.envs.text_to_sql.shipped.families import (
    DIFFICULTIES,
    FILLINGS,
    NAMES,
    Database,
    Family,
    Question,
    create,
    load,
    questions,
)
from agentgym.envs.text_to_sql.shipped.settled import run

SHOWN = 3  # rows of a result, and refused questions of a family
LEAST_QUESTIONS = 60


def shape_faults(database: Database, fillings: Sequence[sqlite3.Connection]) -> list[str]:
    """Return what the tables of a database lack."""
    found = []
    for number, connection in enumerate(fillings):
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")]
        sizes = {name: connection.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0] for name in names}
        if number == 0:
            _say(f"{database.NAME}: {len(names)} tables, {sum(sizes.values())} rows: {sizes}")
        if not 3 <= len(names) <= 12:
            found.append(f"{len(names)} tables, not 3 to 12")
        if max(sizes.values()) < 1000:
            found.append(f"the largest table has {max(sizes.values())} rows, fewer than 1,000 (filling {number})")
        found += [f"{name} is empty (filling {number})" for name in names if not sizes[name]]
        if not any(_nulls(connection, name) for name in names):
            found.append(f"no NULL anywhere (filling {number})")
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
        found += [f"a reference of {row[0]} to {row[2]} leads nowhere (filling {number})" for row in broken[:3]]
    return found


def _nulls(connection: sqlite3.Connection, table: str) -> bool:
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    test = " OR ".join(f'"{column}" IS NULL' for column in columns)
    return bool(connection.execute(f'SELECT 1 FROM "{table}" WHERE {test} LIMIT 1').fetchone())


def try_family(database: Database, family: Family, fillings: Sequence[sqlite3.Connection]) -> tuple[int, list[str]]:
    """Print the questions of a family; return how many there are, and the complaints."""
    refused: list[tuple[Question, list[str]]] = []

    def accept(question: Question) -> bool:
        wrong = checks.faults(question, fillings)
        if wrong:
            refused.append((question, wrong))
        return not wrong

    _say(f"\n== {family.name} ({family.difficulty})")
    count = 0
    for question in questions(database, family, fillings[0], accept):
        count += 1
        result = run(fillings[0], question.gold)
        _say(f"{question.id}\n  Q: {question.question}")
        if question.evidence:
            _say(f"  E: {question.evidence}")
        _say(f"  {' '.join(question.gold.split())}\n  {len(result.rows)} rows, {result.steps} steps {result.columns}")
        for row in result.rows[:SHOWN]:
            _say("    " + " | ".join(map(checks.scalar, row)))
    for question, wrong in refused[:SHOWN]:
        _say(f"  refused: {question.question}\n    {' '.join(question.gold.split())}\n    {'; '.join(wrong)}")
    complaints = [] if count else [f"{family.name}: no question holds"]
    if refused and 0 < count < family.count:
        complaints = [f"{family.name}: {count} of {family.count} questions hold, {len(refused)} were refused"]
    if family.difficulty not in DIFFICULTIES:
        complaints.append(f"{family.name}: difficulty {family.difficulty!r} is none of {', '.join(DIFFICULTIES)}")
    return count, complaints


def main(arguments: list[str] | None = None) -> int:
    """Try a database, or some of its families; return the exit status."""
    parser = argparse.ArgumentParser(prog="try_database", description="Try a database and its families of questions.")
    parser.add_argument("database", choices=NAMES)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help="all when none is given")
    options = parser.parse_args(arguments)
    database = load(options.database)
    fillings = [create(database, number) for number in range(FILLINGS)]
    complaints = shape_faults(database, fillings)
    names = Counter(family.name for family in database.FAMILIES)
    complaints += [f"two families are called {name}" for name, times in names.items() if times > 1]
    levels: Counter[str] = Counter()
    for family in database.FAMILIES:
        if not options.families or family.name in options.families:
            count, wrong = try_family(database, family, fillings)
            levels[family.difficulty] += count
            complaints += wrong
    for connection in fillings:
        connection.close()
    if not options.families and sum(levels.values()) < LEAST_QUESTIONS:
        complaints.append(f"{sum(levels.values())} questions, fewer than {LEAST_QUESTIONS}")
    _say(f"\n{sum(levels.values())} questions: {dict(levels)}")
    for complaint in complaints:
        _say(f"COMPLAINT {complaint}")
    return int(bool(complaints))


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
