"""What all readers share: items, read from files in any state, become tasks, and what is wrong with them problems."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os.path import isfile  # False where a name is too long for the file system; Path.is_file raises
from pathlib import Path
from typing import Any, Final

import sqlglot

from agentgym.data import Loaded, Problem, Progress
from agentgym.envs.text_to_sql.engine import DatabaseError, Engine, EngineFailure, open_engine
from agentgym.envs.text_to_sql.result import ERROR, Result
from agentgym.envs.text_to_sql.scorers import Gold
from agentgym.envs.text_to_sql.sources import USAGE
from agentgym.errors import unknown
from agentgym.task import Task

NAME: Final = re.compile(r"\w[\w .-]{0,127}")
"""Names of databases, from which paths are made."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question as a file of the set has it.

    Attributes:
        split: of its task.
        id: of its task.
        file: where it stands, below the folder.
        place: where in the file, such as "question 12".
        databases: where its database may lie, below the folder; the first that is there counts.
        question: what is asked.
        queries: the accepted queries.
        evidence, difficulty, category: "" where the set has none.
        by_order: whether the order of rows is part of the answer, if the first query orders them.
    """

    split: str
    id: str
    file: str
    place: str
    databases: tuple[str, ...]
    question: str
    queries: tuple[str, ...]
    evidence: str = ""
    difficulty: str = ""
    category: str = ""
    by_order: bool = True

    def problem(self, wrong: str, remedy: str, plays: bool = False) -> Problem:
        """Return what is wrong with it."""
        return Problem(self.file, self.place, wrong, remedy, plays)


class Reading:
    """A folder under way: its items, what is wrong with others, and how many there are in all.

    Args:
        folder: of the set.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.items: list[Item] = []
        self.problems: list[Problem] = []
        self.read = 0

    def wrong(self, file: str, place: str, wrong: str, remedy: str) -> None:
        """Note what keeps an item, or a file, from being played."""
        self.problems.append(Problem(file, place, wrong, remedy))

    def json_list(self, file: str) -> list[Any]:
        """Return the items of a JSON file; [] and a problem where it holds no list."""
        again = "download it again"
        try:
            held = json.loads((self.folder / file).read_text("utf-8"))
        except OSError as error:
            self.wrong(file, "", f"it cannot be read ({error.strerror})", "put it there")
        except json.JSONDecodeError as error:
            self.wrong(file, f"line {error.lineno}, column {error.colno}", f"this is no JSON ({error.msg})", again)
        except (ValueError, RecursionError) as error:  # bytes that are no UTF-8, or a file that nests without end
            self.wrong(file, "", f"it is no JSON ({error})", again)
        else:
            if isinstance(held, list):
                self.read += len(held)
                return held
            self.wrong(file, "", f"it holds a JSON {type(held).__name__}, no list of questions", again)
        return []

    def has_columns(self, file: str, columns: Sequence[str], needed: Iterable[str]) -> bool:
        """Return whether a table of items has the columns it needs; a problem for each that it lacks."""
        missing = [name for name in needed if name not in columns]
        for name in missing:
            self.wrong(file, "header", unknown("column", name, columns), f"name the column {name!r}")
        return not missing

    def texts(
        self, file: str, place: str, entry: Any, needed: Sequence[str], optional: Sequence[str] = ()
    ) -> Mapping[str, str] | None:
        """Return these texts of an item, "" for an optional one that is absent; None and a problem where one is wrong.

        The first one needed is the name of its database.
        """
        if not isinstance(entry, Mapping):
            self.wrong(file, place, f"it is {entry!r:.60}, no object", "make it one, or leave it out")
            return None
        missing = [key for key in needed if key not in entry]
        if missing:
            has = ", ".join(map(repr, entry)) or "nothing"
            self.wrong(file, place, f"it has no {missing[0]!r}, but {has}", "name its entries as the others do")
            return None
        found = {key: entry[key] for key in needed} | {key: entry.get(key) or "" for key in optional}
        for key, value in found.items():
            if not isinstance(value, str):
                self.wrong(file, place, f"its {key!r} is {value!r:.60}, no text", "write a text there")
                return None
        if not NAME.fullmatch(found[needed[0]]):
            self.wrong(file, place, f"{found[needed[0]]!r:.60} is no name of a database", "name one of the set's")
            return None
        return found

    def check(self, kind: str, progress: Progress) -> Loaded:
        """Open the databases, run the accepted queries, and return the tasks of the items that play."""
        databases = _Databases(self.folder, USAGE[kind].budget)
        try:
            splits = self._tasks(databases, progress)
        finally:
            databases.close()
        tasks = {split: tuple(tasks) for split, tasks in splits.items()}
        files = {task.data["database"]: task.data["content"] for split in tasks.values() for task in split}
        return Loaded(tasks, files, tuple(self.problems), self.read)

    def _tasks(self, databases: _Databases, progress: Progress) -> dict[str, list[Task]]:
        splits: dict[str, list[Task]] = {item.split: [] for item in self.items}
        given: dict[str, Item] = {}
        unread = self.read - len(self.items)
        for number, item in enumerate(self.items):
            first = given.setdefault(item.id, item)
            if first is not item:
                wrong = f"its id {item.id!r} is that of {first.file}, {first.place}"
                self.problems.append(item.problem(wrong, "give it an id of its own"))
            else:
                task, found = _task(item, databases)
                splits[item.split] += [] if task is None else [task]
                self.problems += found
            progress(unread + number + 1, self.read)
        return splits


