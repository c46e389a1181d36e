from dataclasses import replace
from xml.etree import ElementTree

import pytest
from rich.console import Console

from agentgym import credit
from agentgym.baselines import systems
from agentgym.baselines.benchmark.store import read_json
from agentgym.baselines.claims.registry import CLAIMS
from agentgym.baselines.claims.worlds import PANELS
from agentgym.baselines.systems import MAIN, Plan, compute, main, plan_of, work_of
from tests.baselines import bench_world
from tests.layering import ROOT

CLAIM = {"bandit": {"seeds": 2, "groups": 4}, "names": {"seeds": 2, "size": 2, "epsilons": (0.5,)}}


@pytest.fixture(autouse=True)
def world():
    bench_world.register()


@pytest.fixture
def plan(monkeypatch):
    made = Plan(bench_world.budget(updates=1), ("grpo", "gigpo", "mica", "atr"), CLAIM)
    monkeypatch.setattr(systems, "plan_of", lambda panel, quick: made)
    return made


ELSEWHERE = {"searching", "planning", "consoling", "rubrics", "selling", "labels"}
"""Claims that are measured with the panel of another world."""


def test_the_plan_of_the_page():
    whole, quick = plan_of(quick=False), plan_of(quick=True)
    assert whole.budget.seeds >= 5 and len(whole.budget.targets) == 3
    assert whole.budget.fidelity_tasks >= 8
    assert whole.estimators == quick.estimators == credit.names()
    assert set(whole.claims) == set(quick.claims) == set(CLAIMS) - ELSEWHERE
    assert [panel.name for panel in whole.budget.panels] == ["goto"]
    assert len(work_of(quick)) < len(work_of(whole))


def test_the_plan_of_another_world():
    whole, quick = plan_of("sql", quick=False), plan_of("sql", quick=True)
    assert [panel.name for panel in whole.budget.panels] == list(whole.budget.learning_panels) == ["sql"]
    assert "grpo" in whole.estimators and "atr" in whole.estimators and not whole.claims
    assert set(whole.estimators) <= set(credit.names())
    assert len(work_of(quick)) < len(work_of(whole)) and quick.budget.name == "systems-sql-quick"


def test_the_plan_of_customers_has_what_its_world_alone_feeds():
    plan = plan_of("service", quick=False)
    assert plan.budget.name == "systems-service" and {"grpo", "traces"} <= set(plan.estimators)
    assert plan.budget.panels[0].slips == 2 and plan.budget.panels[0].learn_from == 0.2


def test_the_plan_of_searching_has_the_claims_that_need_its_world():
    whole, quick = plan_of("search", quick=False), plan_of("search", quick=True)
    assert set(whole.claims) == set(quick.claims) == {"searching", "planning"} and quick.claims["planning"]
    assert {"grpo", "mt_grpo", "slate", "arew"} <= set(whole.estimators)
    assert "claim-searching" in work_of(whole)


@pytest.mark.parametrize(
    ("panel", "claims", "estimators"),
    [
        ("support", {"consoling", "rubrics"}, {"grpo", "reinforce_pp", "mica", "rtt"}),
        ("sales", {"selling", "labels"}, {"grpo", "hian", "traces"}),
    ],
)
def test_the_plans_of_dialogues_have_the_claims_that_need_their_worlds(panel, claims, estimators):
    whole, quick = plan_of(panel, quick=False), plan_of(panel, quick=True)
    assert set(whole.claims) == set(quick.claims) == claims and estimators <= set(whole.estimators)
    assert all(f"claim-{name}" in work_of(whole) for name in claims)


def test_a_panel_that_nobody_measures_is_refused(tmp_path, capsys):
    assert main(["--panel", "sqk", "--out", str(tmp_path)]) == 2
    assert "did you mean 'sql'" in capsys.readouterr().err


