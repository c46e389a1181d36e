"""Uniform random choice from the menu: measured as it should be, and rare on every shipped panel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from wiki_small import corpus, world

from agentgym.envs.wiki_search import measure_random, tasks
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.shipped.panels import PANELS


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> WikiSearchEnv:
    """Let every panel be the ten questions about an invented country."""
    made = world(corpus(tmp_path))
    monkeypatch.setattr(measure_random, "WikiSearchEnv", lambda panel, split: made)
    return made


def test_success_is_that_of_uniform_choice(small: WikiSearchEnv) -> None:
    """Where the right answer is one of seven from the start, a seventh at least of the answers are right."""
    measured = measure_random.success("all", 40, split="train")
    assert measured["episodes"] == 400 and 1.0 < measured["turns"] <= small.max_turns
    assert 0.02 < measured["success"] < 0.15
    assert measured == measure_random.success("all", 40, split="train")
    assert measured != measure_random.success("all", 40, seed=1000, split="train")


def test_the_command_writes_what_it_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, plain = tmp_path / "random.json", measure_random.success
    monkeypatch.setattr(measure_random, "PATH", path)
    monkeypatch.setattr(measure_random, "success", lambda *arguments: plain(*arguments, split="train"))
    assert measure_random.main(["hard", "--episodes", "2"]) == 0
    assert capsys.readouterr().out.startswith("hard: ") and list(json.loads(path.read_text("utf-8"))) == ["hard"]
    assert measure_random.main(["single", "--episodes", "1"]) == 0
    assert list(json.loads(path.read_text("utf-8"))) == ["hard", "single"]  # others stay as they are
    for wrong in (["simple"], ["single", "--episodes", "0"]):
        with pytest.raises(SystemExit):
            measure_random.main(wrong)
        assert "single" in (said := capsys.readouterr().err) or "at least 1" in said


def test_it_is_measured_of_every_panel_and_solves_one_episode_in_twenty_at_most() -> None:
    measured = tasks.random_success()
    assert set(measured) == set(PANELS)
    assert all(0.0 < share <= 0.05 for share in measured.values())
