"""The command line: what it prints, and how it refuses."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import bench_world
import gymnasium
import pytest
from worlds import Shop

import agentgym
from agentgym import AgentEnv
from agentgym.baselines.benchmark import command
from agentgym.cli import _reason, main
from agentgym.task import Quality
from tests.layering import ROOT
from tests.processes import readable

bench_world.register()


def test_list_shows_worlds_panels_sizes_and_hashes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    assert "agentgym/BabyAI-v0" in shown
    goto = next(line for line in shown.splitlines() if line.split()[:1] == ["goto"])
    assert "2000 train, 200 dev, 500 test" in goto
    assert "random choice succeeds in" in goto
    assert len(goto.split()[1]) == 16


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("usage: agentgym") and "replay" in shown.out and not shown.err
    with pytest.raises(SystemExit, match="2"):
        main(["lst"])


def test_a_report_that_cannot_be_drawn_is_refused_before_the_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["bench", "--out", str(tmp_path / "run")]) == 1
    said = capsys.readouterr().err
    assert "pip install 'agentgym-suite[bench]', in a checkout pip install -e '.[bench]'" in said
    assert not (tmp_path / "run").exists()


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


LEAVING = (
    "count to 2\n\nWrite an action each turn. help shows all of this again; an empty line, Ctrl-D or quit leaves.\n\n"
)


def test_a_person_plays(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("+\nnonsense\n+\n"))
    assert main(["play", bench_world.ENV, "--task", "to-2"]) == 0
    turns = "turn 0 > +\n1\n\nturn 1 > nonsense\nsay + or -\n\nturn 2 > +\n2\n\n"
    assert capsys.readouterr().out == LEAVING + turns + "solved after 3 turns; reward 1.000\n"


def test_a_person_is_told_how_to_call_tools(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    assert main(["play", "worlds:test/Shop-v0"]) == 0
    shown = capsys.readouterr().out
    brief = "Or in short, without tags: /look key, /sell key [count=…] [to=shop|guest] [notes=…] [price=…]."
    assert f"\n\n{Shop().instructions}\n\n{brief}\n\nWrite an action each turn" in shown


def test_help_shows_the_beginning_again_and_takes_no_turn(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("+\n help \nhelp\n+\n"))
    assert main(["play", bench_world.ENV, "--task", "to-2"]) == 0
    asked = f"turn 1 >  help \n{LEAVING}turn 1 > help\n{LEAVING}"
    shown = f"{LEAVING}turn 0 > +\n1\n\n{asked}turn 1 > +\n2\n\nsolved after 2 turns; reward 1.000\n"
    assert capsys.readouterr().out == shown


def test_a_call_goes_over_several_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """An open call waits for its end, blank lines included; a closing half alone and plain text do not wait."""
    typed = "<look>\n\nitem3\n</look>\n</look>\n<look>item3</look>\n<look>ite\nquit\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    assert main(["play", "worlds:test/Shop-v0"]) == 0
    shown = capsys.readouterr().out
    assert "Write an action each turn; a call may go over several lines. help shows" in shown
    lines = shown[shown.index("turn 0 >") :].splitlines()
    assert lines[:5] == ["turn 0 > <look>", "... > ", "... > item3", "... > </look>", "item3: 3"]
    assert [line for line in lines if line.startswith("turn")] == [
        "turn 0 > <look>", "turn 1 > </look>", "turn 2 > <look>item3</look>", "turn 3 > <look>ite",
    ]  # fmt: skip
    assert lines[-2:] == ["... > quit", "stopped"]


@pytest.mark.parametrize("last", ["", "\n", "  \n+\n", "quit\n+\n"])
def test_a_person_may_stop(last: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("+\n" + last))
    assert main(["play", bench_world.ENV, "--task", "to-2"]) == 0
    shown = capsys.readouterr().out
    assert shown == f"{LEAVING}turn 0 > +\n1\n\nturn 1 > {last.partition(chr(10))[0]}\nstopped\n"


class Terminal:
    """Stands for a person's terminal, which shows itself what is typed."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("pressed", "status", "end"),
    [(EOFError, 0, "\nstopped\n"), (KeyboardInterrupt, 130, "\n")],
    ids=["ctrl-d", "ctrl-c"],
)
def test_a_terminal_shows_what_is_typed_itself(
    pressed: type[BaseException],
    status: int,
    end: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = iter(["+"])

    def typed(prompt: str) -> str:
        print(prompt, end="")
        for line in lines:
            print(line)
            return line
        raise pressed

    monkeypatch.setattr(sys, "stdin", Terminal())
    monkeypatch.setattr("builtins.input", typed)
    assert main(["play", bench_world.ENV, "--task", "to-3"]) == status
    shown = capsys.readouterr().out
    assert shown == f"{LEAVING.replace('to 2', 'to 3')}turn 0 > +\n1\n\nturn 1 > {end}"


def test_a_terminal_recalls_and_edits_lines_and_takes_long_ones() -> None:
    """Backspace and the line before work, and a line may exceed the 4,095 characters of a plain terminal."""
    pytest.importorskip("readline", reason="this Python is built without readline")
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "agentgym", "play", "agentgym/TextToSQL-v0", "--task", "bookshop/no_email/2"]
    answer = b"\n" + b"found\n    1\n\n"
    environment = {**os.environ, "TERM": "dumb"}
    game = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=ROOT, env=environment)
    os.close(theirs)
    try:
        shown_until(ours, b"turn 0 > ")
        os.write(ours, b"<sql>SELECT 1 AS found" + b" " * 5000 + b"</sql>\n")
        assert answer in shown_until(ours, b"turn 1 > ")
        os.write(ours, b"quit" + b"\x7f" * 4 + b"\x10\n")  # four times backspace, then Ctrl-P
        assert answer in shown_until(ours, b"turn 2 > ")
        os.write(ours, b"\x04")  # Ctrl-D
        shown_until(ours, b"stopped")
        assert game.wait(60) == 0
    finally:
        os.close(ours)
        game.kill()
        game.wait()


