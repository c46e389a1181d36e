"""The store of public data: what is added is found again, whole or not at all, and what changed is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentgym import data
from agentgym.data import DataSet, Loaded, Problem, file_hash
from agentgym.errors import DataError
from agentgym.task import Task
from tests.layering import ROOT


def load(folder: Path, progress: data.Progress) -> Loaded:
    """A toy set: one task a line of lines.txt; a blank line is a problem."""
    file = folder / "lines.txt"
    if not file.is_file():
        raise DataError(f"{file} is missing: put it there")
    tasks, problems, lines = [], [], file.read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        if line.strip():
            tasks.append(Task(f"line-{number}", {"text": line, "list": [1, None, True, 0.5]}))
        else:
            problems.append(Problem("lines.txt", f"line {number}", "it is blank", "write something"))
        progress(number + 1, len(lines))
    return Loaded(
        {"train": tuple(tasks[:1]), "dev": tuple(tasks[1:])},
        {"lines.txt": file_hash(file)},
        tuple(problems),
        len(lines),
    )


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(data.SETS, "lines", DataSet(f"{__name__}:load", "tests/Lines-v0"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "source"
    place.mkdir()
    (place / "lines.txt").write_text("one\n\ntwo\nthree é\n", "utf-8")
    return place


def test_what_is_added_is_found_again(folder: Path, cache: Path) -> None:
    told: list[tuple[int, int]] = []
    added = data.add("lines", folder, progress=lambda *step: told.append(step))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    found = data.get("lines")
    assert (found.name, found.kind, found.folder, found.items) == ("lines", "lines", folder, 4)
    assert [task.id for task in found.panel["dev"]] == ["line-2", "line-3"]
    assert found.panel.task("line-3").data == {"text": "three é", "list": [1, None, True, 0.5]}
    assert found.panel.hash == added.panel.hash == data.read("lines", folder).panel.hash
    assert found.problems == added.problems == (Problem("lines.txt", "line 1", "it is blank", "write something"),)
    assert found.file("lines.txt", "line-0") == folder / "lines.txt"
    assert data.problems_file("lines").read_text("utf-8") == "lines.txt, line 1: it is blank; write something\n"
    assert data.get("lines") is found
    assert sorted(file.name for file in (cache / "data").iterdir()) == ["lines.json", "lines.problems.txt"]


def test_names_of_ones_own_keep_sets_apart_and_can_be_removed(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "lines.txt").write_text("four", "utf-8")
    data.add("lines", folder)
    data.add("lines", other, "mine-2.0")
    assert data.names() == ["lines", "mine-2.0"]
    assert [task.id for task in data.get("mine-2.0").panel["train"]] == ["line-0"]
    assert data.get("mine-2.0").panel.name == "lines"  # equal tasks have equal hashes under every name
    data.add("lines", folder, "mine-2.0")  # replaces
    assert data.get("mine-2.0").panel.hash == data.get("lines").panel.hash
    data.remove("mine-2.0")
    assert data.names() == ["lines"] and (other / "lines.txt").exists()
    with pytest.raises(DataError, match=r"unknown data set 'mine-2\.0' in .*known: lines"):
        data.remove("mine-2.0")
    with pytest.raises(DataError, match=r"unknown data set 'line' in .*; did you mean 'lines'.* agentgym data add"):
        data.get("line")


def test_a_file_that_changed_or_went_is_refused_with_the_remedy(folder: Path) -> None:
    data.add("lines", folder, "mine")
    source = data.get("mine")
    file = folder / "lines.txt"
    file.write_text("another text", "utf-8")
    again = f"agentgym data add lines --from {folder} --name mine"
    with pytest.raises(DataError) as changed:
        source.file("lines.txt", "task 'line-2'")
    assert str(changed.value) == (
        f"{file}, needed by task 'line-2', has changed since it was checked: put the old one back, or run {again}"
    )
    file.write_text("one\n\ntwo\nthree é\n", "utf-8")
    assert source.file("lines.txt") == file  # its content counts, not its time
    file.unlink()
    with pytest.raises(
        DataError, match=r"lines\.txt cannot be read \(no such file or directory\): put it back, or run"
    ):
        source.file("lines.txt")
    with pytest.raises(DataError, match=r"other\.txt is no file of mine"):
        source.file("other.txt")


def test_a_change_that_keeps_the_size_is_seen(folder: Path) -> None:
    source = data.read("lines", folder)
    file = folder / "lines.txt"
    before = file.stat()
    file.write_text("ONE\n\ntwo\nthree é\n", "utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    with pytest.raises(DataError, match="has changed"):
        source.file("lines.txt")


def test_a_set_without_a_playing_task_is_refused_and_leaves_nothing(folder: Path, cache: Path) -> None:
    (folder / "lines.txt").write_text("\n\n", "utf-8")
    with pytest.raises(
        DataError, match=r"none of 2 items of lines plays; the first problem: lines\.txt, line 0: it is"
    ):
        data.add("lines", folder)
    (folder / "lines.txt").unlink()
    with pytest.raises(DataError, match=r"lines\.txt is missing"):
        data.add("lines", folder)
    with pytest.raises(DataError, match="is no folder"):
        data.add("lines", folder / "nowhere")
    assert not cache.exists()


@pytest.mark.parametrize("name", ["../x", "a/b", ".hidden", "x" * 65, "a b", "ä"])
def test_names_that_are_no_file_names_are_refused(name: str, folder: Path, cache: Path) -> None:
    with pytest.raises(ValueError, match="is no name for a data set"):
        data.add("lines", folder, name)
    assert not cache.exists()


def test_an_unknown_kind_is_refused_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="unknown data set 'spidr'; did you mean 'spider'"):
        data.add("spidr", "anywhere")


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "[]",
        lambda text: text.replace('"format": 1', '"format": 0'),
        lambda _: "[" * 100_000,
    ],
)
def test_a_damaged_index_is_named(damage, folder: Path) -> None:
    data.add("lines", folder)
    file = data.index_file("lines")
    file.write_text(damage(file.read_text("utf-8")), "utf-8")
    with pytest.raises(
        DataError, match=r"lines\.json is damaged or of another version .*: run agentgym data remove lines"
    ):
        data.get("lines")
    data.remove("lines")
    assert data.names() == []


KILLED = """
import os, signal
from agentgym import data

