"""Shaped returns and edit masks, by hand."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.batch import TurnBatch
from tests.strategies import paid_batches


def assert_close(got, wanted, atol=1e-12):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=atol)


def group(*rollouts):
    """A rollout is (outcome, success, one list of booleans a turn)."""
    return TurnBatch.from_rows(
        [
            {
                "group": 0, "trajectory": i, "turn": t, "turn_reward": 0.0, "success": success, "revision_ok": ok,
                "outcome_reward": outcome if t == len(mended) - 1 else 0.0,
            }
            for i, (outcome, success, mended) in enumerate(rollouts)
            for t, ok in enumerate(mended)
        ]
    )  # fmt: skip


# One success; a failure that one of two references mends, said on both of its rows; one that none mends.
THREE = group((1.0, True, [[True, True]]), (0.0, False, [[True, False], [True, False]]), (0.0, False, [[False]]))


def test_by_hand():
    # φ = 0, ½·½, 0 and R' = 1, 0.6·¼ = 0.15, 0, mean 0.38333; a success is not shaped whatever its references did.
    got = credit.ibpo(THREE, normalise="none")
    assert_close(got.diagnostics["phi"], [0.0, 0.25, 0.25, 0.0])
    assert_close(got.diagnostics["shaped"], [1.0, 0.15, 0.15, 0.0])
    assert_close(got.total, np.array([1.0, 0.15, 0.15, 0.0]) - 1.15 / 3)
    other = credit.ibpo(THREE, normalise="none", shaping_weight=1.0, revision_credit=1.0)
    assert_close(other.diagnostics["shaped"], [1.0, 0.5, 0.5, 0.0])


def test_standardised_as_grpo():
    # R' = 1, 0.15, 0 again: squares of the distances to 1.15/3: with ddof 1 their sum over 2.
    shaped = np.array([1.0, 0.15, 0.0])
    z = (shaped - shaped.mean()) / shaped.std(ddof=1)
    assert_close(credit.ibpo(THREE, ddof=1, eps=0.0).total, z[[0, 1, 1, 2]])


def test_references_may_stand_on_one_row_alone():
    once = group((1.0, True, [[]]), (0.0, False, [[], [True, False, True]]), (0.0, False, [[]]))
    assert_close(credit.ibpo(once).diagnostics["phi"], [0.0, 1 / 3, 1 / 3, 0.0])


def test_no_references_is_grpo():
    nobody = group((1.0, True, [[]]), (0.0, False, [[], []]))
    assert_close(credit.ibpo(nobody).total, credit.grpo(nobody).total)


def test_the_success_flag_decides_not_the_outcome():
    # A success that paid nothing is not shaped, a failure that paid 1 is.
    odd = group((0.0, True, [[True]]), (1.0, False, [[True]]))
    assert_close(credit.ibpo(odd).diagnostics["shaped"], [0.0, 1.3])


def test_failures_of_equal_phi_leave_standardised_values_as_they_were():
    # R' = 1, 0.3, 0.3 takes two values as R = 1, 0, 0 does, and z-scores see only which is which. Centred ones
    # shrink.
    alike = group((1.0, True, [[]]), (0.0, False, [[True]]), (0.0, False, [[True]]))
    assert_close(credit.ibpo(alike, eps=0.0).total, credit.grpo(alike, eps=0.0).total)
    assert_close(credit.ibpo(alike, normalise="none").total, 0.7 * credit.grpo(alike, normalise="none").total)


def test_a_group_of_failures_gets_a_signal():
    # grpo has none here; R' = 0.3, 0: ±1.
    failed = group((0.0, False, [[True]]), (0.0, False, [[False]]))
    assert_close(credit.grpo(failed).total, [0.0, 0.0])
    assert_close(credit.ibpo(failed, eps=0.0).total, [1.0, -1.0])


def test_options_and_columns():
    with pytest.raises(ValueError, match="beyond the range of float64"):
        credit.ibpo(THREE, shaping_weight=1e308, revision_credit=1e308)
    with pytest.raises(KeyError, match=r"'revision_ok'.*with_revisions"):
        credit.ibpo(THREE.without("revision_ok"))
    with pytest.raises(KeyError, match="'success'"):
        credit.ibpo(THREE.without("success"))
    lone = group((2.0, False, [[True]]))
    assert_close(credit.ibpo(lone).total, [0.0])
    assert_close(credit.ibpo(lone, singleton="raw", normalise="none").total, [2.3])


@given(batch=paid_batches(), outcome=st.sampled_from([0.7, 0.1, 1 / 3]))
def test_equal_outcomes_and_equal_phi_give_exactly_zero(batch, outcome):
    equal = batch.with_columns(
        turn_reward=np.zeros(len(batch)),
        outcome_reward=np.where(batch.last, outcome, 0.0),
        success=[False] * len(batch),
        revision_ok=[[True, False]] * len(batch),
    )
    assert (credit.ibpo(equal).total == 0.0).all()


# ---- edit masks


@pytest.mark.parametrize(
    ("wrong", "revised", "mask"),
    [
        ("", "", ""),
        ("", "ab", ""),
        ("ab", "", "11"),
        ("abc", "abc", "000"),
        ("abc", "axc", "010"),  # a substitution
        ("abc", "abxc", "000"),  # an insertion has no place in the mask
        ("abxc", "abc", "0010"),  # a deletion
        ("aba", "a", "011"),  # the earlier of two equal tokens stays
        ("abb", "b", "101"),  # deleting a is needed; of the two b the earlier stays
        ("ab", "ba", "11"),  # two substitutions, rather than a deletion and an insertion, which would keep one
        ("kitten", "sitting", "100010"),  # k → s, e → i, and an insertion at the end
    ],
)
def test_edit_mask_by_hand(wrong, revised, mask):
    assert credit.edit_mask(wrong, revised).tolist() == [int(bit) for bit in mask]


def test_edit_mask_takes_any_tokens():
    assert credit.edit_mask([17, 4, 9], (17, 5, 9)).tolist() == [0, 1, 0]
    assert credit.edit_mask(["add", "8"], ["add", "7"]).tolist() == [0, 1]


def distance(a, b):
    @cache
    def left(i, j):
        if i == len(a) or j == len(b):
            return len(a) - i + len(b) - j
        return min(left(i + 1, j + 1) + (a[i] != b[j]), left(i + 1, j) + 1, left(i, j + 1) + 1)

    return left


def slow_mask(a, b):
    left, mask, i, j = distance(a, b), [1] * len(a), 0, 0
    while i < len(a) and j < len(b):
        if left(i, j) == left(i + 1, j + 1) + (a[i] != b[j]):
            mask[i] = int(a[i] != b[j])
            i, j = i + 1, j + 1
        elif left(i, j) == left(i + 1, j) + 1:
            i += 1
        else:
            j += 1
    return mask


@given(wrong=st.text("abc", max_size=8), revised=st.text("abc", max_size=8))
def test_edit_mask_agrees_with_the_definition(wrong, revised):
    # The rule walks from the first token; cutting off the common beginning first, as the code does, changes nothing.
    mask = credit.edit_mask(wrong, revised)
    assert mask.tolist() == slow_mask(wrong, revised)
    left = iter(revised)
    assert all(
        token in left for token, edited in zip(wrong, mask, strict=True) if not edited
    )  # kept: in both, in order


def test_edit_mask_of_long_rollouts():
    long = list(range(600))
    changed = [*long[:300], -1, *long[301:450], *long[460:]]
    mask = credit.edit_mask(long, changed)
    assert np.flatnonzero(mask).tolist() == [300, *range(450, 460)]
