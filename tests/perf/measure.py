"""Interleaved timing, and the lines of the table.

Works that are compared take turns, A B A B …, so that a machine that slows down for a while slows both. Time is CPU
time of this process: other programs disturb it little. Wall time is kept beside it, to tell how busy the machine was.
"""

import gc
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import gymnasium

REFERENCE = 0.08e-6
"""Seconds of one calibration step on the machine on which the targets in µs were set."""

CALIBRATION = "calibration"


@dataclass(frozen=True, slots=True)
class Setting:
    """How much is measured: rounds, least CPU seconds of a sample, and the sizes of the works."""

    rounds: int = 9
    sample: float = 0.03
    turns: int = 10_000
    text: int = 1_000_000
    records: int = 1_000
    episodes: int = 6
    steps: int = 64
    rows: int = 500
    passages: int = 100_000
    million: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Work:
    """`run(prepare())` does `units` units of work; what `prepare` does is not timed."""

    run: Callable[[Any], object]
    units: int = 1
    prepare: Callable[[], Any] = lambda: None


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table: seconds of a unit of ours and of what it is held against, their ratio and its bound.

    `ratio` is the median of the rounds' ratios, baseline / ours where it shall be large ("≥"), ours / baseline where it
    shall be small ("≤"). No bound: shown only.
    """

    row: str
    unit: str
    ours: float
    against: str
    baseline: float
    sense: str
    ratio: float
    bound: float | None

    @property
    def verdict(self) -> str:
        """Return "pass", "MISS" or "shown"."""
        if self.bound is None:
            return "shown"
        kept = self.ratio >= self.bound if self.sense == "≥" else self.ratio <= self.bound
        return "pass" if kept else "MISS"

    def as_dict(self) -> dict[str, Any]:
        """Return the line as JSON values."""
        return {**asdict(self), "verdict": self.verdict}


def line(
    row: str, unit: str, ours: list[float], against: str, base: list[float], sense: str, bound: float | None = None
) -> Line:
    """Make a line from the rounds' seconds."""
    pairs = zip(ours, base, strict=True)
    ratio = median(b / a if sense == "≥" else a / b for a, b in pairs)
    return Line(row, unit, median(ours), against, median(base), sense, ratio, bound)


def cost(row: str, unit: str, ours: list[float], calibration: list[float], seconds: float | None = None) -> Line:
    """Make a line for a target in seconds on the machine of reference, read as a multiple of the calibration step."""
    bound = None if seconds is None else seconds / REFERENCE
    return line(row, unit, ours, CALIBRATION, calibration, "≤", bound)


class Bare(gymnasium.Env[str, str]):
    """The least that a Gymnasium step can be."""

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        return "", 0.0, False, False, {}


def calibration(steps: int = 20_000) -> Work:
    """Return the loop that all targets in µs are multiples of."""
    env = Bare()

    def run(_: None) -> None:
        for _ in range(steps):
            env.step("")

    return Work(run, steps)


class Clock:
    """Times works; `busy` is wall time over CPU time of all that was timed, 1 on a quiet machine."""

    def __init__(self) -> None:
        self.cpu = self.wall = 0.0

    @property
    def busy(self) -> float:
        return self.wall / self.cpu if self.cpu else 1.0

    def time(self, work: Work, passes: int) -> float:
        """Return the CPU seconds of so many passes."""
        total = 0.0
        for _ in range(passes):
            thing = work.prepare()
            wall, cpu = time.perf_counter(), time.process_time()
            work.run(thing)
            spent = time.process_time() - cpu
            self.wall += time.perf_counter() - wall
            self.cpu += spent
            total += spent
        return total

    def alternate(self, setting: Setting, works: Mapping[str, Work]) -> dict[str, list[float]]:
        """Return for every work the CPU seconds of one unit, one value a round; the works take turns in each round.

        Each work is run once unmeasured, which also says how many passes make a sample.
        """
        passes = {}
        gc.collect()
        frozen = gc.get_freeze_count() > 0  # by who calls, as the tests do
        if not frozen:
            gc.freeze()  # what stays alive throughout is not looked at again and again
        try:
            for name, work in works.items():
                first = self.time(work, 1)
                passes[name] = min(1000, max(1, round(setting.sample / max(first, 1e-6))))
            rounds: dict[str, list[float]] = {name: [] for name in works}
            for _ in range(setting.rounds):
                for name, work in works.items():
                    rounds[name].append(self.time(work, passes[name]) / passes[name] / work.units)
        finally:
            if not frozen:
                gc.unfreeze()
        return rounds


def machine() -> dict[str, Any]:
    """Return what kind of machine and software this is; nothing that names the machine."""
    import os
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("numpy", "gymnasium", "minigrid"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "absent"
    return {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": platform.machine(),
        "system": platform.system(),
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "versions": found,
    }
