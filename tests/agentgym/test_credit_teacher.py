"""SCOPE: two paths by correctness."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import TurnBatch, credit
from tests.strategies import paid_batches

LN2 = math.log(2.0)


def record(student, teacher, success, turns=1):
    """One group of rollouts; each turn has the next part of the rollout's tokens."""
    rows = []
    for i, (said, meant, won) in enumerate(zip(student, teacher, success, strict=True)):
        for t, (s, m) in enumerate(zip(np.array_split(said, turns), np.array_split(meant, turns), strict=True)):
            rows.append(
                {"group": "g", "trajectory": i, "turn": t, "token_logprobs": list(s), "teacher_logprobs": list(m)}
                | {"success": won}
            )
    return TurnBatch.from_rows(rows)


def test_the_wrong_follow_a_teacher_who_is_sure():
    # PPL under the teacher 2 and 4: weights ½ : ¼, which are 2/3 and 1/3. The gaps are 2·ln 2 on every token of the
    # first, and (0, -ln 2) on those of the second.
    batch = record([[-3 * LN2] * 2, [-2 * LN2, -LN2]], [[-LN2] * 2, [-2 * LN2] * 2], [False, False])
    result = credit.scope(batch)
    assert result.diagnostics["w_teacher"] == pytest.approx([2 / 3, 1 / 3])
    assert result.diagnostics["w_student"].tolist() == [0.0, 0.0]
    first, second = result.to_tokens(batch)
    assert first == pytest.approx([4 / 3 * LN2] * 2)
    assert second == pytest.approx([0.0, -LN2 / 3])
    assert result.total == pytest.approx([4 / 3 * LN2, -LN2 / 6])


def test_the_right_learn_first_what_was_hard_to_say():
    # PPL under the student 2 and 4: weights 1/3 and 2/3. The teacher says nothing to them.
    batch = record([[-LN2], [-2 * LN2]], [[-5.0], [-6.0]], [True, True])
    result = credit.scope(batch)
    assert result.diagnostics["w_student"] == pytest.approx([1 / 3, 2 / 3])
    assert result.total.tolist() == [0.0, 0.0]
    # τ = ½ squares the ratio: 1 : 4.
    assert credit.scope(batch, temperature=0.5).diagnostics["w_student"] == pytest.approx([0.2, 0.8])


def test_released_code_turns_the_students_order_and_counts_the_path():
    batch = record([[-LN2], [-2 * LN2]], [[-5.0], [-6.0]], [True, True])
    released = credit.estimate("scope", batch, preset="released")
    assert released.diagnostics["w_student"] == pytest.approx([4 / 3, 2 / 3])  # 2·(2/3, 1/3)
    assert credit.scope(batch, times_size=True).diagnostics["w_student"] == pytest.approx([2 / 3, 4 / 3])


def test_one_rollout_alone_on_its_path_weighs_one():
    batch = record([[-1.0], [-2.0]], [[-3.0], [-3.5]], [True, False])
    said = credit.scope(batch).diagnostics
    assert said["w_student"].tolist() == [1.0, 0.0]
    assert said["w_teacher"].tolist() == [0.0, 1.0]


def test_turns_of_a_rollout_share_its_weight():
    student, teacher = [[-1.0, -2.0, -0.5, -3.0], [-0.5, -0.25, -2.0, -1.0]], [[-1.5, -1.0, -2.0, -0.5], [-1.0] * 4]
    whole, parts = (record(student, teacher, [False, False], turns) for turns in (1, 2))
    one, two = credit.scope(whole), credit.scope(parts)
    assert two.diagnostics["w_teacher"][::2] == pytest.approx(one.diagnostics["w_teacher"])
    np.testing.assert_allclose(np.concatenate(two.to_tokens(parts)), np.concatenate(one.to_tokens(whole)), atol=1e-12)
    assert (two.total[0] + two.total[1]) / 2 == pytest.approx(one.total[0])


def test_a_rollout_without_tokens_is_on_no_path():
    batch = record([[], [-1.0], []], [[], [-2.0], []], [False, False, True])
    result = credit.scope(batch)
    assert result.diagnostics["w_teacher"].tolist() == [0.0, 1.0, 0.0]
    assert result.diagnostics["w_student"].tolist() == [0.0, 0.0, 0.0]
    assert result.total.tolist() == [0.0, -1.0, 0.0]
    silent = credit.scope(record([[]], [[]], [True]))
    assert silent.total.tolist() == [0.0]
    assert [row.tolist() for row in silent.tokens] == [[]]


def test_very_unlikely_tokens_do_not_overflow():
    batch = record([[-1e4], [-2e4]], [[-1e4], [-2e4]], [False, True])
    weights = credit.scope(batch).diagnostics
    assert weights["w_teacher"].tolist() == [1.0, 0.0] and weights["w_student"].tolist() == [0.0, 1.0]


def test_temperature_must_be_positive():
    with pytest.raises(ValueError, match="temperature"):
        credit.scope(record([[-1.0]], [[-1.0]], [True]), temperature=0.0)


@given(batch=paid_batches(), temperature=st.sampled_from([0.2, 1.0, 3.0]))
def test_the_weights_of_a_path_sum_to_one(batch, temperature):
    said = credit.scope(batch, temperature=temperature).diagnostics
    first = batch.order[batch.starts]
    tokens = np.bincount(batch.rollout, batch.token_logprobs.lengths, batch.num_rollouts)
    for name, wanted in (("w_teacher", False), ("w_student", True)):
        on_path = (batch.success[first] == wanted) & (tokens > 0)
        sums = np.bincount(batch.rollout_group, said[name][first], batch.num_groups)
        some = np.bincount(batch.rollout_group[on_path], minlength=batch.num_groups) > 0
        np.testing.assert_allclose(sums, some, rtol=0, atol=1e-12)
