import copy
import gc
import json
import os
import pickle
import random
import socket
import threading
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from agentgym.envs.wiki_search.library import RetrieverError
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.remote import NoAnswer, RemoteLibrary
from agentgym.envs.wiki_search.serving import running
from agentgym.envs.wiki_search.sources.question import passage_key
from agentgym.http import asking as module
from tests.envs.wiki_search.wiki_http import failed, found, hashed, library, ok, scripted

GOOD = ok(found(('"A"\nalpha', 1.5)))
HIT = (Passage("A", "alpha"), 1.5)


def hits(remote: RemoteLibrary) -> list[tuple[Passage, float]]:
    return [(hit.passage, hit.score) for hit in remote.search("q", 3)]


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses that a client would have made; none is waited for."""
    made: list[float] = []
    monkeypatch.setattr(module.time, "sleep", made.append)
    return made


def test_what_is_sent() -> None:
    with scripted(GOOD) as (url, asked):
        assert hits(RemoteLibrary(url)) == [HIT]
    head, _, body = asked[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /retrieve HTTP/1.1\r\n") and b"Content-Type: application/json" in head
    assert json.loads(body) == {"queries": ["q"], "topk": 3, "return_scores": True}


def test_keys_tell_passages_apart() -> None:
    texts = ('"A"\nalpha', 2.0), ('"A"\nbeta', 1.0), ('"B"\nalpha', 1.0)
    with scripted(ok(found(*texts))) as (url, _):
        remote = RemoteLibrary(url)
        keys = [hit.key for hit in remote.search("q", 3)]
    # The first 63 bits of the passage's key.
    assert keys == [
        int(passage_key(Passage(*parts)), 16) >> 65 for parts in (("A", "alpha"), ("A", "beta"), ("B", "alpha"))
    ]
    assert len(set(keys)) == 3 and max(keys) < 1 << 63
    assert [remote.passage(key).text for key in keys] == ["alpha", "beta", "alpha"]
    with pytest.raises(KeyError):
        remote.passage(keys[0] ^ 1)
    other = RemoteLibrary("http://localhost")
    other.keep([Passage("A", "beta")])
    assert other.passage(keys[1]) == Passage("A", "beta") and not other.lasting


def test_a_title_is_looked_for_in_what_its_search_finds() -> None:
    texts = [('"The lisbon"\na', 4.0), ('"lisbon"\nb', 3.0), ('"Lisbon"\nc', 2.0), ('"Lisbon"\nd', 1.0)]
    with scripted(failed(404), *[ok(found(*texts))] * 3) as (url, asked):
        remote = RemoteLibrary(url)
        assert [hit.passage.text for hit in remote.titled("Lisbon")] == ["c", "d"]  # to the letter
        assert [hit.passage.text for hit in remote.titled(" LISBON")] == ["b", "c", "d"]  # else whatever the case
        assert remote.titled("Porto") == []
    assert json.loads(asked[1].partition(b"\r\n\r\n")[2])["topk"] == 50


def closes(connection: socket.socket, _: bytes) -> None:
    connection.close()


def resets(connection: socket.socket, _: bytes) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    connection.close()


def half(connection: socket.socket, _: bytes) -> None:
    connection.sendall(GOOD[:-9])
    connection.close()


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n"


def half_a_chunk(connection: socket.socket, _: bytes) -> None:
    body = found(('"A"\nalpha', 1.5)).encode()
    connection.sendall(CHUNKED % (len(body), body[:-5]))
    connection.close()


def no_length(connection: socket.socket, _: bytes) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: -7\r\n\r\nabc")
    connection.close()


PASSING = {
    "closed": closes,
    "reset": resets,
    "half an answer": half,
    "half a chunk": half_a_chunk,
    "429": failed(429),
    "500": failed(500),
    "503": failed(503),
    "no HTTP": b"hello\r\n\r\n",
    "a chunk of less than nothing": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-7\r\nabc\r\n",
    "a length of less than nothing": no_length,
    "no JSON": ok("<html>"),
    "no UTF-8": ok(b"\xff"),
    "other JSON": ok('{"detail": "?"}'),
    "a header of a million bytes": b"HTTP/1.1 200 OK\r\nA: " + b"a" * 1_000_000,
    "a thousand headers": b"HTTP/1.1 200 OK\r\n" + b"A: a\r\n" * 1000 + b"\r\n",
}


@pytest.mark.parametrize("fault", PASSING)
def test_what_may_pass_is_tried_again(fault: str, pauses: list[float]) -> None:
    script: Any = PASSING[fault]
    with scripted(script, script, GOOD) as (url, asked):
        assert hits(RemoteLibrary(url)) == [HIT]
    assert len(asked) == 3 and len(pauses) == 2


FINAL = {
    "400": (failed(400), "status 400: busy"),
    "404": (failed(404), "status 404: busy"),
    "307": (failed(307, "Location: http://elsewhere/"), "status 307: busy"),
    "501": (failed(501), "status 501: busy"),
    "too long": (ok("x" * 3000), "its answer is longer than 2000 bytes"),
    "too long, in chunks": (CHUNKED % (3000, b"x" * 3000), "its answer is longer than 2000 bytes"),
    "too long, to the end": (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 3000, "its answer is longer than 2000 bytes"),
}


@pytest.mark.parametrize("fault", FINAL)
def test_what_will_not_pass_is_not_tried_again(fault: str, pauses: list[float]) -> None:
    reply, why = FINAL[fault]
    with scripted(reply, GOOD) as (url, asked), pytest.raises(NoAnswer) as caught:
        RemoteLibrary(url, most=2000).search("q", 3)
    assert (caught.value.url, caught.value.attempts, caught.value.cause) == (f"{url}/retrieve", 1, why)
    assert len(asked) == 1 and not pauses


def test_an_answer_in_chunks_or_to_the_end_is_read() -> None:
    body = found(('"A"\nalpha', 1.5)).encode()

    def to_the_end(connection: socket.socket, _: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body)
        connection.close()

    with scripted(CHUNKED % (len(body), body) + b"0\r\n\r\n", to_the_end, GOOD) as (url, _):
        remote = RemoteLibrary(url)
        assert [hits(remote) for _ in range(3)] == [[HIT]] * 3


def test_the_pauses_double_and_the_global_draws_are_left_alone(pauses: list[float]) -> None:
    random.seed(0)
    before = random.getstate()
    with scripted() as (url, _), pytest.raises(NoAnswer) as caught:
        RemoteLibrary(url, attempts=8).search("q", 3)
    assert caught.value.attempts == 8 and "refused" in caught.value.cause.lower()
    # 0.1, 0.2, … up to 2 s, each times something from a half to one.
    for pause, longest in zip(pauses, [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0], strict=True):
        assert longest / 2 <= pause <= longest
    assert random.getstate() == before


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        (["Retry-After: 7"], 7.0),
        (["Retry-After: " + formatdate(1e9 + 9, usegmt=True), "Date: " + formatdate(1e9, usegmt=True)], 9.0),
        (["Retry-After: soon"], 0.0),
        (["Retry-After: " + formatdate(1e9, usegmt=True)], 0.0),  # nobody knows when that is for the server
        (["Retry-After: -5"], 0.0),
    ],
)
def test_a_server_is_left_alone_for_as_long_as_it_asks(headers: list[str], pause: float, pauses: list[float]) -> None:
    with scripted(failed(503, *headers), GOOD) as (url, _):
        assert hits(RemoteLibrary(url)) == [HIT]
    assert pauses == [pause] if pause else 0.05 <= pauses[0] <= 0.1


def test_one_that_asks_for_more_than_there_is_time_is_given_up(pauses: list[float]) -> None:
    with scripted(failed(503, "Retry-After: 31"), GOOD) as (url, asked), pytest.raises(NoAnswer, match="status 503"):
        RemoteLibrary(url, total=30).search("q", 3)
    assert len(asked) == 1 and not pauses


def waits(connection: socket.socket, _: bytes) -> None:
    time.sleep(2.0)


def drips(connection: socket.socket, _: bytes) -> None:
    """Send an answer byte by byte, far too slowly for its whole, fast enough for each wait."""
    try:
        for byte in GOOD:  # some six seconds in all
            connection.sendall(bytes([byte]))
            time.sleep(0.05)
    except OSError:
        pass


@pytest.mark.parametrize("script", [waits, drips, lambda connection, _: drips(connection, b"")])
def test_a_slow_server_is_given_up(script: Callable[[socket.socket, bytes], None]) -> None:
    with scripted(script) as (url, _):
        begun = time.monotonic()
        with pytest.raises(NoAnswer, match=r"\(1 attempt: TimeoutError: timed out\)"):
            RemoteLibrary(url, timeout=0.3, attempts=1).search("q", 3)
        assert time.monotonic() - begun < 1.8


def test_all_tries_together_have_their_time() -> None:
    """A socket that nobody accepts from takes the request and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        begun = time.monotonic()
        with pytest.raises(NoAnswer, match="TimeoutError"):
            RemoteLibrary(f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=0.3, attempts=99, total=1.0).search(
                "q", 3
            )
        assert 0.3 < time.monotonic() - begun < 2.0


