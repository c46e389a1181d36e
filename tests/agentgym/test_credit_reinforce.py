"""reinforce_pp and reinforce_pp_baseline on records small enough to work out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.errors import MissingColumn
from tests.agentgym.test_credit_estimators import assert_close, record
from tests.strategies import paid_batches

# A success of two turns with 1 + 2 tokens, a failure of one turn with one.
TWO = record([([0.0, 0.0], 1.0), ([0.0], 0.0)], tokens=[[1, 2], [1]])


def test_reinforce_pp_by_hand():
    # γ 1: G = 1, 1, 0 with 1, 2 and 1 tokens. m = 3/4, sum of squares 3/16 + 9/16 = 3/4; ddof 1: v = 1/4, ddof 0: 3/16.
    assert_close(credit.reinforce_pp(TWO, eps=0.0).total, [0.5, 0.5, -1.5])
    assert_close(credit.reinforce_pp(TWO, eps=0.0, ddof=0).total, np.array([1, 1, -3]) / 3**0.5)
    # ε inside the root: √(1/4 + 2) = 3/2.
    assert_close(credit.reinforce_pp(TWO, eps=2.0).total, [1 / 6, 1 / 6, -1 / 2])


def test_reinforce_pp_discounts_a_turn_not_a_token():
    # γ ½: G = ½, 1, 0 with 1, 2 and 1 tokens: m = 5/8, sum of squares (1 + 2·9 + 25)/64 = 11/16, v = 11/48.
    v = 11 / 48
    assert_close(credit.reinforce_pp(TWO, gamma=0.5, eps=0.0).total, np.array([-1 / 8, 3 / 8, -5 / 8]) / v**0.5)


def test_reinforce_pp_knows_no_groups():
    apart = TWO.with_columns(group=["g", "g", "h"])
    assert credit.reinforce_pp(apart).total.tolist() == credit.reinforce_pp(TWO).total.tolist()


def test_baseline_by_hand():
    # Group means by rollouts: x = ½, ½, -½ with 1, 2, 1 tokens: m = ¼, the same distances as above.
    assert_close(credit.reinforce_pp_baseline(TWO, eps=0.0).total, [0.5, 0.5, -1.5])
    # Two groups: outcomes 1, 0 and 5, 5, a token each: x = ½, -½, 0, 0; m = 0, v = ½/3.
    columns = {"group": [0, 0, 1, 1], "trajectory": [0, 1, 0, 1], "turn": [0] * 4, "tokens": [1] * 4}
    two = TurnBatch.from_columns({**columns, "outcome_reward": [1.0, 0.0, 5.0, 5.0]})
    made = credit.reinforce_pp_baseline(two, rewards="outcome", eps=0.0)
    assert_close(made.terms["episode"], np.array([0.5, -0.5, 0, 0]) * 6**0.5)


def test_equal_groups_are_not_zero_where_the_mean_by_tokens_is_not():
    # x = ½, -½ with 3 and 1 tokens, and 0, 0 with none but 2: m = (3/2 - 1/2)/6 = 1/6 comes off the equal group too.
    columns = {"group": [0, 0, 1, 1], "trajectory": [0, 1, 0, 1], "turn": [0] * 4, "tokens": [3, 1, 1, 1]}
    two = TurnBatch.from_columns({**columns, "outcome_reward": [1.0, 0.0, 5.0, 5.0]})
    total = credit.reinforce_pp_baseline(two, rewards="outcome", eps=0.0, ddof=0).total
    # Sum of squares about 1/6: 3·(1/3)² + (2/3)² + 2·(1/6)² = 5/6, over 6 tokens: v = 5/36.
    assert_close(total, np.array([2, -4, -1, -1]) / 5**0.5)


def test_baseline_of_one_rollout():
    # Alone: x = 0 and the batch is flat; raw: x = 3 beside 1, -1 of another group: m = 1, v = (4 + 0 + 4)/2 = 4.
    columns = {"group": [0, 1, 1], "trajectory": [0, 0, 1], "turn": [0] * 3, "tokens": [1] * 3}
    batch = TurnBatch.from_columns({**columns, "outcome_reward": [3.0, 2.0, 0.0]})
    raw = credit.reinforce_pp_baseline(batch, preset="verl", rewards="outcome", eps=0.0)
    assert_close(raw.total, [1, 0, -1])
    zero = credit.reinforce_pp_baseline(batch, rewards="outcome", eps=0.0)  # x = 0, 1, -1: v = 1
    assert_close(zero.total, [0, 1, -1])


def test_turns_without_tokens():
    # The middle turn has no vote and keeps a value: G = 0, 4, 2 with votes 1, 0, 1: m = 1, v = 2.
    quiet = record([([0.0], 0.0), ([2.0, 2.0], 0.0)], tokens=[[1], [0, 1]])
    assert_close(credit.reinforce_pp(quiet, eps=0.0).total, np.array([-1, 3, 1]) / 2**0.5)
    silent = quiet.with_columns(tokens=[0, 0, 0])
    assert credit.reinforce_pp(silent).total.tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_a_batch_of_equal_returns_is_exactly_zero(dtype):
    equal = record([([0.0], 0.7)] * 7, tokens=[[n] for n in range(1, 8)])
    equal = equal.with_columns(outcome_reward=np.full(7, 0.7, dtype))
    assert (credit.reinforce_pp(equal).total == 0.0).all()
    assert (credit.reinforce_pp_baseline(equal).total == 0.0).all()


def test_large_rewards_are_whitened_all_the_same():
    # Squares of 1e200 overflow; two tokens at ±5e199, v = 5e399: ±1/√2.
    large = record([([0.0], 1e200), ([0.0], 0.0)], tokens=[[1], [1]])
    np.testing.assert_allclose(credit.reinforce_pp(large).total, [0.5**0.5, -(0.5**0.5)], rtol=1e-12)


@given(batch=paid_batches(), by=st.sampled_from([1.0, -3.0]))
def test_a_constant_on_every_outcome_of_the_batch_changes_nothing(batch, by):
    moved = batch.with_columns(outcome_reward=batch.outcome_reward + np.where(batch.last, by, 0.0))
    np.testing.assert_allclose(credit.reinforce_pp(moved).total, credit.reinforce_pp(batch).total, rtol=0, atol=1e-9)


@given(batch=paid_batches())
def test_terms_sum_to_zero_over_the_tokens_of_the_batch(batch):
    for name in ("reinforce_pp", "reinforce_pp_baseline"):
        votes = batch.tokens * credit.estimate(name, batch).total
        assert abs(votes.sum()) <= 1e-12 * max(np.abs(votes).sum(), 1.0)


def test_refuses():
    bare = TWO.without("tokens")
    for name in ("reinforce_pp", "reinforce_pp_baseline"):
        with pytest.raises(MissingColumn, match="tokens"):
            credit.estimate(name, bare)
        with pytest.raises(ValueError, match="eps must be at least 0"):
            credit.estimate(name, TWO, eps=-1.0)
        with pytest.raises(ValueError, match="ddof must be 0 or 1"):
            credit.estimate(name, TWO, ddof=2)
    with pytest.raises(ValueError, match="gamma must lie in"):
        credit.reinforce_pp(TWO, gamma=1.5)
    assert "turn_reward" not in credit.info("reinforce_pp").needs_with(rewards="outcome")
