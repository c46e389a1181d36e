"""GroupVectorEnv(workers="threads"): worlds that wait are in flight together, and what comes out is the same."""

import pickle
import threading
import time
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pytest
import worlds
from gymnasium.vector import AutoresetMode
from vector_cases import driven

from agentgym import (
    AgentEnv,
    GroupVectorEnv,
    Opening,
    SlotError,
    StepAfterEnd,
    Task,
    Turn,
    TurnRng,
    WorkerLost,
    WorldError,
)


class Waiting(AgentEnv[int]):
    """Counts turns; "meet" waits for all others at a gate, "hang" until it is let go, "fail" raises."""

    panel = (Task("a"), Task("b"))
    max_turns = 9
    gate: ClassVar[threading.Barrier] = threading.Barrier(1)
    free: ClassVar[threading.Event] = threading.Event()
    slow_seeds: ClassVar[set[int]] = set()

    def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
        if rng.seed in self.slow_seeds:
            assert self.free.wait(20)
        return Opening(0, f"Begin {task.id}.")

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        if action.text == "meet":
            self.gate.wait(20)  # raises BrokenBarrierError unless all come
        if action.text == "hang":
            assert self.free.wait(20)
        if action.text == "fail":
            raise ConnectionError("no answer")
        if action.text == "exit":
            raise SystemExit(3)
        return Turn(state + 1, f"{action.text} {state + 1}")


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    Waiting.free, Waiting.slow_seeds = threading.Event(), set()
    before = {*threading.enumerate()}
    yield
    Waiting.free.set()
    end = time.monotonic() + 10
    while ({*threading.enumerate()} - before) and time.monotonic() < end:
        time.sleep(0.01)
    assert not {*threading.enumerate()} - before  # the threads of a vector that was closed have ended


@pytest.mark.parametrize("num_workers", [None, 6])
def test_steps_and_starts_are_in_flight_together(num_workers: int | None) -> None:
    Waiting.gate = threading.Barrier(6)
    envs = GroupVectorEnv(Waiting, 6, 3, workers="threads", num_workers=num_workers)
    envs.reset(seed=0)
    for turn in (1, 2):
        assert envs.step(["meet"] * 6)[0] == (f"meet {turn}",) * 6
    envs.close()


def test_no_more_threads_than_asked_for() -> None:
    envs = GroupVectorEnv(Waiting, 6, 3, workers="threads", num_workers=2)
    before = threading.active_count()
    envs.reset(seed=0)
    for _ in range(3):
        assert envs.step(["x"] * 6)[4]["turn"].tolist()
        assert threading.active_count() - before == 2
    envs.close()
    assert threading.active_count() == before


def test_a_vector_that_nobody_holds_ends_its_threads() -> None:
    envs = GroupVectorEnv(Waiting, 2, workers="threads")
    envs.reset(seed=0)
    del envs  # and the fixture sees that they end


@pytest.mark.parametrize("name", sorted(worlds.WORLDS))
@pytest.mark.parametrize("mode", [*AutoresetMode], ids=lambda mode: mode.value)
def test_results_are_those_of_one_thread(name: str, mode: AutoresetMode) -> None:
    rng = TurnRng(5, stream="threads")
    rows = [[rng.choice((*worlds.SCRIPTS[name], "", "<x>")) for _ in range(6)] for _ in range(12)]
    seen = []
    for workers in (None, "threads"):
        envs = GroupVectorEnv(worlds.WORLDS[name], 6, 1, autoreset_mode=mode, workers=workers)
        seen.append(driven(envs, rows, mode, seed=3))
        envs.close()
    assert seen[0] == seen[1]


def test_a_step_that_hangs_names_itself_and_the_rest_is_kept() -> None:
    envs = GroupVectorEnv(Waiting, 6, 2, workers="threads", step_timeout=0.2)
    envs.reset(seed=4, options={"tasks": ["a", "b", "a"]})
    envs.step(["x"] * 6)
    started = time.monotonic()
    with pytest.raises(WorkerLost) as caught:
        envs.step(["x", "x", "x", "hang", "x", "fail"])
    assert time.monotonic() - started < 2
    error = caught.value
    assert isinstance(error, SlotError) and error.slots == (3,) and len(error.workers) == 1
    assert str(error) == (
        f"worker {error.workers[0]} gave no answer within 0.2 s in Waiting, slot 3 (task 'b', seed 5, turn 1, action "
        "'hang'); "
        "group 1 is incomplete: restart with reset(options={'reset_mask': envs.incomplete}); slots [5] raised too; "
        "what the other slots did is in .result"
    )
    assert [*error.errors] == [5]
    texts, _, _, _, infos = error.result
    assert texts == ("x 2", "x 2", "x 2", "x 1", "x 2", "x 1")
    assert [info and info["turn"] for info in infos["turns"]] == [2, 2, 2, None, 2, None]
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.slots, again.workers) == (str(error), error.slots, error.workers)
    assert envs.live.tolist() == [True, True, True, False, True, True]
    assert envs.incomplete.tolist() == [False, False, True, True, False, False]
    with pytest.raises(StepAfterEnd, match="slot 3 was lost with its worker: restart group 1 with a reset_mask"):
        envs.step([None, None, None, "x", None, None])
    assert envs.step(["x", None, "x", None, None, "x"])[0] == ("x 3", "x 2", "x 3", "x 1", "x 2", "x 2")
    texts, infos = envs.reset(seed=[None, 8, None], options={"reset_mask": envs.incomplete})
    assert texts[2] == texts[3] and infos["turns"][3]["seed"] == 8 and not envs.incomplete.any() and envs.live.all()
    envs.close()


