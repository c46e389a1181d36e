"""Calibrated turn rewards on customer service: what is paid, what misleads, what is learned, and the page of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentgym import TurnBatch
from agentgym.baselines import calibrated, calibrated_page
from agentgym.baselines.benchmark.learning import beginner
from agentgym.baselines.calibrated import BUDGET, NAIVE, PANEL, VARIANTS, Variant, paid, row_of
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.rollout import build

FEW = replace(
    PANEL, kwargs={**PANEL.kwargs, "families": ["cancel_order", "shipped_order"]}, learn_tasks=2, learn_from=0.1
)
TINY = replace(BUDGET, group_size=2, update_tasks=1, updates=3, seeds=2)


def test_turns_are_paid_by_their_tags() -> None:
    rows = [
        {"group": "g", "trajectory": 0, "turn": 0, "tag": "gold", "turn_reward": 0.25, "outcome_reward": 0.0},
        {"group": "g", "trajectory": 0, "turn": 1, "tag": "error", "turn_reward": 0.75, "outcome_reward": 1.0},
    ]
    batch = TurnBatch.from_rows(rows)
    found = {**NAIVE, "gold": 1.5, "error": -0.25}
    assert paid(batch, "nothing", found)["turn_reward"].tolist() == [0.0, 0.0]
    assert paid(batch, "naive", found)["turn_reward"].tolist() == [1.0, -0.5]
    assert paid(batch, "calibrated", found)["turn_reward"].tolist() == [1.5, -0.25]
    assert paid(batch, "tags", found)["turn_reward"].tolist() == [1.5, -0.25]
    assert paid(batch, "progress", found) is batch


def test_the_panel_has_a_task_of_each_family_and_five_that_have_to_be_refused() -> None:
    world = build(PANEL.env, PANEL.kwargs)
    tasks = world.panel["train"]
    assert [task.id.split("/")[1] for task in tasks] == [
        family.name for family in CustomerServiceEnv().domain.families if family.name in calibrated.FAMILIES
    ]
    assert len(tasks) == PANEL.learn_tasks == 12
    refused = [task for task in tasks if any(goal.get("reason") for goal in task.data["goals"])]
    assert len(refused) == 5
    assert NAIVE.keys() == {"gold", "soft", "state", "read", "message", "duplicate", "error"}


def test_variants_differ_in_what_they_say_they_do() -> None:
    names = [variant.name for variant in VARIANTS]
    assert len(set(names)) == len(names)
    assert all(variant.against in ("", *names) for variant in VARIANTS)
    assert {(v.estimator, v.pays) for v in VARIANTS} >= {
        (estimator, pays) for estimator in ("grpo", "mt_grpo", "gtpo_hybrid") for pays in ("naive", "calibrated")
    }


def test_calibration_moves_weights_towards_what_goes_with_success() -> None:
    world = build(FEW.env, FEW.kwargs, signals=("menu", "describe"))
    weights, rows = calibrated.calibrate(world, beginner(FEW, 0).copy(), replace(TINY, group_size=4), 0)
    first = {row["tag"]: row for row in rows if row["round"] == 0}
    assert first.keys() == NAIVE.keys()
    assert {tag: row["paid"] for tag, row in first.items()} == dict(NAIVE)
    assert set(first["gold"]["advantage"]) == set(calibrated.JUDGED)
    second = {row["tag"]: row for row in rows if row["round"] == 1}
    for tag, row in second.items():  # w + η·ρ, clipped to ±1.5
        moved = NAIVE[tag] + calibrated.ETA * first[tag]["rho"]
        assert row["paid"] == pytest.approx(min(max(moved, -1.5), 1.5))
    last = max(row["round"] for row in rows)
    assert last < calibrated.ROUNDS
    if last + 1 < calibrated.ROUNDS:
        assert not any(row["against"] for row in rows if row["round"] == last)
        assert weights == {row["tag"]: row["paid"] for row in rows if row["round"] == last}


def test_a_variants_figures_follow_from_its_curves() -> None:
    # Four updates, so the last quarter is the last one. Means 0.25 and 0.5 over the updates of two seeds; at the end
    # 1 and 1 with 1 and 3 rules broken, against 0.5 and 0.5 with 2 and 2.
    mine = [
        {"success": [0.0, 0.0, 0.0, 1.0], "cost": [9.0, 9.0, 9.0, 1.0], "turns": [1.0] * 4},
        {"success": [0.0, 0.0, 1.0, 1.0], "cost": [9.0, 9.0, 9.0, 3.0], "turns": [1.0] * 4},
    ]
    other = [{"success": [0.5] * 4, "cost": [2.0] * 4, "turns": [1.0] * 4}] * 2
    row = row_of(Variant("a", "grpo", "naive", "b"), {"a": mine, "b": other})
    assert (row["success"]["value"], row["last"]["value"], row["cost"]["value"]) == (0.375, 1.0, 2.0)
    assert row["minus"]["success"]["value"] == -0.125
    assert row["minus"]["last"] == {"value": 0.5, "low": 0.5, "high": 0.5}
    assert row["minus"]["cost"]["value"] == 0.0
    assert row["minus"]["cost"]["low"] < -1.0 < 1.0 < row["minus"]["cost"]["high"]
    assert "minus" not in row_of(Variant("b", "grpo", "nothing"), {"b": other})


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    some = [variant for variant in VARIANTS if variant.name.startswith(("grpo, outcome", "grpo, naive", "traces"))]
    return calibrated.measure(FEW, TINY, some)


def test_runs_come_out_the_same_and_are_json(results: dict[str, Any]) -> None:
    assert json.loads(json.dumps(results)) == results
    assert [row["name"] for row in results["rows"]] == [
        "grpo, outcome alone", "grpo, naive", "traces over grpo, outcome alone",
    ]  # fmt: skip
    again = calibrated.measure(FEW, replace(TINY, seeds=1), VARIANTS[:1])
    whole = calibrated.measure(FEW, replace(TINY, seeds=1), VARIANTS[:2])
    assert again["rows"][0] == whole["rows"][0]  # whatever else is measured beside it
    assert again["rounds"][0] == results["rounds"][0]


def test_the_page_says_what_the_numbers_say(results: dict[str, Any]) -> None:
    results = {**results, "run": {"command": "x", "date": "today", "machine": "m", "agentgym": "0"}}
    shown = {"value": 0.2, "low": 0.1, "high": 0.3}
    results["rows"][1]["minus"] = {"success": shown, "last": shown, "cost": shown}
    results["rows"][2]["minus"] = {
        "success": {"value": 0.0, "low": -0.1, "high": 0.1}, "last": shown,
        "cost": {"value": -1.0, "low": -1.5, "high": -0.5},
    }  # fmt: skip
    page = calibrated_page.render(results)
    assert "- *grpo, naive* against *grpo, outcome alone*: learns more, breaks more rules." in page
    assert "- *traces over grpo, outcome alone* against *grpo, outcome alone*: is not told apart in success, " in page
    assert "breaks fewer rules." in page
    assert "| +0.20 (+0.10 to +0.30) |" in page
    assert all(f"| `{tag}` |" in page for tag in NAIVE)


def test_tags_that_mislead_in_most_seeds_are_named() -> None:
    def row(tag: str, against: bool) -> dict[str, Any]:
        return {
            "round": 0,
            "tag": tag,
            "turns": 4,
            "paid": 0.1,
            "rho": -0.1,
            "advantage": {"grpo": 0.5},
            "against": against,
        }

    results = {
        "naive": {"read": 0.2, "gold": 1.0},
        "rounds": [[row("read", True), row("gold", False)], [row("read", True), row("gold", True)]],
    }
    names, rounds = calibrated_page._misled(results)
    assert names == "In most seeds `read` misleads."
    assert rounds == "Calibration took 1 to 1 rounds, after which no tag misled in 0 of 2 seeds."


def test_the_command_computes_and_renders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = calibrated.measure
    monkeypatch.setattr(
        calibrated, "measure", lambda panel, budget, say: plain(panel, replace(budget, seeds=1), VARIANTS[:1], say)
    )
    assert calibrated.main(["--quick", "--out", str(tmp_path / "run")]) == 0
    page = (tmp_path / "run" / calibrated_page.NAME).read_text()
    assert "--quick" in page
    assert calibrated.main(["--render", str(tmp_path / "run" / "results.json"), "--docs", str(tmp_path)]) == 0
    assert (tmp_path / calibrated_page.NAME).read_text() == page


def test_the_page_in_the_docs_is_that_of_the_kept_results() -> None:
    root = Path(__file__).parents[2]
    results = json.loads((root / "baselines/results/service/calibrated.json").read_text("utf-8"))
    page = (root / "docs/worlds" / calibrated_page.NAME).read_text("utf-8")
    assert page == calibrated_page.render(results)
    assert results["sizes"]["seeds"] == len(results["rounds"]) == 5
