import difflib

import numpy as np
import pytest

from agentgym import credit
from tests.agentgym import credit_oracles as oracles

pytestmark = pytest.mark.skipif(
    oracles.REFERENCE is None, reason="AGENTGYM_REFERENCE is unset: the reference cases are not in the repository"
)

COVERED = {
    "degenerate.trajectory": 3,
    "gigpo": 3,
    "gigpo.degenerate": 2,
    "gigpo.similarity": 1,
    "grpo.cross_steps": 2,
    "grpo.trajectory": 4,
    "grpo_mr.mt": 1,
    "grpo_on_summed_reward": 1,
    "grpo_or.mt": 1,
    "hcapo": 3,
    "hcapo.policy_ratio": 1,
    "mt_grpo.future_sum": 4,
    "mt_grpo.own_turn": 2,
    "mt_grpo.two_segment": 1,
    "state_graph": 9,
}
"""Formula ids whose estimator is there, with the number of their cases."""

WAITING = {"rloo_verl": "rloo", "hybrid": "gtpo_hybrid"}
"""Keys of covered cases that belong to an estimator that is not there yet."""

NOT_COVERED = {
    "arew_reweight_likelihood_margin",
    "arew_reweight_step_abs_sum",
    "apex_plan_reward_semantic_f1",
    "atr_cycle_is_dissipative",
    "atr_group_advantage",
    "bipace",
    "dr_grpo.trajectory",
    "g2po",
    "gagpo",
    "graphgpo",
    "gtpo_hybrid",
    "hae",
    "hca.return",
    "hian_fused_advantage",
    "ibpo",
    "mica_mixed_advantage",
    "proxmo",
    "reinforce_pp.trajectory",
    "reinforce_pp.turn",
    "reinforce_pp_baseline.trajectory",
    "ricl_advantage_logratio",
    "rloo.cross_steps",
    "rloo.trajectory",
    "rtt_grpo_intra_group",
    "rtt_grpo_intra_sample",
    "rtt_grpo_intra_sample.released_reshape",
    "scope_dual_path_weights_paper",
    "scope_dual_path_weights_released",
    "slate_step_advantage",
    "stepwise_gain_joint",
    "stepwise_gain_per_step",
    "traces_violation_credit",
    "tstar.tree",
}

MAP = oracles.read("oracle_map") if oracles.REFERENCE else {"estimators": {}, "atol": 0.0}
CASES = oracles.cases() if oracles.REFERENCE else {}
EACH = [(formula, number) for formula in COVERED for number in range(COVERED[formula])]


def test_the_lists_say_exactly_what_is_covered():
    there = {
        formula for formula, entry in MAP["estimators"].items() if entry.get("estimator", "grpo") in credit.names()
    }
    assert there == set(COVERED)
    assert set(MAP["estimators"]) - there == NOT_COVERED
    assert {formula: len(CASES[formula]) for formula in COVERED} == COVERED
    assert not set(WAITING.values()) & set(credit.names())


@pytest.mark.parametrize(("formula", "number"), EACH)
def test_reference_case(formula, number):
    entry = MAP["estimators"][formula]
    case, fixture = CASES[formula][number]
    batch = oracles.build(entry, case, fixture)
    compared = 0
    for name, options, paths in oracles.runs(entry, case):
        if name not in credit.names():
            assert all(WAITING[key] == name for key in paths)
            continue
        result = credit.estimate(name, batch, **options)
        for key, path in paths.items():
            wanted = oracles.expected_rows(batch, case["expected"], key)
            said = ~np.isnan(wanted)
            np.testing.assert_allclose(oracles.look(result, path)[said], wanted[said], rtol=0, atol=MAP["atol"])
            compared += said.sum()
    assert compared >= len(batch)


@pytest.mark.parametrize("number", range(COVERED["hcapo"]))
def test_hindsight_term_before_the_mask(number):
    # The cases also print the standardised Q before do_no_harm, "micro".
    case, fixture = CASES["hcapo"][number]
    entry = MAP["estimators"]["hcapo"]
    batch = oracles.build(entry, case, fixture)
    _, options, _ = next(oracles.runs(entry, case))
    result = credit.estimate("hcapo", batch, **{**options, "do_no_harm": False, "hindsight_weight": 0.5})
    wanted = oracles.expected_rows(batch, case["expected"], "micro")
    np.testing.assert_allclose(result.terms["hindsight"] / 0.5, wanted, rtol=0, atol=MAP["atol"])


def test_similarity_compares_the_text_with_the_first_member():
    [(case, _)] = CASES["gigpo.similarity.pairs"]
    for pair, ratio in case["expected"].items():
        text, first = (case["inputs"][name] for name in pair.split("|"))
        assert difflib.SequenceMatcher(None, text, first).ratio() == pytest.approx(ratio, abs=MAP["atol"])
