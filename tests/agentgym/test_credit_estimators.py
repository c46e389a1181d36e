"""The five on records small enough to work out by hand."""

import math

import numpy as np
import pytest

from agentgym import credit
from agentgym.batch import TurnBatch


def record(rollouts, **columns):
    """One group; `rollouts` holds (turn rewards, outcome); further columns are lists of lists, one a rollout."""
    rows = []
    for i, (rewards, outcome) in enumerate(rollouts):
        for t, paid in enumerate(rewards):
            last = t == len(rewards) - 1
            row = {"group": "g", "trajectory": i, "turn": t, "turn_reward": paid}
            row["outcome_reward"] = outcome if last else 0.0
            rows.append(row | {name: values[i][t] for name, values in columns.items()})
    return TurnBatch.from_rows(rows)


def assert_close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


# Outcomes 1, 0, 0 with 1, 2 and 5 turns.
UNEVEN = record([([0.0], 1.0), ([0.0] * 2, 0.0), ([0.0] * 5, 0.0)], tokens=[[3], [1, 2], [1, 0, 0, 0, 1]])


def test_grpo_by_hand():
    # Mean 1/3, variance 2/9, std √2/3: (2/3)/(√2/3) = √2 and -(1/3)/(√2/3) = -1/√2, the same on every turn.
    assert_close(credit.grpo(UNEVEN, eps=0.0).total, [2**0.5] + [-(0.5**0.5)] * 7)


def test_grpo_votes():
    # ddof 1. Once a rollout: 2/√3 = 1.1547. Once a turn (1, 2, 5): (7/8)·√8 = 2.4749 and -√8/8 = -0.3536.
    assert_close(credit.grpo(UNEVEN, ddof=1, eps=0.0).total, [2 / 3**0.5] + [-1 / 3**0.5] * 7)
    assert_close(credit.grpo(UNEVEN, votes="turn", ddof=1, eps=0.0).total, [7 / 8**0.5] + [-1 / 8**0.5] * 7)
    # Once a token (3, 3, 2), ddof 0: mean 3/8, variance 15/64: (5/8)/(√15/8) = 5/√15 and -3/√15.
    assert_close(credit.grpo(UNEVEN, votes="token", eps=0.0).total, [5 / 15**0.5] + [-3 / 15**0.5] * 7)


def test_grpo_counts_turn_rewards_unless_told_not_to():
    # Returns 1 + 0.5 and 0.5 + 1: equal in total, 1 and 0.5 by outcome.
    both = record([([0.5], 1.0), ([0.5, 0.5], 0.5)])
    assert_close(credit.grpo(both, normalise="none").total, [0, 0, 0])
    assert_close(credit.grpo(both, normalise="none", rewards="outcome").total, [0.25, -0.25, -0.25])


def test_grpo_of_one_rollout():
    alone = record([([0.0, 0.0], 3.0)])
    assert_close(credit.grpo(alone).total, [0, 0])
    assert_close(credit.grpo(alone, singleton="raw", eps=0.5).total, [2, 2])  # 3 / 1.5
    assert_close(credit.grpo(alone, singleton="raw", normalise="none").total, [3, 3])
    assert_close(credit.grpo(alone, preset="verl_agent", eps=0.5).total, [2, 2])
    assert_close(credit.grpo(alone, preset="trl").total, [0, 0])


# Turn 0 pays 0.3 / 0 / 0, turn 1 pays 0 / 0 / 1 (GN_1 over those that have it), outcomes 0 / 1 / 0.
TURNS = record([([0.3, 0.0], 0.0), ([0.0, 0.0], 1.0), ([0.0, 1.0], 0.0)])
ROOT = 2**0.5


