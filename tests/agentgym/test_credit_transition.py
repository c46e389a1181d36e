"""atr, and its rounds that do and do not pay, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit.transition import MATRIX
from agentgym.errors import MissingColumn


def scored(*rollouts):
    """One group; a list of step scores a rollout."""
    return TurnBatch.from_rows(
        [
            {"group": 0, "trajectory": i, "turn": t, "step_score": score}
            for i, scores in enumerate(rollouts)
            for t, score in enumerate(scores)
        ]
    )


def earned(scores, start, **options):
    """What the moves from `start` through these scores pay in all."""
    return credit.atr(scored(scores), initial_score=start, **options).diagnostics["atr"][0]


def assert_close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


def test_atr_by_hand():
    # From 0 (Low): 0.25 Low, nothing; 0.75 High, +0.5; 0.25 Low, -1.5·0.5. Sum -0.25. The other: 0.5 is High, +0.5.
    batch = scored([0.25, 0.75, 0.25], [0.5])
    made = credit.atr(batch, eps=0.0)
    assert_close(made.diagnostics["transition"], [0, 0.5, -0.75, 0.5])
    assert_close(made.diagnostics["atr"], [-0.25, -0.25, -0.25, 0.5])
    assert_close(made.total, [-1, -1, -1, 1])
    # One vote a turn: mean (3·(-0.25) + 0.5)/4 = -1/16.
    assert_close(credit.atr(batch, votes="turn", normalise="none").total, [-3 / 16] * 3 + [9 / 16])
    # From 0.75 (High) the first moves are falls across τ, -1.5·0.5, and inside High, nothing.
    assert_close(credit.atr(batch, initial_score=0.75).diagnostics["transition"], [-0.75, 0.5, -0.75, 0])
    # τ ¾: 0.5 is Low now.
    assert_close(credit.atr(batch, tau=0.75).diagnostics["transition"], [0, 0.5, -0.75, 0])


def test_atr_matrix_and_rows_in_any_order():
    batch = scored([0.25, 0.75, 1.0, 0.5])
    rates = {"LL": 8.0, "HH": 2.0, "LH": 4.0, "HL": -4.0}
    # |moves| 0.25 LL, 0.5 LH, 0.25 HH, 0.5 HH.
    assert_close(credit.atr(batch, matrix=rates).diagnostics["transition"], [2, 2, 0.5, 1])
    mixed = credit.atr(batch.select([2, 0, 3, 1]), matrix=rates)
    assert_close(mixed.diagnostics["transition"], [0.5, 2, 1, 2])
    # Signed, moves inside a level pay themselves whatever their rates are: +0.25, then +0.25 and -0.5.
    signed = credit.atr(batch, matrix=rates, inside="signed")
    assert_close(signed.diagnostics["transition"], [0.25, 2, 0.25, -0.5])


def test_atr_alone_in_its_group():
    one = scored([0.0, 1.0])
    assert credit.atr(one).total.tolist() == [0.0, 0.0]
    assert_close(credit.atr(one, singleton="raw", eps=0.25).total, [0.8, 0.8])  # 1 / 1.25
    assert credit.atr(scored([0.5], [0.5, 0.5])).total.tolist() == [0.0] * 3


def test_a_round_that_farms_the_published_matrix():
    # 1.0 → 0.5 is inside High: 0; 0.5 → 0.49 falls across τ: -1.5·0.01; 0.49 → 1.0 rises: +0.51. 0.495 a round.
    farm = [0.5, 0.49, 1.0]
    assert earned(farm, 1.0) == pytest.approx(0.495)
    assert earned(farm * 7, 1.0) == pytest.approx(7 * 0.495)
    # Signed: -0.5 - 0.015 + 0.51 = -0.5·0.01: every round costs half its falls across τ.
    assert earned(farm, 1.0, inside="signed") == pytest.approx(-0.005)
    assert earned(farm * 7, 1.0, inside="signed") == pytest.approx(-0.035)
    # So a rollout that farms beats one that solves the task at once, and not with "signed".
    pair = scored([1.0] + farm * 3, [1.0])
    assert credit.atr(pair).total[0] > 0 > credit.atr(pair).total[-1]
    honest = credit.atr(pair, inside="signed").total
    assert honest[0] < 0 < honest[-1]


SCORES = st.integers(0, 20).map(lambda n: n / 20)


@given(there=SCORES, back=SCORES)
def test_a_round_of_two_moves_across_tau_costs(there, back):
    low, high = sorted((there, back))
    if low < 0.5 <= high:
        for inside in ("matrix", "signed"):
            assert earned([low, high], high, inside=inside) == pytest.approx(-0.5 * (high - low))
            assert earned([high, low], low, inside=inside) == pytest.approx(-0.5 * (high - low))


@given(start=SCORES, middle=st.lists(SCORES, min_size=1, max_size=8))
def test_signed_rounds_cost_half_their_falls_across_tau(start, middle):
    path = [start, *middle, start]
    falls = math.fsum(a - b for a, b in zip(path[:-1], path[1:], strict=True) if a >= 0.5 > b)
    assert earned(path[1:], start, inside="signed") == pytest.approx(-0.5 * falls, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inside": "sign"}, "did you mean 'signed'"),
        ({"matrix": {"LH": 1.0, "HL": -1.5}}, r"matrix lacks the moves \['LL', 'HH'\]"),
        ({"matrix": {**MATRIX, "lh": 1.0}}, "unknown move 'lh' of matrix"),
        ({"matrix": {**MATRIX, "HL": math.inf}}, "rates of matrix must be finite"),
        ({"initial_score": math.nan}, "'initial_score' .* takes a finite number"),
        ({"tau": math.inf}, "'tau' of estimator 'atr' takes a finite number"),
        ({"eps": math.inf}, "'eps' of estimator 'atr' takes a finite number"),
        ({"votes": "rollout"}, "unknown value 'rollout' of votes"),
    ],
)
def test_atr_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        credit.atr(scored([0.0, 1.0], [0.5]), **options)


def test_atr_needs_scores_alone():
    assert credit.info("atr").needs == ("step_score",)
    with pytest.raises(MissingColumn, match="estimator 'atr' needs the column 'step_score'"):
        credit.atr(scored([0.0]).without("step_score"))
