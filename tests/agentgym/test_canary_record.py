"""The record that a trainer hands over: how it is read, and what single rollouts are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agentgym import BatchError, canary, collect
from agentgym.baselines.policies import RandomPolicy
from agentgym.canary.truth import replayed
from agentgym.cli import main

WORDS = ("amber", "olive", "amber")


def rollout(world: str = "Middle", words: tuple[str, ...] = WORDS, seed: int = 2, **more: Any) -> dict[str, Any]:
    """Return a whole rollout as chat messages."""
    texts = replayed(world, seed, words).observations
    messages = [{"role": "system", "content": "Play one word at a time."}, {"role": "user", "content": texts[0]}]
    for word, text in zip(words, texts[1:], strict=True):
        messages += [{"role": "assistant", "content": word}, {"role": "user", "content": text}]
    return {"messages": messages, **more}


def status(report: canary.Report) -> dict[str, str]:
    return {line.check: line.status for line in report.lines}


def note(report: canary.Report, check: str) -> str:
    return next(line.note for line in report.lines if line.check == check)


def test_messages_alone_say_what_they_can() -> None:
    found = status(canary.judge([rollout()]))
    assert found == {
        "opening": "kept", "observations": "kept", "actions": "kept", "outages": "kept", "rewards": "not checked",
        "groups": "not checked", "truncation": "not checked", "lengths": "not checked", "mask": "not checked",
        "replies": "not checked", "sampled": "not checked", "ratio": "not checked", "constant": "not checked",
        "credit": "not checked",
    }  # fmt: skip


@pytest.mark.parametrize(
    "shape",
    [
        lambda role, text: {"role": role, "content": text},
        lambda role, text: {"role": role, "content": [{"type": "text", "text": text}]},
        lambda role, text: {"from": {"assistant": "gpt", "user": "human"}.get(role, role), "value": text},
    ],
)
def test_messages_have_any_of_the_usual_shapes(shape: Any) -> None:
    plain = rollout()["messages"]
    report = canary.judge([[shape(one["role"], one["content"]) for one in plain]])
    assert report.ok, str(report)


def test_a_lost_opening_is_not_taken_for_another_fault() -> None:
    given = rollout()
    del given["messages"][1]
    report = canary.judge([given])
    assert report.dropped == ["opening"]
    assert "Middle game 2: Any word for now." in note(report, "opening")


@pytest.mark.parametrize("change", ["lost", "twice", "swapped", "cut"])
def test_a_later_observation_is_there_once_and_in_its_place(change: str) -> None:
    given = rollout()
    said = given["messages"]
    if change == "lost":
        said[3]["content"] = ""
    elif change == "twice":
        said[5]["content"] = said[3]["content"] + said[5]["content"]
    elif change == "swapped":
        said[3]["content"], said[5]["content"] = said[5]["content"], said[3]["content"]
    else:
        said[3]["content"] = said[3]["content"][:60]
    assert canary.judge([given]).dropped == ["observations"]


def test_a_reply_that_the_world_was_not_sent_is_named() -> None:
    given = rollout()
    given["messages"][2]["content"] = "olive"
    report = canary.judge([given])
    assert report.dropped == ["actions"]
    assert "reply 1 reads 'olive'" in note(report, "actions")


def test_white_space_of_templates_makes_no_difference() -> None:
    given = rollout()
    for message in given["messages"]:
        message["content"] = "\n" + message["content"].replace(" ", "  ") + "\n\n"
    assert canary.judge([given]).ok


@pytest.mark.parametrize(
    "entry, said",
    [
        ({"reward": 0.0}, "0, 1, 0, 1 in all, and the trainer has 0: the last turn's reward alone"),
        ({"reward": 2.0}, "the trainer has 2: something else"),
        ({"rewards": [0.0, 1.0]}, "2 rewards for 3 turns"),
        ({"rewards": [0.0, 0.0, 1.0]}, "turn 2 was paid 1 and the trainer has 0"),
    ],
)
def test_a_wrong_reward_is_told_with_what_it_is(entry: dict[str, Any], said: str) -> None:
    report = canary.judge([rollout("Wages", **entry)])
    assert report.dropped == ["rewards"]
    assert said in note(report, "rewards")


@pytest.mark.parametrize("entry", [{"reward": 1.0}, {"rewards": np.array([0, 1, 0], np.float32)}])
def test_right_rewards_pass_in_both_forms(entry: dict[str, Any]) -> None:
    assert canary.judge([rollout("Wages", **entry)]).ok


def test_a_group_holds_one_game() -> None:
    same = [rollout(seed=2, group="g"), rollout(seed=2, words=("olive",) * 3, group="g")]
    assert status(canary.judge(same))["groups"] == "kept"
    other = [rollout(seed=2, group="g"), rollout(seed=3, group="g")]
    report = canary.judge(other)
    assert report.dropped == ["groups"]
    assert "group 'g' holds Middle game 2 and Middle game 3" in note(report, "groups")


def tokens(pieces: str, mask: str, **more: Any) -> dict[str, Any]:
    """Return a rollout of Control with ids: one a word of `pieces`."""
    words = pieces.split()
    found = rollout("Control", ("amber",), ids=list(range(len(words))), pieces=words, mask=[int(one) for one in mask])
    return {**found, **more}


@pytest.mark.parametrize(
    "mask, dropped",
    [
        ("0000110", []),  # the reply and what closes it
        ("0000100", []),
        ("0001110", ["mask"]),  # «move.» too
        ("1111111", ["mask"]),
        ("0000000", ["replies"]),
        ("0000001", ["mask", "replies"]),  # another token than the reply
    ],
)
def test_what_counts_in_the_loss_is_the_reply_alone(mask: str, dropped: list[str]) -> None:
    assert canary.judge([tokens("Control game 2:Your move. amber <end> Control", mask)]).dropped == dropped


@pytest.mark.parametrize(
    "sampled, ok",
    [([[4, 5]], True), ([[4]], True), ([[9, 5]], False), ([[4, 5], [7]], False), ([[4, 4, 5]], False)],
)
def test_sampled_ids_are_found_as_they_were_sampled(sampled: list[list[int]], ok: bool) -> None:
    report = canary.judge([tokens("Control game 2:Your move. amber <end> Control", "0000110", sampled=sampled)])
    assert report.dropped == ([] if ok else ["sampled"])


def test_log_probabilities_may_differ_by_rounding_alone() -> None:
    def with_gap(gap: float) -> dict[str, Any]:
        old = [0.0] * 4 + [-1.0, -0.5, 0.0]
        return tokens("Control game 2:Your move. amber <end> Control", "0000110", logprobs=old,
                      rescored=[-9.0] * 4 + [-1.0 - gap, -0.5 + gap, -9.0])  # fmt: skip

    assert canary.judge([with_gap(0.01)]).ok  # what stands where nothing was sampled is not looked at
    assert canary.judge([with_gap(0.1)]).dropped == ["ratio"]


@pytest.mark.parametrize("name", ["pieces", "mask", "logprobs", "rescored", "advantages"])
def test_lists_of_other_lengths_than_the_ids_are_told(name: str) -> None:
    whole = {"logprobs": [-1.0] * 7, "rescored": [-1.0] * 7, "advantages": [0.0] * 7}
    given = tokens("Control game 2:Your move. amber <end> Control", "0000110", **whole)
    assert canary.judge([given]).ok
    given[name] = given[name][:-1]
    assert canary.judge([given]).dropped == ["lengths"]


def test_equal_rewards_have_no_advantage_and_better_ones_the_greater() -> None:
    flat = [rollout("Flat", (word,), group=1, advantages=0.056) for word in ("amber", "olive")]  # 1e-6 in float32
    assert canary.judge(flat).dropped == ["constant"]
    right = [rollout("Control", (word,), group=1, advantages=a) for word, a in (("amber", 1.0), ("olive", -1.0))]
    assert canary.judge(right).ok
    for values in ((-1.0, 1.0), (0.0, 0.0)):
        wrong = [{**one, "advantages": value} for one, value in zip(right, values, strict=True)]
        assert canary.judge(wrong).dropped == ["credit"]


def test_a_lost_rollout_that_was_trained_on_is_told() -> None:
    report = canary.judge([rollout("Outage", ("amber",), seed=3, reward=0.0)])
    assert report.dropped == ["outages"]
    assert "game 3 ended with infra_error" in note(report, "outages")


def test_foreign_texts_are_no_canary() -> None:
    talk = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "amber"}]
    report = canary.judge([talk])
    assert report.dropped == ["opening", "observations"]
    assert "hold no observation of a canary world" in note(report, "opening")
    assert not canary.judge([]).ok  # nothing was looked at


@pytest.mark.parametrize(
    "given, said",
    [
        ([{"messages": "amber"}], "rollout 0 has no list of messages"),
        ([rollout(), rollout(mask=1)], "rollout 1: mask must be a list of numbers"),
        ([rollout(reward=[1.0])], "rollout 0: reward must be one number"),
        ([rollout(rewards=[float("nan"), 0.0, 0.0])], "rollout 0: rewards holds nan, which is no finite number"),
        ([rollout(msak=[1])], "unknown entry 'msak'; did you mean 'mask'"),
        ([rollout(ids="x")], "rollout 0: ids must be a list"),
        ([rollout(truncated="no")], "rollout 0: truncated must be True or False"),
    ],
)
def test_what_cannot_be_read_is_named(given: Any, said: str) -> None:
    with pytest.raises(BatchError, match=said):
        canary.judge(given)


def test_a_batch_and_its_file_are_read_alike(tmp_path: Path) -> None:
    batch = collect(canary.world_id("Shift"), RandomPolicy(), tasks=4, group_size=4)
    batch.to_jsonl(tmp_path / "batch.jsonl")
    report = canary.judge(batch)
    assert report.ok and status(report)["truncation"] == "kept" and status(report)["rewards"] == "kept"
    assert str(canary.judge(tmp_path / "batch.jsonl")) == str(report)


# ---- the command -----------------------------------------------------------------------------------------------------


def write(path: Path, rollouts: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(one) + "\n" for one in rollouts), "utf-8")
    return str(path)


def test_the_command_judges_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = write(tmp_path / "good.jsonl", [rollout("Wages", reward=1.0)])
    bad = write(tmp_path / "bad.jsonl", [rollout("Wages", reward=0.0)])
    assert main(["canary", good]) == 0
    assert "rewards       record  kept         1 rollouts" in capsys.readouterr().out
    assert main(["canary", good, bad, "--json", str(tmp_path / "report.json")]) == 1
    assert "bad.jsonl, line 1: the turns were paid 0, 1, 0" in capsys.readouterr().out
    assert json.loads((tmp_path / "report.json").read_text())["dropped"] == ["rewards"]


def test_the_command_trains_by_a_function_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(
        "import gymnasium\n\n\ndef train(world):\n    env = gymnasium.make(world)\n    for seed in range(40):\n"
        "        env.reset(seed=seed)\n        over = False\n        while not over:\n"
        "            _, _, terminated, truncated, _ = env.step('olive')\n            over = terminated or truncated\n",
        "utf-8",
    )
    where = f"{tmp_path / 'mine.py'}:train"
    assert main(["canary", "--train", where, "--world", "Shift", "--no-lessons"]) == 1
    out = capsys.readouterr().out
    assert "groups    diary   dropped      40 of 40 episodes are the only ones of their seed" in out
    assert main(["canary", "--train", where, "--world", "Control"]) == 1
    assert "learning  lesson  not checked  10 last episodes in Control, needs 16" in capsys.readouterr().out


def test_the_command_alone_tells_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["canary"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in (*canary.WORLDS, *canary.ABOUT))


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["x.jsonl", "--train", "a:b"], "not both"),
        (["--train", "nowhere"], "--train takes"),
        (["--train", "nowhere.py:train"], "there is no file 'nowhere.py'"),
        (["--train", "no_such_module:train"], "cannot import 'no_such_module'"),
        (["--train", "agentgym.canary:trane"], "unknown trainer 'trane'"),
        (["--train", "agentgym.canary:judge", "--world", "Hnit"], "did you mean 'Hint'"),
        (["nowhere.jsonl"], "nowhere.jsonl: No such file"),
    ],
)
def test_the_command_refuses_with_a_remedy(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["canary", *arguments]) == 1
    assert said in capsys.readouterr().err
