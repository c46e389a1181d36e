"""What the SQLite engine allows: actions, functions and sizes, and in which words everything else is refused.

The authorizer is asked by SQLite while it prepares a statement, for every table, column and function that is used, in
views and subqueries too. What is on no list here is denied, so that a new function of a later SQLite is denied as well.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection
from typing import Final

from agentgym.envs.text_to_sql.engine import EngineFailure
from agentgym.envs.text_to_sql.refusals import (
    CATALOGUE,
    PARAMETERS,
    TABLE_FUNCTION,
    WRITING,
    function_refusal,
    no_table,
)
from agentgym.envs.text_to_sql.result import DENIED, ERROR, LIMIT, Result
from agentgym.envs.text_to_sql.unfold import words

CLOCKS: Final = words(
    "date time datetime julianday strftime unixepoch timediff current_date current_time current_timestamp"
)
GROWING: Final = words("char concat concat_ws format group_concat hex printf quote replace string_agg")
"""Functions whose result can be longer than what they are given."""
FUNCTIONS: Final = (
    words(
        "abs avg coalesce count cume_dist dense_rank first_value glob ifnull iif if instr lag last_value lead length "
        "like likelihood likely lower ltrim max min nth_value ntile nullif octet_length percent_rank rank round "
        "row_number rtrim sign soundex substr substring sum total trim typeof unicode unlikely upper acos acosh asin "
        "asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow power radians sin "
        "sinh sqrt tan tanh trunc json_array_length json_extract json_type json_valid -> ->>"
    )
    | CLOCKS
    | GROWING
)
LIMITS: Final = {
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 2_000,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 25_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
"""All limits that SQLite has but that on the length of a value, which each connection sets for itself."""

TOO_LARGE: Final = re.compile(
    r"too (many (?!SQL variables)|large|long|big|complex)|at most \d+ tables|Expression tree", re.IGNORECASE
)
BROKEN: Final = frozenset(
    (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL,
     sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
)  # fmt: skip

_ACTIONS: Final = {
    sqlite3.SQLITE_ATTACH: "ATTACH is not allowed: there is this database alone",
    sqlite3.SQLITE_DETACH: "DETACH is not allowed: there is this database alone",
    sqlite3.SQLITE_PRAGMA: "PRAGMA is not allowed: the schema tool shows tables and columns",
    sqlite3.SQLITE_TRANSACTION: "transactions are not allowed: the database can only be read",
    sqlite3.SQLITE_SAVEPOINT: "transactions are not allowed: the database can only be read",
}


class Guard:
    """The authorizer of one connection.

    Args:
        tables: the names of all tables and views, in lower case.
        metered: whether functions that make long texts are allowed: where their work is counted.

    Attributes:
        refusal: why the last statement was denied; "" where it was not.
        growing: whether it used a function in GROWING, which the metered connection allows.
        clocked: set where a function of the clock was used.
    """

    def __init__(self, tables: Collection[str], metered: bool) -> None:
        self._tables, self._functions = tables, FUNCTIONS if metered else FUNCTIONS - GROWING
        self.refusal, self.growing, self.clocked = "", False, False

    def __call__(self, action: int, first: str | None, second: str | None, place: str | None, _: str | None) -> int:
        """Return SQLITE_OK or SQLITE_DENY, as sqlite3_set_authorizer asks."""
        if action == sqlite3.SQLITE_SELECT or action == sqlite3.SQLITE_RECURSIVE:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            name = (first or "").lower()
            if name.startswith("sqlite_"):
                return self._deny(CATALOGUE)
            if (name in self._tables and place == "main") or not second:  # no column: rows are counted, of a CTE too
                return sqlite3.SQLITE_OK
            return self._deny(TABLE_FUNCTION)
        if action == sqlite3.SQLITE_FUNCTION:
            name = (second or "").lower()
            if name in self._functions:
                self.clocked = self.clocked or name in CLOCKS
                return sqlite3.SQLITE_OK
            self.growing = self.growing or name in GROWING
            return self._deny(function_refusal(name))
        if action == sqlite3.SQLITE_UPDATE and first == "sqlite_master":  # how a table-valued function begins
            return self._deny(TABLE_FUNCTION)
        return self._deny(_ACTIONS.get(action, WRITING))

    def _deny(self, reason: str) -> int:
        self.refusal = self.refusal or reason
        return sqlite3.SQLITE_DENY


def refused(error: Exception, guard: Guard) -> Result:
    """Return what a statement came to that SQLite did not run to its end.

    Raises:
        EngineFailure: the file or the machine failed.
    """
    text = str(error)
    if guard.refusal:
        return Result(DENIED, message=guard.refusal)
    if isinstance(error, MemoryError):
        return Result(LIMIT, message="the query needs too much memory")
    if (getattr(error, "sqlite_errorcode", 0) & 0xFF) in BROKEN:
        raise EngineFailure(f"the database failed: {text}") from error
    if TOO_LARGE.search(text):
        return Result(LIMIT, message=text)
    table = re.match(r"no such table: (?:main\.)?(.*)", text, re.DOTALL)
    if table is not None:
        return no_table(table[1])
    if text.startswith("user-defined function"):  # it was never called: its arguments could not be handed to it
        return Result(ERROR, message="a function was given a text that is not UTF-8")
    unsafe = re.match(r"unsafe use of (\w+)\(\)", text)
    if unsafe is not None:
        return Result(ERROR, message=f"a view here calls {unsafe[1]}(), which this query cannot: query its tables")
    if "binding" in text or "variable" in text:
        return Result(ERROR, message=PARAMETERS)
    return Result(ERROR, message=text.partition(" - should this")[0])
