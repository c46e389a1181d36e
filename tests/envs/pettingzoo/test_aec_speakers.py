"""Whose turn it is, what each speaker may see and say, and what each is paid, in customer_service."""

import subprocess
import sys

import pytest

pytest.importorskip("pettingzoo")

from agentgym import Draft, Said, StepAfterEnd, ToolCall, validate_info
from agentgym.envs.pettingzoo import WORLDS, customer_service_v0
from agentgym.envs.pettingzoo.puppet import Puppet, said
from agentgym.envs.pettingzoo.view import DialogueEnv, SpeakerError
from agentgym.rng import TurnRng
from agentgym.user import Scene
from tests.envs.pettingzoo.dialogues import module
from tests.hostile import HOSTILE, choose
from tests.layering import ROOT

CALL = '<tool_call>{"name": "get_order", "arguments": {"order_id": "ORD-44734"}}</tool_call>'


@pytest.fixture
def env():
    made = customer_service_v0.env(render_mode="ansi")
    made.reset(seed=3)  # Gideon Aldous wants ORD-44734 sent express
    return made


def test_a_message_is_the_users_to_answer_and_a_call_is_not(env) -> None:
    assert env.agent_selection == "agent_0"
    env.step(CALL)
    assert env.agent_selection == "agent_0"
    assert '"ORD-44734"' in env.observe("agent_0")["text"]
    before = env.infos["agent_0"]
    env.step("What is your name?")
    assert env.agent_selection == "user_0"
    assert env.infos["agent_0"] == before  # nothing has happened yet
    env.step("Gideon Aldous, if you must know.")
    assert env.agent_selection == "agent_0"
    assert env.observe("agent_0") == {"text": "Gideon Aldous, if you must know."}
    assert env.infos["agent_0"]["turn"] == 2
    env.step("")  # nothing was said, so nobody answers
    assert env.agent_selection == "agent_0"
    assert env.infos["agent_0"]["valid"] is False


def test_the_user_reads_card_talk_and_draft_but_nothing_of_the_agents_side(env) -> None:
    env.step(ToolCall("get_order", {"order_id": "ORD-44734"}))
    result = env.observe("agent_0")["text"]
    env.step("<think>The total is 109.15.</think>What is your name?")
    seen, info = env.observe("user_0"), env.infos["user_0"]
    assert seen["heard"] == "What is your name?"
    assert "Gideon Aldous" in seen["card"] and "Gideon Aldous" in seen["draft"]
    assert seen["choices"] == "leave"
    assert info["facts"] == ["Gideon Aldous"] and info["choices"] == ["leave"] and info["act"] == "asks"
    assert [one["role"] for one in info["messages"]] == ["user", "assistant"]
    everything = f"{seen} {info}"
    assert result not in everything and "109.15" not in everything and "policy" not in everything
    env.step("")
    assert env.observe("user_0")["draft"] == env.observe("user_0")["choices"] == ""
    assert [one["role"] for one in env.infos["user_0"]["messages"]] == ["user", "assistant", "user"]
    mine = f"{env.observe('agent_0')} {env.infos['agent_0']}"
    assert seen["card"] not in mine and "privileged" not in env.infos["agent_0"]


@pytest.mark.parametrize("wrapped", [True, False])
def test_who_speaks_out_of_turn_is_told_whose_turn_it_is(wrapped) -> None:
    env = customer_service_v0.env() if wrapped else customer_service_v0.raw_env()
    env.reset(seed=3)
    for action in ({"user_0": "Me first!"}, Said("Me first!")):
        with pytest.raises(SpeakerError, match="turn 0: it is agent_0's turn to speak, not user_0's"):
            env.step(action)
    env.step({"agent_0": "What is your name?"})
    for action in ({"agent_0": "Hello?"}, ToolCall("get_order", {"order_id": "ORD-44734"})):
        with pytest.raises(SpeakerError, match="turn 0: it is user_0's turn to speak, not agent_0's"):
            env.step(action)
    raw = env.unwrapped
    raw.agent_selection = "agent_0"
    with pytest.raises(SpeakerError, match="it is user_0's turn"):
        env.step("Hello?")
    raw.agent_selection = "user_0"
    env.step({"user_0": "Gideon."})  # nothing was lost by the attempts
    assert env.observe("agent_0") == {"text": "Gideon."}


def test_in_the_parallel_form_the_speakers_action_must_be_there() -> None:
    env = customer_service_v0.parallel_env()
    _, infos = env.reset(seed=3)
    assert infos["user_0"]["active_agent"] == "agent_0"
    with pytest.raises(SpeakerError, match="it is agent_0's turn to speak, not user_0's"):
        env.step({"user_0": "Me first!"})
    observations, rewards, over, cut, infos = env.step({"agent_0": "What is your name?", "user_0": "not read"})
    assert infos["agent_0"]["active_agent"] == "user_0"
    assert observations["user_0"]["heard"] == "What is your name?"
    assert (rewards, over, cut) == (dict.fromkeys(rewards, 0.0), dict.fromkeys(over, False), dict.fromkeys(cut, False))
    with pytest.raises(SpeakerError, match="it is user_0's turn to speak, not nobody's"):
        env.step({})
    env.step({"user_0": "[leave] Goodbye."})
    assert env.agents == []
    with pytest.raises(StepAfterEnd, match="customer_service_v0"):
        env.step({"agent_0": "Wait!"})


