"""Log-ratios to the policy with feedback, by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.batch import TurnBatch


def assert_close(got, wanted, atol=1e-12):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=atol)


def record(*rows):
    """One-turn rollouts; a row is (action, π0, one π' or several), over the menu a, b, c … as far as π0 goes."""
    return TurnBatch.from_rows(
        [
            {
                "group": 0, "trajectory": n, "turn": 0, "menu": list("abcdef"[: len(before)]), "action": action,
                "menu_logprobs": np.log(before).tolist(), "menu_hindsight_logprobs": np.log(after).tolist(),
            }
            for n, (action, before, after) in enumerate(rows)
        ]
    )  # fmt: skip


LOG2 = math.log(2.0)


def test_by_hand():
    # π0 = ½, ½ and π' = ¼, ¾: log-ratios -ln 2 and ln 3/2. log Z = ½·ln 2 - ½·ln 3/2 = ½·ln 4/3.
    # A(a) = -ln 2 + ½·ln 4/3 = ½·ln 1/3, A(b) = ln 3/2 + ½·ln 4/3 = ½·ln 3.
    one = record(("a", [0.5, 0.5], [[0.25, 0.75]]), ("b", [0.5, 0.5], [[0.25, 0.75]]))
    got = credit.ricl(one)
    assert_close(got.total, [-math.log(3) / 2, math.log(3) / 2])
    assert_close(got.diagnostics["log_z"].flat, [math.log(4 / 3) / 2] * 2)
    assert_close(got.diagnostics["menu_advantage"][0], got.total)
    assert_close(credit.ricl(one, beta=0.5).terms["reflection"], got.total / 2)


def test_samples_are_averaged_and_rows_may_differ_in_menus_and_samples():
    # A second sample that changes nothing halves the first row; a menu of three with π' = (½, ¼, ¼) from (¼, ¼, ½):
    # log-ratios ln 2, 0, -ln 2; log Z = -(¼·ln 2 - ½·ln 2) = ¼·ln 2; for c: -¾·ln 2. A menu of one: 0.
    three = record(
        ("a", [0.5, 0.5], [[0.25, 0.75], [0.5, 0.5]]),
        ("c", [0.25, 0.25, 0.5], [[0.5, 0.25, 0.25]]),
        ("a", [1.0], [[1.0], [1.0], [1.0]]),
    )
    got = credit.ricl(three)
    assert_close(got.total, [-math.log(3) / 4, -0.75 * LOG2, 0.0])
    assert got.diagnostics["log_z"].lengths.tolist() == [2, 1, 3]
    assert_close(got.diagnostics["menu_advantage"][1], [1.25 * LOG2, 0.25 * LOG2, -0.75 * LOG2])


def test_log_probabilities_are_renormalised_over_the_menu():
    given_ = record(("a", [0.5, 0.5], [[0.25, 0.75]]))
    moved = given_.with_columns(
        menu_logprobs=[[-9.0, -9.0]], menu_hindsight_logprobs=[[[-800.0, -800.0 + math.log(3)]]]
    )
    assert_close(credit.ricl(moved).total, credit.ricl(given_).total, atol=1e-9)


def test_an_entry_that_feedback_rules_out_stays_finite():
    # What a record keeps for -inf is the log of the smallest positive float, -744.44.
    never = math.log(5e-324)
    one = record(("b", [0.5, 0.5], [[0.5, 0.5]])).with_columns(menu_hindsight_logprobs=[[[0.0, never]]])
    # log-ratios ln 2 and never + ln 2, log Z = -ln 2 - never/2: A(b) = never/2.
    assert_close(credit.ricl(one).total, [never / 2], atol=1e-9)


def test_bad_rows_are_named():
    good = ("a", [0.5, 0.5], [[0.5, 0.5]])
    with pytest.raises(ValueError, match=r"the action 'c' of row 1 is not one of its menu of 2"):
        credit.ricl(record(good, ("c", [0.5, 0.5], [[0.5, 0.5]])))
    silent = record(good, good).with_columns(menu_hindsight_logprobs=[[[0.0, 0.0]], []])
    with pytest.raises(ValueError, match="menu_hindsight_logprobs of row 1 has no sample"):
        credit.ricl(silent)
    wide = record(good).with_columns(
        menu_logprobs=[[-1.7e308, 1.7e308]], menu_hindsight_logprobs=[[[1.7e308, -1.7e308]]]
    )
    with pytest.raises(ValueError, match="beyond the range of float64"):
        credit.ricl(wide)
    with pytest.raises(KeyError, match=r"'menu_hindsight_logprobs'.*with_reflection"):
        credit.ricl(record(good).without("menu_hindsight_logprobs"))


def test_no_rows():
    nothing = record(("a", [0.5, 0.5], [[0.5, 0.5]])).select([])
    got = credit.ricl(nothing)
    assert got.total.shape == (0,)
    assert len(got.diagnostics["log_z"]) == 0


logits = st.lists(st.floats(-20, 20), min_size=1, max_size=5)


@st.composite
def menus(draw):
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        before = draw(logits)
        same = st.lists(st.floats(-20, 20), min_size=len(before), max_size=len(before))
        after = draw(st.lists(same, min_size=1, max_size=3))
        rows.append(("a", np.exp(before), np.exp(after)))
    return record(*rows)


@given(batch=menus())
def test_the_advantage_averages_to_zero_under_the_policy(batch):
    got = credit.ricl(batch)
    for before, advantage in zip(batch.menu_logprobs, got.diagnostics["menu_advantage"], strict=True):
        pi0 = np.exp(before - before.max())
        assert_close(np.dot(pi0 / pi0.sum(), advantage), 0.0, atol=1e-9)
    assert (got.diagnostics["log_z"].flat >= -1e-9).all()  # a divergence


# ---- the target of the update


def test_target_by_hand():
    # √(½·⅛) = ¼ and √(½·½) = ½: one third and two thirds.
    assert_close(credit.ricol_target([0.5, 0.5], [0.125, 0.5], 0.5), [1 / 3, 2 / 3])
    both = credit.ricol_target([0.5, 0.5], [[0.25, 0.75], [0.5, 0.5]], 1.0)
    assert_close(both, [[0.25, 0.75], [0.5, 0.5]])
    assert_close(credit.ricol_target([1.0, 3.0], [0.2, 0.8], 0.0), [0.25, 0.75])
    # An entry that either gives nothing gets nothing.
    assert_close(credit.ricol_target([0.5, 0.5, 0.0], [0.0, 0.5, 0.5], 0.5), [0.0, 1.0, 0.0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 0.5], [0.5, 0.5], 1.5), r"alpha must lie in \[0, 1\], got 1.5"),
        (([-0.5, 0.5], [0.5, 0.5], 0.5), "pi0 must hold finite probabilities"),
        (([0.5, 0.5], [0.5, math.inf], 0.5), "pi_prime must hold finite probabilities"),
        (([1.0, 0.0], [0.0, 1.0], 0.5), "no entry in common"),
    ],
)
def test_target_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        credit.ricol_target(*arguments)
