"""Recorded runs as a TurnBatch: small files written by hand, and the twenty runs of tau-bench."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import tau_folders
from tau_oracle import data as real
from tau_oracle import reference

from agentgym import credit
from agentgym.baselines.conversations.tau import read_tau
from agentgym.batch import BatchError
from agentgym.cli import main
from agentgym.errors import DataError

AWAY = {"reservation_id": "R1"}
BAGS = {"reservation_id": "R1", "total_baggages": 2, "nonfree_baggages": 1, "payment_id": "card"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tau_folders.tau2(tmp_path / "tau2-bench")
    return tau_folders.tau_bench(tmp_path / "tau-bench")


def says(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def calls(name: str, arguments: Any, key: str = "1") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": key, "type": "function", "function": function}],
    }


def gives(text: str, key: str = "1") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": key, "content": text}


def old_run(trial: int, reward: float, *traj: dict[str, Any]) -> dict[str, Any]:
    """A run of tau-bench: one more paid bag, and the agent says that it costs $50."""
    task = {"actions": [{"name": "update_reservation_baggages", "kwargs": BAGS}], "outputs": ["1050"]}
    return {"task_id": 7, "reward": reward, "info": {"task": task}, "traj": list(traj), "trial": trial}


START = (says("system", "Fly."), says("user", "One more bag."))
STOP = says("user", "###STOP###")
RUNS = [
    old_run(
        0, 1.0, *START,
        calls("get_reservation_details", AWAY), gives("…"),  # read
        calls("update_reservation_baggages", {**BAGS, "payment_id": "none"}),  # error; 3 of 4 arguments: 0.875
        gives("Error: payment method not found"),
        calls("get_reservation_details", AWAY), gives("…"),  # duplicate
        calls("update_reservation_baggages", BAGS), gives("…"),  # gold
        says("assistant", "That is $1,050 in all."), STOP,
    ),
    old_run(
        1, 0.0, *START,
        calls("update_reservation_baggages", {**BAGS, "total_baggages": 3}), gives("…"),  # soft: 3 of 4
        calls("cancel_reservation", AWAY), gives("…"),  # state: another write
        says("assistant", "1050, done."), STOP,
    ),
    # Cut off: everything is right, but nobody ended it.
    old_run(2, 0.0, *START, calls("update_reservation_baggages", BAGS), gives("…"), says("assistant", "1050")),
    # Wrong in the record: it is right. Its call is no JSON at first, and of no tool then.
    old_run(
        3, 0.0, *START, calls("update_reservation_baggages", "{"), gives("…"), calls("fly", {}),
        gives("Unknown action fly"), calls("update_reservation_baggages", BAGS), gives("…"),
        says("assistant", "It is 1050."), STOP,
    ),
]  # fmt: skip


def written(tmp_path: Path, held: Any) -> Path:
    file = tmp_path / "runs.json"
    file.write_text(held if isinstance(held, str) else json.dumps(held), "utf-8")
    return file


def test_runs_of_tau_bench_have_tags_states_and_rewards(folder: Path, tmp_path: Path) -> None:
    found = read_tau(written(tmp_path, RUNS), folder)
    batch = found.batch
    assert (batch.num_rollouts, batch.num_groups, len(batch)) == (4, 1, 5 + 3 + 2 + 4)
    assert list(batch.tag) == [
        *("read", "error", "duplicate", "gold", "message"), *("soft", "state", "message"), *("gold", "message"),
        *("error", "error", "gold", "message"),
    ]  # fmt: skip
    match = [row["components"]["soft_match"] for row in batch.to_rows()]
    # 0.5 + 0.5 · 3/4 = 0.875; a call of no tool of the task, or a message, fits nothing; a call without any argument
    # of the gold one has the right name: 0.5.
    assert match == [0.0, 0.875, 0.0, 1.0, 0.0, 0.875, 0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 1.0, 0.0]
    assert set(batch.task) == {"airline/7"} and batch.trajectory.tolist() == [0] * 5 + [1] * 3 + [2] * 2 + [3] * 4
    assert batch.outcome_reward[batch.last].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert batch.valid.tolist() == [True] * 11 + [False] + [True] * 2
    assert batch.truncated.tolist() == [False] * 9 + [True] + [False] * 4
    assert found.rewards == [("7", 0, 1.0, 1.0), ("7", 1, 0.0, 0.0), ("7", 2, 0.0, 0.0), ("7", 3, 0.0, 1.0)]
    assert found.notes == [
        "task 7, trial 3: recorded reward 0, graded 1 here (DB 1, COMMUNICATE 1)",
        # All but the two errors of which the text was recorded: 4 + 2 + 1 + 3 results, 2 of them as recorded.
        "8 of 10 results come out otherwise than recorded (get_reservation_details, update_reservation_baggages, "
        "cancel_reservation)",
    ]


def test_states_are_the_database_and_the_calls_made(folder: Path, tmp_path: Path) -> None:
    batch = read_tau(written(tmp_path, RUNS), folder).batch
    rows = batch.to_rows()
    first, second, third = rows[:5], rows[5:8], rows[8:10]
    assert first[0]["state"] == second[0]["state"] == third[0]["state"] == first[0]["anchor"]
    assert all(one["next_state"] == two["state"] for one, two in zip(first, first[1:], strict=False))
    assert first[1]["state"] == first[1]["next_state"] == first[2]["next_state"]  # an error, and a call made before
    assert first[3]["state"] != first[3]["next_state"] == first[4]["next_state"]  # a write, then a message
    assert first[3]["next_state"] != third[0]["next_state"]  # the same write, after another look-up
    assert credit.estimate("gigpo", batch, rewards="outcome").total.shape == (14,)


def new_runs(*simulations: dict[str, Any], domain: str = "retail", tasks: Any = None) -> dict[str, Any]:
    """tau2's results."""
    cancel = tau_folders.task("0", tau_folders.READ, tau_folders.CANCEL, communicate_info=["40"])
    info = {"environment_info": {"domain_name": domain}}
    return {"info": info, "tasks": tasks or [cancel], "simulations": list(simulations)}


