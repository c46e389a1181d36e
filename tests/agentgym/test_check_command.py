"""`agentgym check`: what it prints, its exit status, its refusals."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import worlds
from broken_envs.sound import SAFES, Sound

from agentgym import Task, TaskPanel, register
from agentgym.check import RULES
from agentgym.cli import main


class TwoPanels(Sound):
    """Offers a second panel, which it cannot start."""

    def panels(self) -> Any:
        return [(SAFES, None), (TaskPanel("odd", {"train": [Task("none")]}), 0.5)]


register("check/Sound-v0", "broken_envs.sound:Sound")
register("check/Prints-v0", "broken_envs.contract:Prints")
register("check/TwoPanels-v0", f"{__name__}:TwoPanels")


def test_a_sound_world_passes_with_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "check/Sound-v0"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == "check/Sound-v0 (version 1), panel safes: 4 of 4 tasks, seed 0"
    assert [line.split()[0] for line in lines[1:-1]] == list(RULES)
    assert lines[-1] == f"{len(RULES)} passed, 0 broken, 0 not checked"
    assert err == ""


def test_a_broken_rule_is_status_1_and_says_what_and_where(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "check/Prints-v0", "--rule", "hostile"]) == 1
    out = capsys.readouterr().out
    assert "  hostile  broken       the world printed 'hm\\n" in out
    assert "1 passed, 1 broken, 0 not checked" in out


def test_options_reach_the_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "report.jsonl"
    options = ["--set", "max_turns=3", "--rule", "limit", "--tasks", "2", "--seed", "7", "--json", str(file)]
    assert main(["check", "worlds:test/Counter-v0", *options]) == 0
    assert "limit  passed       3 turns at most" in capsys.readouterr().out
    told = json.loads(file.read_text("utf-8"))
    assert (told["tasks"], told["seed"], told["ok"]) == ([2, 3], 7, True)
    assert [result["rule"] for result in told["results"]] == ["made", "limit"]
    assert main(["check", "worlds:test/Counter-v0", "--rule", "made", "--tasks", "all"]) == 0
    assert "3 of 3 tasks started" in capsys.readouterr().out


def test_given_actions_are_played(capsys: pytest.CaptureFixture[str]) -> None:
    class Password(worlds.Dice):
        def transition(self, state: Any, action: Any, rng: Any) -> Any:
            if action.text == "sesame":
                raise OSError("the door is stuck")
            return super().transition(state, action, rng)

    globals()["Password"] = Password
    register("check/Password-v0", f"{__name__}:Password")
    assert main(["check", "check/Password-v0", "--rule", "hostile"]) == 0
    assert main(["check", "check/Password-v0", "--rule", "hostile", "--action", "sesame"]) == 1
    assert "OSError: the door is stuck" in capsys.readouterr().out


def test_every_panel(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "report.jsonl"
    assert main(["check", "check/TwoPanels-v0", "--panels", "--rule", "made", "--json", str(file)]) == 1
    out = capsys.readouterr().out
    assert "panel safes: 4 of 4 tasks" in out
    assert out.splitlines()[-1] == "1 of 2 panels passed; broken: odd"
    assert [json.loads(line)["ok"] for line in file.read_text("utf-8").splitlines()] == [True, False]


def test_progress_is_shown_where_a_person_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert main(["check", "check/Sound-v0", "--rule", "spaces"]) == 0
    assert screen.getvalue() == "\r\033[K0/2 made\r\033[K1/2 spaces\r\033[K"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tasks", "0"], "--tasks takes a number of at least 1, or all, not '0'"),
        (["--tasks", "²"], "--tasks takes a number of at least 1, or all"),
        (["--rule", "hostil"], "unknown rule 'hostil'; did you mean 'hostile'?"),
        (["--set", "max_turns"], "--set takes NAME=VALUE"),
        (["--seed", "-1"], "seed must be an integer"),
    ],
)
def test_refusals(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "check/Sound-v0", *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err


def test_an_unknown_world_is_one_clear_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "check/Sund-v0"]) == 1
    out = capsys.readouterr().out
    head, made, foot = out.splitlines()
    assert head == "check/Sund-v0"
    assert made.startswith("  made  broken       it cannot be built: NameNotFound: Environment `Sund` doesn't exist")
    assert made.endswith("If a module of yours registers it, write module:check/Sund-v0")
    assert foot == "0 passed, 1 broken, 0 not checked; nothing else was looked at"
    gymnasium.register("BabyBI-v0", "no_such_module:World")  # which Gymnasium finds near
    assert main(["check", "BabyAI-v0"]) == 1
    del gymnasium.registry["BabyBI-v0"]
    assert "doesn't exist. Did you mean agentgym/BabyAI-v0? If a module" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["CartPole-v1"], "TypeError: 'CartPole-v1' is not an AgentEnv: agentgym plays worlds of its own contract"),
        (["check/Sound-v0", "--set", "max_turn=3"], "unknown argument 'max_turn' of Sound; did you mean 'max_turns'?"),
        (["check/Sund-v0", "--panels"], "write module:check/Sund-v0"),
    ],
)
def test_what_cannot_be_built_is_one_line(
    arguments: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *arguments]) == 1
    lines = [line for line in capsys.readouterr().out.splitlines() if line]
    assert len(lines) == 3 and reason in lines[1], lines