def test_the_command_writes_results_page_and_figure(plan, tmp_path, capsys):
    assert main(["--out", str(tmp_path / "run")]) == 0
    said = capsys.readouterr().err
    assert "1/11 claim-bandit" in said and "page: " in said
    results = read_json(tmp_path / "run" / "results.json")
    assert set(results["learning"]["rows"]) == {"grpo", "gigpo"}
    assert "step_score" in results["fidelity"]["missing"]["atr"]
    assert results["run"]["command"].endswith(f"--out {tmp_path / 'run'}")
    ElementTree.parse(tmp_path / "run" / "images" / "systems-names.svg")
    text = (tmp_path / "run" / "systems.md").read_text("utf-8")
    assert "GiGPO" in text and "BabyAI count" not in text.splitlines()[0]
    # Rendering the stored results computes nothing and gives the same page.
    assert main(["--render", str(tmp_path / "run" / "results.json"), "--docs", str(tmp_path / "docs")]) == 0
    assert (tmp_path / "docs" / "systems.md").read_text("utf-8") == text


def test_a_run_goes_on_where_it_was_stopped(plan, tmp_path, monkeypatch):
    quiet = Console(quiet=True)
    whole = compute(plan, tmp_path / "whole", quiet)
    kept = sorted((tmp_path / "whole" / "cells").iterdir())
    assert len(kept) == len(work_of(plan)) == 11
    (tmp_path / "whole" / "cells" / "learning-count-grpo-1.json").unlink()
    before = {path: path.stat().st_mtime_ns for path in kept if path.exists()}
    again = compute(plan, tmp_path / "whole", quiet)
    assert again["learning"] == whole["learning"] and again["claims"] == whole["claims"]
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_folder_of_another_plan_is_refused(plan, tmp_path, monkeypatch, capsys):
    first = replace(plan, estimators=("grpo",), claims={})
    compute(first, tmp_path, Console(quiet=True))
    other = replace(plan, budget=bench_world.budget(updates=2))
    monkeypatch.setattr(systems, "plan_of", lambda panel, quick: other)
    assert main(["--out", str(tmp_path)]) == 2
    assert "made with other options" in capsys.readouterr().err


def test_a_stopped_run_says_how_to_go_on(plan, tmp_path, monkeypatch, capsys):
    def stop():
        raise KeyboardInterrupt

    monkeypatch.setattr(systems, "work_of", lambda plan: {"one": stop})
    assert main(["--out", str(tmp_path)]) == 130
    assert "the same command goes on" in capsys.readouterr().err


def test_results_that_are_not_there_are_refused(tmp_path, capsys):
    assert main(["--render", str(tmp_path / "none.json")]) == 2
    assert "none.json" in capsys.readouterr().err


@pytest.mark.usefixtures("undrawn")
def test_the_page_is_what_the_stored_results_say(tmp_path):
    kept = ROOT / "baselines" / "results" / "systems"
    results = [str(kept / f"{panel}.json") for panel in (MAIN, *PANELS)]
    assert main(["--docs", str(tmp_path), "--render", *results]) == 0
    assert (tmp_path / "systems.md").read_text("utf-8") == (ROOT / "docs" / "systems.md").read_text("utf-8")
    for figure in (tmp_path / "images").iterdir():
        assert (ROOT / "docs" / "images" / figure.name).exists()


def test_a_panel_on_which_nothing_is_learned_about_held_out_tasks_says_so():
    """On customer service every system's held_out is 0, on Text-to-SQL none is."""
    page = (ROOT / "docs" / "systems.md").read_text("utf-8")
    for name, none_served in (("sql", False), ("service", True)):
        rows = read_json(ROOT / "baselines" / "results" / "systems" / f"{name}.json")["learning"]["rows"].values()
        assert all(row["held_out"] == 0.0 for row in rows) is none_served
        section = " ".join(page.partition(f"## On {PANELS[name].title}\n")[2].partition("\n## ")[0].split())
        assert ("held out none of them serves anybody" in section) is none_served