def test_a_connection_closed_while_unused_costs_no_try(pauses: list[float]) -> None:
    def answers_and_closes(connection: socket.socket, _: bytes) -> None:
        connection.sendall(GOOD)  # without a word that it will close
        connection.close()

    with scripted(answers_and_closes, answers_and_closes, GOOD) as (url, _):
        remote = RemoteLibrary(url, attempts=1)
        assert [hits(remote) for _ in range(3)] == [[HIT]] * 3
    assert not pauses


def test_one_connection_a_thread_is_kept_and_closed_with_it() -> None:
    with scripted(*[GOOD] * 5) as (url, asked):
        remote = RemoteLibrary(url)
        assert [hits(remote) for _ in range(3)] == [[HIT]] * 3
        first = remote._asker._connection()
        assert first is remote._asker._connection() and first.used
        del first, remote  # the script takes one connection at a time
        gc.collect()
        again = RemoteLibrary(url)
        got: list[Any] = []
        thread = threading.Thread(target=lambda: got.append(hits(again)))
        thread.start()
        thread.join(10)
        assert hits(again) == [HIT] and got == [[HIT]]
    assert len(asked) == 5


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_has_its_own_connection(tmp_path: Path) -> None:
    """Both ask at the same time: over one connection they would read each other's answers."""
    with running(library(tmp_path)) as url:
        remote = RemoteLibrary(url)
        assert remote.search("Madrid", 1)[0].passage.title == "Madrid"
        pids = []
        for query, title in (("Tagus rises", "Tagus"), ("Maine", "Lisbon")):
            pid = os.fork()
            if not pid:
                right = all(remote.search(query, 1)[0].passage.title == title for _ in range(50))
                os._exit(0 if right else 1)
            pids.append(pid)
        for _ in range(50):
            assert remote.search("Madrid", 1)[0].passage.title == "Madrid"
        assert [os.waitpid(pid, 0)[1] for pid in pids] == [0, 0]


