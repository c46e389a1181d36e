"""agentgym credit: files of any system in, the credit of every turn and a page of one conversation out."""

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest

from agentgym import TurnBatch, collect, credit
from agentgym.baselines.conversations.page import LONG, page
from agentgym.baselines.conversations.read import read
from agentgym.baselines.policies import RandomPolicy
from agentgym.batch import BatchError
from agentgym.cli import main

REFERENCE = os.environ.get("AGENTGYM_REFERENCE")


def talk(*texts):
    roles = ("user", "assistant")
    return [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]


FOREIGN = [
    {"traj": talk("book", "where to?", "Rome", "<done> & gone"), "score": {"final": 1.0}, "id": "a", "info": {}},
    {"traj": talk("book", "no"), "score": {"final": 0.0}, "id": "a", "info": {}},
    {"traj": talk("hello", "hello"), "score": {"final": 0.0}, "id": "b", "info": {}},
]
KEYS = {"messages": "traj", "outcome": "score.final", "task": "id"}
AS_KEYS = [part for name, there in KEYS.items() for part in ("--key", f"{name}={there}")]


@pytest.fixture
def foreign(tmp_path):
    file = tmp_path / "foreign.json"
    file.write_text(json.dumps(FOREIGN), "utf-8")
    return file


def test_entries_under_other_names_are_read_and_the_rest_is_named(foreign):
    batch, left = read(foreign, KEYS, success_at=1.0)
    assert left == ["info"]
    assert (batch.num_rollouts, batch.num_groups, len(batch)) == (3, 2, 4)
    assert batch.action.tolist() == ["where to?", "<done> & gone", "no", "hello"]
    assert batch.outcome_reward.tolist() == [0.0, 1.0, 0.0, 0.0]
    assert batch.success.tolist() == [True, True, False, False]


