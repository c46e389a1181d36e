import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit.algebra import TooLarge
from agentgym.errors import MissingColumn
from tests.agentgym.credit.loops_hierarchy import OPTIONS, hae_channels
from tests.agentgym.credit_cases import draw_options, draw_rows
from tests.strategies import paid_batches

HALVES = {"gamma": 0.5, "lam_turn": 0.5, "lam_seg": 0.5}


def record(**columns):
    """One rollout, with zeros and no switch where nothing is said."""
    turns = len(next(iter(columns.values())))
    zeros = dict.fromkeys(("turn_reward", "outcome_reward", "value_low", "value_high", "value_term"), [0.0] * turns)
    names = {"group": ["g"] * turns, "trajectory": ["a"] * turns, "turn": list(range(turns))}
    return TurnBatch.from_columns({**names, "switch": [False] * turns, **zeros, **columns})


def example(**columns):
    """Two segments: turns 0 and 1 (turn 0 without a flag), and turn 2."""
    return record(
        switch=[False, False, True],
        turn_reward=[1.0, 2.0, 1.0],
        outcome_reward=[0.0, 0.0, 3.0],
        value_low=[1.0, 2.0, 1.0],
        value_high=[3.0, 9.0, 2.0],
        value_term=[1.0, 1.0, 1.0],
        **columns,
    )


def values(made, channel):
    return made.channels[channel].values.tolist()


def test_by_hand():
    # With γ = lam_turn = lam_seg = ½, the errors are
    #   δ_2 = 4 + 0 - 1 = 3,   δ_1 = 2 + ½·H_2 - L_1 = 2 + 1 - 2 = 1,   δ_0 = 1 + ½·L_1 - L_0 = 1 + 1 - 1 = 1,
    # so A_2 = 3, A_1 = 1 (the trace stops at the segment's end), A_0 = 1 + ½·½·1 = 1.25.
    # S_2 = 4, S_1 = 2 + ½·H_2 = 3, S_0 = 1 + ½·3 = 2.5, less U = 1 each: 3, 2, 1.5.
    # Subgoal: at 2: 4 - H_2 = 2; at 0: 2.5 - H_0 + (½)²·½·2 = -0.5 + 0.25 = -0.25. H_1 = 9 is never read.
    made = credit.hae(example(), **HALVES)
    assert values(made, "action") == [1.25, 1.0, 3.0]
    assert values(made, "switch") == [1.5, 2.0, 3.0]
    assert values(made, "subgoal") == [-0.25, 0.0, 2.0]
    assert made.channels["subgoal"].mask.tolist() == [True, False, True]
    assert made.channels["action"].mask.all() and made.channels["switch"].mask.all()
    assert made.total.tolist() == made.terms["action"].tolist() == [1.25, 1.0, 3.0]
    assert made.diagnostics["segment"].tolist() == [0, 0, 1]


def test_a_truncated_rollout_may_bootstrap():
    # After turn 2 stands L_2 = 1 for the action: δ_2 = 4 + ½ - 1 = 3.5; and H_2 = 2, where the open segment began:
    # S_2 = 5, less U 4, less H_2 3; subgoal at 0: -0.5 + ⅛·3 = -0.125.
    made = credit.hae(example(truncated=[False, False, True]), bootstrap_truncated=True, **HALVES)
    assert values(made, "action") == [1.25, 1.0, 3.5]
    assert values(made, "switch") == [1.5, 2.0, 4.0]
    assert values(made, "subgoal") == [-0.125, 0.0, 3.0]
    assert values(credit.hae(example(truncated=[False, False, True]), **HALVES), "action") == [1.25, 1.0, 3.0]
    finished = credit.hae(example(truncated=[False] * 3), bootstrap_truncated=True, **HALVES)
    assert values(finished, "action") == [1.25, 1.0, 3.0]


def test_the_bootstrap_above_is_that_of_the_open_segments_start():
    # One segment of two turns without reward: S_1 = ½·H_0 = 4 (½·H_1 would be 1), S_0 = 2.
    batch = record(value_high=[8.0, 2.0], truncated=[False, True])
    made = credit.hae(batch, bootstrap_truncated=True, **HALVES)
    assert values(made, "switch") == [2.0, 4.0]
    assert values(made, "subgoal") == [2.0 - 8.0, 0.0]


