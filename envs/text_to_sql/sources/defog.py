"""Defog's layout: questions_gen_sqlite.csv, instruct_basic_sqlite.csv, instruct_advanced_sqlite.csv, and databases.

An item holds db_name, query_category, query and question; instructions where it has them. `query` may hold several
accepted queries with semicolons between them, and columns in braces of which any choice is accepted: «{a, b}» stands
for a, for b, and for both, also where the query goes on with GROUP BY {}. A database is DB.sqlite or DB.db, in the
folder or in sqlite_dbs/. All items are the split test: the set was made to evaluate. An id is the file and the place in
it, counted from 0: "questions_gen-17". Golds that ask for the present time are meant for engines whose clock stands at
2025-01-30 12:00:00, as it does by default.

Source: https://github.com/defog-ai/sql-eval.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Final

from agentgym.data import Loaded, Progress
from agentgym.envs.text_to_sql.sources.checking import Item, Reading
from agentgym.errors import DataError

FILES: Final = ("questions_gen", "instruct_basic", "instruct_advanced")
NEEDED: Final = ("db_name", "query", "question", "query_category")
MOST_COLUMNS: Final = 7
"""Columns in braces; n of them stand for 2ⁿ - 1 queries, all of which are run."""

_PIECE: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|;|[^'\";]+|['\"]")
_ASKS_FOR_ORDER: Final = re.compile(r"\b(?:order(?:ed)?|sort(?:ed)?|arranged?)\b", re.IGNORECASE)


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no file of questions.
    """
    reading = Reading(folder)
    there = [name for name in FILES if (folder / f"{name}_sqlite.csv").is_file()]
    if not there:
        raise DataError(
            f"{folder} holds none of {', '.join(f'{name}_sqlite.csv' for name in FILES)}: give Defog's folder"
        )
    for name in there:
        for number, row in enumerate(_rows(reading, f"{name}_sqlite.csv")):
            item = _item(reading, name, number, row)
            if item is not None:
                reading.items.append(item)
    return reading.check("defog", progress)


def _rows(reading: Reading, file: str) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a CSV file as far as it can be read; a problem where that is not to its end."""
    done = 0
    try:
        with open(reading.folder / file, encoding="utf-8", newline="") as lines:
            table = csv.DictReader(lines)  # as lenient with quotes in texts as the set needs it
            if not reading.has_columns(file, table.fieldnames or (), NEEDED):
                return
            for row in table:
                done += 1
                reading.read += 1
                yield row
    except (OSError, ValueError, csv.Error) as error:
        reading.wrong(file, f"row {done}", f"it cannot be read, nor what follows it ({error})", "mend it")


def _item(reading: Reading, name: str, number: int, row: Mapping[str, Any]) -> Item | None:
    file, place = f"{name}_sqlite.csv", f"row {number}"
    if None in row or None in row.values():
        more = "more" if None in row else "fewer"
        reading.wrong(file, place, f"it has {more} fields than the header", "put texts with commas into quotes")
        return None
    found = reading.texts(file, place, row, NEEDED, ("instructions",))
    if found is None:
        return None
    accepted = statements(found["query"])
    if any(len(_braces(query)[1]) > MOST_COLUMNS for query in accepted):
        reading.wrong(file, place, f"more than {MOST_COLUMNS} columns stand in braces", "put fewer there")
        return None
    base, category = found["db_name"], found["query_category"]
    return Item(
        "test",
        f"{name}-{number}",
        file,
        place,
        (f"{base}.sqlite", f"{base}.db", f"sqlite_dbs/{base}.sqlite", f"sqlite_dbs/{base}.db"),
        found["question"],
        tuple(chain.from_iterable(map(choices, accepted))),
        evidence=found["instructions"],
        category=category,
        by_order=category == "order_by" or _ASKS_FOR_ORDER.search(found["question"]) is not None,
    )


def statements(text: str) -> list[str]:
    """Return what stands between semicolons that are in no quotes, without blanks around it; blank ones left out."""
    out = [""]
    for piece in _PIECE.findall(text):
        if piece == ";":
            out.append("")
        else:
            out[-1] += piece
    return [query.strip() for query in out if query.strip()]


def choices(query: str) -> list[str]:
    """Return the queries that one with columns in braces stands for: every choice of at least one, in their order.

    Only the first braces count; in what follows them, GROUP BY {} names the same columns.
    """
    before, columns, after = _braces(query)
    if not columns:
        return [query]
    some = chain.from_iterable(combinations(columns, count) for count in range(1, len(columns) + 1))
    named = [", ".join(chosen) for chosen in some]
    return [before + columns + after.replace("GROUP BY {}", f"GROUP BY {columns}") for columns in named]


def _braces(query: str) -> tuple[str, list[str], str]:
    """Return what stands before, in and behind the first braces; (query, [], "") where there are none."""
    before, _, rest = query.partition("{")
    inside, closing, after = rest.partition("}")
    return (before, [column.strip() for column in inside.split(",")], after) if closing else (query, [], "")
