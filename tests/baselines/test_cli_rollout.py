"""agentgym rollout and agentgym replay: what they write, print and refuse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import bench_world
import gymnasium
import pytest

import agentgym
from agentgym import AgentEnv, RolloutLog, TurnBatch, collect
from agentgym.baselines.policies import ExpertPolicy, NoopPolicy, RandomPolicy
from agentgym.baselines.rollouts import rollout
from agentgym.cli import main
from tests.layering import ROOT

bench_world.register()
ENV = bench_world.ENV


class Plain(bench_world.Counting):
    """An expert, but no menu."""

    menu = AgentEnv.menu  # type: ignore[assignment]


class Mute(Plain):
    """Neither."""

    expert = AgentEnv.expert  # type: ignore[assignment]


for _kind in (Plain, Mute):
    if f"tests/Rollout{_kind.__name__}-v0" not in gymnasium.registry:
        agentgym.register(f"tests/Rollout{_kind.__name__}-v0", f"{__name__}:{_kind.__name__}")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def test_the_expert_is_logged_and_summed_up(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", ENV, "--out", str(out), "--tasks", "2"]) == 0
    shown = capsys.readouterr()
    # to-2 takes 2 turns, to-3 takes 3.
    assert shown.out == f"2 rollouts in {out}; success 100.0% (2 of 2); 2.5 turns a rollout\n"
    assert shown.err == "rollout 1 of 2\nrollout 2 of 2\n"
    lines = list(RolloutLog(out))
    assert [message["content"] for message in lines[0]["messages"]] == ["count to 2", "+", "1", "+", "2"]
    assert TurnBatch.from_log(out) == collect(ENV, ExpertPolicy(), tasks=2, group_size=1)


@pytest.mark.parametrize(("name", "policy"), [("random", RandomPolicy()), ("noop", NoopPolicy())])
def test_other_policies_groups_seeds_and_arguments(name: str, policy: Any, out: Path, capsys: Any) -> None:
    arguments = ["--policy", name, "--tasks", "3", "--group-size", "4", "--seed", "9", "--set", "max_turns=3"]
    assert main(["rollout", ENV, "--out", str(out), *arguments]) == 0
    batch = collect(ENV, policy, tasks=3, group_size=4, seed=9, env_kwargs={"max_turns": 3})
    assert TurnBatch.from_log(out) == batch
    wins = int(batch.success[batch.last].sum())
    assert f"12 rollouts in {out}; success {wins / 12:.1%} ({wins} of 12)" in capsys.readouterr().out


def test_tasks_that_are_played_several_times_have_a_pass_hat_k(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = iter([True, True, True, True, False, True, False, True, False, False])

    def ended(self: Any, state: Any, action: Any, rng: Any) -> Any:
        won = next(ends)
        end = agentgym.EndReason.SOLVED if won else agentgym.EndReason.FAILED
        return agentgym.Turn(state, "", outcome=agentgym.Outcome(won, float(won), end))

    monkeypatch.setattr(bench_world.Counting, "transition", ended)
    # The first task wins 4 of 5 trials, the second 2 of 5. pass^2: (6/10 + 1/10) / 2; pass^3: (4/10 + 0) / 2; pass^4:
    # (1/5 + 0) / 2; pass^5 is not reported.
    assert rollout(ENV, "random", str(out), tasks=2, group_size=5) == (
        f"10 rollouts in {out}; success 60.0% (6 of 10); pass^2 35.0%; pass^3 20.0%; pass^4 10.0%; 1.0 turns a rollout"
    )


def test_all_tasks_where_no_number_is_given(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", ENV, "--out", str(out)]) == 0
    assert sorted(line["task"] for line in RolloutLog(out)) == [f"to-{goal}" for goal in range(2, 7)]


def test_an_expert_without_a_menu_is_followed(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", "tests/RolloutPlain-v0", "--out", str(out), "--tasks", "1"]) == 0
    assert "success 100.0%" in capsys.readouterr().out


@pytest.mark.parametrize(("policy", "lacks"), [("expert", "expert"), ("random", "menu")])
def test_a_policy_that_the_world_cannot_serve_is_refused(policy: str, lacks: str, out: Path, capsys: Any) -> None:
    assert main(["rollout", "tests/RolloutMute-v0", "--out", str(out), "--policy", policy]) == 1
    said = f"agentgym rollout: this world has no {lacks}, which --policy {policy} reads: choose --policy noop\n"
    assert capsys.readouterr().err == said
    assert not out.exists()


def test_a_file_that_exists_is_not_touched_unless_asked(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["rollout", ENV, "--out", str(out), "--tasks", "1"]
    assert main(command) == 0
    before = out.read_bytes()
    assert main(command) == 1
    said = f"agentgym rollout: {out} exists already: choose another --out, or add to it with --append\n"
    assert capsys.readouterr().err.endswith(said)
    assert out.read_bytes() == before
    assert main([*command, "--append"]) == 0
    assert out.read_bytes().startswith(before)
    assert RolloutLog(out).runs() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rollout", "agentgym/BabyIA-v0", "--out", "x"], "BabyIA"),
        (["rollout", ENV, "--out", "none/x"], "there is no folder 'none': make it first"),
        (["rollout", ENV, "--out", "x", "--tasks", "99"], "holds 5"),
        (["rollout", ENV, "--out", "x", "--group-size", "0"], "group_size"),
        (["rollout", ENV, "--out", "x", "--seed", "-1"], "seed must be an integer"),
        (["rollout", ENV, "--out", "x", "--set", "max_turn=3"], "did you mean 'max_turns'"),
        (["replay", "x"], "cannot read the log x: No such file"),
    ],
)
def test_refusals_are_one_line(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 1
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.startswith(f"agentgym {arguments[0]}: ")
    assert shown.err.count("\n") == 1
    assert not shown.out
    assert not list(tmp_path.iterdir())


def test_outages_are_counted_apart(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(self: Any, state: Any, action: Any, rng: Any) -> Any:
        gone = agentgym.Outcome(False, 0.0, agentgym.EndReason.INFRA_ERROR)
        return agentgym.Turn(state, "", outcome=gone if state.goal == 3 else agentgym.Outcome(True, 1.0))

    monkeypatch.setattr(bench_world.Counting, "transition", lost)
    assert rollout(ENV, "random", str(out), tasks=5) == (
        f"5 rollouts in {out}; success 100.0% (4 of 4); 1.0 turns a rollout; "
        "1 ended with an infrastructure error, which no batch holds"
    )


def test_replay_of_what_was_written(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", ENV, "--out", str(out), "--tasks", "2", "--group-size", "2"]) == 0
    capsys.readouterr()
    assert main(["replay", str(out)]) == 0
    shown = capsys.readouterr()
    assert shown.out == f"{out}: all 4 rollouts come out as they were logged\n"
    assert shown.err.splitlines()[-1] == "replayed rollout 4 of 4"


def test_replay_names_the_first_difference_and_fails(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rollout", ENV, "--out", str(out), "--tasks", "3"]) == 0
    lines = out.read_bytes().splitlines(keepends=True)
    for number in (1, 2):
        record = json.loads(lines[number])
        record["turns"][1]["info"]["components"]["progress"] = 0.125
        lines[number] = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    out.write_bytes(b"".join(lines))
    capsys.readouterr()
    assert main(["replay", str(out)]) == 1
    shown = capsys.readouterr().out.splitlines()
    # to-3 pays a third a step; the texts {"progress":0.125} and {"progress":0.33…} part at the 15th byte.
    assert shown[0].startswith("line 2, rollout 'to-3#1/0', turn 1, components: first differing byte 14, byte ")
    assert shown[1:3] == ['  logged: {"progress":0.125}', '  played: {"progress":0.3333333333333333}']
    assert shown[3] == f"{out}: 2 of 3 rollouts differ; above is the first"


def test_a_torn_file_is_gone_on_with_and_said_in_one_line(out: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(Path(__file__).parent)])}
    code = "import sys, bench_world, agentgym.cli; bench_world.register(); sys.exit(agentgym.cli.main())"
    command = [sys.executable, "-c", code, "rollout", ENV, "--out", str(out), "--append", "--tasks", "2"]
    for cut, said in [(0, ""), (7, f"warning: {out}: cut off {{}} bytes of an unfinished rollout at byte {{}}\n")]:
        data = out.read_bytes() if cut else b""
        out.write_bytes(data[: len(data) - cut])
        whole = data.find(b"\n") + 1
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        progress = "rollout 1 of 2\nrollout 2 of 2\n"
        assert (done.returncode, done.stderr) == (0, said.format(len(data) - cut - whole, whole) + progress)
    assert len(list(RolloutLog(out))) == 3


def test_a_file_without_rollouts_is_no_success(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out.write_bytes(b"")
    assert main(["replay", str(out)]) == 1
    said = f"agentgym replay: the log {out} holds no finished rollout, so there is nothing to replay\n"
    assert capsys.readouterr().err == said


def test_replay_names_another_version_before_it_plays(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["rollout", ENV, "--out", str(out), "--tasks", "1"]) == 0
    capsys.readouterr()
    monkeypatch.setattr(bench_world.Counting, "version", "2")
    assert main(["replay", str(out)]) == 1
    shown = capsys.readouterr()
    assert "played on version '1' of 'tests/Counting-v0', and this world has '2'" in shown.err
    assert shown.err.count("\n") == 1
    assert not shown.out


class Terminal:
    """A terminal that keeps what is written to it."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def test_progress_on_a_terminal_is_one_line(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["rollout", ENV, "--out", str(out), "--tasks", "2"]) == 0
    assert terminal.text == "\rrollout 1 of 2\rrollout 2 of 2\n"


