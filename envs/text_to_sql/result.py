"""What a query came to: the one value that engines, scorers and observations share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

Value: TypeAlias = int | float | str | bytes | None

ROWS: Final = "rows"
PLAN: Final = "sql_plan"
EMPTY: Final = "sql_empty"
ERROR: Final = "sql_error"
DENIED: Final = "sql_denied"
BUDGET: Final = "sql_budget"
LIMIT: Final = "sql_limit"
KINDS: Final = (ROWS, PLAN, EMPTY, ERROR, DENIED, BUDGET, LIMIT)


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one statement.

    Attributes:
        kind: ROWS: it ran, and `columns` and `rows` are its result (maybe no rows); PLAN: an EXPLAIN, shown but never
            an answer; EMPTY: no statement at all (blank, or comments alone); ERROR: refused by the database; DENIED:
            refused by us, since it is no plain reading; BUDGET: it needed more work than allowed; LIMIT: it, or its
            result, was larger than allowed.
        columns: names of the result's columns, as the database gives them; equal names are possible.
        rows: the result's rows, in the order given.
        message: what was wrong and what to do instead; "" where nothing was. The same on every machine.
    """

    kind: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Value, ...], ...] = ()
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether rows came back, be they none: what alone can answer a question."""
        return self.kind == ROWS
