import json
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from agentgym.envs.wiki_search.library import Local
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.remote import RemoteLibrary
from agentgym.envs.wiki_search.server import Bounds
from agentgym.envs.wiki_search.serving import running
from tests.corpora import SMALL, Words
from tests.envs.wiki_search.wiki_http import answer, ask, connect, hashed, library, request

ODD = (
    Passage("a\nb", "A title of two lines, about Lisbon."),
    Passage('"Os Lusíadas"', "An epic in quotes,\nover two lines: Lisbon.\n"),
    Passage("A tab\t\u2028and more", ' "Lisbon" \\ </information> \x00 😀'),
)
QUICK = Bounds(idle=0.3, arrive=0.3, take=0.3)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Local:
    words = Words(300)
    return library(tmp_path_factory.mktemp("corpus"), (*SMALL, *ODD, *words.passages(200, 20)))


@pytest.fixture(scope="module")
def url(local: Local) -> Iterator[str]:
    with running(local) as found:
        yield found


def lives(url: str) -> None:
    """Fail if the server does not answer."""
    status, _, value = ask(url, request('{"queries": ["Madrid"], "topk": 1}'))
    assert (status, value) == (
        200,
        {"result": [[{"id": "4", "contents": '"Madrid"\nMadrid is the capital of Spain.'}]]},
    )


def test_the_client_finds_what_the_library_finds(local: Local, url: str) -> None:
    remote = RemoteLibrary(url)
    assert (remote.content, remote.size) == (hashed(local.content), local.size) == (hashed(local.content), 209)
    words = Words(300, seed=1)
    for query in [
        "Lisbon",
        "river Spain",
        "nothingofthekind",
        "",
        "\ud800",
        "é" * 10_000,
        *(words.text(5) for _ in range(40)),
    ]:
        for k in (1, 3, 50):
            here, there = local.search(query, k), remote.search(query, k)
            assert [(hit.passage, hit.score) for hit in there] == [(hit.passage, hit.score) for hit in here]
    assert {hit.passage for hit in remote.search("Lisbon", 50)} >= set(ODD)


def test_the_client_knows_the_titles_that_the_library_knows(local: Local, url: str) -> None:
    remote = RemoteLibrary(url)
    for title in ("Lisbon", "lisbon", " LISBON ", "a\nb", "Nothing", "", '"Os Lusíadas"'):
        here, there = local.titled(title), remote.titled(title)
        assert [(hit.passage, hit.score) for hit in there] == [(hit.passage, hit.score) for hit in here]
    assert len(remote.titled("lisbon")) == 2  # one of them its search ranks behind others
    assert ask(url, request('{"titles": ["Lisbon", 3]}', "/titled"))[0] == 422


def test_as_search_r1_asks(url: str) -> None:
    """Many queries at once, with scores and without, beside the client's answers, which are held to the library."""
    remote = RemoteLibrary(url)
    queries = ["river Spain", "Madrid", "nothingofthekind"]
    scored = ask(url, request(json.dumps({"queries": queries, "topk": 3, "return_scores": True})))[2]["result"]
    plain = ask(url, request(json.dumps({"queries": queries})))[2]["result"]
    assert [len(hits) for hits in scored] == [3, 1, 0]
    assert plain == [[hit["document"] for hit in hits] for hits in scored]
    for query, hits in zip(queries, scored, strict=True):
        expected = [(hit.score, f'"{hit.passage.title}"\n{hit.passage.text}') for hit in remote.search(query, 3)]
        assert [(hit["score"], hit["document"]["contents"]) for hit in hits] == expected


def test_64_clients_at_once_get_the_right_answers(local: Local, url: str) -> None:
    """All are connected at the same time: each waits for the others before and after its first question."""
    remote, words = RemoteLibrary(url), Words(300, seed=2)
    queries = [words.text(4) for _ in range(256)]
    expected = [[(hit.passage, hit.score) for hit in local.search(query, 5)] for query in queries]
    together = threading.Barrier(64, timeout=30)

    def client(number: int) -> int:
        together.wait()
        right = 0
        for place in range(number, 256, 64):
            right += [(hit.passage, hit.score) for hit in remote.search(queries[place], 5)] == expected[place]
            if place == number:
                together.wait()
        return right

    with ThreadPoolExecutor(64) as pool:
        assert sum(pool.map(client, range(64))) == 256


def test_health(local: Local, url: str) -> None:
    status, headers, value = ask(url, request("", "/health", "GET"))
    assert (status, headers["Agentgym-Content"]) == (200, local.content)
    assert value == {"status": "ok", "content": local.content, "passages": 209, "retriever": "bm25"}


