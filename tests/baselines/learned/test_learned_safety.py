"""The recurrent estimator of TraCeS: its loss, and that labels of whole rollouts find the turns that broke the rule."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pharmacy_world
import pytest

torch = pytest.importorskip("torch", reason="the estimator needs torch: pip install 'agentgym-suite[train]'")

from agentgym import TurnBatch, collect, credit  # noqa: E402
from agentgym.baselines.learned import safety  # noqa: E402
from agentgym.baselines.learned.safety import SafetyEstimator, safety_loss  # noqa: E402
from agentgym.baselines.learned.text import Bags  # noqa: E402
from agentgym.baselines.policies import RandomPolicy  # noqa: E402
from agentgym.errors import MissingColumn  # noqa: E402

LEARNT_AT = 100
"""Rollouts to learn from; the other 60 are held out."""


@pytest.fixture(scope="module")
def record() -> TurnBatch:
    return collect(pharmacy_world.Pharmacy(), RandomPolicy(), tasks=40, group_size=4)


def labelled(batch: TurnBatch, safe: Any) -> TurnBatch:
    """The batch with the same label on every turn of a rollout, so that no turn can tell on itself."""
    return batch.with_columns(safe=np.asarray(safe)[batch.rollout])


def kept(batch: TurnBatch) -> Any:
    return np.bincount(batch.rollout, ~batch.safe) == 0


def split(batch: TurnBatch) -> tuple[TurnBatch, TurnBatch]:
    early = batch.rollout < LEARNT_AT
    return batch.select(early), batch.select(~early)


def auc(score: Any, positive: Any) -> float:
    """The probability that a positive has the higher score, ties one half."""
    yes, no = score[positive][:, None], score[~positive]
    return float((yes > no).mean() + 0.5 * (yes == no).mean())


def found(batch: TurnBatch, labels: Any, held: TurnBatch) -> float:
    estimator = SafetyEstimator()
    estimator.learn(labelled(batch, labels), steps=30)
    return auc(-estimator.log_safe(held), ~held.safe)


def test_labels_of_whole_rollouts_find_the_violating_turns_and_shuffled_ones_do_not(record: TurnBatch) -> None:
    """AUC on held-out rollouts: at least 0.9, where chance is 0.5; with labels dealt anew 0.5 ± 0.2, mean of four."""
    batch, held = split(record)
    labels = kept(batch)
    assert 0.3 < labels.mean() < 0.8 and 0 < (~held.safe).sum() < 0.2 * len(held)
    assert found(batch, labels, held) >= 0.9
    dealt = [found(batch, np.random.default_rng(seed).permutation(labels), held) for seed in range(4)]
    assert abs(np.mean(dealt) - 0.5) <= 0.2 and max(dealt) < 0.9


def test_its_column_feeds_the_estimator(record: TurnBatch) -> None:
    batch, held = split(record)
    estimator = SafetyEstimator()
    losses = estimator.learn(labelled(batch, kept(batch)), steps=30)
    assert len(losses) == 30 and losses[-1] < 0.5 * losses[0]
    # Rows come back in their own order.
    order = np.random.default_rng(0).permutation(len(held))
    np.testing.assert_allclose(estimator.log_safe(held.select(order)), estimator.log_safe(held)[order], atol=1e-6)
    result = credit.estimate("traces", estimator.with_log_safe(held), base="none", normalise="none")
    # What costs is broken rules: the turns with the largest hazard are those.
    assert auc(result.diagnostics["hazard"], ~held.safe) >= 0.9
    assert ((result.diagnostics["cost"] >= 0.0) & (result.diagnostics["cost"] <= 7.0)).all()


def test_equal_batches_give_equal_models(record: TurnBatch) -> None:
    batch = record.select(record.rollout < 8)
    first, second, other = SafetyEstimator(), SafetyEstimator(), SafetyEstimator(seed=1)
    generator = torch.random.get_rng_state()
    for estimator in (first, second, other):
        estimator.learn(batch, steps=3)
    assert first.log_safe(batch).tobytes() == second.log_safe(batch).tobytes()
    assert first.log_safe(batch).tobytes() != other.log_safe(batch).tobytes()
    assert torch.equal(torch.random.get_rng_state(), SafetyEstimator() and generator)


def test_labels_of_prefixes_are_read_where_they_are_wanted(record: TurnBatch) -> None:
    rows = {"group": ["g"] * 3, "trajectory": ["a", "a", "b"], "turn": [0, 1, 0], "safe": [True, False, True]}
    batch = TurnBatch.from_columns({**rows, "observation": ["x"] * 3, "action": ["y"] * 3})
    assert SafetyEstimator().labels(batch).tolist() == [False, True]
    assert SafetyEstimator(prefixes=True).labels(batch).tolist() == [[True, False], [True, True]]
    few, held = record.select(record.rollout < 30), split(record)[1]
    estimator = SafetyEstimator(prefixes=True)
    estimator.learn(few, steps=30)
    assert auc(-estimator.log_safe(held), ~held.safe) >= 0.9


def test_an_empty_batch_teaches_nothing_and_a_missing_label_is_named() -> None:
    none = TurnBatch.from_columns(
        {name: [] for name in ("group", "trajectory", "turn", "observation", "action", "safe")}
    )
    estimator = SafetyEstimator()
    assert estimator.learn(none) == [] and estimator.log_safe(none).shape == (0,)
    with pytest.raises(MissingColumn, match=r"SafetyEstimator.learn needs the column 'safe'"):
        estimator.learn(none.without("safe"))


# --- the loss


def test_the_loss_by_hand() -> None:
    # P = e^-ln 2 = ½ for a safe rollout of two turns, ¼ for an unsafe one of one: (ln 2 - ln ¾) / 2.
    half = math.log(0.5)
    log_safe = torch.tensor([[0.25 * half, 0.75 * half], [2 * half, -5.0]])
    mask = torch.tensor([[True, True], [True, False]])
    loss = safety_loss(log_safe, mask, torch.tensor([True, False]))
    assert loss.item() == pytest.approx((math.log(2) - math.log(0.75)) / 2)
    # Prefixes: ½^¼ and ½ safe, mean of the two; ¼ unsafe.
    prefixes = safety_loss(log_safe, mask, torch.tensor([[True, True], [False, True]]))
    assert prefixes.item() == pytest.approx(((0.25 + 1) / 2 * math.log(2) - math.log(0.75)) / 2)


def test_the_loss_of_certain_beliefs_has_a_finite_gradient() -> None:
    for value, label in ((0.0, False), (-1e-9, False), (-50.0, True), (-100.0, False), (0.0, True)):
        log_safe = torch.tensor([[value]], requires_grad=True)
        loss = safety_loss(log_safe, torch.tensor([[True]]), torch.tensor([label]))
        loss.backward()
        assert math.isfinite(loss.item()) and math.isfinite(log_safe.grad.item()), (value, label)


@pytest.mark.skipif("AGENTGYM_REFERENCE" not in os.environ, reason="AGENTGYM_REFERENCE is unset")
def test_the_loss_of_the_reference_case() -> None:
    data = json.loads((Path(os.environ["AGENTGYM_REFERENCE"]) / "oracles" / "estimators-b.json").read_text("utf-8"))
    [case] = [case for case in data["oracles"] if case["formula_id"] == "traces_violation_credit"]
    log_safe = torch.tensor(case["inputs"]["log_score"], dtype=torch.float64).clamp(*case["params"]["clamp"])
    labels = torch.tensor(case["inputs"]["label_safe"]).flatten() > 0
    flat = log_safe.flatten(0, 1)
    loss = safety_loss(flat, torch.ones_like(flat, dtype=torch.bool), labels)
    assert loss.item() == pytest.approx(case["expected"]["bce"], abs=1e-6)


# --- words, and the maker of the trainer


def test_bags_hold_words_and_pairs_of_neighbours() -> None:
    bags = Bags(["No prescription?", "", "no PRESCRIPTION ?"], 1 << 20)
    # no, prescription, ?, and two pairs; the text without words has none.
    assert bags.offsets.tolist() == [0, 5, 5]
    assert bags.numbers[:5].tolist() == bags.numbers[5:].tolist()
    assert len(set(bags.numbers.tolist())) == 5
    assert max(Bags(["a b c d"], 2).numbers.tolist()) <= 1


def test_the_maker_believes_what_it_learned_before_and_resumes(record: TurnBatch) -> None:
    first, second = (SimpleNamespace(batch=record.select(record.rollout // 8 == n)) for n in (0, 1))
    maker = safety.begin(None, SimpleNamespace(seed=3))
    fresh = maker(first)
    # Untrained: every turn near the 0.95 that it starts with.
    assert np.exp(fresh.log_safe) == pytest.approx(np.full(len(fresh), 0.95), abs=0.03)
    kept_state = {name: value.clone() for name, value in maker.state_dict().items()}
    resumed = safety.begin(None, SimpleNamespace(seed=3))
    resumed.load_state_dict(kept_state)
    assert resumed(second).log_safe.tobytes() == maker(second).log_safe.tobytes()
    assert resumed(first).log_safe.tobytes() != fresh.log_safe.tobytes()
