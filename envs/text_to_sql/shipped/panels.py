"""The shipped questions as tasks: which panels there are, and which task is in which split of each.

The questions stand in data/questions.json.gz, a list of entries; the databases in data/databases/NAME.sqlite. Both are
written by `python -m agentgym.envs.text_to_sql.shipped.make_panels`. An entry holds a task's data (ENTRIES) and

    id       database, family and number, such as "bookshop/in_language/1"
    split    train, dev or test, in every panel but `unseen`
    unseen   train, dev or test in the panel `unseen`, by database: those of test occur in no other split
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from agentgym.errors import unknown
from agentgym.task import Task

PANELS: Final = ("all", "easy", "medium", "hard", "unseen")
"""All questions; those of one difficulty; all, with whole databases held out."""
SPLITS: Final = ("train", "dev", "test")
ENTRIES: Final = (
    "database", "question", "evidence", "gold", "ordered", "difficulty", "category", "content", "gold_rows", "misses",
)  # fmt: skip
"""What a task's data holds. `gold` is a list of one query, `misses` wrong queries that come near it, `content` the
hash of what the database holds (Engine.content), `gold_rows` the hash of the gold's result (scorers.rows_hash)."""


def database_file(name: str) -> str:
    """Return the path of a shipped database."""
    return str(files("agentgym.envs.text_to_sql") / "data" / "databases" / f"{name}.sqlite")


@lru_cache(maxsize=1)
def entries() -> tuple[Mapping[str, Any], ...]:
    """Return the shipped questions."""
    packed = (files("agentgym.envs.text_to_sql") / "data" / "questions.json.gz").read_bytes()
    return tuple(json.loads(gzip.decompress(packed)))


def splits(panel: str) -> dict[str, tuple[Task, ...]]:
    """Return split → tasks of a panel, in the order of the file.

    Raises:
        ValueError: no such panel; the nearest name is offered.
    """
    if panel not in PANELS:
        raise ValueError(unknown("panel", panel, PANELS, "of text_to_sql"))
    place = "unseen" if panel == "unseen" else "split"
    found: dict[str, list[Task]] = {split: [] for split in SPLITS}
    for entry in entries():
        if panel in ("all", "unseen", entry["difficulty"]):
            found[entry[place]].append(Task(entry["id"], {key: entry[key] for key in ENTRIES}))
    return {split: tuple(tasks) for split, tasks in found.items()}
