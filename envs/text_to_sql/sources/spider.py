"""Spider's layout: tables.json, question files, and database/DB/DB.sqlite.

Splits: train_spider.json and train_others.json are train, dev.json is dev, and test.json is test, whose databases may
lie in test_database/ too. An item holds db_id, question and query; what else it holds, and tables.json, is not needed.
Its id is its file and its place there, counted from 0: "dev-17".

Source: https://github.com/taoyds/spider, Yu et al. 2018, arXiv 1809.08887.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from agentgym.data import Loaded, Progress
from agentgym.envs.text_to_sql.sources.checking import Item, Reading
from agentgym.errors import DataError

FILES: Final = {"train_spider": "train", "train_others": "train", "dev": "dev", "test": "test"}


def load(folder: Path, progress: Progress) -> Loaded:
    """Read a folder; see `agentgym.data.Loader`.

    Raises:
        DataError: it holds no file of questions.
    """
    reading = Reading(folder)
    there = [name for name in FILES if (folder / f"{name}.json").is_file()]
    if not there:
        raise DataError(f"{folder} holds none of {', '.join(f'{name}.json' for name in FILES)}: give Spider's folder")
    for name in there:
        file, split = f"{name}.json", FILES[name]
        bases = ("test_database", "database") if split == "test" else ("database",)
        for number, entry in enumerate(reading.json_list(file)):
            place = f"question {number}"
            found = reading.texts(file, place, entry, ("db_id", "question", "query"))
            if found is not None:
                paths = tuple(f"{base}/{found['db_id']}/{found['db_id']}.sqlite" for base in bases)
                queries = (found["query"],)
                reading.items.append(Item(split, f"{name}-{number}", file, place, paths, found["question"], queries))
    return reading.check("spider", progress)
