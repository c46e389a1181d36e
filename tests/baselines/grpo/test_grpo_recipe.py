"""The GPU recipe, on the CPU: turns, time, memory, and what a cut leaves."""

from __future__ import annotations

import json
import signal
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")
pytest.importorskip("matplotlib")

from agentgym.baselines.grpo import recipe, recipe_results  # noqa: E402
from agentgym.baselines.grpo.config import Config, TrainError  # noqa: E402
from agentgym.baselines.grpo.recipe_results import Results  # noqa: E402


@dataclass
class Clock:
    """A clock that goes on by a second whenever someone learns."""

    seconds: float
    spent: float = 0.0

    @property
    def left(self) -> float:
        return self.seconds - self.spent


class Ticks(Clock):
    """A clock on which every look costs a tenth of a second, so that tests do the same on every machine."""

    @property
    def spent(self) -> float:
        self.looks = getattr(self, "looks", 0) + 1
        return self.looks / 10

    @spent.setter
    def spent(self, value: float) -> None:
        pass


class Learner:
    """In place of a trainer."""

    def __init__(self, clock: Clock, fails: dict[int, Exception] | None = None, **changes: Any) -> None:
        self.clock, self.fails, self.done = clock, fails or {}, 0
        self.config: Config = grpo_world.config(eval_every=2, **changes)

    def update(self) -> dict[str, Any]:
        if self.done + 1 in self.fails:
            raise self.fails.pop(self.done + 1)
        self.done += 1
        self.clock.spent += 1.0
        return {"update": self.done, "success": 0.5, "turns": 4.0, "tokens": 10, "skipped": 0, "entropy": 0.1,
                "seconds_rollout": 0.5, "seconds_train": 0.5}  # fmt: skip

    def evaluate(self) -> dict[str, float]:
        self.clock.spent += 0.25
        return {"success": 0.25 * self.done}


def turns(tmp_path: Path, seconds: float, **fails: dict[int, Exception]) -> tuple[dict[str, Any], Results, Clock]:
    clock = Clock(seconds)
    learners: dict[str, Any] = {name: Learner(clock, fails.get(name)) for name in ("one", "two")}
    results = Results(tmp_path, ("one", "two"), {})
    recipe.take_turns(learners, clock, results, 0.5, lambda text: None)
    return learners, results, clock


def test_estimators_take_turns_and_the_time_ends_them_together(tmp_path: Path) -> None:
    # A round is 2 s, an evaluation of both 0.5 s, 5 s are kept, so a round needs 1.2·(2 + 0.5) + 5 = 8 s. At 2 s there
    # are 11 left, at 4.5 s (two rounds, evaluated) 8.5, at 6.5 s 6.5: three updates each, and a last evaluation.
    learners, results, clock = turns(tmp_path, 13.0)
    assert [one.done for one in learners.values()] == [3, 3]
    assert results.held_out["one"] == [(2, 0.5), (3, 0.75)]
    assert clock.left >= recipe.RESERVE
    lines = [json.loads(line) for line in (tmp_path / "curves.jsonl").read_text().splitlines()]
    trained = [(line["estimator"], line["update"]) for line in lines if "held_success" not in line]
    assert trained == [(name, update) for update in (1, 2, 3) for name in ("one", "two")]


def test_an_estimator_that_cannot_go_on_leaves_the_others(tmp_path: Path) -> None:
    learners, results, _ = turns(tmp_path, 14.0, one={2: TrainError("3 steps in a row")})
    assert list(learners) == ["two"]
    assert results.stopped == {"one": "3 steps in a row"}
    assert learners["two"].done > 2


def test_out_of_memory_makes_all_smaller_and_nobody_falls_behind(tmp_path: Path) -> None:
    full = TrainError("out of memory")
    full.__cause__ = torch.OutOfMemoryError("CUDA out of memory")
    learners, results, _ = turns(tmp_path, 13.0, two={2: full})
    assert {one.config.token_budget for one in learners.values()} == {4096}  # half of 8192
    assert learners["one"].done == learners["two"].done >= 2
    assert results.stopped == {}


def test_where_the_token_budget_is_small_already_the_rollouts_are_halved() -> None:
    # 150 // 2 = 75 is less than the context of 96, and 8 rollouts are two groups of 4; 4 rollouts are not.
    both: dict[str, Any] = {name: Learner(Clock(1.0), token_budget=150) for name in ("one", "two")}
    recipe.shrink(both, "one", lambda text: None)
    assert [(one.config.rollouts, one.config.token_budget) for one in both.values()] == [(4, 150), (4, 150)]
    recipe.shrink(both, "one", lambda text: None)
    assert [(one.config.rollouts, one.config.token_budget) for one in both.values()] == [(4, 75), (4, 75)]


