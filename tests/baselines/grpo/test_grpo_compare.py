"""A comparison: equal warm starts, one run a name and seed, nothing run twice."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import grpo_world
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym.baselines.grpo import compare, train  # noqa: E402

SIZES = {
    "updates": 1, "rollouts": 4, "group_size": 2, "eval_tasks": 3, "eval_rollouts": 2, "width": 16, "layers": 1,
    "heads": 2, "context": 96, "max_new_tokens": 3, "warm_episodes": 16, "warm_epochs": 1,
}  # fmt: skip


@pytest.fixture(autouse=True)
def no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentgym.baselines.grpo.report.render", lambda *_: "")


def arguments(out: Path, *more: str) -> list[str]:
    grpo_world.config()
    return [grpo_world.ENV, "--out", str(out), "--config", json.dumps(SIZES), "--seeds", "2", *more]


def test_runs_begin_equal_and_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compare.main(arguments(tmp_path / "c", "--name", "gigpo", "--name", "zero")) == 0
    names = {path.name for path in (tmp_path / "c").iterdir()}
    runs = {"warm-0", "warm-1", "gigpo-0", "gigpo-1", "zero-0", "zero-1"}
    assert names == runs | {"compare.json", "compare.md", "compare.svg"}
    found = {
        run: json.loads((tmp_path / "c" / run / "summary.json").read_text())
        for run in ("gigpo-0", "zero-0", "gigpo-1", "zero-1")
    }
    assert found["gigpo-0"]["before"] == found["zero-0"]["before"]
    assert (found["zero-1"]["estimator"], found["zero-1"]["control"]) == ("gigpo", "zero")
    rows = json.loads((tmp_path / "c/compare.json").read_text())["rows"]
    assert [row["name"] for row in rows] == ["gigpo", "zero"]
    assert rows[1]["gains"] == [0.0, 0.0]

    def again(*_: Any, **__: Any) -> None:
        pytest.fail("a finished run was run again")

    monkeypatch.setattr(train.Trainer, "update", again)
    seeds, write = [], compare.write_json
    monkeypatch.setattr(compare, "write_json", lambda path, value: (seeds.append(value["seeds"]), write(path, value)))
    assert compare.main(arguments(tmp_path / "c", "--name", "gigpo", "--name", "zero")) == 0
    assert seeds == [[0], [0, 1]]  # what was stopped names no seed that has not been run


def test_event_files_are_written_on_request_into_each_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tensorboard")
    short = [*arguments(tmp_path / "c", "--name", "grpo", "--name", "zero", "--tensorboard"), "--seeds", "1"]
    assert compare.main(short) == 0
    for run in ("grpo-0", "zero-0"):
        assert len(list((tmp_path / "c" / run).glob("events.*"))) == 1
    assert not list((tmp_path / "c/warm-0").glob("events.*"))


def test_event_files_that_cannot_be_written_are_refused_before_the_warm_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    assert compare.main(arguments(tmp_path / "c", "--name", "grpo", "--tensorboard")) == 1
    assert "--tensorboard needs the package tensorboard" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "c").exists()


def test_curves_are_means_over_the_seeds(tmp_path: Path) -> None:
    for seed, success, ends in ((0, (0.5, 0.75), (0.25, 1.0)), (1, (0.0, 0.25), (0.75, 0.5))):
        run = tmp_path / f"grpo-{seed}"
        run.mkdir()
        lines = [json.dumps({"update": update, "success": value}) for update, value in enumerate(success, 1)]
        (run / "metrics.jsonl").write_text("\n".join(lines) + "\n")
        (run / "summary.json").write_text(json.dumps({"before": ends[0], "after": ends[1]}))
    learning, held_out = compare.curves(tmp_path, ["grpo"], [0, 1])
    assert learning == {"grpo": [{"update": 1, "success": 0.25}, {"update": 2, "success": 0.5}]}
    assert held_out == {"grpo": [(0, 0.5), (2, 0.75)]}


def test_the_table_is_in_points() -> None:
    """Gains 0.1 and 0.2: mean 15 points; Student's interval 12.706 · 0.0707/√2 = 63.5 points to either side."""
    row = {"name": "grpo", "gains": [0.1, 0.2], **compare.t_interval([0.1, 0.2])}
    assert compare.table([row]).splitlines()[-1] == "| grpo | +15.0 | -48.5 … +78.5 | +10.0, +20.0 |"


def test_without_matplotlib_no_warm_start_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(compare, "warm_start", lambda *_, **__: pytest.fail("the expert was imitated"))
    assert compare.main(arguments(tmp_path / "c", "--name", "grpo")) == 1
    assert "pip install -e '.[bench]'" in capsys.readouterr().err.replace("\n", " ")


def test_bad_input_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare.main(arguments(tmp_path / "c", "--name", "zero")) == 1
    assert "the first name must be an estimator" in capsys.readouterr().err
    assert compare.main(arguments(tmp_path / "c", "--name", "grop")) == 1
    assert "did you mean 'grpo'?" in capsys.readouterr().err.replace("\n", " ")
    assert not (tmp_path / "c").exists()


def test_what_was_run_with_another_configuration_is_not_taken_for_this_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Finished runs and warm starts were taken by the name of their folder alone."""
    one = [*arguments(tmp_path / "c", "--name", "gigpo"), "--seeds", "1"]
    assert compare.main(one) == 0
    before = (tmp_path / "c/compare.json").read_text()
    other = [json.dumps({**SIZES, "lr": 0.01}) if part == json.dumps(SIZES) else part for part in one]
    assert compare.main(other) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "was run with another configuration (lr: 0.0002 there, 0.01 here): repeat that, or choose another" in said
    assert (tmp_path / "c/compare.json").read_text() == before
    (tmp_path / "c").rename(tmp_path / "moved")
    assert compare.main([str(tmp_path / "moved") if part == str(tmp_path / "c") else part for part in one]) == 0
