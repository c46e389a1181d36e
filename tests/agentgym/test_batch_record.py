"""TurnBatch: rows in, columns out, the private order, codes, and what it takes to stay frozen."""

import copy
import json
import pickle

import numpy as np
import pytest

from agentgym.batch import COLUMNS, TurnBatch
from agentgym.errors import MissingColumn


def rows(*, groups=("a", "b"), members=2, turns=2, **columns):
    """Rows of every group × member × turn, sorted; extra columns are functions of (group, member, turn)."""
    return [
        {"group": g, "trajectory": m, "turn": t, **{name: make(g, m, t) for name, make in columns.items()}}
        for g in groups
        for m in range(members)
        for t in range(turns)
    ]


def test_rows_keep_the_order_given_and_the_sort_is_private():
    # Shuffled by hand: rollout (b, 0) has turns in rows 3 and 0, (a, 7) in rows 1, 4, 2.
    batch = TurnBatch.from_rows(
        [
            {"group": "b", "trajectory": 0, "turn": 1, "turn_reward": 0.5},
            {"group": "a", "trajectory": 7, "turn": 0, "turn_reward": 1.0},
            {"group": "a", "trajectory": 7, "turn": 2, "turn_reward": 2.0},
            {"group": "b", "trajectory": 0, "turn": 0, "turn_reward": 3.0},
            {"group": "a", "trajectory": 7, "turn": 1, "turn_reward": 4.0},
        ]
    )
    assert batch.turn_reward.tolist() == [0.5, 1.0, 2.0, 3.0, 4.0]
    assert batch.order.tolist() == [3, 0, 1, 4, 2]  # group b was seen first
    assert batch.starts.tolist() == [0, 2]
    assert batch.lengths.tolist() == [2, 3]
    assert batch.rollout.tolist() == [0, 1, 1, 0, 1]
    assert batch.group_code.tolist() == [0, 1, 1, 0, 1]
    assert batch.rollout_group.tolist() == [0, 1]
    assert batch.last.tolist() == [True, False, True, False, False]
    assert (len(batch), batch.num_rollouts, batch.num_groups) == (5, 2, 2)