def stop(handle, synced=[]):
    synced.append(handle)
    if len(synced) == {writes}:  # the text of this file is written, but not yet in place
        os.kill(os.getpid(), signal.SIGKILL)

os.fsync = stop
data.SETS["lines"] = data.DataSet("tests.agentgym.test_data_store:load", "tests/Lines-v0")
data.add("lines", {folder!r})
"""


@pytest.mark.parametrize(("writes", "tasks"), [(1, 3), (2, 2)])
def test_killed_at_any_write_the_old_index_or_the_new_one_is_there(
    writes: int, tasks: int, folder: Path, cache: Path
) -> None:
    data.add("lines", folder)
    (folder / "lines.txt").write_text("more\nlines\n", "utf-8")
    environment = {**os.environ, "AGENTGYM_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
    script = KILLED.format(folder=str(folder), writes=writes)
    done = subprocess.run([sys.executable, "-c", script], env=environment, check=False)
    assert done.returncode == -9
    panel = data.get("lines").panel
    assert sum(len(panel[split]) for split in panel) == tasks
    assert data.names() == ["lines"]
    data.add("lines", folder)  # what was left under way is in nobody's way
    assert len(data.get("lines").panel["dev"]) == 1


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert data.cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("AGENTGYM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert data.cache_folder() == tmp_path / "shared" / "agentgym"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert data.cache_folder() == tmp_path / "me" / ".cache" / "agentgym"
    assert data.names() == []  # no folder there yet


def test_every_set_names_a_loader_and_its_world() -> None:
    for kind, known in data.SETS.items():
        module, colon, function = known.loader.partition(":")
        assert colon and function and ("/" in known.world or not known.world), kind  # "": no world plays it yet
        assert kind == "lines" or module.startswith("agentgym.envs.")


def test_an_index_is_readable_json(folder: Path) -> None:
    data.add("lines", folder)
    held = json.loads(data.index_file("lines").read_text("utf-8"))
    assert held["files"] == {"lines.txt": file_hash(folder / "lines.txt")}
    assert held["splits"]["train"] == [{"id": "line-0", "data": {"text": "one", "list": [1, None, True, 0.5]}}]
