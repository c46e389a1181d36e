"""What `make perf` measures of emotional_support is whole talks, and has the targets of the project."""

import pytest

from agentgym.envs.emotional_support import hearing
from tests.perf import support
from tests.perf.measure import Clock, Setting

TINY = Setting(rounds=1, sample=0.0, episodes=2)


def test_the_targets_are_those_of_the_project():
    lines = [line for row in (support.steps, support.keeping) for line in row(Clock(), TINY)]
    bounds = {line.row.removeprefix("emotional_support: "): line.bound for line in lines}
    # 100 µs / 0.08 µs a calibration step = 1,250; 20 µs: 250; 10 µs: 125.
    assert bounds["step, a message heard before"] == pytest.approx(1250)
    assert bounds["reset"] == bounds["fork"] == bounds["restore"] == pytest.approx(250)
    assert bounds["state hash"] == pytest.approx(125)
    assert bounds["step, a message never heard"] is bounds["the reading of a message"] is None
    assert all(line.ours > 0 and line.baseline > 0 for line in lines)


def test_talks_are_won_and_messages_are_new_where_they_shall_be():
    (task, said), *_ = support.talks(2)
    (world, text), *_ = support.moments(support.talks(2))
    assert 12 <= len(said) <= 20 and text in said and world.state.heard == len(said) // 2
    for message in said[len(said) // 2 :]:
        *_, info = world.step(message)
    assert info["success"] and info["task"] == task
    assert hearing._read.cache_info().currsize > 0
    support.forget()
    assert hearing._read.cache_info().currsize == 0
