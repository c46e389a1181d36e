"""A world whose user is a model: made from JSON, replayed to the byte, forked truthfully, stopped loudly."""

import copy
import json
import pickle
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from agentgym import (
    AgentEnv,
    EndReason,
    GroupVectorEnv,
    Opening,
    Outcome,
    RolloutError,
    RolloutLog,
    Task,
    Turn,
    collect,
    register,
)
from agentgym.llm import BudgetSpent, CassetteError, CassetteMiss, EndpointError
from agentgym.log.replay import replay
from agentgym.rollout import build
from agentgym.user import SCRIPTED, Draft, Item, Scene, as_judge, as_user
from tests.llm_server import State, Talk, serving

ENV = "tests/Asking-v0"
LEVEL = Item("kindness", "How kind is it?", 0, 3)
CALLS = ("Good day.", "<think>what a bore</think>What is your order?", "Which colour?")


class Asking(AgentEnv[tuple[tuple[str, str], ...]]):
    """Somebody with an order, whose answers a user puts into words and a judge pays for; the state is the talk."""

    panel = (Task("red", {"colour": "red"}), Task("blue", {"colour": "blue"}))
    max_turns = 3

    def __init__(self, *, user: Any = SCRIPTED, judge: Any = None, **shell: Any) -> None:
        super().__init__(**shell)
        self.user, self.judge = as_user(user), as_judge(judge)

    def initial(self, task: Task, rng: Any) -> Opening[Any]:
        said = f"I want it in {task.data['colour']}."
        return Opening((("user", said),), said)

    def transition(self, state: Any, action: Any, rng: Any) -> Turn[Any]:
        talk = (*state, ("assistant", action.text))
        scene = Scene("You ordered a mug, #W7.", talk)
        draft = Draft(f"It is #W7 ({len(talk) // 2}).", "tells", ("#W7",), ("leave",))
        said = self.user.speak(scene, draft, rng)
        paid = 0 if self.judge is None else self.judge.levels(scene, [LEVEL])["kindness"]
        end = Outcome(False, 0.0, EndReason.USER_LEFT) if said.act == "leave" else None
        return Turn((*talk, ("user", said.text)), said.text, {"kind": float(paid)}, end)


register(ENV, f"{__name__}:Asking")


def wordy(request: dict[str, Any]) -> str:
    """Return words that differ from request to request, and levels to a judge."""
    if "response_format" in request:
        return '{"kindness": 2}'
    return f"About #W7, once more ({request['seed']})."


def spec(server: State, path: Path | str, **more: Any) -> dict[str, Any]:
    return {"endpoint": server.url, "model": "toy", "cassette": str(path), "attempts": 1, "timeout": 5, **more}


def played(env: Any, seed: int = 0, turns: Sequence[str] = CALLS) -> list[Any]:
    """Return all that an episode shows."""
    told: list[Any] = [env.reset(seed=seed, options={"task": "red"})]
    told += [env.step(text) for text in turns]
    return told


def chatty(views: Any) -> list[str]:
    return [CALLS[view.turn] for view in views]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cassette.jsonl"


def test_a_world_is_made_from_json_and_plays_again_without_its_server(path: Path) -> None:
    with serving(otherwise=wordy) as server:
        env = gymnasium.make(ENV, user=spec(server, path), judge=spec(server, path), disable_env_checker=True)
        told = played(env)
    assert "About #W7, once more" in told[1][0] and told[1][4]["components"] == {"kind": 2.0}
    assert json.loads(json.dumps(env.unwrapped.spec_dict()))["kwargs"]["user"]["model"] == "toy"
    assert env.unwrapped.spec_dict()["opaque"] == []
    offline = {"model": "toy", "cassette": str(path)}
    assert played(gymnasium.make(ENV, user=offline, judge=offline, disable_env_checker=True)) == told
    assert played(build(env)) == told  # from what the world was made with; all it asks is on the cassette


def test_the_agents_private_thoughts_reach_no_model(path: Path) -> None:
    with serving(otherwise=wordy) as server:
        played(Asking(user=spec(server, path), judge=spec(server, path)))
    assert "What is your order?" in json.dumps(server.requests) and "bore" not in json.dumps(server.requests)
    assert "bore" not in path.read_text()


