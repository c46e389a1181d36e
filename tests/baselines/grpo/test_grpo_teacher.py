"""Who teaches: the model of before, a checkpoint, another model; what reads other tokens is refused."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import every_world
import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym import credit  # noqa: E402
from agentgym.baselines.grpo import checkpoint, data  # noqa: E402
from agentgym.baselines.grpo.config import TrainError  # noqa: E402
from agentgym.baselines.grpo.prepare import prepare  # noqa: E402
from agentgym.baselines.grpo.train import Trainer  # noqa: E402


def gap(trainer: Trainer) -> float:
    """Return the greatest difference between the teacher's log-probabilities and those of the sampler."""
    batch = trainer.parts.columns(trainer.play())
    return float(np.abs(batch.teacher_logprobs.flat - batch.token_logprobs.flat).max())


def ones(batch: Any) -> Any:
    return np.where(np.arange(len(batch)) % 2, 1.0, -0.5)


def learn_something(trainer: Trainer) -> None:
    played = trainer.play()
    trainer.learn(data.sequences(played.batch, credit.estimate(ones, played.batch), played.transcripts))


def test_by_default_the_model_of_before_the_first_update_teaches(tmp_path: Path) -> None:
    begun = grpo_world.trainer(tmp_path / "a", estimator="scope", lr=0.05)
    assert gap(begun) < 1e-5
    begun.save("warm.pt")
    learn_something(begun)
    apart = gap(begun)
    assert apart > 1e-3
    begun.save()
    again = grpo_world.trainer(tmp_path / "a", estimator="scope", lr=0.05)
    again.resume(checkpoint.load(tmp_path / "a/latest.pt"))
    assert again.reads_first
    again.begin(checkpoint.load(tmp_path / "a/warm.pt")["model"])
    assert gap(again) == apart  # the same teacher, not the model as it was resumed


def test_a_checkpoint_teaches_another_run_with_the_same_vocabulary(tmp_path: Path) -> None:
    other = grpo_world.trainer(tmp_path / "t", width=32, seed=3)
    other.save()
    begun = grpo_world.trainer(tmp_path / "a", estimator="scope", teacher=str(tmp_path / "t/latest.pt"))
    assert not begun.reads_first
    batch = begun.parts.columns(begun.play())
    script = next(iter(begun.play().transcripts.values()))
    (scores,) = other.parts.engine.score([script.ids])
    first, end = script.spans[0]
    assert batch.teacher_logprobs[0] == pytest.approx(scores[first:end], abs=1e-6)
    foreign = Trainer(prepare(every_world.config(warm_episodes=0)), every_world.config(), tmp_path / "f")
    foreign.save()
    with pytest.raises(TrainError, match="reads other tokens than the model: give a checkpoint with the same vocab"):
        grpo_world.parts(estimator="scope", teacher=str(tmp_path / "f/latest.pt"))


def test_a_teacher_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(TrainError, match=r"cannot load the model '.*nowhere'"):
            grpo_world.parts(estimator="scope", teacher=str(tmp_path / "nowhere"))