def simulation(
    trial: int, reward: float | None, *messages: dict[str, Any], task: str = "0", end: str = "user_stop"
) -> Any:
    rewarded = None if reward is None else {"reward": reward}
    return {
        "task_id": task, "trial": trial, "reward_info": rewarded, "termination_reason": end, "messages": list(messages)
    }  # fmt: skip


def asks(*made: dict[str, Any], role: str = "assistant", text: str | None = None) -> dict[str, Any]:
    many = [
        {"id": str(number), "name": one["name"], "arguments": one["arguments"], "requestor": role}
        for number, one in enumerate(made)
    ]
    return {"role": role, "content": text, "tool_calls": many}


def answers(number: int, text: str, requestor: str = "assistant") -> dict[str, Any]:
    return {"id": str(number), "role": "tool", "content": text, "requestor": requestor, "error": False}


def test_runs_of_tau2_with_several_calls_in_a_message(folder: Path, tmp_path: Path) -> None:
    hello, please = says("assistant", "Hi! How can I help?"), says("user", "Cancel order #1.")
    both = asks(tau_folders.READ, tau_folders.CANCEL)
    held = new_runs(
        simulation(0, 1.0, hello, please, both, answers(0, "…"), answers(1, "…"), says("assistant", "You get $40.")),
        simulation(1, 0.0, hello, please, says("assistant", "No, not for $40.")),
        simulation(
            2, 0.0, hello, please, both, answers(0, "…"), answers(1, "…"), says("assistant", "40"), end="max_steps"
        ),
    )
    found = read_tau(written(tmp_path, held), folder.parent / "tau2-bench")
    assert list(found.batch.tag) == ["message", "gold", "message", "message", "message", "message", "gold", "message"]
    assert [(recorded, now) for *_, recorded, now in found.rewards] == [(1.0, 1.0), (0.0, 0.0), (0.0, 0.0)]
    assert found.batch.tool_result.tolist() == [False, True, False, False, False, False, True, False]
    assert found.batch.action[1].count("<tool_call>") == 2
    assert [note[:4] for note in found.notes] == ["4 of"]


