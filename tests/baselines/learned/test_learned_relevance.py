"""The relevance of rubrics: labels of some rollouts tell which turns of others a rubric is about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pharmacy_world
import pytest

torch = pytest.importorskip("torch", reason="the model needs torch: pip install 'agentgym-suite[train]'")

from agentgym import TurnBatch, collect, credit  # noqa: E402
from agentgym.baselines.learned.relevance import RelevanceModel  # noqa: E402
from agentgym.baselines.policies import RandomPolicy  # noqa: E402
from agentgym.errors import MissingColumn  # noqa: E402

RUBRICS = pharmacy_world.RUBRICS


@pytest.fixture(scope="module")
def record() -> TurnBatch:
    return collect(pharmacy_world.Pharmacy(), RandomPolicy(), tasks=20, group_size=4)


def about(batch: TurnBatch) -> Any:
    """The first rubric is about turns with a strong drug, the second about refusals."""
    strong = [any(drug in text for drug in pharmacy_world.STRONG) for text in batch.observation]
    return np.stack([strong, batch.action == pharmacy_world.REFUSE], axis=1)


def log_loss(p: Any, labels: Any) -> Any:
    """Mean over the turns, one number a rubric."""
    p = np.clip(p, 1e-6, 1 - 1e-6)
    return -np.where(labels, np.log(p), np.log(1 - p)).mean(axis=0)


def test_it_beats_uniform_relevance_on_held_out_rollouts(record: TurnBatch) -> None:
    """Log loss at most half of that of the share of turns a rubric is about, which tells no turns apart."""
    early = record.rollout < 40
    batch, held = record.select(early), record.select(~early)
    model = RelevanceModel()
    losses = model.learn(batch, RUBRICS, about(batch), steps=30)
    assert len(losses) == 30 and losses[-1] < losses[0]
    uniform = log_loss(np.broadcast_to(about(batch).mean(axis=0), about(held).shape), about(held))
    assert (uniform > 0.5).all()
    assert (log_loss(model.relevance(held, RUBRICS), about(held)) <= 0.5 * uniform).all()
    # Labels dealt anew to the turns teach nothing of the kind (three actions only, so that chance goes some way).
    dealt = RelevanceModel()
    dealt.learn(batch, RUBRICS, np.random.default_rng(0).permutation(about(batch)), steps=30)
    assert (log_loss(dealt.relevance(held, RUBRICS), about(held)) > 0.75 * uniform).all()


def test_equal_data_give_equal_models(record: TurnBatch) -> None:
    batch = record.select(record.rollout < 4)
    one, two = RelevanceModel(), RelevanceModel()
    for model in (one, two):
        model.learn(batch, RUBRICS, about(batch), steps=3)
    assert one.relevance(batch, RUBRICS).tobytes() == two.relevance(batch, RUBRICS).tobytes()
    order = np.random.default_rng(1).permutation(len(batch))
    np.testing.assert_allclose(
        one.relevance(batch.select(order), RUBRICS), one.relevance(batch, RUBRICS)[order], atol=1e-6
    )
    # A rubric is known by its words: the other order gives the other order.
    np.testing.assert_allclose(one.relevance(batch, RUBRICS[::-1]), one.relevance(batch, RUBRICS)[:, ::-1], atol=1e-6)


def test_its_column_feeds_the_estimator(record: TurnBatch) -> None:
    batch = record.select(record.rollout < 8)
    model = RelevanceModel()
    model.learn(batch, RUBRICS, about(batch), steps=30)
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, 4, len(batch))
    grown = model.with_relevance(batch.with_columns(tokens=tokens), RUBRICS)
    relevance = model.relevance(batch, RUBRICS)
    for row in range(len(grown)):
        assert grown.rubric_relevance[row].tolist() == [[x] * tokens[row] for x in relevance[row]]
    # A response that meets the second rubric alone is credited on its refusals, where it has some: above its mean, 0.
    scored = grown.with_columns(
        rubric_scores=[[0.0, 1.0]] * len(batch), token_mask=[[True] * count for count in tokens.tolist()]
    )
    result = credit.estimate("rtt", scored)
    refused, rollout = np.repeat(about(batch)[:, 1], tokens), np.repeat(batch.rollout, tokens)
    values = np.concatenate(result.diagnostics["token"])
    beside = np.isin(rollout, rollout[refused]) & ~refused
    assert refused.any() and beside.any()
    assert (values[refused] > 0.0).all() and (values[beside] < 0.0).all()


def test_labels_must_fit_and_tokens_be_told(record: TurnBatch) -> None:
    batch, model = record.select(record.rollout < 1), RelevanceModel()
    with pytest.raises(ValueError, match=r"about must have shape \[8, 2\], got \[8, 1\]"):
        model.learn(batch, RUBRICS, np.ones((8, 1)))
    with pytest.raises(MissingColumn, match="tokens"):
        model.with_relevance(batch.without("tokens"), RUBRICS)
    assert model.learn(batch, [], np.ones((8, 0))) == []
    assert model.relevance(batch, []).shape == (8, 0)
