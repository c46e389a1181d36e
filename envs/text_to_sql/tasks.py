"""Tasks and panels: which questions there are, in which splits, and the question of a task.

A task's data:

    database    name of a shipped database, or a path (an address for PostgreSQL)
    question    what is asked
    gold        the right query, or a list of accepted ones
    evidence    what a reader must know besides the schema; ""
    ordered     whether the order of rows is part of the answer; false
    difficulty  easy, medium or hard; ""
    category    of a Defog question; ""
    content     hash of the database's content that the task was made for; unchecked where absent
    gold_rows   hash of the golds' results (`scorers.Gold.hash`); unchecked where absent
    misses      queries near the golds, for the menu; made when first needed where absent

All but the first three may be left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from agentgym.data import Source
from agentgym.digest import state_hash
from agentgym.envs.text_to_sql.engine import KINDS, Engine, check_settings, open_engine
from agentgym.envs.text_to_sql.scorers import SCORERS
from agentgym.envs.text_to_sql.shipped.panels import database_file, splits
from agentgym.envs.text_to_sql.state import Question, Rules, SqlState
from agentgym.errors import unknown
from agentgym.task import Task, TaskPanel, as_panel
from agentgym.turn import Opening

_TEXTS: Final = ("evidence", "difficulty", "category", "content", "gold_rows")
_KEYS: Final = ("database", "question", "gold", "ordered", "misses", *_TEXTS)


class SqlPanel(TaskPanel):
    """A panel whose hash takes in how queries run: under another budget, answers may be right that are not here."""

    def __init__(self, name: str, splits: Mapping[str, Iterable[Task]], rules: Rules) -> None:
        super().__init__(name, {split: tuple(tasks) for split, tasks in splits.items()})
        self.rules = rules
        self.openings: dict[tuple[str, int], Opening[SqlState]] = {}  # kept by the world, for all who play this panel

    def __reduce__(self) -> tuple[Any, ...]:
        return SqlPanel, (self.name, {split: self[split] for split in self}, self.rules)

    @cached_property
    def hash(self) -> str:
        """Return the 128-bit hash of name, splits, ids, data and rules, 32 hex digits.

        Where a task names the content of its database, that counts in place of the path, which differs by machine.
        """
        tasks = {split: [(task.id, _pinned(task.data)) for task in self[split]] for split in self}
        rules = self.rules
        return state_hash((self.name, tasks, (rules.scorer, rules.engine, rules.clock, rules.budget, rules.max_rows)))


def _pinned(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != "database" or not data.get("content")}


@lru_cache(maxsize=16)
def panel(name: str, rules: Rules) -> SqlPanel:
    """Return a shipped panel; the same object every time.

    Raises:
        ValueError: no such panel; the nearest name is offered.
    """
    return SqlPanel(name, {split: found for split, found in splits(name).items() if found}, rules)


def ruled(tasks: TaskPanel | Sequence[Task], rules: Rules) -> SqlPanel:
    """Return tasks of one's own, or of a source, as a panel under these rules; a bare sequence is the split "train"."""
    given = as_panel(tasks, "TextToSQLEnv")
    return SqlPanel(given.name, given, rules)


def checked_rules(scorer: str, engine: str, clock: str, budget: int, max_rows: int) -> Rules:
    """Return the rules of these arguments.

    Raises:
        ValueError: an unknown scorer or engine, a clock that is no time, a number that is no integer above 0.
    """
    if scorer not in SCORERS:
        raise ValueError(unknown("scorer", scorer, SCORERS))
    if engine not in tuple(KINDS):  # a look at a dict would need a hash
        raise ValueError(unknown("engine", engine, KINDS))
    check_settings(clock, budget, max_rows)
    return Rules(scorer, engine, clock, budget, max_rows)


def random_success() -> Mapping[str, float]:
    """Return by panel how often uniform random choice from the menu solves it (`measure_random`)."""
    found = json.loads((files(__package__) / "data" / "random.json").read_text("utf-8"))
    return {name: measured["success"] for name, measured in found.items()}