def test_rollouts_of_one_group_are_neighbours_even_when_rows_alternate():
    pairs = [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    batch = TurnBatch.from_rows([{"group": g, "trajectory": t, "turn": 0} for g, t in pairs])
    assert batch.rollout.tolist() == [0, 2, 1, 3]  # (a,0) (a,1) (b,0) (b,1)
    assert batch.rollout_group.tolist() == [0, 0, 1, 1]


def test_the_same_trajectory_id_in_another_group_is_another_rollout():
    assert TurnBatch.from_rows(rows(members=1)).num_rollouts == 2


def test_rollouts_count_by_first_appearance_inside_their_group():
    # Trajectory 1 comes first in group b although trajectory 0 was seen earlier, in group a.
    pairs = [("a", 0), ("b", 1), ("b", 0)]
    batch = TurnBatch.from_rows([{"group": g, "trajectory": t, "turn": 0} for g, t in pairs])
    assert batch.rollout.tolist() == [0, 1, 2]


def test_columns_by_attribute_by_name_and_membership():
    batch = TurnBatch.from_rows(rows(state=lambda g, m, t: (g, t), valid=lambda g, m, t: True))
    assert batch.columns == ("group", "trajectory", "turn", "state", "valid")
    assert batch.state is batch["state"]
    assert "state" in batch
    assert "anchor" not in batch
    assert batch.state[0] == ("a", 0)
    assert hasattr(batch, "valid")
    assert not hasattr(batch, "anchor")
    assert getattr(batch, "anchor", None) is None


def test_a_missing_column_names_itself_the_asker_and_the_remedy():
    batch = TurnBatch.from_rows(rows())
    with pytest.raises(MissingColumn, match=r"gigpo needs the column 'anchor'.*with_columns"):
        batch.need("anchor", who="gigpo")
    with pytest.raises(MissingColumn, match=r"unknown column 'anchr'; did you mean 'anchor'"):
        batch.need("anchr", who="gigpo")
    with pytest.raises(MissingColumn, match=r"hcapo needs the column 'hindsight_logprob'.*HindsightPolicy\(policy\)"):
        batch.need("hindsight_logprob", who="hcapo")
    with pytest.raises(KeyError, match="not in this batch"):
        batch["anchor"]
    with pytest.raises(AttributeError, match="not in this batch"):
        _ = batch.anchor
    assert batch.need("turn", who="x") is batch.turn


def test_codes_are_equal_where_values_are_and_states_share_one_vocabulary():
    batch = TurnBatch.from_rows(
        rows(
            groups=("a",),
            anchor=lambda g, m, t: f"s{t}",
            next_state=lambda g, m, t: f"s{t + 1}",
            kind=lambda g, m, t: "xy"[m],
            valid=lambda g, m, t: t == 1,
        )
    )
    # next_state is numbered first (schema order): s1 0, s2 1, then the anchor s0 2; s1 keeps its 0.
    assert batch.codes("next_state").tolist() == [0, 1, 0, 1]
    assert batch.codes("anchor").tolist() == [2, 0, 2, 0]
    assert batch.codes("kind").tolist() == [0, 0, 1, 1]
    assert batch.codes("valid").tolist() == [0, 1, 0, 1]
    assert batch.codes("rollout", "turn").tolist() == [0, 1, 2, 3]
    assert batch.codes("kind", "anchor").tolist() == [1, 0, 3, 2]  # dense, by (kind code, anchor code)
    assert batch.codes("kind", "anchor") is batch.codes("kind", "anchor")
    with pytest.raises(ValueError, match="turn_reward"):
        batch.with_columns(turn_reward=[0.0] * 4).codes("turn_reward")


def test_an_empty_batch_is_a_batch():
    batch = TurnBatch.from_rows([])
    assert (len(batch), batch.num_rollouts, batch.num_groups) == (0, 0, 0)
    assert batch.order.tolist() == batch.starts.tolist() == batch.codes("group", "turn").tolist() == []
    assert TurnBatch({**{name: [] for name in COLUMNS}}).columns == tuple(COLUMNS)


def test_frozen_in_every_way():
    given = np.array([0.0, 1.0])
    batch = TurnBatch(
        {"group": ["g", "g"], "trajectory": [0, 0], "turn": [0, 1], "turn_reward": given, "token_ids": [[1], [2]]},
        {"a": {"b": 1}},
    )
    given[0] = 9.0
    assert batch.turn_reward.tolist() == [0.0, 1.0]
    for array in (
        batch.turn_reward,
        batch.group,
        batch.order,
        batch.starts,
        batch.rollout,
        batch.token_ids[0],
        batch.codes("turn"),
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError, match="with_columns"):
        batch.turn_reward = [1.0, 2.0]
    with pytest.raises(AttributeError, match="without"):
        del batch.turn_reward
    with pytest.raises(TypeError, match="with_meta"):
        batch.meta["a"] = 2
    with pytest.raises(TypeError, match="with_meta"):
        batch.meta["a"]["b"] = 2


def arrays_of(batch):
    """Every array that a batch hands out."""
    for name in batch.columns:
        values = batch[name]
        parts = [getattr(values, part) for part in getattr(type(values), "__slots__", ())] or [values]
        yield from (part for part in parts if isinstance(part, np.ndarray))
        if not isinstance(values, np.ndarray) and len(values):
            yield from (part for part in [values[0]] if isinstance(part, np.ndarray))
    yield from (batch.order, batch.starts, batch.lengths, batch.rollout, batch.group_code, batch.rollout_group)
    yield from (batch.last, batch.codes("turn"), batch.codes("group", "turn"), batch.codes("group"))


def test_no_array_of_a_batch_can_be_made_writeable():
    ids = {"group": ["g", "g"], "trajectory": [0, 1], "turn": [0, 0], "state": ["s", "t"], "valid": [True, False]}
    lists = {"menu": [["x"], ["y", "z"]], "token_ids": [[1], [2, 3]], "plan_similarity": [[[1.0]], [[0.5]]]}
    dicts = {"components": [{"a": 1.0}, {"b": 2.0}], "turn_reward": np.arange(4.0)[::2]}
    batch = TurnBatch({**ids, **lists, **dicts})
    batches = [batch, batch.select([1, 0]), TurnBatch.concat([batch, batch], relabel=True), batch.without("state")]
    batches += [batch.with_columns(potential=[0.0, 1.0]), pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)]
    batches += [TurnBatch({**ids, "components": [{"a": 1.0}] * 2})]
    for made in batches:
        arrays = list(arrays_of(made))
        assert len(arrays) >= 15
        for array in arrays:
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.setflags(write=True)
    with pytest.raises(AttributeError, match="frozen"):
        batch.token_ids.flat = np.zeros(3, np.int64)
    with pytest.raises(AttributeError, match="frozen"):
        del batch.components.values


def test_lists_in_meta_are_frozen_and_still_lists():
    given = {"env": {"kwargs": {"signals": ["menu", ["x"]]}}, "sizes": (1, 2)}
    batch = TurnBatch({"group": ["g"], "trajectory": [0], "turn": [0]}, given)
    given["env"]["kwargs"]["signals"].append("late")
    assert batch.meta == {"env": {"kwargs": {"signals": ["menu", ["x"]]}}, "sizes": [1, 2]}
    assert json.loads(json.dumps(batch.meta)) == batch.meta
    signals = batch.meta["env"]["kwargs"]["signals"]
    changes = [
        lambda part: part.append("y"), lambda part: part.__setitem__(0, "y"), lambda part: part.__delitem__(0),
        lambda part: part.__iadd__(["y"]), lambda part: part.__imul__(2), lambda part: part.sort(),
        lambda part: part.reverse(), lambda part: part.clear(), lambda part: part.pop(), lambda part: part.extend("y"),
        lambda part: part.insert(0, "y"), lambda part: part.remove("menu"),
    ]  # fmt: skip
    for part in (signals, signals[1]):
        for change in changes:
            with pytest.raises(TypeError, match="with_meta"):
                change(part)
    assert pickle.loads(pickle.dumps(batch)) == copy.deepcopy(batch) == batch
    assert [*signals, "z"] == ["menu", ["x"], "z"]


