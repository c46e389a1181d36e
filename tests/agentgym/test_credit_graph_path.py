"""graphgpo on records small enough to work out by hand, and the three faults of its formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import MissingColumn, TurnBatch, credit
from agentgym.credit import rows as seen
from tests.agentgym.test_credit_graph_return import FORK, assert_close
from tests.strategies import paid_batches


def walks(*paths, won=()):
    """One group: a rollout a path of states, the last of them only reached; those numbered in `won` succeed."""
    rows = []
    for i, path in enumerate(paths):
        for t, (here, there) in enumerate(zip(path, path[1:], strict=False)):
            last = t == len(path) - 2
            row = {"group": "g", "trajectory": i, "turn": t, "anchor": here, "next_state": there}
            row |= {"turn_reward": 0.0, "outcome_reward": float(last and i in won), "success": i in won}
            rows.append(row | {"terminated": last})
    return TurnBatch.from_rows(rows)


def test_by_hand():
    # b's last turn leads to the goal: d(m) = 1, and over a's and b's edge d(s) = 2. Nothing leads from n or "end"
    # anywhere, so they count as 2 + 1 = 3. x = 10·0.1^(d+1): 0.1, 0.001 | 0.1, 1 | 0.001, 0.001.
    # Means 0.067 at s, 0.5005 at m.
    made = credit.graphgpo(FORK, normalise="none")
    assert made.diagnostics["distance"].tolist() == [1, 3, 1, 0, 3, 3]
    assert_close(made.terms["step"], [0.033, -0.4995, 0.033, 0.4995, -0.066, 0.0])
    assert_close(made.terms["episode"], [-1 / 3, -1 / 3, 2 / 3, 2 / 3, -1 / 3, -1 / 3])
    # Divided by their std, two values are ±1, and 0.1, 0.1, 0.001 are 1/√2, 1/√2, -√2.
    half = 0.5**0.5
    assert_close(credit.graphgpo(FORK, eps=0.0).terms["step"], [half, -1, half, 1, -(2**0.5), 0])


def test_released():
    # Without the own edge x is ten times as large: 0.01 and 10 at m. ddof 1: the std of two values is their distance
    # over √2, so they are ±1/√2; at s, 1, 1, 0.01 are 1/√3, 1/√3, -2/√3.
    third = 3**-0.5
    released = credit.graphgpo(FORK, preset="released", eps=0.0)
    assert_close(released.terms["step"], [third, -(0.5**0.5), third, 0.5**0.5, -2 * third, 0])
    # Success is R > 0, whatever the flag says; here c, which earns 0.2 on the way, counts as well.
    paid = FORK.with_columns(turn_reward=[0.0, 0.0, 0.0, 0.0, 0.2, 0.0])
    assert credit.graphgpo(paid, preset="released").diagnostics["distance"].tolist() == [1, 3, 1, 0, 1, 0]
    assert credit.graphgpo(paid).diagnostics["distance"].tolist() == [1, 3, 1, 0, 3, 3]
    assert "success" not in credit.info("graphgpo").needs_with(preset="released")


def test_loops_detours_and_unknown_places():
    # 0 wins by s → a → b → goal, 1 wins by s → b → goal, 2 turns in circles s → a → s → x and is lost.
    # d(b) = 1, d(a) = 2, d(s) = 2 by the shorter road; x, where nobody acted, counts as 2 + 1.
    batch = walks("sab!", "sb!", "sasx", won=(0, 1))
    assert credit.graphgpo(batch).diagnostics["distance"].tolist() == [2, 1, 0, 1, 0, 2, 2, 3]


def test_groups_are_swept_together_and_stay_apart():
    # The same walks in two groups, one of which has no success: no goal, no step term there.
    lost = walks("sab!", "sb!", "sasx").with_columns(group=["h"] * 8)
    both = TurnBatch.concat([walks("sab!", "sb!", "sasx", won=(0, 1)), lost], relabel=True)
    made = credit.graphgpo(both)
    assert made.diagnostics["distance"].tolist() == [2, 1, 0, 1, 0, 2, 2, 3] + [0] * 8
    assert (made.terms["step"][8:] == 0.0).all()


def test_a_chain_as_long_as_a_rollout():
    # The only road: from turn t of 300 it is 299 - t edges from where the turn leads.
    chain = walks([f"s{n}" for n in range(301)], won=(0,))
    assert credit.graphgpo(chain).diagnostics["distance"].tolist() == list(range(299, -1, -1))


def test_one_member_or_no_success_have_no_step_term():
    assert (credit.graphgpo(walks("sab!", won=(0,))).terms["step"] == 0.0).all()
    assert (credit.graphgpo(walks("sa!", "sb!", "s!")).total == 0.0).all()


def test_fault_1_a_shortest_path_knows_no_probabilities():
    # Four jump from s to b; one of them gets away from there to the goal, for the other three the episode *ends* in b.
    # All four are worth the same, and the safe way round, over a, which is one edge longer, is worth less.
    jumps = ["sb!", "sb", "sb", "sb", "sab!"]
    step = credit.graphgpo(walks(*jumps, won=(0, 4)), eps=0.0).terms["step"]
    first = [0, 2, 3, 4, 5]
    # x = 0.1 four times and 0.01: mean 0.082, std 0.036, so 0.5 four times and -2.
    assert_close(step[first], [0.5, 0.5, 0.5, 0.5, -2.0])


@pytest.mark.parametrize("own_edge", [1, 0])
def test_fault_2_far_from_the_goal_the_signal_sinks_under_eps(own_edge):
    # At s one turn leads to d, the other stays, and is d + 1 away. x = 10·0.1^(d+1) and a tenth of it: half their
    # distance is 0.45·10^-d, their std. z = 0.45·10^-d / (0.45·10^-d + 1e-6): d = 3: 0.998 (1.00), 5: 0.818, 6: 0.310,
    # 7: 0.043.
    known = {1: 1.00, 2: 1.00, 3: 1.00, 5: 0.82, 6: 0.31, 7: 0.04}
    for d, wanted in known.items():
        edges = d + 1 - own_edge  # without its own edge a turn is one edge better off
        chain = ["s", *(f"n{n}" for n in range(edges)), "!"]
        step = credit.graphgpo(walks(chain, "ss", won=(0,)), own_edge=own_edge).terms["step"]
        assert round(step[0], 2) == wanted
        assert step[0] == pytest.approx(0.45 * 10.0**-d / (0.45 * 10.0**-d + 1e-6), rel=1e-6)
    far = ["s", *(f"n{n}" for n in range(7)), "!"]
    assert credit.graphgpo(walks(far, "ss", won=(0,)), omega=0.5).terms["step"][0] == pytest.approx(1.0, abs=1e-3)


def test_fault_3_the_smallest_difference_counts_as_much_as_the_greatest():
    # To d = 0 or to nowhere (x = 1 or 0.01), to d = 2 or to d = 3 (x = 0.01 or 0.001): ±1 both times.
    great = credit.graphgpo(walks("s!", "sx", won=(0,)), eps=0.0).terms["step"]
    small = credit.graphgpo(walks("sab!", "ss", won=(0,)), eps=0.0).terms["step"]
    assert_close([great[0], great[1], small[0], small[3]], [1, -1, 1, -1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"omega": 0.0}, "omega must lie"),
        ({"omega": 1.5}, "omega must lie"),
        ({"success_reward": 0.0}, "success_reward must be positive"),
        ({"success_reward": np.inf}, "success_reward.* takes a finite number"),
        ({"own_edge": 2}, "own_edge must be 0 or 1"),
        ({"success_from": "flags"}, "did you mean 'flag'"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        credit.graphgpo(FORK, **options)


@pytest.mark.parametrize("column", ["success", "next_state"])
def test_a_missing_column_is_named(column):
    with pytest.raises(MissingColumn, match=f"'graphgpo' needs the column '{column}'"):
        credit.graphgpo(FORK.without(column))


@given(batch=paid_batches(), normalise=st.sampled_from(["std", "none"]))
def test_step_terms_sum_to_zero_at_every_node(batch, normalise):
    nodes, step = seen.by_group_state(batch), credit.graphgpo(batch, normalise=normalise).terms["step"]
    assert (np.abs(nodes.sum(step)) <= 1e-12 * np.maximum(1.0, nodes.sum(np.abs(step)))).all()


@given(batch=paid_batches())
def test_every_edge_shortens_the_way_by_one_at_most(batch):
    # d(s) ≤ 1 + d(s'): what a turn leads to is at most one edge nearer than what its predecessor led to.
    away = credit.graphgpo(batch).diagnostics["distance"]
    goes_on = ~batch.last
    assert (seen.following(batch, away)[goes_on] >= away[goes_on] - 1).all()
