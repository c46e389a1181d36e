"""The loop: equal gradients however they are split, steps that are skipped, controls, resume to the bit."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym import credit  # noqa: E402
from agentgym.baselines.grpo import checkpoint, data, logs  # noqa: E402
from agentgym.baselines.grpo.config import TrainError  # noqa: E402
from agentgym.baselines.grpo.rollout import Played  # noqa: E402
from agentgym.baselines.grpo.train import Trainer, learning_rate  # noqa: E402


def rows_of(trainer: Trainer) -> data.Sequences:
    """Return rollouts with an advantage on every turn, so that every token counts."""
    played = trainer.play()
    made = credit.estimate(lambda b: np.where(np.arange(len(b)) % 2, 1.0, -0.5), played.batch)
    return data.sequences(played.batch, made, played.transcripts)


def gradients(trainer: Trainer, rows: data.Sequences) -> tuple[float, torch.Tensor]:
    trainer.optimizer.zero_grad(set_to_none=True)
    value = trainer.gradient(rows, range(len(rows)))
    return value, torch.cat([weights.grad.flatten() for weights in trainer.parts.model.parameters()])


@pytest.mark.parametrize("aggregation", ["token_mean", "sequence_mean", "constant"])
def test_accumulated_micro_batches_equal_one_big_batch(tmp_path: Path, aggregation: str) -> None:
    whole = grpo_world.trainer(tmp_path / "a", aggregation=aggregation, token_budget=100_000)
    split = grpo_world.trainer(tmp_path / "b", aggregation=aggregation, token_budget=80)
    rows = rows_of(whole)
    (one, big), (other, small) = gradients(whole, rows), gradients(split, rows)
    assert one == pytest.approx(other, abs=1e-6)
    assert (big - small).abs().max() < 1e-6
    assert big.abs().max() > 1e-4


def test_padding_changes_no_gradient(tmp_path: Path) -> None:
    """One rollout at a time (no padding) against all in one padded batch."""
    begun = grpo_world.trainer(tmp_path, aggregation="constant")
    rows = rows_of(begun)
    _, big = gradients(begun, rows)
    begun.optimizer.zero_grad(set_to_none=True)
    pairs = [begun.gradient(rows, [row]) for row in range(len(rows))]  # each divides by 1 rollout instead of all
    alone = torch.cat([weights.grad.flatten() for weights in begun.parts.model.parameters()]) / len(pairs)
    assert (big - alone).abs().max() < 1e-6


def test_the_ratio_is_one_before_the_first_step(tmp_path: Path) -> None:
    begun = grpo_world.trainer(tmp_path, temperature=0.7)
    rows, tally = rows_of(begun), logs.Tally()
    begun.gradient(rows, range(len(rows)), tally)
    assert tally.means()["drift_most"] < 1e-5
    assert tally.means()["clip_share"] == 0.0


def test_a_policy_gradient_raises_what_had_a_positive_advantage(tmp_path: Path) -> None:
    begun = grpo_world.trainer(tmp_path)
    played = begun.play()
    mine = played.batch.trajectory[0]
    made = credit.estimate(lambda b: np.array([1.0 if name == mine else 0.0 for name in b.trajectory]), played.batch)
    rows = data.sequences(played.batch, made, played.transcripts)
    script = played.transcripts[mine]
    places = [place for begin, end in script.spans for place in range(begin, end)]
    before = begun.parts.engine.score([script.ids])[0][places].sum()
    begun.learn(rows)
    assert begun.parts.engine.score([script.ids])[0][places].sum() > before


def test_a_step_that_is_not_finite_is_skipped_and_counted_and_three_in_a_row_stop_the_run(tmp_path: Path) -> None:
    """Two skipped, one taken, three skipped: only the last three end it, with the weights of before on the disk."""
    begun = grpo_world.trainer(tmp_path)
    rows = rows_of(begun)
    broken = data.Sequences(rows.ids, rows.old, [[float("nan")] * len(row) for row in rows.ids], rows.mask, rows.live)
    before = [weights.clone() for weights in begun.parts.model.parameters()]
    for count in (1, 2):
        record = begun.learn(broken)
        assert record["skipped"] == begun.skipped_in_a_row == count
    assert all(torch.equal(one, two) for one, two in zip(before, begun.parts.model.parameters(), strict=True))
    begun.learn(rows)
    assert begun.skipped_in_a_row == 0
    begun.learn(broken)
    begun.learn(broken)
    with pytest.raises(TrainError, match="3 steps in a row had a loss or gradient that is not finite"):
        begun.learn(broken)
    kept = checkpoint.load(tmp_path / "latest.pt")
    assert all(torch.isfinite(value).all() for value in kept["model"].values())
    assert kept["skipped"] == 5


def test_a_run_that_three_steps_stopped_goes_on_and_has_three_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Update 2 fails three times (its credit is NaN), again after a resume, and is sound after the next."""
    sizes = {"minibatches": 4, "updates": 2}
    straight = grpo_world.trainer(tmp_path / "a", **sizes)
    whole = [straight.update() for _ in range(2)]
    broken = grpo_world.trainer(tmp_path / "b", **sizes)
    first = broken.update()
    real = data.sequences

    def ruined(*given: Any, **more: Any) -> data.Sequences:
        rows = real(*given, **more)
        nan = [[math.nan] * len(row) for row in rows.ids]
        return data.Sequences(rows.ids, rows.old, nan, rows.mask, [True] * len(rows))

    monkeypatch.setattr(data, "sequences", ruined)
    for tries in (1, 2):
        with pytest.raises(TrainError, match=r"3 steps in a row .* --resume takes this update up again"):
            broken.update()
        assert broken.skipped == 3 * tries
        kept = checkpoint.load(tmp_path / "b/latest.pt")
        assert (kept["done"], kept["skipped_in_a_row"]) == (1, 0)
        broken = grpo_world.trainer(tmp_path / "b", **sizes)
        broken.resume(kept)
    monkeypatch.setattr(data, "sequences", real)
    second = broken.update()
    assert first["success"] == whole[0]["success"]
    for name in ("update", "success", "loss", "grad_norm"):  # as if nothing had been: the same draws, the same weights
        assert second.get(name) == whole[1].get(name)
    assert second["skipped"] == 6