def test_forks_and_snapshots_go_on_as_the_episode_did(path: Path) -> None:
    with serving(otherwise=wordy) as server:
        env = Asking(user=spec(server, path))
        env.reset(seed=3, options={"task": "red"})
        env.step(CALLS[0])
        moment = env.snapshot()
        (same,), (other,) = env.fork(1), env.fork(1, reseed=True)
        wanted = [env.step(text) for text in CALLS[1:]]
        asked = len(server.requests)
        assert [same.step(text) for text in CALLS[1:]] == wanted and len(server.requests) == asked
        drawn = [other.step(text) for text in CALLS[1:]]
        assert [row[0] for row in drawn] != [row[0] for row in wanted] and len(server.requests) == asked + 2
    again = Asking(user={"model": "toy", "cassette": str(path)})  # in another process, say
    again.restore(moment.to_bytes())
    assert [again.step(text) for text in CALLS[1:]] == wanted
    again.restore(moment, branch=other._branch)
    replayed = [again.step(text) for text in CALLS[1:]]
    assert replayed == drawn and replayed[-1][4]["history_hash"] == drawn[-1][4]["history_hash"]
    assert copy.deepcopy(wanted) == wanted


def test_copies_of_every_kind_go_on_the_same(path: Path) -> None:
    with serving(otherwise=wordy) as server:
        env = Asking(user=spec(server, path), judge=spec(server, path))
        env.reset(seed=3, options={"task": "red"})
        env.step(CALLS[0])
        copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env.copy()]
        wanted = [env.step(text) for text in CALLS[1:]]
        asked = len(server.requests)
        assert all([each.step(text) for text in CALLS[1:]] == wanted for each in copies)
        assert copies[0].user.model is env.user.model and copies[1].user.model.cassette is env.user.model.cassette
        assert len(server.requests) == asked


