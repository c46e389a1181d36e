"""T-STAR's surgery: which replies are compared, in which context, and what the loss does to them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym import credit  # noqa: E402
from agentgym.baselines.grpo import checkpoint, data, loss  # noqa: E402
from agentgym.baselines.grpo.rollout import Transcript  # noqa: E402
from agentgym.baselines.grpo.surgery import KEPT, Graft, Surgery, grafts  # noqa: E402

PAIR = Graft([5, 20, 30], [6, 40, 2], [7, 2])


def diverging(*places: tuple[tuple[str, int], tuple[str, int]]) -> Any:
    found = [SimpleNamespace(better=better, worse=worse) for better, worse in places]
    return SimpleNamespace(diagnostics={"divergences": found})


def script(*turns: list[int]) -> Transcript:
    """Prompt 1, then each turn's ids, with a 3 of the world's between them."""
    out = Transcript([1])
    for place, ids in enumerate(turns):
        if place:
            out.read([3])
        out.sampled(ids, [-1.0] * len(ids))
    return out


def test_the_better_reply_is_grafted_onto_what_the_worse_rollout_had_read() -> None:
    scripts = {"a": script([8, 2], [9, 2]), "b": script([7, 7, 2], [6, 2]), "c": script([8, 2], [9, 2])}
    pairs = grafts(diverging((("a", 1), ("b", 1)), (("a", 0), ("c", 0))), scripts)
    # a and c said the same in turn 0, though the world answered otherwise: there is nothing to prefer
    assert pairs == [Graft([1, 7, 7, 2, 3], [9, 2], [6, 2])]
    assert grafts(SimpleNamespace(diagnostics={}), scripts) == []


def test_the_loss_is_that_of_the_credit_package() -> None:
    """At equal gaps log 2; else weight · −log σ(β·Δ)."""
    gaps = np.array([[-1.0, -2.0, -1.5, -2.5], [-0.2, -4.0, -1.0, -1.0]])
    mine = loss.surgical(*torch.tensor(gaps).T)
    theirs = credit.surgical_loss(*gaps.T, weight=1.0)
    assert mine.tolist() == pytest.approx(theirs.tolist())
    assert mine[0] == pytest.approx(np.log(2.0))


def scored(trainer: Any, pair: Graft) -> tuple[float, float]:
    start = len(pair.prompt)
    both = trainer.parts.engine.score([[*pair.prompt, *pair.better], [*pair.prompt, *pair.worse]])
    return float(both[0][start:].sum()), float(both[1][start:].sum())


def test_a_step_prefers_the_better_reply_and_the_average_follows(tmp_path: Path) -> None:
    begun = grpo_world.trainer(tmp_path)
    surgery = Surgery(begun.parts.model, begun.config, begun.parts.tokens.pad)
    better, worse = scored(begun, PAIR)
    begun.optimizer.zero_grad(set_to_none=True)
    value = surgery.gradient([PAIR, PAIR])
    assert value == pytest.approx(begun.config.surgical * np.log(2.0), rel=1e-5)  # nothing has moved yet
    begun.optimizer.step()
    after = scored(begun, PAIR)
    assert after[0] - after[1] > better - worse
    old = [weights.clone() for weights in surgery.average.parameters()]
    surgery.follow()
    for held, now, new in zip(old, surgery.average.parameters(), begun.parts.model.parameters(), strict=True):
        assert torch.allclose(now, KEPT * held + (1 - KEPT) * new, atol=1e-7)
    assert not any(weights.requires_grad for weights in surgery.average.parameters())


def test_the_average_resumes_to_the_bit(tmp_path: Path) -> None:
    begun = grpo_world.trainer(tmp_path)
    played = begun.play()
    made = credit.estimate(lambda b: np.where(np.arange(len(b)) % 2, 1.0, -0.5), played.batch)
    rows = data.sequences(played.batch, made, played.transcripts)
    record = begun.learn(rows, [PAIR])
    assert record["surgical"] > 0.0
    begun.save()
    again = grpo_world.trainer(tmp_path)
    again.resume(checkpoint.load(tmp_path / "latest.pt"))
    one, two = begun.learn(rows, [PAIR]), again.learn(rows, [PAIR])
    assert one == two
    for a, b in zip(begun.surgery.average.parameters(), again.surgery.average.parameters(), strict=True):
        assert torch.equal(a, b)


def test_without_weight_or_divergence_there_is_no_second_model(tmp_path: Path) -> None:
    for name, changes in (("a", {"surgical": 0.0, "estimator": "tstar"}), ("b", {"estimator": "grpo"})):
        begun = grpo_world.trainer(tmp_path / name, **changes)
        begun.update()
        assert begun.surgery is None
