"""New batches from old ones: select, with_columns, reweight, concat."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import RewardSpec
from agentgym.batch import BatchError, TurnBatch
from agentgym.errors import MissingColumn
from tests.strategies import turn_rows


def batch_of(groups=("a", "b"), meta=None, **columns):
    """Two rollouts of two turns in each group; extra columns are lists."""
    ids = [(g, m, t) for g in groups for m in range(2) for t in range(2)]
    names = dict(zip(("group", "trajectory", "turn"), map(list, zip(*ids, strict=True)), strict=True))
    return TurnBatch({**names, **columns}, meta)


# --- select


def test_select_takes_whole_rollouts_by_mask_or_by_numbers_in_the_order_given():
    batch = batch_of(turn_reward=list(range(8)), meta={"env": {"id": "x"}})
    masked = batch.select(batch.rollout == 2)
    assert masked.to_rows() == [
        {"group": "b", "trajectory": 0, "turn": 0, "turn_reward": 4.0},
        {"group": "b", "trajectory": 0, "turn": 1, "turn_reward": 5.0},
    ]
    assert masked.meta == batch.meta
    assert batch.select([5, 0, 1, 4]).turn_reward.tolist() == [5.0, 0.0, 1.0, 4.0]
    assert batch.select([5, 0, 1, 4]).rollout.tolist() == [0, 1, 1, 0]  # group b comes first now
    assert len(batch.select([])) == len(batch.select([False] * 8)) == 0


REFUSED = [
    ([0], r"keep 1 of the 2 turns of group 'a', trajectory 0: a record holds whole rollouts.*np\.isin"),
    ([True] * 7, r"the mask has shape \(7,\), the batch 8 rows"),
    ([0, 8], "row 8 is not one of the 8 rows"),
    ([-1, -2], "row -1 is not one of"),
    ([0, 1, 0], "a row is selected twice"),
    ([0.0, 1.0], "takes a mask or a list of row numbers, got float64"),
    ([[0, 1]], r"got int64 of shape \(1, 2\)"),
    (["a"], "takes a mask or a list of row numbers"),
]


@pytest.mark.parametrize(("rows", "message"), REFUSED)
def test_select_refuses_parts_of_rollouts_and_what_is_no_selection(rows, message):
    with pytest.raises(BatchError, match=message):
        batch_of().select(rows)


@given(turn_rows(), st.randoms(use_true_random=False))
def test_select_equals_rows_picked_by_hand_and_a_permutation_keeps_the_rollouts(rows, random):
    batch = TurnBatch.from_rows(rows)
    wanted = random.sample(range(batch.num_rollouts), batch.num_rollouts // 2)
    mask = np.isin(batch.rollout, wanted)
    assert batch.select(mask).to_rows() == [row for row, kept in zip(rows, mask, strict=True) if kept]
    order = random.sample(range(len(rows)), len(rows))
    shuffled = batch.select(order)
    assert shuffled.to_rows() == [rows[i] for i in order]
    assert sorted(shuffled.lengths) == sorted(batch.lengths)


# --- columns and meta


def test_columns_are_added_replaced_and_left_out_without_touching_the_old_batch():
    batch = batch_of(turn_reward=[1.0] * 8)
    more = batch.with_columns(turn_reward=[2.0] * 8, hindsight_logprob=np.zeros(8))
    assert more.columns == ("group", "trajectory", "turn", "turn_reward", "hindsight_logprob")
    assert batch.turn_reward.tolist() == [1.0] * 8
    assert more.with_columns({"turn_reward": batch.turn_reward}).without("hindsight_logprob") == batch
    with pytest.raises(BatchError, match="unknown column 'hindsight'; did you mean 'hindsight_"):
        batch.with_columns(hindsight=[0.0] * 8)
    with pytest.raises(BatchError, match="'value' has 7 entries, 'group' has 8"):
        batch.with_columns(value=[0.0] * 7)
    with pytest.raises(BatchError, match=r"row 3 \(group 'a', trajectory 1, turn 1\): column 'value' is nan"):
        batch.with_columns(value=[0.0] * 3 + [np.nan] * 5)
    with pytest.raises(BatchError, match=r"row 0 .*outcome_reward is 1\.0 before"):
        batch.with_columns(outcome_reward=[1.0] * 8)
    with pytest.raises(MissingColumn, match="'valid'"):
        batch.without("valid")
    with pytest.raises(BatchError, match="'turn' cannot be left out"):
        batch.without("turn")


def test_new_columns_share_the_order_and_keep_no_code_of_what_they_replace():
    batch = batch_of(anchor=list("sstt" * 2), action=list("abab" * 2))
    before = batch.codes("anchor", "action").tolist()
    more = batch.with_columns(action=list("aaab" * 2))
    assert more.order is batch.order
    assert more.codes("group", "anchor") is batch.codes("group", "anchor")
    # (s, a) (s, a) (t, a) (t, b), and before (s, a) (s, b) (t, a) (t, b).
    assert (before, more.codes("anchor", "action").tolist()) == ([0, 1, 2, 3] * 2, [0, 0, 1, 2] * 2)
    moved = batch.with_columns(anchor=list("suuu" * 2), trajectory=[1, 1, 0, 0] * 2)
    assert moved.codes("anchor").tolist() == [0, 1, 1, 1] * 2
    assert moved.rollout.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    with pytest.raises(BatchError, match="success is False here and True"):
        batch.with_columns(success=[True, False] + [True] * 6)


def test_meta_grows_by_with_meta():
    batch = batch_of(meta={"a": 1})
    assert batch.with_meta({"b": [2]}, a=3).meta == {"a": 3, "b": [2]}
    assert batch.meta == {"a": 1}


# --- reweight

PARTS = [{"progress": 1.0}, {"progress": 0.5, "format": 2.0}] * 4
OUTCOMES = [0.0, 1.0] * 4


def test_reweight_by_hand():
    batch = batch_of(components=PARTS, outcome_reward=OUTCOMES, valid=[True] * 7 + [False], turn_reward=[9.0] * 8)
    spec = RewardSpec({"progress": 2.0}, default=0.25, outcome=10.0, invalid=-1.0)
    again = batch.reweight(spec)
    # odd rows: 2·0.5 + 0.25·2 = 1.5; the last one is invalid: 1.5 − 1
    assert again.turn_reward.tolist() == [2.0, 1.5, 2.0, 1.5, 2.0, 1.5, 2.0, 0.5]
    assert again.outcome_reward.tolist() == [0.0, 10.0] * 4
    assert again.meta["rewards"] == {"weights": {"progress": 2.0}, "default": 0.25, "outcome": 10.0, "invalid": -1.0}
    assert batch.turn_reward.tolist() == [9.0] * 8
    for row, valid in zip(range(8), batch.valid, strict=True):
        assert again.turn_reward[row] == spec.turn_reward(PARTS[row], bool(valid))


def test_reweight_needs_its_columns_and_only_those():
    assert batch_of(components=PARTS).reweight(RewardSpec(default=1.0)).turn_reward.tolist() == [1.0, 2.5] * 4
    with pytest.raises(MissingColumn, match="reweight needs the column 'components'"):
        batch_of().reweight(RewardSpec())
    with pytest.raises(MissingColumn, match="reweight with an invalid penalty needs the column 'valid'"):
        batch_of(components=PARTS).reweight(RewardSpec(invalid=-1.0))


def test_reweight_offers_the_nearest_name_unless_told_that_rewards_may_be_rare():
    batch = batch_of(components=PARTS)
    with pytest.raises(BatchError, match="unknown reward component 'progressed'; did you mean 'progress'"):
        batch.reweight(RewardSpec({"progressed": 1.0}))
    assert batch.reweight(RewardSpec({"jackpot": 1.0}), strict=False).turn_reward.tolist() == [0.0] * 8


def test_reweight_starts_from_raw_outcomes():
    batch = batch_of(components=PARTS, outcome_reward=OUTCOMES)
    once = batch.reweight(SimpleNamespace(weights={}, default=1.0, outcome=1.0, invalid=0.0))
    assert once.reweight(RewardSpec(default=2.0)).turn_reward.tolist() == [2.0, 5.0] * 4
    with pytest.raises(BatchError, match=r"weighted by 0\.5 already: reweight the original batch"):
        batch.reweight(RewardSpec(outcome=0.5)).reweight(RewardSpec())


# --- concat

ENV = {"id": "agentgym/Tiny-v0", "version": "1", "kwargs": {}, "panel": "p1"}


def test_concat_puts_rows_together_and_keeps_common_meta():
    left = batch_of(("a",), {"env": ENV, "seed": 1}, components=PARTS[:4], token_ids=[[1], [], [2, 3], []])
    right = batch_of(("b",), {"env": ENV, "seed": 2}, components=[{"other": 1.0}] * 4, token_ids=[[], [4], [], []])
    both = TurnBatch.concat([left, right])
    assert both.to_rows() == left.to_rows() + right.to_rows()
    assert both.meta == {"env": ENV}
    assert both.group_code.tolist() == [0] * 4 + [1] * 4
    assert TurnBatch.concat(iter([left])) == left


def test_concat_keeps_equal_ids_apart_when_told_to():
    batch = batch_of(("a",))
    with pytest.raises(BatchError, match=r"row 4 \(group 'a', trajectory 0, turn 0\): this turn is also in row 0"):
        TurnBatch.concat([batch, batch])
    both = TurnBatch.concat([batch, batch], relabel=True)
    assert both.group.tolist() == [(0, "a")] * 4 + [(1, "a")] * 4
    assert both.num_groups == 2


def test_concat_of_columns_that_are_there_by_chance_fills_texts_drops_numbers_and_says_so():
    left = batch_of(("a",), {"env": ENV, "partial": ["safe"]}, tag=list("wxyz"), step_score=[0.5] * 4, cost=[1.0] * 4)
    right = batch_of(("b",), {"env": ENV}, plan=[["p"], [], [], []], safe=[True] * 4, cost=[2.0] * 4)
    for parts, order in (([left, right], (0, 1)), ([right, left], (1, 0))):
        both = TurnBatch.concat(parts)
        assert set(both.columns) == {"group", "trajectory", "turn", "tag", "plan", "cost"}
        tags, plans = ["wxyz", ["", "", "", ""]], [[()] * 4, [("p",), (), (), ()]]
        assert both.tag.tolist() == [tag for part in order for tag in tags[part]]
        assert both.plan.tolist() == [plan for part in order for plan in plans[part]]
        assert both.meta == {"env": ENV, "partial": ["safe", "step_score"]}
    assert TurnBatch.concat([left, left], relabel=True).step_score.tolist() == [0.5] * 8
    with pytest.raises(BatchError, match="batch 1 and batch 0 differ in the columns cost: drop or add"):
        TurnBatch.concat([left, right.without("cost")])


def test_batches_without_rows_fit_whatever_their_columns():
    some = batch_of(("a",), {"env": ENV}, cost=[1.0] * 4, tag=list("wxyz"))
    none = some.without("cost").with_columns(tokens=[1] * 4).select([])
    assert TurnBatch.concat([none, some]) == TurnBatch.concat([some, none]) == some
    assert (
        TurnBatch.concat([some, none, batch_of(("b",), {"env": ENV}, cost=[2.0] * 4)]).cost.tolist()
        == [1] * 4 + [2] * 4
    )
    assert TurnBatch.concat([none, some.select([])]) == none
    assert TurnBatch.concat([none, some], relabel=True).group.tolist() == [(1, "a")] * 4
    with pytest.raises(BatchError, match=r"differ in meta\['env'\]"):
        TurnBatch.concat([some, TurnBatch.from_rows([])])


def test_concat_refuses_what_does_not_belong_together():
    left = batch_of(("a",), {"env": ENV})
    with pytest.raises(BatchError, match="at least one batch"):
        TurnBatch.concat([])
    with pytest.raises(BatchError, match="batch 1 and batch 0 differ in the columns cost, value"):
        TurnBatch.concat([left.with_columns(cost=[0.0] * 4), left.with_columns(value=[0.0] * 4)])
    with pytest.raises(BatchError, match=r"batch 0 and batch 1 differ in meta\['env'\]: panel 'p1' and 'p2'"):
        TurnBatch.concat([left, batch_of(("b",), {"env": {**ENV, "panel": "p2"}})])
    with pytest.raises(BatchError, match=r"differ in meta\['env'\]: .* and None"):
        TurnBatch.concat([left, batch_of(("b",))])
    with pytest.raises(BatchError, match=r"differ in meta\['rewards'\]"):
        TurnBatch.concat(
            [
                left,
                batch_of(("b",), {"env": ENV}, components=PARTS[:4])
                .reweight(RewardSpec())
                .without("components", "turn_reward"),
            ]
        )
    with pytest.raises(BatchError, match=r"ids of one type .Python counts equal int and bool"):
        TurnBatch.concat([batch_of((0,)), batch_of((True,))])


@given(turn_rows())
def test_concat_of_the_parts_is_the_whole(rows):
    batch = TurnBatch.from_rows(rows)
    parts = [batch.select(batch.group_code == g) for g in range(batch.num_groups)]
    if parts:
        by_group = np.argsort(batch.group_code, kind="stable")
        assert TurnBatch.concat(parts).to_rows() == [rows[i] for i in by_group]
