"""Faults that other GRPO trainers were reported for.

More stand beside what they are about: retokenisation drift, prompts and tool output that were trained on, padding
inferred from ids, temperature left out of the ratio, zero-variance groups in denominators, NaN steps, lost memory.
"""

from __future__ import annotations

from pathlib import Path

import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym import credit  # noqa: E402
from agentgym.baselines.grpo import data  # noqa: E402
from agentgym.baselines.grpo.config import Config  # noqa: E402
from agentgym.baselines.grpo.rollout import Transcript, finished, start  # noqa: E402
from agentgym.baselines.grpo.train import Trainer  # noqa: E402


def weights_of(trainer: Trainer) -> list[torch.Tensor]:
    return [weights.clone() for weights in trainer.parts.model.parameters()]


def same(trainer: Trainer, before: list[torch.Tensor]) -> bool:
    return all(torch.equal(one, two) for one, two in zip(before, trainer.parts.model.parameters(), strict=True))


def test_one_dead_member_does_not_poison_its_group() -> None:
    """A rollout that could not be scored made the group's statistics NaN: here the other seven are trained on alone."""
    parts, config = grpo_world.parts()
    episodes = []
    for member in range(8):
        episode = start(parts.world, parts.tokens, config, parts.world.panel.task("to-1-0"), 0, member)
        episode.take("go on" if member % 2 else "go back", [9], [-1.0])
        episodes.append(episode)
    episodes[0].info = {**episodes[0].info, "end_reason": "infra_error"}
    played = finished(episodes, {"env": parts.world.spec_dict()})
    made = credit.estimate("grpo", played.batch)
    rows = data.sequences(played.batch, made, played.transcripts)
    assert len(rows) == 7
    assert np.isfinite(made.total).all()
    assert made.total.mean() == pytest.approx(0.0, abs=1e-12)  # over the seven: four succeed, three fail
    assert all(rows.live)


def test_a_group_of_one_teaches_nothing(tmp_path: Path) -> None:
    """Released code gives a lone rollout its raw return as advantage: every success is pushed up, never compared."""
    begun = grpo_world.trainer(tmp_path, group_size=1)
    before = weights_of(begun)
    assert "loss" not in begun.update()
    assert same(begun, before)


def test_a_flat_group_teaches_nothing_though_rounding_says_otherwise(tmp_path: Path) -> None:
    """Seven equal rewards of 0.7 in float32 give 0.80 with eps 1e-8 in naive code."""
    begun = grpo_world.trainer(tmp_path)
    batch = begun.play().batch
    equal = np.where(batch.last, float(np.float32(0.7)), 0.0)
    made = credit.estimate("grpo", batch.with_columns(outcome_reward=equal, turn_reward=np.zeros(len(batch))))
    assert not made.total.any()


def test_assistant_turns_of_the_prompt_are_not_trained_on() -> None:
    """A worked example in the first prompt has replies in it too, with the same markers."""
    parts, config = grpo_world.parts()
    episode = start(parts.world, parts.tokens, config, parts.world.panel.task("to-1-0"), 0, 0)
    shown = [{"role": "user", "content": "walk to 2"}, {"role": "assistant", "content": "go on"}]
    episode.transcript = Transcript(parts.tokens.opening([*shown, {"role": "user", "content": "walk to 1"}]))
    ids = [*parts.tokens.encode("go on"), parts.tokens.end]
    episode.take("go on", ids, [-1.0, -1.0, -1.0])
    played = finished([episode], {"env": parts.world.spec_dict()})
    rows = data.sequences(played.batch, credit.estimate(lambda b: np.ones(len(b)), played.batch), played.transcripts)
    assert rows.mask[0] == [0.0] * (len(rows.ids[0]) - 3) + [1.0] * 3


def test_a_masked_rollout_is_masked_in_numerator_and_denominator(tmp_path: Path) -> None:
    """The mask of cut rollouts once reached one of the two: the gradient must be that of a batch without them."""
    begun = grpo_world.trainer(tmp_path)
    played = begun.play()
    made = credit.estimate(lambda b: 1.0 + np.arange(len(b)), played.batch)
    rows = data.sequences(played.batch, made, played.transcripts)
    fewer = data.Sequences(rows.ids, rows.old, rows.advantage, rows.mask, [row % 2 == 0 for row in range(len(rows))])

    def gradient(given: data.Sequences, picked: list[int]) -> torch.Tensor:
        begun.optimizer.zero_grad(set_to_none=True)
        begun.gradient(given, picked)
        return torch.cat([weights.grad.flatten() for weights in begun.parts.model.parameters()])

    whole, without = gradient(fewer, list(range(len(rows)))), gradient(rows, list(range(0, len(rows), 2)))
    assert (whole - without).abs().max() < 1e-6


def test_a_long_rollout_does_not_change_a_short_one(tmp_path: Path) -> None:
    """Padding of the longest row reached the others' log-probabilities in code that built masks from ids."""
    begun = grpo_world.trainer(tmp_path)
    short, long = [5, 20, 30, 6, 40], [5, *range(20, 60), 6]
    alone, beside = begun.parts.engine.score([short])[0], begun.parts.engine.score([short, long])[0]
    assert np.abs(alone - beside).max() < 1e-6


def test_every_reward_of_a_rollout_reaches_the_credit(tmp_path: Path) -> None:
    """Step rewards but the last were dropped silently elsewhere: what the trainer estimates from sums to the return."""
    begun = grpo_world.trainer(tmp_path)
    batch = begun.play().batch
    paid = np.asarray(batch.turn_reward) + np.asarray(batch.outcome_reward)
    for code in range(batch.num_rollouts):
        rows = batch.order[batch.starts[code] : batch.starts[code] + batch.lengths[code]]
        components = sum(batch.components[row].get("progress", 0.0) for row in rows)
        assert paid[rows].sum() == pytest.approx(components + float(batch.success[rows[0]]))


def test_truncation_stays_with_its_rollout(tmp_path: Path) -> None:
    begun = grpo_world.trainer(tmp_path)
    batch = begun.play().batch
    ended = np.asarray(batch.terminated) | np.asarray(batch.truncated)
    assert (ended == batch.last).all()


def test_no_option_narrows_what_is_sampled_from() -> None:
    """Top-p renormalises what is sampled and biases the ratio; there is no such field to set."""
    names = set(Config.__dataclass_fields__)
    assert not names & {"top_p", "top_k", "min_p", "repetition_penalty"}