def test_mt_grpo_by_hand():
    # Any one-of-three vector standardises to √2 on the one and -1/√2 on the others (ddof 0, eps 0).
    # GN_0 = (√2, -1/√2, -1/√2), GN_1 = (-1/√2, -1/√2, √2), GN(o) = (-1/√2, √2, -1/√2).
    down = -1 / ROOT
    own = credit.mt_grpo(TURNS, variant="own_turn", eps=0.0)
    assert_close(own.terms["turn"], [ROOT, down, down, down, down, ROOT])
    assert_close(own.terms["outcome"], [down, down, ROOT, ROOT, down, down])
    # Summed over the future: turn 0 adds turn 1.
    future = credit.mt_grpo(TURNS, eps=0.0)
    assert_close(future.terms["turn"], [ROOT + down, down, 2 * down, down, down + ROOT, ROOT])
    assert_close(future.total, future.terms["turn"] + own.terms["outcome"])


def test_mt_grpo_merged_forms():
    down = -1 / ROOT
    assert_close(credit.mt_grpo(TURNS, variant="grpo_or", eps=0.0).total, [down, down, ROOT, ROOT, down, down])
    # o + Σr = 0.3, 1, 1: mean 2.3/3, deviations -1.4/3, 0.7/3, 0.7/3: one-of-three again, downwards.
    merged = credit.mt_grpo(TURNS, variant="grpo_mr", eps=0.0)
    assert_close(merged.total, [-ROOT, -ROOT, -down, -down, -down, -down])
    assert_close(merged.terms["turn"], np.zeros(6))


def test_mt_grpo_normalises_a_turn_over_those_that_reached_it():
    # Turn 1 exists in two rollouts with rewards 0 and 2: ±1; the one-turn rollout has no part in it.
    ragged = record([([0.0], 0.0), ([0.0, 0.0], 0.0), ([0.0, 2.0], 0.0)])
    assert_close(credit.mt_grpo(ragged, variant="own_turn", eps=0.0).total, [0, 0, -1, 0, 1])


def test_mt_grpo_two_segments():
    # Σr = 2, 0, 0, 0 and o = 0, 0, 4, 0 give GN (√3, -1/√3 three times) with ddof 0; o + Σr = 2, 0, 4, 0: mean 1.5,
    # variance (0.25 + 2.25 + 6.25 + 2.25)/4 = 2.75. Rollout 0 gets its first tool result in turn 1, rollout 1 in turns
    # 0 and 2, rollout 2 in turn 0, rollout 3 never.
    three = record(
        [([2.0, 0.0, 0.0], 0.0), ([0.0] * 3, 0.0), ([0.0], 4.0), ([0.0, 0.0], 0.0)],
        tool_result=[[False, True, False], [True, False, True], [True], [False, False]],
    )
    up, down, merged = 3**0.5, -1 / 3**0.5, -1.5 / 2.75**0.5
    got = credit.mt_grpo(three, preset="two_segment", ddof=0, eps=0.0, coef=0.5)
    assert_close(got.terms["turn"], [0.5 * up, 0.5 * up, 0, 0.5 * down, 0, 0, 0.5 * down, 0, 0])
    assert_close(got.terms["outcome"], [down] * 3 + [down] * 3 + [up] + [merged] * 2)


# Both start in s; rollout 0 goes on in t and wins, rollout 1 stays in s and loses.
FORK = record([([0.0, 0.0], 1.0), ([0.0, 0.0], 0.0)], anchor=[["s", "t"], ["s", "s"]], state=[["a", "b"], ["c", "d"]])


def test_gigpo_by_hand():
    # Episode: ±1. Step with γ ½: in s the returns ½, 0, 0: one of three, √2 and -1/√2; t has one visitor: 0.
    got = credit.gigpo(FORK, gamma=0.5, step_weight=0.1, eps=0.0)
    assert_close(got.terms["episode"], [1, 1, -1, -1])
    assert_close(got.terms["step"], [0.1 * ROOT, 0, -0.1 / ROOT, -0.1 / ROOT])
    # By state nobody meets anybody.
    assert_close(credit.gigpo(FORK, key="state", eps=0.0).total, [1, 1, -1, -1])
    # Centred only: 0.5 - 1/6 and -1/6.
    assert_close(credit.gigpo(FORK, gamma=0.5, normalise="none").terms["step"], [1 / 3, 0, -1 / 6, -1 / 6])