def test_a_late_answer_is_never_taken_for_a_new_one() -> None:
    """Where Gymnasium's AsyncVectorEnv answers each later step with the rewards of the step before (see there)."""
    envs = GroupVectorEnv(Waiting, 2, workers="threads", step_timeout=0.2)
    envs.reset(seed=0)
    with pytest.raises(WorkerLost):
        envs.step(["hang", "x"])
    old = envs.envs[0]
    envs.reset(seed=0, options={"reset_mask": envs.incomplete})
    Waiting.free.set()  # the late step now ends, in a world that is nobody's
    end = time.monotonic() + 10
    while old.snapshot().turn == 0 and time.monotonic() < end:
        time.sleep(0.005)
    assert old.snapshot().turn == 1 and envs.envs[0] is not old
    for turn in (1, 2, 3):
        texts, _, _, _, infos = envs.step([f"say {turn}", f"say {turn}"])
        assert texts == (f"say {turn} {turn}", f"say {turn} {turn + 1}")
        assert [info["turn"] for info in infos["turns"]] == [turn, turn + 1]
    envs.close()


def test_a_start_that_hangs() -> None:
    envs = GroupVectorEnv(Waiting, 4, 2, workers="threads", step_timeout=0.2)
    Waiting.slow_seeds = {11}
    with pytest.raises(WorkerLost, match=r"slot 2 \(start of task 'a', seed 11\).*group 1 is incomplete") as caught:
        envs.reset(seed=10, options={"tasks": ["b", "a"]})
    texts, infos = caught.value.result
    assert texts[:2] == ("Begin b.",) * 2 and [info and info["seed"] for info in infos["turns"]] == [10, 10, None, None]
    assert envs.live.tolist() == [True, True, False, False] and caught.value.slots == (2, 3)
    with pytest.raises(WorkerLost):  # still slow
        envs.reset(seed=[None, 11], options={"reset_mask": envs.incomplete})
    Waiting.free.set()
    assert envs.reset(seed=[None, 11], options={"reset_mask": envs.incomplete})[1]["turns"][3]["seed"] == 11
    envs.close()


def test_groups_go_on_as_they_would_have_after_a_loss() -> None:
    seeds = []
    for hang in (False, True):
        envs = GroupVectorEnv(Waiting, 4, 2, workers="threads", step_timeout=0.2)
        envs.reset(seed=1)
        if hang:
            with pytest.raises(WorkerLost):
                envs.step(["hang", "x", "x", "x"])
        else:
            envs.step(["x"] * 4)
        seeds.append([info["seed"] for info in envs.reset()[1]["turns"]])
        envs.close()
    assert seeds[0] == seeds[1]


def test_a_start_that_raises_leaves_its_group_unstarted_and_starts_the_others() -> None:
    class Picky(Waiting):
        def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
            if rng.seed == 1:
                raise ConnectionError("no answer")
            return super().initial(task, rng)

    envs = GroupVectorEnv(Picky, 6, 2, workers="threads")
    with pytest.raises(ConnectionError) as caught:
        envs.reset(seed=0)
    assert caught.value.__notes__[-1] == "in slot 2, member 0 of group 1"
    assert envs.live.tolist() == [True, True, False, False, True, True] and not envs.incomplete.any()
    envs.close()


def test_unequal_starts_are_refused() -> None:
    class Unequal(Waiting):
        made: ClassVar[int] = 0

        def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
            Unequal.made += 1
            return Opening(Unequal.made, "Begin.")

    envs = GroupVectorEnv(Unequal, 2, 2, workers="threads", num_workers=1)
    with pytest.raises(WorldError, match="members of group 0 do not start equal: in slot 1"):
        envs.reset(seed=0)
    assert not envs.live.any()
    envs.close()


def test_what_is_no_error_of_a_world_reaches_the_caller() -> None:
    envs = GroupVectorEnv(Waiting, 2, workers="threads")
    envs.reset(seed=0)
    with pytest.raises(SystemExit):
        envs.step(["exit", "x"])
    assert envs.incomplete.all() and not envs.live.any()  # nobody knows any more what was answered
    envs.reset()
    assert envs.step(["x", "x"])[0] == ("x 1", "x 1")
    envs.close()


def test_an_interrupt_while_worlds_are_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    envs = GroupVectorEnv(Waiting, 2, workers="threads")
    envs.reset(seed=0)
    with monkeypatch.context() as patch:

        def interrupted(event: threading.Event, timeout: float | None = None) -> bool:
            raise KeyboardInterrupt

        patch.setattr("agentgym._vector_threads.threading.Event.wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            envs.step(["x", None])
    assert envs.live.tolist() == [False, True] and envs.incomplete.tolist() == [True, False]
    envs.reset(options={"reset_mask": np.array([True, False])})
    assert envs.step(["x", "x"])[0] == ("x 1", "x 1")
    envs.close()


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"workers": "thread"}, "unknown workers 'thread'; did you mean 'threads'"),
        ({"num_workers": 2}, "num_workers=2 is for workers: pass workers="),
        ({"step_timeout": 2}, "step_timeout=2 is for workers"),
        ({"workers": "threads", "num_workers": 0}, "num_workers must be an integer of at least 1, not 0"),
        ({"workers": "threads", "step_timeout": 0}, "step_timeout must be a number of seconds above 0, or None, not 0"),
        ({"workers": "threads", "step_timeout": True}, "step_timeout must be .* not True"),
        ({"workers": "threads", "step_timeout": "1"}, "step_timeout must be .* not '1'"),
        ({"workers": "threads", "step_timeout": float("nan")}, "step_timeout must be .* not nan"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GroupVectorEnv(worlds.Counter, 2, **arguments)