def test_results_are_whole_while_the_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipe_results, "EVERY", -1.0)
    results = Results(tmp_path, ("grpo",), {"size": "toy"})
    for update in (1, 2):
        drift = {"drift": float("nan")} if update == 1 else {}
        results.add("grpo", {"update": update, "success": update / 4, "turns": 3.0, "rollouts": 8, "tokens": 60,
                             "skipped": 0, "seconds_rollout": 1.0, "seconds_train": 2.0, **drift})  # fmt: skip
    found = json.loads((tmp_path / "summary.json").read_text())
    assert found["state"] == "running"
    mine = found["estimators"]["grpo"]
    assert (mine["updates"], mine["success_first"], mine["mean_drift"]) == (2, 0.375, None)
    assert mine["tokens_per_second"] == 20.0  # 120 tokens in 2 · 3 s
    assert mine["turns_per_second_rollout"] == 24.0  # 2 · 3 · 8 turns in 2 s
    assert (tmp_path / "curves.svg").read_text().startswith("<svg")


TINY = {
    "width": 16, "layers": 1, "heads": 2, "rollouts": 8, "group_size": 4, "eval_tasks": 3, "eval_rollouts": 1,
    "context": 96, "max_new_tokens": 3, "warm_epochs": 2,
}  # fmt: skip


@pytest.fixture
def walking(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe on a world of two words."""
    monkeypatch.setattr(recipe, "make", lambda env, **given: grpo_world.config(**{**TINY, **without(given)}))
    monkeypatch.setattr(recipe, "WARM_EPISODES", {"toy": (8, 16)})
    monkeypatch.setattr(recipe, "WARM_ENOUGH", 2.0)  # never: both attempts are made
    monkeypatch.setattr(recipe, "RESERVE", 0.5)
    monkeypatch.setattr(recipe, "Clock", Ticks)


def without(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name not in ("env_kwargs", *recipe.SIZES["toy"])}


def test_the_whole_recipe_leaves_summary_curves_and_figure(walking: None, tmp_path: Path) -> None:
    said: list[str] = []
    found = json.loads(json.dumps(recipe.run("toy", 6.0, str(tmp_path), {}, said.append)))
    assert found == json.loads((tmp_path / "summary.json").read_text())
    assert found["state"] == "finished"
    assert found["warm"]["episodes"] == 16
    assert list(found["estimators"]) == list(recipe.ESTIMATORS)
    updates = {one["updates"] for one in found["estimators"].values()}
    assert len(updates) == 1
    assert updates.pop() >= 1
    assert found["config"]["width"] == 16
    assert found["computed_with"] == "sdpa attention, float32"
    assert found["seconds_spent"] <= 6.5
    assert all(one["held_out"][0] == [0, found["warm"]["held_success"]] for one in found["estimators"].values())


def test_a_signal_leaves_what_there_is(walking: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    updates: list[str] = []
    real = Results.add

    def add(self: Results, name: str, record: Any) -> None:
        real(self, name, record)
        updates.append(name)
        if len(updates) == 3:
            signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(Results, "add", add)
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        status = recipe.main(["--size", "toy", "--seconds", "60", "--out", str(tmp_path), "seed=7"])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert status == 0
    found = json.loads((tmp_path / "summary.json").read_text())
    assert found["state"] == "cut by a signal"
    assert [found["estimators"][name]["updates"] for name in recipe.ESTIMATORS] == [1, 1, 1, 0]
    assert found["config"]["seed"] == 7
    assert "cut by a signal" in (tmp_path / "log.txt").read_text()


def test_attention_that_is_not_finite_is_replaced(walking: None, monkeypatch: pytest.MonkeyPatch) -> None:
    apart = iter([float("inf"), 0.001])
    monkeypatch.setattr(recipe, "apartness", lambda parts, config: next(apart))
    parts, _, way = recipe.computing(grpo_world.config(), lambda text: None)
    assert way == "eager attention, float32"
    assert parts.model.config._attn_implementation == "eager"


def test_no_way_of_computing_that_agrees_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipe, "apartness", lambda parts, config: float("inf"))
    with pytest.raises(TrainError, match="disagree in every way of computing"):
        recipe.computing(grpo_world.config(), lambda text: None)


def test_a_model_that_returns_nan_is_infinitely_apart() -> None:
    parts, config = grpo_world.parts()
    assert recipe.apartness(parts, config) < 1e-4
    real = parts.model.forward

    def poisoned(*given: Any, **named: Any) -> Any:
        out = real(*given, **named)
        out.logits = out.logits * float("nan")
        return out

    parts.model.forward = poisoned
    parts.engine.changed()
    assert recipe.apartness(parts, config) == np.inf


def test_the_clock_counts_from_the_first_import() -> None:
    clock = recipe.Clock(1e6)
    assert 0.0 < clock.spent < clock.left < 1e6


def test_the_100m_size_is_100_million_parameters_and_suits_a_gpu() -> None:
    """Without making it: 4·w² of attention and 3·w·(14/5)·w of the feed-forward network, a layer: 6·12.4·1280²."""
    sizes = recipe.SIZES["100m"]
    assert sizes["layers"] * 12.4 * sizes["width"] ** 2 == pytest.approx(121.9e6, rel=1e-3)
    made = replace(grpo_world.config(), **sizes)  # every field is one, and they fit together
    assert made.width // made.heads == 64
    assert made.width * 14 // 5 % 8 == 0