def test_content_is_what_health_says_else_a_hash_of_the_url(pauses: list[float]) -> None:
    with scripted(ok('{"content": "abc", "passages": 7}')) as (url, asked):
        remote = RemoteLibrary(url)
        assert (remote.content, remote.size, remote.content) == (hashed("abc"), 7, hashed("abc"))
    assert len(asked) == 1 and asked[0].startswith(b"GET /health HTTP/1.1\r\n")
    for reply in (failed(404), failed(405), failed(307), ok("fine"), ok('{"status": "ok"}'), ok('{"content": 3}')):
        with scripted(reply) as (url, asked):
            remote = RemoteLibrary(url)
            assert len(remote.content) == 32 and remote.size == 0
            assert remote.content == hashed(f"{url}/retrieve")
        assert len(asked) == 1
    with scripted(failed(503), failed(503)) as (url, _), pytest.raises(NoAnswer, match="status 503"):
        _ = RemoteLibrary(url, attempts=2).content


def test_a_server_that_searches_something_else_now_is_found_out(tmp_path: Path) -> None:
    first, second = library(tmp_path / "a"), library(tmp_path / "b", [Passage("Lisbon", "Another text.")])
    with running(first) as url:
        remote = RemoteLibrary(url)
        assert remote.content == hashed(first.content) and remote.search("Lisbon", 1)
    with running(second) as other:
        moved = RemoteLibrary(other)
        moved._learn(remote._facts, True)  # as if it had been started anew at the same address
        with pytest.raises(NoAnswer, match=f"it searches {second.content} now, not {first.content} as at first"):
            moved.search("Lisbon", 1)


