"""The command line: what it prints, and how it refuses."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import bench_world
import pytest

from agentgym.cli import main
from tests.layering import ROOT

bench_world.register()


def test_list_shows_worlds_panels_sizes_and_hashes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    assert "agentgym/BabyAI-v0" in shown
    goto = next(line for line in shown.splitlines() if line.split()[:1] == ["goto"])
    assert "2000 train, 200 dev, 500 test" in goto
    assert "random choice succeeds in" in goto
    assert len(goto.split()[1]) == 16


def test_play_with_the_expert_shows_a_solution(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", bench_world.ENV, "--policy", "expert", "--task", "to-2"]) == 0
    assert capsys.readouterr().out == "count to 2\n\n> +\n1\n\n> +\n2\n\nsolved after 2 turns; reward 1.000\n"


def test_play_at_random_is_drawn_by_the_seed(capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for seed in ("1", "1", "2", "3"):
        assert main(["play", bench_world.ENV, "--policy", "random", "--seed", seed]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert len(set(shown)) > 1


def test_a_person_plays(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("+\nnonsense\n+\n"))
    assert main(["play", bench_world.ENV, "--task", "to-2"]) == 0
    shown = capsys.readouterr().out
    assert "say + or -" in shown
    assert shown.endswith("solved after 3 turns; reward 1.000\n")


def test_a_person_may_stop(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("+\n"))
    assert main(["play", bench_world.ENV, "--task", "to-2"]) == 0
    assert capsys.readouterr().out.endswith("stopped\n")


def test_arguments_of_the_world_are_set_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--set", "max_turns=1", "--set", "reward=dense", "--task", "to-4"]
    assert main(["play", bench_world.ENV, "--policy", "expert", *arguments]) == 0
    assert capsys.readouterr().out.endswith("turn_limit after 1 turns; reward 0.250\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["list", "--env", "agentgym/BabyIA-v0"], "did you mean 'agentgym/BabyAI-v0'"),
        (["play", "agentgym/BabyIA-v0"], "BabyIA"),
        (["play", bench_world.ENV, "--task", "to-22"], "did you mean 'to-2'"),
        (["play", bench_world.ENV, "--set", "max_turns"], "NAME=VALUE"),
        (["play", bench_world.ENV, "--set", "max_turn=3"], "max_turn"),
        (["play", bench_world.ENV, "--seed", "-1"], "seed must be an integer"),
        (["bench", "--budget", "quik"], "did you mean 'quick'"),
        (["bench", "--envs", "gotoo"], "did you mean 'goto'"),
        (["bench", "--estimator", "grop"], "did you mean 'grpo'"),
    ],
)
def test_refusals_are_one_line_with_the_remedy(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.startswith(f"agentgym {arguments[0]}: ")
    assert not shown.out


def test_traceback_on_request() -> None:
    with pytest.raises(KeyError, match="to-22"):
        main(["--traceback", "play", bench_world.ENV, "--task", "to-22"])


def test_it_runs_as_a_module_and_finds_worlds_in_the_working_folder(tmp_path: Path) -> None:
    source = Path(bench_world.__file__).read_text().replace("def register()", "def unused()")
    (tmp_path / "mine.py").write_text(source + '\n\nagentgym.register("mine/Counting-v0", "mine:Counting")\n')
    command = ["-c", "import sys, agentgym.cli; sys.path = [p for p in sys.path if p]; sys.exit(agentgym.cli.main())"]
    arguments = ["play", "mine:mine/Counting-v0", "--policy", "expert", "--task", "to-2"]
    for start in (["-m", "agentgym"], command):
        done = subprocess.run(
            [sys.executable, "-W", "error", *start, *arguments],
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith("solved after 2 turns; reward 1.000\n")


def test_list_knows_every_panel_of_babyai(capsys: pytest.CaptureFixture[str]) -> None:
    from agentgym.envs.babyai.tasks import PANELS

    main(["list", "--env", "agentgym/BabyAI-v0"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == list(PANELS)
    assert all(line.endswith("%") for line in lines[1:])  # random choice was measured everywhere
