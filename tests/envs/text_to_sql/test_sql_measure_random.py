"""The success of random choice: how it is measured and what is published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sql_cases

from agentgym.envs.text_to_sql import measure_random, tasks
from agentgym.envs.text_to_sql.shipped.panels import PANELS


@pytest.fixture
def own_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """Play the tests' own tasks instead of a shipped panel."""
    monkeypatch.setattr(measure_random, "TextToSQLEnv", lambda panel, split: sql_cases.world("dear", "ungraded"))


@pytest.mark.usefixtures("own_world")
def test_random_choice_solves_about_its_share() -> None:
    """Each task has three misses: a quarter of 400 episodes is 100, with a standard deviation of 8.7."""
    measured = measure_random.success("all", 200, split="train")
    assert measured["episodes"] == 400 and (measured["seed"], measured["split"]) == (0, "train")
    assert abs(400 * measured["success"] - 100) <= 3 * 8.7
    assert 2.0 < measured["turns"] < 10.0
    assert measured == measure_random.success("all", 200, split="train")
    assert measured != measure_random.success("all", 200, seed=1000, split="train")


@pytest.mark.usefixtures("own_world")
def test_what_is_measured_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "random.json"
    monkeypatch.setattr(measure_random, "PATH", path)
    plain = measure_random.success
    monkeypatch.setattr(measure_random, "success", lambda *arguments: plain(*arguments, split="train"))
    assert measure_random.main(["hard", "--episodes", "2"]) == 0
    assert measure_random.main(["easy", "--episodes", "3"]) == 0
    found: dict[str, Any] = json.loads(path.read_text())
    assert sorted(found) == ["easy", "hard"] and found["easy"]["episodes"] == 6
    assert capsys.readouterr().out.startswith(f"hard: {found['hard']['success']:.1%} of 4 episodes\neasy: ")


@pytest.mark.parametrize("arguments", [["esy"], ["--episodes", "0"]])
def test_bad_arguments_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        measure_random.main(arguments)
    assert ("did you mean 'easy'" if arguments == ["esy"] else "at least 1") in capsys.readouterr().err


def test_random_choice_is_published_for_every_panel() -> None:
    published = tasks.random_success()
    assert sorted(published) == sorted(PANELS)
    assert all(0.0 < share <= 0.1 for share in published.values())