def test_updates_beyond_a_thousand_meet_draws_of_their_own(tmp_path: Path) -> None:
    """Update 1,000 of seed 0 played the seeds of seed 1's update 0 again."""
    late, other = grpo_world.trainer(tmp_path / "a"), grpo_world.trainer(tmp_path / "b", seed=1)
    late.done = 1_000
    mine, theirs = set(late.play().batch.seed.tolist()), set(other.play().batch.seed.tolist())
    assert len(mine) == len(theirs) == 2
    assert not mine & theirs


def test_out_of_memory_leaves_a_whole_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exception that torch raises, in the second micro-batch: gradients are half there, the weights are not."""
    begun = grpo_world.trainer(tmp_path, token_budget=80)
    begun.update()
    begun.save()
    before = {name: value.clone() for name, value in begun.parts.model.state_dict().items()}
    calls = []
    from agentgym.baselines.grpo import train

    real = train.forward

    def failing(*given: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        return real(*given)

    monkeypatch.setattr(train, "forward", failing)
    monkeypatch.setattr(begun, "controlled", lambda found: credit.estimate(lambda b: np.ones(len(b)), played[0].batch))
    played: list[Played] = []
    real_play = begun.play
    monkeypatch.setattr(begun, "play", lambda progress=None: played.append(real_play()) or played[0])
    with pytest.raises(TrainError, match=r"out of memory while learning from update 2.*lower token_budget from 80"):
        begun.update()
    kept = checkpoint.load(tmp_path / "latest.pt", json.loads(json.dumps(begun.config.as_json())))
    assert kept["done"] == 1
    assert all(torch.equal(before[name], value) for name, value in kept["model"].items())
    assert all(weights.grad is None for weights in begun.parts.model.parameters())


def test_out_of_memory_while_playing_or_evaluating_leaves_the_last_weights(tmp_path: Path) -> None:
    """Keys and values of all rollouts are what a GPU runs out of first; the updates before it must not be lost."""
    begun = grpo_world.trainer(tmp_path)
    begun.update()  # save was never called: what is kept afterwards is kept by the failure

    def failing(*_: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    begun.parts.engine.generate = failing
    for act, said in (
        (begun.update, "while playing for update 2 .*lower rollouts from 8 or context from 96"),
        (begun.evaluate, "while evaluating after update 1 .*lower eval_tasks from 3"),
    ):
        with pytest.raises(TrainError, match=said):
            act()
        kept = checkpoint.load(tmp_path / "latest.pt", json.loads(json.dumps(begun.config.as_json())))
        assert kept["done"] == 1
        assert all(torch.equal(kept["model"][name], value) for name, value in begun.parts.model.state_dict().items())
        (tmp_path / "latest.pt").unlink()


def test_a_resumed_run_goes_on_to_the_bit(tmp_path: Path) -> None:
    """Four updates in one go, and two, a checkpoint, a new process's worth of objects, and two more."""
    sizes = {"updates": 4, "minibatches": 2, "epochs": 2, "kl": 0.01}
    straight = grpo_world.trainer(tmp_path / "a", **sizes)
    whole = [straight.update() for _ in range(4)]
    first = grpo_world.trainer(tmp_path / "b", **sizes)
    first.save("warm.pt")
    parts = [first.update() for _ in range(2)]
    first.save()
    second = grpo_world.trainer(tmp_path / "b", **sizes)
    with torch.no_grad():
        for weights in second.parts.model.parameters():
            weights.add_(1.0)  # whatever it began with
    second.resume(checkpoint.load(tmp_path / "b/latest.pt"))
    second.begin(checkpoint.load(tmp_path / "b/warm.pt")["model"])
    parts += [second.update() for _ in range(2)]
    for one, two in zip(whole, parts, strict=True):
        for name in ("update", "success", "loss", "grad_norm", "entropy", "kl", "lr", "drift", "advantage_by_turn"):
            assert one.get(name) == two.get(name), name
    assert any("loss" in record for record in whole[2:])
    for a, b in zip(straight.parts.model.parameters(), second.parts.model.parameters(), strict=True):
        assert torch.equal(a, b)