def test_gigpo_keeps_groups_apart():
    two = TurnBatch.from_columns(
        {
            "group": [0, 1],
            "trajectory": [0, 0],
            "turn": [0, 0],
            "turn_reward": [0.0, 1.0],
            "outcome_reward": [0.0, 1.0],
            "anchor": ["s", "s"],
        }
    )
    assert_close(credit.gigpo(two).total, [0, 0])


def test_gigpo_invalid_penalty():
    # Scores by row 1, 1, 0 - 0.5, 0: mean 3/8. Returns (γ 1) 1, 1, 0 - 0.5, 0: the penalty is taken off after
    # discounting and so reaches its own row alone; in s they are 1, -0.5, 0 with mean 1/6.
    fined = FORK.with_columns(valid=[True, True, False, True])
    got = credit.gigpo(fined, gamma=1.0, normalise="none", invalid_penalty=0.5, votes="turn")
    assert_close(got.terms["episode"], [5 / 8, 5 / 8, -7 / 8, -3 / 8])
    assert_close(got.terms["step"], [5 / 6, 0, -2 / 3, -1 / 6])
    with pytest.raises(ValueError, match='needs votes="turn"'):
        credit.gigpo(fined, invalid_penalty=0.5)
    with pytest.raises(ValueError, match="at least 0"):
        credit.gigpo(fined, invalid_penalty=-0.5, votes="turn")


def test_gigpo_similarity_joins_the_first_cluster_that_fits():
    # ratio = 2·matches/length: "abcd"/"abcx" 6/8, "abyx"/"abcd" 4/8, "abyx"/"abcx" 6/8 (a, b, x). With threshold 0.7
    # rows 0 and 1 are one cluster (first member abcd) and abyx founds another, although it resembles abcx.
    texts = [["abcd"], ["abcx"], ["abyx"]]
    three = record([([0.0], 1.0), ([0.0], 0.0), ([0.0], 0.0)], observation=texts)
    assert_close(credit.gigpo(three, similarity=0.7, normalise="none").terms["step"], [0.5, -0.5, 0])
    # At 0.5 all join; at 1 none.
    assert_close(credit.gigpo(three, similarity=0.5, normalise="none").terms["step"], [2 / 3, -1 / 3, -1 / 3])
    assert_close(credit.gigpo(three, similarity=1.0, normalise="none").terms["step"], [0, 0, 0])
    with pytest.raises(ValueError, match="similarity must lie in"):
        credit.gigpo(three, similarity=0.0)


LOG2 = math.log(2.0)


def test_hcapo_by_hand():
    # temperature 1, p = 1 and 1/2: mean 3/4, so ρ 4/3 and 2/3, clipped to 1.2 and 0.8. R = 2, γ ½: Q = 1.2·½·2 = 1.2
    # and 0.8·2 = 1.6; the losing rollout has Q = 0, 0. Mean 0.7, deviations 0.5, 0.9, -0.7, -0.7; episode ±1.
    log = [[0.0, -LOG2], [0.0, -LOG2]]
    two = record([([0.0, 0.0], 2.0), ([0.0, 0.0], 0.0)], hindsight_logprob=log, success=[[True] * 2, [False] * 2])
    got = credit.hcapo(two, gamma=0.5, temperature=1.0, normalise="none", hindsight_weight=0.5)
    assert_close(got.diagnostics["rho"], [1.2, 0.8, 1.2, 0.8])
    assert_close(got.diagnostics["q"], [1.2, 1.6, 0, 0])
    assert_close(got.terms["hindsight"], [0.25, 0.45, -0.35, -0.35])
    assert_close(got.terms["episode"], [1, 1, -1, -1])
    # Smoothing 0.25: 0.25·1.2 + 0.75·1.6 = 1.5 from the unsmoothed next one; the last turn keeps 1.6.
    smooth = credit.hcapo(two, gamma=0.5, temperature=1.0, smoothing=0.25)
    assert_close(smooth.diagnostics["q"], [1.5, 1.6, 0, 0])


