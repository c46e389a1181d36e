"""`agentgym data serve` as it is run: its own processes, signals, a port that is taken, workers that die."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from agentgym.cli import main
from agentgym.envs.wiki_search import dense
from agentgym.envs.wiki_search.corpus import keep_index
from agentgym.envs.wiki_search.library import Local, RetrieverError, open_library
from agentgym.envs.wiki_search.remote import RemoteLibrary
from agentgym.envs.wiki_search.serving import _Workers, listen
from tests.corpora import store
from tests.envs.wiki_search.wiki_http import answer, connect, hashed, request
from tests.processes import readable

CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children")
ROOT = Path(__file__).resolve().parents[3]
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork and no SIGTERM")


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Local:
    folder = tmp_path_factory.mktemp("corpus")
    keep_index(store(folder), folder)
    return open_library(folder)


def folder_of(local: Local) -> Path:
    return Path(local.store.folder).parent


class Served:
    """A server that was started, what it has said so far, and its URL."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said = [self.next()]
        self.url = self.said[0].partition("/retrieve: ")[0]

    def next(self, seconds: float = 60.0) -> str:
        """Return the next line that it says."""
        assert self.process.stdout is not None
        assert readable(self.process.stdout.fileno(), seconds), "it says nothing"
        return self.process.stdout.readline().rstrip("\n")

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send a signal; return the exit status and what else it said."""
        self.process.send_signal(number)
        rest, _ = self.process.communicate(timeout=30)
        return self.process.returncode, rest


@contextmanager
def served(folder: Path, *options: str, before: Sequence[str] = ()) -> Iterator[Served]:
    command = [*before, sys.executable, "-m", "agentgym", "data", "serve", str(folder), "--port", "0", *options]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        bufsize=1,
        start_new_session=True,
    )
    try:
        yield Served(process)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=30)


@posix
def test_it_says_where_it_listens_answers_and_ends_with_status_0(local: Local) -> None:
    with served(folder_of(local)) as server:
        said = rf"http://127\.0\.0\.1:\d+/retrieve: 6 passages by bm25, content {local.content}; Ctrl-C ends it"
        assert re.fullmatch(said, server.said[0])
        remote = RemoteLibrary(server.url)
        assert remote.content == hashed(local.content)
        assert [hit.passage for hit in remote.search("river", 9)] == [hit.passage for hit in local.search("river", 9)]
        with connect(server.url):  # one that is open and waits holds nothing up
            assert server.end() == (0, "")


@posix
@pytest.mark.parametrize("workers", ["1", "3"])
def test_ctrl_c_ends_it_too_and_what_is_asked_is_answered(local: Local, workers: str) -> None:
    queries = json.dumps({"queries": ["river of Spain " * 66] * 1000})
    with served(folder_of(local), "--workers", workers) as server, connect(server.url) as connection:
        begun = time.monotonic()
        connection.sendall(request(queries))
        answer(connection)
        whole = time.monotonic() - begun
        connection.sendall(request(queries))
        time.sleep(whole / 3)  # by now it has come, and is not answered yet, however busy the machine is
        os.killpg(server.process.pid, signal.SIGINT)  # as a terminal does: to all processes
        status, headers, value = answer(connection)
        assert (status, headers["Connection"], len(value["result"])) == (200, "close", 1000)
        assert server.process.wait(30) == 0
        with pytest.raises(ConnectionError):
            connect(server.url)


@pytest.mark.skipif(not CHILDREN.exists(), reason="this system does not tell the children of a process")
def test_a_worker_that_is_killed_is_replaced_and_nobody_notices(local: Local) -> None:
    with served(folder_of(local), "--workers", "2") as server:
        assert server.said[0].endswith(", 2 workers; Ctrl-C ends it")
        mine = server.process.pid
        children = [int(pid) for pid in Path(f"/proc/{mine}/task/{mine}/children").read_text().split()]
        assert len(children) == 2
        remote = RemoteLibrary(server.url)
        with ThreadPoolExecutor(8) as pool:
            asking = [pool.submit(remote.search, "Madrid", 1) for _ in range(400)]
            for pid in children:
                os.kill(pid, signal.SIGKILL)
                assert re.fullmatch(rf"worker {pid} was killed by signal 9; another one begins", server.next())
            assert all(future.result()[0].passage.title == "Madrid" for future in asking)
        assert server.end() == (0, "")


@posix
def test_workers_that_die_again_and_again_are_given_up() -> None:
    async def work(alive: int) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    said: list[str] = []
    handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    with pytest.raises(RetrieverError, match="10 workers died within 60 s"):
        _Workers(work, said.append).run(3, "ready")
    assert said[0] == "ready" and len(said) == 10  # the tenth death is the last, told by the error
    assert all(re.fullmatch(r"worker \d+ was killed by signal 9; another one begins", line) for line in said[1:])
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == handlers


@posix
def test_it_lives_where_files_are_few(local: Local) -> None:
    """With 40 files it holds some 25 connections: those that say nothing make room."""
    with ExitStack() as held:
        few = ["sh", "-c", 'ulimit -n 40; exec "$@"', "sh"]
        server = held.enter_context(served(folder_of(local), before=few))
        for _ in range(80):
            held.enter_context(connect(server.url))
        remote = RemoteLibrary(server.url)
        for _ in range(10):
            assert remote.search("Madrid", 1)[0].passage.title == "Madrid"
        said = "no connection can be taken (Too many open files): some that wait make room\n"
        assert server.end() == (0, said)  # once, not 80 times


@posix
def test_workers_do_not_outlive_the_first_process(local: Local) -> None:
    with served(folder_of(local), "--workers", "2") as server:
        server.process.kill()
        server.process.wait(30)
        end = time.monotonic() + 30
        while True:
            try:
                connect(server.url).close()
            except ConnectionError:
                break
            assert time.monotonic() < end
            time.sleep(0.05)


def test_a_port_that_is_taken(local: Local, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["data", "serve", str(folder_of(local)), "--port", port]) == 1
    said = capsys.readouterr().err
    assert said == f"agentgym data: port {port} of 127.0.0.1 is in use: stop what listens there, or take another\n"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--port", "70000"], "port must be from 0 to 65535, not 70000"),
        (["--host", "nowhere.invalid"], "cannot listen on port 8000 of 'nowhere.invalid'"),
        (["--host", "203.0.113.7"], "cannot listen on port 8000 of '203.0.113.7'"),
        (["--workers", "0"], "workers must be from 1 to 256, not 0"),
        (["--retriever", "bm52"], "unknown retriever 'bm52'; did you mean 'bm25'?"),
        (["--retriever", "dense"], "an encoder of queries: give encoder=, to agentgym data serve --encoder"),
        (["--encoder", "json:JSONEncoder"], "uses no encoder"),
        (["--encoder", "json"], "--encoder takes MODULE:NAME, or the folder of a model, not 'json'"),
        (["--encoder", "json:dump_"], "unknown encoder 'dump_' in json; did you mean 'dump"),
        (["--encoder", "nosuchmodule:a"], "No module named 'nosuchmodule'"),
    ],
)
def test_what_cannot_be_served(local: Local, options: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "serve", str(folder_of(local)), *options]) == 1
    said = capsys.readouterr()
    assert why in said.err and said.err.count("\n") == 1 and not said.out


def test_a_folder_without_passages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "serve", str(tmp_path)]) == 1
    assert "build it anew with agentgym data index" in capsys.readouterr().err


def test_ipv6() -> None:
    try:
        with listen("::1", 0) as listening:
            assert listening.getsockname()[0] == "::1"
    except ValueError:
        pytest.skip("this machine has no address ::1")


@posix
@pytest.mark.parametrize("retriever", ["dense", "hybrid"])
def test_vectors_are_served_with_an_encoder_of_ones_own(
    tmp_path: Path, retriever: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("faiss", reason="dense retrieval needs faiss")
    from tests.envs.wiki_search.wiki_http import Letters

    held = store(tmp_path)
    keep_index(held, tmp_path)
    dense.build(held, tmp_path / "dense", Letters(), "letters")
    local = open_library(tmp_path, retriever, Letters())
    options = ["--retriever", retriever, "--encoder", "tests.envs.wiki_search.wiki_http:Letters", "--workers", "2"]
    with served(tmp_path, *options) as server:
        remote = RemoteLibrary(server.url)
        assert f"6 passages by {retriever}, content {local.content}" in server.said[0]
        expected = [(hit.passage, hit.score) for hit in local.search("a river near Lisbon", 4)]
        assert [(hit.passage, hit.score) for hit in remote.search("a river near Lisbon", 4)] == expected
