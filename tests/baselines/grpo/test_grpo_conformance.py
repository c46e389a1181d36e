"""The trainer of this package under the canaries: it drops nothing, and where a part of it is broken that is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("torch", reason="the trainer needs torch: install the extra train")

from agentgym import canary
from agentgym.baselines.grpo import conformance, data, rollout

QUICK = {
    "updates": 1,
    "rollouts": 32,
    "group_size": 4,
    "warm_episodes": 64,
    "warm_epochs": 8,
    "width": 32,
    "layers": 1,
    "lr": 1e-3,
}
RECORD = set(canary.ABOUT) - {"learning"}


def train(world: str) -> Any:
    return conformance.train(world, **QUICK)


def test_the_record_of_one_update_drops_nothing() -> None:
    report = canary.run(train, worlds=("Middle", "Wages", "Flat", "Outage"), lessons=False)
    assert report.dropped == [], str(report)
    assert {line.check for line in report.lines if line.source == "record" and line.status == "kept"} == RECORD


@pytest.mark.slow
def test_every_lesson_is_learned() -> None:
    """About four minutes. Middle takes a longer run than the others."""
    report = canary.run(lambda world: conformance.train(world, **({"updates": 60} if "Middle" in world else {})))
    assert report.dropped == [], str(report)
    assert [line.status for line in report.lines if line.source == "lesson"] == ["kept"] * 7, str(report)


def dropped(world: str) -> list[str]:
    return canary.run(train, worlds=[world], lessons=False).dropped


def test_trained_observations_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    right = data.sequences

    def unmasked(*given: Any, **more: Any) -> Any:
        rows = right(*given, **more)
        return replace(rows, mask=[[1.0] * len(mask) for mask in rows.mask])

    monkeypatch.setattr("agentgym.baselines.grpo.train.data.sequences", unmasked)
    assert dropped("Echo") == ["mask"]


def test_a_prompt_without_the_observation_of_reset_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rollout.start

    def deaf(world: Any, tokens: Any, config: Any, task: Any, seed: int, member: int) -> Any:
        found = right(world, tokens, config, task, seed, member)
        found.transcript = rollout.Transcript(tokens.opening([{"role": "user", "content": "Play."}]))
        return found

    monkeypatch.setattr(rollout, "start", deaf)
    assert dropped("Hint") == ["opening"]


def test_unequal_starts_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rollout.start

    def unequal(world: Any, tokens: Any, config: Any, task: Any, seed: int, member: int) -> Any:
        found = right(world, tokens, config, task, seed * 100 + member, member)
        found.group = f"{task.id}#{seed}"
        return found

    monkeypatch.setattr(rollout, "start", unequal)
    assert dropped("Luck") == ["groups"]


def test_ids_that_were_encoded_again_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every reply is spelt in letters before it is trained on: the same text by other ids."""
    right = data.sequences

    def spelt(batch: Any, credit: Any, scripts: Any, tokens: Any, **more: Any) -> Any:
        rows = right(batch, credit, scripts, tokens, **more)
        found: dict[str, list[Any]] = {name: [] for name in ("ids", "old", "advantage", "mask", "own")}
        for columns in zip(*(getattr(rows, name) for name in found), strict=True):
            longer = [
                [letter, *rest]
                for number, *rest in zip(*columns, strict=True)
                for letter in ([tokens._ids.get(char, number) for char in tokens.decode([number])] if rest[2] else [])
                or [number]
            ]
            for name, column in zip(found, map(list, zip(*longer, strict=True)), strict=True):
                found[name].append(column)
        return replace(rows, **found)

    monkeypatch.setattr("agentgym.baselines.grpo.train.data.sequences", spelt)
    assert dropped("Control") == ["sampled"]
