"""Every rule a record has to keep, each broken once: the error names row, rollout and remedy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym.batch import COLUMNS, BatchError, TurnBatch
from tests.strategies import CELLS, rollouts, turn_rows

# Three turns of one rollout "r" of group "g": row 0 is turn 0, and so on.
IDS = {"group": ["g"] * 3, "trajectory": ["r"] * 3, "turn": [0, 1, 2]}
PLACE = r"row {} \(group 'g', trajectory 'r', turn {}\): "


def refused(columns, message, row):
    place = "" if row is None else PLACE.format(row, {**IDS, **columns}["turn"][row]) + ".*"
    with pytest.raises(BatchError, match=place + message) as caught:
        TurnBatch({**IDS, **columns})
    assert caught.value.row == row


BETWEEN_ROWS = [
    ({"turn": [0, 1, 1]}, "this turn is also in row 1: give every rollout a trajectory id of its own", 2),
    ({"turn": [0, 2, 3]}, "turn 1 of this rollout is missing", 1),
    ({"turn": [1, 2, 3]}, "turn 0 of this rollout is missing", 0),
    ({"turn": [0, -1, 1]}, "turns count from 0", 1),
    ({"turn": [2, 0, 2]}, "turn 1 of this rollout is missing", 0),
    ({"turn": [0, 1, 2**62]}, "turn 2 of this rollout is missing", 2),
    ({"outcome_reward": [0.0, 0.5, 1.0]}, r"outcome_reward is 0\.5 before the rollout's last turn.*turn_reward", 1),
    (
        {"success": [True, False, True]},
        r"here and True on the .* repeat the last turn's info\['success'\] on every row",
        1,
    ),
    ({"terminated": [True, False, True]}, "terminated is True before the rollout's last turn", 0),
    ({"truncated": [False, True, False]}, "truncated is True before the rollout's last turn", 1),
    ({"terminated": [0, 0, 1], "truncated": [0, 0, 1]}, "terminated and truncated are both True", 2),
]
BETWEEN_COLUMNS = [
    (
        {"token_ids": [[1], [], []], "token_mask": [[1], [1], []]},
        "token_mask has 1 entries where token_ids has 0 entries",
        1,
    ),
    (
        {"token_logprobs": [[0.0]] * 3, "teacher_logprobs": [[0.0], [0.0], []]},
        "teacher_logprobs has 0 .* token_logprobs has 1",
        2,
    ),
    ({"token_ids": [[1], [], []], "tokens": [1, 0, 2]}, "tokens is 2 where token_ids has 0 entries", 2),
    ({"tokens": [5, 1, 1], "token_mask": [[1, 1], [1], [1]]}, "tokens is 5 where token_mask has 2 entries", 0),
    ({"tokens": [1, 3, 0], "token_logprobs": [[0.0], [0.0], []]}, "tokens is 3 where token_logprobs has 1 entries", 1),
    ({"tokens": [1, -1, 0]}, "column 'tokens' is -1, and has to be at least 0", 1),
    ({"step_score": [0.0, 1.0, 7.0]}, r"column 'step_score' is 7.0, and has to be in \[0, 1\]", 2),
    (
        {"menu": [["a"]] * 3, "menu_logprobs": [[0.0], [0.0], []]},
        "menu_logprobs has 0 entries where menu has 1 entries",
        2,
    ),
    (
        {"menu": [["a"]] * 3, "menu_hindsight_logprobs": [[], [[0.0]], [[0.0, 0.0]]]},
        r"menu_hindsight_logprobs \(its columns\) has 2 entries where menu has 1",
        2,
    ),
    (
        {"rubric_scores": [[1.0]] * 3, "rubric_relevance": [[[0.0]], [[0.0], [0.0]], [[0.0]]]},
        r"rubric_relevance \(its rows\) has 2 entries where rubric_scores has 1",
        1,
    ),
    (
        {"token_mask": [[True]] * 3, "rubric_relevance": [[[0.0]], [[0.0]], [[0.0, 1.0]]]},
        r"rubric_relevance \(its columns\) has 2 entries where token_mask has 1",
        2,
    ),
    (
        {"plan": [["a"], [], []], "plan_similarity": [[[0.5], [0.5]], [], []]},
        r"plan_similarity \(its rows\) has 2 .* plan has 1",
        0,
    ),
    (
        {"gold_plan": [["a"], [], []], "plan_similarity": [[[0.5, 0.1]], [], []]},
        r"\(its columns\) has 2 .* gold_plan has 1",
        0,
    ),
]
VALUES = [
    ("turn_reward", [0.0, math.nan, 0.0], "column 'turn_reward' is nan: leave unscorable rollouts out", 1),
    ("turn_reward", np.array([0.0, 0.0, -np.inf], np.float16), "column 'turn_reward' is -inf", 2),
    ("turn_reward", [0.0, "1", 0.0], r"takes a finite float, got '1' \(str\)", 1),
    ("turn_reward", [0.0, None, 0.0], r"takes a finite float, got None \(NoneType\)", 1),
    ("turn_reward", [True, 0.0, 0.0], r"takes a finite float, got True \(bool\)", 0),
    ("turn_reward", np.array([True] * 3), r"takes a finite float, got True \(bool\)", 0),
    ("turn_reward", [0.0, 10**400, 0.0], "takes a finite float", 1),
    ("turn_reward", [0.0, 1j, 0.0], r"\(complex\)", 1),
    ("tokens", [1, 2.0, 3], r"takes an int below 2\*\*63, got 2.0", 1),
    ("tokens", [1, 2, 2**63], r"takes an int below 2\*\*63, got 9223372036854775808", 2),
    ("tokens", [1, True, 3], r"got True \(bool\)", 1),
    ("tokens", np.array([0, 2**63, 0], np.uint64), "got 9223372036854775808", 1),
    ("valid", [True, 2, True], "takes True or False, got 2", 1),
    ("valid", [True, True, "yes"], "takes True or False, got 'yes'", 2),
    ("valid", [True, 0.0, True], "takes True or False, got 0.0", 1),
    ("observation", ["", b"x", ""], "takes a text, got b'x'", 1),
    ("observation", ["", "", None], "takes a text, got None", 2),
    ("state", ["a", ["b"], "c"], r"takes hashable ids such as str, int or tuples of them, got \['b'\]", 1),
    ("state", ["a", ("b", {}), "c"], r"hashable ids", 1),
    ("state", ["a", "b", None], "an id in every row .leave the whole column out", 2),
    ("state", [0.5, math.nan, 0.5], "an id in every row", 1),
    ("state", [1, 1, True], "ids of one type .Python counts equal int and bool as the same", 2),
    ("menu", [["a"], "b", []], "takes a list of texts, got 'b'", 1),
    ("menu", [["a"], [], ["b", 1]], "takes a text, got 1 .int. inside the row's list", 2),
    ("components", [{}, [], {}], r"takes a dict of floats, got \[\]", 1),
    ("components", [{}, {}, {1: 1.0}], "takes a dict whose keys are texts", 2),
    ("components", [{"a": 0.0}, {"a": math.inf}, {"a": 0.0}], "is inf.* inside the row's list", 1),
    ("components", [{"a": 0.0}, {"b": "x"}, {}], r"takes a finite float, got 'x'", 1),
    ("token_ids", [[1], [2.0], []], "takes an int.* inside the row's list", 1),
    ("token_ids", [[1], 2, []], "takes a list of ints, got 2", 1),
    ("token_logprobs", [[], [], [0.0, math.nan]], "is nan.* inside the row's list", 2),
    ("token_mask", [[], [2], []], "takes True or False, got 2", 1),
    ("plan_similarity", [[], [[1.0], [1.0, 2.0]], []], "takes a list of equally long lists of floats", 1),
    ("plan_similarity", [[], [], [1.0]], "takes a list of equally long lists of floats", 2),
    ("plan_similarity", [[], [["x"]], []], "takes a finite float, got 'x'", 1),
    ("turn_reward", 1.0, "column 'turn_reward' must be a list or an array with one entry a row, got float", None),
    ("action", "abc", "column 'action' must be a list or an array", None),
]


@pytest.mark.parametrize(("columns", "message", "row"), BETWEEN_ROWS + BETWEEN_COLUMNS)
def test_a_broken_rule_is_named_with_its_row(columns, message, row):
    refused(columns, message, row)


@pytest.mark.parametrize(("name", "values", "message", "row"), VALUES)
def test_a_wrong_value_is_named_with_its_row(name, values, message, row):
    refused({name: values}, message, row)


@pytest.mark.parametrize(("name", "values", "message", "row"), [case for case in VALUES if isinstance(case[1], list)])
def test_rows_are_checked_as_columns_are(name, values, message, row):
    rows = [
        dict(zip(("group", "trajectory", "turn", name), cells, strict=True))
        for cells in zip(*IDS.values(), values, strict=True)
    ]
    with pytest.raises(BatchError, match=PLACE.format(row, row) + ".*" + message):
        TurnBatch.from_rows(rows)


def test_the_row_named_is_the_row_given_not_the_row_sorted():
    shuffled = {"group": ["b", "a", "a"], "trajectory": [1, 1, 1], "turn": [0, 1, 0], "outcome_reward": [1.0, 0.0, 2.0]}
    with pytest.raises(BatchError, match=r"row 2 \(group 'a', trajectory 1, turn 0\): outcome_reward is 2\.0"):
        TurnBatch(shuffled)


def test_unequal_lengths_and_unknown_or_missing_columns():
    refused({"turn_reward": [0.0, 1.0]}, "column 'turn_reward' has 2 entries, 'group' has 3", None)
    refused({"turn_reward": (value for value in [0.0, 1.0])}, "column 'turn_reward' has 2 entries", None)
    refused({"turn_rewards": [0.0] * 3}, "unknown column 'turn_rewards'; did you mean 'turn_reward'", None)
    for name in IDS:
        with pytest.raises(BatchError, match=f"the column '{name}' .* is missing"):
            TurnBatch({other: values for other, values in IDS.items() if other != name})


def test_the_first_row_that_lacks_a_column_or_has_another_is_named():
    rows = [{"group": 0, "trajectory": t, "turn": 0, "turn_reward": 0.0} for t in range(3)]
    with pytest.raises(
        BatchError, match="row 1 lacks the column 'turn_reward' that row 0 has: a column is in all rows"
    ):
        TurnBatch.from_rows([rows[0], {**IDS, "valid": True}, rows[2]])
    with pytest.raises(BatchError, match="row 2 has the column 'valid' that row 0 lacks"):
        TurnBatch.from_rows([rows[0], rows[1], {**rows[2], "valid": True}])
    with pytest.raises(BatchError, match="row 1 is no mapping but list"):
        TurnBatch.from_rows([rows[0], list(rows[1].values())])
    with pytest.raises(BatchError, match="one mapping a turn, got int"):
        TurnBatch.from_rows([1])
    with pytest.raises(BatchError, match=r"column 'trajectory' .* is missing"):
        TurnBatch.from_rows([{"group": 0}])


def test_long_values_are_cut_in_messages():
    with pytest.raises(BatchError) as caught:
        TurnBatch({**IDS, "trajectory": ["r" * 10_000] * 3, "turn_reward": ["x" * 10_000] * 3})
    assert len(str(caught.value)) < 300


META = [
    ({1: 2}, "meta has the key 1"),
    ({"a": {"b": [0, {1}]}}, r"meta\['a'\]\['b'\]\[1\] is \{1\} \(set\)"),
    ({"a": math.inf}, r"meta\['a'\] is inf"),
]


@pytest.mark.parametrize(("meta", "message"), META)
def test_meta_is_json_only(meta, message):
    with pytest.raises(BatchError, match=message):
        TurnBatch(IDS, meta)


def test_meta_is_copied_and_made_plain():
    given = {"a": (1, np.int64(2)), "env": {"id": "x"}}
    batch = TurnBatch(IDS, given)
    given["env"]["id"] = "y"
    assert batch.meta == {"a": [1, 2], "env": {"id": "x"}}
    assert type(batch.meta["a"][1]) is int


def test_ints_in_float_columns_and_zero_one_in_bool_columns_are_read():
    batch = TurnBatch({**IDS, "turn_reward": [1, 2, 3], "valid": [0, 1, 1], "token_mask": [[1], [0], []]})
    assert batch.turn_reward.dtype == np.float64
    assert batch.valid.tolist() == [False, True, True]
    assert batch.token_mask.tolist() == [[True], [False], []]


@given(turn_rows())
def test_valid_rows_make_a_batch_and_come_back(rows):
    batch = TurnBatch.from_rows(rows)
    assert batch.to_rows() == rows
    assert (
        TurnBatch({name: [row[name] for row in rows] for name in rows[0]} if rows else {name: [] for name in IDS})
        == batch
    )


@given(rollouts())
def test_the_index_agrees_with_a_slow_one(rows):
    batch = TurnBatch.from_rows(rows)
    groups = list(dict.fromkeys(row["group"] for row in rows))
    keys = [
        key
        for group in groups
        for key in dict.fromkeys((row["group"], row["trajectory"]) for row in rows)
        if key[0] == group
    ]
    found = [[i for i, row in enumerate(rows) if (row["group"], row["trajectory"]) == key] for key in keys]
    assert batch.rollout.tolist() == [keys.index((row["group"], row["trajectory"])) for row in rows]
    assert batch.order.tolist() == [i for members in found for i in sorted(members, key=lambda i: rows[i]["turn"])]
    assert batch.lengths.tolist() == list(map(len, found))
    assert batch.starts.tolist() == [sum(map(len, found[:r])) for r in range(len(found))]
    assert batch.rollout_group.tolist() == [groups.index(key[0]) for key in keys]
    assert batch.last.tolist() == [row["turn"] == len(found[batch.rollout[i]]) - 1 for i, row in enumerate(rows)]


@given(st.sampled_from(list(COLUMNS)), st.sampled_from([None, object(), math.nan, b"", [None], {"a": None}]), st.data())
def test_a_wrong_value_never_gets_in_and_no_other_error_comes_out(name, wrong, data):
    kind = COLUMNS[name].kind
    cells = [data.draw(CELLS[kind]), wrong, data.draw(CELLS[kind])]
    if kind == "id" and type(wrong) in (bytes, object):
        return  # these make good ids
    with pytest.raises(BatchError):
        TurnBatch({**IDS, name: cells})


MIXED = [
    ([("a", 1), ("a", True)], r"row 1 .*tuples of one type .*got \('a', True\)"),
    ([("a", 1), ("a", 1.0)], r"row 1 .*tuples of one type"),
    ([("a", (2, 1)), "b", ("a", (2, True))], r"row 2 .*tuples of one type"),
    ([0.5, float("inf")], r"row 1 .*takes finite numbers as ids, got inf"),
    ([("a", -float("inf"))], "takes finite numbers as ids"),
    ([1, 10**4300], r"row 1 .*ints of at most 4300 digits"),
    ([1, -(10**4300)], r"row 1 .*ints of at most 4300 digits"),
    ([("a", 10**4300)], "ints of at most 4300 digits"),
]


@pytest.mark.parametrize(("ids", "message"), MIXED, ids=lambda value: "" if isinstance(value, list) else None)
def test_ids_that_would_be_mixed_up_or_could_not_be_written_are_refused(ids, message):
    columns = {"group": ["g"] * len(ids), "trajectory": list(range(len(ids))), "turn": [0] * len(ids)}
    for name in ("state", "anchor", "milestone"):
        with pytest.raises(BatchError, match=message):
            TurnBatch({**columns, name: ids})
    with pytest.raises(BatchError, match=message.removeprefix("row 1 .*").removeprefix("row 2 .*")):
        TurnBatch({**columns, "trajectory": ids})


def test_tuple_ids_that_differ_stay_apart():
    ids = [("a", 1), ("a", 2), ("b", True), ("a", 0.5), 10**4299]
    batch = TurnBatch({"group": ["g"] * 5, "trajectory": ids, "turn": [0] * 5})
    assert batch.num_rollouts == 5


CONTAINERS = [
    (np.ma.array([1.0, 2.0], mask=[True, False]), "is a masked array: give an array without mask"),
    (
        np.array(["2020-01-01", "2020-01-02"], "datetime64[ns]"),
        r"is an array of datetime64\[ns\]: a record holds no times",
    ),
    (np.array([1, 2], "timedelta64[s]"), r"is an array of timedelta64\[s\]"),
    ({1.0, 2.0}, "is a set, which has no order"),
    (frozenset([1.0, 2.0]), "is a frozenset, which has no order"),
    ({1.0: "", 2.0: ""}.keys(), "is a dict_keys, which has no order"),
]


@pytest.mark.parametrize(("values", "message"), CONTAINERS, ids=["masked", "date", "delta", "set", "frozenset", "keys"])
def test_containers_that_are_no_columns_are_refused_by_name(values, message):
    for name in ("turn_reward", "tokens", "state", "valid", "observation", "menu", "components", "token_ids"):
        with pytest.raises(BatchError, match=f"column '{name}' {message}"):
            TurnBatch({"group": ["g"] * 2, "trajectory": [0, 1], "turn": [0, 0], name: values})


def test_numbers_too_long_to_be_shown_are_refused_all_the_same():
    with pytest.raises(BatchError, match=r"column 'turn' takes an int below 2\*\*63, got a number too long to write"):
        TurnBatch({"group": ["g"], "trajectory": [0], "turn": [10**5000]})


def test_times_and_masks_inside_rows_are_refused():
    columns = {"group": ["g"], "trajectory": [0], "turn": [0]}
    with pytest.raises(BatchError, match="column 'tokens' takes an int below"):
        TurnBatch({**columns, "tokens": [np.timedelta64(3, "s")]})
    with pytest.raises(BatchError, match=r"column 'token_ids' is an array of timedelta64\[ns\]"):
        TurnBatch({**columns, "token_ids": [np.array([3], "timedelta64[ns]")]})
    with pytest.raises(BatchError, match="column 'menu_logprobs' is a masked array"):
        TurnBatch({**columns, "menu_logprobs": [np.ma.array([1.0], mask=[True])]})


@pytest.mark.parametrize(("here", "there"), [(1, True), (1, 1.0), (("a", 1), ("a", True))])
def test_states_that_share_codes_do_not_mix_types_between_columns(here, there):
    columns = {"group": ["g"], "trajectory": [0], "turn": [0]}
    with pytest.raises(BatchError, match="compared with each other"):
        TurnBatch({**columns, "state": [here], "next_state": [there]})
    assert TurnBatch({**columns, "state": [here], "milestone": [there]}).state[0] == here  # these share no codes
