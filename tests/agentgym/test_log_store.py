"""RolloutLog: what a line holds, and that the batch of a log is the batch that collect returned."""

from __future__ import annotations

import json
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from errno import EACCES, EROFS
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import worlds
from log_worlds import Draw, Frail, Scripted, Shown

from agentgym import BatchError, LogError, PolicyError, RolloutLog, TurnBatch, TurnRng, collect
from agentgym.log import files, replay
from agentgym.rollout import Reply, RolloutError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rollouts.jsonl"


@pytest.mark.parametrize("noise", ["shared", "own"])
@pytest.mark.parametrize("name", worlds.WORLDS)
def test_the_batch_of_a_log_is_the_batch_of_collect(name: str, noise: str, path: Path) -> None:
    policy = Scripted(name)
    batch = collect(f"test/{name}-v0", policy, tasks=1, group_size=3, seed=5, noise=noise, max_live=2, log=path)
    assert "logprob" in batch.meta["partial"]  # only some turns have one, which the log brings back too
    again = TurnBatch.from_log(path)
    assert again == batch
    assert again.meta == batch.meta
    assert again.columns == batch.columns


def test_menu_replies_signals_and_numbers_come_back_exactly(path: Path) -> None:
    arguments: dict[str, Any] = {"tasks": 2, "group_size": 4, "estimators": ("gigpo", "state_graph"), "seed": 3}
    batch = collect(worlds.Counter, Draw(), signals=("potential", "expert"), log=path, **arguments)
    again = RolloutLog(path).batch()
    assert again == batch
    assert {"menu_logprobs", "token_ids", "token_logprobs", "potential", "next_potential"} <= set(again.columns)
    assert again.token_logprobs.flat.tobytes() == batch.token_logprobs.flat.tobytes()
    assert again.logprob.tobytes() == batch.logprob.tobytes()


def test_extreme_replies_come_back_exactly(path: Path) -> None:
    def policy(views: Any) -> list[Reply]:
        logps = np.array([0.0, -math.inf, -math.inf])
        return [Reply("up", 5e-324, logps, [np.int64(2**62), -1], np.array([-1e308, -0.1 - 0.2])) for _ in views]

    batch = collect(worlds.Counter, policy, tasks=["two"], group_size=1, signals=("menu",), log=path)
    assert TurnBatch.from_log(path) == batch
    assert batch.token_ids.tolist()[0] == [2**62, -1]


@pytest.mark.parametrize(
    "text", ["\ud800", "\ud83d\ude00", "\U0001f600", "a\x00b\u2028c\r\nd\x85", "\\ud800", '{"$utf8": 1}']
)
def test_any_action_comes_back(text: str, path: Path) -> None:
    batch = collect(worlds.Ledger, Shown(text), tasks=1, group_size=1, log=path)
    again = TurnBatch.from_log(path)
    assert again == batch
    assert again.action[0] == text
    assert len(path.read_text("ascii").splitlines()) == 1


def test_texts_of_other_classes_are_logged_as_plain_ones(path: Path) -> None:
    batch = collect(worlds.Counter, Shown(Word.UP, np.str_("stay")), tasks=["two"], group_size=1, log=path)
    assert TurnBatch.from_log(path) == batch
    assert next(iter(RolloutLog(path)))["actions"] == ["up", "stay", "up"]


class Word(StrEnum):
    UP = "up"


def test_a_line_that_can_be_followed_by_hand(path: Path) -> None:
    collect(Frail, Shown("up", "hop"), tasks=["two"], group_size=1, seed=7, signals=("potential",), log=path)
    (line,) = RolloutLog(path)
    # Turns: up (1 of 2), hop (invalid), up (2 of 2, solved). Frail pays 1 for each step towards the goal.
    assert [message["role"] for message in line["messages"]] == ["system", "user", *["assistant", "user"] * 3]
    assert [message["content"] for message in line["messages"]] == [
        *("Say up, down or stay.", "At 0. Reach 2.", "up", "At 1."),
        *("hop", "unknown word 'hop'; say up, down or stay", "up", "At 2."),
    ]
    assert line["actions"] == ["up", "hop", "up"]
    assert line["rewards"] == [1.0, 0.0, 1.0]
    assert (line["outcome"], line["success"], line["end_reason"]) == (1.0, True, "solved")
    assert (line["terminated"], line["truncated"]) == (True, False)
    assert (line["group"], line["trajectory"], line["member"]) == ("two#7", "two#7/0", 0)
    assert line["run"] == {"number": 0, "seed": 7, "group_size": 1, "noise": "shared"}
    assert line["env"] == Frail(signals=("potential",)).spec_dict()
    assert line["world"] == "log_worlds:Frail"
    assert [turn["info"]["potential"] for turn in line["turns"]] == [-2.0, -1.0, -1.0, 0.0]
    assert "replies" not in line
    assert "tools" not in line
    assert not any("messages" in turn["info"] for turn in line["turns"])


