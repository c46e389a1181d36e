"""hgpo on records small enough to work out by hand: no reference case covers it."""

import numpy as np
import pytest
from hypothesis import given

from agentgym import MissingColumn, TurnBatch, credit
from tests.agentgym.test_credit_graph_return import assert_close
from tests.strategies import paid_batches


def walks(*rollouts):
    """One group: a (states, outcome) a rollout."""
    rows = []
    for i, (states, outcome) in enumerate(rollouts):
        for t, state in enumerate(states):
            row = {"group": "g", "trajectory": i, "turn": t, "anchor": state, "state": "x", "turn_reward": 0.0}
            rows.append(row | {"outcome_reward": outcome if t == len(states) - 1 else 0.0})
    return TurnBatch.from_rows(rows)


PLAIN = {"gamma": 1.0, "normalise": "none", "episode_weight": 0.0}


def test_two_levels_by_hand():
    # Three come to s, two of them from p. Level 1 at s: returns 1, 0, 0, mean 1/3: 2/3, -1/3, -1/3. Level 2 at (p, s):
    # 1 and 0: ±1/2; (q, s) has one turn and is skipped. Weights (k+1): 2 and 3.
    # a: (2·2/3 + 3·1/2)/5 = 17/30, b: (-2·1/3 - 3·1/2)/5 = -13/30, c: level 1 alone, -1/3.
    # First turns have one key only: p: ±1/2, q alone: 0.
    batch = walks(("ps", 1.0), ("ps", 0.0), ("qs", 0.0))
    made = credit.hgpo(batch, history=1, **PLAIN)
    assert_close(made.terms["step"], [1 / 2, 17 / 30, -1 / 2, -13 / 30, 0, -1 / 3])
    assert made.diagnostics["levels"].tolist() == [1, 2, 1, 2, 0, 1]
    # α = 0 weighs both alike: (2/3 + 1/2)/2 and (-1/3 - 1/2)/2; α = 2 as 4 and 9.
    assert_close(credit.hgpo(batch, history=1, alpha=0.0, **PLAIN).total[[1, 3]], [7 / 12, -5 / 12])
    assert_close(credit.hgpo(batch, history=1, alpha=2.0, **PLAIN).total[1], (4 * 2 / 3 + 9 / 2) / 13)
    # H = 2 asks for three keys, which nobody has: nothing changes, nor does H = 1000.
    for history in (2, 1000):
        assert_close(credit.hgpo(batch, history=history, **PLAIN).total, made.total)


def test_three_levels_by_hand():
    # a and b share three keys, c only the last two, d only the last. At the end, G = 1, 0, 0, 1:
    # level 1 (mean 1/2): 1/2, -1/2, -1/2, 1/2. Level 2 (a, b, c; mean 1/3): 2/3, -1/3, -1/3. Level 3 (a, b): ±1/2.
    # Weights 2, 3, 4: a (1 + 2 + 2)/9, b (-1 - 1 - 2)/9, c (-1 - 1)/5, d 1/2.
    batch = walks(("pqs", 1.0), ("pqs", 0.0), ("rqs", 0.0), ("rts", 1.0))
    made = credit.hgpo(batch, **PLAIN)
    assert_close(made.total[[2, 5, 8, 11]], [5 / 9, -4 / 9, -2 / 5, 1 / 2])
    assert made.diagnostics["levels"][[2, 5, 8, 11]].tolist() == [3, 3, 2, 1]


def test_a_short_past_is_no_past():
    # Both are in s; a has just begun, b came from s. b's two keys (s, s) are nobody else's, a has one key only:
    # level 1 alone for all three turns, returns 1, 0, 0.
    made = credit.hgpo(walks(("s", 1.0), ("ss", 0.0)), **PLAIN)
    assert_close(made.total, [2 / 3, -1 / 3, -1 / 3])
    assert made.diagnostics["levels"].tolist() == [1, 1, 1]


def test_released_leaves_zeros_out_and_has_no_episode_term():
    # Level 1 at s: returns 1, 1, 0: 1/3, 1/3, -2/3. Level 2 at (p, s): 1 and 1, so 0.
    # In the mean: (2/3 + 0)/5 = 2/15; left out: 1/3.
    batch = walks(("ps", 1.0), ("ps", 1.0), ("qs", 0.0))
    options = {"history": 1, "gamma": 1.0, "normalise": "none"}
    plain, released = credit.hgpo(batch, **options), credit.hgpo(batch, preset="released", **options)
    assert_close(plain.terms["step"][[1, 3, 5]], [2 / 15, 2 / 15, -2 / 3])
    assert_close(released.total[[1, 3, 5]], [1 / 3, 1 / 3, -2 / 3])
    assert_close(released.terms["episode"], [0] * 6)
    assert_close(plain.terms["episode"], [1 / 3, 1 / 3, 1 / 3, 1 / 3, -2 / 3, -2 / 3])
    # A return that is its level's mean says 0 too: at (p, s) 1, 0.5, 0 the middle one; with 0.1, 0.2, 0.3 the mean
    # comes out one rounding off.
    for returns in ((1.0, 0.5, 0.0), (0.1, 0.2, 0.3)):
        batch = walks(*(("ps", outcome) for outcome in returns), ("qs", 2.0))
        # Level 1 alone for it: 0.5 - 3.5/4, or 0.2 - 2.6/4.
        middle = credit.hgpo(batch, preset="released", **options).total[3]
        assert_close(middle, returns[1] - (sum(returns) + 2.0) / 4)


def test_default_divides_every_level_by_its_std():
    # ±1 on both levels where two turns share them; eps 0.
    assert_close(credit.hgpo(walks(("ps", 1.0), ("ps", 0.0)), eps=0.0).total, [2, 2, -2, -2])


def test_by_state_and_of_one_rollout():
    # One state in all, x: G = 1, 1 | 0, 0 has mean 1/2 on level 1, and ±1/2 for the second turns on level 2.
    batch = walks(("ps", 1.0), ("qs", 0.0))
    assert_close(credit.hgpo(batch, key="state", **PLAIN).total, [0.5, 0.5, -0.5, -0.5])
    assert (credit.hgpo(walks(("pqs", 1.0))).total == 0.0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"history": -1}, "history must be at least 0"),
        ({"alpha": 1e4}, "alpha must lie"),
        ({"key": "turn"}, "anchor, state"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        credit.hgpo(walks(("ps", 1.0)), **options)


def test_a_missing_column_is_named():
    with pytest.raises(MissingColumn, match="'hgpo' needs the column 'anchor'"):
        credit.hgpo(walks(("ps", 1.0)).without("anchor"))


@given(batch=paid_batches())
def test_without_history_it_is_gigpo(batch):
    np.testing.assert_allclose(credit.hgpo(batch, history=0).total, credit.gigpo(batch).total, rtol=0, atol=1e-12)


@given(batch=paid_batches())
def test_with_all_states_distinct_it_is_its_episode_term(batch):
    made = credit.hgpo(batch.with_columns(anchor=[f"s{n}" for n in range(len(batch))]))
    assert (made.terms["step"] == 0).all()
    assert (made.diagnostics["levels"] == 0).all()


@given(batch=paid_batches())
def test_levels_are_nested(batch):
    shallow, deep = (credit.hgpo(batch, history=h).diagnostics["levels"] for h in (1, 3))
    assert (np.minimum(deep, 2) == shallow).all()
