"""What stays behind when worlds are played and closed: `python tests/leaks.py [WORLD …]`; `make leaks` runs it.

Each world is played in a process of its own, in three passes over the same episodes of at most ten turns, after a
warm-up: once with Python's allocations traced, once without, where the memory of the whole process counts, and once as
worlds that are made, played for a turn and closed. Open files, threads, child processes and database connections are
counted before and after.

The same few seeds come again and again, so that whatever a world keeps about episodes on purpose, up to some number of
entries, is there when the counting begins. Two columns are shown without a bound, since such stores fill up in them:
`made`, what worlds that were made and closed leave in stores that worlds share, and `fresh`, what each episode adds
where every seed is new. Both are counted when all caches of functools have been emptied.
"""

from __future__ import annotations

import argparse
import functools
import gc
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent.parent), str(Path(__file__).parent)]

import gymnasium
from hostile import choose

import agentgym  # noqa: F401 — registers the worlds
from agentgym import TurnRng

POOL = 50
TURNS = 10
TRACED = 64 * 1024
"""Bytes that traced memory may grow by in all episodes together."""
SLOPE = 100.0
"""Bytes that the process may grow by an episode."""


@dataclass(frozen=True)
class Held:
    """What a process holds: open files, threads, children, connections to databases."""

    files: int
    threads: int
    children: int
    connections: int


@dataclass(frozen=True)
class Found:
    """What was left behind; `traced`, `made` and `fresh` in bytes, `slope` in bytes an episode."""

    world: str
    episodes: int
    traced: int
    made: int
    slope: float
    fresh: float
    before: Held
    after: Held

    @property
    def faults(self) -> list[str]:
        """Return which bounds are broken, in words."""
        told = []
        if self.traced > TRACED:
            told.append(f"traced memory grew by {self.traced} bytes, more than {TRACED}")
        if self.slope > SLOPE and self.episodes >= 10_000:  # of few episodes the allocator's own steps are most
            told.append(f"the process grew by {self.slope:.0f} bytes an episode, more than {SLOPE:.0f}")
        if self.before != self.after:
            told.append(f"it held {self.before} before and {self.after} after")
        return told


def worlds() -> list[str]:
    """Return the ids of all worlds of agentgym."""
    return sorted(name for name, spec in gymnasium.registry.items() if spec.namespace == "agentgym")


def held() -> Held:
    """Return what this process holds now."""
    gc.collect()
    kinds = ("sqlite3.Connection", "psycopg.Connection", "_duckdb.DuckDBPyConnection", "duckdb.DuckDBPyConnection")
    names = [f"{type(thing).__module__}.{type(thing).__qualname__}" for thing in gc.get_objects()]
    tasks = Path(f"/proc/{os.getpid()}/task")
    children = sum(len(path.read_text().split()) for path in tasks.glob("*/children"))
    return Held(
        len(os.listdir("/proc/self/fd")), max(threading.active_count(), len(os.listdir(tasks))),
        max(children, len(multiprocessing.active_children())), sum(name in kinds for name in names),
    )  # fmt: skip


def play(env: Any, seed: int, turns: int = TURNS) -> None:
    """Play an episode whose actions follow from its seed alone."""
    rng = TurnRng(seed, stream="leaks")
    env.reset(seed=seed)
    for _ in range(turns):
        if any(env.step(choose(env, (), rng))[2:4]):
            return


def empty_caches() -> None:
    """Empty every cache of functools."""
    gc.collect()
    for thing in gc.get_objects():
        if isinstance(thing, functools._lru_cache_wrapper):
            thing.cache_clear()
    gc.collect()


def resident() -> int:
    """Return the bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def slope(samples: list[tuple[int, int]]) -> float:
    """Return the least-squares slope of (episode, bytes)."""
    count = len(samples)
    mean_x, mean_y = sum(x for x, _ in samples) / count, sum(y for _, y in samples) / count
    spread = sum((x - mean_x) ** 2 for x, _ in samples)
    return sum((x - mean_x) * (y - mean_y) for x, y in samples) / spread


def measure(world: str, episodes: int, warmup: int, rounds: int, pool: int) -> Found:
    """Return what episodes of a world leave behind; `rounds` worlds are made and closed."""
    env = gymnasium.make(world, disable_env_checker=True).unwrapped
    for number in range(warmup):
        play(env, number % pool)
    gc.collect()
    before, samples = held(), []
    for number in range(episodes):
        if number % max(1, episodes // 40) == 0:
            samples.append((number, resident()))
        play(env, number % pool)
    tracemalloc.start()
    for number in range(max(pool, warmup // 10)):
        play(env, number % pool)
    traced = _growth(lambda: [play(env, number % pool) for number in range(episodes)])
    few = max(5, episodes // 20)
    empty_caches()
    fresh = _growth(lambda: ([play(env, 1_000_000 + number) for number in range(few)], empty_caches()))

    def make(count: int) -> None:
        for number in range(count):
            one = gymnasium.make(world, disable_env_checker=True).unwrapped
            play(one, number % pool, turns=1)
            one.close()

    make(3)
    empty_caches()
    made = _growth(lambda: (make(rounds), empty_caches()))
    tracemalloc.stop()
    return Found(world, episodes, traced, made, slope(samples), fresh / few, before, held())


def _growth(work: Any) -> int:
    """Return by how many bytes traced memory grows."""
    gc.collect()
    start = tracemalloc.get_traced_memory()[0]
    work()
    gc.collect()
    return tracemalloc.get_traced_memory()[0] - start


def measured(names: list[str], *sizes: int) -> Iterator[Found]:
    """Yield what worlds leave behind, each played in a process of its own."""
    for name in names:
        command = [sys.executable, "-W", "error", __file__, "--one", name, *map(str, sizes)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stderr}")
        row: Mapping[str, Any] = json.loads(done.stdout)
        yield Found(**{**row, "before": Held(**row["before"]), "after": Held(**row["after"])})


def main() -> int:
    """Measure, print a table, and return 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("worlds", nargs="*", metavar="WORLD", help="ids; all worlds of agentgym if none is named")
    parser.add_argument("--episodes", type=int, default=10_000)
    parser.add_argument("--warmup", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=1_000, help="worlds that are made and closed")
    options = parser.parse_args()
    broken = 0
    print(f"{'world':32}{'traced':>10}{'made':>10}{'slope':>10}{'fresh':>10}  files, threads, children, connections")
    sizes = (options.episodes, options.warmup, options.rounds, POOL)
    for found in measured(options.worlds or worlds(), *sizes):
        pairs = zip(asdict(found.before).values(), asdict(found.after).values(), strict=True)
        counts = " ".join(f"{before}→{after}" for before, after in pairs)
        print(f"{found.world:32}{found.traced:>10}{found.made:>10}{found.slope:>10.1f}{found.fresh:>10.1f}  {counts}")
        for fault in found.faults:
            print(f"    {fault}")
        broken += len(found.faults)
    return 1 if broken else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(asdict(measure(sys.argv[2], *map(int, sys.argv[3:])))))
    else:
        sys.exit(main())
