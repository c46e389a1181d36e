"""Value heads on a language model's hidden states: read at the right ids, learned over updates, kept in checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

import agentgym  # noqa: E402
from agentgym.baselines.grpo import checkpoint  # noqa: E402
from agentgym.baselines.grpo.columns import MAKERS  # noqa: E402
from agentgym.baselines.grpo.heads import (  # noqa: E402
    LevelValues,
    StateValues,
    begin,
    begin_levels,
    discount,
    features,
    hidden_states,
)
from agentgym.baselines.grpo.prepare import NoColumn  # noqa: E402
from agentgym.baselines.grpo.rollout import Played, finished, start  # noqa: E402
from agentgym.baselines.switching import Switching  # noqa: E402
from agentgym.baselines.value_heads import Dense  # noqa: E402
from agentgym.batch import TurnBatch  # noqa: E402

GIVEN = [maker.gives for maker in MAKERS if maker.where.startswith("agentgym.baselines.grpo.heads:")]


def rollouts() -> tuple[Any, Any, Played]:
    """Rollouts of scripted words: half of them reach their goal, half turn round."""
    parts, config = grpo_world.parts(estimator="grpo")
    episodes = []
    for goal in (1, 2, 3):
        for member in range(4):
            episode = start(parts.world, parts.tokens, config, parts.world.panel.task(f"to-{goal}-0"), 0, member)
            while not episode.over:
                if episode.transcript.spans:
                    episode.go_on(parts.tokens, config)
                back = member % 2 and len(episode.transcript.spans)
                episode.take("go back" if back else "go on", [9 if back else 8, member + 5, 2], [-1.0, -0.5, -0.1])
            episodes.append(episode)
    return parts, config, finished(episodes, {"env": parts.world.spec_dict()})


def test_hidden_states_are_those_of_each_row_by_itself() -> None:
    """Rows of different lengths share a padded pass; what stands behind a place changes nothing."""
    parts, config, _ = rollouts()
    rows = [[5, 6, 7, 8, 9], [5, 6, 7], [9, 8]]
    together = hidden_states(parts.model, config, rows, [[0, 2, 4], [0, 2], [1]], parts.tokens.pad)
    assert [x.shape for x in together] == [(3, 16), (2, 16), (1, 16)]
    np.testing.assert_allclose(together[0][:2], together[1], rtol=0, atol=1e-5)
    alone = hidden_states(parts.model, config, [rows[2]], [[1]], parts.tokens.pad)
    np.testing.assert_allclose(together[2], alone[0], rtol=0, atol=1e-5)
    logits = parts.model(torch.tensor([rows[0]])).logits[0, 4]
    head = parts.model.lm_head(torch.tensor(together[0][2]).float())
    np.testing.assert_allclose(head.detach(), logits.detach(), rtol=0, atol=1e-4)


def test_states_are_read_before_and_after_each_reply() -> None:
    parts, config, played = rollouts()
    before, after = StateValues(parts, config).hidden(played)
    for row in (0, len(played.batch) - 1):
        script = played.transcripts[played.batch.trajectory[row]]
        first, end = script.spans[played.batch.turn[row]]
        (wanted,) = hidden_states(parts.model, config, [script.ids], [[first - 1, end - 1]], parts.tokens.pad)
        np.testing.assert_allclose(before[row], wanted[0], rtol=0, atol=1e-5)
        np.testing.assert_allclose(after[row], wanted[1], rtol=0, atol=1e-5)


def test_features_have_about_length_one_and_a_constant() -> None:
    made = features(np.array([[3.0, 4.0, 0.0, 0.0]]))
    assert made.tolist() == [[1.5, 2.0, 0.0, 0.0, 1.0]]


def test_what_each_head_is_fitted_to() -> None:
    """Rewards 1, 2 and γ = 1: returns 3, 2; after the turns 2, 0, the last not known where a limit cut it off."""
    parts, config, _ = rollouts()
    columns = {"group": [0] * 2, "trajectory": ["a"] * 2, "turn": [0, 1], "turn_reward": [1.0, 2.0]}
    columns |= {"outcome_reward": [0.0, 0.0], "truncated": [False, True], "switch": [False, False]}
    batch, design = TurnBatch.from_columns(columns), Dense(np.ones((2, 3)))
    value, later = StateValues(parts, config).fits(batch, design, design)
    assert value.target.tolist() == [3.0, 2.0] and value.counts.all()
    assert later.target.tolist() == [2.0, 0.0] and later.counts.tolist() == [True, False]
    high, low = LevelValues(parts, config).fits(batch, design, design)
    assert high.counts.tolist() == [True, False] and low.counts.all()


def test_columns_are_filled_and_learned_from() -> None:
    parts, config, played = rollouts()
    for make, names in ((begin(parts, config), GIVEN[0]), (begin_levels(parts, config), GIVEN[1])):
        assert make.gives == names
        first = make(played)
        again = make(played)
        for name in names:
            assert np.isfinite(first[name]).all()
            assert not (first[name] == again[name]).all()  # it learned from the first time


def test_heads_travel_in_checkpoints() -> None:
    parts, config, played = rollouts()
    one, other = begin(parts, config), begin(parts, config)
    one(played)
    other.load_state_dict(one.state_dict())
    assert set(one.state_dict()) == {"value", "bootstrap_value"}
    assert one(played).value.tobytes() == other(played).value.tobytes()


def test_the_discount_is_the_estimators_own() -> None:
    assert discount(grpo_world.config(estimator="hae")) == 0.99
    assert discount(grpo_world.config(estimator="hae", options={"gamma": 0.5})) == 0.5
    assert discount(grpo_world.config(estimator="grpo", options={"preset": "trl"})) == 1.0


def test_a_run_with_values_resumes_to_the_bit(tmp_path: Path) -> None:
    source = tmp_path / "mine.py"
    source.write_text(
        "from agentgym.credit import estimator\n\n"
        '@estimator("value_error", needs=("value", "outcome_reward"))\n'
        "def value_error(batch):\n    return batch.outcome_reward - batch.value\n"
    )
    held = {"value, bootstrap_value": {"value": torch.linspace(-1, 1, 17, dtype=torch.float64)}}
    runs = []
    for folder in ("a", "b"):
        trainer = grpo_world.trainer(tmp_path / folder, estimator=f"{source}:value_error", updates=3)
        trainer.parts.columns.load_state_dict(held)
        trainer.update()
        trainer.save()
        if folder == "b":
            trainer = grpo_world.trainer(tmp_path / folder, estimator=f"{source}:value_error", updates=3)
            trainer.resume(checkpoint.load(tmp_path / "b/latest.pt"))
        trainer.update()
        weights = trainer.parts.columns.state_dict()["value, bootstrap_value"]["value"]
        runs.append([x.detach().numpy().tobytes() for x in (weights, *trainer.parts.model.parameters())])
    assert runs[0] == runs[1]
    fresh = grpo_world.parts(estimator="grpo")[0].model.parameters()
    assert runs[0][1:] != [x.detach().numpy().tobytes() for x in fresh]  # something was learned


class Announcing(grpo_world.Walk):
    """Walk, with flags in front of the actions."""

    default_codec = Switching()


def test_a_model_that_announces_its_subgoals_is_trained_with_hae(tmp_path: Path, monkeypatch: Any) -> None:
    """A world under the codec Switching gives no switch; it is read from the texts. Other worlds are refused."""
    monkeypatch.setattr(grpo_world, "ENV", "tests/AnnouncingWalk-v0")
    agentgym.register(grpo_world.ENV, f"{__name__}:Announcing")
    trainer = grpo_world.trainer(tmp_path, estimator="hae")
    assert [trainer.update()["update"], trainer.update()["update"]] == [1, 2]
    monkeypatch.undo()
    with pytest.raises(NoColumn, match=r"needs the column 'switch': take a world that gives it, or a subclass"):
        grpo_world.parts(estimator="hae")
