"""Rewards, tags, rubrics: what a turn is worth and what the record of a session holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agentgym import TurnRng, collect, credit
from agentgym.envs.emotional_support import rewards, rules, tasks
from agentgym.envs.emotional_support.analyser import Reading
from agentgym.envs.emotional_support.env import EmotionalSupportEnv
from agentgym.envs.emotional_support.seeker import seeker_of
from agentgym.envs.emotional_support.state import HIDDEN, HINTED, OWNED, SEEN, TOLD, SupportState

SEEKER = seeker_of(tasks.panel().task("work/passed-over/noa"))  # P₀ = (−8, −10, −10)
START = SupportState(SEEKER, 0, (SEEKER.start,), talk=(("user", "Hello."),))
CLOSER = replace(START, trail=(SEEKER.start, (-8, -7, -10)))


def heard(*skills: str) -> Reading:
    return Reading(frozenset(skills))


def test_progress_is_the_part_of_the_first_distance_that_was_closed() -> None:
    # D₀ = √(7² + 9² + 9²) = √211; after A + 3: √(7² + 6² + 9²) = √166.
    assert rewards.progress(START, CLOSER) == pytest.approx(1 - (166 / 211) ** 0.5)
    assert rewards.progress(CLOSER, START) == pytest.approx((166 / 211) ** 0.5 - 1)


@pytest.mark.parametrize(
    "gain, skills, critique",
    [(1.0, (), 1.0), (0.0, (), 0.0), (-0.1, (), -1.0), (1.0, ("blame",), -1.0), (1.0, ("reflection",), 1.0)],
)
def test_critique(gain: float, skills: tuple[str, ...], critique: float) -> None:
    assert rewards.critique(gain, heard(*skills)) == critique


@pytest.mark.parametrize(
    "act, skills, after, tag",
    [
        ("feels", ("reflection",), START, "gold"),
        ("tells", ("open_question",), START, "read"),
        ("agrees", ("restatement",), CLOSER, "soft"),
        ("waits", (), START, "message"),
        ("notices", ("repetition", "blame"), START, "duplicate"),
        ("feels", ("lecturing", "reflection"), CLOSER, "error"),
    ],
)
def test_tags(act: str, skills: tuple[str, ...], after: SupportState, tag: str) -> None:
    assert rewards.tag(act, heard(*skills), START, after) == tag


def test_violations_are_what_nobody_may_say_and_clumsiness_is_none() -> None:
    assert rewards.violations(heard("off_topic", "repetition", "reflection")) == ()
    assert rewards.violations(heard("lecturing", "blame", "off_topic")) == ("blame", "lecturing")


def test_rubrics_are_about_what_the_turn_moved_or_could_have() -> None:
    told = replace(START, told=1)
    assert rewards.rubrics("tells", True, heard("open_question"), START, told) == {"explores": 0.25, "harmless": 1.0}
    assert rewards.rubrics("resists", False, heard("open_question"), told, told) == {"explores": 0.25}
    assert rewards.rubrics("waits", False, heard(), told, told) == {}
    hinted = replace(told, concern=HINTED)
    taken = replace(hinted, concern=HIDDEN, harmed=True)
    assert rewards.rubrics("hurt", False, heard("blame"), hinted, taken) == {"concern": 0.0, "harmless": 0.0}
    assert list(rewards.scores(START)) == list(rewards.RUBRICS) and len(rewards.RUBRICS) >= 6


@pytest.mark.parametrize(
    "state, goal",
    [
        (START, "explore"),
        (replace(START, told=4), "name the feeling"),
        (replace(START, told=4, felt=True), "make room for the concern"),
        (replace(START, told=4, felt=True, concern=TOLD), "name what lies behind"),
        (replace(START, told=4, felt=True, concern=TOLD, deep=True), "find the strength"),
        (replace(START, told=4, felt=True, concern=TOLD, deep=True, strength=SEEN), "find the step"),
        (replace(START, told=4, felt=True, concern=TOLD, deep=True, strength=SEEN, plan=OWNED), "close"),
    ],
)
def test_subgoals(state: SupportState, goal: str) -> None:
    assert rewards.subgoal(state) == goal


def policy(views):  # type: ignore[no-untyped-def]
    """The expert in even members of a group, a lecturer's sermon in odd ones."""
    sermon = (
        "You must understand that one has to pull oneself together. You should sleep. You should eat. You ought to."
    )
    return [view.expert if view.rng.branch % 2 == 0 else f"{sermon} {view.turn}" for view in views]


def test_a_record_is_enough_for_mica_and_rtt() -> None:
    env = EmotionalSupportEnv(signals=("expert", "potential", "critique"), tasks=tasks.panel()["test"][:1])
    batch = collect(env, policy, tasks=1, group_size=2, seed=4)
    assert batch["rubric_scores"][0].shape == (len(rewards.RUBRICS),)
    good, bad = (batch["rubric_scores"][list(batch.trajectory).index(name)] for name in dict.fromkeys(batch.trajectory))
    assert good.sum() > 5 > bad.sum() + 3
    made = credit.estimate("mica", batch)
    rises = batch["next_potential"] - batch["potential"]
    first = rules.distance(seeker_of(tasks.panel()["test"][0]).start)
    assert made.diagnostics["gain"] == pytest.approx(rises) and batch["turn_reward"] == pytest.approx(rises / first)
    tokens = credit.estimate("rtt", batch).tokens
    assert len(tokens) == len(batch) and any(abs(row).max() > 0 for row in tokens)
    assert set(batch["safe"]) == {True, False} and batch["cost"].max() >= 1


def test_the_hooks_of_a_turn_tell_one_story() -> None:
    env = EmotionalSupportEnv(signals=("critique", "potential"))
    env.reset(seed=2, options={"task": "work/passed-over/robin"})
    info = env.step("That is nothing, others have it far worse.")[4]
    assert (
        info["tag"] == "error"
        and info["critique"] == -1.0
        and info["violations"] == ["minimising"]
        and not info["safe"]
    )
    assert info["rubrics"]["harmless"] == 0.0 and info["components"]["progress"] < 0 and info["step_score"] == 0.0
    assert env.apply(env.state, "", TurnRng(0))[1] is False
