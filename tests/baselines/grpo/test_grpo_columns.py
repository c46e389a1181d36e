"""Columns that no rollout has are made between rollouts and credit, kept by checkpoints, and missed before the run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import every_world
import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym import credit  # noqa: E402
from agentgym.baselines.columns import Maker  # noqa: E402
from agentgym.baselines.grpo import checkpoint, columns  # noqa: E402
from agentgym.baselines.grpo.config import TrainError  # noqa: E402
from agentgym.baselines.grpo.prepare import NoColumn, prepare  # noqa: E402
from agentgym.baselines.grpo.rollout import UNCHANGED, Played, finished, start  # noqa: E402
from agentgym.batch import COLUMNS, TurnBatch  # noqa: E402


class Counting:
    """A maker that learns: the value is the number of rollouts it has seen in updates before."""

    begun = 0

    def __init__(self, parts: Any, config: Any) -> None:
        type(self).begun += 1
        self.seen = 0

    def __call__(self, played: Played) -> TurnBatch:
        batch = played.batch.with_columns(value=np.full(len(played.batch), float(self.seen)))
        self.seen += len(played.transcripts)
        return batch

    def state_dict(self) -> dict[str, Any]:
        return {"seen": self.seen}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self.seen = state["seen"]


def reader(folder: Path, name: str) -> str:
    path = folder / "mine.py"
    path.write_text(
        "from agentgym.credit import estimator\n\nSEEN = []\n\n"
        f'@estimator("{name}", needs=("value",))\n'
        "def counted(batch):\n    SEEN.append(float(batch.value[0]))\n"
        "    return batch.value * 0.0 + batch.outcome_reward\n"
    )
    return f"{path}:counted"


def test_a_maker_that_learns_is_begun_anew_after_the_probe_and_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """8 rollouts an update: the estimator reads 0 at the probe, 0, 8 in the first run, 16 in the resumed one."""
    monkeypatch.setattr(columns, "MAKERS", (Maker(("value",), f"{__name__}:Counting"),))
    mine = reader(tmp_path, "counted")
    first = grpo_world.trainer(tmp_path / "a", estimator=mine, updates=3)
    seen: list[float] = first.parts.estimator.function.__globals__["SEEN"]
    first.update()
    first.update()
    first.save()
    assert seen == [0.0, 0.0, 8.0]
    second = grpo_world.trainer(tmp_path / "a", estimator=mine, updates=3)
    second.resume(checkpoint.load(tmp_path / "a/latest.pt"))
    again: list[float] = second.parts.estimator.function.__globals__["SEEN"]
    second.update()
    assert again[-1] == 16.0


def test_an_update_that_fails_has_taught_the_makers_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checkpoint that a failure leaves knows of update 1 alone: 8 rollouts, not 16."""
    monkeypatch.setattr(columns, "MAKERS", (Maker(("value",), f"{__name__}:Counting"),))
    begun = grpo_world.trainer(tmp_path, estimator=reader(tmp_path, "failing"), updates=3)
    begun.update()

    def failing(*_: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    monkeypatch.setattr(begun, "_minibatches", failing)
    with pytest.raises(TrainError, match="out of memory while learning from update 2"):
        begun.update()
    kept = checkpoint.load(tmp_path / "latest.pt")
    assert (kept["done"], kept["columns"]["value"]["seen"]) == (1, 8)


def test_the_multiplier_of_traces_follows_its_expected_cost_and_resumes(tmp_path: Path) -> None:
    """λ ← max(0, λ + 0.035·(J_c + 0.9)) after every update; the next estimate has it."""
    begun = every_world.trainer(tmp_path, estimator="traces", options={"multiplier": 0.5}, warm_episodes=0)
    found: list[credit.Credit] = []
    real = begun.controlled
    begun.controlled = lambda made: found.append(made) or real(made)
    records = [begun.update(), begun.update()]
    assert [made.options["multiplier"] for made in found] == [0.5, records[0]["multiplier"]]
    for made, record in zip(found, records, strict=True):
        moved = made.options["multiplier"] + 0.035 * (made.diagnostics["expected_cost"] + 0.9)
        assert record["multiplier"] == pytest.approx(max(0.0, moved))
    begun.save()
    again = every_world.trainer(tmp_path, estimator="traces", options={"multiplier": 0.5}, warm_episodes=0)
    again.resume(checkpoint.load(tmp_path / "latest.pt"))
    assert again.multiplier == begun.multiplier


def test_what_nobody_gives_is_refused_before_the_first_rollout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MAKERS", ())
    with pytest.raises(NoColumn, match=r"needs the column 'value'; rollouts of tests/Walk-v0 do not have it: choose"):
        prepare(grpo_world.config(estimator=reader(tmp_path, "uncounted")))


def test_makers_stand_for_columns_of_the_schema_and_estimators_that_are_there() -> None:
    for maker in columns.MAKERS:
        assert set(COLUMNS) >= {*maker.gives, *maker.reads}
        assert set(maker.only) <= set(credit.names())


def test_hindsight_is_made_where_it_is_read() -> None:
    parts, config = grpo_world.parts(estimator="hcapo")
    episode = start(parts.world, parts.tokens, config, parts.world.panel.task("to-1-0"), 0, 0)
    episode.take("go on", [9, 2], [-1.0, -0.5])
    played = finished([episode], {"env": parts.world.spec_dict()})
    assert parts.columns(played).hindsight_logprob[0] < 0.0
    plain, _ = grpo_world.parts(estimator="grpo")
    assert "hindsight_logprob" not in plain.columns(played)


def test_a_turn_that_could_not_be_done_says_that_nothing_changed() -> None:
    """Scores 0.5, (invalid), 0.75: the gap is the score before it; a critique of 0, no switch; safe stays."""
    parts, config = grpo_world.parts()
    episodes = []
    for member in range(2):
        episode = start(parts.world, parts.tokens, config, parts.world.panel.task("to-3-0"), 0, member)
        for text in ("go on", "jump", "go on", "go back", "go on"):
            episode.take(text, [9, 2], [-1.0, -0.5])
        episodes.append(episode)
    said = {"step_score": 0.5, "critique": 1.0, "switch": True, "safe": False, "tool_result": True}
    for place, more in ((0, said), (2, {**said, "step_score": 0.75}), (3, said), (4, said)):
        for episode in episodes:
            row = episode.rows[place]
            episode.rows[place] = (*row[:3], {**row[3], **more})
    batch = finished(episodes, {"env": parts.world.spec_dict()}).batch
    assert batch.valid.tolist()[:5] == [True, False, True, True, True]
    assert batch.step_score.tolist()[:5] == [0.5, 0.5, 0.75, 0.5, 0.5]
    assert batch.critique.tolist()[1] == 0.0
    assert batch.switch.tolist()[:3] == [True, False, True]
    assert batch.tool_result.tolist()[:3] == [True, False, True]
    assert not any(batch.safe)
    quiet = finished([start_and_jump(parts, config)], {"env": parts.world.spec_dict()}).batch
    assert not set(UNCHANGED) & set(quiet.columns)  # what no turn says is not made up
    known = finished([start_and_jump(parts, config)], {"env": parts.world.spec_dict()}, 0, ["step_score", "safe"]).batch
    assert known.step_score.tolist() == [0.0] * len(known)  # unless the world is known to say it of other turns
    assert all(known.safe)
    assert "critique" not in known


def start_and_jump(parts: Any, config: Any) -> Any:
    episode = start(parts.world, parts.tokens, config, parts.world.panel.task("to-3-0"), 0, 0)
    while not episode.over:
        episode.take("jump", [9, 2], [-1.0, -0.5])
    return episode
