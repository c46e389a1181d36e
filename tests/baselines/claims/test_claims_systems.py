from collections import Counter

import pytest

from agentgym import credit
from agentgym.baselines.claims.registry import CLAIMS
from agentgym.baselines.claims.systems import CASES, CONTROLS, SYSTEMS
from agentgym.baselines.claims.verdicts import WORDS
from tests.agentgym import credit_oracles as oracles
from tests.agentgym.credit_families import CHECKS, COVERED
from tests.layering import ROOT

ELSEWHERE = {
    "gigpo.similarity.pairs": "test_credit_oracles.py",
    "mt_grpo.rewards": "test_score_mt_grpo.py",
}
"""Cases with a test of their own, by its file."""


def test_the_counts_are_those_that_the_tests_run():
    assert set(CASES) == {*COVERED, *CHECKS, *ELSEWHERE}
    assert {formula: CASES[formula] for formula in COVERED} == COVERED
    # Functions that are no estimators have one case each; what the files hold is compared below.
    assert {formula: CASES[formula] for formula in CHECKS if formula not in COVERED} == dict.fromkeys(
        [formula for formula in CHECKS if formula not in COVERED], 1
    )


@pytest.mark.parametrize("formula", ELSEWHERE)
def test_cases_elsewhere_have_their_test(formula):
    assert f'"{formula}"' in (ROOT / "tests" / "agentgym" / ELSEWHERE[formula]).read_text("utf-8")


@pytest.mark.skipif(oracles.REFERENCE is None, reason="AGENTGYM_REFERENCE is unset")
def test_the_counts_are_those_of_the_files():
    found = oracles.cases()
    assert {formula: len(found[formula]) for formula in CASES} == dict(CASES)


def test_every_case_is_counted_for_one_row():
    counted = Counter(formula for system in (*SYSTEMS, *CONTROLS) for formula in system.cases)
    assert counted == dict.fromkeys(CASES, 1)
    assert sum(system.passed for system in (*SYSTEMS, *CONTROLS)) == sum(CASES.values())


def test_at_least_twenty_papers_one_row_each():
    papers = [system.paper for system in SYSTEMS]
    assert len(papers) == len(set(papers)) >= 20
    assert all(papers)


def test_every_estimator_of_the_library_has_a_row():
    ours = {name for name in credit.names() if credit.info(name).function.__module__.startswith("agentgym.")}
    assert {system.estimator for system in (*SYSTEMS, *CONTROLS)} == ours


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.paper)
def test_a_row_is_whole(system):
    assert system.says.endswith(".") and system.reads
    assert system.paper in (credit.info(system.estimator).paper, "2603.22293")  # TIPS has no estimator of its own
    assert system.by or system.on
    assert set(system.on) <= {"fidelity", "learning", "safety"}
    assert set(system.also) <= set(CLAIMS)
    assert len(WORDS) == 5
