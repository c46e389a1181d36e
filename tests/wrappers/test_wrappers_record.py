"""RecordTurns keeps what collect records."""

from __future__ import annotations

from enum import Enum
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from wrapper_loops import WORDS, infra, reference, said, vector

from agentgym import TurnBatch, collect, credit
from agentgym.wrappers import RecordTurns

DISABLED = AutoresetMode.DISABLED


def play(env: Any, name: str, seed: int, member: int, task: str) -> None:
    _, info = env.reset(seed=seed, options={"task": task})
    over = False
    while not over:
        _, _, terminated, truncated, info = env.step(said(name, seed, member, info["turn"]))
        over = terminated or truncated


def same(one: TurnBatch, other: TurnBatch) -> bool:
    """Return whether two records hold the same columns; their meta differ in how they were asked for."""
    return one.columns == other.columns and one.to_rows() == other.to_rows()


@pytest.mark.parametrize("name, task", [("Counter", "two"), ("Talk", "guest"), ("Shop", "shop"), ("Dice", "dice")])
def test_one_world(name: str, task: str) -> None:
    env = RecordTurns(gymnasium.make(f"test/{name}-v0"))
    for member in range(3):
        play(env, name, 8, member, task)
    batch = env.batch()
    wanted = reference(name, task, 8, 3)
    assert same(batch, wanted)
    assert batch.meta["env"] == wanted.meta["env"] and batch.meta["infra_errors"] == 0
    assert batch.meta.get("partial") == wanted.meta.get("partial")
    total = credit.estimate("gigpo", batch).total
    assert total.tobytes() == credit.estimate("gigpo", wanted).total.tobytes()


@pytest.mark.parametrize("kind", ["group", "sync", "async"])
def test_vectors(kind: str) -> None:
    envs = RecordTurns(vector("Counter", kind, AutoresetMode.SAME_STEP, 6, 3, signals=("potential", "menu")))
    try:
        start: dict[str, Any] = {"seed": [2, 3], "options": {"tasks": ["two", "minus"]}}
        if kind != "group":
            start = {"seed": [2] * 6, "options": {"task": "two"}}
        _, infos = envs.reset(**start)
        for _ in range(5):  # max_turns: everybody's first episode is over then
            words = [said("Counter", int(infos["seed"][slot]), slot % 3, int(infos["turn"][slot])) for slot in range(6)]
            infos = envs.step(words)[4]
        batch = envs.batch()
    finally:
        envs.close()
    policy = lambda views: [view.rng.choice(WORDS["Counter"]) for view in views]
    wanted = collect(
        "test/Counter-v0", policy, tasks=["two", "minus"], group_size=3, seed=2,
        env_kwargs={"signals": ("potential", "menu")},
    )  # fmt: skip
    firsts = [row for row in range(len(batch)) if (batch.group[row], batch.seed[row]) in {("two#2", 2), ("minus#3", 3)}]
    found = batch.select(firsts)
    if kind == "group":
        assert same(found, wanted)
    else:  # six members with one seed, of which the second three say what the first three say
        rows = [row for row in found.to_rows() if int(row["trajectory"][-1]) < 3]
        assert rows == [row for row in wanted.to_rows() if row["task"] == "two"]
    assert batch.meta["env"]["id"] == "test/Counter-v0"


def test_members_stand_in_the_order_of_their_starts_whoever_ends_first() -> None:
    envs = RecordTurns(vector("Counter", "group", DISABLED, 2, 2))
    envs.reset(seed=4, options={"tasks": ["two"]})
    envs.step(["stay", "quit"])
    envs.step(["quit", None])
    batch = envs.batch()
    assert list(batch.trajectory) == ["two#4/0", "two#4/0", "two#4/1"]
    assert list(batch.action) == ["stay", "quit", "quit"]


def test_a_record_can_be_emptied_and_goes_on() -> None:
    env = RecordTurns(gymnasium.make("test/Counter-v0"))
    assert len(env.batch()) == 0
    play(env, "Counter", 1, 0, "two")
    first = env.batch()
    assert env.batch() == first  # looking changes nothing
    env.clear()
    assert len(env.batch()) == 0 and len(first) > 0
    env.reset(seed=2, options={"task": "two"})
    env.step("stay")
    env.clear()
    env.step("quit")
    assert list(env.batch().action) == ["stay", "quit"]


def test_what_is_cut_is_not_kept() -> None:
    env = RecordTurns(gymnasium.make("test/Counter-v0"))
    env.reset(seed=1)
    env.reset(seed=1)
    assert env.dropped == 0
    env.step("stay")
    env.reset(seed=1)
    assert env.dropped == 1 and len(env.batch()) == 0
    envs = RecordTurns(vector("Counter", "group", DISABLED, 4, 2))
    envs.reset(seed=1)
    envs.step(["stay", "quit", "stay", None])
    envs.reset(options={"reset_mask": np.array([True, True, False, False])})
    assert envs.dropped == 1
    envs.reset()
    assert envs.dropped == 2
    assert list(envs.batch().action) == ["quit"]


def test_failed_episodes_are_counted() -> None:
    env = RecordTurns(gymnasium.make("test/Flaky-v0"))
    for member in range(8):
        play(env, "Flaky", 1, member, "flaky")
    failed = sum(infra("Flaky", ("flaky", 1, member)) for member in range(8))
    assert 0 < failed < 8
    assert env.batch().meta["infra_errors"] == failed
    assert env.batch().num_rollouts == 8 - failed


class Word(str, Enum):  # noqa: UP042 — as people write it
    UP = "up"


def test_actions_are_recorded_as_what_they_say_not_as_they_print() -> None:
    env = RecordTurns(gymnasium.make("test/Counter-v0", max_turns=1))
    env.reset(seed=1, options={"task": "two"})
    env.step(Word.UP)
    batch = collect(
        "test/Counter-v0", lambda views: [Word.UP], tasks=["two"], seed=1, group_size=1, env_kwargs={"max_turns": 1}
    )
    assert list(env.batch().action) == list(batch.action) == ["up"]
    assert same(env.batch(), batch)
