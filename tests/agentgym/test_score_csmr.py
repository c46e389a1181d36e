"""csmr: how far the result of a query agrees with the right one, by hand."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.score import ColumnSets, csmr

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


def by_definition(gold, pred):
    """The docstring, word for word, without any short cut."""
    if Counter(gold) == Counter(pred):
        return 1.0
    ours, theirs = ([frozenset(map(str, column)) for column in zip(*rows, strict=True)] for rows in (gold, pred))
    matched = (Counter(ours) & Counter(theirs)).total()
    return 0.8 * matched**2 / (len(ours) * len(theirs)) if matched else 0.0


VALUES = st.sampled_from([1, 2, 1.0, "1", "a", None, True])


def tables(width):
    return st.lists(st.tuples(*[VALUES] * width), max_size=4)


@given(st.integers(1, 3).flatmap(tables), st.lists(st.integers(1, 3).flatmap(tables), min_size=1, max_size=3))
def test_a_right_result_is_looked_at_once_for_many_others(gold, preds):
    sets = ColumnSets(gold)
    for pred in preds:
        assert sets.csmr(pred) == csmr(gold, pred) == pytest.approx(by_definition(gold, pred))


def test_credit_offers_it_too():
    assert credit.csmr is csmr