def test_the_zero_control_leaves_the_weights_to_the_bit(tmp_path: Path) -> None:
    begun = grpo_world.trainer(tmp_path, control="zero", weight_decay=0.1)
    before = [weights.clone() for weights in begun.parts.model.parameters()]
    record = begun.update()
    assert "loss" not in record
    assert all(torch.equal(one, two) for one, two in zip(before, begun.parts.model.parameters(), strict=True))


def test_the_shuffled_control_deals_the_same_values_out_otherwise(tmp_path: Path) -> None:
    begun = grpo_world.trainer(tmp_path, control="shuffled")
    played = begun.play()
    made = credit.estimate(lambda b: np.arange(float(len(b))), played.batch)
    dealt = begun.controlled(made)
    assert sorted(dealt.total) == sorted(made.total)
    assert dealt.total.tolist() != made.total.tolist()
    assert begun.controlled(made).total.tolist() == dealt.total.tolist()  # the draw follows from seed and update
    begun.done += 1
    assert begun.controlled(made).total.tolist() != dealt.total.tolist()


def test_groups_are_normalised_by_group_not_by_batch(tmp_path: Path) -> None:
    """An easy and a hard task in one batch: each group's advantages average 0 by themselves."""
    begun = grpo_world.trainer(tmp_path)
    batch = begun.play().batch
    outcome = np.where(batch.last, np.arange(len(batch)) % 3 + 10.0 * np.asarray(batch.group_code), 0.0)
    total = begun.parts.estimator(batch.with_columns(outcome_reward=outcome)).total
    first = batch.order[batch.starts]
    for group in range(batch.num_groups):
        assert total[first][batch.rollout_group == group].mean() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("estimator", ["grpo", "mt_grpo", "gigpo", "hcapo", "state_graph"])
def test_every_estimator_runs_an_update(tmp_path: Path, estimator: str) -> None:
    record = grpo_world.trainer(tmp_path, estimator=estimator).update()
    assert record["update"] == 1
    assert math.isfinite(record["success"])
    assert json.loads(json.dumps(record)) == record


def test_bfloat16_products_train_too(tmp_path: Path) -> None:
    begun = grpo_world.trainer(tmp_path, dtype="bfloat16")
    rows, tally = rows_of(begun), logs.Tally()
    value = begun.gradient(rows, range(len(rows)), tally)
    assert math.isfinite(value)
    assert next(begun.parts.model.parameters()).dtype == torch.float32
    assert tally.means()["drift"] < 0.05


def test_the_reference_holds_the_policy_back(tmp_path: Path) -> None:
    """At the first step the divergence is 0; after a step away from the reference it is not, and it is ≥ 0."""
    begun = grpo_world.trainer(tmp_path, kl=0.1, lr=0.05)
    rows = rows_of(begun)
    first, second = begun.learn(rows), begun.learn(rows)
    assert first["kl"] == pytest.approx(0.0, abs=1e-7)
    assert second["kl"] > 1e-4