def test_what_the_customer_does_on_the_phone_counts_and_is_not_seen(folder: Path, tmp_path: Path) -> None:
    toggle = {"name": "toggle_data", "arguments": {}}
    task = tau_folders.on_phone("off", tau_folders.DATA_OFF, actions=[{**toggle, "requestor": "user"}])
    talk = (
        says("assistant", "Please turn on your mobile data."),
        asks(toggle, role="user"),
        answers(0, "…", "user"),
        says("user", "It works."),
        says("assistant", "Great."),
    )
    both = simulation(0, None, *talk, task="off"), simulation(1, None, *talk[:1], task="off")
    held = new_runs(*both, domain="telecom", tasks=[task])
    found = read_tau(written(tmp_path, held), folder.parent / "tau2-bench")
    # Nothing is recorded: the outcome is what is graded here.
    assert [now for *_, now in found.rewards] == [1.0, 0.0]
    assert found.batch.outcome_reward.tolist() == [0.0, 1.0, 0.0]
    assert found.batch.observation[1] == "It works." and list(found.batch.tag) == ["message"] * 3
    assert found.batch.state[0] != found.batch.next_state[1]


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("{", "it is no JSON"),
        ([], "no recorded runs"),
        ([{"traj": []}], "run 0: info.task is missing"),
        ([{"traj": [], "info": {"task": {"actions": []}}}], "run 0: it calls no tool of airline or retail"),
        ([old_run(0, 1.0, {"role": "robot"})], "run 0, message 0: a message has the role"),
        ([old_run(0, 1.0, {"role": "user", "content": 7})], "run 0, message 0: its content is 7, no text"),
        ([old_run(0, 1.0, {"role": "assistant", "tool_calls": [{}]})], "message 0: a call needs a name and arguments"),
        ([old_run(0, 1.0, *START)], "rollout 0 has no assistant message"),
        (new_runs(domain="bank"), "unknown domain 'bank'"),
        (new_runs(simulation(0, 1.0, task="9")), "simulation 0: it is of no task of the file"),
        (new_runs(simulation(0, 1.0), tasks=[{"id": "0"}]), "task 0: it has no evaluation_criteria"),
        ({"tasks": [], "simulations": []}, "the file: info.environment_info is missing"),
    ],
)
def test_what_is_no_file_of_runs_is_refused(held: Any, said: str, folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BatchError, match=said):
        read_tau(written(tmp_path, held), folder)


def test_files_and_sets_that_are_not_there(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    with pytest.raises(BatchError, match="cannot be read"):
        read_tau(tmp_path / "none.json", folder)
    with pytest.raises(DataError, match="unknown data set 'tau9'"):
        read_tau(written(tmp_path, RUNS), "tau9")
    with pytest.raises(DataError, match="there is no database"):
        read_tau(written(tmp_path, RUNS), tmp_path)
    with pytest.raises(DataError, match="no folder, and no name of a data set"):
        read_tau(written(tmp_path, RUNS), tmp_path / "none")


def test_the_command(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page = str(written(tmp_path, RUNS)), str(tmp_path / "page.html")
    arguments = ["credit", file, "--tau", str(folder), "--estimator", "grpo", "--out", page]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "graded anew: 3 of 4 rewards as recorded" in shown and "4 rollouts in 1 groups, 14 turns" in shown
    assert main([*arguments, "--success-at", "1"]) == 1
    assert "--success-at is for other files than those of --tau" in capsys.readouterr().err


@reference
def test_the_twenty_recorded_runs_are_graded_as_recorded() -> None:
    found = read_tau(real("tau-bench/trajectories/gpt-4o-airline-first20.json"), real("tau-bench"))
    assert (found.batch.num_rollouts, found.batch.num_groups, len(found.batch)) == (20, 5, 311)
    assert [now for *_, now in found.rewards] == [recorded for *_, recorded, _ in found.rewards]
    assert sum(recorded or 0.0 for *_, recorded, _ in found.rewards) == 2.0
    # The only results that come out otherwise: the addresses of the older database have a `province`.
    assert found.notes == ["16 of 182 results come out otherwise than recorded (get_user_details)"]
    tags = Counter(found.batch.tag)
    assert tags == {"read": 131, "message": 129, "error": 16, "soft": 16, "gold": 16, "state": 2, "duplicate": 1}
