"""Rows of vectors: what stepping 64 worlds together adds to their own steps, here, in threads and in processes."""

from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from agentgym import GroupVectorEnv
from tests.perf.measure import Clock, Line, Setting, Work, calibration, cost, line
from tests.perf.worlds import Still

SLOTS = 64
ENDLESS = 10**9


def stepping(clock: Clock, setting: Setting, steps: int = 20) -> Iterator[Line]:
    """Yield the glue of our vectors, with the list of infos, one column or all columns read, beside Gymnasium's."""
    own = GroupVectorEnv(Still, SLOTS, group_size=8, max_turns=ENDLESS)
    sync = SyncVectorEnv([partial(Still, max_turns=ENDLESS)] * SLOTS)
    actions = ("wait",) * SLOTS
    for envs in (own, sync):
        envs.reset(seed=0)
    alone = [env.copy() for env in own.envs]

    def bare(_: None) -> None:
        for _ in range(steps):
            for env in alone:
                env.step("wait")

    def listed(_: None) -> None:
        for _ in range(steps):
            own.step(actions)[4]["turns"]

    def column(_: None) -> None:
        for _ in range(steps):
            own.step(actions)[4]["success"]

    def columns(_: None) -> None:
        for _ in range(steps):
            len(own.step(actions)[4])

    def gymnasium(_: None) -> None:
        for _ in range(steps):
            sync.step(actions)

    runs = {"bare": bare, "listed": listed, "column": column, "columns": columns, "sync": gymnasium}
    works = {name: Work(run, steps * SLOTS) for name, run in runs.items()}
    times = clock.alternate(setting, {**works, "calibration": calibration()})

    def glue(name: str) -> list[float]:
        return [whole - part for whole, part in zip(times[name], times["bare"], strict=True)]

    row = f"vector of {SLOTS}: a step less its world's own"
    yield cost(row, "step", glue("listed"), times["calibration"], 5e-6)
    yield line(row, "step", glue("listed"), "SyncVectorEnv", glue("sync"), "≥", 4.0)
    yield line(f"{row}, one column read", "step", glue("column"), "SyncVectorEnv", glue("sync"), "≥")
    yield line(f"{row}, all columns read", "step", glue("columns"), "SyncVectorEnv", glue("sync"), "≥")


def working(clock: Clock, setting: Setting, steps: int = 5) -> Iterator[Line]:
    """Yield what workers add in wall time to steps of worlds that do nothing, beside AsyncVectorEnv with as many."""
    actions = ("wait",) * SLOTS
    makers: dict[str, Callable[[], VectorEnv[Any, Any, Any]]] = {
        "here": partial(GroupVectorEnv, Still, SLOTS, 8, max_turns=ENDLESS),
        "threads": partial(GroupVectorEnv, Still, SLOTS, 8, max_turns=ENDLESS, workers="threads"),
        "two processes": partial(
            GroupVectorEnv, Still, SLOTS, 8, max_turns=ENDLESS, workers="processes", num_workers=2, context="fork"
        ),
        "AsyncVectorEnv": partial(
            AsyncVectorEnv, [partial(Still, max_turns=ENDLESS)] * SLOTS, context="fork", shared_memory=False
        ),
    }
    made = {name: make() for name, make in makers.items()}
    spent: dict[str, list[float]] = {name: [] for name in made}
    try:
        for envs in made.values():
            envs.reset(seed=0)
        for _ in range(setting.rounds):
            for name, envs in made.items():
                started = perf_counter()
                for _ in range(steps):
                    envs.step(actions)
                spent[name].append((perf_counter() - started) / (steps * SLOTS))
    finally:
        for envs in made.values():
            envs.close()
    row = f"vector of {SLOTS}: a slot's step, wall time"
    yield line(f"{row}, threads", "step", spent["threads"], "in the caller's thread", spent["here"], "≥")
    yield line(f"{row}, two processes", "step", spent["two processes"], "in the caller's thread", spent["here"], "≥")
    yield line(
        f"{row}, two processes", "step", spent["two processes"], "AsyncVectorEnv", spent["AsyncVectorEnv"], "≥", 2.0
    )
