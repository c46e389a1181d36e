"""BIRD's layout: dev.json with dev_databases/DB/DB.sqlite, train.json with train_databases/DB/DB.sqlite.

Each pair may lie in the folder itself or in one folder below it (such as train/ and dev_20240627/). An item holds
db_id, question and SQL; evidence, difficulty and question_id where it has them. Its id is its split and its
question_id, or else its place in the file, counted from 0: "dev-17". Descriptions beside the databases are not read.

Source: https://bird-bench.github.io, Li et al. 2023, arXiv 2305.03111.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from agentgym.data import Loaded, Progress
from agentgym.envs.text_to_sql.sources.checking import Item, Reading
from agentgym.errors import DataError

SPLITS: Final = ("train", "dev")


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no file of questions.
    """
    reading = Reading(folder)
    there = list(_files(folder))
    if not there:
        raise DataError(f"{folder} holds neither train.json nor dev.json, nor does a folder in it: give BIRD's folder")
    for split, file in there:
        for number, entry in enumerate(reading.json_list(file)):
            item = _item(reading, split, file, number, entry)
            if item is not None:
                reading.items.append(item)
    return reading.check("bird", progress)


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each split and its file, a path below the folder."""
    places = [folder, *sorted(inner for inner in folder.iterdir() if inner.is_dir())]
    for split in SPLITS:
        file = next((place / f"{split}.json" for place in places if (place / f"{split}.json").is_file()), None)
        if file is not None:
            yield split, file.relative_to(folder).as_posix()


def _item(reading: Reading, split: str, file: str, number: int, entry: Any) -> Item | None:
    place = f"question {number}"
    found = reading.texts(file, place, entry, ("db_id", "question", "SQL"), ("evidence", "difficulty"))
    if found is None:
        return None
    own, database = entry.get("question_id", number), found["db_id"]
    if type(own) not in (int, str):
        reading.wrong(file, place, f"its 'question_id' is {own!r:.60}", "write a number there")
        return None
    path = (Path(file).parent / f"{split}_databases/{database}/{database}.sqlite").as_posix()
    return Item(
        split,
        f"{split}-{own}",
        file,
        place,
        (path,),
        found["question"],
        (found["SQL"],),
        evidence=found["evidence"],
        difficulty=found["difficulty"],
    )
