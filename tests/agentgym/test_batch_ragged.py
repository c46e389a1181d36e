"""Ragged and FloatMaps against plain lists, and the table of columns against the names that users write."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.batch import COLUMNS, FloatMaps, Ragged
from tests.strategies import CELLS, floats, ints

NAMES = """
group trajectory turn task seed branch prefix state next_state anchor turn_reward outcome_reward components success
terminated truncated end_reason valid kind tag tool_result potential next_potential step_score critique channel switch
subgoal value_low value_high value_term value bootstrap_value observation action logprob tokens hindsight_logprob
hindsight_table menu menu_logprobs menu_hindsight_logprobs plan gold_plan plan_similarity revision_ok revision
rubric_scores rubric_relevance log_safe safe cost entropy milestone ref_logprob masked_logprob token_ids token_logprobs
teacher_logprobs token_mask revision_token_ids
"""

lists = st.lists(st.lists(ints, max_size=4), max_size=6)
maps = st.lists(st.dictionaries(st.sampled_from("abc"), floats), max_size=6)


def ragged(rows, dtype=np.int64):
    return Ragged.of(
        np.array([value for row in rows for value in row], dtype), np.array(list(map(len, rows)), np.int64)
    )


def pick(data, size):
    return data.draw(st.lists(st.integers(0, size - 1), max_size=8)) if size else []


# --- Ragged


def test_rows_are_views_of_the_flat_array():
    values = ragged([[1, 2], [], [3]])
    assert values.offsets.tolist() == [0, 2, 2, 3]
    assert values.lengths.tolist() == [2, 0, 1]
    assert [row.tolist() for row in values] == values.tolist() == [[1, 2], [], [3]]
    assert values[-1].tolist() == [3]
    assert values[0].base is not None
    assert repr(values) == "Ragged(3 rows, 3 values, int64)"
    with pytest.raises(IndexError):
        values[3]
    with pytest.raises(ValueError, match="read-only"):
        values.flat[0] = 9


def test_matrices_have_shapes_of_their_own():
    values = Ragged.of(np.arange(6.0), np.array([6, 0]), np.array([[2, 3], [4, 0]]))
    assert values[0].tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]  # row-major
    assert values[1].shape == (4, 0)
    assert values.take(np.array([1, 0])).tolist() == [[[], [], [], []], values[0].tolist()]
    assert Ragged.concat([values, values]).shapes.tolist() == [[2, 3], [4, 0]] * 2


BROKEN = [
    ([1, 3], None, "offsets must rise from 0"),
    ([0, 2, 1, 3], None, "offsets must rise"),
    ([0, 2], None, "offsets must rise from 0 to the number of values"),
    ([], None, "offsets must rise"),
    ([0, 3], [[1, 2]], "as many values as its matrix"),
    ([0, 3], [[-1, -3]], "shapes must hold"),
    ([0, 3], [[1, 3], [0, 0]], "one .rows, columns. pair a row"),
]


@pytest.mark.parametrize(("offsets", "shapes", "message"), BROKEN)
def test_parts_that_do_not_fit_are_refused(offsets, shapes, message):
    with pytest.raises(ValueError, match=message):
        Ragged(np.arange(3), np.array(offsets, np.int64), None if shapes is None else np.array(shapes))


@given(lists, lists, st.data())
def test_ragged_behaves_like_a_list_of_lists(left, right, data):
    values, rows = ragged(left), pick(data, len(left))
    assert values.tolist() == left
    assert values.take(np.array(rows, np.int64)).tolist() == [left[row] for row in rows]
    assert Ragged.concat([values, ragged(right)]).tolist() == left + right
    assert (values == ragged(right)) == (left == right)
    for twin in (pickle.loads(pickle.dumps(values)), copy.deepcopy(values)):
        assert twin == values


def test_ragged_tells_types_apart():
    flat = Ragged.of(np.zeros(0), np.array([0]))
    assert flat != Ragged.of(np.zeros(0), np.array([0]), np.array([[0, 2]]))
    assert flat != [[]]


# --- FloatMaps


def test_equal_names_are_columns_and_nothing_else():
    values = FloatMaps.of([{"a": 1.0, "b": 2.0}, {"b": 4.0, "a": 3.0}])
    assert values.names == ("a", "b")
    assert values.present is None
    assert values.values.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert values.column("b").tolist() == [2.0, 4.0]
    assert FloatMaps.of([{"a": 1.0}, {"a": 2.0}]).column("a").tolist() == [1.0, 2.0]


def test_as_many_names_but_others():
    values = FloatMaps.of([{"a": 1.0}, {"b": 2.0}])
    assert values.names == ("a", "b")
    assert values.present.tolist() == [[True, False], [False, True]]
    assert values.tolist() == [{"a": 1.0}, {"b": 2.0}]
    assert repr(values) == "FloatMaps(2 rows of a, b)"
    assert repr(FloatMaps.of([{}])) == "FloatMaps(1 rows of nothing)"


def test_a_row_is_a_fresh_dict():
    values = FloatMaps.of([{"a": 1.0}])
    values[0]["a"] = 5.0
    assert values[0] == {"a": 1.0}


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="one row a turn and one column a name"):
        FloatMaps(("a",), np.zeros((2, 2)))
    with pytest.raises(ValueError, match="one row a turn"):
        FloatMaps(("a",), np.zeros((2, 1)), np.ones((1, 1), bool))


@given(maps, maps, st.data())
def test_float_maps_behave_like_a_list_of_dicts(left, right, data):
    values, rows = FloatMaps.of(left), pick(data, len(left))
    assert list(values) == values.tolist() == left
    assert [values[row] for row in range(len(left))] == left
    assert values.take(np.array(rows, np.int64)).tolist() == [left[row] for row in rows]
    assert FloatMaps.concat([values, FloatMaps.of(right)]).tolist() == left + right
    assert (values == FloatMaps.of(right)) == (left == right)
    assert pickle.loads(pickle.dumps(values)) == values
    for name in values.names:
        assert values.column(name).tolist() == [row.get(name, 0.0) for row in left]


# --- the table


def test_the_names_are_the_promised_ones_in_their_order():
    assert tuple(COLUMNS) == tuple(NAMES.split())


def test_every_column_has_a_kind_that_can_be_drawn_and_a_meaning():
    for column in COLUMNS.values():
        assert column.kind in CELLS
        assert len(column.about) > 10
    assert {column.kind for column in COLUMNS.values()} == set(CELLS)