def shown_until(terminal: int, end: bytes) -> bytes:
    """Return what a terminal shows up to a text, with plain ends of lines."""
    shown = b""
    while end not in shown:
        assert readable(terminal, 20), shown[-200:]
        shown += os.read(terminal, 65_536)
    return shown.replace(b"\r\n", b"\n")


def test_arguments_of_the_world_are_set_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--set", "max_turns=1", "--set", "reward=dense", "--task", "to-4"]
    assert main(["play", bench_world.ENV, "--policy", "expert", *arguments]) == 0
    assert capsys.readouterr().out.endswith("turn_limit after 1 turn; reward 0.250\n")


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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder whose modules can be imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", [["bench", "--envs"], ["play"], ["list", "--env"]])
def test_a_world_whose_module_is_no_help_is_refused_in_one_line(
    command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "cli_mute.py").write_text("")
    (folder / "cli_torn.py").write_text("1 / 0\n")
    for env, why in [
        ("cli_nosuch:me/X-v0", "cannot import 'cli_nosuch' for the world 'cli_nosuch:me/X-v0': No module named"),
        ("cli_torn:me/X-v0", "it raised ZeroDivisionError: division by zero"),
        ("cli_mute:me/X-v0", "importing cli_mute registered no me/X-v0: call agentgym.register('me/X-v0', …) in it"),
        ("cli_mute:tests/Countin-v0", "did you mean 'tests/Counting-v0'?"),
    ]:
        assert main([*command, env]) == 1
        shown = capsys.readouterr()
        assert shown.err.startswith(f"agentgym {command[0]}: ")
        assert why in shown.err
        assert shown.err.count("\n") == 1
        assert not shown.out


def _registering(folder: Path, module: str) -> str:
    """Write a module that registers a world, and return the world's id with the module in front."""
    source = f"import agentgym\n\nagentgym.register('{module}/Count-v0', 'bench_world:Counting')\n"
    (folder / f"{module}.py").write_text(source)
    return f"{module}:{module}/Count-v0"


