"""A teacher's log-probabilities, and the loss of SCOPE's two paths."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym import credit  # noqa: E402
from agentgym.baselines.grpo.engine import TransformersEngine  # noqa: E402
from agentgym.baselines.learned.teacher import scope_loss, with_teacher  # noqa: E402
from tests.baselines.grpo import grpo_world  # noqa: E402


class Places:
    """A teacher whose log-probability of an id is minus its place in the rollout."""

    def score(self, rows: Any) -> list[Any]:
        return [-np.arange(len(row), dtype=np.float64) for row in rows]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Any:
    trainer = grpo_world.trainer(Path(tmp_path_factory.mktemp("run")))
    return trainer, trainer.play()


def test_every_turn_gets_its_own_stretch_of_the_rollout(begun: Any) -> None:
    _, played = begun
    order = np.random.default_rng(0).permutation(len(played.batch))
    for batch in (played.batch, played.batch.select(order)):
        grown = with_teacher(batch, played.transcripts, Places())
        for row in range(len(grown)):
            begin, end = played.transcripts[grown.trajectory[row]].spans[grown.turn[row]]
            assert grown.teacher_logprobs[row].tolist() == [-float(place) for place in range(begin, end)]


def test_the_student_as_its_own_teacher_agrees_with_itself(begun: Any) -> None:
    trainer, played = begun
    grown = with_teacher(played.batch, played.transcripts, trainer.parts.engine)
    np.testing.assert_allclose(grown.teacher_logprobs.flat, grown.token_logprobs.flat, rtol=0, atol=1e-4)
    tokens = credit.estimate("scope", grown).to_tokens(grown)
    np.testing.assert_allclose(np.concatenate(tokens), 0.0, rtol=0, atol=1e-4)


def test_another_model_is_another_teacher(begun: Any) -> None:
    trainer, played = begun
    model = copy.deepcopy(trainer.parts.model)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(2.0)
    tokens = trainer.parts.tokens
    teacher = TransformersEngine(model, trainer.config, tokens.end, tokens.pad)
    grown = with_teacher(played.batch, played.transcripts, teacher)
    result = credit.estimate("scope", grown)
    wrong = np.repeat(~grown.success, grown.token_ids.lengths)
    values = np.concatenate(result.to_tokens(grown))
    gap = grown.teacher_logprobs.flat - grown.token_logprobs.flat
    assert np.abs(gap).max() > 1e-3
    assert (values[~wrong] == 0.0).all()
    assert (np.sign(values[wrong]) == np.sign(gap[wrong])).all()


def test_ids_of_another_play_are_refused(begun: Any) -> None:
    _, played = begun
    batch = played.batch.with_columns(
        token_ids=[(ids + 1).tolist() for ids in played.batch.token_ids],
    )
    with pytest.raises(ValueError, match="row 0 of the batch holds other ids"):
        with_teacher(batch, played.transcripts, Places())


def test_both_losses_by_hand() -> None:
    # Two rollouts of two and one tokens; the first is wrong and weighs ½ for the teacher, the second is right, with 1.
    logp = torch.tensor([[-1.0, -2.0], [-3.0, -99.0]])
    old = torch.tensor([[-1.0, -2.0 - math.log(2.0)], [-3.0, 0.0]])
    teacher = torch.tensor([[-0.5, -1.0 - math.log(2.0)], [-9.0, 99.0]])
    mask = torch.tensor([[1.0, 1.0], [1.0, 0.0]])
    follow, recall = scope_loss(logp, old, teacher, mask, torch.tensor([0.5, 0.0]), torch.tensor([0.0, 1.0]))
    # Ratios 1 and 2, gaps ½ and 1: mean 1.25, times ½. The right one's log-likelihood is -3.
    assert follow.item() == pytest.approx(-0.625)
    assert recall.item() == pytest.approx(3.0)


def test_the_teacher_path_descends_the_divergence() -> None:
    """Over all tokens, weighted by how often they are drawn, the gradient at π = π_old is that of KL(π ‖ π_T)."""
    logits = torch.tensor([0.2, -0.4, 0.9], dtype=torch.float64, requires_grad=True)
    teacher = torch.log_softmax(torch.tensor([1.0, 0.0, -1.0], dtype=torch.float64), 0)
    logp = torch.log_softmax(logits, 0)
    old = logp.detach()
    # One rollout an outcome, its weight the outcome's probability.
    follow, _ = scope_loss(
        logp[:, None], old[:, None], teacher[:, None], torch.ones(3, 1, dtype=torch.float64), old.exp(),
        torch.zeros(3, dtype=torch.float64),
    )  # fmt: skip
    (mine,) = torch.autograd.grad(follow, logits, retain_graph=True)
    (wanted,) = torch.autograd.grad((logp.exp() * (logp - teacher)).sum(), logits)
    torch.testing.assert_close(mine, wanted)


def test_padding_that_overflows_changes_nothing() -> None:
    logp = torch.tensor([[-1.0, 0.0]], requires_grad=True)
    old = torch.tensor([[-1.0, -1e4]])
    follow, recall = scope_loss(
        logp, old, torch.tensor([[-0.5, -math.inf]]), torch.tensor([[1.0, 0.0]]), torch.ones(1), torch.ones(1)
    )
    (follow + recall).backward()
    assert follow.item() == pytest.approx(-0.5)
    assert torch.isfinite(logp.grad).all()
