"""What a log holds after a cut at any byte, a kill, a full disk, and two writers at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from errno import ENOLCK, ENOSPC
from pathlib import Path
from typing import Any

import pytest
import worlds
from log_worlds import Shown
from processes import run_python

from agentgym import LogError, RolloutLog, TurnRng, collect
from agentgym.log import files


def played(path: Path, rollouts: int = 3) -> bytes:
    collect(worlds.Ledger, Shown("é"), tasks=1, group_size=rollouts, log=path)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rollouts.jsonl"


def whole_rows(data: bytes, cut: int) -> int:
    """Return how many rollouts the first `cut` bytes hold: a line is whole when all but its newline is there."""
    ends = [at for at, byte in enumerate(data) if byte == ord("\n")]
    return sum(end <= cut for end in ends)


def test_any_prefix_is_readable_and_takes_more_without_losing_a_whole_row(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # thousands of files; no disk loses its power here
    collect(worlds.Ledger, Shown("é"), tasks=1, group_size=2, env_kwargs={"max_turns": 1}, log=path)
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    starts = [0, len(lines[0]), len(data)]
    first = len(lines[0])
    for cut in [*range(first + 50), *range(first + 50, len(data) - 50, 9), *range(len(data) - 50, len(data) + 1)]:
        path.write_bytes(data[:cut])
        rows = whole_rows(data, cut)
        torn = cut not in starts and cut + 1 not in starts  # a line that only lacks its newline is whole
        start = starts[rows]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert [line["member"] for line in RolloutLog(path)] == [*range(rows)]
        said = f"the last {cut - start} bytes, from byte {start} on, are no whole rollout and are left out"
        assert [str(warning.message) for warning in caught] == ([f"{path}: {said}"] if torn else [])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with RolloutLog(path) as log:
                assert log.new_run() == min(rows, 1)
        said = f"cut off {cut - start} bytes of an unfinished rollout at byte {start}"
        assert [str(warning.message) for warning in caught] == ([f"{path}: {said}"] if torn else [])
        assert path.read_bytes() == b"".join(lines[:rows])


def test_rollouts_played_after_a_cut_stand_beside_the_whole_ones(path: Path) -> None:
    data = played(path, 2)
    path.write_bytes(data[:-40])
    start = data.index(b"\n") + 1
    with pytest.warns(UserWarning, match=f"cut off {len(data) - 40 - start} bytes of an .* at byte {start}"):
        more = collect(worlds.Ledger, Shown("b"), tasks=1, group_size=2, log=path)
    log = RolloutLog(path)
    assert log.runs() == [0, 1]
    assert log.batch(0).num_rollouts == 1
    assert log.batch(1) == more


def test_lines_longer_than_a_chunk_are_found_from_the_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = played(path)
    monkeypatch.setattr(files, "_CHUNK", 7)
    path.write_bytes(data[:-7])
    with pytest.warns(UserWarning, match="cut off"), RolloutLog(path) as log:
        assert log.new_run() == 1
    assert path.read_bytes() == b"".join(data.splitlines(keepends=True)[:2])


def test_zeros_after_a_power_cut_are_cut_off(path: Path) -> None:
    data = played(path, 1)
    path.write_bytes(data + bytes(4096))
    with pytest.warns(UserWarning, match=f"cut off 4096 bytes of an unfinished rollout at byte {len(data)}"):
        RolloutLog(path).open().close()
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    "other", [b"my notes\nand more", b'{"schema": "agentgym.RolloutLog/1"}\n', b"[", b"\n", b"\x00"]
)
def test_nothing_is_appended_to_or_cut_from_other_files(other: bytes, path: Path) -> None:
    path.write_bytes(other)
    with pytest.raises(LogError, match="does not begin as a RolloutLog does, so nothing is appended"):
        collect(worlds.Ledger, Shown("a"), log=path)
    assert path.read_bytes() == other


def test_a_log_of_another_schema_is_not_appended_to(path: Path) -> None:
    data = played(path, 1).replace(b"RolloutLog/1", b"RolloutLog/2")
    path.write_bytes(data)
    with pytest.raises(LogError, match=r"byte 0: schema 'agentgym\.RolloutLog/2'"):
        RolloutLog(path).open()
    assert path.read_bytes() == data
    path.write_bytes(data.replace(b"RolloutLog/2", b"RolloutLog/1"))
    RolloutLog(path).open().close()  # a refusal leaves no lock


def test_two_writers_at_once_are_refused(path: Path) -> None:
    with RolloutLog(path) as log:
        with pytest.raises(
            LogError, match=rf"another writer has the log {path} open, .*: wait for it, close its Rollou"
        ):
            collect(worlds.Ledger, Shown("a"), log=path)
        code = "import sys, agentgym as a\ntry: a.RolloutLog(sys.argv[1]).open()\nexcept a.LogError as e: print(e)"
        assert "another writer has the log" in run_python(code, str(path))
        collect(worlds.Ledger, Shown("a"), tasks=1, group_size=1, log=log)
        assert len(list(RolloutLog(path))) == 1  # reading needs no lock
    RolloutLog(path).open().close()


def test_what_is_no_plain_file_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unlockable(file: Any) -> None:
        raise OSError(ENOLCK, os.strerror(ENOLCK))

    monkeypatch.setattr(files, "_lock", unlockable)
    with pytest.raises(
        LogError, match=r"cannot hold a log \(No locks available\): choose a plain file on a local disk"
    ):
        RolloutLog(path).open()


WRITER = """
import sys
import worlds
from log_worlds import Shown
from agentgym import collect
text = "word " * int(sys.argv[2])
collect(worlds.Ledger, Shown(text), tasks=1, group_size=1000, max_live=1, log=sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize(("words", "size"), [(50, 100_000), (400_000, 3_000_000), (400_000, 9_000_000)])
def test_a_kill_costs_no_finished_rollout_and_leaves_no_lock(words: int, size: int, path: Path) -> None:
    """A line of 400,000 words is 8 MB, so that most kills come in the middle of its write."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(words)], env=environment) as writer:
        deadline = time.perf_counter() + 60
        while not path.exists() or path.stat().st_size < size:
            assert writer.poll() is None
            assert time.perf_counter() < deadline
            time.sleep(0.001)
        seen = path.read_bytes().count(b"\n")
        writer.send_signal(signal.SIGKILL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whether the kill came in the middle of a line is chance
        after = list(RolloutLog(path))
        assert len(after) >= seen
        more = collect(worlds.Ledger, Shown("a"), tasks=1, group_size=1, log=path)
    lines = list(RolloutLog(path))  # which warns of nothing any more
    assert lines[:-1] == after
    assert lines[-1]["actions"] == ["a"] * len(more)


CUT = """
import json, os, signal, sys
import worlds
from log_worlds import Shown
from agentgym import collect
from agentgym.log import files

class Cut(files.FileIO):
    '''Kills its process when so many bytes are written.'''
    left = 0
    def write(self, data):
        if len(data) < Cut.left:
            Cut.left -= len(data)
            return super().write(data)
        super().write(bytes(data[:Cut.left]))
        os.kill(os.getpid(), signal.SIGKILL)

files.FileIO = Cut
statuses = []
for number, offset in enumerate(json.loads(sys.argv[2])):
    if (child := os.fork()) == 0:
        Cut.left = offset
        path, short = f"{sys.argv[1]}/{number}", {"max_turns": 2}
        collect(worlds.Ledger, Shown("\u00e9"), tasks=1, group_size=8, env_kwargs=short, log=path)
        os._exit(0)
    statuses.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(json.dumps(statuses))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system knows neither fork nor SIGKILL")
@pytest.mark.parametrize("kills", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_kills_at_random_bytes_lose_no_whole_rollout(kills: int, tmp_path: Path) -> None:
    """Each kill is of a process of its own, when it has written so many bytes and no more."""

    def more(path: Path) -> None:
        collect(worlds.Ledger, Shown("é"), tasks=1, group_size=8, env_kwargs={"max_turns": 2}, log=path)

    more(tmp_path / "whole")
    data = (tmp_path / "whole").read_bytes()
    rng = TurnRng(7, stream="kills")
    offsets = [rng.integers(1, len(data) + 1) for _ in range(kills)]
    said = json.loads(run_python(CUT, str(tmp_path), json.dumps(offsets)))
    assert said == [-signal.SIGKILL] * kills
    for number, offset in enumerate(offsets):
        path = tmp_path / str(number)
        assert path.read_bytes() == data[:offset]
        rows = whole_rows(data, offset)
        torn = data[:offset].rpartition(b"\n")[2] if rows == data[:offset].count(b"\n") else b""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert [line["member"] for line in RolloutLog(path)] == [*range(rows)]
            more(path)
        said = [f"the last {len(torn)} bytes, from byte", f"cut off {len(torn)} bytes of an unfinished rollout"]
        found = [str(warning.message) for warning in caught]
        assert len(found) == (2 if torn else 0)
        assert all(part in message for part, message in zip(said, found, strict=False))
        members = [*range(rows), *range(8)]
        assert [line["member"] for line in RolloutLog(path)] == members  # what was whole, and all of what came after


LIMITED = """
import resource, sys
import worlds
from log_worlds import Shown
from agentgym import RolloutLog, collect
from agentgym.rollout import RolloutError
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    collect(worlds.Ledger, Shown("a"), tasks=1, group_size=3, log=sys.argv[1])
except RolloutError as error:
    print(error)
    print(error.batch.num_rollouts)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
collect(worlds.Ledger, Shown("b"), tasks=1, group_size=1, log=sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of file sizes on Windows")
def test_a_disk_that_fills_in_the_middle_of_a_line_leaves_whole_lines(path: Path, tmp_path: Path) -> None:
    collect(worlds.Ledger, Shown("a"), tasks=1, group_size=3, log=tmp_path / "whole")
    data = (tmp_path / "whole").read_bytes()
    first = data.index(b"\n") + 1
    shown = run_python(LIMITED, str(path), str(first + 100))  # room for one line and the first 100 bytes of the second
    assert f"cannot write to the log {path}: File too large; the lines before it are whole\n2\n" == shown
    after = path.read_bytes()
    assert after[:first] == data[:first]
    assert [line["actions"][0] for line in RolloutLog(path)] == ["a", "b"]  # and no warning about a cut


MOUNTED = """
import os, shutil, subprocess, sys
import worlds
from log_worlds import Shown
from agentgym import LogError, RolloutLog, collect
from agentgym.rollout import RolloutError
disk, data = sys.argv[1], sys.argv[1] + "/rollouts"
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk], check=True)
free = lambda: os.statvfs(disk).f_bavail
try:
    collect(worlds.Ledger, Shown("word " * 900), tasks=1, group_size=1000, max_live=1, log=data)