def test_a_world_of_ones_own_is_listed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = _registering(folder, "cli_mine")
    assert main(["list", "--env", env]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("cli_mine:cli_mine/Count-v0  (version 1)\n")
    assert "5 train; random choice: not measured\n" in shown


class Measured(bench_world.Counting):
    """Says what was measured of its tasks; the second bound is broken where `short` is given."""

    def __init__(self, *, short: bool = False, **shell: object) -> None:
        super().__init__(**shell)  # type: ignore[arg-type]
        self._short = short

    def quality(self) -> list[Quality]:
        return [
            Quality("tasks", 1234),
            Quality("highest target", 5.25, "at least 6", not self._short),
            Quality("made by", "hand", "by hand"),
        ]


def test_quality_is_printed_with_its_bounds_where_a_world_offers_it(capsys: pytest.CaptureFixture[str]) -> None:
    agentgym.register("cli/Measured-v0", "test_cli:Measured")
    agentgym.register("cli/Short-v0", "test_cli:Measured", short=True)
    assert main(["list", "--quality", "--env", "cli/Measured-v0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "cli/Measured-v0  (version 1)"
    assert [line.split()[-1] for line in lines[1:]] == ["1,234", "6", "hand"]
    assert "5.25  at least 6" in lines[2]
    assert main(["list", "--quality", "--env", "cli/Short-v0"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.endswith("BROKEN") for line in lines] == [False, False, True, False]


def test_a_world_that_measures_nothing_is_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--quality", "--env", bench_world.ENV]) == 0
    assert capsys.readouterr().out == ""


class Mute(bench_world.Counting):
    """Without menu and expert."""

    menu, expert = AgentEnv.menu, AgentEnv.expert  # type: ignore[assignment]


@pytest.mark.parametrize(("policy", "lacks"), [("expert", "expert"), ("random", "menu")])
def test_a_policy_that_the_world_cannot_serve_is_refused(
    policy: str, lacks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if "tests/Mute-v0" not in gymnasium.registry:
        agentgym.register("tests/Mute-v0", f"{__name__}:Mute")
    assert main(["play", "tests/Mute-v0", "--policy", policy]) == 1
    assert capsys.readouterr().err == f"agentgym play: this world has no {lacks}; leave out --policy\n"


BROKEN = """import numpy as np


def broken(batch):
    return np.linalg.inv(np.zeros((2, 2)))


def upset(batch):
    return 1 / 0
"""


@pytest.mark.parametrize(
    ("name", "error", "line", "jobs"),
    [("broken", "LinAlgError: Singular", 5, "1"), ("upset", "ZeroDiv", 9, "1"), ("upset", "ZeroDiv", 9, "2")],
)
def test_an_estimator_that_raises_is_named_with_its_line(
    name: str,
    error: str,
    line: int,
    jobs: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command, "budgets", lambda: {"quick": bench_world.budget()})
    (folder / "mine.py").write_text(BROKEN)
    env = _registering(folder, f"cli_{name}{jobs}")
    arguments = ["bench", "--envs", env, "--estimator", f"mine.py:{name}", "--out", "results", "--jobs", jobs]
    assert main(arguments) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(f"agentgym bench: {error}")
    assert f"while estimating with '{name}', line {line} of " in last
    assert "mine.py (--traceback" in last


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


def test_a_terminal_without_unicode_is_no_reason_to_fail(tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "agentgym", "play", "agentgym/BabyAI-v0", "--policy", "expert", "--set", "level=«"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"agentgym play: unknown BabyAI panel or level")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError(2, "No such file or directory", "x/y"), "x/y: No such file or directory"),
        (OSError("the disk is full"), "the disk is full"),
        (AssertionError("a fault of ours"), ""),
    ],
)
def test_which_errors_are_reasons(error: Exception, said: str) -> None:
    assert _reason(error) == said
