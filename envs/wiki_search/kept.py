"""One open object a process and folder, made anew when the folder was."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from agentgym.envs.wiki_search import sealed

T = TypeVar("T")


class Kept(Generic[T]):
    """Opens sealed folders, each once; threads may share it, and so may a child process after a fork.

    Args:
        make: opens the folder with this absolute path.
    """

    def __init__(self, make: Callable[[str], T]) -> None:
        self._make = make
        self._held: dict[str, tuple[object, T]] = {}
        self._lock = threading.RLock()
        _ALL.add(self)

    def get(self, folder: str | os.PathLike[str]) -> T:
        """Return the object of a folder; what `make` raises is raised, and tried again next time."""
        path = os.path.abspath(folder)
        with self._lock:
            now = sealed.stamp(path)
            held = self._held.get(path)
            if held is None or now is None or held[0] != now:
                held = self._held[path] = (now, self._make(path))
            return held[1]


_ALL: WeakSet[Kept[Any]] = WeakSet()


def _in_child() -> None:
    for kept in list(_ALL):
        kept._lock = threading.RLock()  # a thread of the parent may have held the old one


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
