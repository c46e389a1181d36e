"""A model that replies: cassette before endpoint, one call for equal questions, a budget that stops."""

import copy
import pickle
import threading
import time
from pathlib import Path

import pytest

from agentgym.http import NoAnswer, Patience
from agentgym.llm import Budget, BudgetSpent, Cassette, CassetteMiss, Endpoint, EndpointError, Model, open_model
from tests.llm_server import serving

TALK = [{"role": "user", "content": "Good day"}]


def test_what_was_asked_once_is_not_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    with serving() as server:
        model = Model(Endpoint(server.url, "toy"), Cassette(path, "toy", "record"))
        replies = [model.reply(TALK, seed=seed, stop=None).text for seed in (1, 2, 1)]
        assert replies == ["(1) Good day"] * 3 and [request["seed"] for request in server.requests] == [1, 2]
        assert "stop" not in server.requests[0] and model.budget.spent == (2, 20)  # 7 and 3 tokens a call
    again = Model(cassette=Cassette(path, "toy"))  # the server is gone
    assert again.reply(TALK, seed=2) == model.reply(TALK, seed=2) and again.name == "toy"


def test_a_replay_never_asks(tmp_path: Path) -> None:
    with serving() as server:
        Model(Endpoint(server.url, "toy"), Cassette(tmp_path / "c", "toy", "record")).reply(TALK, seed=1)
        model = Model(Endpoint(server.url, "toy", "NO_SUCH_KEY"), Cassette(tmp_path / "c", "toy"))  # needs no key
        assert model.reply(TALK, seed=1).text == "(1) Good day"
        with pytest.raises(CassetteMiss, match="Nothing was asked of any endpoint"):
            model.reply(TALK, seed=2)
    assert len(server.requests) == 1


def test_without_a_file_replies_are_kept_in_memory() -> None:
    numbers = iter(range(9))
    with serving(otherwise=lambda _: str(next(numbers))) as server:
        model = Model(Endpoint(server.url, "toy"))
        assert [model.reply(TALK, seed=seed).text for seed in (5, 6, 5)] == ["0", "1", "0"]


