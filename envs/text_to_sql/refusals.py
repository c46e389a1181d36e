"""In which words a query is refused, whatever the database: what is wrong, and what to do instead."""

from __future__ import annotations

import re
from typing import Final

from agentgym.envs.text_to_sql.result import BUDGET, DENIED, ERROR, LIMIT, Result

MAX_BYTES: Final = 1 << 25
"""Most bytes of text in a result."""
WRITING: Final = "only reading is allowed here: write one SELECT"
CATALOGUE: Final = "the catalogue cannot be queried: the schema tool shows tables and columns"
TABLE_FUNCTION: Final = "tables that are functions cannot be queried: the schema tool shows tables and columns"
PARAMETERS: Final = "parameters cannot be given here: write the value itself"
SAMPLING: Final = "sampling is not allowed: a query must give the same result every time"
RANDOM: Final = frozenset(("gen_random_uuid", "random", "randomblob", "setseed", "uuid"))
_CATALOGUES: Final = ("sqlite_", "pg_", "information_schema", "pragma_", "duckdb_")
_ANSWERS: Final = re.compile(r"gold|answer|solution")


def function_refusal(name: str) -> str:
    """Return why a function is denied."""
    if name in RANDOM:
        return f"{name}() is not allowed: a query must give the same result every time"
    return f"the function {name}() is not available here"


def over_budget(budget: int, unit: str = "steps") -> Result:
    """Return the result of a statement that needs more work than allowed."""
    message = f"the query needs too much work (more than {budget} {unit}): read fewer rows or join less"
    return Result(BUDGET, message=message)


def too_many_rows(rows: int) -> Result:
    """Return the result of a statement with too many rows."""
    return Result(LIMIT, message=f"the result has more than {rows} rows: aggregate, or use LIMIT")


def too_long(size: int) -> Result:
    """Return the result of a statement that makes too long a text, or too much of it."""
    return Result(LIMIT, message=f"the query makes more text than the {size} bytes allowed: read less")


def no_table(name: str) -> Result:
    """Return the result of a statement that reads a table that there is not."""
    lower = name.lower()
    if "." in name or lower.startswith(_CATALOGUES):
        return Result(DENIED, message=f"no such table: {name}; {CATALOGUE}")
    if _ANSWERS.search(lower):
        return Result(DENIED, message=f"no such table: {name}; answers are not in the database")
    return Result(ERROR, message=f"no such table: {name}; the schema tool lists the tables")
