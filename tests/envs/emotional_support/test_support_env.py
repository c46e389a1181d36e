"""The world as it is played: with words, with levels, with a judge, with a seeker of its own mind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import pytest

import agentgym
from agentgym import Draft, InfraError, Item, Said, Scene, TurnRng, validate_info
from agentgym.envs.emotional_support import rules
from agentgym.envs.emotional_support.env import BEST, ITEMS, EmotionalSupportEnv

TASK = "work/passed-over/noa"
Moment = tuple[str, float, bool, bool, Any]


def play(env: EmotionalSupportEnv, actions: Sequence[str], task: str = TASK, seed: int = 3) -> list[Moment]:
    env.reset(seed=seed, options={"task": task})
    moments = []
    for action in actions:
        moments.append(env.step(action))
        validate_info(moments[-1][4])
        if moments[-1][4]["end_reason"]:
            break
    return moments


def test_the_id_makes_a_talk() -> None:
    env = gym.make("agentgym/EmotionalSupport-v0", signals=("menu", "expert", "potential"))
    said, info = env.reset(seed=1)
    assert said and info["expert"] in info["menu"] and info["potential"] < 0
    answer, _, _, _, info = env.step(info["expert"])
    assert answer and info["valid"] and set(rules.AXES) <= set(info["metrics"])


def test_levels_alone_decide_a_talk() -> None:
    # +3 on every axis a turn, and noa's −8, −10, −10 are met after four; twelve turns are the least.
    env = EmotionalSupportEnv(levels=True)
    moments = play(env, [BEST] * 20)
    assert len(moments) == 12 and moments[-1][1] == 1.0 and moments[-1][4]["end_reason"] == "solved"
    shorter = play(EmotionalSupportEnv(levels=True, min_turns=4), [BEST] * 20)
    assert len(shorter) == 4 and shorter[-1][4]["end_detail"] == "positional"
    assert play(EmotionalSupportEnv(levels=True, min_turns=3), [BEST] * 20)[-1][4]["turn"] == 4


def test_five_worsening_turns_lose_once_twelve_are_played() -> None:
    moments = play(EmotionalSupportEnv(levels=True), ["C-1 A-1 P-1"] * 20)
    assert len(moments) == 12 and moments[-1][4]["end_reason"] == "failed"
    assert (moments[-1][1], moments[-1][4]["end_detail"]) == (0.0, "collapse")


def test_numbers_of_a_turn_follow_empa_s_rules() -> None:
    env = EmotionalSupportEnv(levels=True, signals=("potential",))
    env.reset(seed=3, options={"task": TASK})
    assert env.state.seeker.start == (-8, -10, -10)
    info = env.step("C+1 A+2 P-1")[4]
    assert [info["metrics"][axis] for axis in rules.AXES] == [-7.0, -7.0, -12.0]
    # before: √(7² + 9² + 9²) = √211; after: √(6² + 6² + 11²) = √193
    assert info["potential"] == pytest.approx(-(193**0.5)) == -info["metrics"]["distance"]
    assert info["components"]["progress"] == pytest.approx(1 - (193 / 211) ** 0.5)
    assert info["metrics"]["gain"] == pytest.approx((8 + 30 - 20) / 264**0.5)


@pytest.mark.parametrize("action", ["", "C+3 A0 P0", "hello", "C+1 A+1"])
def test_levels_of_another_form_are_refused(action: str) -> None:
    env = EmotionalSupportEnv(levels=True)
    (moment,) = play(env, [action])
    assert not moment[4]["valid"] and env.state.heard == 0


class Rater:
    """A judge that gives the same levels to everything and keeps what it was asked."""

    def __init__(self, levels: Sequence[int]) -> None:
        self.rated = dict(zip((item.name for item in ITEMS), levels, strict=True))
        self.seen: list[tuple[Scene, Sequence[Item]]] = []

    def levels(self, scene: Scene, items: Sequence[Item]) -> Mapping[str, int]:
        self.seen.append((scene, items))
        return self.rated


def test_a_judge_gives_the_levels() -> None:
    judge = Rater([1, 0, 2, 0, 0, -1])
    env = EmotionalSupportEnv(judge=judge)
    (moment,) = play(env, ["What happened?"])
    assert [moment[4]["metrics"][axis] for axis in rules.AXES] == [-7.0, -7.0, -12.0]
    scene, items = judge.seen[0]
    assert scene.messages[-1] == ("assistant", "What happened?") and len(items) == 6
    assert env.state.seeker.story.concern.clause in scene.card.replace("You", "I") or "hold back" in scene.card


def test_a_judge_out_of_bounds_is_named() -> None:
    with pytest.raises(ValueError, match="c_prog"):
        play(EmotionalSupportEnv(judge=Rater([3, 0, 0, 0, 0, 0])), ["What happened?"])


class Judgeless:
    """A judge that never answers."""

    def levels(self, scene: Scene, items: Sequence[Item]) -> Mapping[str, int]:
        raise InfraError("no answer came", "judge_error")


def test_a_judge_that_never_answers_ends_the_talk_uncounted() -> None:
    (moment,) = play(EmotionalSupportEnv(judge=Judgeless()), ["What happened?"])
    assert moment[4]["end_reason"] == "infra_error" and "judge_error" in moment[4]["end_detail"]


class Walker:
    """A seeker with a mind of its own, who leaves on the third message."""

    scripted = False

    def speak(self, scene: Scene, draft: Draft, rng: TurnRng) -> Said:
        if len(scene.messages) < 5:
            return Said(f"({draft.act}) {draft.text}")
        assert "leave" in draft.choices
        return Said("I am off.", "leave")


def test_a_seeker_with_a_mind_of_its_own_may_leave() -> None:
    env = EmotionalSupportEnv(user=Walker())
    moments = play(env, ["What happened?", "How was that?", "And then?"])
    assert [m[4]["end_reason"] for m in moments] == ["", "", "user_left"]
    assert moments[-1][0] == "I am off." and moments[-1][4]["end_detail"] == "the seeker chose to leave"


def test_a_free_seeker_s_words_count_and_a_scripted_one_s_do_not_but_for_the_last() -> None:
    env, free = EmotionalSupportEnv(levels=True), EmotionalSupportEnv(levels=True, user=Walker())
    assert play(env, ["C0 A0 P0"])[0][4]["state_hash"] != play(free, ["C0 A0 P0"])[0][4]["state_hash"]
    one, other = (play(env, order)[-1][4]["state_hash"] for order in (["C+1 A0 P0"] * 2, ["C+1 A0 P0", "C+1  A0  P0"]))
    assert one != other  # other messages were heard


@pytest.mark.parametrize("given", [{"levels": True, "judge": Rater([0] * 6)}, {"min_turns": 0}, {"min_turns": True}])
def test_bad_arguments_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"levels=True|min_turns"):
        EmotionalSupportEnv(**given)


def test_a_snapshot_goes_on_as_before() -> None:
    env = EmotionalSupportEnv(signals=("expert", "menu", "describe"))
    _, info = env.reset(seed=5)
    for _ in range(4):
        info = env.step(info["expert"])[4]
    saved = env.snapshot().to_bytes()
    straight = [env.step(info["expert"]), env.step("You should get over it.")]
    elsewhere = EmotionalSupportEnv(signals=("expert", "menu", "describe"))
    assert elsewhere.restore(saved)[1] == info
    assert [elsewhere.step(info["expert"]), elsewhere.step("You should get over it.")] == straight


def test_it_is_registered() -> None:
    assert (
        gym.spec("agentgym/EmotionalSupport-v0").entry_point
        == "agentgym.envs.emotional_support.env:EmotionalSupportEnv"
    )
    assert agentgym.__version__
