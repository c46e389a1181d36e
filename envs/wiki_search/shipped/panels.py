"""The shipped questions as tasks: which panels there are, and which task is in which split of each.

The questions stand in data/questions.json.gz, a list of entries, written by `python -m
agentgym.envs.wiki_search.shipped.make_panels`. An entry holds a task's data (ENTRIES), as `sources` says, and

    id       family and number, such as "calling_code/1"
    family   of `questions.FAMILIES`
    said     slot of the family's wording → what stands in its place
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

PANELS: Final = ("all", "single", "bridge", "comparison", "composition", "hard")
"""All questions; those of one type; those over several pages none of which the question names."""
SPLITS: Final = ("train", "dev", "test")
QUESTIONS: Final = "questions.json.gz"
ARTICLES: Final = "articles.jsonl.gz"
ENTRIES: Final = ("question", "answers", "gold", "hops", "type", "level")
"""What a task's data holds."""


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
        if panel in ("all", entry["type"], entry["level"]):
            found[entry["split"]].append(Task(entry["id"], {key: entry[key] for key in ENTRIES}))
    return {split: tuple(tasks) for split, tasks in found.items() if tasks}
