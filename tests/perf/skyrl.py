"""Stand-in for SkyRL-gym's environment for SQL: a new connection and a new thread for every query, a table as text.

Written from what that program does (version 0.4.0), not from its code: the action's tags are looked for, a thread opens
the file, begins a transaction, fetches the rows as a set and rolls back, while the step waits for it with a timeout;
the rows become a table of fixed width, the first 50 of them where it is longer than 9,000 characters.

There the table is one of pandas', which takes most of the time. Where pandas is installed, so it is here. Else `drawn`
writes the same text in plain Python, for whole numbers, for fractions of ordinary size, for texts and for columns of
these with nothing in some rows; it is several times faster, so the ratios understate.
"""

from __future__ import annotations

import os
import re
import sqlite3
import threading
from collections.abc import Sequence
from typing import Any

try:
    import pandas
except ImportError:
    pandas = None

TIMEOUT = 5.0
LONGEST = 9_000
FIRST = 50
DIGITS = 6
_SQL = re.compile(r"<sql>(.*?)</sql>", re.DOTALL)


class SkyRL:
    """One episode: queries in <sql> tags, until one in <solution> tags or the last turn ends it."""

    def __init__(self, folder: str, database: str, turns: int) -> None:
        self.folder, self.database = folder, database
        self.left = turns
        self.history: list[dict[str, str]] = []
        self.tools = {"sql": self.answer}

    def step(self, action: str) -> dict[str, Any]:
        """Take one turn and return new messages, reward, whether it is over, and which tool was called with what."""
        self.left -= 1
        for tag in ("</sql>", "</solution>"):
            if tag in action and action.split(tag)[1]:
                raise AssertionError(f"{tag} must end the text")
        self.history.append({"role": "assistant", "content": action})
        if self.left <= 0 or ("<solution>" in action and "</solution>" in action):
            return {"observations": [], "reward": 0.0, "done": True, "metadata": {}}
        found = _SQL.search(action)
        query = None if found is None else found[1]
        said = "no query was found" if query is None else self.tools["sql"](query)
        left = f"<reminder>You have {self.left} turns left.</reminder>"
        message = {"role": "user", "content": f"\n\n<observation>{said}\n{left}</observation>\n\n"}
        self.history.append(message)
        called = {"tool": "sql", "tool_input": (self.database, query, self.left)}
        return {"observations": [message], "reward": 0.0, "done": False, "metadata": called}

    def answer(self, query: str) -> str:
        """Return what a query comes to, as text."""
        rows = self._rows(query)
        if isinstance(rows, str):
            return rows
        listed = list(rows)
        text = table(listed)
        if len(text) > LONGEST:
            return f"Truncated to {FIRST} lines since it is too long: {table(listed[:FIRST])}"
        return text

    def _rows(self, query: str) -> frozenset[tuple[Any, ...]] | str:
        path = os.path.join(self.folder, self.database)
        done = threading.Event()
        made: list[frozenset[tuple[Any, ...]] | str] = []
        opened: list[sqlite3.Connection] = []

        def work() -> None:
            connection = sqlite3.connect(path, check_same_thread=False)
            opened.append(connection)
            try:
                cursor = connection.cursor()
                connection.execute("BEGIN TRANSACTION;")
                cursor.execute(query)
                rows = frozenset(cursor.fetchall())
                connection.rollback()
                made.append(rows)
            except sqlite3.Error as error:
                made.append(f"Error: {error}")
            finally:
                connection.rollback()
                connection.close()
                done.set()

        threading.Thread(target=work, daemon=True).start()
        if not done.wait(TIMEOUT):
            opened[0].interrupt()
            done.wait()
            return f"Timeout: {query}"
        return made[0]


def table(rows: Sequence[tuple[Any, ...]]) -> str:
    """Return rows of equal length as text, by pandas where it is installed."""
    return drawn(rows) if pandas is None else pandas.DataFrame(rows).to_string(index=False)


def drawn(rows: Sequence[tuple[Any, ...]]) -> str:
    """Return rows of equal length as text, each column as wide as its longest value, right-justified."""
    columns = [_column(str(place), values) for place, values in enumerate(zip(*rows, strict=True))]
    widths = [max(map(len, column)) for column in columns]
    lines = zip(*columns, strict=True)
    return "\n".join(
        [" ".join([cell.rjust(width) for cell, width in zip(line, widths, strict=True)]) for line in lines]
    )


def _column(name: str, values: Sequence[Any]) -> list[str]:
    """Return the cells of a column below its name: as whole numbers, as fractions of equal length, or as texts."""
    kinds = {type(value) for value in values}
    if kinds == {int}:
        return [f" {name}", *[str(value) for value in values]]
    if kinds <= {int, float, type(None)} and kinds != {type(None)}:
        texts = [f"{value:.{DIGITS}f}" for value in values if value is not None]
        spare = min(len(text) - len(text.rstrip("0")) for text in texts)
        shown = max(DIGITS - spare, 1)
        return [f" {name}", *["NaN" if value is None else f"{value:.{shown}f}" for value in values]]
    gap = "None" if kinds == {type(None)} else "NaN"
    return [name, *[gap if value is None else str(value) for value in values]]