def test_tool_worlds_hand_out_their_tools_beside_the_messages(path: Path) -> None:
    collect(worlds.Shop, Shown("<look>item3</look>"), tasks=1, group_size=1, log=path)
    (line,) = RolloutLog(path)
    assert line["tools"] == worlds.Shop().tool_schemas
    assert "tools" not in line["turns"][0]["info"]


@pytest.mark.parametrize("name", worlds.WORLDS)
def test_the_lines_are_chat_logs(name: str, path: Path) -> None:
    batch = collect(f"test/{name}-v0", Scripted(name), tasks=1, group_size=3, log=path)
    lines = sorted(RolloutLog(path), key=lambda line: line["member"])  # they stand as they finished
    chat = TurnBatch.from_messages(lines)
    for column in ("group", "trajectory", "turn", "task", "success", "turn_reward", "outcome_reward"):
        assert chat[column].tolist() == batch[column].tolist()


def test_rollouts_lost_to_infrastructure_are_logged_and_counted(path: Path) -> None:
    def policy(views: Any) -> list[str]:
        return ["break" if view.info["task"] == "two" else "down" for view in views]

    batch = collect(Frail, policy, tasks=2, group_size=2, log=path, max_lost=0.5)
    assert batch.meta["infra_errors"] == 2
    assert [line["end_reason"] for line in RolloutLog(path)] == ["infra_error"] * 2 + ["solved"] * 2
    assert TurnBatch.from_log(path) == batch


def test_a_log_of_nothing_but_outages_gives_the_empty_batch(path: Path) -> None:
    batch = collect(Frail, Shown("break"), tasks=2, group_size=2, log=path, max_lost=1.0)
    assert len(batch) == 0
    assert TurnBatch.from_log(path) == batch
    assert len(TurnBatch.from_messages(RolloutLog(path))) == 0


def test_each_call_of_collect_is_a_run(path: Path) -> None:
    first = collect(worlds.Counter, Draw(), tasks=2, group_size=2, log=path)
    with RolloutLog(path) as log:
        second = collect(worlds.Counter, Draw(), tasks=1, group_size=2, seed=1, log=log)
        assert log.is_open
        third = collect(worlds.Counter, Draw(), tasks=1, group_size=2, log=log)
    assert not log.is_open
    assert log.runs() == [0, 1, 2]
    assert [log.batch(run) for run in log.runs()] == [first, second, third]
    assert TurnBatch.from_log(path, run=1) == second
    with pytest.raises(LogError, match=r"holds the runs 0, 1, 2: name one, as in batch\(run=2\), or join them"):
        log.batch()
    both = TurnBatch.concat(map(log.batch, log.runs()), relabel=True)
    assert len(both) == len(first) + len(second) + len(third)
    with pytest.raises(LogError, match=r"holds no run 3, only \[0, 1, 2\]"):
        log.batch(3)


@pytest.mark.parametrize("chunk", [1 << 20, 100])
def test_runs_that_were_written_side_by_side_keep_their_numbers(
    chunk: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_CHUNK", chunk)
    again = threading.Event()

    def slow(views: Any) -> list[str]:
        again.wait(20)
        return ["up"] * len(views)

    with RolloutLog(path) as log, ThreadPoolExecutor() as pool:
        first = pool.submit(collect, worlds.Counter, slow, tasks=["two"], group_size=2, log=log)
        while not log._writable().runs:
            time.sleep(0.001)
        second = collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=2, seed=5, log=log)
        again.set()
        played = [first.result(20), second]
    # The last line is of run 0, and the next run is 2 all the same.
    played.append(collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=2, seed=9, log=path))
    assert [line["run"]["number"] for line in RolloutLog(path)] == [1, 1, 0, 0, 2, 2]
    assert [TurnBatch.from_log(path, run) for run in range(3)] == played


