"""The other speaker: drafts said as they stand, and what fails outside a world is never a 0."""

import pickle
from dataclasses import dataclass, replace

import pytest

from agentgym import AgentEnv, EndReason, Opening, Outcome, StepAfterEnd, Task, Turn, validate_info
from agentgym.errors import InfraError
from agentgym.rng import TurnRng
from agentgym.user import SCRIPTED, Draft, Judge, Said, Scene, Scripted, UserSimulator, as_judge, as_user


@dataclass(frozen=True)
class State:
    heard: str = ""
    answered: str = ""


class Talk(AgentEnv[State]):
    """Somebody who repeats what is said, put into words by a user."""

    panel = (Task("t", {}),)

    def __init__(self, *, user=SCRIPTED, **shell):
        super().__init__(**shell)
        self.user = user

    def initial(self, task, rng):
        return Opening(State(), "Hello?")

    def transition(self, state, action, rng):
        draft = Draft(f"you said {action.text}", act="repeats", choices=("leave",))
        said = self.user.speak(Scene("a parrot", (("assistant", action.text),)), draft, rng)
        end = Outcome(False, 0.0, EndReason.USER_LEFT) if said.act == "leave" else None
        return Turn(replace(state, heard=action.text, answered=said.text), said.text, outcome=end)


class Wilful:
    scripted = False

    def speak(self, scene, draft, rng):
        assert scene.messages[-1] == ("assistant", "good day")
        return Said("enough", draft.choices[0])


class Dead:
    scripted = False

    def speak(self, scene, draft, rng):
        raise InfraError("http://127.0.0.1:1 refused the connection", "user_error")


def test_the_scripted_user_says_the_draft() -> None:
    assert isinstance(SCRIPTED, UserSimulator)
    assert not isinstance(SCRIPTED, Judge)
    assert Scripted().speak(Scene(""), Draft("hm"), TurnRng(0)) == Said("hm")
    env = Talk()
    env.reset(seed=0)
    assert env.step("good day")[0] == "you said good day"


def test_a_user_may_choose_another_act() -> None:
    env = Talk(user=Wilful())
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step("good day")
    assert (observation, reward, terminated, truncated, info["end_reason"]) == ("enough", 0.0, True, False, "user_left")


def test_a_user_that_fails_ends_the_episode_as_an_infra_error() -> None:
    env = Talk(user=Dead())
    _, opened = env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step("good day")
    assert (reward, terminated, truncated, info["end_reason"]) == (0.0, False, True, "infra_error")
    assert info["end_detail"] == "user_error: http://127.0.0.1:1 refused the connection"
    assert info["valid"] is True
    assert info["state_hash"] == opened["state_hash"]


@pytest.mark.parametrize("detail", ["", "judge_error"])
def test_an_infra_error_keeps_its_detail_through_pickling(detail: str) -> None:
    again = pickle.loads(pickle.dumps(InfraError("no answer", detail)))
    assert (str(again), again.detail) == ("no answer", detail)


class Stern:
    def levels(self, scene, items):
        return {item.name: item.low for item in items}


def test_a_world_takes_users_and_judges_as_objects_or_as_json(tmp_path) -> None:
    stern = Stern()
    assert as_user(SCRIPTED) is SCRIPTED and as_judge(stern) is stern and as_judge(None) is None
    spec = {"model": "toy", "endpoint": "http://127.0.0.1:9"}
    user, judge = as_user(spec), as_judge(spec)
    assert (user.model.name, user.scripted) == ("toy", False) and judge.model is user.model
    for given in (None, "toy", 3, Scripted, stern):
        with pytest.raises(TypeError, match="user must be a user with scripted and speak"):
            as_user(given)
    for given in ("toy", Stern, SCRIPTED):
        with pytest.raises(TypeError, match="judge must be a judge with levels"):
            as_judge(given)


def test_an_episode_whose_agent_is_gone_is_abandoned() -> None:
    env = Talk()
    with pytest.raises(StepAfterEnd):
        env.abandon(InfraError("gone"))
    _, opened = env.reset(seed=0)
    _, reward, terminated, truncated, info = env.abandon(InfraError("gone", "policy_error"))
    assert (reward, terminated, truncated, info["end_reason"]) == (0.0, False, True, "infra_error")
    assert (info["end_detail"], info["turn"], info["valid"]) == ("policy_error: gone", 1, True)
    assert info["state_hash"] == opened["state_hash"] and info["messages"][0] == {"role": "assistant", "content": ""}
    validate_info(info)
    with pytest.raises(StepAfterEnd):
        env.abandon(InfraError("gone"))
    assert env.reset(seed=0)[1] == opened
