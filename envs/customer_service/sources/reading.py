"""A set under way: its tasks by split, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from agentgym.data import Loaded, Progress
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.sources.entries import Unplayable, check_entry, read_entry
from agentgym.envs.customer_service.sources.files import POLICIES, Files
from agentgym.envs.customer_service.sources.links import dangling
from agentgym.errors import DataError
from agentgym.task import Task

FIRST: Final = ("train", "dev", "test")
"""Splits that a task belongs to before any other that names it."""


class Reading:
    """A folder under way.

    Args:
        folder: of the set.
        task_files: domain → names of its files of tasks; the first that names an id counts.
        kind: of the set.
        beside: whether files of tasks are looked for beside the folder too.
    """

    def __init__(
        self, folder: Path, task_files: Mapping[str, tuple[str, ...]], kind: str, *, beside: bool = False
    ) -> None:
        self.files = Files(folder, kind)
        self._tasks: dict[str, list[Task]] = {}
        self._known: dict[str, tuple[str, int]] = {}  # task → where it stands first
        self._rows: dict[str, dict[str, list[Any]]] = {}
        for domain, names in task_files.items():
            paths = [path for name in names if (path := self.files.find(domain, name, beside=beside))]
            self._rows[domain] = {path: self._list(path) for path in paths}
        if not any(self._rows.values()):
            looked = ", ".join(f"{domain}/{name}" for domain, names in task_files.items() for name in names)
            raise DataError(f"{folder} holds no file of tasks; looked for {looked}")
        self.items = sum(len(rows) for paths in self._rows.values() for rows in paths.values())

    def load(self, progress: Progress) -> Loaded:
        """Check every task, and return what plays."""
        done, total = 0, self.items
        for domain, paths in self._rows.items():
            database = self._database(domain) if paths else None
            split_of = self._splits(domain) if paths else {}
            for path, rows in paths.items():
                for number, row in enumerate(rows):
                    task = None if database is None else self._task(domain, path, number, row, database)
                    if task is not None:
                        split = split_of.get(task.id.partition("/")[2], "test")
                        self._tasks.setdefault(split, []).append(task)
                    done += 1
                    progress(done, total)
        order = [*FIRST, *(split for split in self._tasks if split not in FIRST)]
        splits = {split: tuple(self._tasks[split]) for split in order if split in self._tasks}
        return Loaded(splits, self.files.used, tuple(self.files.problems), self.items)

    def _list(self, path: str) -> list[Any]:
        held = self.files.read(path)
        if type(held) is list:
            return held
        if held is not None:
            self.files.wrong(path, "", f"it holds a {type(held).__name__}, no list of tasks", "download it again")
        return []

    def _database(self, domain: str) -> Database | None:
        database = self.files.database(domain)
        if database is not None:
            path = self.files.database_files(domain)[0]
            for table, key, missing in dangling(domain, database):
                wrong = f"it names {missing}, which is not there"
                self.files.wrong(path, f"{table} {key!r}", wrong, "mend the record", plays=True)
        for name in POLICIES[domain]:
            found = self.files.find(domain, name)
            if found:
                self.files.use(found)
            else:
                self.files.wrong(f"{domain}/{name}", "", "it is missing", "put it there for the agent", plays=True)
        return database

    def _splits(self, domain: str) -> dict[str, str]:
        """Return task → split, as the domain's file says; a task that it does not name is in test."""
        path = self.files.find(domain, "split_tasks.json")
        held = self.files.read(path) if path else {}
        named = held if type(held) is dict else {}
        found: dict[str, str] = {}
        for split in [*FIRST, *(name for name in named if name not in FIRST)]:
            for task in named[split] if type(named.get(split)) is list else ():
                if type(task) is str:
                    found.setdefault(task, split)
        return found

    def _task(self, domain: str, path: str, number: int, row: Any, database: Database) -> Task | None:
        """Return a task, None and a problem where it cannot be played."""
        name = row.get("id") if type(row) is dict else None
        place = f"task {name!r:.60}" if type(name) is str else f"task number {number}"
        try:
            entry = read_entry(domain, row)
            task_id = f"{domain}/{entry.id}"
            first = self._known.setdefault(task_id, (path, number))
            if first[0] != path:
                self.items -= 1  # the same task in a larger file
                return None
            if first[1] != number:
                raise Unplayable(f"its id is that of task number {first[1]}")
            check_entry(entry, database, self.files.officials[domain])
        except Unplayable as error:
            self.files.wrong(path, place, str(error), "mend the task, or leave it out")
            return None
        for wrong in entry.wrong:
            self.files.wrong(path, place, wrong, "the end state is what it leaves", plays=True)
        return Task(task_id, entry.data)