def question_of(task: Task, rules: Rules, source: Source | None = None) -> Question:
    """Return the question of a task; the path of its database is that below the folder of `source`, if there is one.

    Raises:
        ValueError: an entry that is missing or wrong, a database that is missing, broken or another one than the task
            was made for; the message names the task.
    """
    data, where = _checked(task), f"task {task.id!r}"
    path, name = place(data["database"], source, where)
    try:
        engine = engine_of(path, rules)
        content, tables, dialect = engine.content, engine.tables(), engine.dialect
        name = engine.name if rules.engine == "postgres" else name  # its address is not a name, and may hold a password
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    if data.get("content", "") not in ("", content):
        raise ValueError(
            f"{where}: the database {path} holds other content ({content}) than the task was made for "
            f"({data['content']}): restore the file, or leave out data['content']"
        )
    golds = data["gold"]
    return Question(
        task=task.id,
        text=data["question"],
        evidence=data.get("evidence", ""),
        database=name,
        path=path,
        content=content,
        dialect=dialect,
        tables=tables,
        golds=(golds,) if isinstance(golds, str) else tuple(golds),
        ordered=data.get("ordered", False),
        category=data.get("category", ""),
        gold_rows=data.get("gold_rows", ""),
        misses=tuple(data.get("misses", ())),
        rules=rules,
    )


def place(database: str, source: Source | None = None, needed: str = "") -> tuple[str, str]:
    """Return the path and the name of a database: of `source` by its path there, of a shipped one by its name.

    Raises:
        DataError: the source's file is missing or has changed; the message says what it is `needed` for.
    """
    name = Path(database.partition("?")[0]).stem
    if source is not None:
        return str(source.file(database, needed)), name
    if "/" not in database and "\\" not in database and "." not in database:
        shipped = database_file(database)
        if os.path.isfile(shipped):
            return shipped, name
    return database, name


def contents_hash(panel: TaskPanel, rules: Rules, source: Source | None) -> str:
    """Return the hash of what all databases of a panel hold; of one that cannot be opened nothing is known.

    A database whose tasks say what it holds is not opened: that is checked before such a task is played.
    """
    found: dict[str, str] = {}
    for split in panel:
        for task in panel[split]:
            database = str(task.data.get("database", ""))
            found[database] = found.get(database) or str(task.data.get("content", ""))
    for database, content in found.items():
        if not content:
            try:
                found[database] = engine_of(place(database, source)[0], rules).content
            except ValueError:
                found[database] = ""
    return state_hash(sorted(found.values()))


def engine_of(path: str, rules: Rules) -> Engine:
    """Return the engine that predictions run on, one kept for each database and rules."""
    return open_engine(path, kind=rules.engine, clock=rules.clock, budget=rules.budget, max_rows=rules.max_rows)


def own_engine(path: str, rules: Rules) -> Engine:
    """Return a new engine, for golds, which share no connection with predictions; close it."""
    kept = engine_of(path, rules)
    return type(kept)(kept.path, clock=kept.clock, budget=kept.budget, max_rows=kept.max_rows)


def _checked(task: Task) -> Mapping[str, Any]:
    """Return a task's data, having checked every entry."""
    data, where = task.data, f"task {task.id!r}"
    for key in data:
        if key not in _KEYS:
            raise ValueError(f"{where}: " + unknown("entry", key, _KEYS, "of a task's data"))
    for key in ("database", "question"):
        if not isinstance(data.get(key), str) or not data[key].strip():
            raise ValueError(f"{where}: data[{key!r}] must be a text that says something, not {data.get(key)!r:.60}")
    if not _queries(data.get("gold")):
        raise ValueError(f"{where}: data['gold'] must be a query or a list of them, not {data.get('gold')!r:.60}")
    for key in _TEXTS:
        if not isinstance(data.get(key, ""), str):
            raise ValueError(f"{where}: data[{key!r}] must be a text, not {data[key]!r:.60}")
    if not isinstance(data.get("ordered", False), bool):
        raise ValueError(f"{where}: data['ordered'] must be true or false, not {data['ordered']!r:.60}")
    misses = data.get("misses", ())
    if not isinstance(misses, list | tuple) or (misses and not _queries(misses)):
        raise ValueError(f"{where}: data['misses'] must be a list of queries, not {data['misses']!r:.60}")
    return data


def _queries(value: Any) -> bool:
    """Return whether a value is a query, or a list of some."""
    found = value if isinstance(value, list | tuple) else [value]
    return len(found) > 0 and all(isinstance(query, str) and query.strip() for query in found)
