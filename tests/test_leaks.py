"""Worlds and vectors that are played and closed leave nothing behind; `make leaks` plays 10,000 episodes of each."""

import os
import sys
from pathlib import Path

import leaks
import pytest
import worlds

from agentgym import GroupVectorEnv

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what a process holds is read from /proc")


QUICK = ("agentgym/BabyAI-v0",)


@pytest.mark.parametrize(
    "world", [world if world in QUICK else pytest.param(world, marks=pytest.mark.slow) for world in leaks.worlds()]
)
def test_a_few_episodes_leave_nothing(world: str) -> None:
    found = next(leaks.measured([world], 12, 6, 3, 3))
    assert found.faults == []
    assert found.after.files < 64


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_vectors_that_are_closed_leave_nothing() -> None:
    def play(count: int) -> None:
        for number in range(count):
            for how in ({}, {"workers": "threads"}, {"workers": "processes", "num_workers": 2, "context": "fork"}):
                envs = GroupVectorEnv(worlds.Counter, 4, 2, **how)
                envs.reset(seed=number)
                envs.step(["up"] * 4)
                envs.close()

    play(2)
    before = leaks.held()
    play(15)
    assert leaks.held() == before


class Leaky(worlds.Counter):
    """Keeps a file open and a kilobyte of each episode."""

    kept: list[object] = []  # noqa: RUF012 — that is the fault

    def initial(self, task: object, rng: object) -> object:
        Leaky.kept.append((bytes(4096), os.open(os.devnull, os.O_RDONLY)))
        return super().initial(task, rng)  # type: ignore[arg-type]


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks.gymnasium, "make", lambda *_, **__: Leaky())
    try:
        found = leaks.measure("leaky", 40, 5, 2, 5)
        assert found.traced > 40 * 4096
        assert len(found.faults) == 2 and "traced memory grew by" in found.faults[0] and "it held" in found.faults[1]
    finally:
        for _, file in Leaky.kept:  # type: ignore[misc]
            os.close(file)
        Leaky.kept.clear()


def test_the_measure_names_every_world() -> None:
    assert {"agentgym/BabyAI-v0", "agentgym/Sales-v0"} <= {*leaks.worlds()}
    assert Path(leaks.__file__).name == "leaks.py"