def _task(item: Item, databases: _Databases) -> tuple[Task | None, list[Problem]]:
    """Return the task of an item, None where it cannot be played, and what is wrong with it."""
    for what, text in (("question", item.question), ("gold query", "".join(item.queries))):
        if not text.strip():
            return None, [item.problem(f"it holds no {what}", "write one, or leave the item out")]
    database = next((path for path in item.databases if isfile(databases.folder / path)), item.databases[0])
    engine = databases.open(database)
    if isinstance(engine, str):
        return None, [item.problem(f"its database {database} {engine}", "unpack it there again")]
    found: list[Problem] = []
    ran = [(query, _run(query, engine)) for query in item.queries]
    right = {query: result for query, result in ran if result.ok}
    several = "" if len(ran) == 1 else ", one of several accepted queries,"
    for _, result in ran:
        if not result.ok:
            wrong = f"its gold{several} does not run ({result.kind}: {result.message})"
            found.append(item.problem(wrong, "mend the query, or leave the item out", plays=bool(right)))
    if not right:
        return None, found
    if not any(result.rows for result in right.values()):
        wrong = "its gold returns no rows, so any query without rows may be right"
        found.append(item.problem(wrong, "leave it out if that is not wanted", plays=True))
    ordered = item.by_order and orders(next(iter(right)), engine.dialect)
    gold = Gold(tuple(right), tuple(right.values()), ordered)
    return Task(item.id, _data(item, database, engine, gold)), found


def _data(item: Item, database: str, engine: Engine, gold: Gold) -> dict[str, Any]:
    return {
        "database": database,
        "content": engine.content,
        "question": item.question,
        "evidence": item.evidence,
        "difficulty": item.difficulty,
        "category": item.category,
        "gold": list(gold.queries),
        "ordered": gold.ordered,
        "gold_rows": "" if gold.ordered else gold.hash,  # rows that tie may come in another order elsewhere
    }


def _run(query: str, engine: Engine) -> Result:
    try:
        return engine.run(query)
    except (DatabaseError, EngineFailure) as error:
        return Result(ERROR, message=str(error))


def orders(query: str, dialect: str) -> bool:
    """Return whether a query orders its own rows, not just those of a part."""
    try:
        return sqlglot.parse_one(query, read=dialect).args.get("order") is not None
    except (sqlglot.errors.SqlglotError, RecursionError):
        return False


class _Databases:
    """The databases of a folder, each opened once."""

    def __init__(self, folder: Path, budget: int) -> None:
        self.folder, self._budget = folder, budget
        self._opened: dict[str, Engine | str] = {}

    def close(self) -> None:
        for engine in self._opened.values():
            if not isinstance(engine, str):
                engine.close()

    def open(self, path: str) -> Engine | str:
        """Return a database, or what is wrong with it."""
        if path not in self._opened:
            self._opened[path] = self._open(path)
        return self._opened[path]

    def _open(self, path: str) -> Engine | str:
        if not isfile(self.folder / path):
            return "is missing"
        try:
            engine = open_engine(self.folder / path, budget=self._budget)
            engine.tables()  # a damaged file shows here
            return engine
        except (DatabaseError, EngineFailure) as error:
            return f"cannot be read ({error})"
