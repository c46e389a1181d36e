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


def run_log(tmp_path, runs=1):
    """A log of `runs` runs of two groups of two."""
    file = tmp_path / "log.jsonl"
    world = {"level": "goto", "num_dists": 0, "max_turns": 4}
    played = [
        collect("agentgym/BabyAI-v0", RandomPolicy(), tasks=2, group_size=2, seed=seed, env_kwargs=world, log=file)
        for seed in range(runs)
    ]
    return file, played


def test_a_log_of_several_runs_is_read_run_by_run(tmp_path, capsys):
    file, played = run_log(tmp_path, runs=2)
    for keys in ({}, {"outcome": "outcome"}):
        with pytest.raises(BatchError, match=r"holds the runs 0, 1: --run 1 reads the last"):
            read(file, keys)
        with pytest.raises(BatchError, match=r"--run 2: .*holds the runs 0, 1"):
            read(file, keys, run=2)
    assert [read(file, run=number)[0] for number in (0, 1)] == played
    assert set(read(file, {"outcome": "outcome"}, run=1)[0].trajectory) == set(played[1].trajectory)
    out = ["--out", str(tmp_path / "c.html"), "--estimator", "grpo"]
    assert main(["credit", str(file), *out]) == 1
    assert "--run 1" in capsys.readouterr().err
    assert main(["credit", str(file), *out, "--run", "1"]) == 0


@pytest.mark.parametrize("keys", [{}, KEYS])
def test_what_is_no_log_has_no_runs(foreign, keys):
    with pytest.raises(BatchError, match="--run 0: "):
        read(foreign, keys, run=0)


def test_outages_of_a_log_are_no_failures_under_keys_either(tmp_path, capsys):
    file, [played] = run_log(tmp_path)
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    lost = dict(lines[0], end_reason="infra_error")
    lost.pop("outcome")
    file.write_text("".join(json.dumps(line) + "\n" for line in [lost, *lines[1:]]), "utf-8")
    for keys in ({"outcome": "outcome"}, {"task": "task"}):
        assert read(file, keys)[0].num_rollouts == played.num_rollouts - 1
    file.write_text(json.dumps(lost) + "\n", "utf-8")
    assert main(["credit", str(file), "--key", "task=task", "--out", str(tmp_path / "c.html")]) == 1
    assert "holds no rollout but such as an infrastructure error ended" in capsys.readouterr().err
    assert not (tmp_path / "c.html").exists()


@pytest.mark.parametrize("at", [float("nan"), float("inf")])
def test_success_at_is_finite(foreign, at):
    with pytest.raises(BatchError, match=f"--success-at {at}: give a finite number"):
        read(foreign, KEYS, success_at=at)


def test_what_the_file_says_of_success_stands(tmp_path):
    file = tmp_path / "said.json"
    file.write_text(json.dumps([{"messages": talk("a", "b"), "outcome": 1.0, "success": False}]), "utf-8")
    assert read(file)[0].success.tolist() == [False]
    with pytest.raises(BatchError, match=r"--success-at 1: .*says itself which rollouts succeeded"):
        read(file, success_at=1.0)


