"""slate, tstar and vine on records small enough to work out by hand, and the functions beside them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.credit.tree import same_prefix
from agentgym.errors import MissingColumn
from tests.strategies import paid_batches


def assert_close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


def candidates(*prefixes, **columns):
    """One-turn rollouts; each argument holds the turn rewards sampled from one prefix."""
    rows = [
        {"group": "g", "trajectory": f"{p}/{j}", "turn": 0, "prefix": f"p{p}", "state": "s", "turn_reward": paid}
        for p, rewards in enumerate(prefixes)
        for j, paid in enumerate(rewards)
    ]
    return TurnBatch.from_rows(rows)


# ---- slate -----------------------------------------------------------------------------------------------------------


def test_slate_by_hand():
    # Mean 1/2, squares 1/4 + 1/4 over 2 - 1: std √½, so ±½/√½ = ±√½. Odds of the better one: exp(2·√½ / 0.7).
    made = credit.slate(candidates([1.0, 0.0]), eps=0.0)
    assert_close(made.terms["step"], [0.5**0.5, -(0.5**0.5)])
    share = 1 / (1 + math.exp(-(2**0.5) / 0.7))
    assert_close(made.diagnostics["select_prob"], [share, 1 - share])
    # ddof 0: std ½, so ±1; without the division ±½.
    assert_close(credit.slate(candidates([1.0, 0.0]), ddof=0, eps=0.0).total, [1.0, -1.0])
    assert_close(credit.slate(candidates([1.0, 0.0]), normalise="none").total, [0.5, -0.5])


def test_slate_compares_turns_of_one_prefix_alone():
    # The second prefix: mean 2, squares 1 + 0 + 1 over 2: std 1, so -1, 0, 1. The third has one candidate, the fourth
    # equal ones: 0, drawn evenly.
    made = credit.slate(candidates([1.0, 0.0], [1.0, 2.0, 3.0], [5.0], [0.7, 0.7, 0.7]), eps=0.0)
    assert_close(made.total, [0.5**0.5, -(0.5**0.5), -1, 0, 1, 0, 0, 0, 0])
    assert made.total[5:].tolist() == [0.0] * 4
    assert_close(made.diagnostics["select_prob"][5:], [1.0, 1 / 3, 1 / 3, 1 / 3])


def test_slate_takes_equal_states_where_there_is_no_prefix():
    batch = candidates([1.0, 0.0], [3.0])
    # One state in all: mean 4/3, distances -1/3, -4/3, 5/3, squares 42/9 over 2.
    assert_close(credit.slate(batch.without("prefix"), eps=0.0).total, np.array([-1, -4, 5]) / 3 / (21 / 9) ** 0.5)
    # Equal prefixes of two groups stay apart.
    apart = batch.with_columns(group=["g", "h", "i"], prefix=["p", "p", "p"])
    assert credit.slate(apart).total.tolist() == [0.0, 0.0, 0.0]


def test_slate_without_prefix_and_state_says_what_records_them():
    with pytest.raises(MissingColumn, match=r"'slate' cannot run: .* 'prefix' nor 'state' .*branching=Slate\(\)"):
        credit.slate(candidates([1.0, 0.0]).without("prefix", "state"))
    with pytest.raises(ValueError, match="temperature must be positive"):
        credit.slate(candidates([1.0]), eta=0.0)


@pytest.mark.parametrize(
    ("think", "score", "kind", "t", "wanted"),
    [
        (1, 1, "search", 1, 2.0),
        (1, -1, "answer", 1, 0.075),  # 0 + 0.1·(4 - 1)/4
        (0, -1, "answer", 3, -0.975),  # -1 + 0.1·1/4
        (1, 1, "answer", 4, 2.0),
        (0, 0, "answer", 6, -0.05),  # 0.1·(4 - 6)/4
        (5, -7, "search", 2, 0.0),  # clamped to 1 and -1
    ],
)
def test_slate_reward_by_hand(think, score, kind, t, wanted):
    assert credit.slate_reward(think, score, kind, t) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("think", "score", "kind", "t", "wanted"),
    [
        (1, 1, "search", 1, 2.0),  # no bonus, nothing to clamp: the same
        (0, 0, "answer", 3, 0.05),  # turn 2 when counted from 0: 0.1·(4 - 2)/4
        (5, -7, "answer", 1, -1.9),  # 5 - 7, and the whole bonus of 0.1·4/4
    ],
)
def test_slate_reward_as_released_by_hand(think, score, kind, t, wanted):
    assert credit.slate_reward(think, score, kind, t, released=True) == pytest.approx(wanted)


def test_slate_reward_options():
    assert credit.slate_reward(0, 0, "answer", 1, bonus=1.0, budget=2) == 0.5
    with pytest.raises(ValueError, match="budget must be above 0"):
        credit.slate_reward(0, 0, "answer", 1, budget=0)


# ---- tstar -----------------------------------------------------------------------------------------------------------


def walks(*rollouts, group="g"):
    """One group; each rollout is (states after its turns, outcome)."""
    rows = [
        {
            "group": group, "trajectory": i, "turn": t, "next_state": state,
            "turn_reward": 0.0, "outcome_reward": outcome if t == len(states) - 1 else 0.0,
        }
        for i, (states, outcome) in enumerate(rollouts)
        for t, state in enumerate(states)
    ]  # fmt: skip
    return TurnBatch.from_rows(rows)


# Three go to m, of which two win (1) and one loses (0); the fourth goes to n and loses.
FORKED = walks(("mw", 1.0), ("mw", 1.0), ("ml", 0.0), ("nl", 0.0))


def test_tstar_by_hand():
    # γ ½. Leaves: 1, 1, 0, 0. m: ½·(2/3·1 + 1/3·0) = 1/3; n: ½·0 = 0. R: mean ½, squares 4·¼ over 3: std 1/√3.
    made = credit.tstar(FORKED, gamma=0.5, eps=0.0)
    q = [1 / 3, 1, 1 / 3, 1, 1 / 3, 0, 0, 0]
    assert_close(made.diagnostics["q"], q)
    assert_close(made.terms["tree"], (np.array(q) - 0.5) * 3**0.5)
    # ddof 0: std ½; without the division the distance alone.
    assert_close(credit.tstar(FORKED, gamma=0.5, ddof=0, eps=0.0).total, (np.array(q) - 0.5) * 2)
    assert_close(credit.tstar(FORKED, gamma=0.5, normalise="none").total, np.array(q) - 0.5)


def test_tstar_divergences_by_hand():
    # At the root 1/3 against 0, at m 1 against 0.
    found = credit.tstar(FORKED, gamma=0.5).diagnostics["divergences"]
    assert [(d.group, d.better, d.worse) for d in found] == [("g", (0, 0), (3, 0)), ("g", (0, 1), (2, 1))]
    assert [d.gap for d in found] == pytest.approx([1 / 3, 1.0])
    # A gap has to exceed the threshold.
    only = credit.tstar(FORKED, gamma=0.5, divergence_threshold=1 / 3).diagnostics["divergences"]
    assert [d.better for d in only] == [(0, 1)]
    assert credit.tstar(FORKED, gamma=0.5, divergence_threshold=1.0).diagnostics["divergences"] == ()


def test_tstar_divergences_name_a_rollout_that_passed_there():
    # a is left to y by 0 and to z by 1, b to y by 2 and 5, to w by 3 and 4. Both ways to y lead to one node, worth γ,
    # and the way from b is named by rollout 2, though 0 came to y first. w: γ/2. Root: a = γ·½·(γ + 0) = 0.49,
    # b = γ·½·(γ + γ/2) = 0.735.
    batch = walks(("ayp", 1.0), ("azq", 0.0), ("byp", 1.0), ("bwp", 1.0), ("bwq", 0.0), ("byp", 1.0))
    found = credit.tstar(batch).diagnostics["divergences"]
    assert [(d.better, d.worse) for d in found] == [((0, 1), (1, 1)), ((2, 1), (3, 1)), ((3, 2), (4, 2))]
    low = credit.tstar(batch, divergence_threshold=0.1).diagnostics["divergences"]
    assert low[0][1:3] == ((2, 0), (0, 0))


def test_tstar_of_children_of_equal_value_the_earlier_rollout_is_named():
    batch = walks(("x", 0.0), ("y", 1.0), ("z", 1.0), ("w", 0.0))
    assert [(d.better, d.worse) for d in credit.tstar(batch).diagnostics["divergences"]] == [((1, 0), (0, 0))]


def test_tstar_leaves_merge_only_with_equal_returns_and_never_with_inner_nodes():
    # After turn 0 all stand in m: rollout 0 ends there with 1, rollout 1 with 0, rollout 2 goes on to win.
    made = credit.tstar(walks(("m", 1.0), ("m", 0.0), ("mw", 1.0)), gamma=0.5)
    assert_close(made.diagnostics["q"], [1.0, 0.0, 0.5, 1.0])
    assert [(d.better, d.worse, d.gap) for d in made.diagnostics["divergences"]] == [((0, 0), (1, 0), 1.0)]


def test_tstar_is_zero_where_all_returns_are_equal():
    equal = walks(("mw", 1.0), ("mw", 1.0), ("nw", 1.0))
    assert credit.tstar(equal).total.tolist() == [0.0] * 6
    assert credit.tstar(equal).diagnostics["divergences"] == ()
    assert credit.tstar(walks(("mw", 1.0))).total.tolist() == [0.0, 0.0]
    assert_close(credit.tstar(equal).diagnostics["q"], [0.99, 1.0] * 3)


def test_tstar_turn_rewards_count_unless_told_not_to():
    # Leaves worth 1 + 1/4 and 1/4 in total, 1 and 0 by outcome alone.
    batch = walks(("x", 1.0), ("y", 0.0)).with_columns(turn_reward=[0.25, 0.25])
    assert_close(credit.tstar(batch).diagnostics["q"], [1.25, 0.25])
    assert_close(credit.tstar(batch, rewards="outcome").diagnostics["q"], [1.0, 0.0])


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_tstar_bad_threshold(bad):
    with pytest.raises(ValueError, match=r"divergence_threshold.* (must be at least 0|takes a finite number)"):
        credit.tstar(FORKED, divergence_threshold=bad)


def test_surgical_loss_by_hand():
    # β·[(−12 + 20) − (−14 + 18)] = 0.4: log(1 + e^−0.4); no gap between policy and reference: log 2.
    assert credit.surgical_loss(-12, -20, -14, -18) == pytest.approx(0.15 * math.log1p(math.exp(-0.4)))
    assert credit.surgical_loss(-12, -20, -14, -18, weight=1.0) == pytest.approx(0.5130152523999526)
    assert_close(credit.surgical_loss([-1, -3], [-2, -4], [-1, -3], [-2, -4], weight=1.0), [math.log(2)] * 2)
    # A margin of -1e5: the loss is β·1e5 itself, and of +1e5 nothing.
    assert_close(credit.surgical_loss([-1e5, 0], [0, -1e5], [0, 0], [0, 0], weight=1.0), [1e4, 0.0])


def test_tstar_finds_no_divergence_in_rounding():
    # One of two rollouts earns .1 + .2 + .3 = 0.6000000000000001 and the other .6: equal but for the last bit.
    batch = walks(("x", 0.1 + 0.2 + 0.3), ("y", 0.6))
    assert credit.tstar(batch, divergence_threshold=0.0).diagnostics["divergences"] == ()
    batch = walks(("x", 0.6 + 1e-9), ("y", 0.6))
    [found] = credit.tstar(batch, divergence_threshold=0.0).diagnostics["divergences"]
    assert found.gap == pytest.approx(1e-9, abs=1e-15)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_surgical_loss_refuses_what_is_not_finite(bad):
    with pytest.raises(ValueError, match="ref_chosen must hold finite log-probabilities"):
        credit.surgical_loss([0.0], [0.0], [bad], [0.0])
    with pytest.raises(ValueError, match="finite beta"):
        credit.surgical_loss(0, 0, 0, 0, weight=bad)


@pytest.mark.parametrize("bad", [{"beta": 0.0}, {"weight": -1.0}, {"beta": math.nan}])
def test_surgical_loss_bad_options(bad):
    with pytest.raises(ValueError, match="beta > 0 and weight >= 0"):
        credit.surgical_loss(0, 0, 0, 0, **bad)


# ---- vine ------------------------------------------------------------------------------------------------------------

VALUED = TurnBatch.from_columns(
    {
        "group": ["g"] * 4, "trajectory": ["a", "a", "a", "b"], "turn": [0, 1, 2, 0],
        "turn_reward": [0.0, 0.1, 0.0, 0.0], "outcome_reward": [0.0, 0.0, 1.0, 0.0],
        "value": [0.5, 0.25, 1.0, 0.5], "truncated": [False, False, False, True],
        "bootstrap_value": [9.0, 9.0, 9.0, 0.75],
    }
)  # fmt: skip


def test_vine_by_hand():
    # a: 0 + ¼ - ½, 0.1 + 1 - ¼, 1 + 0 - 1; they add up to R - V(s_0) = 1.1 - ½. b: 0 + 0 - ½.
    assert_close(credit.vine(VALUED).terms["turn"], [-0.25, 0.85, 0.0, -0.5])
    assert_close(credit.vine(VALUED, rewards="outcome").total, [-0.25, 0.75, 0.0, -0.5])


def test_vine_bootstraps_where_the_caller_cut_the_rollout():
    # b goes on from 0.75, which is read nowhere else.
    assert_close(credit.vine(VALUED, bootstrap_truncated=True).total, [-0.25, 0.85, 0.0, 0.25])
    with pytest.raises(MissingColumn, match="bootstrap_value"):
        credit.vine(VALUED.without("bootstrap_value"), bootstrap_truncated=True)
    with pytest.raises(MissingColumn, match=r"needs the column 'value'.*Vine\(\)"):
        credit.vine(VALUED.without("value"))


def test_vine_refuses_values_of_other_rewards():
    made = VALUED.with_meta(value={"scheme": "vine", "rewards": "outcome"})
    assert credit.vine(made, rewards="outcome").total[1] == pytest.approx(0.75)
    with pytest.raises(ValueError, match="are of rewards='outcome' and the estimate asks for 'total'"):
        credit.vine(made)


# ---- properties ------------------------------------------------------------------------------------------------------


@given(batch=paid_batches(), eta=st.sampled_from([0.7, 0.01, 100.0]), normalise=st.sampled_from(["std", "none"]))
def test_slate_sums_to_zero_and_its_probabilities_to_one_over_a_prefix(batch, eta, normalise):
    made = credit.slate(batch, eta=eta, normalise=normalise)
    among = same_prefix(batch)
    assert_close(among.sum(made.total), np.zeros(among.size))
    assert_close(among.sum(made.diagnostics["select_prob"]), np.ones(among.size))
    flat = credit.slate(batch.with_columns(turn_reward=np.full(len(batch), 0.1)), eta=eta)
    assert_close(flat.diagnostics["select_prob"], 1 / among.counts[among.codes])


@given(batch=paid_batches())
def test_vine_telescopes_and_tstar_at_last_turns_is_the_outcome_against_the_group(batch):
    total = np.bincount(batch.rollout, credit.vine(batch).total)
    paid = np.bincount(batch.rollout, batch.turn_reward + batch.outcome_reward)
    assert_close(total, paid - batch.value[batch.order[batch.starts]])
    # A leaf is worth its R, so there the estimate is grpo's.
    made = credit.tstar(batch, eps=1e-6).total[batch.last]
    assert_close(made, credit.grpo(batch, ddof=1, eps=1e-6).total[batch.last])
    # Without a discount and with every path its own, so is all of it.
    apart = batch.with_columns(next_state=[f"n{row}" for row in range(len(batch))])
    assert_close(credit.tstar(apart, gamma=1.0, eps=1e-6).total, credit.grpo(batch, ddof=1, eps=1e-6).total)


@given(batch=paid_batches(), threshold=st.sampled_from([0.0, 0.3]))
def test_divergences_are_sorted_and_name_turns_of_one_start(batch, threshold):
    made = credit.tstar(batch, divergence_threshold=threshold).diagnostics
    rows = {key: n for n, key in enumerate(zip(batch.group, batch.trajectory, batch.turn.tolist(), strict=True))}
    for found in made["divergences"]:
        better, worse = (rows[(found.group, *way)] for way in (found.better, found.worse))
        assert found.gap == made["q"][better] - made["q"][worse] > threshold
        turn = found.better[1]
        assert turn == found.worse[1]
        if turn:
            before = [rows[found.group, way[0], turn - 1] for way in (found.better, found.worse)]
            assert batch.next_state[before[0]] == batch.next_state[before[1]]
    order = [(list(batch.group).index(found.group), found.better[1]) for found in made["divergences"]]
    assert order == sorted(order)
