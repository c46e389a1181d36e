"""A whole run from the command line: files, resume, refusals before the first rollout."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import grpo_world
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym.baselines.grpo import command, train  # noqa: E402
from agentgym.baselines.grpo.config import TrainError  # noqa: E402
from agentgym.baselines.grpo.logs import Journal  # noqa: E402
from agentgym.cli import main  # noqa: E402

SMALL = [
    *("updates=2", "rollouts=8", "group_size=4", "eval_tasks=3", "eval_rollouts=2", "width=16", "layers=1", "heads=2"),
    *("context=96", "max_new_tokens=3", "warm_episodes=16", "warm_epochs=2", "warm_lr=0.01", "lr=0.001"),
]


def arguments(out: Path, *more: str, sizes: list[str] = SMALL) -> list[str]:
    grpo_world.config()
    settings = [part for size in sizes for part in ("--config", size)]
    return ["train", grpo_world.ENV, "--out", str(out), *settings, *more]


def test_a_run_leaves_checkpoints_metrics_summary_and_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(tmp_path / "run", "--estimator", "gigpo")) == 0
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {"warm.pt", "latest.pt", "warm.json", "metrics.jsonl", "summary.json", "report.html"}
    records = [json.loads(line) for line in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    assert [record["update"] for record in records] == [1, 2]
    told = {"success", "return", "advantage_by_turn", "zero_variance", "no_credit", "repetition", "tokens_per_second"}
    assert {*told, "tags"} <= set(records[0])
    assert "held_success" in records[1]
    found = json.loads((tmp_path / "run/summary.json").read_text())
    assert found["estimator"] == "gigpo"
    assert found["after"] == records[1]["held_success"]
    page = (tmp_path / "run/report.html").read_text()
    assert page.count("<svg") >= 8
    assert "gigpo" in page
    shown = capsys.readouterr().err
    assert "update   2/2" in shown
    assert "warm start: held-out success" in shown


@pytest.fixture
def no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the figures out, which take seconds."""
    monkeypatch.setattr("agentgym.baselines.grpo.report.render", lambda *_: "")


@pytest.mark.usefixtures("no_page")
def test_an_interrupted_run_resumes_to_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(arguments(tmp_path / "a")) == 0
    real, calls = train.Trainer.update, []

    def interrupted(self: Any, progress: Any = None) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(self, progress)

    monkeypatch.setattr(train.Trainer, "update", interrupted)
    assert main(arguments(tmp_path / "b")) == 130
    monkeypatch.setattr(train.Trainer, "update", real)
    assert main(arguments(tmp_path / "b", "--resume")) == 0
    timed = {"seconds_rollout", "seconds_train", "tokens_per_second"}
    straight, resumed = (
        [
            {name: value for name, value in json.loads(line).items() if name not in timed}
            for line in (tmp_path / folder / "metrics.jsonl").read_text().splitlines()
        ]
        for folder in "ab"
    )
    assert straight == resumed
    assert len(straight) == 2


@pytest.mark.usefixtures("no_page")
def test_a_run_can_begin_with_the_weights_of_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(tmp_path / "a")) == 0
    before = json.loads((tmp_path / "a/summary.json").read_text())["before"]
    capsys.readouterr()
    assert main(arguments(tmp_path / "b", "--config", f"warm_from={tmp_path / 'a/warm.pt'}", "--control", "zero")) == 0
    found = json.loads((tmp_path / "b/summary.json").read_text())
    assert "imitation" not in capsys.readouterr().err
    assert found["before"] == found["after"] == before  # nothing was learnt, and the same draws evaluate it


