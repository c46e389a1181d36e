"""Rows of BabyAI: a step, a fork, a state hash beside minigrid's, and what `collect` adds."""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agentgym import Task, TurnRng, View, collect
from agentgym.digest import state_hash
from agentgym.envs.babyai import levels, rewards, text
from agentgym.envs.babyai.env import BabyAIEnv
from agentgym.envs.babyai.kernel import ACTIONS
from tests.perf.baselines import Teller
from tests.perf.measure import Clock, Line, Setting, Work, calibration, cost, line

ROOM, MAZE = "BabyAI-GoToLocal-v0", "BabyAI-BossLevel-v0"
SMALLEST = "BabyAI-GoToObjS4-v0"
"""4 × 4 cells. MAZE is of the largest, 22 × 22."""
WEIGHTS = (16, 16, 34, 12, 8, 11, 3)
"""Of the seven actions in random play."""
SHORTEST = 8


@dataclass(frozen=True, slots=True)
class Play:
    """One episode twice, just reset, and actions that do not end it."""

    minigrid: Any
    world: BabyAIEnv
    actions: Sequence[int]

    def __iter__(self) -> Iterator[tuple[int, str]]:
        return ((action, ACTIONS[action]) for action in self.actions)


def plays(level: str, setting: Setting) -> list[Play]:
    """Return episodes of random play, of at most `setting.steps` steps each; very short ones are passed over."""
    found: list[Play] = []
    seed = 0
    while len(found) < setting.episodes:
        play = _play(level, seed, setting.steps)
        if len(play.actions) >= min(SHORTEST, setting.steps):
            found.append(play)
        seed += 1
    return found


def _play(level: str, seed: int, steps: int) -> Play:
    start = levels.make_minigrid(level)
    with levels._silence():
        start.reset(seed=seed)
    env, draws, actions = copy.deepcopy(start), TurnRng(seed, 0, 0, "perf"), []
    for _ in range(steps):
        action = draws.choice(range(7), WEIGHTS)
        if any(env.step(action)[2:4]):
            break
        actions.append(action)
    world = BabyAIEnv(tasks=[Task("play", {"level": level, "seed": seed})])
    world.reset(seed=seed)
    return Play(start, world, actions)


def forget() -> None:
    """Empty the caches of texts and distances, so that every view is put into words as if for the first time."""
    text._texts.clear()
    rewards._fields.clear()


def stepping(played: Sequence[Play]) -> dict[str, Work]:
    """Return the same steps taken by ours (caches empty, or full), by minigrid, and by minigrid with text."""
    units = sum(len(play.actions) for play in played)

    def new() -> list[BabyAIEnv]:
        forget()
        return [play.world.copy() for play in played]

    def ours(worlds: list[BabyAIEnv]) -> None:
        for world, play in zip(worlds, played, strict=True):
            for _, name in play:
                world.step(name)

    def theirs(envs: list[Any]) -> None:
        for env, play in zip(envs, played, strict=True):
            for action, _ in play:
                env.step(action)

    return {
        "ours": Work(ours, units, new),
        "again": Work(ours, units, lambda: [play.world.copy() for play in played]),
        "minigrid": Work(theirs, units, lambda: [copy.deepcopy(play.minigrid) for play in played]),
        "balrog": Work(theirs, units, lambda: [Teller(copy.deepcopy(play.minigrid)) for play in played]),
    }


def steps(clock: Clock, setting: Setting) -> Iterator[Line]:
    for level, target in ((ROOM, 25e-6), (MAZE, None)):
        times = clock.alternate(setting, {**stepping(plays(level, setting)), "calibration": calibration()})
        name = f"{level}: step with text, hash, info"
        yield line(name, "step", times["ours"], "minigrid's step, raw", times["minigrid"], "≥", 4)
        yield line(name, "step", times["ours"], "BALROG's way (stand-in)", times["balrog"], "≥", 8)
        yield cost(name, "step", times["ours"], times["calibration"], target)
        yield line(f"{level}: the same where seen before", "step", times["again"], "raw", times["minigrid"], "≥")