POST = b"POST /retrieve HTTP/1.1\r\n"
HOSTILE = [
    (request("{"), 400),
    (request(b"\xff"), 400),
    (request('{"queries": "a"}'), 422),
    (request("{}"), 422),
    (request('{"queries": ["a"], "topk": 0}'), 422),
    (request('{"queries": ["a"], "topk": 1000000000}'), 422),
    (request('{"queries": ["a"], "topk": true}'), 422),
    (request("[" * 100_000), 400),
    (request("x" * (1 << 20)), 400),
    (request("x" * ((1 << 20) + 1)), 413),
    (request("x" * (4 << 20)), 413),
    (request("{}", "/"), 404),
    (request("{}", "/retrieve/"), 404),
    (request("{}", "/../retrieve"), 404),
    (request("", "/retrieve", "GET"), 405),
    (request("{}", "/health"), 405),
    (request("", "/retrieve", "HEAD"), 405),
    (request("", "/retrieve", "BREW"), 405),
    (POST + b"\r\n", 411),
    (POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", 411),
    (POST + b"Transfer-Encoding: chunked\r\n\r\nzzzz\r\n\xff\xff", 411),
    (POST + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}", 400),
    (POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400),
    (POST + b"Content-Length: 99999999999999999999\r\n\r\n{}", 413),
    (POST + b"Content-Length: -1\r\n\r\n{}", 400),
    (POST + b"Content-Length: 0x2\r\n\r\n{}", 400),
    (POST + b"Content-Length: \xb2\r\n\r\n{}", 400),
    (POST + b"Content-Length:\r\n\r\n{}", 400),
    (POST + b"Content-Length : 2\r\n\r\n{}", 400),
    (POST + b"no colon\r\n\r\n", 400),
    (POST + b" folded: 1\r\n\r\n", 400),
    (POST + b": 1\r\n\r\n", 400),
    (POST + b"A: " + b"b" * 8192 + b"\r\n\r\n", 431),
    (POST + b"A: " + b"b" * 1_000_000, 431),
    (POST + b"A: b\r\n" * 65 + b"\r\n", 431),
    (POST + b"".join(b"A%d: b\r\n" % number for number in range(100_000)), 431),
    (POST + (b"A: " + b"b" * 8000 + b"\r\n") * 5, 431),
    (b"GET /" + b"a" * 8192 + b" HTTP/1.1\r\n\r\n", 414),
    (b"GET /" + b"a" * 1_000_000, 414),
    (b"\r\n" * 5000, 400),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", 400),  # how TLS begins
    (b"hello\n", 400),
    (b"GET  /health HTTP/1.1\r\n\r\n", 400),
    (b"GET /health HTTP/2.0\r\n\r\n", 505),
    (b"GET /health\r\n", 400),
]


@pytest.mark.parametrize(("raw", "status"), HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_no_request_is_refused_and_the_server_lives(url: str, raw: bytes, status: int) -> None:
    with connect(url) as connection:
        try:
            connection.sendall(raw)
        except ConnectionError:
            pytest.fail("the server closed before it had said why")
        got, headers, value = answer(connection)
    assert (got, list(value)) == (status, ["detail"]) and len(value["detail"]) < 300
    assert got != 405 or headers["Allow"] in ("GET", "POST")
    lives(url)


@pytest.mark.parametrize("raw", [b"", b"P", POST, POST + b"Content-Length: 90\r\n\r\n{", b"\r\n"])
def test_a_request_that_does_not_arrive_is_given_up(local: Local, raw: bytes) -> None:
    with running(local, bounds=QUICK) as url, connect(url) as connection:
        connection.sendall(raw)
        begun = time.monotonic()
        if raw:
            assert answer(connection)[0] == 408
        assert connection.recv(1) == b""
        assert time.monotonic() - begun < 5
        lives(url)


def test_one_that_drips_is_given_up_too(local: Local) -> None:
    with running(local, bounds=QUICK) as url, connect(url) as connection:
        connection.settimeout(0.05)
        begun, got = time.monotonic(), b""
        for byte in request('{"queries": ["Madrid"]}' + " " * 500):
            try:
                connection.send(bytes([byte]))
                got += connection.recv(4096)
            except TimeoutError:
                continue
            except ConnectionError:
                break
            if got:
                break
        assert got.startswith(b"HTTP/1.1 408 ") and time.monotonic() - begun < 5


def test_one_that_takes_no_answer_is_given_up(tmp_path: Path) -> None:
    """Its answers are more than the buffers of two sockets hold."""
    big = library(tmp_path, [Passage("Big", "lisbon " + "x" * 5_000_000)])
    with running(big, bounds=QUICK) as url, connect(url) as connection:
        asked = request('{"queries": ["lisbon"]}')
        connection.sendall(asked * 4)
        time.sleep(1.0)
        assert ask(url, asked)[0] == 200
        with pytest.raises((EOFError, ConnectionError)):
            [answer(connection) for _ in range(4)]


@pytest.mark.slow
def test_an_answer_arrives_whole_before_the_connection_is_closed(tmp_path: Path) -> None:
    """Of some length it is, a little is left when all buffers of the two sockets are full."""
    big = library(tmp_path, [Passage("Big", "lisbon " + "x" * 40_000)])
    with running(big) as url:
        for count in range(1, 160):
            with connect(url) as connection:
                asked = json.dumps({"queries": ["lisbon"] * count})
                connection.sendall(request(asked, "/retrieve", "POST", "Connection: close"))
                time.sleep(0.02)
                assert len(answer(connection)[2]["result"]) == count and connection.recv(1) == b""


def test_200_connections_that_send_nothing_hold_nobody_up(local: Local, url: str) -> None:
    with ExitStack() as held:
        for number in range(200):
            held.enter_context(connect(url)).sendall(POST[: number % 20])
        begun = time.monotonic()
        remote = RemoteLibrary(url)
        for _ in range(20):
            assert remote.search("Madrid", 1)[0].passage.title == "Madrid"
        assert time.monotonic() - begun < 5


def test_the_one_that_waits_longest_makes_room(local: Local) -> None:
    with running(local, bounds=Bounds(connections=4)) as url, ExitStack() as held:
        idle = [held.enter_context(connect(url)) for _ in range(4)]
        lives(url)
        assert idle[0].recv(1) == b""
        idle[3].sendall(request('{"queries": ["Madrid"]}'))
        assert answer(idle[3])[0] == 200


def test_a_connection_is_kept_unless_it_is_asked_to_be_closed(url: str) -> None:
    asked = '{"queries": ["Madrid"], "topk": 1}'
    with connect(url) as connection:
        connection.sendall(request(asked) + request("{}") + request(asked, "/retrieve", "POST", "Connection: close"))
        assert [answer(connection)[0] for _ in range(3)] == [200, 422, 200]  # sent at once, answered in turn
        assert connection.recv(1) == b""
    with connect(url) as connection:
        connection.sendall(b"GET /health HTTP/1.0\r\n\r\n")
        assert answer(connection)[1]["Connection"] == "close" and connection.recv(1) == b""
    with connect(url) as connection:
        connection.sendall(b"GET http://other/health?a=b HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n" * 2)
        assert [answer(connection)[1]["Connection"] for _ in range(2)] == ["keep-alive"] * 2


def test_a_body_may_wait_for_leave_to_come(url: str) -> None:
    body = '{"queries": ["Madrid"]}'
    head, _, _ = request(body, "/retrieve", "POST", "Expect: 100-continue").partition(b"\r\n\r\n")
    with connect(url) as connection:
        connection.sendall(head + b"\r\n\r\n")
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body.encode())
        assert answer(connection)[0] == 200


def test_one_that_shuts_its_side_after_asking_is_answered(url: str) -> None:
    with connect(url) as connection:
        connection.sendall(request('{"queries": ["Madrid"]}'))
        connection.shutdown(1)
        assert answer(connection)[0] == 200


def test_a_search_that_fails_is_a_500_and_the_next_one_does(local: Local) -> None:
    class Failing(Local):
        def search(self, query: str, k: int) -> list:
            if query == "fail":
                raise OSError("secret path")
            return super().search(query, k)

    with running(Failing(local.store, local.searcher)) as url:
        status, _, value = ask(url, request('{"queries": ["Madrid", "fail"]}'))
        assert (status, value) == (500, {"detail": "the search failed: OSError"})
        lives(url)


def test_bytes_at_random_are_answered_or_hung_up_on(local: Local) -> None:
    """Requests with bytes changed, cut or doubled: whatever comes back is whole, and the server lives."""
    draw = random.Random(0)
    good = request('{"queries": ["Madrid", "Lisbon"], "topk": 2, "return_scores": true}')
    statuses = set()
    with running(local, bounds=QUICK) as url:
        for _ in range(300):
            raw = bytearray(good)
            for _ in range(draw.randint(1, 6)):
                at = draw.randrange(len(raw))
                raw[at : at + draw.randint(0, 3)] = draw.choice([b"", b"\n", b"\xff", b'"', b"9", raw[at : at + 9]])
            with connect(url) as connection:
                connection.sendall(raw)
                connection.shutdown(1)
                try:
                    statuses.add(answer(connection)[0])
                except EOFError:
                    statuses.add(0)
        lives(url)
    assert statuses > {0, 200, 400} and statuses <= {0, 200, 400, 404, 405, 408, 411, 413, 422, 431, 505}
