"""Loops that play the same scripted actions through collect, through one world and through every kind of vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import worlds  # registers test/NAME-v0
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv

from agentgym import AgentEnv, EndReason, GroupVectorEnv, Opening, Outcome, Task, Turn, TurnBatch, collect, credit
from agentgym.rng import TurnRng

WORDS: dict[str, tuple[str, ...]] = {
    "Counter": ("up", "up", "down", "stay", "sideways", ""),
    "Dice": ("roll", "roll", "pass", "rol"),
    "Talk": ("hello", "how are you", "bye", "SHOUT", ""),
    "Shop": ("<look>item3</look>", '<sell>{"key": "item4"}</sell>', "hi", '<sell>{"key": "item3", "count": 2}</sell>'),
    "Ledger": ("one", " ", "two"),
    "Flaky": ("go", "go", "win", "fail"),
}
KINDS = ("group", "sync", "async")
MODES = (AutoresetMode.DISABLED, AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
Played = tuple[str, int, int]
"""An episode: task, seed, member of its group."""


class Flaky(AgentEnv[int]):
    """Say win; "fail" is an infrastructure error."""

    panel = (Task("flaky"),)
    max_turns = 4

    def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
        return Opening(0, "Win.")

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        ends = {
            "win": Outcome(True, 1.0),
            "fail": Outcome(False, 0.0, EndReason.INFRA_ERROR, "endpoint gone"),
        }
        return Turn(state + 1, str(state + 1), {"step": 0.25}, ends.get(action.text))


worlds.register("test/Flaky-v0", "wrapper_loops:Flaky")


def said(name: str, seed: int, member: int, turn: int) -> str:
    """Return what the member of a group says at a turn: the draw that the policy of `reference` makes there."""
    return TurnRng(seed, member, turn, "policy").choice(WORDS[name])


def reference(name: str, task: str, seed: int, size: int, **kwargs: Any) -> TurnBatch:
    """Return what collect records of one group."""

    def policy(views: Sequence[Any]) -> list[str]:
        return [view.rng.choice(WORDS[name]) for view in views]

    return collect(f"test/{name}-v0", policy, tasks=[task], seed=seed, group_size=size, env_kwargs=kwargs, max_lost=1.0)


def by_member(batch: TurnBatch, values: np.ndarray) -> dict[int, np.ndarray]:
    """Return the values of each rollout by the member's number, which ends its trajectory's id."""
    found = {}
    for trajectory in dict.fromkeys(batch.trajectory):
        rows = [row for row, one in enumerate(batch.trajectory) if one == trajectory]
        assert batch.turn[rows].tolist() == list(range(len(rows)))
        found[int(trajectory.rpartition("/")[2])] = values[rows]
    return found


class Expected:
    """The credit of any episode, by `credit.estimate` over what collect records of its group."""

    def __init__(self, name: str, size: int, estimator: Any, options: Mapping[str, Any] | None = None, **kwargs: Any):
        self.name, self.size, self.estimator, self.options, self.kwargs = name, size, estimator, options or {}, kwargs
        self.known: dict[tuple[str, int], dict[int, np.ndarray]] = {}

    def __call__(self, played: Played) -> np.ndarray | None:
        """Return the array, None for an episode that was left out."""
        task, seed, member = played
        if (task, seed) not in self.known:
            batch = reference(self.name, task, seed, self.size, **self.kwargs)
            total = credit.estimate(self.estimator, batch, **self.options).total if len(batch) else np.zeros(0)
            self.known[task, seed] = by_member(batch, total)
        return self.known[task, seed].get(member)


def vector(
    name: str, kind: str, mode: AutoresetMode, num_envs: int, size: int, **kwargs: Any
) -> VectorEnv[Any, Any, Any]:
    """Return a vector of one of the kinds."""
    if kind == "group":
        return GroupVectorEnv(f"test/{name}-v0", num_envs, size, autoreset_mode=mode, **kwargs)
    makers = [partial(gymnasium.make, f"test/{name}-v0", **kwargs)] * num_envs
    if kind == "sync":
        return SyncVectorEnv(makers, autoreset_mode=mode)
    return AsyncVectorEnv(makers, autoreset_mode=mode)


def play_vector(
    envs: Any, name: str, size: int, kind: str, mode: AutoresetMode, steps: int, seeds: Sequence[int]
) -> list[tuple[Played, np.ndarray]]:
    """Play for so many steps; return every credit that came, with the episode that it belongs to by the promise."""
    count = envs.num_envs
    playing: list[tuple[str, int, int]] = [("", 0, 0)] * count  # task, seed, turn
    finished: list[list[Played]] = [[] for _ in range(count)]
    came: list[tuple[Played, np.ndarray]] = []

    def look(infos: Mapping[str, Any]) -> None:
        for slot in np.flatnonzero(infos["_turn"]) if "_turn" in infos else ():
            playing[slot] = infos["task"][slot], int(infos["seed"][slot]), int(infos["turn"][slot])

    def restart(over: np.ndarray) -> None:
        if kind == "group":
            over = over.reshape(-1, size).all(axis=1).repeat(size)
        if over.any():
            look(envs.reset(options={"reset_mask": over})[1])
            ended[over] = False

    ended = np.zeros(count, bool)
    look(envs.reset(seed=list(seeds) if kind == "group" else [seed for seed in seeds for _ in range(size)])[1])
    for _ in range(steps):
        words = [said(name, playing[slot][1], slot % size, playing[slot][2]) for slot in range(count)]
        if kind == "group" and mode is AutoresetMode.DISABLED:
            words = [None if ended[slot] else word for slot, word in enumerate(words)]
        before = list(playing)
        _, _, terminated, truncated, infos = envs.step(words)
        over = terminated | truncated
        for slot in np.flatnonzero(over):
            finished[slot].append((*before[slot][:2], slot % size))
        look(infos)
        for slot in np.flatnonzero(infos["_credit"]) if "credit" in infos else ():
            played = finished[slot].pop(0)
            while infra(name, played):  # those get none
                played = finished[slot].pop(0)
            came.append((played, infos["credit"][slot]))
        ended |= over
        if mode is AutoresetMode.DISABLED:
            restart(ended.copy())
    return came


def infra(name: str, played: Played) -> bool:
    """Return whether an episode of Flaky ends with an infrastructure error: "fail" is said before "win"."""
    ends = [word for turn in range(4) if (word := said(name, *played[1:], turn)) in ("win", "fail")]
    return name == "Flaky" and ends[:1] == ["fail"]


def play_single(env: Any, name: str, size: int, groups: int, seed: int) -> list[tuple[Played, np.ndarray]]:
    """Play so many groups in one world, unseeded but for the first reset; return each episode's credit."""
    came: list[tuple[Played, np.ndarray]] = []
    start: dict[str, Any] = {"seed": seed}
    for _ in range(groups):
        played: list[Played] = []
        for member in range(size):
            _, info = env.reset(**start)
            start = {}
            over = False
            while not over:
                assert "credit" not in info
                _, _, terminated, truncated, info = env.step(said(name, info["seed"], member, info["turn"]))
                over = terminated or truncated
            played.append((info["task"], info["seed"], member))
        assert len({one[:2] for one in played}) == 1
        came += zip(played, info["credit"], strict=True)
    return came


def check(came: Sequence[tuple[Played, np.ndarray]], expected: Callable[[Played], np.ndarray | None]) -> None:
    """Assert that every credit is the expected one, byte for byte."""
    for played, values in came:
        wanted = expected(played)
        assert values.dtype == np.float64 and values.ndim == 1
        assert values.tobytes() == (b"" if wanted is None else wanted.tobytes()), played