def moments(played: Sequence[Play]) -> list[tuple[Any, BabyAIEnv]]:
    """Return each episode halfway, as (minigrid, world)."""
    found = []
    for play in played:
        env, world = copy.deepcopy(play.minigrid), play.world.copy()
        for action, name in list(play)[: len(play.actions) // 2]:
            env.step(action)
            world.step(name)
        found.append((env, world))
    return found


def forking(clock: Clock, setting: Setting) -> Iterator[Line]:
    for level in (ROOM, MAZE):
        halfway = moments(plays(level, setting))
        n = len(halfway)
        snapshots = [(world, world.snapshot()) for _, world in halfway]
        works = {
            "fork": Work(lambda _, halfway=halfway: [world.fork() for _, world in halfway], n),  # type: ignore[misc]
            "restore": Work(lambda _, pairs=snapshots: [world.restore(moment) for world, moment in pairs], n),  # type: ignore[misc]
            "deepcopy": Work(lambda _, halfway=halfway: [copy.deepcopy(env) for env, _ in halfway], n),  # type: ignore[misc]
            "calibration": calibration(),
        }
        times = clock.alternate(setting, works)
        for name in ("fork", "restore"):
            yield line(f"{level}: {name}", name, times[name], "deepcopy of minigrid", times["deepcopy"], "≥", 60)
            yield cost(f"{level}: {name}", name, times[name], times["calibration"], 20e-6)


def hashing(clock: Clock, setting: Setting) -> Iterator[Line]:
    for level, bound in ((SMALLEST, 6), (MAZE, 25)):
        halfway = moments(plays(level, setting))
        n = len(halfway)
        states = [(world, world.state) for _, world in halfway]
        works = {
            "ours": Work(lambda _, s=states: [state_hash(world.canonical(state)) for world, state in s], n),  # type: ignore[misc]
            "minigrid": Work(lambda _, halfway=halfway: [env.hash() for env, _ in halfway], n),  # type: ignore[misc]
            "calibration": calibration(),
        }
        times = clock.alternate(setting, works)
        name = f"{level}: state hash"
        yield line(name, "hash", times["ours"], "minigrid's (incomplete)", times["minigrid"], "≥", bound)
        yield cost(name, "hash", times["ours"], times["calibration"], 10e-6)


def chosen(turn: int) -> str:
    """Return the action that the policy of `collecting` takes in a turn."""
    return ACTIONS[(0, 2, 2, 1, 2, 6)[turn % 6]]


def policy(views: Sequence[View]) -> list[str]:
    return [chosen(view.turn) for view in views]


def small_world(setting: Setting) -> BabyAIEnv:
    """Return a world with one task an episode of the setting."""
    panel = [Task(f"t{seed}", {"level": ROOM, "seed": seed}) for seed in range(setting.episodes)]
    return BabyAIEnv(tasks=panel, max_turns=setting.steps)


def play_all(world: BabyAIEnv, group_size: int) -> int:
    """Play what `collect` plays with `policy`, keep nothing, and return the number of turns."""
    total = 0
    for index, task in enumerate(world.panel["train"]):
        for _ in range(group_size):
            world.reset(seed=index, options={"task": task.id})
            turn, over = 0, False
            while not over:
                over = any(world.step(chosen(turn))[2:4])
                turn += 1
            total += turn
    return total


def collecting(clock: Clock, setting: Setting, group_size: int = 8) -> Iterator[Line]:
    world = small_world(setting)
    turns = play_all(world, group_size)
    works = {
        "collect": Work(lambda _: collect(world, policy, group_size=group_size), turns),
        "loop": Work(lambda _: play_all(world, group_size), turns),
    }
    times = clock.alternate(setting, works)
    over = [whole - part for whole, part in zip(times["collect"], times["loop"], strict=True)]
    yield line(
        f"collect beyond steps and policy, {turns:,} turns", "turn", over, "steps and policy", times["loop"], "≤"
    )
