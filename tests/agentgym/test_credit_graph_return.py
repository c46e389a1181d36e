"""gagpo, g2po and bipace on records small enough to work out by hand, and what their formulas imply."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import MissingColumn, TurnBatch, credit
from agentgym.credit import rows as seen
from agentgym.credit.graph import build_graph
from tests.strategies import paid_batches

# a and b go from s to m, where a fails and b succeeds; c goes from s to n and fails.
FORK = TurnBatch.from_columns(
    {
        "group": ["g"] * 6,
        "trajectory": list("aabbcc"),
        "turn": [0, 1] * 3,
        "anchor": list("smsmsn"),
        "state": list("uvwxyz"),
        "next_state": ["m", "end", "m", "end", "n", "end"],
        "turn_reward": [0.0] * 6,
        "outcome_reward": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        "success": [False, False, True, True, False, False],
        "terminated": [False, True] * 3,
        "valid": [True, True, True, False, True, True],
        "action": list("lllrrr"),
    }
)


def assert_close(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12)


def test_the_graph_by_hand():
    # Three nodes, s, m and n; nobody acted in "end", which is a place all the same.
    graph = build_graph(FORK)
    s, m, n = graph.nodes.codes[[0, 1, 5]].tolist()
    assert sorted((s, m, n)) == [0, 1, 2]
    assert graph.nodes.codes.tolist() == [s, m, s, m, s, n]
    assert graph.successor.tolist() == [m, -1, m, -1, n, -1]
    end = graph.landing[1]
    assert end >= 3
    assert graph.landing.tolist() == [m, end, m, end, n, end]
    assert graph.group.tolist() == [0, 0, 0]


def test_the_graph_finds_a_last_next_state_in_its_own_group_only():
    # g ends in h's state t and, in another rollout, in its own s.
    columns = {"group": list("ggh"), "trajectory": [0, 1, 0], "turn": [0] * 3}
    batch = TurnBatch.from_columns({**columns, "anchor": list("sst"), "next_state": list("tst")})
    assert build_graph(batch).successor.tolist() == [-1, 0, 1]


def test_gagpo_by_hand():
    # γ = 0.9: G is 0, 0 | 0.9, 1 | 0, 0, so V(s) = 0.3, V(m) = 0.5, V(n) = 0.
    # δ = 0.9·0.5 - 0.3 = 0.15, -0.5 | 0.15, 1 - 0.5 = 0.5 | 0.9·0 - 0.3 = -0.3, 0.
    # λ = 0.5, γλ = 0.45: 0.15 - 0.45·0.5 = -0.075 and 0.15 + 0.45·0.5 = 0.375 in front. All six sum to 0.
    made = credit.gagpo(FORK, gamma=0.9, lam=0.5, normalise="none")
    assert_close(made.terms["graph"], [-0.075, -0.5, 0.375, 0.5, -0.3, 0.0])
    assert_close(made.diagnostics["value"], [0.3, 0.5, 0.3, 0.5, 0.3, 0.0])
    # λ = 0: δ alone, whose mean is 0 too; a is credited for reaching m although it lost there.
    assert_close(credit.gagpo(FORK, gamma=0.9, lam=0.0, normalise="none").total, [0.15, -0.5, 0.15, 0.5, -0.3, 0.0])


def test_gagpo_does_not_look_beyond_a_cut():
    # A cut rollout that ends in s again: V after the last turn is 0, though V(s) = (1 + 0)/2 with γ = 1.
    # δ = 1 - 0.5 and 0 - 0.5.
    columns = {"group": ["g"] * 2, "trajectory": [0, 1], "turn": [0, 0], "anchor": ["s", "s"], "next_state": ["e", "s"]}
    paid = {"turn_reward": [0.0] * 2, "outcome_reward": [1.0, 0.0]}
    batch = TurnBatch.from_columns({**columns, **paid, "terminated": [True, False], "truncated": [False, True]})
    assert_close(credit.gagpo(batch, gamma=1.0, normalise="none").total, [0.5, -0.5])


def test_g2po_by_hand():
    # γ = 0.9, T = 2: x is 0, 0 | 0.81, 0.9 | 0, 0, so V(s) = 0.27, V(m) = 0.45, V(n) = 0.
    # V⁺ = V(m) = 0.45, then 0 (failed) | 0.45, then R = 1 | V(n) = 0, then 0.
    # local, centred at the node: s has mean 0.3, m has 0.5. edge: V⁺ - V has mean 0.19/6 over the group.
    made = credit.g2po(FORK, gamma=0.9, normalise="none")
    assert_close(made.terms["episode"], [-1 / 3, -1 / 3, 2 / 3, 2 / 3, -1 / 3, -1 / 3])
    assert_close(made.terms["local"], [0.15, -0.5, 0.15, 0.5, -0.3, 0.0])
    assert_close(made.terms["edge"], np.array([0.18, -0.45, 0.18, 0.55, -0.27, 0.0]) - 0.19 / 6)
    assert_close(made.diagnostics["value"], [0.27, 0.45, 0.27, 0.45, 0.27, 0.0])
    assert_close(made.diagnostics["next_value"], [0.45, 0.0, 0.45, 1.0, 0.0, 0.0])


def test_g2po_fines_invalid_turns_in_the_local_term_alone():
    # b's second turn is invalid: at m, V⁺ - p is 0 and 0.9, centred ∓0.45; the edge term is what it was.
    plain, fined = (credit.g2po(FORK, gamma=0.9, normalise="none", invalid_penalty=p) for p in (0.0, 0.1))
    assert_close(fined.terms["local"], [0.15, -0.45, 0.15, 0.45, -0.3, 0.0])
    assert_close(fined.terms["edge"], plain.terms["edge"])
    assert credit.info("g2po").needs_with(preset="released")[-1] == "valid"
    assert "valid" not in credit.info("g2po").needs


def test_g2po_released_lets_long_rollouts_vote_more():
    # Outcomes 1 and 0 with 1 and 3 turns: once a turn the mean is 1/4, with ddof 1 the variance (9/16 + 3/16)/3 = 1/4.
    # (1 - 1/4)/(1/2) = 1.5 and -0.5.
    columns = {"group": ["g"] * 4, "trajectory": list("abbb"), "turn": [0, 0, 1, 2], "anchor": list("stuv")}
    paid = {"turn_reward": [0.0] * 4, "outcome_reward": [1.0, 0.0, 0.0, 0.0], "success": [True, False, False, False]}
    batch = TurnBatch.from_columns({**columns, **paid, "valid": [True] * 4})
    assert_close(credit.g2po(batch, preset="released", eps=0.0).terms["episode"], [1.5, -0.5, -0.5, -0.5])
    alone = batch.select(np.array([True, False, False, False]))
    assert_close(credit.g2po(alone, preset="released", eps=0.0).total, [1.0])  # its raw return; no peers, no spread


def test_bipace_by_hand():
    # γ = 0.9: G is 0, 0 | 0.9, 1 | 0, 0. At s, mean 0.3: a and b went l, mean 0.45, so 0.15; c went r alone, and gets
    # 0 - (0 + 0.9)/2 = -0.45. At m nobody shares an action: 0 - 1 and 1 - 0. n has one turn.
    step = credit.bipace(FORK, gamma=0.9).terms["step"]
    assert_close(step, [0.15, -1.0, 0.15, 1.0, -0.45, 0.0])
    # min_peers 1: 0 - 0.3 at s, 0 - 0.5 and 1 - 0.5 at m. 3: nobody has so many peers; l is judged by the others too.
    assert_close(credit.bipace(FORK, gamma=0.9, min_peers=1).terms["step"], [0.15, -0.5, 0.15, 0.5, -0.3, 0.0])
    assert_close(credit.bipace(FORK, gamma=0.9, min_peers=3).terms["step"], [-0.45, -1.0, 0.9, 1.0, -0.45, 0.0])


def test_bipace_is_never_divided():
    # The step term is the same with "std" and "none"; the episode term is ±… /σ: mean 1/3, σ = √2/3.
    std, none = (credit.bipace(FORK, normalise=how, eps=0.0) for how in ("std", "none"))
    assert_close(std.terms["step"], none.terms["step"])
    assert_close(std.terms["episode"], none.terms["episode"] / (2**0.5 / 3))


@pytest.mark.parametrize("name", ["gagpo", "g2po", "bipace", "graphgpo", "state_graph"])
def test_every_state_graph_says_how_far_to_trust_it(name):
    # Alone: n's turn of six. Aliased: (s, l) went to m without pay twice, (m, l), (m, r), (s, r), (n, r) are single.
    assert credit.estimate(name, FORK).diagnostics["singletons"] == pytest.approx(1 / 6)
    assert credit.estimate(name, FORK).diagnostics["aliasing"] == 0.0
    # With one action for all, (s, x) led to m, m and n, and (m, x) paid 0 and 1: five of six.
    one = FORK.with_columns(action=["x"] * 6)
    assert credit.estimate(name, one).diagnostics["aliasing"] == pytest.approx(5 / 6)
    # By state, where every turn has one of its own, nothing can be aliased.
    apart = credit.estimate(name, one, key="state").diagnostics
    assert (apart["singletons"], apart["aliasing"]) == (1.0, 0.0)
    none = credit.estimate(name, FORK.select([])).diagnostics
    assert (none["singletons"], none["aliasing"]) == (0.0, 0.0)


def test_aliasing_needs_action_and_next_state_and_is_left_out_without():
    assert "aliasing" not in credit.gagpo(FORK.without("action")).diagnostics
    assert "aliasing" not in credit.bipace(FORK.without("next_state")).diagnostics
    assert credit.g2po(FORK.without("next_state")).diagnostics["singletons"] == pytest.approx(1 / 6)


@pytest.mark.parametrize("name", ["gagpo", "g2po", "bipace", "graphgpo", "hgpo", "proxmo"])
def test_rewards_near_the_end_of_float64(name):
    # Divided by a std, 1e300 times the outcomes are the same outcomes; the terms that nothing divides are 1e300 times
    # as large, but for graphgpo's, which counts edges.
    batch = FORK.with_columns(observation=[f"place {state}" for state in "smsmsn"])
    large = batch.with_columns(outcome_reward=1e300 * batch.outcome_reward)
    here, there = (credit.estimate(name, record, eps=0.0).terms for record in (batch, large))
    for term in here:
        divided = term not in {"bipace": ("step",), "proxmo": ("step",)}.get(name, ())
        np.testing.assert_allclose(there[term] / (1.0 if divided else 1e300), here[term], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "column"), [("gagpo", "anchor"), ("g2po", "success"), ("bipace", "action"), ("gagpo", "outcome_reward")]
)
def test_a_missing_column_is_named(name, column):
    with pytest.raises(MissingColumn, match=f"'{name}' needs the column '{column}'"):
        credit.estimate(name, FORK.without(column))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("gagpo", {"lam": 1.5}, "lam must lie"),
        ("gagpo", {"gamma": -0.1}, "gamma must lie"),
        ("gagpo", {"key": "turn"}, "anchor, state"),
        ("g2po", {"gamma": 2.0}, "gamma must lie"),
        ("g2po", {"invalid_penalty": -1.0}, "invalid_penalty must be at least 0"),
        ("bipace", {"min_peers": 0}, "min_peers must be at least 1"),
    ],
)
def test_options_out_of_range(name, options, message):
    with pytest.raises(ValueError, match=message):
        credit.estimate(name, FORK, **options)


@given(batch=paid_batches(), gamma=st.sampled_from([0.5, 0.95, 1.0]))
def test_gagpo_with_lambda_one_is_the_return_less_the_value(batch, gamma):
    # Σ_l γ^l·δ telescopes to G - V.
    made = credit.gagpo(batch, gamma=gamma, lam=1.0, normalise="none")
    wanted = seen.to_go(batch, seen.reward(batch), gamma) - made.diagnostics["value"]
    np.testing.assert_allclose(made.total, wanted, rtol=0, atol=1e-9)  # Σ(G - V) = 0, so nothing is left to centre


@given(batch=paid_batches(), lam=st.sampled_from([0.0, 0.5, 1.0]))
def test_gagpo_with_all_states_distinct_is_zero(batch, lam):
    distinct = batch.with_columns(anchor=[f"n{n}" for n in range(len(batch))])
    assert (credit.gagpo(distinct, lam=lam).total == 0.0).all()


@given(batch=paid_batches(), normalise=st.sampled_from(["std", "none"]))
def test_centred_terms_sum_to_zero(batch, normalise):
    groups, nodes = seen.by_group(batch), seen.by_group_state(batch)
    graph = credit.g2po(batch, normalise=normalise).terms
    peers = credit.bipace(batch, normalise=normalise, min_peers=1).terms
    for term, among in [
        (credit.gagpo(batch, normalise=normalise).total, groups),
        (graph["edge"], groups),
        (graph["local"], nodes),
        (peers["step"], nodes),
    ]:
        assert (np.abs(among.sum(term)) <= 1e-12 * np.maximum(1.0, among.sum(np.abs(term)))).all()


@given(batch=paid_batches())
def test_bipace_with_one_action_has_no_step_term(batch):
    # C_a = C: the difference of means is 0; with one turn at a state there is nothing to compare with either.
    step = credit.bipace(batch.with_columns(action=["x"] * len(batch))).terms["step"]
    np.testing.assert_allclose(step, 0.0, rtol=0, atol=1e-12)


@pytest.mark.parametrize("normalise", ["std", "none"])
def test_gagpo_blows_up_no_rounding(normalise):
    # With every state met once V is G itself, so that each residual is 0 but for rounding, here of 1e8.
    paid = np.random.default_rng(0).uniform(size=80) * 1e8
    batch = TurnBatch.from_columns(
        {
            "group": ["g"] * 80,
            "trajectory": np.repeat(np.arange(8), 10),
            "turn": np.tile(np.arange(10), 8),
            "anchor": np.arange(80),
            "turn_reward": paid,
            "outcome_reward": [0.0] * 80,
        }
    )
    assert not credit.gagpo(batch, normalise=normalise).total.any()