def test_a_server_that_comes_back_is_found_again(tmp_path: Path) -> None:
    """It is away for the first of the tries, as when it is started anew during an episode."""
    local = library(tmp_path)
    with running(local) as url:
        remote = RemoteLibrary(url, attempts=10)
        assert remote.search("Madrid", 1)
    port = int(url.rpartition(":")[2])
    back = threading.Event()

    def come_back() -> None:
        time.sleep(0.4)
        with running(local, port=port):
            back.wait(20)

    thread = threading.Thread(target=come_back)
    thread.start()
    try:
        assert remote.search("Madrid", 1)[0].passage.title == "Madrid"
    finally:
        back.set()
        thread.join(20)


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("http://localhost:8000", "http://localhost:8000/retrieve"),
        ("http://localhost:8000/", "http://localhost:8000/retrieve"),
        ("http://localhost:8000/retrieve", "http://localhost:8000/retrieve"),
        ("https://a.b/c/search/", "https://a.b/c/search"),
        ("http://[::1]:80", "http://[::1]:80/retrieve"),
    ],
)
def test_urls(url: str, asked: str) -> None:
    remote = RemoteLibrary(url)
    assert remote.url == asked and repr(remote) == f"RemoteLibrary({asked!r})"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("localhost:8000", "is no URL of http or https"),
        ("ftp://a", "is no URL of http or https"),
        ("http://", "is no URL of http or https"),
        ("http://a:99999", "is no URL: give one such as"),
        ("http://[::1", "is no URL: give one such as"),
        (7, "is no URL"),
        ("http://me:word@a", "has no user"),
        ("http://a/b c", "has characters that a URL spells otherwise"),
        ("http://bücher", "has characters that a URL spells otherwise"),
        ("http://a/b\r\nX: y", "has characters that a URL spells otherwise"),
        ("http://a?b=c", "has no user, no [?] and no #"),
    ],
)
def test_what_is_no_url(url: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        RemoteLibrary(url)
    assert "word" not in str(caught.value)


@pytest.mark.parametrize("bound", [{"timeout": 0}, {"total": "1"}, {"attempts": 1.5}, {"attempts": True}, {"most": -1}])
def test_bounds_are_positive(bound: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(bound))} must be"):
        RemoteLibrary("http://a", **bound)


def test_copies() -> None:
    remote = RemoteLibrary("http://a/b", attempts=2)
    again = pickle.loads(pickle.dumps(remote))
    assert copy.deepcopy(remote) is remote and (again.url, again._bounds.attempts) == ("http://a/b", 2)
    error = pickle.loads(pickle.dumps(NoAnswer("http://a", 3, "it is gone")))
    assert isinstance(error, RetrieverError) and (error.url, error.attempts, error.cause) == (
        "http://a",
        3,
        "it is gone",
    )
    assert str(error).startswith("http://a gave no answer (3 attempts, at last: it is gone)")


def test_what_the_caller_does_wrong() -> None:
    remote = RemoteLibrary("http://a")
    with pytest.raises(TypeError, match="a query is a str, not int"):
        remote.search(3, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="k must be an int of at least 1, not 0"):
        remote.search("a", 0)


def test_whatever_a_server_sends_is_an_answer_or_none() -> None:
    """Answers with bytes changed, cut or doubled, then the connection ends: hits that are whole, or NoAnswer."""
    draw = random.Random(0)
    body = found(('"A"\nalpha', 1.5), ('"B"\nbeta', 1.0)).encode()
    chunked = CHUNKED % (len(body), body) + b"0\r\n\r\n"

    def torn(raw: bytes) -> Callable[[socket.socket, bytes], None]:
        out = bytearray(raw)
        for _ in range(draw.randint(1, 5)):
            at = draw.randrange(len(out))
            out[at : at + draw.randint(0, 4)] = draw.choice([b"", b"\n", b"\xff", b"-", b"9", b'"', out[at : at + 9]])

        def send(connection: socket.socket, _: bytes) -> None:
            connection.sendall(out)
            connection.close()

        return send

    answered = refused = 0
    with scripted(*(torn(draw.choice([ok(body), chunked])) for _ in range(300))) as (url, asked):
        for _ in range(300):
            try:
                hits(RemoteLibrary(url, attempts=1, timeout=5.0))
                answered += 1
            except NoAnswer:
                refused += 1
    assert len(asked) == answered + refused == 300 and answered > 5 and refused > 100


@pytest.mark.parametrize(
    "more", [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 102 Processing\r\nA: b\r\n\r\n", b"\r\n"]
)
def test_one_that_never_comes_to_the_point_is_given_up(more: bytes) -> None:
    def talks(connection: socket.socket, _: bytes) -> None:
        try:
            while True:
                connection.sendall(more * 100)
        except OSError:
            pass

    with scripted(talks) as (url, _):
        begun = time.monotonic()
        with pytest.raises(NoAnswer):
            RemoteLibrary(url, attempts=1, timeout=0.4).search("q", 3)
        assert time.monotonic() - begun < 3
