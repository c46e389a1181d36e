"""Our kernel beside minigrid itself: reward, flags, every object, doors, hands, mission, progress, view, step by step.

The one stated exception: a mission solved on the last allowed step is terminated here, where minigrid also says
truncated.
"""

from __future__ import annotations

import os

import pytest
from minigrid_twin import BOTLESS, Twin, play_at_random, play_the_bot

from agentgym.envs.babyai import levels
from agentgym.envs.babyai.mission import surface

LEVELS = levels.names()
SAMPLE = [level for level in LEVELS[::6] if level not in BOTLESS]


def test_there_are_96_levels_and_their_verifiers_do_not_wait_for_done():
    assert len(LEVELS) == 96
    assert set(BOTLESS) < set(LEVELS)
    assert not os.environ.get("BABYAI_DONE_ACTIONS")


@pytest.mark.parametrize("level", LEVELS)
def test_random_play_agrees_with_minigrid(level):
    twin = play_at_random(level, seed=1, steps=40)
    assert twin.steps > 0
    assert surface(twin.state.level.mission_tree) == twin.env.mission


@pytest.mark.parametrize("level", SAMPLE)
def test_the_bots_play_agrees_with_minigrid(level):
    twin = play_the_bot(level, seed=2, steps=120)
    assert twin.steps > 0


@pytest.mark.parametrize("level", SAMPLE[::3])
def test_a_clumsy_bots_play_agrees_with_minigrid(level):
    assert play_the_bot(level, seed=3, steps=80, noise=0.3).steps > 0


def test_a_difference_is_noticed():
    twin = Twin("BabyAI-GoToLocal-v0", 1)
    twin.state = twin.state._replace(dir=(twin.state.dir + 1) % 4)
    with pytest.raises(AssertionError, match="BabyAI-GoToLocal-v0 seed 1 step 1 action 6"):
        twin.step(6)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_much_random_play_agrees_with_minigrid(level):
    for seed in range(100, 110):
        play_at_random(level, seed, steps=200)


@pytest.mark.slow
@pytest.mark.parametrize("level", [level for level in LEVELS if level not in BOTLESS])
def test_whole_episodes_of_the_bot_agree_with_minigrid(level):
    for seed in range(200, 204):
        play_the_bot(level, seed, steps=800)
        play_the_bot(level, seed, steps=300, noise=0.4)