def test_rows_given_and_rows_returned_are_not_shared():
    ids, parts = [1, 2], {"progress": 1.0}
    batch = TurnBatch.from_rows([{"group": 0, "trajectory": 0, "turn": 0, "token_ids": ids, "components": parts}])
    ids.append(3)
    parts["progress"] = 5.0
    out = batch.to_rows()
    out[0]["token_ids"].append(4)
    out[0]["components"]["progress"] = 6.0
    assert batch.to_rows() == [
        {"group": 0, "trajectory": 0, "turn": 0, "components": {"progress": 1.0}, "token_ids": [1, 2]}
    ]


def test_pickle_and_copies_are_equal_and_still_frozen():
    batch = TurnBatch.from_rows(
        rows(components=lambda g, m, t: {"a": 1.0, "b": t} if m else {"a": 0.0}, token_ids=lambda g, m, t: [t] * m),
        {"env": {"id": "x"}},
    )
    for twin in (pickle.loads(pickle.dumps(batch)), copy.copy(batch), copy.deepcopy(batch)):
        assert twin == batch
        assert twin.order.tolist() == batch.order.tolist()
        with pytest.raises(ValueError, match="read-only"):
            twin.turn[0] = 3


def test_equality_looks_at_values_columns_and_meta():
    batch = TurnBatch.from_rows(rows(turn_reward=lambda g, m, t: 1.0))
    assert batch == TurnBatch.from_rows(batch.to_rows())
    assert batch != batch.with_columns(turn_reward=[2.0] * 8)
    assert batch != batch.without("turn_reward")
    assert batch != batch.with_meta(note="x")
    assert batch != 3


def test_repr_is_short():
    batch = TurnBatch.from_rows(rows(), {"env": {"id": "agentgym/Tiny-v0"}})
    assert repr(batch) == "TurnBatch(8 turns, 4 rollouts, 2 groups, 3 columns of agentgym/Tiny-v0)"


def test_one_row_as_plain_values():
    batch = TurnBatch.from_rows(
        rows(menu=lambda g, m, t: ["x", "y"], menu_hindsight_logprobs=lambda g, m, t: [[0.0, -1.0]])
    )
    row = batch.row(-1)
    assert row == {
        "group": "b",
        "trajectory": 1,
        "turn": 1,
        "menu": ["x", "y"],
        "menu_hindsight_logprobs": [[0.0, -1.0]],
    }
    assert [type(row[name]) for name in ("turn", "menu")] == [int, list]
    with pytest.raises(IndexError):
        batch.row(8)


def test_numpy_and_enum_values_become_plain():
    import enum

    class Reason(enum.StrEnum):
        SOLVED = "solved"

    batch = TurnBatch(
        {
            "group": np.array([5]),
            "trajectory": [np.int64(3)],
            "turn": np.array([0], np.int32),
            "turn_reward": np.array([1], np.float16),
            "valid": np.array([1]),
            "end_reason": [Reason.SOLVED],
            "action": np.array(["go"]),
            "tokens": [np.uint8(3)],
        }
    )
    row = batch.row(0)
    assert row == {
        "group": 5,
        "trajectory": 3,
        "turn": 0,
        "turn_reward": 1.0,
        "end_reason": "solved",
        "valid": True,
        "action": "go",
        "tokens": 3,
    }
    assert {type(value) for value in row.values()} == {int, float, str, bool}


def test_matrices_keep_their_shape_even_without_cells():
    batch = TurnBatch(
        {"group": [0, 0], "trajectory": [0, 1], "turn": [0, 0], "plan_similarity": [np.zeros((0, 3)), np.zeros((3, 0))]}
    )
    assert [matrix.shape for matrix in batch.plan_similarity] == [(0, 3), (3, 0)]
    assert batch.select([1]).plan_similarity[0].shape == (3, 0)
    assert batch == pickle.loads(pickle.dumps(batch))


def test_component_columns_read_as_zero_where_a_row_lacks_them():
    parts = [{"a": 1.0}, {"b": 2.0, "a": 3.0}]
    batch = TurnBatch({"group": [0, 0], "trajectory": [0, 1], "turn": [0, 0], "components": parts})
    assert batch.components.names == ("a", "b")
    assert batch.components.column("b").tolist() == [0.0, 2.0]
    assert list(batch.components) == parts
    with pytest.raises(KeyError, match="no row has a component 'c'; there are: a, b"):
        batch.components.column("c")
