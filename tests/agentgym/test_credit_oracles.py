import difflib

import numpy as np
import pytest

from agentgym import credit
from tests.agentgym import credit_oracles as oracles
from tests.agentgym.credit_families import BUILDERS, CHECKS, COVERED

pytestmark = pytest.mark.skipif(
    oracles.REFERENCE is None, reason="AGENTGYM_REFERENCE is unset: the reference cases are not in the repository"
)

MAP = oracles.read("oracle_map") if oracles.REFERENCE else {"estimators": {}, "atol": 0.0}
CASES = oracles.cases() if oracles.REFERENCE else {}
EACH = [(formula, number) for formula in COVERED if formula not in CHECKS for number in range(COVERED[formula])]


def test_the_lists_say_exactly_what_is_covered():
    there = {
        formula for formula, entry in MAP["estimators"].items() if entry.get("estimator", "grpo") in credit.names()
    }
    assert there == set(COVERED)
    assert {formula: len(CASES[formula]) for formula in COVERED} == COVERED
    assert set(CHECKS) <= set(CASES)


@pytest.mark.parametrize(("formula", "number"), EACH)
def test_reference_case(formula, number):
    entry = MAP["estimators"][formula]
    case, fixture = CASES[formula][number]
    batch = BUILDERS.get(entry["rows"], oracles.build_common(entry))(case, fixture)
    compared = 0
    for name, options, paths in oracles.runs(entry, case):
        result = credit.estimate(name, batch, **options)
        for key, path in paths.items():
            wanted = oracles.expected_rows(batch, case["expected"], key)
            said = ~np.isnan(wanted)
            np.testing.assert_allclose(oracles.look(result, path)[said], wanted[said], rtol=0, atol=MAP["atol"])
            compared += said.sum()
    assert compared >= len(batch)


@pytest.mark.parametrize("formula", CHECKS)
def test_reference_case_with_a_comparison_of_its_own(formula):
    for case, fixture in CASES[formula]:
        CHECKS[formula](case, fixture)


@pytest.mark.parametrize("number", range(COVERED["hcapo"]))
def test_hindsight_term_before_the_mask(number):
    # The cases also print the standardised Q before do_no_harm, "micro".
    case, fixture = CASES["hcapo"][number]
    entry = MAP["estimators"]["hcapo"]
    batch = oracles.build_common(entry)(case, fixture)
    _, options, _ = next(oracles.runs(entry, case))
    result = credit.estimate("hcapo", batch, **{**options, "do_no_harm": False, "hindsight_weight": 0.5})
    wanted = oracles.expected_rows(batch, case["expected"], "micro")
    np.testing.assert_allclose(result.terms["hindsight"] / 0.5, wanted, rtol=0, atol=MAP["atol"])


def test_similarity_compares_the_text_with_the_first_member():
    [(case, _)] = CASES["gigpo.similarity.pairs"]
    for pair, ratio in case["expected"].items():
        text, first = (case["inputs"][name] for name in pair.split("|"))
        assert difflib.SequenceMatcher(None, text, first).ratio() == pytest.approx(ratio, abs=MAP["atol"])