except RolloutError as error:
    print(error)
    done = error.batch.num_rollouts
whole = open(data, "rb").read()
print(done - whole.count(b"\\n"), len(list(RolloutLog(data))) - whole.count(b"\\n"), whole.endswith(b"\\n"))
subprocess.run(["mount", "-o", "remount,size=1m", disk], check=True)
collect(worlds.Ledger, Shown("b"), tasks=1, group_size=1, log=data)
again = open(data, "rb").read()
print(again.startswith(whole), again.count(b"\\n") - whole.count(b"\\n"))
subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
for path in (data, disk + "/other"):
    try:
        RolloutLog(path).open()
    except LogError as error:
        print(error)
print(len(list(RolloutLog(data))) - again.count(b"\\n"))
"""


def test_a_full_and_a_read_only_disk(path: Path, tmp_path: Path) -> None:
    """Of a small disk in memory, which only this process and its children see."""
    apart = ["unshare", "--user", "--map-root-user", "--mount"]
    disk = tmp_path / "disk"
    disk.mkdir()
    probe = [*apart, "mount", "-t", "tmpfs", "tmpfs", str(disk)]
    try:
        able = subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except OSError:
        able = False
    if not able:
        pytest.skip("this system lets tests mount no disk of their own")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [*apart, sys.executable, "-W", "error", "-c", MOUNTED, str(disk)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    log = disk / "rollouts"
    assert done.stdout.splitlines() == [
        f"cannot write to the log {log}: No space left on device; the lines before it are whole",
        "1 0 True",  # one more was played than has room; all that stand in the file can be read
        "True 1",
        f"cannot write the log {log}: Read-only file system (choose a folder in which you may write)",
        f"cannot write the log {disk}/other: Read-only file system (choose a folder in which you may write)",
        "0",  # reading needs no writing
    ]


RIVAL = """
import sys
import worlds
from log_worlds import Shown
from agentgym import LogError, collect
done = refused = 0
while done < 5:
    try:
        collect(worlds.Ledger, Shown(sys.argv[2]), tasks=1, group_size=2, log=sys.argv[1])
        done += 1
    except LogError as error:
        assert "another writer has the log" in str(error), error
        refused += 1