def test_hcapo_does_no_harm_to_successes():
    # p equal: ρ = 1. γ 0, R = 3 and 3: Q = 0, 3 in each rollout, mean 1.5. The flag, not the reward, decides: rollout 0
    # is a success, so its -1.5 becomes 0; rollout 1 is not, so its -1.5 stays.
    log = [[-1.0, -1.0], [-1.0, -1.0]]
    flags = [[True, True], [False, False]]
    two = record([([0.0, 0.0], 3.0), ([0.0, 0.0], 3.0)], hindsight_logprob=log, success=flags)
    masked = credit.hcapo(two, gamma=0.0, normalise="none")
    assert_close(masked.terms["hindsight"], [0, 1.5, -1.5, 1.5])
    bare = credit.hcapo(two.without("success"), gamma=0.0, normalise="none", do_no_harm=False)
    assert_close(bare.terms["hindsight"], [-1.5, 1.5, -1.5, 1.5])


def test_hcapo_policy_ratio():
    # exp((hindsight - policy)/2): differences 0, 2·ln 1.1, and 4000, which overflows unless it is clipped first.
    one = record(
        [([0.0, 0.0, 0.0], 1.0)],
        hindsight_logprob=[[-1.0, -1.0, 0.0]],
        logprob=[[-1.0, -1.0 - 2 * math.log(1.1), -4000.0]],
        success=[[True] * 3],
    )
    got = credit.hcapo(one, variant="policy_ratio", temperature=2.0)
    assert_close(got.diagnostics["rho"], [1.0, 1.1, 1.2])


def test_hcapo_survives_tiny_probabilities():
    # exp(-2000) underflows; against each other e^-2000 and e^-2001 are 1 and 1/e: ρ = 2/(1 + 1/e) and 2/(1 + e).
    one = record([([0.0, 0.0], 1.0)], hindsight_logprob=[[-2000.0, -2001.0]], success=[[True] * 2])
    got = credit.hcapo(one, temperature=1.0, clip=(0.0, 9.0))
    assert_close(got.diagnostics["rho"], [2 / (1 + 1 / math.e), 2 / (1 + math.e)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clip": (1.2, 0.8)}, "clip must be"),
        ({"clip": (-0.1, 1.0)}, "clip must be"),
        ({"clip": (0.0, 0.0)}, "clip must be"),
        ({"temperature": 0.0}, "temperature must be positive"),
        ({"smoothing": 1.5}, "smoothing must lie in"),
        ({"gamma": 1.5}, "gamma must lie in"),
        ({"variant": "policy"}, "did you mean 'policy_ratio'"),
    ],
)
def test_hcapo_refuses(options, message):
    one = record([([0.0], 1.0)], hindsight_logprob=[[-1.0]], logprob=[[-1.0]], success=[[True]])
    with pytest.raises(ValueError, match=message):
        credit.hcapo(one, **options)


# Rollout 0: s → t → end (1). Rollout 1: s → t → cut off at x, where nobody acted. Rollout 2: s → end (0).
GRAPH = record(
    [([0.0, 0.0], 1.0), ([0.0, 0.0], 0.0), ([0.0], 0.0)],
    anchor=[["s", "t"], ["s", "t"], ["s"]],
    next_state=[["t", "end"], ["t", "x"], ["end"]],
    terminated=[[False, True], [False, False], [True]],
    action=[["a", "b"], ["a", "b"], ["c"]],
)


