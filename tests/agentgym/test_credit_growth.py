"""Ten times the turns take about ten times as long: no estimator compares all turns of a batch with each other.

Noise cannot feign it: what seems too slow is tried again, the least CPU times count, and a quadratic one would take a
hundred times as long. What the estimators take is measured by `make perf`.
"""

import time

import pytest

from agentgym import credit
from tests.agentgym.credit_families import OURS
from tests.perf import estimators

TURNS = 2_000
TRIES = 4


@pytest.fixture(scope="module")
def batches():
    return estimators.record(TURNS), estimators.record(10 * TURNS)


def least(batch, name, passes=1):
    """CPU seconds of the fastest of some passes, each over a batch that has computed nothing yet."""
    times = []
    for _ in range(passes):
        fresh = batch.with_meta()
        start = time.process_time()
        credit.estimate(name, fresh)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("name", estimators.OURS)
def test_time_grows_with_the_turns(name, batches):
    small, large = (least(batch, name) for batch in batches)
    for _ in range(TRIES):
        if large <= 14 * small:
            break
        small, large = least(batches[0], name, 2), min(large, least(batches[1], name, 2))
    assert large <= 14 * small


def test_every_estimator_is_measured():
    assert OURS - set(estimators.OURS) <= {"apex_plan"}  # which needs scipy


def test_a_quadratic_estimator_would_be_caught():
    def all_pairs(batch):
        turn = batch.turn.astype(float)
        return (turn[:, None] - turn).sum(axis=1)

    small, large = (least(estimators.record(turns), all_pairs) for turns in (300, 3000))
    assert large > 14 * small