def test_json_lines_a_list_inside_and_a_single_conversation(tmp_path, foreign):
    wanted, _ = read(foreign, KEYS)
    lines = tmp_path / "lines.jsonl"
    lines.write_text("\n".join(map(json.dumps, FOREIGN)) + "\n\n", "utf-8")
    assert read(lines, KEYS)[0] == wanted
    inside = tmp_path / "inside.json"
    inside.write_text(json.dumps({"run": {"simulations": FOREIGN}}), "utf-8")
    assert read(inside, {**KEYS, "rollouts": "run.simulations"})[0] == wanted
    single = tmp_path / "single.json"
    single.write_text(json.dumps({"messages": talk("a", "b")}), "utf-8")
    assert len(read(single)[0]) == 1
    bare = tmp_path / "bare.json"
    bare.write_text(json.dumps([talk("a", "b"), talk("a", "c")]), "utf-8")
    assert read(bare)[0].num_groups == 1
    sharegpt = tmp_path / "sharegpt.json"
    sharegpt.write_text(
        json.dumps([{"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}]}])
    )
    assert read(sharegpt)[0].action.tolist() == ["b"]


def test_our_own_files(tmp_path):
    world = {"level": "goto", "num_dists": 0, "max_turns": 4}
    played = collect(
        "agentgym/BabyAI-v0", RandomPolicy(), tasks=2, group_size=2, env_kwargs=world, log=tmp_path / "log.jsonl"
    )
    played.to_jsonl(tmp_path / "batch.jsonl")
    played.to_npz(tmp_path / "batch.npz")
    for name in ("log.jsonl", "batch.jsonl", "batch.npz"):
        assert read(tmp_path / name)[0] == played


@pytest.mark.parametrize(
    ("text", "keys", "said"),
    [
        ("", {}, "the file is empty"),
        ("[1, 2", {}, "line 1: neither JSON nor JSON lines"),
        ('{"messages": []}\n{"mess', {}, "line 2: neither JSON nor JSON lines"),
        ('{"a": 1, "b": []}', {}, "holds dict with the entries a, b, not a list of rollouts; --key rollouts=NAME"),
        ('{"a": 1}', {"rollouts": "b"}, "the entry 'b' holds NoneType"),
        ("3", {}, "the file holds int"),
        ('[{"traj": []}]', {}, r"rollout 0 has no entry 'messages' \(it has traj\); --key messages=NAME"),
        ('[{"messages": []}]', {"outcome": "reward"}, "rollout 0 has no entry 'reward', which --key outcome="),
        ('[{"messages": []}]', {"outcom": "reward"}, "--key outcom=reward: unknown entry 'outcom'.*'outcome'"),
        ('[{"messages": [{"role": "user", "content": "x"}]}]', {}, "rollout 0 has no assistant message"),
        ("[7]", {}, "rollout 0"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_a_remedy(tmp_path, text, keys, said):
    file = tmp_path / "file.json"
    file.write_text(text, "utf-8")
    with pytest.raises(BatchError, match=said):
        read(file, keys)


def test_a_file_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(BatchError, match=r"nothing\.json: there is no such file"):
        read(tmp_path / "nothing.json")
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BatchError, match="neither JSON nor JSON lines"):
        read(binary)


def test_the_command_writes_numbers_and_a_page(foreign, tmp_path, capsys):
    out, values = tmp_path / "credit.html", tmp_path / "credit.jsonl"
    arguments = ["credit", str(foreign), *AS_KEYS, "--option", "rewards=outcome", "--estimator", "grpo"]
    assert main([*arguments, "--out", str(out), "--values", str(values)]) == 0
    said = capsys.readouterr().out
    assert "3 rollouts in 2 groups, 4 turns" in said
    assert "not read: the entries info" in said
    lines = [json.loads(line) for line in values.read_text("utf-8").splitlines()]
    # Group a: outcomes 1 and 0, mean ½, std ½: ±1 up to eps; group b is alone and gets 0.
    assert [round(line["credit"]["grpo"], 3) for line in lines] == [1.0, 1.0, -1.0, 0.0]
    assert [(line["group"], line["turn"]) for line in lines] == [("a", 0), ("a", 1), ("a", 0), ("b", 0)]
    text = out.read_text("utf-8")
    assert "rollout 0 (group a, trajectory 0), 2 turns, outcome 1" in text  # the one whose outcome is better
    assert "&lt;done&gt; &amp; gone" in text
    assert "<done>" not in text


def test_all_that_the_file_allows_is_estimated_and_the_rest_is_named(foreign, tmp_path, capsys):
    arguments = ["credit", str(foreign), *AS_KEYS, "--option", "rewards=outcome", "--out", str(tmp_path / "c.html")]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    table, _, missing = said.partition("grpo ")
    assert re.search(r"^estimator +turns with credit", table, re.M)
    assert re.search(r"^hcapo: not estimated, the file has no .*hindsight_logprob", missing, re.M)
    assert "gigpo: not estimated, the file has no anchor" in missing


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--estimator", "gigpo"], "estimator 'gigpo' needs the column 'anchor'"),
        (["--estimator", "grpo", "--option", "gigpo.gamma=1"], "unknown estimator 'gigpo' in --option gigpo.gamma"),
        (["--estimator", "grpo", "--option", "gama=1"], "unknown option 'gama' in --option gama"),
        (["--estimator", "grpo", "--rollout", "3"], "--rollout 3: the file has the rollouts 0 to 2"),
        (["--estimator", "grp"], "unknown estimator 'grp'"),
    ],
)
def test_refusals_of_the_command(foreign, tmp_path, capsys, more, said):
    page_file = tmp_path / "c.html"
    arguments = ["credit", str(foreign), *AS_KEYS, "--option", "rewards=outcome", "--out", str(page_file)]
    assert main([*arguments, *more]) == 1
    assert said in capsys.readouterr().err
    assert not page_file.exists()


def test_a_record_without_rewards(tmp_path, capsys):
    file = tmp_path / "bare.json"
    file.write_text(json.dumps([talk("a", "b")]), "utf-8")
    assert main(["credit", str(file), "--out", str(tmp_path / "c.html")]) == 1
    assert "--key outcome=NAME" in capsys.readouterr().err


def test_options_for_one_estimator_or_for_all(foreign, tmp_path, capsys):
    arguments = ["credit", str(foreign), *AS_KEYS, "--out", str(tmp_path / "c.html"), "--option", "rewards=outcome"]
    own = ["--estimator", "gigpo", "--option", "gigpo.similarity=0.9", "--option", "preset=verl_agent"]
    assert main([*arguments, *own, "--estimator", "grpo"]) == 0
    assert re.search(r"^grpo +\d", capsys.readouterr().out, re.M)


def turns_of(text):
    return re.findall(r"<section id=turn(\d+)>.*?</section>", text, re.S)


def test_every_turn_is_coloured_by_every_estimator(foreign):
    batch, _ = read(foreign, KEYS)
    made = {"plus": credit.as_estimator(lambda batch: np.array([1.0, -0.5, 0.0, 0.0]))(batch)}
    made["late"] = credit.as_estimator(lambda batch: np.array([0.0, 4.0, 0.0, 0.0]))(batch)
    text = page(batch, made, 0, title="x<y")
    assert turns_of(text) == ["0", "1"]
    assert "x&lt;y" in text
    # The largest value in the conversation is the full colour, half of it half the strength; 0 is white.
    assert "--c0:rgba(33,102,172,1.000)" in text
    assert "--c0:rgba(178,24,43,0.500)" in text
    assert "--c1:rgba(178,24,43,0.000)" in text
    assert "--c1:rgba(33,102,172,1.000)" in text
    assert "body:has(#e1:checked)" in text
    assert "<td class=number>+0.500</td>" in text  # the sum over the rollout, in the table of its group


def test_long_texts_are_folded_and_nothing_is_lost():
    text = "word " * LONG
    batch = TurnBatch.from_messages([talk(text, "ok")])
    made = {"none": credit.as_estimator(lambda batch: np.zeros(len(batch)))(batch)}
    html = page(batch, made, 0, title="t")
    assert "more characters</summary>" in html
    assert re.sub(r"<[^>]*>", "", html).count("word ") == LONG


@pytest.mark.skipif(
    REFERENCE is None, reason="AGENTGYM_REFERENCE is unset: the recorded airline runs are not in the repository"
)
def test_the_recorded_airline_runs(tmp_path, capsys):
    file = Path(REFERENCE) / "data" / "tau-bench" / "trajectories" / "gpt-4o-airline-first20.json"
    keys = {"messages": "traj", "outcome": "reward", "task": "task_id", "trajectory": "trial"}
    batch, left = read(file, keys, success_at=1.0)
    assert left == ["info"]
    assert (batch.num_groups, batch.num_rollouts) == (5, 20)
    assert set(np.bincount(batch.rollout_group).tolist()) == {4}
    assert batch.num_rollouts * batch.success[batch.last].mean() == 2  # two of the twenty runs were right
    out = tmp_path / "credit.html"
    named = [part for name, there in keys.items() for part in ("--key", f"{name}={there}")]
    arguments = [*named, "--option", "rewards=outcome", "--option", "gigpo.similarity=0.9", "--out", str(out)]
    assert main(["credit", str(file), *arguments, "--estimator", "grpo", "--estimator", "gigpo"]) == 0
    assert "20 rollouts in 5 groups" in capsys.readouterr().out
    assert len(turns_of(out.read_text("utf-8"))) == 10
