"""csmr: how far the result of a query agrees with the right one, by hand."""

import pytest

from agentgym import credit
from agentgym.score import csmr

GOLD = [(1, "a", 10.0), (2, "b", 20.0)]


@pytest.mark.parametrize(
    ("pred", "wanted"),
    [
        (GOLD, 1.0),
        (GOLD[::-1], 1.0),
        ([[1, "a", 10], [2, "b", 20]], 1.0),  # lists, and 10 equals 10.0
        ([("a", 1, 10.0), ("b", 2, 20.0)], 0.8),  # all three columns, in another order
        ([(1, "b", 10.0), (2, "a", 20.0)], 0.8),  # the columns' sets are right, the rows are not
        ([*GOLD, GOLD[0]], 0.8),  # a row too often: unequal as multisets, equal as sets
        ([(1, "a"), (2, "b")], 0.8 * 4 / 6),
        ([(1, 1, 1, "x"), (2, 2, 2, "y")], 0.8 * 1 / 12),  # one to one: the ids match once
        ([(9,)], 0.0),
        ([], 0.0),
        ([()], 0.0),
        (None, 0.0),
    ],
)
def test_csmr(pred, wanted):
    assert csmr(GOLD, pred) == pytest.approx(wanted)


def test_csmr_of_a_gold_result_without_rows_or_with_odd_values():
    assert csmr([], []) == 1.0
    assert csmr([], GOLD) == 0.0
    assert csmr([([1, 2], None)], [([1, 2], None)]) == 1.0  # lists cannot be hashed and count by their text
    assert csmr([([1, 2], None)], [(None, [1, 2])], scale=0.5) == 0.5
    assert csmr([(1,), (1,)], [(1,)]) == 0.8
    with pytest.raises(ValueError, match="pred: row 1 has 1 values and row 0 2"):
        csmr(GOLD, [(1, 2), (3,)])


def test_credit_offers_it_too():
    assert credit.csmr is csmr
