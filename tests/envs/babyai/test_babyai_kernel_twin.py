"""Our kernel beside minigrid itself, step for step."""

from __future__ import annotations

import random

import pytest
from agentgym.envs.babyai import levels
from agentgym.envs.babyai.mission import surface
from minigrid_twin import Twin

WEIGHTS = (16, 16, 34, 12, 8, 11, 3)


def play_at_random(level: str, seed: int, steps: int) -> None:
    twin = Twin(level, seed)
    assert surface(twin.state.level.mission_tree) == twin.env.mission
    draw = random.Random(seed)
    for _ in range(steps):
        if twin.over:
            return
        twin.step(draw.choices(range(7), WEIGHTS)[0])


@pytest.mark.parametrize("level", levels.names())
def test_random_play_agrees_with_minigrid(level):
    play_at_random(level, 1, 40)


@pytest.mark.slow
@pytest.mark.parametrize("level", levels.names())
def test_long_random_play_agrees_with_minigrid(level):
    for seed in range(100, 110):
        play_at_random(level, seed, 200)


def test_there_are_96_levels():
    assert len(levels.names()) == 96
