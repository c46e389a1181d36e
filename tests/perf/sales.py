"""Rows of sales: steps of the expert's talks, messages heard before and never heard, and resets."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from agentgym.envs.sales import hear
from agentgym.envs.sales.env import SalesEnv
from tests.perf.measure import Clock, Line, Setting, Work, calibration, cost

TASKS = 6
RESETS = 20
TASK = "desks/test/0"

Moments = Sequence[tuple[SalesEnv, str]]
"""Worlds at some moments, and what the seller does there."""


@lru_cache(maxsize=1)
def moments() -> Moments:
    """Return every turn of the expert's talks with the first test buyer of six industries: the world, the action."""
    env = SalesEnv()
    firsts = {task.data["industry"]: task.id for task in reversed(env.panel["test"])}
    held = []
    for task in sorted(firsts.values())[:TASKS]:
        env.reset(seed=0, options={"task": task})
        over = False
        while not over:
            action = env.expert(env.state)
            held.append((env.copy(), action))
            _, _, over, _, _ = env.step(action)
    return held


def copies() -> Moments:
    return [(env.copy(), action) for env, action in moments()]


def forgetful() -> Moments:
    hear.hear.cache_clear()
    hear.to_the_point.cache_clear()
    return copies()


def stepping(held: Moments) -> None:
    for env, action in held:
        env.step(action)


def resetting(env: SalesEnv) -> None:
    for seed in range(RESETS):
        env.reset(seed=seed, options={"task": TASK})


def begun() -> SalesEnv:
    """Return a world that the first member of each of some groups was started in."""
    env = SalesEnv()
    resetting(env)
    return env


def known() -> SalesEnv:
    """Return a world that has seen the task, but none of the seeds."""
    env = SalesEnv()
    env.reset(seed=RESETS, options={"task": TASK})
    return env


def steps(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield a step whose message was heard before in this process, one that never was, and a reset."""
    heard = Work(stepping, len(moments()), copies)
    works = {
        "heard": heard,
        "new": replace(heard, prepare=forgetful),
        "member": Work(resetting, RESETS, begun),
        "first": Work(resetting, RESETS, known),
        "calibration": calibration(),
    }
    times = clock.alternate(setting, works)
    for kind, told, unit, target in (
        ("heard", "step, a message heard before", "step", 100e-6),
        ("new", "step, a message never heard", "step", None),
        ("member", "reset, as a later member of a group", "reset", 20e-6),
        ("first", "reset, with a seed that is new", "reset", None),
    ):
        yield cost(f"sales: {told}", unit, times[kind], times["calibration"], target)