def test_whitening_counts_the_entries_that_exist():
    # Subgoal: -0.25 and 2, mean 0.875, std 1.125: ∓1.125 / (1.125 + 1e-8). A zero at turn 1 would change both.
    made = credit.hae(example(), whiten=True, **HALVES)
    one = 1.125 / (1.125 + 1e-8)
    np.testing.assert_allclose(made.channels["subgoal"].values, [-one, 0.0, one], rtol=0, atol=1e-15)
    # Switch: 1.5, 2, 3, mean 6.5/3, squares (-2/3)² + (1/6)² + (5/6)² = 7/6, variance 7/18.
    wanted = np.array([-2 / 3, -1 / 6, 5 / 6]) / (np.sqrt(7 / 18) + 1e-8)
    np.testing.assert_allclose(made.channels["switch"].values, wanted, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(made.total, made.channels["action"].values)


def test_whitening_one_entry_or_equal_ones_gives_zero():
    made = credit.hae(record(turn_reward=[0.7] * 3, switch=[True] * 3), whiten=True, gamma=0.0)
    for channel in made.channels.values():
        assert (channel.values == 0.0).all()
    assert (credit.hae(record(turn_reward=[5.0]), whiten=True).total == 0.0).all()


def test_rows_in_any_order():
    batch = example()
    mixed = TurnBatch.from_columns({name: np.asarray(batch[name])[[2, 0, 1]] for name in batch.columns})
    made = credit.hae(mixed, **HALVES)
    assert values(made, "action") == [3.0, 1.25, 1.0]
    assert values(made, "subgoal") == [2.0, -0.25, 0.0]
    assert made.diagnostics["segment"].tolist() == [1, 0, 0]


def test_segments_are_numbered_in_each_rollout():
    batch = TurnBatch.concat([example(), record(switch=[False, True])], relabel=True)
    assert credit.hae(batch).diagnostics["segment"].tolist() == [0, 0, 1, 0, 1]


def compare(seeds):
    for seed in seeds:
        rng = np.random.default_rng([seed, 61])
        rows, options = draw_rows(rng), draw_options(OPTIONS["hae"], rng)
        made = credit.hae(TurnBatch.from_rows(rows), **options)
        for name, wanted in hae_channels(rows, **options).items():
            channel = made.channels[name]
            assert channel.mask.tolist() == [x is not None for x in wanted]
            there = [0.0 if x is None else x for x in wanted]
            np.testing.assert_allclose(channel.values, there, rtol=0, atol=1e-10, err_msg=f"{seed} {options}")


def test_every_channel_agrees_with_a_loop_written_from_the_formula():
    compare(range(60))


@pytest.mark.slow
def test_every_channel_agrees_with_a_loop_on_many_batches():
    compare(range(60, 1000))


def flat_gae(batch, value, gamma, lam):
    """GAE by a loop, without a bootstrap."""
    made = np.zeros(len(batch))
    for begin, length in zip(batch.starts, batch.lengths, strict=True):
        later = after = 0.0
        for row in batch.order[begin : begin + length][::-1]:
            pay = batch.turn_reward[row] + batch.outcome_reward[row]
            later = made[row] = pay + gamma * after - value[row] + gamma * lam * later
            after = value[row]
    return made


@given(batch=paid_batches())
def test_one_segment_is_flat_gae_on_the_low_values(batch):
    batch = batch.with_columns(switch=np.zeros(len(batch), bool))
    made = credit.hae(batch, gamma=0.9, lam_turn=0.8)
    np.testing.assert_allclose(made.total, flat_gae(batch, batch.value_low, 0.9, 0.8), rtol=0, atol=1e-12)


@given(batch=paid_batches())
def test_a_switch_at_every_turn_is_flat_gae_on_the_high_values(batch):
    batch = batch.with_columns(switch=np.ones(len(batch), bool))
    made = credit.hae(batch, gamma=0.9, lam_seg=0.7)
    np.testing.assert_allclose(values(made, "subgoal"), flat_gae(batch, batch.value_high, 0.9, 0.7), rtol=0, atol=1e-12)
    assert made.channels["subgoal"].mask.all()


@given(batch=paid_batches())
def test_a_full_trace_leaves_the_same_worth_less_each_levels_value(batch):
    made = credit.hae(batch, lam_turn=1.0, lam_seg=0.0)
    worth = values(made, "switch") + batch.value_term
    np.testing.assert_allclose(made.total, worth - batch.value_low, rtol=0, atol=1e-12)
    start = made.channels["subgoal"].mask
    np.testing.assert_allclose(
        np.array(values(made, "subgoal"))[start], (worth - batch.value_high)[start], rtol=0, atol=1e-12
    )


@given(batch=paid_batches(), by=st.sampled_from([2.0, -1.0]))
def test_true_values_of_a_certain_world_leave_nothing(batch, by):
    # Where each level's value is the return that follows, no turn is better than expected, on any trace.
    to_come = flat_gae(batch, np.zeros(len(batch)), 0.9, 1.0) * by
    scaled = batch.with_columns(turn_reward=batch.turn_reward * by, outcome_reward=batch.outcome_reward * by)
    made = credit.hae(scaled.with_columns(value_low=to_come, value_high=to_come, value_term=to_come), gamma=0.9)
    for channel in made.channels.values():
        np.testing.assert_allclose(channel.values, 0.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["lam_turn", "lam_seg"])
def test_traces_out_of_range(name):
    for value in (-0.1, 1.1):
        with pytest.raises(ValueError, match=rf"{name} must lie in \[0, 1\], got {re.escape(repr(value))}"):
            credit.hae(example(), **{name: value})
    with pytest.raises(ValueError, match=r"gamma must lie in \[0, 1\], got 2"):
        credit.hae(example(), gamma=2.0)


@pytest.mark.parametrize("name", ["switch", "value_low", "value_high", "value_term", "turn_reward"])
def test_a_missing_column_is_named(name):
    batch = example()
    kept = TurnBatch.from_columns({column: list(batch[column]) for column in batch.columns if column != name})
    with pytest.raises(MissingColumn, match=f"'hae'.*'{name}'"):
        credit.hae(kept)
    with pytest.raises(MissingColumn, match=r"'hae'.*'truncated'"):
        credit.hae(batch, bootstrap_truncated=True)


def test_values_beyond_float64_are_an_error():
    with pytest.raises(TooLarge, match="'hae'"):
        credit.hae(record(turn_reward=[1.7e308, 0.0], value_low=[-1.7e308, 0.0]))


def test_no_turns():
    none = TurnBatch.from_columns({name: list(example()[name])[:0] for name in example().columns})
    made = credit.hae(none, whiten=True)
    assert made.total.shape == (0,) and made.diagnostics["segment"].shape == (0,)


def test_keeping_is_charged_by_the_turns_of_the_rollout():
    # Three turns, two of them kept: -0.3/3 = -0.1 each. Turn 0 counts by its own flag.
    np.testing.assert_allclose(credit.keep_penalty([0.0, 1.0, 2.0], [False, True, False], -0.3), [-0.1, 1.0, 1.9])
    assert credit.keep_penalty([1.0, 2.0], [1, 1], -0.3).tolist() == [1.0, 2.0]
    assert credit.keep_penalty([], [], -0.3).shape == (0,)


def test_a_rollout_that_never_switches_is_charged_the_penalty_whole():
    assert credit.keep_penalty([0.0] * 4, [False] * 4, -0.5).sum() == -0.5


def test_keeping_in_a_batch_of_rollouts():
    # Rollout 0 has the entries 0, 1, 3 (one kept: 0.6/3), rollout 1 the entry 2 (kept: 0.6/1).
    made = credit.keep_penalty([0.0] * 4, [False, True, False, True], 0.6, rollout=[0, 0, 1, 0])
    np.testing.assert_allclose(made, [0.2, 0.0, 0.6, 0.0])


def test_keep_penalty_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match=r"switch must have shape \[2\], got \[1\]"):
        credit.keep_penalty([0.0, 0.0], [True], -0.3)
    with pytest.raises(ValueError, match=r"rollout must have shape \[2\], got \[1\]"):
        credit.keep_penalty([0.0, 0.0], [True, False], -0.3, rollout=[0])
    with pytest.raises(ValueError, match="penalty must be finite, got nan"):
        credit.keep_penalty([0.0], [True], float("nan"))
    with pytest.raises(ValueError, match="reward is not finite at position 1"):
        credit.keep_penalty([0.0, np.inf], [True, False], -0.3)
