"""Task and TaskPanel: which tasks exist, in which split, pinned by a content hash. Quality: what is said of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from agentgym.digest import state_hash
from agentgym.errors import unknown


@dataclass(frozen=True, slots=True)
class Task:
    """One task: an id, unique in its panel, and the plain data that the world's `initial` reads; a copy is kept."""

    id: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse ids that are not text; keep a copy of the data, so that no caller's change reaches the panel."""
        if type(self.id) is not str or not self.id:
            raise TypeError(f"a task id must be a non-empty str, not {self.id!r}")
        if not isinstance(self.data, Mapping):
            raise TypeError(f"the data of task {self.id!r} must be a mapping of names to values, not {self.data!r:.60}")
        try:
            kept = {key: _copied(value) for key, value in self.data.items()}
        except RecursionError:
            raise ValueError(f"the data of task {self.id!r} nests too deep, or contains itself") from None
        object.__setattr__(self, "data", kept)


def _copied(value: Any) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is list:
        return [_copied(item) for item in value]
    if kind is dict:
        return {key: _copied(item) for key, item in value.items()}
    return deepcopy(value)


_PLAIN = frozenset({str, int, float, bool, type(None), bytes})


@dataclass(frozen=True, slots=True)
class Quality:
    """One measured property of a world's tasks, as `World.quality` returns it and `agentgym list --quality` prints it.

    Attributes:
        name: what was measured.
        value: what it came to.
        bound: what it must be, in words, such as "at least 600"; "" where nothing is promised.
        holds: whether it is.
    """

    name: str
    value: int | float | str
    bound: str = ""
    holds: bool = True


class TaskPanel(Mapping[str, Sequence[Task]]):
    """Named splits of tasks, with the hash that tells whether two results are about the same tasks.

    Args:
        name: the panel's name, such as "goto".
        splits: split name → tasks; ids are unique over all splits.

    Raises:
        ValueError: an id occurs twice, or a split holds no task.
        TypeError: something that is no Task, or no sequence of them.

    Example:
        >>> panel = TaskPanel("sums", {"train": [Task("1+1", {"a": 1, "b": 1})], "test": [Task("1+2")]})
        >>> panel["train"][0].data["a"], len(panel.hash)
        (1, 32)
    """

    def __init__(self, name: str, splits: Mapping[str, Sequence[Task]]) -> None:
        if not isinstance(splits, Mapping):
            raise TypeError(f"panel {name!r}: splits must map names to sequences of Task, not {splits!r:.60}")
        for split in splits:
            given: Any = splits[split]
            if isinstance(given, str | bytes) or not isinstance(given, Iterable):
                raise TypeError(f"panel {name!r}: the split {split!r} must be a sequence of Task, not {given!r:.60}")
        self.name = name
        self._splits = MappingProxyType({split: tuple(tasks) for split, tasks in splits.items()})
        by_id: dict[str, Task] = {}
        for split, tasks in self._splits.items():
            if not tasks:
                raise ValueError(f"the split {split!r} of panel {name!r} holds no task: give it one or leave it out")
            for index, task in enumerate(tasks):
                if not isinstance(task, Task):
                    raise TypeError(f"panel {name!r}, {split}[{index}] is {task!r:.60}, not a Task")
                if task.id in by_id:
                    raise ValueError(f"panel {name!r} holds the task id {task.id!r} twice; ids are unique over splits")
                by_id[task.id] = task
        if not by_id:
            raise ValueError(f"panel {name!r} holds no task")
        self._by_id = by_id

    def __getitem__(self, split: str) -> Sequence[Task]:
        """Return the tasks of a split."""
        if split not in self._splits:
            raise KeyError(unknown("split", split, self._splits, f"of panel {self.name!r}"))
        return self._splits[split]

    def __iter__(self) -> Iterator[str]:
        return iter(self._splits)

    def __len__(self) -> int:
        return len(self._splits)

    def __repr__(self) -> str:
        sizes = ", ".join(f"{split}: {len(tasks)}" for split, tasks in self._splits.items())
        return f"TaskPanel({self.name!r}, {sizes})"

    def __deepcopy__(self, memo: object) -> TaskPanel:
        return self  # never changes

    def __reduce__(self) -> tuple[Any, ...]:
        return TaskPanel, (self.name, dict(self._splits))

    def task(self, task_id: str) -> Task:
        """Return the task with this id, from any split.

        Raises:
            KeyError: there is none; the message offers the nearest id.
        """
        found = self._by_id.get(task_id) if isinstance(task_id, str) else None
        if found is None:
            raise KeyError(unknown("task", task_id, self._by_id, f"of panel {self.name!r}"))
        return found

    @cached_property
    def hash(self) -> str:
        """Return the 128-bit hash of name, splits, ids and data, 32 hex digits."""
        tasks = {split: [(task.id, dict(task.data)) for task in tasks] for split, tasks in self._splits.items()}
        return state_hash((self.name, tasks))


def as_panel(tasks: Any, name: str) -> TaskPanel:
    """Return a world's argument `tasks` as a panel; a bare sequence becomes the split "train" of one called `name`.

    Raises:
        ValueError: there is no task.
        TypeError: it is neither a panel nor a sequence of tasks.
    """
    if isinstance(tasks, TaskPanel):
        return tasks
    if isinstance(tasks, Mapping):
        raise TypeError(f"tasks must be a TaskPanel or a sequence of Task, not {tasks!r:.60}: write TaskPanel(name, …)")
    if isinstance(tasks, str | bytes) or not isinstance(tasks, Iterable):
        raise TypeError(f"tasks must be a TaskPanel or a sequence of Task, not {tasks!r:.60}: write [Task(id, data)]")
    return TaskPanel(name, {"train": tuple(tasks)})
