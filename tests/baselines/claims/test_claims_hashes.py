import pytest

from agentgym.baselines.claims.hashes import ESTIMATORS, NAMES, measure, one
from agentgym.fidelity import Graphs


@pytest.fixture(scope="module")
def rows():
    return {(row["policy"], row["naming"], row["estimator"]): row for row in measure(seeds=3, size=8, epsilons=(0.5,))}


def test_a_row_for_each_policy_naming_and_estimator(rows):
    assert len(rows) == 2 * len(NAMES) * len(ESTIMATORS)
    assert len({key[0] for key in rows}) == 2


def test_one_policy_is_all_policies(rows):
    for (policy, *rest), row in rows.items():
        assert row["value"] == pytest.approx(rows["all", *rest]["value"]), policy


def test_grpo_reads_no_names(rows):
    found = [rows["all", naming, "grpo"]["value"] for naming in NAMES]
    assert found == [found[0]] * 3
    assert rows["all", "clean", "grpo"]["minus_grpo"] == {"value": 0.0, "low": 0.0, "high": 0.0}


def test_checks_tell_the_namings_apart(rows):
    # The grid draws nothing, so a clean name and a move have one successor; half of the visits are private at least.
    clean, merged, fragmented = (rows["all", naming, "gigpo"] for naming in NAMES)
    assert clean["aliasing"] == 0.0 and clean["singletons"] < 0.15
    assert merged["aliasing"] > 0.4 and merged["singletons"] < clean["singletons"]
    assert fragmented["singletons"] > 0.4


def test_state_graphs_are_ahead_of_step_groups_on_clean_names(rows):
    # A value shared by the group joins the halves of two rollouts; a comparison at one state cannot.
    assert rows["all", "clean", "state_graph"]["minus_gigpo"]["low"] > 0.1


def test_a_draw_follows_from_its_seed():
    assert one(0.5, 1, 2, Graphs()) == one(0.5, 1, 2, Graphs())
    assert one(0.5, 1, 2, Graphs()) != one(0.5, 2, 2, Graphs())
