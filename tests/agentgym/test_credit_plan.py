import sys

import numpy as np
import pytest

from agentgym import credit
from agentgym.batch import TurnBatch
from agentgym.errors import MissingColumn
from tests.agentgym.credit import loops_plan

pytest.importorskip("scipy", reason="scipy is not installed: it comes with the extras plan and bench")


def record(*plans, group=0):
    """One rollout a plan: a plan turn with that matrix, then a turn that carries it out."""
    rows = []
    for number, matrix in enumerate(plans):
        row = {"group": group, "trajectory": number, "outcome_reward": 0.0}
        rows.append({**row, "turn": 0, "kind": "plan", "plan_similarity": matrix})
        rows.append({**row, "turn": 1, "kind": "act", "plan_similarity": [], "outcome_reward": 1.0})
    return TurnBatch.from_rows(rows)


TWO = [[0.9, 0.8], [0.8, 0.1]]
"""Greedy would take 0.9 and 0.1; 0.8 + 0.8 = 1.6 is more."""


def test_steps_are_matched_so_that_the_sum_is_greatest():
    assert credit.plan_reward(TWO) == pytest.approx(0.8)  # precision and recall 1.6/2
    # With the threshold 0.85 greedy would count its 0.9; both pairs of the best matching lie below.
    assert credit.plan_reward(TWO, 0.85) == 0.0
    assert credit.plan_reward(TWO, 0.8) == 1.0  # at the threshold counts


def test_steps_too_many_and_too_few():
    # Two of three predicted steps fit the two gold ones fully: precision 2/3, recall 1, 2·(2/3)/(5/3) = 0.8.
    assert credit.plan_reward([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]) == pytest.approx(0.8)
    # One predicted step, three gold: precision 0.6, recall 0.2, 2·0.12/0.8 = 0.3.
    assert credit.plan_reward([[0.1, 0.6, 0.2]]) == pytest.approx(0.3)


@pytest.mark.parametrize("empty", [[], [[]], np.zeros((0, 3)), np.zeros((2, 0)), [[0.0, 0.0]]])
def test_nothing_alike_is_zero(empty):
    assert credit.plan_reward(empty) == 0.0


def test_opposite_steps_count_below_nothing():
    # S = -1: precision -1, recall -½, 2·½/(-1.5) = -2/3.
    assert credit.plan_reward([[-1.0, -1.0]]) == pytest.approx(-2 / 3)


def test_rewards_of_a_group_are_normalised_on_plan_turns_alone():
    # Rewards 1 and 0.5 (half of one pair): mean 0.75, std 0.25, so ±0.25/(0.25 + 1e-6).
    batch = record([[1.0]], [[0.5]])
    made = credit.apex_plan(batch)
    one = 0.25 / (0.25 + 1e-6)
    np.testing.assert_allclose(made.total, [one, 0.0, -one, 0.0], rtol=0, atol=1e-12)
    assert made.diagnostics["plan_reward"].tolist() == [1.0, 0.0, 0.5, 0.0]
    assert made.diagnostics["sft_mask"].tolist() == [False, True, False, True]
    assert credit.apex_plan(batch, normalise="none").total.tolist() == [0.25, 0.0, -0.25, 0.0]
    # ddof 1: variance 2·(¼)²/1 = ⅛.
    np.testing.assert_allclose(credit.apex_plan(batch, ddof=1, eps=0.0).total[0], 0.25 / np.sqrt(0.125))


def test_a_rollout_counts_once_with_the_mean_of_its_plans():
    # Rollout a plans twice, 1 and 0: mean 0.5. Rollout b once, 0. Rollout c never plans and is not in the mean.
    columns = {"group": [0] * 4, "trajectory": ["a", "a", "b", "c"], "turn": [0, 1, 0, 0]}
    kinds = {"kind": ["plan", "plan", "plan", "act"], "plan_similarity": [[[1.0]], [], [[0.0]], [[1.0]]]}
    made = credit.apex_plan(TurnBatch.from_columns({**columns, **kinds}), normalise="none")
    assert made.total.tolist() == [0.25, 0.25, -0.25, 0.0]
    assert made.diagnostics["precision"].tolist() == [1.0, 0.0, 0.0, 0.0]


def test_groups_are_apart():
    batch = TurnBatch.concat([record([[1.0]], [[0.0]]), record([[0.7]], group=1)])
    assert credit.apex_plan(batch, normalise="none").total.tolist() == [0.5, 0.0, -0.5, 0.0, 0.0, 0.0]


def test_equal_plans_and_one_alone_give_exactly_zero():
    assert (credit.apex_plan(record([[0.7]], [[0.7]], [[0.7]])).total == 0.0).all()
    assert (credit.apex_plan(record([[0.7]])).total == 0.0).all()


def test_nobody_plans():
    columns = {"group": [0], "trajectory": [0], "turn": [0], "kind": ["act"], "plan_similarity": [[]]}
    made = credit.apex_plan(TurnBatch.from_columns(columns))
    assert made.total.tolist() == [0.0] and made.diagnostics["sft_mask"].tolist() == [True]


def compare(seeds):
    for seed in seeds:
        rng = np.random.default_rng([seed, 62])
        plans = [rng.uniform(-0.3, 1.0, rng.integers(1, 5, 2)).tolist() for _ in range(rng.integers(1, 5))]
        batch = record(*plans)
        columns = {name: batch[name].tolist() for name in batch.columns}
        rows = [{name: values[n] for name, values in columns.items()} for n in range(len(batch))]
        options = {"threshold": (None, 0.2, 0.6)[seed % 3], "normalise": "std", "ddof": seed % 2, "eps": 1e-4}
        wanted = loops_plan.apex_plan(rows, **options)["plan"]
        np.testing.assert_allclose(credit.apex_plan(batch, **options).total, wanted, rtol=0, atol=1e-10)


def test_plans_of_every_shape_agree_with_trying_every_matching():
    compare(range(60))


@pytest.mark.slow
def test_many_plans_agree_with_trying_every_matching():
    compare(range(60, 1000))


@pytest.mark.parametrize("threshold", [-1.5, 1.5, float("nan")])
def test_a_threshold_out_of_range(threshold):
    with pytest.raises(ValueError, match=r"threshold must lie in \[-1, 1\] or be None"):
        credit.plan_reward(TWO, threshold)
    with pytest.raises(ValueError, match=r"threshold must lie in \[-1, 1\] or be None"):
        credit.apex_plan(record(TWO), threshold=threshold)


def test_what_is_no_matrix_of_numbers():
    with pytest.raises(ValueError, match=r"similarity must have shape \[predicted, gold\], got \[2\]"):
        credit.plan_reward([0.1, 0.2])
    with pytest.raises(ValueError, match=r"similarity is not finite at \(0, 1\): nan"):
        credit.plan_reward([[0.1, float("nan")]])


@pytest.mark.parametrize("name", ["kind", "plan_similarity"])
def test_a_missing_column_is_named(name):
    batch = record(TWO)
    kept = {column: list(batch[column]) for column in batch.columns if column != name}
    with pytest.raises(MissingColumn, match=f"'apex_plan'.*'{name}'"):
        credit.apex_plan(TurnBatch.from_columns(kept))


def test_without_scipy_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ImportError, match=r"agentgym-suite\[plan\]"):
        credit.plan_reward(TWO)
    with pytest.raises(ImportError, match=r"agentgym-suite\[plan\]"):
        credit.apex_plan(record(TWO))
