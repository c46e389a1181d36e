"""Hindsight credit assignment on records small enough to work out by hand."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit.hca import counted_hindsight
from tests.strategies import paid_batches


def assert_close(got, wanted, atol=1e-12):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=atol)


def turns(*rollouts, group="g"):
    """One group; a rollout is a list of (state, action, reward), the reward paid as turn_reward."""
    return TurnBatch.from_rows(
        [
            {
                "group": group, "trajectory": i, "turn": t, "state": state, "anchor": state, "action": action,
                "turn_reward": paid, "outcome_reward": 0.0, "logprob": math.log(0.5), "tokens": 1,
            }
            for i, rollout in enumerate(rollouts)
            for t, (state, action, paid) in enumerate(rollout)
        ]
    )  # fmt: skip


# π = 1/2 on every turn. Rollout 0 pays 1 in its first turn and 2 in its second: Z = 3, 2. Rollout 1 pays nothing.
TWO = turns([("s", "a", 1.0), ("t", "a", 2.0)], [("s", "b", 0.0)])


def test_by_hand():
    # h = 3/4, 1/4, 1/2: π/h = 2/3, 2, 1. A = (1 - 2/3)·3 = 1, (1 - 2)·2 = -2, 0.
    told = TWO.with_columns(hindsight_logprob=np.log([0.75, 0.25, 0.5]))
    got = credit.hca(told)
    assert_close(got.total, [1.0, -2.0, 0.0])
    assert_close(got.diagnostics["ratio"], [2 / 3, 2.0, 1.0])
    assert got.diagnostics["capped"] == 0
    # γ ½: Z = 1 + ½·2 = 2 and 2; by outcome alone nothing is paid.
    assert_close(credit.hca(told, gamma=0.5).total, [2 / 3, -2.0, 0.0])
    assert_close(credit.hca(told, rewards="outcome").total, [0.0, 0.0, 0.0])


def test_probabilities_are_those_of_the_whole_action():
    # Means over 3 tokens: π = (1/2)³ and h = (1/4)³, so π/h = 8; over no tokens both are 1.
    told = TWO.with_columns(hindsight_logprob=np.log([0.25, 0.25, 0.25]), tokens=[3, 0, 1])
    got = credit.hca(told)
    assert_close(got.diagnostics["ratio"], [8.0, 1.0, 2.0])
    assert_close(got.total, [-7.0 * 3.0, 0.0, 0.0])


def test_the_ratio_is_capped_and_the_capped_are_counted():
    # h = e^-5000 underflows: the ratio is cut at 100, or at what is asked: (1 - 100)·3 and (1 - 4)·3. h = 1/8 gives
    # a ratio of 4, not above 4. An infinite exponent is one of the capped too.
    told = TWO.with_columns(hindsight_logprob=[-5000.0, math.log(0.125), -1.7e308], tokens=[1, 1, 2])
    got = credit.hca(told)
    assert_close(got.total, [-99.0 * 3.0, -3.0 * 2.0, 0.0])
    assert got.diagnostics["capped"] == 2
    got = credit.hca(told, max_ratio=4.0)
    assert_close(got.total, [-9.0, -6.0, 0.0], atol=1e-9)
    assert_close(got.diagnostics["ratio"], [4.0, 4.0, 4.0])


def test_counted():
    # In s: a → 1, a → 1, b → 1, a → 0. With Z = 1 the share of a is 2/3 and that of b 1/3, with Z = 0 a's is 1; t is
    # visited once: 1. π = ½: A = (1 - ¾)·1 twice, (1 - 3/2)·1, 0; in t (1 - ½)·5.
    many = turns([("s", "a", 1.0)], [("s", "a", 1.0)], [("s", "b", 1.0)], [("s", "a", 0.0)], [("t", "b", 5.0)])
    assert_close(counted_hindsight(many, many.turn_reward), [2 / 3, 2 / 3, 1 / 3, 1.0, 1.0])
    assert_close(credit.hca(many, variant="counts").total, [0.25, 0.25, -0.5, 0.0, 2.5])
    # By another key all are one state: with Z = 1 nothing changes, and Z = 5 was seen once as before.
    apart = many.with_columns(state=["x"] * 5)
    assert_close(credit.hca(apart, variant="counts", key="state").total, [0.25, 0.25, -0.5, 0.0, 2.5])


def test_counting_stays_inside_the_group_and_takes_rounding_for_equal():
    # 0.1 + 0.2 and 0.3 differ in the last bit; the other group's b does not count.
    one = turns([("s", "a", 0.1 + 0.2)], [("s", "b", 0.3)])
    assert one.turn_reward[0] != one.turn_reward[1]
    both = TurnBatch.concat([one, turns([("s", "b", 0.3)], group="other")])
    assert_close(counted_hindsight(both, both.turn_reward), [0.5, 0.5, 1.0])
    assert_close(counted_hindsight(one, np.array([1.0, 1.0 + 1e-9])), [1.0, 1.0])
    assert_close(counted_hindsight(one, np.array([-1.7e308, 1.7e308])), [1.0, 1.0])


def test_counting_everything_recovers_the_true_advantage_of_a_bandit():
    # All outcomes of two turns with π = ½ each, once: the first action decides (a pays 1), the second does nothing.
    # Z = 1 then says a for certain: A(a) = (1 - ½)·1 = Q(a) - V = ½. The second turn is in another state for each first
    # action, so that there Z says nothing: 0. For the first turn's b, Z = 0, A = 0: averaged over what follows, the
    # product form carries all of it on the paying side.
    rollouts = [[("s", first, 0.0), (first, second, float(first == "a"))] for first, second in product("ab", "ab")]
    assert_close(credit.hca(turns(*rollouts), variant="counts").total, [0.5, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "count"}, "did you mean 'counts'"),
        ({"variant": "counts", "key": "observation"}, "of key"),
        ({"rewards": "turn"}, "of rewards"),
        ({"gamma": 1.5}, "gamma must lie in"),
        ({"max_ratio": 0.5}, "at least 1"),
        ({"max_ratio": math.inf}, "finite"),
        ({"max_ratio": math.nan}, "finite"),
    ],
)
def test_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        credit.hca(TWO.with_columns(hindsight_logprob=[-1.0] * 3, observation=["x"] * 3), **options)


def test_says_which_column_is_missing():
    with pytest.raises(KeyError, match=r"estimator 'hca' needs the column 'hindsight_logprob'.*HindsightPolicy"):
        credit.hca(TWO)
    with pytest.raises(KeyError, match="needs the column 'action'"):
        credit.hca(TWO.without("action"), variant="counts")


@given(batch=paid_batches(), c=st.sampled_from([0.5, 4.0]), variant=st.sampled_from(["return", "counts"]))
def test_scales_with_the_rewards(batch, c, variant):
    scaled = batch.with_columns(turn_reward=batch.turn_reward * c, outcome_reward=batch.outcome_reward * c)
    assert_close(credit.hca(scaled, variant=variant).total, c * credit.hca(batch, variant=variant).total, atol=1e-9)


@given(batch=paid_batches())
def test_hindsight_that_says_nothing_gives_nothing(batch):
    assert (credit.hca(batch.with_columns(hindsight_logprob=batch.logprob)).total == 0).all()


# ---- the state-conditional form


def test_state_q_by_hand():
    # 1 + ½·(0.6/0.5)·0 + ¼·(0.25/0.5)·8 = 2.
    assert credit.hca_state_q(1.0, 0.5, [0.6, 0.25], [0.0, 8.0], 0.5) == pytest.approx(2.0)
    # Without discount, with h = π: the return. On a last turn: the reward.
    assert credit.hca_state_q(1.0, 0.5, [0.5, 0.5], [2.0, 3.0]) == pytest.approx(6.0)
    assert credit.hca_state_q(1.0, 0.5, [], []) == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, 0.0, [0.5], [1.0]), r"pi must be .* in \(0, 1\], got 0.0"),
        ((0.0, 1.5, [0.5], [1.0]), r"in \(0, 1\]"),
        ((0.0, math.nan, [0.5], [1.0]), r"in \(0, 1\]"),
        ((0.0, 0.5, [0.5, 0.5], [1.0]), r"h must have shape \[1\]"),
        ((0.0, 0.5, [1.5], [1.0]), r"h must hold probabilities in \[0, 1\]"),
        ((0.0, 0.5, [-0.5], [1.0]), r"h must hold probabilities in \[0, 1\]"),
        ((math.inf, 0.5, [0.5], [1.0]), "reward is not finite"),
        ((0.0, 0.5, [0.5], [math.nan]), "future_rewards is not finite at position 0"),
        ((0.0, 0.5, [0.5], [1.0], 2.0), "gamma must lie in"),
        ((0.0, 5e-324, [0.5], [1.0]), "beyond the range of float64"),
    ],
)
def test_state_q_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        credit.hca_state_q(*arguments)


def test_the_table_is_counted():
    # From s three rollouts: a → t → u, a → v → u, b → t → t. One turn later t: rollouts 0 (a) and 2 (b): ½ each; v:
    # only a: 1. Two turns later u: rollouts 0 and 1, both a: 1; t: only b: 1. In t at turn 1 rollout 0 does x and comes
    # to u, rollout 2 does y and comes to t: each alone, 1. In v: 1. Last turns have nothing ahead.
    three = turns(
        [("s", "a", 0.0), ("t", "x", 0.0), ("u", "x", 1.0)],
        [("s", "a", 0.0), ("v", "x", 0.0), ("u", "x", 1.0)],
        [("s", "b", 0.0), ("t", "y", 0.0), ("t", "y", 0.0)],
    )
    table = credit.hindsight_table(three)
    assert table.tolist() == [[0.5, 1.0], [1.0], [], [1.0, 1.0], [1.0], [], [0.5, 1.0], [1.0], []]
    kept = three.with_columns(hindsight_table=table)
    assert kept.hindsight_table.tolist() == table.tolist()
    # Q of rollout 0's first action, π ½: only R_2 = 1 is paid, and u points back to a: 1/½ = 2 (one sample).
    assert credit.hca_state_q(0.0, 0.5, table[0], [0.0, 1.0]) == pytest.approx(2.0)


@given(batch=paid_batches())
def test_the_table_agrees_with_a_loop(batch):
    rows = [
        dict(zip(("group", "state", "action"), row, strict=True))
        for row in zip(batch.group, batch.state, batch.action, strict=True)
    ]
    parts = [batch.order[a : a + n] for a, n in zip(batch.starts, batch.lengths, strict=True)]
    found = credit.hindsight_table(batch)
    for mine in parts:
        for t, row in enumerate(mine):
            wanted = []
            for k in range(1, len(mine) - t):
                key = rows[row]["group"], rows[row]["state"], rows[mine[t + k]]["state"]
                alike = [
                    rows[part[u]]["action"]
                    for part in parts
                    for u in range(len(part) - k)
                    if (rows[part[u]]["group"], rows[part[u]]["state"], rows[part[u + k]]["state"]) == key
                ]
                wanted.append(alike.count(rows[row]["action"]) / len(alike))
            assert_close(found[row], wanted)