def test_a_policy_may_leave(env) -> None:
    env.step("What is your name?")
    env.step("[leave] I have no time for this.")
    assert env.terminations == {"agent_0": True, "user_0": True}
    assert env.infos["agent_0"]["end_reason"] == "user_left"
    assert env.observe("agent_0") == {"text": "I have no time for this."}
    assert env.render().endswith("agent_0: What is your name?\nuser_0: I have no time for this.")
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step("Wait!")
    env.step(None)
    env.step(None)
    assert env.agents == []
    with pytest.raises(StepAfterEnd, match="call reset"):
        env.unwrapped.step("Wait!")


def test_both_are_paid_alike_for_serving_the_customer() -> None:
    env = customer_service_v0.raw_env(reward="dense")
    env.reset(seed=3)
    got = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        _, _, over, cut, _ = env.last()
        env.step(None if over or cut else "" if agent == "user_0" else env.world.expert(env.world.state))
        for who, reward in env.rewards.items():
            got[who] += reward
    assert got["agent_0"] == got["user_0"] == pytest.approx(2.0)  # the outcome and the work, which sums to 1


def test_what_is_no_action_is_refused_and_changes_nothing(env) -> None:
    for action in (None, 5, ["Hello"], b"Hello", {}, {"agent_0": "a", "user_0": "b"}, {"agent_1": "a"}, {"agent_0": 5}):
        with pytest.raises(TypeError, match="action"):
            env.step(action)
    with pytest.raises(KeyError, match="unknown agent 'agent_1'"):
        env.observe("agent_1")
    env.step("What is your name?")
    with pytest.raises(ValueError, match=r"unknown act 'leaf' of this draft; did you mean 'leave'\?"):
        env.step(Said("Bye", "leaf"))
    assert env.agent_selection == "user_0"
    env.step(Said("Bye", "leave"))
    assert env.infos["agent_0"]["end_reason"] == "user_left"


def test_before_reset_nothing_can_be_done() -> None:
    raw = customer_service_v0.raw_env()
    with pytest.raises(StepAfterEnd, match="never started"):
        raw.step("Hello")
    with pytest.raises(StepAfterEnd, match="never started"):
        customer_service_v0.parallel_env().step({"agent_0": "Hello"})


def test_the_form_of_what_a_user_says() -> None:
    draft = Draft("No, thanks.", choices=("leave", "accept"))
    assert said("", draft) == said(" \n", draft) == said("<think>hm</think>", draft) == Said("No, thanks.")
    assert said(" Yes. ", draft) == Said("Yes.")
    assert said("[accept] Deal.", draft) == said("[accept]Deal.", draft) == Said("Deal.", "accept")
    assert said("<think>I want it.</think>[leave]", draft) == Said("", "leave")
    assert said("[dance] Deal.", draft) == Said("[dance] Deal.")  # no act of this draft: only words
    assert said("I [accept].", draft) == Said("I [accept].")
    assert said(Said("Deal.", "accept"), draft) == Said("Deal.", "accept")
    assert said("a\ud800", draft) == said(Said("a\ud800"), draft) == Said("a?")


def test_the_puppet_says_what_it_was_told_once() -> None:
    puppet, draft, scene = Puppet(), Draft("as drafted"), Scene("a card")
    assert puppet.speak(scene, draft, TurnRng(0)) == Said("as drafted")
    assert puppet.asked == (scene, draft)
    puppet.listen(Said("mine"))
    assert puppet.asked is None
    assert [puppet.speak(scene, draft, TurnRng(0)).text for _ in range(2)] == ["mine", "as drafted"]


@pytest.mark.parametrize("name", WORLDS)
def test_hostile_words_of_either_side_raise_nothing(name) -> None:
    env, rng = module(name).env(render_mode="ansi", reward="dense"), TurnRng(0, stream="two speakers")
    answers = [one for one in HOSTILE if isinstance(one, str)]
    kinds, seed = set(), 0
    for _ in range(200):
        if not env.unwrapped.agents or any(env.terminations.values()) or any(env.truncations.values()):
            if seed:
                assert "\x1b" not in env.render()
            env.reset(seed=seed)
            seed += 1
        mine = env.agent_selection == "user_0"
        env.step(rng.choice(answers) if mine else choose(env.unwrapped.world, ["Hello."], rng))
        validate_info(env.infos["agent_0"])
        assert all(env.observation_space(agent).contains(env.observe(agent)) for agent in env.agents)
        assert all(type(reward) in (int, float) and abs(reward) < 10 for reward in env.rewards.values())
        kinds.add((mine, env.infos["agent_0"]["kind"]))
    assert seed > 3 and len(kinds) >= 4


def test_a_view_without_a_render_mode_says_so() -> None:
    env = customer_service_v0.raw_env()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="made without a render mode"):
        assert env.render() is None
    assert isinstance(env, DialogueEnv)


def test_without_pettingzoo_the_message_says_what_to_install() -> None:
    code = "import sys; sys.modules['pettingzoo'] = None; import agentgym.envs.pettingzoo"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "needs the package pettingzoo: install agentgym-suite[pettingzoo]" in done.stderr
