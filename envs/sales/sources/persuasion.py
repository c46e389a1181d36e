"""Recorded talks of PersuasionForGood (Wang et al. 2019, arXiv 1906.06725): one persuades the other to donate.

full_dialog.csv has a row a message: B2 the talk's id, Turn, B4 who speaks (0 the persuader, 1 the other), Unit the
text. donations.csv (or full_info.csv) has a row a person: B2, B4, B6 what was donated in US dollars. What became of a
talk is the other's donation. `recorded` gives rollouts for `TurnBatch.from_messages`.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from agentgym.data import Loaded, Problem, Progress, Source, file_hash
from agentgym.errors import DataError
from agentgym.task import Task

TALKS: Final = "full_dialog.csv"
DONATIONS: Final = ("donations.csv", "full_info.csv")
ROLES: Final[Mapping[str, str]] = {"0": "assistant", "1": "user"}
OTHER: Final = "1"


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder of recorded talks; see `agentgym.data.Loader`. Each is a task of the split "recorded".

    Raises:
        DataError: a file is missing, or lacks a column.
    """
    file = next((name for name in DONATIONS if (folder / name).is_file()), "")
    if not file or not (folder / TALKS).is_file():
        raise DataError(f"{folder} needs {TALKS} and one of {', '.join(DONATIONS)}")
    donated, problems = _donations(folder, file)
    talks: dict[str, list[dict[str, str]]] = {}
    bad: dict[str, str] = {}
    for line, row in _rows(folder, TALKS, ("B2", "B4", "Unit")):
        key, text = row["B2"], " ".join(row["Unit"].split())
        if row["B4"] not in ROLES:
            bad.setdefault(key, f"line {line} is of speaker {row['B4']!r:.20}, who is neither 0 nor 1")
        elif text:
            talks.setdefault(key, []).append({"role": ROLES[row["B4"]], "content": text})
    tasks: list[Task] = []
    for number, (key, messages) in enumerate(talks.items()):
        progress(number, len(talks))
        wrong = bad.get(key, "") or ("" if key in donated else f"{file} says nothing of what was donated")
        if not wrong and not any(message["role"] == "assistant" for message in messages):
            wrong = "the persuader says nothing in it"
        if wrong:
            problems.append(Problem(TALKS, f"talk {key}", wrong, "mend it, or leave the talk out"))
        else:
            tasks.append(Task(key, {"messages": messages, "donation": donated[key]}))
    progress(len(talks), len(talks))
    hashes = {name: file_hash(folder / name) for name in (TALKS, file)}
    return Loaded({"recorded": tuple(tasks)}, hashes, tuple(problems), len({*talks, *bad}))


def recorded(source: Source) -> list[dict[str, Any]]:
    """Return the talks as rollouts: messages, task, outcome (what was donated in US dollars), success (was anything).

    Args:
        source: what `agentgym.data.read("persuasionforgood", folder)` or `agentgym.data.get(name)` returned.
    """
    return [
        {
            "messages": [dict(message) for message in task.data["messages"]],
            "task": task.id,
            "outcome": task.data["donation"],
            "success": task.data["donation"] > 0,
        }
        for task in source.panel["recorded"]
    ]


def _donations(folder: Path, file: str) -> tuple[dict[str, float], list[Problem]]:
    """Return talk → what the other donated, and what is wrong in the file."""
    found: dict[str, float] = {}
    problems: list[Problem] = []
    for line, row in _rows(folder, file, ("B2", "B4", "B6")):
        if row["B4"] != OTHER:
            continue
        try:
            amount = float(row["B6"])
        except ValueError:
            amount = math.nan
        if math.isfinite(amount) and amount >= 0:
            found[row["B2"]] = amount
        else:
            problems.append(Problem(file, f"line {line}", f"B6 is {row['B6']!r:.20}, no sum of money", "give a number"))
    return found, problems


def _rows(folder: Path, file: str, columns: tuple[str, ...]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield (line number, row) of a table; cells that are missing are empty. Raises DataError: a column is missing."""
    with open(folder / file, encoding="utf-8", errors="replace", newline="") as lines:
        table = csv.DictReader(lines)
        missing = [name for name in columns if name not in (table.fieldnames or ())]
        if missing:
            raise DataError(f"{folder / file} has no column {', '.join(missing)}: it needs {', '.join(columns)}")
        for row in table:
            yield table.line_num, {name: row[name] or "" for name in columns}