print(refused)
"""


def test_writers_that_race_each_other_mix_nothing(path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    names = ["first", "second", "third"]
    rivals = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", RIVAL, str(path), name], env=environment, stdout=subprocess.PIPE
        )
        for name in names
    ]
    for rival in rivals:
        assert rival.communicate(timeout=60)[0].strip().isdigit()
        assert rival.returncode == 0
    log = RolloutLog(path)
    assert log.runs() == [*range(15)]  # three writers of five runs each, one after another
    for run in log.runs():
        said = {line["actions"][0] for line in log if line["run"]["number"] == run}
        assert len(said) == 1 and said <= {*names}
    assert len(list(log)) == 30


def test_an_interrupt_leaves_the_log_whole(path: Path) -> None:
    def policy(views: Any) -> list[str]:
        if views[0].info["branch"] == 2:
            raise KeyboardInterrupt
        return ["a"] * len(views)

    with pytest.raises(KeyboardInterrupt):
        collect(worlds.Ledger, policy, tasks=1, group_size=4, noise="own", max_live=1, log=path)
    assert [line["member"] for line in RolloutLog(path)] == [0, 1]
    with RolloutLog(path) as log:
        assert log.new_run() == 1


class Stuttering(files.FileIO):
    """Writes at most ten bytes at once, and is interrupted in the middle of the second line."""

    stop = 0

    def write(self, data: Any) -> int:  # type: ignore[override]
        type(self).stop -= 1
        if type(self).stop == 0:
            raise KeyboardInterrupt
        return super().write(bytes(data[:10]))


def test_short_writes_go_on_and_an_interrupted_line_is_taken_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = played(path)
    first = data.index(b"\n") + 1
    path.unlink()
    monkeypatch.setattr(files, "FileIO", Stuttering)
    monkeypatch.setattr(Stuttering, "stop", -(-first // 10) + 5)
    with pytest.raises(KeyboardInterrupt):
        collect(worlds.Ledger, Shown("é"), tasks=1, group_size=3, log=path)
    assert path.read_bytes() == data[:first]


class Late(files.FileIO):
    """Is interrupted when the second line has just been written."""

    lines = 0

    def write(self, data: Any) -> int:  # type: ignore[override]
        written = super().write(data)
        type(self).lines += 1
        if type(self).lines == 2:
            raise KeyboardInterrupt
        return written


def test_a_line_that_was_written_whole_is_kept_by_an_interrupt(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = played(path)
    path.unlink()
    monkeypatch.setattr(files, "FileIO", Late)
    with pytest.raises(KeyboardInterrupt):
        collect(worlds.Ledger, Shown("é"), tasks=1, group_size=3, log=path)
    assert path.read_bytes() == b"".join(data.splitlines(keepends=True)[:2])


class Full(files.FileIO):
    """Is full in the middle of the first line, after another thread has tried to write one."""

    full, other, tried = True, threading.Event(), threading.Event()

    def write(self, data: Any) -> int:  # type: ignore[override]
        if not type(self).full:
            return super().write(data)
        type(self).full = False
        super().write(bytes(data[:10]))
        self.other.set()
        self.tried.wait(0.2)
        raise OSError(ENOSPC, "No space left on device")


def test_a_line_of_one_thread_survives_the_failure_of_another(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "FileIO", Full)
    with RolloutLog(path) as log, ThreadPoolExecutor() as pool:

        def second() -> None:
            assert Full.other.wait(20)
            log.append({"number": 2})
            Full.tried.set()

        writer = pool.submit(second)
        with pytest.raises(LogError, match="No space left on device"):
            log.append({"number": 1})
        writer.result(20)
    assert path.read_bytes() == b'{"number":2}\n'


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system knows no fork")
def test_a_process_that_was_forked_off_does_not_mix_its_run_in(path: Path) -> None:
    code = (
        "import os, sys, worlds; from log_worlds import Shown; from agentgym import LogError, RolloutLog, collect\n"
        "with RolloutLog(sys.argv[1]) as log:\n"
        "    child = os.fork()\n"
        "    try:\n"
        "        collect(worlds.Ledger, Shown('a'), tasks=1, group_size=2, seed=1 if child else 2, log=log)\n"
        "    except LogError as error:\n"
        "        print(error, flush=True)\n"
        "    if not child: os._exit(0)\n"
        "    os.waitpid(child, 0)\n"
    )
    said = run_python(code, str(path))
    assert said.strip() == (
        f"the log {path} was opened in another process, before a fork, and two would mix their runs: write to another "
        "file here"
    )
    assert [(line["run"]["number"], line["seed"]) for line in RolloutLog(path)] == [(0, 1), (0, 1)]
