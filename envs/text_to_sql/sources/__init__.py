"""Readers of public data sets, one layout a module: Spider, BIRD and Defog.

`load_source` finds a set that was added by `agentgym data add`, or reads a folder on the spot.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agentgym import data as store
from agentgym.data import Source
from agentgym.errors import DataError


@dataclass(frozen=True, slots=True)
class Usage:
    """How a set is played: `scorer`, the one its results are published with; `budget`, VM steps that its golds need."""

    scorer: str
    budget: int


USAGE: Final[Mapping[str, Usage]] = {
    "bird": Usage("bird", 200_000_000),  # its databases are large, and golds scan them without an index
    "defog": Usage("defog", 2_000_000),
    "spider": Usage("spider", 20_000_000),
}
"""By the kind of a set, which is the name of its panel too."""


def load_source(name: str = "", folder: str | os.PathLike[str] = "") -> Source:
    """Return a public data set; a process reads each once.

    The task of a question holds {"database": path below the source's folder (`Source.file` gives the full one,
    checked), "content", "question", "evidence", "difficulty", "gold", "ordered", "category", "gold_rows"}.

    Args:
        name: what it was added as (`agentgym data add`).
        folder: or the folder of its files, which is read and checked on the spot; the layout tells which set it is.

    Raises:
        ValueError: none of the two is given, or both; a data set of another world.
        DataError: there is no such set, or nothing in it plays.
    """
    return store.find(name, folder, USAGE, "questions over databases", kind_of)


def kind_of(folder: Path) -> str:
    """Return which set's layout a folder has. Raises DataError: none, or there is no such folder."""
    if not folder.is_dir():
        raise DataError(f"{folder} is no folder: give the one that holds the files of a set")
    if (folder / "tables.json").is_file():
        return "spider"
    if any(folder.glob("*_databases")) or any(folder.glob("*/*_databases")):
        return "bird"
    if any(folder.glob("*_sqlite.csv")):
        return "defog"
    raise DataError(
        f"{folder} has the layout of none of {', '.join(USAGE)}: Spider has tables.json and database/, "
        "BIRD dev.json and dev_databases/, Defog questions_gen_sqlite.csv and databases"
    )
