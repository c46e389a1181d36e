import numpy as np
import pytest

from agentgym.baselines.claims.hierarchy import ROUGH, SEGMENTS, TRUE, TURNS, compared, judged, measure, played, valued
from agentgym.rng import TurnRng


def one(right=(), won=()):
    """One rollout that was right at these (segment, turn) and whose segments of these numbers succeeded."""
    did, ended = np.zeros((1, SEGMENTS, TURNS), bool), np.zeros((1, SEGMENTS), bool)
    for place in right:
        did[0][place] = True
    ended[0, list(won)] = True
    return did, ended


def test_true_values_by_hand():
    # At the start each of the four segments succeeds with ½: ½. After one right turn of four the first one's chance is
    # (1 + 3/2)/4 = 0.625: (0.625 + 3/2)/4 = 0.53125, TRUE more. It succeeds, and at turn 4 stands (1 + ½ + 1)/4.
    values = valued(*one([(0, 0)], [0]), "exact", TurnRng(0))[0]
    assert values[0, 0] == 0.5 and values[0, 1] == 0.5 + TRUE == 0.53125
    assert values[1, 0] == 0.625
    # All wrong and lost: before the last turn its chance is (0 + ½)/4.
    assert valued(*one(), "exact", TurnRng(0))[0, -1, -1] == 0.125 / 4
    assert (valued(*one(), "none", TurnRng(0)) == 0.0).all()


def test_rough_values_err_by_the_same_in_the_same_state():
    did, ended = (np.repeat(x, 3, axis=0) for x in one([(0, 0)], [0]))
    error = valued(did, ended, "rough", TurnRng(3)) - valued(did, ended, "exact", TurnRng(3))
    assert np.allclose(np.abs(error), ROUGH)
    assert (error == error[0]).all()


def test_how_an_estimate_is_judged():
    # Turn 0: right twice, estimates 3 and 1 (in units of the true advantage), wrong once: -2. Variance (1 + 1 + 0)/3;
    # the signal is (2 + 2)/2 = 2; errors from +1, +1, -1: (4 + 0 + 1)/3.
    made = judged(np.array([3.0, 1.0, -2.0]) * TRUE, np.array([True, True, False]), np.zeros(3, np.int64))
    assert made == pytest.approx((2 / 3, 2.0, 5 / 3))


def test_the_record_pays_the_share_of_segments_at_the_end():
    batch, right = played(0, 5, "exact")
    assert batch.num_rollouts == 5 and right.shape == (len(batch),) == (5 * SEGMENTS * TURNS,)
    assert batch.switch.tolist()[:5] == [True, False, False, False, True]
    assert set(batch.outcome_reward[batch.last] * SEGMENTS) <= {0.0, 1.0, 2.0, 3.0, 4.0}


def test_one_step_errors_are_the_same_for_both():
    hae, gae = compared(0, 50, 0.0, "exact")
    assert hae == pytest.approx(gae)


def test_hae_halves_the_variance_with_true_values_and_loses_the_signal_without():
    # Without values only the last segment is told what it led to: a quarter of the signal, less by the trace.
    exact, rough, none = measure(seeds=4, rollouts=150)
    assert exact["high"] < 0.6 and rough["high"] < 0.65
    assert exact["hae"]["signal"]["value"] == pytest.approx(1.0, abs=0.1)
    assert exact["gae"]["signal"]["value"] == pytest.approx(1.0, abs=0.15)
    assert none["hae"]["signal"]["high"] < 0.35 < none["gae"]["signal"]["low"]
