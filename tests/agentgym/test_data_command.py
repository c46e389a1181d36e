"""agentgym data: what it adds, lists, removes and refuses, and what it says."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from agentgym import data
from agentgym.cli import main
from agentgym.data import DataSet, Loaded, Problem, file_hash
from agentgym.errors import DataError
from agentgym.task import Task


def load(folder: Path, progress: data.Progress) -> Loaded:
    """As many tasks and problems as the names of the files in the folder say, such as tasks-3 and problems-2."""
    found = {file.name.partition("-")[0]: int(file.name.partition("-")[2]) for file in sorted(folder.iterdir())}
    tasks, bad = found.get("tasks", 0), found.get("problems", 0)
    for number in range(tasks + bad):
        progress(number + 1, tasks + bad)
    files = {file.name: file_hash(file) for file in folder.iterdir()}
    problems = tuple(Problem("items", f"item {number}", "it is bad", "mend it") for number in range(bad))
    split = "train" if "train" in found else "test"
    return Loaded({split: tuple(Task(str(number)) for number in range(tasks))}, files, problems, tasks + bad)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(data.SETS, "counted", DataSet(f"{__name__}:load", "tests/Counted-v0"))
    return tmp_path / "cache" / "data"


def folder(tmp_path: Path, *names: str) -> str:
    place = tmp_path / "source"
    place.mkdir(exist_ok=True)
    for name in names:
        (place / name).write_text("", "utf-8")
    return str(place)


def test_a_set_without_a_world_says_so(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(data.SETS, "counted", DataSet(f"{__name__}:load", ""))
    assert main(["data", "add", "counted", "--from", folder(tmp_path, "tasks-3")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "no world of agentgym plays it yet"


def test_a_set_is_added_listed_and_removed(tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = folder(tmp_path, "tasks-3", "problems-2", "train-0")
    assert main(["data", "add", "counted", "--from", place]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        "items, item 0: it is bad; mend it",
        "items, item 1: it is bad; mend it",
        f"counted: 3 of 5 items play (3 train), 2 problems; kept in {cache / 'counted.json'}",
        'play it: gymnasium.make("agentgym:tests/Counted-v0", data="counted")',
    ]
    assert shown.err.splitlines() == [f"item {number} of 5" for number in range(1, 6)]
    (Path(place) / "train-0").unlink()
    assert main(["data", "add", "counted", "--from", place, "--name", "mine"]) == 0
    capsys.readouterr()
    assert main(["data", "list"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"counted: 3 of 5 items play (3 train), 2 problems; counted from {place}",
        '  gymnasium.make("agentgym:tests/Counted-v0", data="counted")',
        f"mine: 3 of 5 items play (3 test), 2 problems; counted from {place}",
        '  gymnasium.make("agentgym:tests/Counted-v0", data="mine")',
    ]
    assert main(["data", "remove", "counted"]) == 0
    assert capsys.readouterr().out == "counted is forgotten; its own files stay where they are\n"
    assert data.names() == ["mine"] and Path(place, "tasks-3").exists()


def test_of_many_problems_20_are_shown_and_all_kept(
    tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder(tmp_path, "tasks-1", "problems-23")
    assert main(["data", "add", "counted", "--from", place]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[19] == "items, item 19: it is bad; mend it"
    assert lines[20] == f"… and 3 more, all in {cache / 'counted.problems.txt'}"
    assert lines[21].startswith("counted: 1 of 24 items play (1 test), 23 problems; ")
    assert len((cache / "counted.problems.txt").read_text("utf-8").splitlines()) == 23


def test_nothing_added_says_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "list"]) == 0
    assert capsys.readouterr().out.startswith(
        "nothing was added; agentgym data add KIND --from DIR adds one of 2wiki, beir, bird, "
    )


def test_a_damaged_index_does_not_hide_the_others(
    tmp_path: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = folder(tmp_path, "tasks-1")
    for name in ("first", "second"):
        assert main(["data", "add", "counted", "--from", place, "--name", name]) == 0
    (cache / "first.json").write_text("{", "utf-8")
    capsys.readouterr()
    assert main(["data", "list"]) == 1
    shown = capsys.readouterr().out
    assert "first.json is damaged" in shown and "second: 1 of 1 items play (1 test), no problems" in shown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["add", "counted", "--from", "/nowhere/at/all"], "/nowhere/at/all is no folder"),
        (["add", "countd", "--from", "."], "unknown data set 'countd'; did you mean 'counted'"),
        (["add", "counted", "--from", ".", "--name", "../x"], "'../x' is no name for a data set"),
        (["remove", "counted"], "unknown data set 'counted'"),
    ],
)
def test_what_cannot_be_done_is_refused_in_a_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], cache: Path
) -> None:
    assert main(["data", *arguments]) == 1
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.count("\n") == 1 and said in shown.err
    assert not cache.exists()


def test_without_a_deed_the_usage_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["data"])
    assert "add|list|remove" in capsys.readouterr().err


def test_ctrl_c_leaves_nothing(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(folder: Path, progress: data.Progress) -> Loaded:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules[__name__], "load", stopped)
    assert main(["data", "add", "counted", "--from", folder(tmp_path)]) == 130
    assert not cache.exists()


def test_a_cache_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def loaded(folder: Path, progress: data.Progress) -> Loaded:
        raise AssertionError("nothing may be read before it is known that it can be kept")

    monkeypatch.setattr(sys.modules[__name__], "load", loaded)
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "file"))
    assert main(["data", "add", "counted", "--from", folder(tmp_path, "tasks-1")]) == 1
    said = capsys.readouterr().err
    assert f"agentgym data: {tmp_path / 'file'} cannot be written (it is no folder), and data sets are kept in" in said
    assert "set AGENTGYM_CACHE to a folder that is" in said


def test_a_cache_without_the_right_to_write_is_named_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "mine" / "deep" / "cache"))
    monkeypatch.setattr(os, "access", lambda place, mode: Path(place) != tmp_path / "mine")  # whoever runs the test
    assert main(["data", "add", "counted", "--from", folder(tmp_path, "tasks-1")]) == 1
    said = capsys.readouterr().err
    assert f"{tmp_path / 'mine'} cannot be written (permission denied), and data sets are kept in" in said
    assert not list((tmp_path / "mine").iterdir())


def test_the_help_names_the_sets_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["data", "add", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert all(f" {name}, " in shown for name in ("bird", "counted", "defog", "hotpotqa"))


def test_no_tasks_no_index(tmp_path: Path, cache: Path) -> None:
    with pytest.raises(DataError, match="none of 1 items of counted plays"):
        data.add("counted", folder(tmp_path, "problems-1"))
    assert not cache.exists()
