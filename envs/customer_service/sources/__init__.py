"""Readers of public data sets: tau2-bench, tau2-bench-verified and tau-bench.

`load_source` finds a set that was added by `agentgym data add`, or reads a folder on the spot; `open_database` and
`policy` give what its tasks are played with. What a task's data holds is said in `entries`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import Final

from agentgym import data as store
from agentgym.data import Source
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.sources.files import POLICIES, Files
from agentgym.errors import DataError
from agentgym.task import Task

KINDS: Final = ("tau-bench", "tau2")
"""The sets of this world, by their names in `agentgym.data.SETS`."""


def load_source(name: str = "", folder: str | os.PathLike[str] = "") -> Source:
    """Return a public data set; a process reads each once.

    Args:
        name: what it was added as (`agentgym data add`).
        folder: or the folder of its files, which is read and checked on the spot.

    Raises:
        ValueError: none of the two is given, or both; a data set of another world.
        DataError: there is no such set, or nothing in it plays.
    """
    return store.find(name, folder, KINDS, "customer service", kind_of)


def kind_of(folder: Path) -> str:
    """Return which set's layout a folder has: tau2's where there are its files of tasks, else tau-bench's."""
    tasks = any(any(folder.glob(f"{inner}*/tasks*.json")) for inner in ("", "data/tau2/domains/"))
    return "tau2" if tasks else "tau-bench"


def open_database(source: Source, task: Task) -> Database:
    """Return the database that a task was checked with; the same base for all tasks of a domain.

    Raises:
        DataError: one of its files is missing, or no longer what it was when it was checked.
    """
    domain = task.data["domain"]
    database = _open(source.folder, source.kind, domain, _checked(source, domain, task.id))
    if database.digest != task.data["content"]:
        raise DataError(f"{source.folder}: the database of {domain} is not the one that {task.id} was checked with")
    return database


def _checked(source: Source, domain: str, item: str) -> tuple[str, ...]:
    """Return the hashes of a domain's database files, which `Source.file` has compared."""
    paths = Files(source.folder).database_files(domain)
    if not paths:
        raise DataError(f"{source.folder}: the database of {domain}, needed by {item}, is gone: put it back")
    for path in paths:
        source.file(path, item)
    return tuple(source.files[path] for path in paths)


@lru_cache(maxsize=8)
def _open(folder: Path, kind: str, domain: str, hashes: tuple[str, ...]) -> Database:
    files = Files(folder, kind)
    database = files.database(domain)
    if database is None:
        raise DataError(f"{folder}: {files.problems[-1]}")
    return database


def policy(source: Source, domain: str) -> str:
    """Return what the agent of a domain must keep to, Markdown; "" where the set has none.

    Raises:
        DataError: its file is no longer what it was when it was checked.
    """
    files, parts = Files(source.folder), []
    for name in POLICIES[domain]:
        path = files.find(domain, name)
        if path in source.files:
            parts.append(source.file(path, f"the policy of {domain}").read_text("utf-8").strip())
    return "\n\n".join(parts) + "\n" if parts else ""
