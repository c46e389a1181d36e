"""The loosest comparison: what any scorer could take for right is alike."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.envs.text_to_sql.result import ROWS, Result
from agentgym.envs.text_to_sql.scorers import SCORERS, Gold, is_right
from agentgym.envs.text_to_sql.shipped.alike import alike
from agentgym.envs.text_to_sql.shipped.families import Rows

VALUES = st.one_of(st.none(), st.integers(0, 2), st.sampled_from(["a", "b", 1.0, 2.5]))


def tables(width: int) -> st.SearchStrategy[Rows]:
    return st.lists(st.tuples(*[VALUES] * width), min_size=1, max_size=4)


@pytest.mark.parametrize(
    ("gold", "other", "expected"),
    [
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a"), (1, "a")], True),  # order and repeats do not count
        ([(1, "a"), (2, "b")], [("a", 1), ("b", 2)], True),  # nor does the order of columns
        ([(1, "a"), (2, "b")], [(0, "a", 1), (0, "b", 2)], True),  # nor further columns
        ([(1, "a"), (2, "b")], [(1, "b"), (2, "a")], True),  # nor which values share a row
        ([(1, 1)], [(1, 2)], False),  # two columns need two partners
        ([(1, 1)], [(2, 1, 1)], True),
        ([(1, 2), (2, 1)], [(1, 3), (2, 3)], False),
        ([(1,), (2,)], [(1,)], False),
        ([(1,)], [(1.0,)], True),
        ([(100000,)], [(100000.4,)], True),  # five digits
        ([(100,)], [(101,)], False),
        ([(1,)], [("1",)], False),
        ([(None,)], [(None,)], True),
        ([(None,)], [(0,)], False),
        ([(1,)], [], False),
        ([], [], True),
    ],
)
def test_alike(gold: Rows, other: Rows, expected: bool) -> None:
    assert alike(gold, other) is expected


def test_partners_are_found_by_giving_way() -> None:
    # the first two columns of the gold fit the first column there; the first must give way to the second
    gold: Rows = [(1, 1, 2)]
    for order in permutations((1, 2, 1, 5)):
        assert alike(gold, [order])
    assert not alike(gold, [(1, 2, 2, 5)])


@given(st.integers(1, 3).flatmap(lambda width: st.tuples(tables(width), tables(width) | tables(width + 1))))
def test_whatever_a_scorer_takes_for_right_is_alike(pair: tuple[Rows, Rows]) -> None:
    gold, other = pair
    names = tuple("abcd")

    class NoEngine:
        def run(self, query: str) -> Result:
            raise AssertionError(query)

    result = Result(ROWS, names[: len(other[0])], tuple(other))
    right = Gold(("SELECT 1",), (Result(ROWS, names[: len(gold[0])], tuple(gold)),), False, "", "")
    for scorer in SCORERS:
        if is_right(scorer, right, "SELECT 2", result, NoEngine()):
            assert alike(gold, other), scorer