def test_folders_and_pipes_are_called_what_they_are(tmp_path):
    with pytest.raises(BatchError, match="is a folder"):
        read(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BatchError, match="is a pipe or a device"):
        read(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--out", "foreign.json"], "--out foreign.json is the file of LOG"),
        (["--out", "sub/../foreign.json"], "is the file of LOG"),
        (["--values", "hard.json"], "--values hard.json is the file of LOG"),
        (["--out", "x", "--values", "x"], "--values x is the file of --out"),
        (["--out", "nowhere/c.html"], "--out nowhere/c.html: there is no folder 'nowhere'"),
        (["--values", "nowhere/v"], "--values nowhere/v: there is no folder 'nowhere'"),
        (["--out", "sub"], "--out 'sub' is a folder"),
        (["--values", ""], "--values '' is empty"),
        (["--values", "pipe"], "--values pipe is no plain file"),
    ],
)
def test_results_that_cannot_be_written_are_refused_first(foreign, tmp_path, capsys, monkeypatch, more, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    os.link(foreign, tmp_path / "hard.json")
    os.mkfifo(tmp_path / "pipe")
    before = foreign.read_bytes()
    assert main(["credit", "foreign.json", *AS_KEYS, "--option", "rewards=outcome", "--estimator", "grpo", *more]) == 1
    assert said in capsys.readouterr().err
    assert foreign.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["foreign.json", "hard.json", "pipe", "sub"]


def test_a_record_without_texts_writes_nothing(tmp_path, capsys):
    columns = {"group": [0, 0], "trajectory": [0, 1], "turn": [0, 0], "outcome_reward": [1.0, 0.0]}
    TurnBatch.from_columns(columns).to_jsonl(tmp_path / "bare.jsonl")
    out, values = tmp_path / "c.html", tmp_path / "v.jsonl"
    arguments = ["--estimator", "grpo", "--option", "rewards=outcome", "--out", str(out), "--values", str(values)]
    assert main(["credit", str(tmp_path / "bare.jsonl"), *arguments]) == 1
    assert "the page of a conversation needs the column 'observation'" in capsys.readouterr().err
    assert not out.exists()
    assert not values.exists()


def test_rewards_and_outcomes_without_prefixes_leave_slate_out(tmp_path, capsys):
    file = tmp_path / "both.json"
    runs = [{"messages": talk("a", "b"), "outcome": float(n), "rewards": [0.5 * n]} for n in range(2)]
    file.write_text(json.dumps(runs), "utf-8")
    assert main(["credit", str(file), "--out", str(tmp_path / "c.html")]) == 0
    said = capsys.readouterr().out
    assert re.search(r"^slate: not estimated, .*'prefix' nor 'state'", said, re.M)
    assert re.search(r"^grpo +100.0%", said, re.M)


def test_an_option_that_all_refuse_is_the_reason(foreign, tmp_path, capsys):
    arguments = ["credit", str(foreign), *AS_KEYS, "--out", str(tmp_path / "c.html"), "--option", "rewards=outcom"]
    assert main(arguments) == 1
    assert "'outcome'" in capsys.readouterr().err  # the nearest value is offered


def test_estimators_of_one_short_name_keep_apart(foreign, tmp_path, capsys):
    files = []
    for number, folder in enumerate("xy", 1):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "e.py").write_text(
            f"def f(batch, *, by=0.0):\n    return batch.turn * 0.0 + {number} + by\n"
        )
        files.append(f"{tmp_path / folder / 'e.py'}:f")
    values = tmp_path / "v.jsonl"
    arguments = ["credit", str(foreign), *AS_KEYS, "--out", str(tmp_path / "c.html"), "--values", str(values)]
    named = [part for name in (files[0], *files) for part in ("--estimator", name)]
    assert main([*arguments, *named, "--option", f"{files[1]}.by=4"]) == 0
    first = json.loads(values.read_text().partition("\n")[0])
    assert first["credit"] == {files[0]: 1.0, files[1]: 6.0}
    assert main([*arguments, *named[:4]]) == 0  # one estimator, named twice
    assert "e.py:f" in json.loads(values.read_text().partition("\n")[0])["credit"]


def test_half_a_pair_of_surrogates_is_shown_as_its_escape(tmp_path):
    file, out, values = tmp_path / "half.json", tmp_path / "c.html", tmp_path / "v.jsonl"
    runs = [{"messages": talk("a\ud800", "é\udfff"), "outcome": 1.0, "group": "g\ud800"}] * 2
    file.write_text(json.dumps(runs), "utf-8")
    arguments = ["--estimator", "grpo", "--option", "rewards=outcome", "--out", str(out), "--values", str(values)]
    assert main(["credit", str(file), *arguments]) == 0
    text = out.read_text("utf-8")
    assert "a\\ud800" in text
    assert "é\\udfff" in text
    assert json.loads(values.read_text("ascii").partition("\n")[0])["group"] == "g\ud800"


def test_the_rollout_of_a_page_is_there(foreign):
    batch, _ = read(foreign, KEYS)
    made = {"none": credit.as_estimator(lambda batch: np.zeros(len(batch)))(batch)}
    for rollout in (-1, 3):
        with pytest.raises(ValueError, match=f"no rollout {rollout} among the 3"):
            page(batch, made, rollout, title="t")


def test_a_large_group_is_summed_once(monkeypatch):
    size = 200
    batch = TurnBatch.from_messages([{"messages": talk("a", "b"), "outcome": float(n)} for n in range(size)])
    made = {"none": credit.as_estimator(lambda batch: np.zeros(len(batch)))(batch)}
    calls = []
    bincount = np.bincount
    monkeypatch.setattr(np, "bincount", lambda *arguments: calls.append(1) or bincount(*arguments))
    assert f"outcome {size - 1}<" in page(batch, made, 0, title="t")
    assert len(calls) <= 4  # whatever the size


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
