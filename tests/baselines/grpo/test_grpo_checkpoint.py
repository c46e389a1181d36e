"""Checkpoints are whole or not there, and belong to one configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grpo_world
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym.baselines.grpo import checkpoint  # noqa: E402
from agentgym.baselines.grpo.config import TrainError  # noqa: E402

STATE = {"config": {"lr": 1.0, "seed": 0}, "model": {"w": torch.ones(2)}}


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    checkpoint.save(tmp_path / "c.pt", STATE)
    found = checkpoint.load(tmp_path / "c.pt", STATE["config"])
    assert torch.equal(found["model"]["w"], torch.ones(2))
    assert [path.name for path in tmp_path.iterdir()] == ["c.pt"]


def test_a_write_that_fails_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "c.pt"
    checkpoint.save(path, STATE)
    real = torch.save

    def failing(state: object, file: object) -> None:
        real({"half": 1}, file)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", failing)
    with pytest.raises(OSError, match="No space left"):
        checkpoint.save(path, STATE)
    assert torch.equal(checkpoint.load(path)["model"]["w"], torch.ones(2))
    assert [entry.name for entry in tmp_path.iterdir()] == ["c.pt"]


def test_a_checkpoint_of_another_configuration_is_refused_naming_the_fields(tmp_path: Path) -> None:
    checkpoint.save(tmp_path / "c.pt", STATE)
    with pytest.raises(TrainError, match=r"another configuration \(lr: 1.0 there, 2.0 here\): repeat that, or choose"):
        checkpoint.load(tmp_path / "c.pt", {"lr": 2.0, "seed": 0})


def test_a_missing_a_torn_and_a_foreign_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TrainError, match="leave out --resume to start a run there"):
        checkpoint.load(tmp_path / "c.pt", STATE["config"])
    with pytest.raises(TrainError, match=r"there is no checkpoint .*c.pt: give the path of one that is"):
        checkpoint.load(tmp_path / "c.pt")  # warm_from: there is no --resume to leave out
    checkpoint.save(tmp_path / "c.pt", STATE)
    whole = (tmp_path / "c.pt").read_bytes()
    (tmp_path / "torn.pt").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.pt").write_text("hello")
    for name in ("torn.pt", "text.pt"):
        with pytest.raises(TrainError, match="is no whole checkpoint"):
            checkpoint.load(tmp_path / name)
    torch.save({"model": 1}, tmp_path / "other.pt")
    with pytest.raises(TrainError, match="no checkpoint of this version"):
        checkpoint.load(tmp_path / "other.pt")


def test_a_trainers_checkpoint_loads_without_running_code(tmp_path: Path) -> None:
    begun = grpo_world.trainer(tmp_path)
    begun.update()
    begun.save()
    found = torch.load(tmp_path / "latest.pt", weights_only=True)
    assert found["done"] == 1
    assert found["config"]["env"] == grpo_world.ENV
    assert list(begun.parts.tokens.words) == found["words"]


@pytest.mark.parametrize(
    ("held", "here", "said"),
    [
        ({}, {"heads": 4}, r"heads: 2 there, 4 here\): repeat that"),  # every shape is the same
        ({"layers": 2}, {}, "layers: 2 there, 1 here"),
        ({}, {"model": "folder"}, "model: '' there, 'folder' here"),
        ({"model": "folder"}, {}, "model: 'folder' there, '' here"),
    ],
)
def test_weights_of_another_model_are_refused_though_their_shapes_may_fit(
    held: dict[str, Any], here: dict[str, Any], said: str
) -> None:
    with pytest.raises(TrainError, match=said):
        checkpoint.check_model("warm.pt", grpo_world.config(**held).as_json(), grpo_world.config(**here))


def test_weights_of_the_same_model_may_come_from_any_run() -> None:
    held = grpo_world.config(lr=0.1, estimator="gigpo", context=64).as_json()
    checkpoint.check_model("warm.pt", held, grpo_world.config())
    hub = grpo_world.config(model="a/b").as_json()  # one folder may have two names; shapes tell the rest
    checkpoint.check_model("warm.pt", hub, grpo_world.config(model="./b", width=32))


def test_what_a_killed_process_left_is_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between writing and putting in place: the old one is whole, and nothing piles up beside it."""
    checkpoint.save(tmp_path / "c.pt", STATE)
    (tmp_path / ".c.pt.part").write_bytes(b"half a checkpoint")
    assert torch.equal(checkpoint.load(tmp_path / "c.pt")["model"]["w"], torch.ones(2))
    checkpoint.save(tmp_path / "c.pt", {**STATE, "model": {"w": torch.zeros(2)}})
    assert [entry.name for entry in tmp_path.iterdir()] == ["c.pt"]
    assert torch.equal(checkpoint.load(tmp_path / "c.pt")["model"]["w"], torch.zeros(2))
    (tmp_path / "other").touch()
    assert (tmp_path / "c.pt").stat().st_mode == (tmp_path / "other").stat().st_mode  # others may read it too


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file/run"):
        with pytest.raises(TrainError, match=r"cannot write to .*file.*; choose another folder with --out"):
            grpo_world.trainer(folder)

    def read_only(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "touch", read_only)
    with pytest.raises(TrainError, match="Permission denied; choose another folder"):
        checkpoint.writable(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