def test_state_graph_by_hand():
    # γ ½, κ 0, μ = 1/3. t: 2·V = 1 + ½·μ (bootstrap at x) → V(t) = 7/12. s: 3·V = ½·V(t)·2 + 0 → V(s) = 7/36.
    # A: s → t: 7/24 - 7/36 = 7/72; t → end: 1 - 7/12 = 5/12; t → x: 1/6 - 7/12 = -5/12; s → end: -7/36.
    got = credit.state_graph(GRAPH, gamma=0.5, prior=0.0, normalise="none")
    assert_close(got.diagnostics["value"], [7 / 36, 7 / 12, 7 / 36, 7 / 12, 7 / 36])
    assert_close(got.total, [7 / 72, 5 / 12, 7 / 72, -5 / 12, -7 / 36])


def test_state_graph_prior_pulls_to_the_mean_return():
    # κ 1: (2 + 1)·V(t) = 1 + 1/6 + 1/3 → V(t) = 1/2; (3 + 1)·V(s) = ½ + 1/3 → V(s) = 5/24.
    got = credit.state_graph(GRAPH, gamma=0.5, prior=1.0, normalise="none")
    assert_close(got.diagnostics["value"], [5 / 24, 1 / 2, 5 / 24, 1 / 2, 5 / 24])


def test_state_graph_divides_by_the_std_without_centring():
    plain = credit.state_graph(GRAPH, gamma=0.5, normalise="none").total
    assert_close(credit.state_graph(GRAPH, gamma=0.5, eps=0.0).total, plain / plain.std())


def test_state_graph_loops():
    # s → s → end paying 1: (2 + 0)·V = ½·V + 1 → V = 2/3, so A = ½·2/3 - 2/3 = -1/3, then 1 - 2/3 = 1/3.
    loop = record([([0.0, 0.0], 1.0)], anchor=[["s", "s"]], next_state=[["s", "end"]], terminated=[[False, True]])
    assert_close(credit.state_graph(loop, gamma=0.5, prior=0.0, normalise="none").total, [-1 / 3, 1 / 3])


def test_state_graph_diagnostics():
    # (s, a) twice to t without reward: no alias. (t, b) led to end with 1 and to x with 0: two of five rows. s has
    # three turns, t two: nobody is alone.
    got = credit.state_graph(GRAPH).diagnostics
    assert got["aliasing"] == pytest.approx(2 / 5)
    assert got["singletons"] == 0.0
    assert "aliasing" not in credit.state_graph(GRAPH.without("action")).diagnostics


def test_aliasing_by_reward_alone():
    # Both take the same action from s to the same end; only the pay differs.
    two = record(
        [([0.0], 1.0), ([0.0], 0.0)],
        anchor=[["s"], ["s"]],
        next_state=[["end"], ["end"]],
        terminated=[[True], [True]],
        action=[["a"], ["a"]],
    )
    assert credit.state_graph(two).diagnostics["aliasing"] == 1.0


def test_state_graph_refuses():
    with pytest.raises(ValueError, match="gamma = 1 with prior = 0"):
        credit.state_graph(GRAPH, gamma=1.0, prior=0.0)
    with pytest.raises(ValueError, match="prior must be at least 0"):
        credit.state_graph(GRAPH, prior=-0.1)
    with pytest.raises(ValueError, match="did you mean 'state'"):
        credit.state_graph(GRAPH.with_columns(state=["s"] * 5), key="next_state")


def test_mt_grpo_normalises_inside_groups():
    # Turn 0 pays 0, 2 in group 0 and 10, 30 in group 1: ±1 in each, whatever the other group earns.
    two = TurnBatch.from_columns(
        {
            "group": [0, 0, 1, 1],
            "trajectory": [0, 1, 0, 1],
            "turn": [0] * 4,
            "turn_reward": [0.0, 2.0, 10.0, 30.0],
            "outcome_reward": [0.0] * 4,
        }
    )
    assert_close(credit.mt_grpo(two, eps=0.0).total, [-1, 1, -1, 1])