@pytest.mark.parametrize(
    "more, said",
    [
        (["--config", "group_size=16"], "group_size 16 is larger than the batch of 8 rollouts"),
        (["--estimator", "grop"], "did you mean 'grpo'?"),
        (["--config", "rolouts=8"], "did you mean 'rollouts'?"),
        (["--config", "context=8", "--config", "max_new_tokens=4"], "raise context from 8"),
        (["--config", "warm_from=/nowhere/warm.pt"], "there is no checkpoint /nowhere/warm.pt"),
        (["--resume"], "leave out --resume to start a run there"),
        (["--preset", "gpus"], "did you mean 'gpu'?"),
        (["--preset", "gpu", "--config", "warm_episodes=0"], "preset 'gpu' has no model to begin with"),
    ],
)
def test_bad_input_is_refused_before_the_first_rollout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, more: list[str], said: str
) -> None:
    monkeypatch.setattr("agentgym.baselines.grpo.train.play", lambda *_, **__: pytest.fail("a rollout was played"))
    assert main(arguments(tmp_path / "run", *more)) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("missing", "more", "said"),
    [
        ("matplotlib", [], "the report needs matplotlib: pip install 'agentgym-suite[bench]', in a checkout"),
        ("tensorboard", ["--tensorboard"], "pip install tensorboard, or leave the flag out"),
    ],
)
@pytest.mark.parametrize("resume", [False, True])
def test_a_missing_library_of_the_end_is_named_before_the_first_rollout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    missing: str, more: list[str], said: str, resume: bool,
) -> None:  # fmt: skip
    for name in [name for name in sys.modules if missing in name.split(".")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.setattr(command, "prepare", lambda *_: pytest.fail("a rollout was played"))
    assert main(arguments(tmp_path / "run", *more, *(["--resume"] if resume else []))) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_an_estimator_that_finds_its_column_missing_only_when_run_is_refused_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text("def mine(batch):\n    return batch.critique\n")
    assert main(arguments(tmp_path / "run", "--estimator", f"{tmp_path / 'mine.py'}:mine")) == 1
    assert "rollouts of tests/Walk-v0 do not have it: choose another estimator" in capsys.readouterr().err


@pytest.mark.usefixtures("no_page")
def test_a_folder_with_a_run_is_not_overwritten_and_another_configuration_not_resumed(tmp_path: Path) -> None:
    config = grpo_world.config(updates=1)
    command.train(config, str(tmp_path / "run"))
    with pytest.raises(TrainError, match="holds a run already: add --resume"):
        command.train(config, str(tmp_path / "run"))
    other = grpo_world.config(updates=1, lr=0.5)
    with pytest.raises(TrainError, match=r"another configuration \(lr: 0.001 there, 0.5 here\)"):
        command.train(other, str(tmp_path / "run"), resume=True)


def test_lines_of_updates_that_a_crash_undid_are_dropped(tmp_path: Path) -> None:
    journal = Journal(tmp_path, 0)
    for update in (1, 2, 3):
        journal.add({"update": update})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"update": 4, "succ')
    assert [record["update"] for record in Journal(tmp_path, 2).records] == [1, 2]
    assert (tmp_path / "metrics.jsonl").read_text() == '{"update": 1}\n{"update": 2}\n'


def fails_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Let memory run out once, in the `number`-th evaluation of a run, the first being that of the warm start."""
    real, calls = train.Trainer.evaluate, []

    def evaluate(self: Any, ks: Any = ()) -> Any:
        calls.append(1)
        if len(calls) != number:
            return real(self, ks)
        with monkeypatch.context() as inner:
            inner.setattr(train, "play", out_of_memory)
            return real(self, ks)

    monkeypatch.setattr(train.Trainer, "evaluate", evaluate)


def out_of_memory(*_: Any, **__: Any) -> Any:
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")


@pytest.mark.usefixtures("no_page")
@pytest.mark.parametrize(("number", "lines"), [(1, 0), (2, 1), (3, 2)])
def test_a_run_whose_evaluation_ran_out_of_memory_resumes_to_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, lines: int
) -> None:
    """Of the warm start (no warm.pt yet, which the divergence is from), after an update, and after the last one."""
    more = ["--config", "eval_every=1", "--config", "kl=0.01"]
    assert main(arguments(tmp_path / "a", *more)) == 0
    with monkeypatch.context() as inner:
        fails_at(inner, number)
        assert main(arguments(tmp_path / "b", *more)) == 1
    metrics = tmp_path / "b/metrics.jsonl"
    assert len(metrics.read_text().splitlines() if metrics.exists() else []) == lines
    assert main(arguments(tmp_path / "b", *more, "--resume")) == 0
    timed = {"seconds_rollout", "seconds_train", "tokens_per_second"}
    straight, resumed = (
        [{name: value for name, value in json.loads(line).items() if name not in timed} for line in text.splitlines()]
        for text in ((tmp_path / "a/metrics.jsonl").read_text(), metrics.read_text())
    )
    assert straight == resumed
    one, two = (json.loads((tmp_path / folder / "summary.json").read_text()) for folder in "ab")
    assert (one["before"], one["after"]) == (two["before"], two["after"])


@pytest.mark.usefixtures("no_page")
def test_a_resumed_run_needs_no_more_what_it_began_with(tmp_path: Path) -> None:
    grpo_world.trainer(tmp_path / "a").save()
    more = [*arguments(tmp_path / "b"), "--config", f"warm_from={tmp_path / 'a/latest.pt'}"]
    assert main(more) == 0
    (tmp_path / "a/latest.pt").unlink()
    assert main([*more, "--resume"]) == 0


def test_a_prompt_of_a_held_out_task_that_does_not_fit_is_refused_before_the_warm_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the training tasks' prompts were measured: a longer one ended the run in its first evaluation."""
    real = grpo_world.Walk.initial

    def longer(self: Any, task: Any, rng: Any) -> Any:
        opening = real(self, task, rng)
        return opening if task.data["k"] >= 0 else type(opening)(opening.state, "walk " * 200, opening.observation)

    monkeypatch.setattr(grpo_world.Walk, "initial", longer)
    monkeypatch.setattr("agentgym.baselines.grpo.command.imitate", lambda *_: pytest.fail("it was warm-started"))
    assert main(arguments(tmp_path / "run")) == 1
    assert "the first prompt of task 'dev-1' has" in capsys.readouterr().err
