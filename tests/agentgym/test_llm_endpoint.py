"""The client of chat completions: what it sends, what it believes, and how each fault of an endpoint ends."""

import json
import socket
from collections.abc import Callable
from typing import Any

import pytest

from agentgym.http import NoAnswer, Patience
from agentgym.llm import Called, Completion, Endpoint, EndpointError
from agentgym.llm.endpoint import read_completion
from tests.llm_server import FAULTS, completion, serving

BODY = {"model": "toy", "messages": [{"role": "user", "content": "Good day"}]}
QUICK = Patience(timeout=0.3, attempts=5, total=30.0, most=1 << 20, pause=0.5, longest=60.0)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the pauses that a client would have made; none is waited for."""
    made: list[float] = []
    monkeypatch.setattr("agentgym.http.asking.time.sleep", made.append)
    return made


def ask(url: str, patience: Patience = QUICK, key: str = "") -> Completion:
    return Endpoint(url, "toy", key, patience).open().ask(BODY)


def test_what_is_sent_and_what_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_KEY", " abc\n")
    with serving(lambda request: f"heard {request['messages'][0]['content']}") as server:
        reply = ask(server.url, key="TOY_KEY")
    assert reply == Completion("heard Good day", "stop", "", (), (7, 3), "toy-1")
    assert server.requests == [BODY] and server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["Authorization"] == "Bearer abc"


@pytest.mark.parametrize("tail", ["", "/v1", "/v1/", "/v1/chat/completions"])
def test_urls_of_one_endpoint(tail: str) -> None:
    with serving() as server:
        assert ask(server.url.removesuffix("/v1") + tail).text == "(1) Good day"
    assert server.paths == ["/v1/chat/completions"]


PASSING = [
    "429", "500", "503", "timeout", "reset", "empty", "html", "truncated", "doubled chunk", "no choices",
    "error in a 200", "two choices", "missing content", "null content",
]  # fmt: skip
FINAL = {"404": "status 404", "10 MB": "longer than 1048576 bytes"}
REPLIES = {"429 with Retry-After", "401", "cut", "refusal", "filtered"}  # other tests meet these


def test_every_fault_is_met_by_a_test() -> None:
    assert {*PASSING, *FINAL, *REPLIES} == {*FAULTS}


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_may_pass_is_met_by_four_more_tries_and_then_by_no_answer(fault: str, pauses: list[float]) -> None:
    with serving(*[fault] * 4) as server:
        assert ask(server.url, Patience(timeout=0.1, attempts=5)).text == "(1) Good day"
    assert len(server.requests) == 5
    with serving(otherwise=fault) as server, pytest.raises(NoAnswer, match="5 attempts, at last"):
        ask(server.url, Patience(timeout=0.1, attempts=5))
    assert len(server.requests) == 5 and len(pauses) == 8


@pytest.mark.parametrize("fault", FINAL)
def test_a_fault_that_will_not_pass_is_met_by_no_further_try(fault: str, pauses: list[float]) -> None:
    with serving(otherwise=fault) as server, pytest.raises(NoAnswer, match=f"1 attempt: .*{FINAL[fault]}"):
        ask(server.url, Patience(timeout=5.0, attempts=5, most=1 << 20))
    assert len(server.requests) == 1 and not pauses


def test_a_server_that_is_not_there(pauses: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(NoAnswer, match="5 attempts, at last: ConnectionRefusedError"):
        ask(f"http://127.0.0.1:{port}/v1")
    # Half a second, doubled, each times something from a half to one.
    assert all(top / 2 <= pause <= top for pause, top in zip(pauses, [0.5, 1.0, 2.0, 4.0], strict=True))


def test_the_usual_patience_is_four_more_tries_with_pauses_of_at_most_a_minute() -> None:
    usual = Endpoint("http://127.0.0.1", "toy").patience
    assert (usual.attempts, usual.pause, usual.longest, usual.timeout) == (5, 0.5, 60.0, 60.0)


def test_a_server_is_left_alone_for_as_long_as_it_asks(pauses: list[float]) -> None:
    with serving("429 with Retry-After") as server:
        assert ask(server.url).text == "(1) Good day"
    assert pauses == [3.0]


def test_a_key_that_is_missing_or_refused_is_named_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOY_KEY", raising=False)
    with pytest.raises(EndpointError, match="the environment variable TOY_KEY is not set, and http://a/v1 needs"):
        Endpoint("http://a/v1", "toy", "TOY_KEY").open()
    with serving("401") as server, pytest.raises(EndpointError, match=r"wants a key .*name the environment variable"):
        ask(server.url)
    monkeypatch.setenv("TOY_KEY", "sk-secret")
    with serving("401") as server, pytest.raises(EndpointError, match=r"refuses the key in .* TOY_KEY") as caught:
        ask(server.url, key="TOY_KEY")
    assert "sk-secret" not in f"{caught.value!r} {caught.value.__cause__!r}" and len(server.requests) == 1
    monkeypatch.setenv("TOY_KEY", "a\r\nX: y")
    with pytest.raises(EndpointError, match="TOY_KEY holds characters that no key has"):
        Endpoint("http://a/v1", "toy", "TOY_KEY").open()


@pytest.mark.parametrize(
    ("url", "model"), [("ftp://a", "m"), ("http://me:word@a", "m"), ("http://a", ""), ("http://a", 3)]
)
def test_what_is_no_endpoint(url: str, model: Any) -> None:
    with pytest.raises(ValueError):
        Endpoint(url, model)


def read(value: Any) -> Completion:
    return read_completion(json.dumps(value).encode(), BODY)


def test_tokens_that_nobody_counted_are_a_quarter_of_the_letters() -> None:
    for usage in (None, {}, {"prompt_tokens": -1, "completion_tokens": 2}, {"prompt_tokens": "7"}):
        # "Good day" has 8 letters: 2 tokens; "fine" has 4: 1.
        assert read({**completion("fine"), "usage": usage}).tokens == (2, 1)


def test_calls_and_refusals_stand_in_for_words() -> None:
    called = [{"function": {"name": "f", "arguments": '{"a":1}'}}, {"function": {"name": "g", "arguments": {}}}, 3]
    found = read(completion(None, tool_calls=called, finish="tool_calls"))
    assert (found.text, found.calls, found.finish) == ("", (Called("f", '{"a":1}'), Called("g", "{}")), "tool_calls")
    assert read(completion(None, refusal="no")).refusal == "no"
    assert read(completion(None, finish="content_filter")).finish == "content_filter"


def test_a_lone_surrogate_becomes_a_question_mark() -> None:
    assert read(completion("a\ud800b")).text == "a?b"


@pytest.mark.parametrize("value", [[], 3, {"choices": [3]}, {"choices": [{"message": 3}]}, {"choices": {}}])
def test_other_json_is_no_reply(value: Any) -> None:
    with pytest.raises(ValueError):
        read(value)


@pytest.mark.parametrize("raw", [b"[" * 100_000, b"\xff", b"   "])
def test_whatever_comes_is_a_reply_or_a_value_error(raw: bytes) -> None:
    with pytest.raises(ValueError):
        read_completion(raw, BODY)


PACKED: list[Callable[[], Completion]] = [
    lambda: Completion("a", "stop", "", (), (1, 2), "m"),
    lambda: Completion("", "tool_calls", "", (Called("f", "{}"),), (0, 0)),
    lambda: Completion("", "content_filter", "no"),
]


@pytest.mark.parametrize("made", PACKED)
def test_replies_come_back_from_json(made: Callable[[], Completion]) -> None:
    assert Completion.unpacked(json.loads(json.dumps(made().packed()))) == made()


@pytest.mark.parametrize("value", [3, {"text": "a"}, {"text": 3, "finish": "stop", "tokens": [1, 2]}])
def test_other_json_is_no_packed_reply(value: Any) -> None:
    with pytest.raises(ValueError, match="needs text, finish and tokens"):
        Completion.unpacked(value)