def test_the_learning_rate_rises_then_falls() -> None:
    """warmup 1, decay 0.5, 5 updates, lr 1: ½, 1, then down by ½/4 an update."""
    config = grpo_world.config(lr=1.0, warmup=1, decay=0.5, updates=5)
    assert [learning_rate(config, k) for k in range(5)] == pytest.approx([0.5, 1.0, 0.875, 0.75, 0.625])


def test_gradients_are_clipped_to_the_norm(tmp_path: Path) -> None:
    begun = grpo_world.trainer(tmp_path, grad_clip=1e-3)
    rows, norms = rows_of(begun), []
    real = begun.optimizer.step
    begun.optimizer.step = lambda: (
        norms.append(float(torch.stack([weights.grad.norm() for weights in begun.parts.model.parameters()]).norm()))
        or real()
    )
    record = begun.learn(rows)
    assert norms[0] == pytest.approx(1e-3, rel=1e-3)
    assert record["grad_norm"] > 1e-3


def test_repetition_counts_equal_actions_in_equal_states() -> None:
    from agentgym.batch import TurnBatch

    batch = TurnBatch({
        "group": [0] * 4, "trajectory": [0, 0, 0, 1], "turn": [0, 1, 2, 0], "anchor": ["s", "s", "t", "s"],
        "action": ["a", "a", "a", "a"],
    })  # fmt: skip
    assert logs.repetition(batch) == 0.25  # turn 1 repeats turn 0; another state or another rollout is no repetition


def test_tags_are_shares_of_turns() -> None:
    from agentgym.batch import TurnBatch

    columns = {"group": [0] * 4, "trajectory": [0, 0, 0, 1], "turn": [0, 1, 2, 0]}
    batch = TurnBatch({**columns, "tag": ["ok", "", "wrong", "ok"]})
    assert logs.tags(batch) == {"ok": 0.5, "wrong": 0.25}  # the second turn has none
    assert logs.tags(TurnBatch(columns)) == {}


def test_out_of_memory_within_a_step_keeps_the_checkpoint_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AdamW makes its moments in the first step, where a GPU is fullest: some weights moved already, others not."""
    begun = grpo_world.trainer(tmp_path)
    rows = rows_of(begun)
    begun.save()
    before = {name: value.clone() for name, value in begun.parts.model.state_dict().items()}

    def half() -> None:
        with torch.no_grad():
            next(begun.parts.model.parameters()).add_(1.0)
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    monkeypatch.setattr(begun.optimizer, "step", half)
    with pytest.raises(TrainError, match="out of memory while learning from update 1"):
        begun.learn(rows)
    kept = checkpoint.load(tmp_path / "latest.pt")
    assert all(torch.equal(before[name], value) for name, value in kept["model"].items())


def test_memory_that_runs_out_on_the_cpu_is_known_too(tmp_path: Path) -> None:
    """There torch raises a plain RuntimeError of its allocator, whose real words these are."""
    begun = grpo_world.trainer(tmp_path)

    def failing(*_: Any) -> Any:
        torch.empty(10**17)

    begun.parts.engine.generate = failing
    with pytest.raises(TrainError, match=r"out of memory while playing for update 1 .*latest.pt is whole"):
        begun.update()
    assert checkpoint.load(tmp_path / "latest.pt")["done"] == 0

    def wrong(*_: Any) -> Any:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    begun.parts.engine.generate = wrong
    with pytest.raises(RuntimeError, match="mat1 and mat2"):
        begun.update()


def test_a_step_that_is_not_taken_is_in_no_metric(tmp_path: Path) -> None:
    """NaN in one step's sums would make the update's means NaN, which no JSON holds."""
    begun = grpo_world.trainer(tmp_path, minibatches=2)
    rows = rows_of(begun)
    first = begun._minibatches(len(rows), 0)[0]
    nan = [[float("nan")] * len(row) for row in rows.ids]
    old = [nan[row] if row in first else rows.old[row] for row in range(len(rows))]
    record = begun.learn(data.Sequences(rows.ids, old, rows.advantage, rows.mask, rows.live))
    assert record["skipped"] == 1
    json.dumps(record, allow_nan=False)
    assert record["entropy"] > 0.0
    assert record["drift_most"] < 1e-5  # no step was taken before the second minibatch
