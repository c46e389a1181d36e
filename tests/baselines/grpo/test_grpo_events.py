"""TensorBoard's event files say what metrics.jsonl says, each update once, read with TensorBoard's own reader."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import grpo_world
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")
pytest.importorskip("tensorboard", reason="event files need tensorboard: pip install tensorboard")

from agentgym.baselines.grpo import command, train  # noqa: E402
from agentgym.baselines.grpo.events import Events  # noqa: E402


def read(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Return (step, value) by name, as TensorBoard shows them."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = EventAccumulator(str(folder), size_guidance={"scalars": 0})  # 0: keep all
    found.Reload()
    return {name: [(event.step, event.value) for event in found.Scalars(name)] for name in found.Tags()["scalars"]}


def written(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text("utf-8").splitlines()]


def expected(records: list[dict[str, Any]]) -> dict[str, list[tuple[int, Any]]]:
    """Return what event files of these records hold: numbers in single precision, no lists and no shares by name."""
    out: dict[str, list[tuple[int, Any]]] = {}
    for record in records:
        for name, value in record.items():
            if name not in ("update", "advantage_by_turn", "tags"):
                out.setdefault(name, []).append((record["update"], pytest.approx(value, rel=1e-6)))
    return out


def next_second() -> None:
    """Wait for the next second: TensorBoard orders files by the second in their names, and no run restarts so fast."""
    begun = int(time.time())
    while int(time.time()) == begun:
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the figures out, which take seconds."""
    monkeypatch.setattr("agentgym.baselines.grpo.report.render", lambda *_: "")


def test_event_files_hold_the_numbers_of_metrics_jsonl(tmp_path: Path) -> None:
    command.train(grpo_world.config(), str(tmp_path / "run"), tensorboard=True)
    records, found = written(tmp_path / "run"), read(tmp_path / "run")
    assert found == expected(records)
    assert [step for step, _ in found["success"]] == [1, 2]
    assert [step for step, _ in found["held_success"]] == [2]  # evaluated every second update


def test_without_the_flag_there_are_none(tmp_path: Path) -> None:
    command.train(grpo_world.config(updates=1), str(tmp_path / "run"))
    assert not list((tmp_path / "run").glob("events.*"))


@pytest.mark.parametrize("before", [True, False])
def test_a_resumed_run_shows_each_update_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bool) -> None:
    """Update 2 is undone: the checkpoint after update 1 is the last. `before`: the first part wrote event files too."""
    config, folder = grpo_world.config(updates=3, save_every=3, eval_every=3), tmp_path / "run"
    real, calls = train.Trainer.update, []

    def cut(self: Any, progress: Any = None) -> Any:
        calls.append(1)
        if len(calls) == 2:
            self.save()  # of update 1
        if len(calls) == 3:
            raise KeyboardInterrupt
        return real(self, progress)

    monkeypatch.setattr(train.Trainer, "update", cut)
    with pytest.raises(KeyboardInterrupt):
        command.train(config, str(folder), tensorboard=before)
    assert [record["update"] for record in written(folder)] == [1, 2]
    assert [step for step, _ in read(folder).get("success", [])] == ([1, 2] if before else [])
    next_second()
    command.train(config, str(folder), resume=True, tensorboard=True)
    assert len(list(folder.glob("events.*"))) == 1 + before
    found = read(folder)
    assert found == expected(written(folder))
    assert [step for step, _ in found["success"]] == [1, 2, 3]


def test_a_record_is_on_the_disk_once_it_is_added(tmp_path: Path) -> None:
    events = Events(tmp_path, [{"update": 1, "loss": 0.5}])
    events.add({"update": 2, "loss": float("nan"), "turns": 3, "advantage_by_turn": [1.0]})
    found = read(tmp_path)
    events.writer.close()
    assert found == {"loss": [(1, 0.5), (2, pytest.approx(float("nan"), nan_ok=True))], "turns": [(2, 3.0)]}
