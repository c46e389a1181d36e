"""The success of random choice: how it is measured and what is published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_service_expert import world

from agentgym.envs.customer_service import measure_random, tasks


def test_the_same_episodes_come_out_the_same() -> None:
    measured = measure_random.success(world(), 2, split="train")
    assert measured["episodes"] == 2 * 16 and (measured["seed"], measured["split"]) == (0, "train")
    assert 1.0 < measured["turns"] <= 40.0
    assert measured == measure_random.success(world(), 2, split="train")
    assert measured["turns"] != measure_random.success(world(), 2, seed=1000, split="train")["turns"]


def test_success_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    # With the expert's action alone on every menu, every choice is right: the families take 7, 8, 7 or 9 and 6 turns.
    env = world()
    monkeypatch.setattr(env, "menu", lambda state: [env.expert(state)])
    measured = measure_random.success(env, 1, split="train")
    assert measured["success"] == 1.0
    assert 6.0 < measured["turns"] < 9.0


def test_what_is_measured_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "random.json"
    monkeypatch.setattr(measure_random, "PATH", path)
    monkeypatch.setattr(measure_random, "CustomerServiceEnv", lambda domain: world())
    plain = measure_random.success
    monkeypatch.setattr(measure_random, "success", lambda *arguments: plain(*arguments, split="train"))
    assert measure_random.main(["retail", "--episodes", "1"]) == 0
    assert measure_random.main(["airline", "--episodes", "2"]) == 0
    found: dict[str, Any] = json.loads(path.read_text())
    assert sorted(found) == ["airline", "retail"] and found["airline"]["episodes"] == 32
    assert capsys.readouterr().out.startswith(f"retail: {found['retail']['success']:.1%} of 16 episodes\nairline: ")


@pytest.mark.parametrize("arguments", [["retial"], ["--episodes", "0"]])
def test_bad_arguments_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        measure_random.main(arguments)
    assert ("did you mean 'retail'" if arguments == ["retial"] else "at least 1") in capsys.readouterr().err


def test_random_choice_is_published_for_every_domain_and_rare() -> None:
    published = tasks.random_success()
    assert sorted(published) == sorted(tasks.DOMAINS)
    assert all(0.0 <= share <= 0.05 for share in published.values())
