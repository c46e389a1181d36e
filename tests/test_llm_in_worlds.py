"""The dialogue worlds with a model as their user or judge: thoughts stay private, acts count, failures are no zeros."""

import json
import re
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from agentgym import GroupVectorEnv, RolloutError, collect
from agentgym.baselines.policies import ExpertPolicy
from tests.llm_server import parrot, serving
from tests.record_cassettes import PLAYS


def world(name: str, **made: Any) -> Any:
    return gymnasium.make(PLAYS[name]["env"], disable_env_checker=True, split="test", **made).unwrapped


def first(env: Any) -> Any:
    """Begin the first task; return the info."""
    return env.reset(seed=0, options={"task": env.panel["test"][0].id})[1]


@pytest.mark.parametrize("name", PLAYS)
def test_what_an_agent_thinks_reaches_no_user(name: str) -> None:
    with serving(otherwise=parrot) as server:
        env = world(name, signals=("expert",), user={"endpoint": server.url, "model": "toy"})
        info = first(env)
        for _ in range(6):
            if info["end_reason"]:
                break
            info = env.step(f"<think>xyzzy: {info['expert']}</think>{info['expert']}")[-1]
    assert len(server.requests) >= 2 and "xyzzy" not in json.dumps(server.requests)


@pytest.mark.parametrize("name", PLAYS)
def test_a_model_may_choose_to_leave(name: str) -> None:
    def leaves(request: dict[str, Any]) -> str:
        offered = re.search(r"ACT: and one of these words: .*?\b(leave\w*)", request["messages"][0]["content"])
        return f"ACT: {offered[1] if offered else 'nothing'}\nI have had enough."

    with serving(otherwise=leaves) as server:
        env = world(name, user={"endpoint": server.url, "model": "toy"})
        first(env)
        observation, reward, terminated, truncated, info = env.step("What can I do for you today?")
    assert observation == "I have had enough." and (terminated, truncated) == (True, False)
    assert not info["success"] and reward <= 0.0 and info["end_reason"] in ("user_left", "failed")


@pytest.mark.parametrize("name", PLAYS)
@pytest.mark.parametrize("fault", ["500", "refusal", "10 MB"])
def test_a_user_that_fails_ends_the_episode_as_an_infra_error(name: str, fault: str) -> None:
    with serving(otherwise=fault) as server:
        user = {"endpoint": server.url, "model": "toy", "attempts": 1}
        env = world(name, user=user)
        opened = first(env)
        _, reward, terminated, truncated, info = env.step("What can I do for you today?")
        assert (reward, terminated, truncated, info["end_reason"]) == (0.0, False, True, "infra_error")
        assert info["end_detail"].startswith("user_error: ") and info["state_hash"] == opened["state_hash"]
        with pytest.raises(RolloutError, match="rollouts ended with an infrastructure error"):
            collect(env, ExpertPolicy(), tasks=2, group_size=1)


@pytest.mark.parametrize("name", PLAYS)
def test_slots_in_threads_play_as_they_do_alone(name: str, tmp_path: Path) -> None:
    user = {"model": "toy", "cassette": str(tmp_path / "c.jsonl")}
    made: dict[str, Any] = {"num_envs": 4, "group_size": 2, "noise": "own", "split": "test", "signals": ("expert",)}

    def played(envs: GroupVectorEnv) -> list[Any]:
        told, (texts, infos) = [], envs.reset(seed=5)
        for _ in range(3):
            texts, rewards, *_, infos = envs.step(list(infos["expert"]))
            told.append((texts, list(rewards), list(infos["history_hash"])))
        envs.close()
        return told

    with serving(otherwise=parrot) as server:
        threads = GroupVectorEnv(PLAYS[name]["env"], workers="threads", user={**user, "endpoint": server.url}, **made)
        together = played(threads)
        assert server.requests
    assert played(GroupVectorEnv(PLAYS[name]["env"], user=user, **made)) == together


def level(request: dict[str, Any], bounds: str) -> str:
    """Answer every item of a judge's prompt by its upper bound, or its lower one."""
    items = re.findall(r"^(\S+) \((-?\d+) to (-?\d+)\): ", request["messages"][0]["content"], re.MULTILINE)
    assert len(items) == 6
    return json.dumps({name: int(high if bounds == "high" else low) for name, low, high in items})


def test_a_model_judges_supporters_and_its_cassette_does_so_again(tmp_path: Path) -> None:
    judge = {"model": "toy", "cassette": str(tmp_path / "c.jsonl")}
    played = []
    with serving(otherwise=lambda request: level(request, "high")) as server:
        for given in ({**judge, "endpoint": server.url}, judge):
            env = world("emotional_support", judge=given, signals=("potential",))
            told = [first(env)]
            told += [env.step("I hear you. What happened then?")[-1] for _ in range(4)]
            played.append(told)
    assert played[0] == played[1] and len(server.requests) <= 4
    potentials = [info["potential"] for info in played[0]]
    assert potentials[-1] > potentials[0]  # a judge that finds all good brings the seeker nearer


JUDGES = {
    "a word": "not JSON",
    "out of bounds": '{"cognitive.Prog": 7}',
    "refusal": "I am not able to rate people.",
}


@pytest.mark.parametrize("said", JUDGES)
def test_a_judge_that_gives_no_levels_is_an_infra_error(said: str) -> None:
    with serving(otherwise=lambda _: JUDGES[said]) as server:
        env = world("emotional_support", judge={"endpoint": server.url, "model": "toy"})
        opened = first(env)
        _, reward, _, truncated, info = env.step("I hear you.")
    assert (reward, truncated, info["end_reason"]) == (0.0, True, "infra_error") and len(server.requests) == 3
    assert info["end_detail"].startswith("judge_error: toy gave no reply that can be used in 3 tries")
    assert info["state_hash"] == opened["state_hash"]