def test_a_record_and_its_log_are_made_again_from_the_cassette(path: Path, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with serving(otherwise=wordy) as server:
        made = {"user": spec(server, path), "judge": spec(server, path)}
        batch = collect(ENV, chatty, group_size=3, noise="own", env_kwargs=made, log=log)
    assert batch.meta["env"]["kwargs"]["user"]["cassette"] == str(path)
    assert len(set(batch.observation)) > 6  # members with draws of their own hear words of their own
    again = collect(ENV, chatty, group_size=3, noise="own", env_kwargs=batch.meta["env"]["kwargs"])
    assert again == batch  # the server is gone
    assert replay(log) == []
    assert RolloutLog(log).batch() == batch


def test_a_miss_stops_the_run_and_says_where(path: Path) -> None:
    with serving(otherwise=wordy) as server:
        played(Asking(user=spec(server, path)))
        env = Asking(user=spec(server, path, mode="replay"))
        env.reset(seed=0, options={"task": "red"})
        env.step(CALLS[0])
        before = env.snapshot().to_bytes()
        asked = len(server.requests)
        with pytest.raises(CassetteMiss, match="whose last message is 'Something else") as caught:
            env.step("Something else")
        assert "task 'red', seed 0, branch 0, turn 1, action 'Something else'" in caught.value.__notes__[0]
        assert len(server.requests) == asked and env.snapshot().to_bytes() == before
        with pytest.raises(RolloutError, match=r"holds no reply to the request .* at task 'red' turn 0"):
            collect(env, lambda views: ["Something else"] * len(views), tasks=["red"], group_size=1)
    with pytest.raises(CassetteError, match="is of the model 'toy', not of 'zoo'"):
        Asking(user={"model": "zoo", "cassette": str(path)})


def test_a_missing_key_stops_before_anything_is_played(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOY_KEY", raising=False)
    with pytest.raises(EndpointError, match="the environment variable TOY_KEY is not set"):
        gymnasium.make(ENV, user={"endpoint": "http://a/v1", "model": "toy", "key": "TOY_KEY"})


def test_a_budget_stops_the_run_and_keeps_what_is_finished(path: Path) -> None:
    with serving(otherwise=wordy) as server:
        made = {"user": spec(server, path, calls=4)}
        with pytest.raises(RolloutError, match="the budget of 4 calls is spent") as caught:
            collect(ENV, chatty, group_size=1, max_live=1, env_kwargs=made)
    assert isinstance(caught.value.__cause__, BudgetSpent) and len(server.requests) == 4
    assert caught.value.batch is not None and set(caught.value.batch.task) == {"red"}


ENDS = {
    "user": {
        "503": "user_error: http",
        "html": "user_error: http",
        "cut": "user_error: toy gave no reply that can be used",
    },
    "judge": {
        "timeout": "judge_error: http",
        "refusal": "judge_error: toy gave no reply that can be used in 3 tries, at last: it is a refusal",
        "doubled chunk": "judge_error: http",
    },
}


@pytest.mark.parametrize(("who", "fault"), [(who, fault) for who in ENDS for fault in ENDS[who]])
def test_a_fault_ends_an_episode_as_an_infra_error_and_never_as_a_zero(who: str, fault: str, path: Path) -> None:
    with serving(otherwise=fault) as server:
        made: dict[str, Any] = {who: spec(server, path, timeout=0.1)}
        env = Asking(**made)
        opened = env.reset(seed=0)[1]
        _, reward, terminated, truncated, info = env.step("Good day.")
        assert (reward, terminated, truncated, info["end_reason"]) == (0.0, False, True, "infra_error")
        assert info["end_detail"].startswith(ENDS[who][fault]) and info["state_hash"] == opened["state_hash"]
        with pytest.raises(RolloutError, match="2 of 8 rollouts ended with an infrastructure error"):
            collect(ENV, chatty, group_size=4, env_kwargs=made, max_live=1)
        lost = collect(ENV, chatty, group_size=4, env_kwargs=made, max_lost=1.0)
    assert len(lost) == 0 and lost.meta["infra_errors"] == 8


def test_a_tenth_that_fails_is_left_out_and_counted(path: Path) -> None:
    with serving(*[wordy] * 4, "503", otherwise=wordy) as server:
        batch = collect(ENV, chatty, group_size=5, noise="own", env_kwargs={"user": spec(server, path)})
    assert batch.meta["infra_errors"] == 1 and batch.num_rollouts == 9


def together(calls: int) -> Talk:
    """Return an answer that waits until so many have asked at the same time."""
    gate = threading.Barrier(calls)

    def answer(request: dict[str, Any]) -> str:
        gate.wait(30)  # raises, and the connection closes without an answer, unless all come
        return wordy(request)

    return answer


def test_the_calls_of_a_vectors_slots_are_in_flight_together(path: Path) -> None:
    made: dict[str, Any] = {"num_envs": 16, "noise": "own"}
    actions = ["Good day."] * 16
    with serving(otherwise=together(16)) as server:
        envs = GroupVectorEnv(ENV, **made, workers="threads", user=spec(server, path, timeout=60))
        envs.reset(seed=3)
        stepped = [envs.step(actions) for _ in range(2)]
        envs.close()
    assert len(server.requests) == 32 and server.most == 16 and not any(stepped[0][4]["end_reason"])
    alone = GroupVectorEnv(ENV, **made, user={"model": "toy", "cassette": str(path)})
    alone.reset(seed=3)
    for texts, rewards, terminated, truncated, infos in stepped:
        again = alone.step(actions)
        assert again[0] == texts and list(again[1]) == list(rewards)
        assert [list(again[2]), list(again[3])] == [list(terminated), list(truncated)]
        assert list(again[4]["history_hash"]) == list(infos["history_hash"])
    alone.close()


def test_members_of_a_group_that_meet_the_same_draws_are_one_call(path: Path) -> None:
    with serving(otherwise=together(4)) as server:
        envs = GroupVectorEnv(ENV, 16, 4, workers="threads", user=spec(server, path, timeout=60))
        envs.reset(seed=3)
        texts = envs.step(["Good day."] * 16)[0]
        envs.close()
    assert len(server.requests) == len(set(texts)) == 4


def test_sixteen_slots_take_about_one_delay(path: Path) -> None:
    with serving(otherwise=wordy, delay=0.5) as server:
        envs = GroupVectorEnv(ENV, 16, workers="threads", user=spec(server, path, timeout=60))
        envs.reset(seed=3)
        begun = time.monotonic()
        envs.step(["Good day."] * 16)
        took = time.monotonic() - begun
        envs.close()
    assert len(server.requests) == 16 and took < 4.0  # one after another takes 8 s
