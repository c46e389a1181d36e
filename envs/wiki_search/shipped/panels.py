"""The shipped questions as tasks: which panels there are, and which task is in which split of each.

The questions stand in data/questions.json.gz, a list of entries. An entry holds a task's data, as `sources` says, and

    id       of the task
    split    train, dev or test, in every panel
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

from agentgym.errors import DataError, unknown
from agentgym.task import Task

PANELS: Final = ("all", "bridge", "comparison", "composition", "single")
"""All questions, and those of one type."""
SPLITS: Final = ("train", "dev", "test")
QUESTIONS: Final = "questions.json.gz"
ARTICLES: Final = "articles.jsonl.gz"
_PLACE: Final = ("id", "split")


def data_file(name: str) -> Any:
    """Return a shipped file. Raises DataError: it is not there."""
    file = files("agentgym.envs.wiki_search") / "data" / name
    if not file.is_file():
        raise DataError(f"the shipped file {file} is missing: install agentgym anew, or give tasks= and corpus=")
    return file


@lru_cache(maxsize=1)
def entries() -> tuple[Mapping[str, Any], ...]:
    """Return the shipped questions. Raises DataError: they are not there."""
    return tuple(json.loads(gzip.decompress(data_file(QUESTIONS).read_bytes())))


def splits(panel: str) -> dict[str, tuple[Task, ...]]:
    """Return split → tasks of a panel, in the order of the file; splits without a task are left out.

    Raises:
        ValueError: no such panel; the nearest name is offered.
        DataError: the shipped questions are not there.
    """
    if panel not in PANELS:
        raise ValueError(unknown("panel", panel, PANELS, "of wiki_search"))
    found: dict[str, list[Task]] = {split: [] for split in SPLITS}
    for entry in entries():
        if panel in ("all", entry["type"]):
            data = {key: value for key, value in entry.items() if key not in _PLACE}
            found[entry["split"]].append(Task(entry["id"], data))
    return {split: tuple(tasks) for split, tasks in found.items() if tasks}