def test_what_was_finished_when_a_policy_fails_is_in_the_log_and_in_the_error(path: Path) -> None:
    def policy(views: Any) -> list[str]:
        if views[0].info["task"] == "minus":
            raise TimeoutError("no answer")
        return ["up"] * len(views)

    with pytest.raises(PolicyError) as caught:
        collect(worlds.Counter, policy, tasks=2, group_size=2, max_live=2, log=path)
    assert caught.value.batch == TurnBatch.from_log(path)
    with RolloutLog(path) as log:  # the file is free again
        assert log.new_run() == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_named_and_loses_no_finished_rollout() -> None:
    with pytest.raises(RolloutError, match=r"cannot write to the log /dev/full: No space left on device") as caught:
        collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=2, log="/dev/full")
    assert not isinstance(caught.value, PolicyError)
    assert isinstance(caught.value.batch, TurnBatch)
    assert caught.value.batch.num_rollouts == 1  # the one that could not be written


def test_places_that_cannot_be_written_are_named_before_anything_is_played(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, why in [
        (
            tmp_path / "none" / "x.jsonl",
            rf"cannot write the log .*No such file .*\(there is no folder '{tmp_path}/none'",
        ),
        (tmp_path, "cannot write the log .*Is a directory"),
        (tmp_path / "file" / "x.jsonl", "cannot write the log .*Not a directory"),
    ]:
        with pytest.raises(LogError, match=why):
            collect(worlds.Counter, lambda views: pytest.fail("asked"), log=path)


@pytest.mark.parametrize("code", [EACCES, EROFS])
def test_a_folder_that_is_read_only_is_named(code: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: Path, mode: str) -> Any:
        raise OSError(code, "not here", str(name))

    monkeypatch.setattr(files, "FileIO", refuse)
    with pytest.raises(LogError, match=rf"cannot write the log {path}: not here \(choose a folder in which you may"):
        collect(worlds.Counter, Shown("up"), log=path)


def test_bad_arguments_make_no_file(path: Path) -> None:
    with pytest.raises(ValueError, match="group_size"):
        collect(worlds.Counter, Shown("up"), group_size=0, log=path)
    assert not path.exists()


def test_a_log_that_is_not_open_takes_nothing(path: Path) -> None:
    log = RolloutLog(path)
    with pytest.raises(LogError, match="is not open for writing: use it in a with statement"):
        log.append({})
    with pytest.raises(LogError, match="is not open"):
        log.new_run()
    log.close()
    assert not path.exists()
    assert repr(log) == f"RolloutLog({str(path)!r})"


@pytest.mark.parametrize("value", [math.nan, {1, 2}, b"x"])
def test_what_json_cannot_hold_is_refused_and_nothing_of_it_written(value: Any, path: Path) -> None:
    with RolloutLog(path) as log, pytest.raises(LogError, match="the rollout 't/0' cannot be logged in"):
        log.append({"trajectory": "t/0", "value": value})
    assert path.read_bytes() == b""


def test_reading_names_what_is_no_log(path: Path) -> None:
    with pytest.raises(LogError, match=r"cannot read the log .*rollouts\.jsonl: No such file"):
        TurnBatch.from_log(path)
    path.write_bytes(b"")
    with pytest.raises(LogError, match="holds no finished rollout"):
        TurnBatch.from_log(path)


def _without(*keys: str) -> Any:
    return lambda line: {key: value for key, value in line.items() if key not in keys}


BAD = [
    (lambda line: [line], "no rollout of a RolloutLog; this version reads 'agentgym.RolloutLog/1', and foreign"),
    (lambda line: {"messages": []}, "no rollout of a RolloutLog.*through TurnBatch.from_messages"),
    (lambda line: {**line, "schema": "agentgym.RolloutLog/2"}, "schema 'agentgym.RolloutLog/2'; this version reads"),
    (_without("seed"), "'seed' must be int, not None"),
    (lambda line: {**line, "seed": True}, "'seed' must be int, not True"),
    (lambda line: {**line, "terminated": 1}, "'terminated' must be bool, not 1"),
    (lambda line: {**line, "actions": ["up"]}, "1 actions take 2 entries of 'turns', one for the start, not 3"),
    (lambda line: {**line, "actions": [], "turns": line["turns"][:1]}, "0 actions take"),
    (lambda line: {**line, "run": {}}, r"'run' has no number \(int\)"),
    (lambda line: {**line, "run": {**line["run"], "seed": "0"}}, r"'run' has no seed \(int\)"),
    (lambda line: {**line, "run": {"number": 0, "seed": 0, "noise": "own"}}, r"'run' has no group_size \(int\)"),
    (lambda line: {**line, "replies": [{}]}, "'replies' must be a list of one entry an action, 2"),
    (lambda line: {**line, "replies": [{}, {"logp": 0}]}, r"'replies', entry 1, must hold none but logprob \(flo"),
    (lambda line: {**line, "replies": [{}, {"token_ids": ["7"]}]}, "'replies', entry 1, must hold none but"),
    (lambda line: {**line, "replies": [{}, {"token_ids": 5}]}, "'replies', entry 1, must hold none but"),
    (lambda line: {**line, "actions": ["up", 5]}, "'actions', entry 1, must be a text, not 5"),
    (lambda line: {**line, "actions": ["up", {"$utf8": "x"}]}, "'actions', entry 1, must be a text"),
    (lambda line: {**line, "actions": ["up", {"$tuple": []}]}, "'actions', entry 1, must be a text"),
    (lambda line: {**line, "turns": [*line["turns"][:2], {"info": {}}]}, "'turns', entry 2, needs an observation"),
    (
        lambda line: {**line, "turns": [{"observation": "", "info": {}}, *line["turns"][1:]]},
        r"'turns', entry 0: info\['schema'\] must be int",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_whole_line_that_holds_no_rollout_is_named_with_line_and_byte(change: Any, message: str, path: Path) -> None:
    collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=1, log=path)
    good = path.read_bytes()
    path.write_bytes(good + json.dumps(change(json.loads(good))).encode() + b"\n")
    with pytest.raises(LogError, match=rf"jsonl, line 2 \(byte {len(good)}\): {message}"):
        list(RolloutLog(path))


def test_a_whole_line_of_rubbish_is_named(path: Path) -> None:
    collect(worlds.Counter, Shown("up"), tasks=["two"], group_size=2, log=path)
    first, second = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + b"\x00\xff rubbish\n" + second)
    with pytest.raises(LogError, match=rf"line 2 \(byte {len(first)}\): not a JSON value .*leave this line out"):
        list(RolloutLog(path))


JUNK = [None, True, 0, -1, 1.5, "", "x", [], {}, [1], {"a": 1}, 2**70, [None]]


def mutated(value: Any, rng: TurnRng) -> None:
    """Replace or remove something in a record, anywhere."""
    while True:
        key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if isinstance(value[key], dict | list) and value[key] and rng.random() < 0.8:
            value = value[key]
            continue
        if rng.random() < 0.25:
            del value[key]
        else:
            value[key] = rng.choice(JUNK)
        return


@pytest.mark.parametrize("name", ["Counter", "Shop"])
def test_whatever_was_changed_in_a_line_is_read_or_refused_by_name(name: str, path: Path) -> None:
    policy = Draw() if name == "Counter" else Scripted(name)
    collect(f"test/{name}-v0", policy, tasks=1, group_size=1, log=path)
    good = path.read_bytes()
    refused = 0
    for seed in range(120):
        record = json.loads(good)
        mutated(record, TurnRng(seed))
        path.write_text(json.dumps(record) + "\n")
        for use in (RolloutLog(path).batch, lambda: replay(path), lambda: TurnBatch.from_messages(RolloutLog(path))):
            try:
                use()
            except (LogError, BatchError):
                refused += 1
    assert refused