def test_equal_questions_at_one_time_are_one_call() -> None:
    numbers = iter(range(9))
    got: list[str] = []
    with serving(otherwise=lambda _: str(next(numbers)), delay=0.2) as server:
        model = Model(Endpoint(server.url, "toy"))
        threads = [threading.Thread(target=lambda: got.append(model.reply(TALK).text)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert got == ["0"] * 8 and len(server.requests) == 1


def test_equal_questions_share_a_failure_and_may_be_asked_again() -> None:
    errors: list[str] = []

    def slow(_: dict[str, object]) -> str:
        time.sleep(0.3)
        raise ConnectionAbortedError  # the connection closes without an answer

    def ask(model: Model) -> None:
        try:
            model.reply(TALK)
        except NoAnswer as error:
            errors.append(error.cause)

    with serving(slow) as server:
        model = Model(Endpoint(server.url, "toy", patience=Patience(attempts=1)))
        threads = [threading.Thread(target=ask, args=(model,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(errors) == 4 and len(set(errors)) == len(server.requests) == 1
        assert model.reply(TALK).text == "(1) Good day"


@pytest.mark.parametrize(("budget", "why"), [(Budget(calls=2), "2 calls"), (Budget(tokens=11), "11 tokens")])
def test_a_budget_stops_and_says_so(budget: Budget, why: str) -> None:
    with serving() as server:
        model = Model(Endpoint(server.url, "toy"), budget=budget)
        model.reply(TALK, seed=1)  # 10 tokens
        model.reply(TALK, seed=2)  # 20
        with pytest.raises(BudgetSpent, match=rf"the budget of {why} is spent \(2 calls, 20 tokens\): raise"):
            model.reply(TALK, seed=3)
        assert model.reply(TALK, seed=1).text == "(1) Good day"  # what is known costs nothing
    assert len(server.requests) == 2


@pytest.mark.parametrize("bound", [{"calls": -1}, {"tokens": 1.5}, {"calls": True}])
def test_what_is_no_budget(bound: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=f"the budget of {next(iter(bound))} must be an int of at least 0"):
        Budget(**bound)


def test_what_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"needs an endpoint .* or a cassette"):
        Model()
    with pytest.raises(ValueError, match="is of the model 'zoo', the endpoint's is 'toy'"):
        Model(Endpoint("http://a", "toy"), Cassette("", "zoo", "record"))


def test_a_description_in_json_is_one_model_while_somebody_holds_it(tmp_path: Path) -> None:
    spec = {"model": "toy", "endpoint": "http://a/v1", "cassette": str(tmp_path / "c"), "calls": 3, "timeout": 7}
    model = open_model(spec)
    assert open_model(dict(reversed(spec.items()))) is model and model.cassette.mode == "record"
    assert model._client is not None and model._client.endpoint.patience.timeout == 7
    assert model._client.endpoint.patience.attempts == 5
    replayed = open_model({"model": "toy", "cassette": str(tmp_path / "c")})
    assert replayed.cassette.mode == "replay" and replayed._client is None
    both = open_model({**spec, "mode": "replay"})
    assert both._client is None and both.cassette is replayed.cassette


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"model": "toy", "endpiont": "http://a"}, "unknown entry 'endpiont' of a model's description; did you mean"),
        ({"endpoint": "http://a"}, "a model needs its name"),
        ({"model": "toy"}, "needs an 'endpoint' .* or a 'cassette'"),
        ({"model": "toy", "cassette": "c", "mode": "record"}, "to record 'toy' takes an 'endpoint'"),
        ({"model": "toy", "endpoint": "http://a", "mode": "replay"}, "to replay 'toy' takes a 'cassette'"),
        ({"model": "toy", "endpoint": 3}, "'endpoint' must be a text, not 3"),
        ({"model": "toy", "endpoint": "a"}, "is no URL"),
        ({"model": "toy", "endpoint": "http://a", "timeout": 0}, "timeout must be a positive number"),
        ({"model": "toy", "endpoint": "http://a", "calls": "3"}, "the budget of calls must be"),
    ],
)
def test_what_describes_no_model(spec: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        open_model(spec)


def test_a_missing_key_is_found_before_anything_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOY_KEY", raising=False)
    with pytest.raises(EndpointError, match="the environment variable TOY_KEY is not set"):
        open_model({"model": "toy", "endpoint": "http://a", "key": "TOY_KEY"})


def test_a_pickled_model_goes_on_with_the_file_and_a_budget_of_its_own(tmp_path: Path) -> None:
    with serving() as server:
        model = Model(Endpoint(server.url, "toy"), Cassette(tmp_path / "c", "toy", "record"), Budget(calls=1))
        model.reply(TALK)
        again = pickle.loads(pickle.dumps(model))
        assert again.reply(TALK) == model.reply(TALK) and again.budget.spent == (0, 0)
        assert again.reply(TALK, seed=1).text == "(1) Good day"
        with pytest.raises(BudgetSpent):
            model.reply(TALK, seed=2)
        assert copy.deepcopy(model) is model
    in_memory = pickle.loads(pickle.dumps(Model(Endpoint("http://a", "toy"))))
    assert (in_memory.name, in_memory.cassette.path, len(in_memory.cassette)) == ("toy", "", 0)


def test_a_key_stands_in_no_file_and_no_representation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_KEY", "sk-secret")
    with serving() as server:
        model = open_model(
            {"model": "toy", "endpoint": server.url, "key": "TOY_KEY", "cassette": str(tmp_path / "c.jsonl")}
        )
        model.reply(TALK)
    assert server.headers[0]["Authorization"] == "Bearer sk-secret"
    assert "sk-secret" not in (tmp_path / "c.jsonl").read_text() + repr(model) + repr(vars(model)) + str(model.cassette)
    assert b"sk-secret" not in pickle.dumps(model)
