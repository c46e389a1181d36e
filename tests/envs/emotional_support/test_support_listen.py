"""What a seeker does about a message, skill by skill and moment by moment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentgym.envs.emotional_support import tasks
from agentgym.envs.emotional_support.analyser import HARMFUL, Reading
from agentgym.envs.emotional_support.listen import HIGHEST, HURT, reply
from agentgym.envs.emotional_support.seeker import seeker_of
from agentgym.envs.emotional_support.state import HIDDEN, HINTED, OWNED, SEEN, TOLD, SupportState

SEEKER = seeker_of(tasks.panel().task("work/passed-over/robin"))  # open: no wall; humiliated, overlooked behind it
FEEL, DEEP = "ashamed", "lonely"
START = SupportState(SEEKER, 0, (SEEKER.start,), talk=(("user", "Hello."),))
TOLD_ALL = replace(START, told=4, felt=True)
DISCLOSED = replace(TOLD_ALL, concern=TOLD)


def reading(*skills: str, feelings: tuple[str, ...] = (), facts: tuple[str, ...] = (), levels: Any = None) -> Reading:
    return Reading(frozenset(skills), levels or (0, 0, 0, 0, 0, 0), facts, feelings)


ASK, REFLECT = reading("open_question"), reading("reflection", feelings=(FEEL,))


def test_the_story_s_feelings_are_those_assumed_here() -> None:
    assert (SEEKER.story.feel.family, SEEKER.story.deep.family, SEEKER.wall) == (FEEL, DEEP, 0)


@pytest.mark.parametrize(
    "state, heard, act, about, changes",
    [
        (START, ASK, "tells", "fact0", {"told": 1}),
        (replace(START, told=3), reading("restatement"), "tells", "fact3", {"told": 4}),
        (START, REFLECT, "feels", "", {"wall": 0, "felt": True}),
        (replace(START, felt=True, told=1), REFLECT, "softens", "", {"wall": 0}),
        (replace(START, wall=2), ASK, "resists", "", {"wall": 1}),
        (replace(START, wall=2), reading("open_question", "reflection"), "tells", "fact0", {"wall": 1, "told": 1}),
        (TOLD_ALL, ASK, "hints", "concern", {"concern": HINTED}),
        (replace(TOLD_ALL, felt=False), ASK, "circles", "", {}),
        (replace(TOLD_ALL, concern=HINTED), ASK, "discloses", "concern", {"concern": TOLD}),
        (replace(TOLD_ALL, concern=HINTED), reading("information"), "waits", "", {}),
        (DISCLOSED, reading("reflection", feelings=(DEEP,)), "deepens", "concern", {"wall": 0, "deep": True}),
        (DISCLOSED, ASK, "owns", "strength", {"strength": SEEN}),
        (DISCLOSED, reading("restatement"), "agrees", "", {}),
        (
            replace(DISCLOSED, strength=SEEN),
            reading("affirmation"),
            "warms",
            "strength",
            {"wall": 0, "strength": OWNED},
        ),
        (replace(DISCLOSED, strength=SEEN), reading("affirmation", facts=("fact1",)), "softens", "", {"wall": 0}),
        (replace(DISCLOSED, strength=OWNED), ASK, "weighs", "step", {"plan": SEEN}),
        (replace(DISCLOSED, plan=SEEN), reading("suggestion"), "decides", "step", {"plan": OWNED}),
        (replace(DISCLOSED, plan=OWNED), reading("suggestion"), "settles", "step", {}),
        (START, reading(), "waits", "", {}),
        (START, reading("self_disclosure"), "waits", "", {}),
    ],
)
def test_what_opens_when(state: SupportState, heard: Reading, act: str, about: str, changes: dict[str, Any]) -> None:
    found = reply(state, heard)
    assert (found.act, found.about, dict(found.changes)) == (act, about, changes)


@pytest.mark.parametrize("skill", HARMFUL)
def test_a_blow_raises_the_wall_and_closes_a_hint(skill: str) -> None:
    found = reply(replace(TOLD_ALL, concern=HINTED, wall=1), reading(skill, "open_question", "reflection"))
    assert found.act == HURT[skill] and found.changes == {"wall": 2, "concern": HIDDEN}


def test_walls_grow_no_higher_than_three_and_the_worst_blow_is_answered() -> None:
    found = reply(replace(START, wall=HIGHEST), reading("off_topic", "blame"))
    assert found.act == "hurt" and found.changes == {"wall": 3}


def test_a_judge_s_regression_hurts_without_a_skill_and_progress_beside_it_does_not() -> None:
    assert reply(START, reading(levels=(0, 0, 0, -1, 0, 0))).act == "hurt"
    assert reply(START, reading("open_question", levels=(1, 0, 0, -1, 0, 0))).act == "tells"


def test_a_concern_that_is_told_stays_told() -> None:
    assert "concern" not in reply(DISCLOSED, reading("blame")).changes
