"""What the client of servers does beyond what tests/envs/wiki_search/test_wiki_remote.py shows of it."""

import json
import pickle

import pytest

from agentgym.http import Answer, Asker, NoAnswer, Patience, split_url
from tests.envs.wiki_search.wiki_http import failed, ok, scripted


class Named(NoAnswer):
    """A failure under a name of the caller's own."""


class Choosy(Asker):
    def strange(self, answer: Answer) -> str:
        return f"it is {answer.headers['Server']} now" if "Server" in answer.headers else ""


def test_headers_go_with_each_request() -> None:
    with scripted(ok("1"), ok("2")) as (url, asked):
        asker = Asker(url, Patience(), {"Authorization": "Bearer k"})
        assert [asker.ask("POST", "/x", {"a": 1}, json.loads), asker.ask("GET", "/y", None, json.loads)] == [1, 2]
    assert [raw.partition(b"\r\n")[0] for raw in asked] == [b"POST /x HTTP/1.1", b"GET /y HTTP/1.1"]
    assert all(b"\r\nAuthorization: Bearer k\r\n" in raw for raw in asked)


def test_the_failure_is_of_the_class_that_was_asked_for() -> None:
    asker = Asker("http://127.0.0.1:9", Patience(attempts=1), {"Authorization": "Bearer secret"}, error=Named)
    with pytest.raises(Named, match="gave no answer") as caught:
        asker.ask("GET", "/x", None, json.loads)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is Named and again.url == "http://127.0.0.1:9/x" and "secret" not in repr(caught.value)


def test_an_answer_of_another_server_is_none() -> None:
    with scripted(ok("1", "Server: b"), ok("1")) as (url, asked), pytest.raises(NoAnswer, match="it is b now"):
        Choosy(url, Patience()).ask("GET", "/", None, json.loads)
    assert len(asked) == 1


def test_pauses_grow_to_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[float] = []
    monkeypatch.setattr("agentgym.http.asking.time.sleep", made.append)
    with scripted(*[failed(500)] * 4, ok("1")) as (url, _):
        assert Asker(url, Patience(pause=1.0, longest=3.0, total=99.0)).ask("GET", "/", None, json.loads) == 1
    # 1, 2, 4 and 8 s, of which no more than 3, each times something from a half to one.
    assert all(longest / 2 <= pause <= longest for pause, longest in zip(made, [1.0, 2.0, 3.0, 3.0], strict=True))


@pytest.mark.parametrize("bound", [{"pause": 0}, {"longest": -1.0}, {"pause": "1"}])
def test_pauses_are_positive(bound: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(bound))} must be a positive number of seconds"):
        Patience(**bound)  # type: ignore[arg-type]


def test_urls_are_split() -> None:
    assert split_url("http://127.0.0.1:8000/v1/") == ("http://127.0.0.1:8000", "/v1")
    assert split_url("https://[::1]") == ("https://[::1]", "")
    with pytest.raises(ValueError, match="has no user") as caught:
        split_url("http://me:word@a")
    assert "word" not in str(caught.value)
