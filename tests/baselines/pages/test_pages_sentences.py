"""What the pages say under their pictures: one test a sentence that another example group would make untrue."""

import numpy as np
import pytest

from agentgym import credit
from agentgym.baselines.pages.example import group

BATCH = group()


def values(name, **options):
    """Each rollout's values, to the two decimals of the pictures."""
    total = credit.estimate(name, BATCH, **options).total.round(2)
    return {rollout: total[BATCH.trajectory == rollout].tolist() for rollout in "abcd"}


def by_move(name):
    """The set of values of every (state, action)."""
    found = {}
    for state, action, value in zip(BATCH.state, BATCH.action, credit.estimate(name, BATCH).total, strict=True):
        found.setdefault((state, action), set()).add(round(float(value), 6))
    return found


@pytest.mark.parametrize("name", ["grpo", "dr_grpo", "rloo", "reinforce_pp_baseline", "ibpo", "atr"])
def test_one_number_a_rollout(name):
    assert all(len(set(found)) == 1 for found in values(name).values())


@pytest.mark.parametrize("name", ["state_graph", "vine", "ricl"])
def test_the_same_action_at_the_same_place_is_worth_the_same(name):
    assert all(len(found) == 1 for found in by_move(name).values())


def test_whole_rollouts():
    assert [found[0] for found in values("dr_grpo").values()] == [
        0.65,
        0.55,
        -0.35,
        -0.85,
    ]  # 1.5, 1.4, 0.5, 0 less 0.85
    np.testing.assert_allclose(credit.rloo(BATCH).total, credit.dr_grpo(BATCH).total * 4 / 3)
    atr, grpo, ibpo = values("atr"), values("grpo"), values("ibpo")
    assert atr["c"][0] < atr["d"][0]
    assert grpo["c"][0] < ibpo["c"][0] and grpo["d"][0] > ibpo["d"][0]


def test_apex_plan_speaks_of_first_turns_alone():
    pytest.importorskip("scipy")
    made = values("apex_plan")
    assert not any(any(found[1:]) for found in made.values())
    assert made["d"][0] == min(found[0] for found in made.values()) and made["b"][0] < 0


def test_mt_grpo_never_credits_the_late_key_and_the_unbiased_form_does():
    turn = credit.mt_grpo(BATCH).terms["turn"][BATCH.trajectory == "b"]
    assert turn[4] == 0.0 and turn[1] < 0
    late = values("mt_grpo_unbiased")["b"]
    assert late[4] - late[5] == pytest.approx(0.5)  # the key's own reward
    assert values("gtpo_hybrid")["b"][4:] == [0.3, 0.3]


def test_step_groups_blame_the_first_turn_of_a_lost_rollout_and_state_graphs_do_not():
    for name in ("gigpo", "hgpo", "turn_return"):
        assert values(name)["c"][0] < 0 < values(name)["b"][0]
    for name in ("state_graph", "gagpo", "g2po", "graphgpo"):
        made = values(name)
        assert made["b"][0] < 0 < made["c"][0], name
        assert made["c"][2] == min(made["c"])
    assert values("gigpo")["c"][3] == values("grpo")["c"][3]  # the shaft was seen once
    step = credit.bipace(BATCH).terms["step"][BATCH.action == "go to the study"]
    assert np.ptp(step) < 1e-12


def test_proxmo_lets_the_dark_cellar_into_the_dark_shaft():
    assert credit.proxmo(BATCH).terms["step"][BATCH.state == "shaft"].round(2).tolist() == [-0.04]


def test_values_and_potentials():
    assert values("gae", lam=0.0) == values("vine")
    made = values("gae")
    assert made["c"][0] < 0 < made["b"][0]
    assert credit.gae(BATCH).diagnostics["delta"][BATCH.trajectory == "b"][0] == pytest.approx(-0.4)
    # a step nearer, a step away (the fall into the pit from the cellar among them), the pit from the shaft
    assert values("stepwise_gain")["c"] == [0.72, 0.72, -0.94, -2.6] and values("stepwise_gain")["d"] == [-0.94, -0.94]
    assert values("mica")["b"][0] == 0.03 and credit.mica(BATCH).terms["turn"][BATCH.turn > 3].tolist() == [0.0, 0.0]
    shaping = credit.potential_shaping(BATCH).diagnostics["shaping"]
    assert [shaping[BATCH.trajectory == rollout].sum() for rollout in "abcd"] == [3.0, 3.0, -2.0, -2.0]
    assert [found[-1] for found in values("igpo").values()] == [1.0, 1.0, -1.0, -1.0]


def test_hindsight():
    made = values("hca")
    assert made["c"][2:] == [0.0, 0.0] == made["d"]
    assert made["b"][0] < made["b"][3] < 0  # the cellar, and less the lamp
    made = values("hcapo")
    assert made["d"][0] == made["d"][1] and made["b"][3] < made["b"][2] and made["a"] == sorted(made["a"])
    made = by_move("ricl")
    assert max(made["door", "climb down the shaft"]) < 0 < min(made["door", "open the door"])


def test_hae_keeps_the_shaft_out_of_the_key():
    made = values("hae")
    assert made["a"][:2] == made["c"][:2]


def test_trees_and_prefixes():
    made = values("tstar")
    assert made["a"][:2] == made["c"][:2] and made["b"][0] == made["d"][0]
    found = by_move("slate")
    assert {place for place, values in found.items() if values != {0.0}} == {
        ("study", "take the key"), ("study", "take the lamp")
    }  # fmt: skip


def test_rubrics_teachers_and_rules():
    made = values("rtt")
    assert min(made["a"]) > 0.5 and max(made["b"]) == made["b"][4] and max(made["c"]) == made["c"][1]
    made = values("scope")
    assert not any(made["a"] + made["b"]) and min(made["c"][:2]) > 0 > made["c"][2]
    cost = credit.traces(BATCH).diagnostics["cost_to_go"]
    assert cost[BATCH.trajectory == "a"][0] < cost[BATCH.trajectory == "b"][0] < cost[BATCH.trajectory == "d"][0]
    made = values("arew")
    assert made["d"] == values("grpo")["d"] and made["b"][0] == made["b"][3] < made["b"][4] == made["b"][5]
