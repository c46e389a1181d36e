"""ChatPolicy: a chat model as the agent, over an endpoint or from its cassette."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest
import worlds

from agentgym import PolicyError, RolloutError, RolloutLog, collect
from agentgym.baselines.chat import ChatPolicy
from agentgym.baselines.policies import RandomPolicy
from agentgym.fidelity import FidelityError, true_advantages
from agentgym.llm import Endpoint, Model
from agentgym.log.replay import replay
from agentgym.rollout import Policy, build
from tests.llm_server import completion, serving

SELL = {"name": "sell", "arguments": '{"key": "item3", "count": 2}'}


def said(request: dict[str, Any]) -> str:
    """Look at an item first, then sell it."""
    turns = sum(message["role"] == "assistant" for message in request["messages"])
    call = {"name": "sell", "arguments": {"key": "item3"}} if turns else {"name": "look", "arguments": {"key": "item3"}}
    return f"<think>turn {turns}</think><tool_call>{json.dumps(call)}</tool_call>"


def test_a_model_plays_with_the_tools_told_in_words() -> None:
    with serving(otherwise=said) as server:
        policy = ChatPolicy({"endpoint": server.url, "model": "toy"})
        assert isinstance(policy, Policy) and not policy.markov
        batch = collect("test/Shop-v0", policy, group_size=2, env_kwargs={"codec": "hermes"})
    assert list(batch.success) == [True] * 4 and list(batch.kind) == ["tool"] * 4
    first = next(request for request in server.requests if len(request["messages"]) == 2)
    system, asked = first["messages"]
    told = build("test/Shop-v0", {"codec": "hermes"}).instructions  # what the world itself says of its tools
    assert system == {"role": "system", "content": f"Use the tools.\n\n{told}"}
    assert asked == {"role": "user", "content": "Sell item3."}
    assert "tools" not in first and first["temperature"] == 0.7


def test_a_model_plays_with_the_tools_as_schemas() -> None:
    with serving(otherwise=lambda _: completion(None, tool_calls=[{"function": SELL}])) as server:
        policy = ChatPolicy({"endpoint": server.url, "model": "toy"}, codec="react", native=True)
        batch = collect("test/Shop-v0", policy, group_size=1, env_kwargs={"codec": "react"})
    assert list(batch.success) == [True] and "Action: sell" in batch.action[0]
    (request,) = server.requests
    assert [tool["function"]["name"] for tool in request["tools"]] == ["look", "sell"]
    assert request["messages"][0] == {"role": "system", "content": "Use the tools."}


WILD = [
    {"name": "sell", "arguments": "{not json"},
    {"name": "sell", "arguments": "[1]"},
    {"name": "no such tool", "arguments": "{}"},
    {"name": 'a"b', "arguments": ""},
    {"name": "sell", "arguments": "[" * 100_000},
]


@pytest.mark.parametrize("call", WILD)
def test_calls_that_are_none_are_invalid_actions(call: dict[str, str]) -> None:
    with serving(otherwise=lambda _: completion("So:", tool_calls=[{"function": call}])) as server:
        policy = ChatPolicy({"endpoint": server.url, "model": "toy"}, codec="hermes", native=True)
        batch = collect("test/Shop-v0", policy, group_size=1, env_kwargs={"codec": "hermes", "max_turns": 1})
    assert list(batch.valid) == [False]


def test_two_calls_are_written_as_two_and_a_refusal_as_its_words() -> None:
    twice = completion(None, tool_calls=[{"function": SELL}] * 2)
    with serving(lambda _: twice, lambda _: completion(None, refusal="I can't do that.")) as server:
        policy = ChatPolicy({"endpoint": server.url, "model": "toy"}, native=True)
        batch = collect("test/Shop-v0", policy, group_size=1, env_kwargs={"codec": "hermes", "max_turns": 2})
    assert batch.action[0].count("<tool_call>") == 2 and not batch.valid[0]
    assert batch.action[1] == "I can't do that."


def test_what_it_plays_follows_from_the_seed_and_the_cassette(tmp_path: Path) -> None:
    spec = {"model": "toy", "cassette": str(tmp_path / "c"), "endpoint": ""}
    arguments: dict[str, Any] = {"tasks": 2, "group_size": 3, "seed": 5}
    words = ("up", "down", "stay")
    with serving(otherwise=lambda request: words[request["seed"] % 3]) as server:
        wanted = collect(
            worlds.Counter, ChatPolicy({**spec, "endpoint": server.url}), **arguments, log=tmp_path / "log"
        )
    assert len({tuple(wanted.action[wanted.trajectory == name]) for name in set(wanted.trajectory)}) > 2
    replayed = {"model": "toy", "cassette": str(tmp_path / "c")}
    assert collect(worlds.Counter, ChatPolicy(replayed, at_once=1), **arguments) == wanted
    assert replay(tmp_path / "log") == [] and RolloutLog(tmp_path / "log").batch() == wanted


def test_truth_may_ask_it_again_from_any_moment() -> None:
    with serving(otherwise=lambda request: "up") as server:
        policy = ChatPolicy({"endpoint": server.url, "model": "toy"}, options={"temperature": 0})
        batch = collect(worlds.Counter, policy, tasks=1, group_size=1)
        truth = true_advantages(batch, policy, env=worlds.Counter, method="forks", continuations=2)
    # It always says the same, so no turn is better than what would have come anyway.
    assert list(truth.advantage) == pytest.approx([0.0] * len(batch))


def test_the_calls_of_all_rollouts_are_in_flight_together() -> None:
    gate = threading.Barrier(6)

    def together(_: dict[str, Any]) -> str:
        gate.wait(30)
        return "up"

    with serving(otherwise=together) as server:
        policy = ChatPolicy({"endpoint": server.url, "model": "toy"})
        collect(worlds.Counter, policy, tasks=1, group_size=6, env_kwargs={"max_turns": 2})
    assert server.most == 6


def test_a_call_that_fails_loses_its_rollout_alone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(*[lambda _: "up"] * 3, "404", otherwise=lambda _: "up") as server:
        policy = ChatPolicy({"endpoint": server.url, "model": "toy"})
        batch = collect(worlds.Counter, policy, tasks=1, group_size=5, max_live=1, log=log)
    assert batch.num_rollouts == 4 and batch.meta["infra_errors"] == 1 and batch.terminated[batch.last].all()
    (lost,) = [line for line in RolloutLog(log) if line["end_reason"] == "infra_error"]
    info = lost["turns"][-1]["info"]
    assert info["end_detail"].startswith("policy_error: http") and "status 404" in info["end_detail"]
    assert (lost["outcome"], lost["truncated"], lost["actions"][-1], info["turn"]) == (
        0.0,
        True,
        "",
        len(lost["actions"]),
    )
    assert info["state_hash"] == lost["turns"][-2]["info"]["state_hash"]
    assert replay(log) == [] and RolloutLog(log).batch() == batch


def test_an_endpoint_that_is_gone_stops_the_run_and_truth() -> None:
    with serving(*[lambda _: "up"] * 4, otherwise="404") as server:
        policy = ChatPolicy({"endpoint": server.url, "model": "toy"})
        with pytest.raises(RolloutError, match=r"2 of 8 rollouts ended with .* error .*policy_error: .*status 404"):
            collect(worlds.Counter, policy, tasks=1, group_size=8, max_live=1)
        batch = collect(worlds.Counter, RandomPolicy(), tasks=1, group_size=1)
        with pytest.raises(FidelityError, match=r"the policy gave no reply .*status 404"):
            true_advantages(batch, policy, env=worlds.Counter, method="forks", continuations=2)


def test_a_budget_that_is_spent_stops_the_run_and_keeps_what_is_finished() -> None:
    with serving(otherwise=lambda _: "up") as server:
        policy = ChatPolicy({"endpoint": server.url, "model": "toy", "calls": 4})
        with pytest.raises(PolicyError, match="the budget of 4 calls is spent") as caught:
            collect(worlds.Counter, policy, tasks=1, group_size=4, max_live=1)
    assert caught.value.batch is not None and caught.value.batch.num_rollouts >= 1


@pytest.mark.parametrize(
    ("given", "why"), [({"codec": "hermse"}, "did you mean 'hermes'"), ({"at_once": 0}, "at_once must be an int")]
)
def test_what_is_no_policy(given: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ChatPolicy(Model(Endpoint("http://a", "toy")), **given)
