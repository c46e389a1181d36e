import pytest

from agentgym.baselines.claims.measures import calls, fidelity, learning, safety


def interval(value, draws):
    return {"value": value, "low": 0.0, "high": 1.0, "draws": draws}


def judged(policy, **scores):
    return {
        "track": "fidelity",
        "panel": "goto",
        "policy": policy,
        "acting": "the expert",
        "exact_success": policy,
        "ceiling": 1.0,
        "rows": 10,
        "rollouts": 4,
        "tasks": 2,
        "unranked": "",
        "method": "tree",
        "estimators": {name: {"spearman": interval(*found)} for name, found in scores.items()},
        "diagnostics": {name: {"singleton_share": policy} for name in scores},
        "missing": {"atr": "no step_score"},
    }


def learned(estimator, seed, success):
    return {
        "track": "learning",
        "panel": "goto",
        "estimator": estimator,
        "seed": seed,
        "success": success,
        "evaluation": {"success": success[-1]},
    }


def test_fidelity_is_averaged_over_policies_with_the_bootstrap_of_the_mean():
    cells = [
        judged(0.25, grpo=(0.2, [0.1, 0.3]), gigpo=(0.4, [0.4, 0.4])),
        judged(0.75, grpo=(0.4, [0.3, 0.5]), gigpo=(0.8, [0.8, 0.8])),
    ]
    found = fidelity(cells)
    row = found["rows"]["gigpo"]
    assert row["value"] == pytest.approx(0.6)
    assert row["by_policy"] == [0.4, 0.8]
    # Draws of the difference: 0.6 - 0.2 and 0.6 - 0.4; the ends lie 2.5 % inside.
    assert row["minus_grpo"] == pytest.approx({"value": 0.3, "low": 0.205, "high": 0.395})
    assert row["minus_gigpo"] == {"value": 0.0, "low": 0.0, "high": 0.0}
    assert "minus_gae" not in row
    assert row["singleton_share"] == 0.5 and "aliasing" not in row
    assert found["missing"] == {"atr": "no step_score"}
    assert [policy["policy"] for policy in found["policies"]] == [0.25, 0.75]


def test_an_estimator_that_did_not_run_under_every_policy_has_no_mean():
    cells = [judged(0.25, grpo=(0.2, [0.1, 0.3]), hca=(0.4, [0.4, 0.4])), judged(0.75, grpo=(0.4, [0.3, 0.5]))]
    assert list(fidelity(cells)["rows"]) == ["grpo"]


def test_learning_is_paired_by_seed():
    cells = [
        learned("grpo", 0, [0.0, 0.2]),
        learned("grpo", 1, [0.2, 0.4]),
        learned("mica", 0, [0.2, 0.4]),
        learned("mica", 1, [0.4, 0.6]),
        {"track": "learning", "panel": "goto", "estimator": "atr", "seed": 0, "missing": "no step_score"},
    ]
    found = learning(cells)
    row = found["rows"]["mica"]
    assert row["value"] == pytest.approx(0.4)  # areas 0.3 and 0.5
    # 0.2 in both seeds: no spread, whatever the seeds themselves are like.
    assert row["minus_grpo"] == pytest.approx({"value": 0.2, "low": 0.2, "high": 0.2})
    assert row["held_out"] == pytest.approx(0.5) and row["seeds"] == 2
    assert found["missing"] == {"atr": "no step_score"}


def test_broken_rules_are_counted_where_the_record_says():
    cells = [
        {**learned("grpo", 0, [0.0]), "cost": [1.0, 2.0]},
        {**learned("grpo", 1, [0.0]), "cost": [1.0, 1.0]},
        {**learned("traces", 0, [0.0]), "cost": [0.5, 0.5]},
        {**learned("traces", 1, [0.0]), "cost": [0.0, 0.0]},
        {"track": "learning", "panel": "goto", "estimator": "rtt", "seed": 0, "missing": "no rubric_scores"},
    ]
    found = safety(cells)
    # grpo breaks 1.5 and 1.0 rules a rollout, traces 0.5 and 0.0: one fewer with either seed.
    assert found["rows"]["grpo"]["value"] == 1.25 and found["rows"]["traces"]["value"] == 0.25
    assert found["rows"]["traces"]["minus_grpo"] == {"value": -1.0, "low": -1.0, "high": -1.0}
    assert found["missing"] == {"rtt": "no rubric_scores"}
    assert safety([learned("grpo", 0, [0.0]), {**learned("mica", 0, [0.0]), "cost": []}])["rows"] == {}


def test_calls_are_counted_where_some_tool_was_called():
    cells = [
        {**learned("grpo", 0, [0.0]), "calls": [1.0, 0.5]},
        {**learned("grpo", 1, [0.0]), "calls": [0.5, 0.0]},
        {**learned("mt_grpo", 0, [0.0]), "calls": [0.0, 0.0]},  # one that calls no more counts too
        {**learned("mt_grpo", 1, [0.0]), "calls": [0.5, 0.5]},
    ]
    rows = calls(cells)["rows"]
    assert rows["grpo"]["value"] == 0.5 and rows["mt_grpo"]["value"] == 0.25
    assert rows["mt_grpo"]["minus_grpo"]["value"] == pytest.approx(-0.25)  # -0.75 and +0.25
    assert calls([{**learned("grpo", 0, [0.0]), "calls": [0.0]}, learned("mica", 0, [0.0])])["rows"] == {}
