"""Tables that are one but for the order of columns: found where some permutation does it, and in reasonable time."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentgym.envs.text_to_sql.column_match import same_table

SMALL = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.lists(st.tuples(*[st.integers(0, 2)] * width), max_size=5),
        st.permutations(range(width)),
        st.randoms(use_true_random=False),
    )
)


def tried(gold: list[Any], pred: list[Any], ordered: bool) -> bool:
    """All permutations, as the definition says."""
    if not gold and not pred:
        return True
    if len(gold) != len(pred) or len(gold[0]) != len(pred[0]):
        return False
    for order in itertools.permutations(range(len(gold[0]))):
        turned = [tuple(row[place] for place in order) for row in pred]
        if gold == turned if ordered else Counter(gold) == Counter(turned):
            return True
    return False


@given(SMALL, st.booleans(), st.booleans())
def test_columns_match_where_some_permutation_does(drawn: Any, ordered: bool, changed: bool) -> None:
    gold, order, random = drawn
    pred = [tuple(row[place] for place in order) for row in gold]
    if not ordered:
        random.shuffle(pred)
    if changed and pred:  # one value moved: often, not always, another table
        pred[0] = (*pred[0][:-1], random.randrange(3))
    assert same_table(gold, pred, ordered=ordered) == tried(gold, pred, ordered)


@given(
    st.lists(st.tuples(*[st.integers(0, 1)] * 3), max_size=5), st.lists(st.tuples(*[st.integers(0, 1)] * 3), max_size=5)
)
def test_tables_of_few_values_match_where_some_permutation_does(gold: Any, pred: Any) -> None:
    assert same_table(gold, pred, ordered=False) == tried(gold, pred, False)


def ring(*sizes: int) -> list[tuple[int, ...]]:
    """Rows and columns of one kind: each row holds two ones, in neighbours of a ring; rings of these sizes."""
    out, total, start = [], sum(sizes), 0
    for size in sizes:
        for at in range(size):
            ones = {start + at, start + (at + 1) % size}
            out.append(tuple(int(place in ones) for place in range(total)))
        start += size
    return out


def test_tables_that_only_their_structure_tells_apart() -> None:
    turned = [row[7:] + row[:7] for row in reversed(ring(12))]
    assert same_table(ring(12), turned, ordered=False)
    assert not same_table(ring(12), ring(6, 6), ordered=False)
    assert same_table(ring(3, 4), ring(4, 3), ordered=False)
    assert not same_table(ring(30), ring(10, 10, 10), ordered=False)


def test_the_bound_on_the_work_ends_the_search_with_no() -> None:
    rings, turned = ring(4, 4, 4), [row[5:] + row[:5] for row in ring(4, 4, 4)]
    assert same_table(rings, turned, ordered=False)
    # One look at each of 12 columns of 12 rows is always allowed, 144 rows; 80 fewer end before the sixth column.
    assert not same_table(rings, turned, ordered=False, work=-80)


def test_a_wide_table_of_10_000_rows_is_matched_by_search() -> None:
    # 30 columns of zeros and ones, which 30! orders have; each row the binary digits of a number.
    wide = [tuple(int(digit) for digit in f"{(row * 2654435761) % 2**30:030b}") for row in range(10_000)]
    turned = [row[11:] + row[:11] for row in reversed(wide)]
    assert same_table(wide, turned, ordered=False)
    turned[0] = (1 - turned[0][0], *turned[0][1:])
    assert not same_table(wide, turned, ordered=False)