@pytest.mark.skipif(os.name == "nt", reason="pipes break in another way there")
@pytest.mark.parametrize("closed, status", [("stdout", 141), ("stderr", 1)])
def test_a_reader_that_has_left_makes_no_difference_a_success(closed: str, status: int, out: Path) -> None:
    assert main(["rollout", ENV, "--out", str(out), "--tasks", "2"]) == 0
    out.write_text(out.read_text().replace('"outcome":1.0', '"outcome":0.5'))
    done = subprocess.Popen(
        [sys.executable, "-u", "-c", f"import {__name__}; from agentgym.cli import main; raise SystemExit(main())"]
        + ["replay", str(out)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.stdout is not None and done.stderr is not None
    getattr(done, closed).close()
    said = (done.stderr if closed == "stdout" else done.stdout).read()
    assert done.wait(60) == status, said
    if closed == "stderr":  # the progress is lost, not the work
        assert said.endswith(f"{out}: 2 of 2 rollouts differ; above is the first\n")
    done.stdout.close(), done.stderr.close()


def test_progress_without_a_stderr_is_silent(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert main(["rollout", ENV, "--out", str(out), "--tasks", "2"]) == 0
    assert len(list(RolloutLog(out))) == 2


def test_worlds_of_ones_own_from_the_shell(tmp_path: Path) -> None:
    source = Path(bench_world.__file__).read_text().replace("def register()", "def unused()")
    (tmp_path / "mine.py").write_text(source + '\n\nagentgym.register("mine/Counting-v0", "mine:Counting")\n')
    for arguments, said in [
        (["rollout", "mine:mine/Counting-v0", "--out", "out.jsonl"], "5 rollouts in out.jsonl; success 100.0%"),
        (["replay", "out.jsonl"], "out.jsonl: all 5 rollouts come out as they were logged"),
    ]:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "agentgym", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(said)
