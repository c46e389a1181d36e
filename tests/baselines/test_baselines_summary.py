"""Intervals, rankings and separated pairs from draws that can be counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from agentgym.baselines.benchmark.findings import sentences
from agentgym.baselines.benchmark.summary import (
    fidelity_summary,
    learning_summary,
    missing_by_reason,
    missing_columns,
    t_interval,
)


def scores(value: float, draws: list[float]) -> dict[str, Any]:
    return {"spearman": {"value": value, "low": min(draws), "high": max(draws), "draws": draws}}


def cell(panel: str, policy: float, why: str = "", **estimators: tuple[float, list[float]]) -> dict[str, Any]:
    found = {name: scores(*made) for name, made in estimators.items()}
    about = {"panel": panel, "policy": policy, "success": policy, "acting": f"policy {policy}", "tasks": 8, "lines": {}}
    return {**about, "unranked": why, "estimators": found}


def test_student_interval() -> None:
    # Values 1, 2, 3: mean 2, s = 1, t(2 degrees) = 4.303: half width 4.303/√3 = 2.4843.
    found = t_interval([1.0, 2.0, 3.0])
    assert found == pytest.approx({"value": 2.0, "low": 2.0 - 2.4843, "high": 2.0 + 2.4843}, abs=1e-4)
    assert t_interval([0.5]) == {"value": 0.5, "low": -0.5, "high": 1.5}


def test_pairs_are_separated_by_their_paired_draws() -> None:
    # a is above b by 0.1 in every draw, though the draws of each alone range over 0.4; c crosses both.
    steps = [0.0, 0.1, 0.2, 0.3, 0.4]
    cells = [
        cell(
            "p",
            0.5,
            a=(0.3, [0.1 + s for s in steps]),
            b=(0.2, steps),
            c=(0.25, list(reversed(steps))),
        )
    ]
    found = fidelity_summary(cells, ("a", "b", "c"), "spearman")
    assert [row["estimator"] for row in found["ranked"]] == ["a", "c", "b"]
    (pair,) = found["separated"]["p"]
    assert (pair["better"], pair["worse"]) == ("a", "b")
    assert pair["low"] == pytest.approx(0.1)
    assert pair["value"] == pytest.approx(0.1)


def test_means_are_over_policies_draw_by_draw() -> None:
    cells = [
        cell("p", 0.2, a=(0.2, [0.1, 0.3]), b=(0.0, [0.0, 0.0])),
        cell("p", 0.8, a=(0.4, [0.5, 0.3]), b=(0.0, [0.0, 0.0])),
    ]
    found = fidelity_summary(cells, ("a", "b"), "spearman")
    assert found["ranked"][0]["value"] == pytest.approx(0.3)
    assert found["ranked"][0]["low"] == pytest.approx(0.3)  # (0.1 + 0.5)/2 = (0.3 + 0.3)/2
    assert len(found["separated"]["p"]) == 1


def test_cells_that_cannot_be_ranked_are_named_and_left_out() -> None:
    cells = [cell("p", 0.2, why="no ceiling", a=(0.9, [0.9, 0.9])), cell("q", 0.5, a=(0.1, [0.1, 0.1]))]
    found = fidelity_summary(cells, ("a",), "spearman")
    assert found["unranked"] == ["p at 20% (no ceiling)"]
    assert found["ranked"][0]["value"] == pytest.approx(0.1)
    assert list(found["separated"]) == ["q"]
    nothing = fidelity_summary(cells[:1], ("a",), "spearman")
    assert nothing == {"ranked": [], "lines": {}, "firsts": [], "separated": {}, "unranked": ["p at 20% (no ceiling)"]}
    assert sentences({"fidelity": nothing}) == ["Left out: p at 20% (no ceiling)."]


def test_one_policy_counts_once() -> None:
    cells = [cell("p", policy, a=(policy, [policy, policy])) for policy in (0.2, 0.5)]
    cells[1]["acting"] = cells[0]["acting"]
    found = fidelity_summary(cells, ("a",), "spearman")
    assert found["ranked"][0]["value"] == pytest.approx(0.2)
    assert found["unranked"] == ["p at 50% (the same policy as in another cell)"]


def test_few_tasks_separate_nothing() -> None:
    cells = [{**cell("p", 0.5, a=(0.9, [0.9, 0.9]), b=(0.1, [0.1, 0.1])), "tasks": 7}]
    found = fidelity_summary(cells, ("a", "b"), "spearman")
    assert found["separated"] == {}
    assert found["unranked"] == ["pairs on p (fewer than 8 tasks)"]


def test_the_findings_say_where_the_best_is_not_first() -> None:
    cells = [
        cell("p", 0.2, a=(0.9, [0.9, 0.9]), b=(0.1, [0.1, 0.1])),
        cell("p", 0.8, a=(0.3, [0.3, 0.3]), b=(0.4, [0.4, 0.4])),
    ]
    first, pairs = sentences({"fidelity": fidelity_summary(cells, ("a", "b"), "spearman")})
    assert first.startswith("a recovers the true advantages best: rank correlation 0.60 on average")
    assert first.endswith("last is b (0.25). It is first everywhere but: b on p at 80%.")
    assert pairs == "Pairs of estimators told apart by their 95 % intervals, of 1 on each panel: p 1."


def test_an_estimator_that_did_not_run_everywhere_is_ranked_nowhere_but_compared_where_it_ran() -> None:
    cells = [
        cell("p", 0.2, a=(0.9, [0.9, 0.9]), b=(0.1, [0.1, 0.1])),
        {**cell("q", 0.8, a=(0.3, [0.3, 0.3])), "missing": {"b": "no column"}},
    ]
    found = fidelity_summary(cells, ("a", "b"), "spearman")
    assert [row["estimator"] for row in found["ranked"]] == ["a"]
    assert [row["first"] for row in found["firsts"]] == ["a", "a"]
    assert [len(found["separated"][panel]) for panel in ("p", "q")] == [1, 0]
    tracks = [{"track": "fidelity", **each} for each in cells]
    tracks.append({"track": "learning", "panel": "p", "estimator": "c", "missing": "no other column"})
    assert missing_columns([*tracks, tracks[-1]]) == [
        {"track": "fidelity", "panel": "q", "estimator": "b", "why": "no column"},
        {"track": "learning", "panel": "p", "estimator": "c", "why": "no other column"},
    ]


def test_reasons_are_told_once_with_all_places() -> None:
    why = {"estimator": "b", "why": "no column"}
    rows = [
        {"track": "fidelity", "panel": "p", **why},
        {"track": "learning", "panel": "p", **why},
        {"track": "fidelity", "panel": "q", **why},
        {"track": "fidelity", "panel": "q", **why, "why": "another"},
    ]
    assert missing_by_reason(rows) == [
        {**why, "where": "fidelity: p, q; learning: p"},
        {"estimator": "b", "why": "another", "where": "fidelity: q"},
    ]


def test_panels_and_reference_lines_have_means_of_their_own() -> None:
    # p: (0.2 + 0.4) / 2 = 0.3, q: 0.9; together (0.2 + 0.4 + 0.9) / 3 = 0.5. The line: 0, 0.3, 0.6 likewise.
    cells = [cell("p", 0.2, a=(0.2, [0.2])), cell("p", 0.8, a=(0.4, [0.4])), cell("q", 0.5, a=(0.9, [0.9]))]
    for each, value in zip(cells, (0.0, 0.3, 0.6), strict=True):
        each["lines"] = {"noise": scores(value, [value])}
    found = fidelity_summary(cells, ("a",), "spearman")
    assert found["ranked"][0]["value"] == pytest.approx(0.5)
    assert found["ranked"][0]["panels"] == pytest.approx({"p": 0.3, "q": 0.9})
    assert found["lines"]["noise"]["value"] == pytest.approx(0.3)
    assert found["lines"]["noise"]["panels"] == pytest.approx({"p": 0.15, "q": 0.6})


def curve(estimator: str, seed: int, success: list[float]) -> dict[str, Any]:
    about = {"panel": "p", "estimator": estimator, "seed": seed, "evaluated_on": "dev"}
    return {**about, "success": success, "evaluation": {"success": success[-1]}}


def test_learning_is_compared_seed_by_seed() -> None:
    # Areas: grpo 0.2, 0.4, 0.6; other is 0.1 above in every seed: difference 0.1 without spread.
    cells = [curve("grpo", seed, [area, area]) for seed, area in enumerate((0.2, 0.4, 0.6))]
    cells += [curve("other", seed, [area, area]) for seed, area in enumerate((0.3, 0.5, 0.7))]
    found = learning_summary(cells, ("grpo", "other"))
    assert found["base"] == "grpo"
    assert found["beats"] == ["other on p"]
    assert found["below"] == []
    row = found["rows"][1]
    assert row["area"] == pytest.approx(0.5)
    assert row["difference"] == pytest.approx({"value": 0.1, "low": 0.1, "high": 0.1})
    assert row["held_out"] == pytest.approx({"success": 0.5})


def test_the_findings_about_learning() -> None:
    cells = [curve("grpo", seed, [0.2]) for seed in (0, 1)] + [curve("b", seed, [0.4]) for seed in (0, 1)]
    fastest, better = sentences({"learning": learning_summary(cells, ("grpo", "b"))})
    assert fastest == "b learns fastest on average: mean success over the updates 0.40, grpo's 0.20."
    assert better.endswith("over seeds: on p b.")
    nothing = [curve(name, 0, [0.0, 0.01]) for name in ("grpo", "b")]
    (only,) = sentences({"learning": learning_summary(nothing, ("grpo", "b"))})
    assert only.startswith("No estimator learned")
    (alone,) = sentences({"learning": learning_summary([curve("b", 0, [0.5])], ("b",))})
    assert alone == "With b the policy's mean success over the updates is 0.50."


def test_the_base_ran_on_every_panel() -> None:
    """grpo ran on q alone, a on both; on r neither did: it is left out."""
    cells = [curve("a", 0, [0.1]), *({**curve(name, 0, [0.5]), "panel": "q"} for name in ("grpo", "a"))]
    found = learning_summary(cells, ("grpo", "a"))
    assert found["base"] == "a"
    assert [(row["panel"], row["estimator"]) for row in found["rows"]] == [("p", "a"), ("q", "grpo"), ("q", "a")]
    lonely = [curve("b", 0, [0.1]), {**curve("a", 0, [0.5]), "panel": "q"}]
    assert [row["estimator"] for row in learning_summary(lonely, ("a", "b"))["rows"]] == ["b"]


def test_the_base_is_the_first_estimator_where_grpo_does_not_play() -> None:
    cells = [curve("a", 0, [0.1]), curve("b", 0, [0.9])]
    assert learning_summary(cells, ("a", "b"))["base"] == "a"
