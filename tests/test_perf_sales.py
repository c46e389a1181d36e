"""What `make perf` measures of sales: whole talks of the expert, and the targets of the project."""

import pytest

from tests.perf import sales
from tests.perf.measure import Clock, Setting

TINY = Setting(rounds=1, sample=0.0, records=10)


@pytest.fixture(scope="module")
def lines():
    return {line.row.removeprefix("sales: "): line for line in sales.steps(Clock(), TINY)}


def test_the_targets_are_those_of_the_project(lines):
    # 100 µs / 0.08 µs a calibration step = 1,250; 20 µs: 250
    assert lines["step, a message heard before"].bound == pytest.approx(1250)
    assert lines["reset, as a later member of a group"].bound == pytest.approx(250)
    assert lines["step, a message never heard"].bound is None


def test_the_steps_are_those_of_talks_that_end_rightly():
    held = sales.copies()
    ends = [env.step(action)[4] for env, action in held]
    assert sum(info["success"] for info in ends) == sales.TASKS
    assert {info["kind"] for info in ends} == {"say", "tool"}


def test_what_was_heard_is_forgotten_where_that_is_measured():
    sales.stepping(sales.copies())
    assert sales.hear.hear.cache_info().currsize > 0
    sales.forgetful()
    assert sales.hear.hear.cache_info().currsize == 0
