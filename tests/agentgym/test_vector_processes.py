"""GroupVectorEnv(workers="processes"): the same results, and the loss of a process by name."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
import worlds
from gymnasium.vector import AsyncVectorEnv, AutoresetMode
from processes import readable
from vector_cases import driven
from worker_worlds import Brittle

from agentgym import AgentEnv, AgentGymError, GroupVectorEnv, SlotError, StepAfterEnd, ToolCall, TurnRng, WorkerLost

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="signals and forks are POSIX's"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning"),
]
SPAWN, FORKSERVER = (pytest.param(name, marks=pytest.mark.slow) for name in ("spawn", "forkserver"))
METHODS = ["fork", SPAWN, FORKSERVER]


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    yield
    assert multiprocessing.active_children() == []  # none is left by a vector that was closed


def brittle(num_envs: int = 4, group_size: int = 1, num_workers: int = 2, **kwargs: Any) -> GroupVectorEnv:
    kwargs = {"context": "fork", "tasks": Brittle.panel["train"], **kwargs}
    return GroupVectorEnv(Brittle, num_envs, group_size, workers="processes", num_workers=num_workers, **kwargs)


def alive(pid: int) -> bool:
    """Return whether a process runs; one that has ended and waits for its parent does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(pids: list[int], seconds: float) -> bool:
    """Return whether processes end within so many seconds."""
    end = time.monotonic() + seconds
    while any(alive(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(alive(pid) for pid in pids)


# ---- the same results ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(worlds.WORLDS))
@pytest.mark.parametrize("mode", [*AutoresetMode], ids=lambda mode: mode.value)
def test_results_are_those_of_one_process(name: str, mode: AutoresetMode) -> None:
    rng = TurnRng(6, stream="processes")
    rows = [[rng.choice((*worlds.SCRIPTS[name], "", "<x>")) for _ in range(6)] for _ in range(12)]
    seen = []
    for extra in ({}, {"workers": "processes", "num_workers": 3, "context": "fork"}):
        envs = GroupVectorEnv(worlds.WORLDS[name], 6, 1, autoreset_mode=mode, **extra)
        seen.append([*driven(envs, rows, mode, seed=3), [moment.to_bytes() for moment in envs.call("snapshot")]])
        envs.close()
    assert seen[0] == seen[1]


@pytest.mark.parametrize("method", ["fork", "spawn", FORKSERVER])
def test_groups_and_subsets_however_processes_start(method: str) -> None:
    seen = []
    for extra in ({}, {"workers": "processes", "num_workers": 2, "context": method}):
        envs = GroupVectorEnv("test/Shop-v0", 6, 2, noise="own", autoreset_mode="SameStep", max_turns=2, **extra)
        texts, infos = envs.reset(seed=[4, None, 9])
        steps: list[Any] = [(texts, infos["turns"])]
        for row in (
            [ToolCall("look", {"key": "item3"}), None, "<look>item4</look>", None, None, None],
            ["x", "y", None, "<look>item1</look>", "z", np.str_("w")],
            ["x", "y", "x", "y", "x", "y"],
        ):
            texts, rewards, terminated, truncated, infos = envs.step(row)
            finals = infos.get("final_turns")
            steps.append((texts, rewards.tolist(), terminated.tolist(), truncated.tolist(), infos["turns"], finals))
        texts, infos = envs.reset(options={"reset_mask": np.arange(6) < 4})
        seen.append([*steps, texts, infos["turns"], envs.live.tolist(), envs.render(), envs.np_random_seed[4:]])
        assert repr(envs) == "GroupVectorEnv(test/Shop-v0, num_envs=6, group_size=2)"
        envs.close()
    drawn = seen[0][0][1][2]["seed"]  # the second group's first seed was drawn from entropy in each
    assert drawn != seen[1][0][1][2]["seed"] and seen[0][0][1][0] == seen[1][0][1][0]
    assert [step[0] for step in seen[0][:4]] == [step[0] for step in seen[1][:4]]
    for one, other in zip(seen[0][1:4], seen[1][1:4], strict=True):
        assert one[1:4] == other[1:4]
        assert [*one[4][:2], *one[4][4:]] == [*other[4][:2], *other[4][4:]]


def test_calls_reach_every_world() -> None:
    envs = brittle(num_workers=2)
    envs.reset(seed=0)
    pids = envs.call("pid")
    assert pids[0] == pids[1] != pids[2] == pids[3] and os.getpid() not in pids
    envs.set_attr("note", [1, 2, 3, 4])
    envs.set_attr("max_turns", 3)
    assert envs.get_attr("note") == (1, 2, 3, 4) and envs.get_attr("max_turns") == (3,) * 4
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        envs.get_attr("nothing")
    with pytest.raises(AttributeError, match=r"the worlds are in other processes: reach them by call\(name, …\)"):
        _ = envs.envs
    single = Brittle()
    single.reset(seed=5)
    single.step("hello")
    envs.call("restore", single.snapshot().to_bytes())
    assert envs.render() == ("hello 1",) * 4 and envs.step(["x"] * 4)[0] == ("x 2",) * 4
    os.kill(pids[0], signal.SIGKILL)
    with pytest.raises(AgentGymError, match=r"worker 0 \(process \d+\) was killed by SIGKILL in call"):
        envs.call("pid")
    with pytest.raises(AgentGymError, match=r"workers \[0\] were lost: reset their groups first"):
        envs.call("pid")
    envs.reset(seed=0)
    assert envs.get_attr("note") == (1, 2, 3, 4)  # also in the new process
    assert envs.get_attr("max_turns") == (3,) * 4 and envs.call("pid")[2] == pids[2]
    envs.close()


def test_nothing_is_sent_when_an_action_is_refused() -> None:
    envs = brittle(num_workers=2)
    with pytest.raises(StepAfterEnd, match="slot 0 has no episode"):
        envs.step(["x"] * 4)
    envs.reset(seed=0)
    asked = envs._slots._asked  # type: ignore[union-attr]
    for actions, kind, message in (
        (["x"] * 3, ValueError, "3 actions for 4 slots"),
        (["x"] * 5, ValueError, "5 actions for 4 slots"),
        (["x", "x", "x", 7], TypeError, "the action for slot 3 must be"),
        ("abcd", TypeError, "a sequence of actions"),
    ):
        with pytest.raises(kind, match=message):
            envs.step(actions)
    assert envs._slots._asked == asked  # type: ignore[union-attr]
    assert envs.step(["x"] * 4)[0] == ("x 1",) * 4  # nobody is a step behind
    assert envs.step(["y"] * 4)[0] == ("y 2",) * 4
    envs.close()


# ---- worlds that raise -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["fork", SPAWN])
def test_a_world_that_raises(method: str) -> None:
    envs = brittle(4, 2, context=method)
    envs.reset(seed=6, options={"tasks": ["a", "b"]})
    envs.step(["x"] * 4)
    with pytest.raises(
        SlotError, match=r"slot 2 raised ConnectionError.* task 'b', seed 7, turn 1; .*3. raised"
    ) as caught:
        envs.step(["x", "x", "fail", "odd"])
    error = caught.value
    assert not isinstance(error, WorkerLost) and [*error.errors] == [2, 3] and error.__cause__ is error.errors[2]
    step, place, remote = error.errors[2].__notes__
    assert step == "in step of Brittle, task 'b', seed 7, branch 0, turn 1, action 'fail'"
    assert place == "in slot 2, member 0 of group 1"
    assert remote.startswith("in worker 1, process ") and 'raise ConnectionError("no answer")' in remote
    assert type(error.errors[3]) is RuntimeError and str(error.errors[3]) == "worker_worlds.Odd: 1 and 2 are odd"
    assert "raise Odd(1, 2)" in error.errors[3].__notes__[-1]
    assert error.result[0] == ("x 2", "x 2", "x 1", "x 1")
    assert envs.live.all() and not envs.incomplete.any()
    assert envs.step([None, None, "x", "x"])[0] == ("x 2",) * 4  # as if nothing had been
    envs.close()


def test_a_start_that_raises_leaves_its_group_unstarted() -> None:
    envs = brittle(6, 2, num_workers=1)
    with pytest.raises(ConnectionError, match="no answer") as caught:
        envs.reset(seed=14 + 0, options={"reset_mask": np.arange(6) // 2 == 1})  # the middle group's seed is 15
    assert "in slot 2, member 0 of group 1" in caught.value.__notes__
    assert not envs.live.any() and not envs.incomplete.any()
    with pytest.raises(ConnectionError):
        envs.reset(seed=[1, 15, 2])
    assert envs.live.tolist() == [True, True, False, False, True, True]
    envs.close()


# ---- workers that are lost -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "action, message",
    [
        ("kill", r"worker 1 \(process \d+\) was killed by SIGKILL"),
        ("leave", r"worker 1 \(process \d+\) ended with status 7"),
        ("hang", "worker 1 gave no answer within 0.4 s"),
        ("spin", "worker 1 gave no answer within 0.4 s"),
        ("stop", "worker 1 gave no answer within 0.4 s"),
    ],
)
@pytest.mark.parametrize("method", ["fork", SPAWN])
def test_a_lost_worker_is_named_and_replaced(method: str, action: str, message: str) -> None:
    dies = action in ("kill", "leave")
    envs = brittle(8, 2, context=method, step_timeout=None if dies else 0.4)
    envs.reset(seed=4, options={"tasks": ["a", "b", "a", "b"]})
    envs.step(["x"] * 8)
    pids = [*{*envs.call("pid")}]
    started = time.monotonic()
    with pytest.raises(WorkerLost, match=f"^{message} in Brittle") as caught:
        envs.step(["x", None, "fail", "x", None, action, "x", "x"])
    assert time.monotonic() - started < 2
    error = caught.value
    told = str(error)
    for place in (
        "slot 4 (task 'a', seed 6, turn 1)", f"slot 5 (task 'a', seed 6, turn 1, action '{action}')",
        "slot 6 (task 'b', seed 7, turn 1, action 'x')", "slot 7 (task 'b', seed 7, turn 1, action 'x')",
        "groups [2, 3] are incomplete: restart with reset(options={'reset_mask': envs.incomplete})",
        "slots [2] raised too",
    ):  # fmt: skip
        assert place in told
    assert error.workers == (1,) and error.slots == (4, 5, 6, 7) and [*error.errors] == [2]
    assert str(pickle.loads(pickle.dumps(error))) == told
    texts, _, _, _, infos = error.result
    assert texts == ("x 2", "x 1", "x 1", "x 2", "x 1", "x 1", "x 1", "x 1")
    assert [slot for slot, info in enumerate(infos["turns"]) if info is not None] == [0, 3]
    assert envs.live.tolist() == [True] * 4 + [False] * 4
    assert envs.incomplete.tolist() == [False] * 4 + [True] * 4
    with pytest.raises(StepAfterEnd, match="slot 6 was lost with its worker: restart group 3"):
        envs.step([None] * 6 + ["x", None])
    assert envs.step(["x"] * 4 + [None] * 4)[0][:4] == ("x 3", "x 2", "x 2", "x 3")
    mask = envs.incomplete
    mask[:6] = False  # one of the two groups alone
    envs.reset(seed=[None, None, None, 9], options={"reset_mask": mask})
    assert envs.live.tolist() == [True] * 4 + [False] * 2 + [True] * 2
    assert envs.incomplete.tolist() == [False] * 4 + [True] * 2 + [False] * 2
    envs.reset(options={"reset_mask": envs.incomplete})
    assert envs.live.all() and not envs.incomplete.any()
    assert envs.step(["x"] * 8)[0][4:] == ("x 1",) * 4
    now = {*envs.call("pid")}
    assert len(now & {*pids}) == 1 and len(now) == 2
    started = time.monotonic()
    envs.close()
    assert time.monotonic() - started < 5 and ended([*pids, *now], 1)


def test_new_workers_draw_the_seeds_that_the_lost_ones_would_have_drawn() -> None:
    seeds = []
    for action in ("x", "kill"):
        envs = brittle(4, 2, autoreset_mode="SameStep", max_turns=2)
        envs.reset(seed=1)
        envs.reset()
        for _ in range(4):
            envs.step(["x"] * 4)  # each slot begins two more episodes
        if action == "kill":
            with pytest.raises(WorkerLost):
                envs.step(["x", "x", "x", "kill"])
        else:
            envs.step(["x"] * 4)
        begun = [info["seed"] for info in envs.reset()[1]["turns"]]
        envs.close()
        seeds.append(begun)
    assert seeds[0] == seeds[1] and seeds[0][0] == seeds[0][1] != seeds[0][2]


@pytest.mark.parametrize("seed, message", [(13, "was killed by SIGKILL"), (14, "gave no answer within 0.4 s")])
def test_a_worker_that_is_lost_in_a_start(seed: int, message: str) -> None:
    envs = brittle(4, 2, step_timeout=0.4 if seed == 14 else None)
    with pytest.raises(WorkerLost, match=rf"{message} in Brittle, slot 2 \(start of task 'b', seed {seed}\)") as caught:
        envs.reset(seed=[3, seed], options={"tasks": ["a", "b"]})
    texts, infos = caught.value.result
    assert texts[:2] == ("Begin a.",) * 2 and [info and info["seed"] for info in infos["turns"]] == [3, 3, None, None]
    assert envs.incomplete.tolist() == [False, False, True, True] and caught.value.slots == (2, 3)
    envs.reset(seed=[None, 8], options={"reset_mask": envs.incomplete})
    assert envs.live.all()
    envs.close()


def test_workers_that_die_between_steps() -> None:
    envs = brittle(4, 1, num_workers=4)
    envs.reset(seed=0)
    envs.step(["x"] * 4)
    pids = envs.call("pid")
    for pid in pids[1:3]:
        os.kill(pid, signal.SIGKILL)
    assert ended([*pids[1:3]], 2)
    with pytest.raises(WorkerLost) as caught:
        envs.step(["x"] * 4)
    assert caught.value.workers == (1, 2) and "; worker 2 (process" in str(caught.value)
    assert caught.value.result[0] == ("x 2", "x 1", "x 1", "x 2")
    envs.close()


def test_a_loss_when_no_episode_was_under_way_tears_none() -> None:
    envs = brittle(2, 1, num_workers=2, max_turns=1, autoreset_mode="NextStep")
    envs.reset(seed=0)
    envs.step(["x", "x"])
    os.kill(envs.call("pid")[1], signal.SIGKILL)
    with pytest.raises(AgentGymError):
        envs.call("pid")
    assert not envs.incomplete.any() and not envs.live.any()
    with pytest.raises(StepAfterEnd, match="slot 1 was lost with its worker"):
        envs.step([None, "x"])
    envs.reset()
    assert envs.live.all()
    envs.close()


# ---- answers that come too late --------------------------------------------------------------------------------------


class Echo(Brittle):
    """Pays what it is told to, at its own pace."""

    max_turns = 50
    rewards = worlds.RewardSpec({"said": 1.0})

    def transition(self, state: int, action: Any, rng: TurnRng) -> Any:
        turn = super().transition(state, action, rng)
        turn.rewards = {"said": float(action.text.split()[-1])}
        return turn


def test_gymnasiums_vector_shifts_rewards_after_a_timeout_and_ours_does_not() -> None:
    """gymnasium's AsyncVectorEnv: the reply that came too late is taken for the reply to the next step, for ever."""
    theirs = AsyncVectorEnv(
        [partial(Echo, reward="dense") for _ in range(3)], context="fork", autoreset_mode=AutoresetMode.DISABLED
    )
    theirs.reset(seed=0)
    theirs.step_async(("wait 0.6", "say 1", "say 2"))
    with pytest.raises(multiprocessing.TimeoutError):
        theirs.step_wait(timeout=0.2)
    seen = [theirs.step(tuple(f"say {10 * step + slot}" for slot in range(3)))[1].tolist() for step in (1, 2, 3)]
    theirs.close()
    shifted = seen == [[0.6, 1, 2], [10, 11, 12], [20, 21, 22]]
    ours = GroupVectorEnv(Echo, 3, workers="processes", num_workers=3, context="fork", step_timeout=0.2, reward="dense")
    ours.reset(seed=0)
    with pytest.raises(WorkerLost) as caught:
        ours.step(["wait 0.6", "say 1", "say 2"])
    assert caught.value.result[1].tolist() == [0, 1, 2] and ours.incomplete.tolist() == [True, False, False]
    ours.reset(options={"reset_mask": ours.incomplete})
    time.sleep(0.7)  # whatever comes late has come
    mine = [ours.step([f"say {10 * step + slot}" for slot in range(3)])[1].tolist() for step in (1, 2, 3)]
    ours.close()
    assert mine == [[10, 11, 12], [20, 21, 22], [30, 31, 32]]
    assert shifted, f"AsyncVectorEnv was mended: {seen}; say so in docs/vectors.md"


def test_an_answer_to_another_question_ends_the_worker() -> None:
    envs = brittle(2, 1, num_workers=2)
    envs.reset(seed=0)
    line = envs._slots._workers[1].line  # type: ignore[union-attr]
    line.send(999, pickle.dumps(("step", (["x"],))))  # a question that the vector does not know of
    with pytest.raises(WorkerLost, match="worker 1 answered question 999 when") as caught:
        envs.step(["y", "y"])
    assert caught.value.result[0] == ("y 1", "Begin a.") or caught.value.result[0][0] == "y 1"
    envs.reset(options={"reset_mask": envs.incomplete})
    assert envs.step(["z", "z"])[0] == ("z 2", "z 1")
    envs.close()


def test_an_interrupt_leaves_nothing_half_done(monkeypatch: pytest.MonkeyPatch) -> None:
    envs = brittle(4, 1, num_workers=2)
    envs.reset(seed=0)
    pids = envs.call("pid")
    with monkeypatch.context() as patch:

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        patch.setattr("agentgym._vector_processes.wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            envs.step(["x", None, None, None])
    assert envs.live.tolist() == [False, False, True, True] and envs.incomplete.tolist() == [True, True, False, False]
    envs.reset(options={"reset_mask": envs.incomplete})
    assert envs.step(["x"] * 4)[0] == ("x 1",) * 4
    envs.close()
    assert ended([*pids], 1)


# ---- starting and ending ---------------------------------------------------------------------------------------------


def test_closing_ends_workers_that_are_stopped() -> None:
    envs = brittle(2, 1, num_workers=2)
    envs.reset(seed=0)
    pids = [*envs.call("pid")]
    os.kill(pids[0], signal.SIGSTOP)
    started = time.monotonic()
    envs.close()
    assert time.monotonic() - started < 5 and ended(pids, 1)
    envs.close()


def test_a_vector_that_nobody_holds_ends_its_workers() -> None:
    envs = brittle(2, 1, num_workers=2)
    pids = [*envs.call("pid")]
    del envs
    assert ended(pids, 2)


@pytest.mark.parametrize("method", METHODS)
def test_worlds_that_cannot_be_built_elsewhere(method: str) -> None:
    for refuses, message in (
        ("database", "worker 0 could not build Brittle: OSError.'no database here'"),
        ("dies", r"worker 0 \(process \d+\) was killed by SIGKILL before its worlds were built"),
    ):
        if method == "spawn" or refuses == "database" or method == "fork":
            with pytest.raises(AgentGymError, match=message):
                brittle(context=method, num_workers=1, refuses=refuses)
    if method == "fork":
        with pytest.raises(AgentGymError, match="built a Brittle whose version is 'other', where it is '1' here"):
            brittle(context=method, num_workers=1, unlike=True)
        brittle(context=method, num_workers=1, codes=lambda: 1).close()  # a fork has it already
    else:
        with pytest.raises(AgentGymError, match="the argument 'codes' of Brittle cannot be sent to another process"):
            brittle(context=method, num_workers=1, codes=lambda: 1)

        class Local(AgentEnv[int]):
            panel = Brittle.panel

            def transition(self, state: int, action: Any, rng: TurnRng) -> Any:
                raise NotImplementedError

        with pytest.raises(AgentGymError, match="the class Local cannot be sent to another process"):
            GroupVectorEnv(Local, 2, workers="processes", context=method)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"workers": "process"}, "unknown workers 'process'; did you mean 'processes'"),
        ({"context": "fork"}, "context='fork' is for processes: pass workers='processes' too"),
        ({"workers": "threads", "context": "fork"}, "context='fork' is for processes"),
        (
            {"workers": "processes", "context": "spwan"},
            "unknown context 'spwan' of this platform; did you mean 'spawn'",
        ),
        ({"workers": "processes", "num_workers": 3}, "num_workers=3 is more than there are groups: take at most 2"),
        ({"workers": "processes", "num_workers": True}, "num_workers must be an integer of at least 1, not True"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GroupVectorEnv(worlds.Counter, 4, 2, **arguments)


SCRIPT = """
import sys, time
sys.path[:0] = {path!r}
from worker_worlds import Brittle
from agentgym import GroupVectorEnv
if __name__ == "__main__":
    envs = GroupVectorEnv(Brittle, 3, workers="processes", num_workers=3, context={method!r})
    envs.reset(seed=0)
    print(*envs.call("pid"), flush=True)
    if {action!r}:
        envs.step([{action!r}, "x", "hang"])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a worker that never lets go of Python's lock is ended by Linux")
@pytest.mark.parametrize("method", METHODS)
def test_no_worker_outlives_a_parent_that_was_killed(method: str, tmp_path: Any) -> None:
    script = tmp_path / "script.py"
    action = "hang" if method == "forkserver" else "spin"  # which holds Python's lock; see docs/vectors.md
    script.write_text(SCRIPT.format(path=[path for path in sys.path if path], method=method, action=action))
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    try:
        pids = [int(word) for word in parent.stdout.readline().split()]
        assert len({*pids}) == 3 and all(alive(pid) for pid in pids)
        time.sleep(0.2)  # two are at work
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert ended(pids, 2)
    finally:
        parent.kill()
        parent.stdout.close()
        parent.wait()


@pytest.mark.parametrize("method", ["fork", SPAWN])
def test_a_script_that_closes_nothing_ends_quietly(method: str, tmp_path: Any) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(path=[path for path in sys.path if path], method=method, action=""))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert ended([int(word) for word in done.stdout.split()], 1)


def test_control_c_reaches_the_parent_alone(tmp_path: Any) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(path=[path for path in sys.path if path], method="fork", action="hang"))
    parent = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert parent.stdout is not None
    assert readable(parent.stdout.fileno(), 30)
    pids = [int(word) for word in parent.stdout.readline().split()]
    time.sleep(0.2)
    os.killpg(parent.pid, signal.SIGINT)  # as a terminal does
    _, errors = parent.communicate(timeout=10)
    assert errors.count("KeyboardInterrupt") == 1 and errors.count("Traceback") == 1
    assert ended(pids, 2)


@pytest.mark.slow
def test_a_script_without_a_main_guard_is_told_so(tmp_path: Any) -> None:
    script = tmp_path / "script.py"
    whole = SCRIPT.format(path=[path for path in sys.path if path], method="spawn", action="")
    script.write_text(whole.replace('if __name__ == "__main__":', "if True:"))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    last = done.stderr.splitlines()[-1]
    assert "ended with status 1 before its worlds were built; a script that makes workers needs if __name__" in last
