"""From a half-finished imitation to a policy that solves the world, in seconds; and the controls that must not."""

from __future__ import annotations

from pathlib import Path

import grpo_world
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym.baselines.grpo.train import Trainer  # noqa: E402
from agentgym.baselines.grpo.warmstart import imitate  # noqa: E402

UPDATES = 12


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a checkpoint that solves about 4 in 10 held-out rollouts."""
    folder = tmp_path_factory.mktemp("warm")
    begun = trainer(folder, "none")
    imitate(begun.parts, begun.config)
    begun.save("warm.pt")
    return folder


def trainer(folder: Path, control: str) -> Trainer:
    begun: Trainer = grpo_world.trainer(
        folder, control=control, updates=UPDATES, rollouts=64, group_size=8, lr=1e-2, eval_rollouts=32,
        warm_episodes=24, warm_epochs=22, warm_patience=99,
    )  # fmt: skip
    return begun


def success(warm: Path, folder: Path, control: str, updates: int = UPDATES) -> tuple[float, float]:
    """Return held-out success before and after a run."""
    begun = trainer(folder, control)
    begun.parts.model.load_state_dict(torch.load(warm / "warm.pt", weights_only=True)["model"])
    before = begun.evaluate()["success"]
    for _ in range(updates):
        begun.update()
    return before, begun.evaluate()["success"]


def test_it_learns(warm: Path, tmp_path: Path) -> None:
    before, after = success(warm, tmp_path, "none")
    assert 0.3 < before < 0.6
    assert after > before + 0.25


def test_advantages_dealt_out_at_random_do_not_teach(warm: Path, tmp_path: Path) -> None:
    before, after = success(warm, tmp_path, "shuffled")
    assert after <= before + 0.03


def test_advantages_of_zero_change_nothing(warm: Path, tmp_path: Path) -> None:
    before, after = success(warm, tmp_path, "zero", updates=2)
    assert after == before
