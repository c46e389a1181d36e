"""A seeker with a mind of its own, and a judge behind the supporter's messages."""

import pytest

pytest.importorskip("pettingzoo")

from agentgym.envs.pettingzoo import emotional_support_v0
from agentgym.envs.pettingzoo.puppet import OneJudgement
from agentgym.user import Item, Scene


class Counting:
    """A judge that finds every message fairly good, and counts how often it is asked."""

    def __init__(self):
        self.asked = 0

    def levels(self, scene, items):
        self.asked += 1
        return {item.name: min(item.high, 1) for item in items}


def test_a_judge_is_asked_once_a_message() -> None:
    judge = Counting()
    env = emotional_support_v0.env(judge=judge)
    env.reset(seed=1)
    for turn in range(1, 4):
        env.step(f"Message number {turn}. How was that for you?")
        assert judge.asked == turn
        env.step("I am not sure.")
        assert judge.asked == turn
    assert env.infos["agent_0"]["turn"] == 3


def test_another_scene_or_question_is_judged_anew() -> None:
    judge = Counting()
    once, item = OneJudgement(judge), Item("C.Prog", "How far?", 0, 2)
    for scene, items, asked in (
        (Scene("card"), [item], 1), (Scene("card"), [item], 1), (Scene("card", (("user", "hm"),)), [item], 2),
        (Scene("card"), [item], 3), (Scene("card"), [], 4),
    ):  # fmt: skip
        assert once.levels(scene, items) == ({"C.Prog": 1} if items else {})
        assert judge.asked == asked


def test_a_seeker_may_leave_at_any_turn() -> None:
    env = emotional_support_v0.env()
    env.reset(seed=1)
    env.step("What happened?")
    assert env.observe("user_0")["choices"] == "leave"
    env.step("[leave] I'd rather not say.")
    assert env.infos["agent_0"]["end_reason"] == "user_left"
    assert env.observe("agent_0") == {"text": "I'd rather not say."}
    assert env.rewards == {"agent_0": 0.0, "user_0": 0.0}


def test_what_is_held_back_is_the_seekers_to_know() -> None:
    env = emotional_support_v0.env()
    env.reset(seed=1)
    secret = env.unwrapped.world.state.seeker.story.concern.clause
    env.step("What happened?")
    card = env.observe("user_0")["card"]
    assert secret[1:] in card  # the first letter may be a capital
    mine = f"{env.observe('agent_0')} {env.infos['agent_0']}"
    assert secret[1:] not in mine and card not in mine


def test_words_of_ones_own_are_what_the_next_message_is_measured_by() -> None:
    ends = []
    for words in ("", "My cat is ill."):
        env = emotional_support_v0.env()
        env.reset(seed=1)
        env.step("What happened?")
        env.step(words)
        ends.append(env.infos["agent_0"]["state_hash"])
        assert env.unwrapped.world.state.last == env.observe("agent_0")["text"]
    assert ends[0] != ends[1]


def test_levels_given_directly_are_answered_too() -> None:
    env = emotional_support_v0.env(levels=True)
    env.reset(seed=1)
    env.step("C+1 A0 P0")
    assert env.agent_selection == "user_0"
    env.step("")
    env.step("not a level")
    assert env.agent_selection == "agent_0"
    assert env.infos["agent_0"]["valid"] is False
