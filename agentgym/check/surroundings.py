"""Surroundings: while a world is played, clocks tick as told and the global generators start as told.

Seen are Python's own clocks (`time`, `datetime`), also where the world's modules imported them by name, and the
generators of `random` and `numpy.random`. Not seen are clocks that compiled code reads itself
(`numpy.datetime64("now")`, `uuid.uuid1`, the times of files) and names that other packages imported.
"""

from __future__ import annotations

import datetime
import random  # noqa: TID251 - to see whether a world draws from it
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np

START = 1_700_000_000.0
"""Where clocks begin, in seconds since 1970: 14 November 2023."""
AHEAD = (400 * 24 + 5) * 3600.0 + 431.0
"""A good year: year, month, day, weekday, hour, minute and second all differ."""
TICK = 0.001

_SECONDS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
_DATETIME: Any = datetime.datetime
_DATE: Any = datetime.date
_UTC = datetime.UTC


class Clock:
    """Seconds that pass by being read."""

    def __init__(self, start: float) -> None:
        self.now = start

    def read(self, *ignored: Any) -> float:
        """Return the next time in seconds."""
        self.now += TICK
        return self.now

    def nanoseconds(self, *ignored: Any) -> int:
        """Return the next time in nanoseconds."""
        return int(self.read() * 1e9)


class _Like(type):
    """Makes every date and datetime an instance of the class that stands in for theirs."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls.__mro__[1])


def _dates(clock: Clock) -> dict[str, Any]:
    """Return stand-ins for the classes `datetime` and `date`, which ask this clock."""

    class Datetime(_DATETIME, metaclass=_Like):  # type: ignore[misc]
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return _DATETIME.fromtimestamp(clock.read(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return _DATETIME.fromtimestamp(clock.read(), _UTC).replace(tzinfo=None)

        @classmethod
        def today(cls) -> Any:
            return _DATETIME.fromtimestamp(clock.read())

    class Date(_DATE, metaclass=_Like):  # type: ignore[misc]
        @classmethod
        def today(cls) -> Any:
            return _DATE.fromtimestamp(clock.read())

    return {"datetime": Datetime, "date": Date}


def _times(clock: Clock) -> dict[str, Callable[..., Any]]:
    """Return stand-ins for the functions of `time`."""
    fakes: dict[str, Callable[..., Any]] = {}
    for name in _SECONDS:
        fakes[name], fakes[f"{name}_ns"] = clock.read, clock.nanoseconds
    fakes["clock_gettime"], fakes["clock_gettime_ns"] = clock.read, clock.nanoseconds
    for name in ("localtime", "gmtime", "ctime"):
        fakes[name] = _at(getattr(time, name), clock)
    local = time.localtime
    strftime, asctime = time.strftime, time.asctime
    fakes["strftime"] = lambda form, when=None: strftime(form, local(clock.read()) if when is None else when)
    fakes["asctime"] = lambda when=None: asctime(local(clock.read()) if when is None else when)
    return {name: fake for name, fake in fakes.items() if hasattr(time, name)}


def _at(real: Callable[[float], Any], clock: Clock) -> Callable[..., Any]:
    return lambda seconds=None: real(clock.read() if seconds is None else seconds)


def _modules(world: type) -> list[Any]:
    """Return the loaded modules of the world's own packages, which may have imported a clock by name."""
    names = {owner.__module__ for owner in world.__mro__}
    tops = {name.partition(".")[0] for name in names} - {"agentgym", "gymnasium", "builtins", "typing"}
    names |= _names(frozenset(tops), len(sys.modules))
    return [sys.modules[name] for name in sorted(names) if name in sys.modules]


@lru_cache(maxsize=16)
def _names(tops: frozenset[str], loaded: int) -> frozenset[str]:
    """Return the names of the loaded modules below these; with another number of loaded ones it looks again."""
    return frozenset(
        name for name in sys.modules if name.partition(".")[0] in tops or name.startswith("agentgym.envs.")
    )


class Surroundings:
    """What a play was surrounded by; `touched()` names the global generators that it has moved."""

    def __init__(self) -> None:
        self._before = _positions()

    def touched(self) -> str:
        """Return the generator whose state has changed since the start, "" for none."""
        now = _positions()
        return next((name for name in now if now[name] != self._before[name]), "")


def _positions() -> dict[str, Any]:
    kind, keys, *rest = np.random.get_state()  # noqa: NPY002 - to see whether a world draws from it
    return {"random": random.getstate(), "numpy.random": (kind, np.asarray(keys).tobytes(), *rest)}


@contextmanager
def surroundings(world: type, *, ahead: float = 0.0, generators: int = 0) -> Iterator[Surroundings]:
    """Play inside: clocks start at START + ahead and tick when read, global generators start from this seed.

    Everything is put back afterwards. Other threads see these clocks too for as long.
    """
    clock = Clock(START + ahead)
    fakes = {id(getattr(time, name)): fake for name, fake in _times(clock).items()}
    fakes |= {id(getattr(datetime, name)): fake for name, fake in _dates(clock).items()}
    kept = random.getstate(), np.random.get_state()  # noqa: NPY002
    put: list[tuple[Any, str, Any]] = []
    try:
        for module in (time, datetime, *_modules(world)):
            for name, value in list(vars(module).items()):
                if id(value) in fakes:
                    put.append((module, name, value))
                    setattr(module, name, fakes[id(value)])
        random.seed(generators)
        np.random.seed(generators)  # noqa: NPY002
        yield Surroundings()
    finally:
        for module, name, value in put:
            setattr(module, name, value)
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002
