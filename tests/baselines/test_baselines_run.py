"""A whole benchmark on a small world: the same numbers in one go, in pieces, in processes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import bench_world
import numpy as np
import pytest

from agentgym.baselines.benchmark import choice, command, report, report_fidelity, run
from agentgym.baselines.benchmark.fidelity_track import judge
from agentgym.baselines.benchmark.findings import sentences
from agentgym.baselines.benchmark.html import table
from agentgym.baselines.benchmark.learning import learn
from agentgym.baselines.benchmark.run import Cell, cells_of, options_of, run_cells
from agentgym.baselines.benchmark.settings import FIVE, Panel, budgets
from agentgym.baselines.benchmark.store import RunError, Store
from agentgym.baselines.benchmark.summary import summarise
from tests.layering import ROOT

bench_world.register()
TWO = ("grpo", "state_graph")


def without_timing(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in result.items() if key != "timing"} for result in results]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    budget = bench_world.budget()
    store = Store(tmp_path_factory.mktemp("whole"), options_of(budget, FIVE), resume=False)
    return run_cells(cells_of(budget, FIVE), budget, store)


def test_the_cells_of_a_run(whole: list[dict[str, Any]]) -> None:
    # 1 panel × 1 policy of the fidelity track, 1 panel × 2 seeds × 5 estimators of the learning track.
    assert [cell["track"] for cell in whole] == ["fidelity"] + ["learning"] * 10
    cell = whole[0]
    assert cell["ceiling"] == 1.0
    assert cell["unranked"] == ""
    assert 0.3 < cell["exact_success"] < 0.7
    assert set(cell["estimators"]) == set(FIVE)
    assert cell["lines"]["truth"]["spearman"]["value"] == pytest.approx(1.0)
    assert abs(cell["lines"]["noise"]["spearman"]["value"]) < 0.3
    assert len(whole[1]["success"]) == 3
    assert whole[1]["rollouts"] == 3 * 2 * 4
    json.dumps(whole, allow_nan=False)


def test_interrupted_anywhere_it_goes_on_to_the_same_numbers(whole: list[dict[str, Any]], tmp_path: Path) -> None:
    budget = bench_world.budget()
    cells = cells_of(budget, FIVE)
    for stop in (1, 6):
        store = Store(tmp_path / str(stop), options_of(budget, FIVE), resume=False)
        finished = 0

        def interrupt(key: str, share: float, stop: int = stop) -> None:
            nonlocal finished
            finished += share >= 1.0
            if finished > stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run_cells(cells, budget, store, report=interrupt)
        again = Store(tmp_path / str(stop), options_of(budget, FIVE), resume=True)
        kept = sum(again.get(cell.key) is not None for cell in cells)
        assert kept >= stop
        assert without_timing(run_cells(cells, budget, again)) == without_timing(whole)


def test_processes_give_the_same_numbers(whole: list[dict[str, Any]], tmp_path: Path) -> None:
    budget = bench_world.budget(learning_panels=())
    store = Store(tmp_path, options_of(budget, FIVE), resume=False)
    goto = budgets()["quick"].panels[0]
    small = bench_world.budget(learning_panels=(), fidelity_tasks=2, redraws=1)
    cells = [Cell("fidelity", Panel("goto", goto.env, {**goto.kwargs, "max_turns": 4}), TWO, 0, 0.2)]
    apart = run_cells(cells, small, store, jobs=2)
    assert without_timing(apart) == without_timing([{**cells[0].run(small), "key": cells[0].key}])


def test_results_feed_the_summary_and_the_page(whole: list[dict[str, Any]]) -> None:
    summary = summarise(whole, FIVE)
    ranked = [row["estimator"] for row in summary["fidelity"]["ranked"]]
    assert sorted(ranked) == sorted(FIVE)
    budget = bench_world.budget()
    about = {name: {"summary": name, "paper": "", "needs": ["anchor"]} for name in FIVE}
    options = json.loads(json.dumps(options_of(budget, FIVE)))
    results = {"run": {"commit": "abc"}, "options": options, "about": about, "summary": summary, "cells": whole}
    page = report.render(results)
    assert page == report.render(results)  # the same bytes
    assert "{{" not in page
    for name in FIVE:
        assert name in page
    assert page.count("<svg") == 5  # the ranking, panel by panel, curves, differences, estimates against truth
    assert not re.search(r'(src|href)="http', page.replace("http://www.w3.org", ""))  # nothing is loaded from elsewhere
    assert any(ranked[0] in sentence for sentence in sentences(summary))


def test_the_page_says_what_the_columns_of_an_estimator_cost(whole: list[dict[str, Any]]) -> None:
    """2.5 turns of the world for each turn of the rollouts."""
    assert whole[0]["extra_turns"] == dict.fromkeys(FIVE, 0)
    costly = {**whole[0], "extra_turns": {**whole[0]["extra_turns"], "hcapo": 2.5 * whole[0]["rows"]}}
    said = "turns played for its columns"
    assert said not in report_fidelity.diagnostics(whole[:1])
    page = report_fidelity.diagnostics([costly])
    assert said in page
    assert "<td>hcapo</td><td class=number>2.500</td>" in page


def test_every_registered_estimator_is_scored_or_names_the_column_that_it_lacks() -> None:
    """The world gives a menu, a description and turn rewards; what reads more than these and what is made says so."""
    budget, names = bench_world.budget(fidelity_tasks=3, redraws=1, updates=2), choice.everyone()
    (panel,) = budget.panels
    found = judge(panel, 0.5, names, 0, budget)
    assert sorted([*found["estimators"], *found["missing"]]) == list(names)
    assert {"grpo", "hgpo", "hca", "ricl", "ibpo", "gae", "vine"} <= set(found["estimators"])
    lacking = {"mica": "potential", "atr": "step_score", "arew": "critique", "hae": "switch", "apex_plan": "plan"}
    for name, column in lacking.items():
        assert repr(column) in found["missing"][name]
    costs = {name: turns for name, turns in found["extra_turns"].items() if turns}
    assert set(costs) == {"ibpo", "vine"}  # revisions of failures; four continuations from every moment
    for name in names:
        learned = learn(panel, name, 0, budget)
        assert learned.get("missing") == found["missing"].get(name)
        assert (learned.get("extra_turns", 0) > 0) == (name in costs)


def test_names_in_the_page_are_escaped(whole: list[dict[str, Any]]) -> None:
    page = table(["<b>"], [["<script>", 1.0]])
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_cells_of_other_tasks_are_not_compared(whole: list[dict[str, Any]]) -> None:
    changed = [{**whole[0]}, {**whole[1], "panel_hash": "0" * 32}]
    with pytest.raises(RunError, match=r"different tasks .*cannot be compared"):
        summarise(changed, FIVE)


def test_cell_names_are_files_and_distinct() -> None:
    panel = Panel("a/b", bench_world.ENV)
    first = Cell("learning", panel, ("my file.py:f",), 0)
    second = Cell("learning", panel, ("my_file.py:f",), 0)
    assert re.fullmatch(r"[\w.-]+", first.key)
    assert first.key != second.key


def estimator_file(folder: Path, body: str) -> str:
    path = folder / "mine.py"
    path.write_text(body)
    return f"{path}:mine"


@pytest.fixture
def tiny(undrawn: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(command, "budgets", lambda: {"quick": bench_world.budget(seeds=1)})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_writes_a_page_and_every_number(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = estimator_file(tiny, "def mine(batch):\n    return batch.outcome_reward * 1.0\n")
    folder = command.bench(estimators=["grpo", mine], only=True)
    assert folder == Path("runs/bench-1")
    results = json.loads((folder / "results.json").read_text())
    assert results["options"]["estimators"] == ["grpo", mine]
    assert {cell["panel_hash"] for cell in results["cells"]} == {bench_world.Counting.panel.hash}
    assert {"agentgym", "commit", "numpy", "date"} <= set(results["run"])
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    summary = (folder / "summary.md").read_text()
    assert "| policies at 50% |" in summary
    assert "| grpo |" in summary
    assert "mine.py:mine" in summary
    assert f"`agentgym bench --budget quick --estimator grpo --estimator {mine} --only`" in summary
    assert (folder / "fidelity.svg").read_text().startswith("<svg")
    shown = capsys.readouterr()
    assert "recovers the true advantages best" in shown.out
    assert "report.html" in shown.err
    again = command.bench(out=str(folder), resume=True)  # the estimators are those of the run
    repeated = json.loads((again / "results.json").read_text())
    assert without_timing(repeated["cells"]) == without_timing(results["cells"])


def test_a_run_is_not_gone_on_with_under_other_code(tiny: Path) -> None:
    mine = estimator_file(tiny, "def mine(batch):\n    return batch.outcome_reward * 1.0\n")
    command.bench(estimators=[mine], only=True, out="run")
    estimator_file(tiny, "def mine(batch):\n    return batch.outcome_reward * 2.0\n")
    with pytest.raises(RunError, match=r"made with other options .*code"):
        command.bench(estimators=[mine], only=True, out="run", resume=True)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"budget": "quik"}, ValueError, "did you mean 'quick'"),
        ({"envs": ["cuont"]}, ValueError, "did you mean 'count'"),
        ({"envs": ["agentgym/Nowhere-v0"]}, Exception, "Nowhere"),
        ({"estimators": ["gigop"]}, ValueError, "did you mean 'gigpo'"),
        ({"estimators": ["nowhere.py:f"]}, ValueError, "no file"),
        ({"seeds": 0}, ValueError, "--seeds must be at least 1"),
        ({"jobs": -1}, ValueError, "--jobs must be at least 1"),
        ({"only": True}, ValueError, "add --estimator NAME"),
        ({"track": "fidelty"}, ValueError, "did you mean 'fidelity'"),
        ({"resume": True}, RunError, "--resume needs --out"),
        ({"out": ""}, RunError, "--out needs the name"),
        ({"out": "/proc/nothing/here"}, RunError, "choose another folder with --out"),
    ],
)
def test_bad_arguments_are_found_before_any_work(
    tiny: Path, arguments: dict[str, Any], error: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "run_cells", lambda *_, **__: pytest.fail("work was begun"))
    with pytest.raises(error, match=message):
        command.bench(**arguments)


def test_an_interrupt_says_how_to_go_on(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(run.Cell, "run", stop)
    with pytest.raises(KeyboardInterrupt):
        command.bench()
    assert "--out runs/bench-1 --resume" in " ".join(capsys.readouterr().err.split())


def test_the_shipped_budgets_fit_together() -> None:
    for budget in budgets().values():
        names = [panel.name for panel in budget.panels]
        assert len(names) == len(set(names))
        assert len(names) >= 3
        assert set(budget.learning_panels) <= set(names)
        keys = [cell.key for cell in cells_of(budget, FIVE)]
        assert len(keys) == len(set(keys))
        json.dumps(options_of(budget, FIVE))
        assert set(budget.learners) <= set(choice.everyone())


def test_curves_rise_when_there_is_something_to_learn(whole: list[dict[str, Any]]) -> None:
    runs = np.array([cell["success"] for cell in whole if cell["track"] == "learning"])
    assert runs[:, -1].mean() > runs[:, 0].mean()


PARENT = """
import os, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from agentgym.baselines.benchmark.run import _attend

if __name__ == "__main__":
    pool = ProcessPoolExecutor(2, mp_context=get_context("spawn"), initializer=_attend)
    print(*{pool.submit(os.getpid).result() for _ in range(20)}, flush=True)
    list(pool.map(time.sleep, [60, 60]))
"""


def test_workers_leave_when_their_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "parent.py").write_text(PARENT)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        [sys.executable, "parent.py"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    workers = [int(pid) for pid in parent.stdout.readline().split()]
    assert workers
    parent.kill()
    parent.wait()
    parent.stdout.close()
    for _ in range(100):
        if not any(Path(f"/proc/{pid}").exists() for pid in workers):
            return
        time.sleep(0.1)
    pytest.fail(f"workers {workers} are still there")


def test_an_error_says_in_which_cell(tmp_path: Path) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no")

    budget = bench_world.budget()
    store = Store(tmp_path, options_of(budget, TWO), resume=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run.Cell, "run", broken)
        with pytest.raises(RuntimeError) as caught:
            run_cells(cells_of(budget, TWO), budget, store)
    assert caught.value.__notes__ == ["in cell fidelity-count-50-0"]


def test_the_expert_view_stands_beside_the_acting_policy(whole: list[dict[str, Any]]) -> None:
    cell = whole[0]
    view = cell["expert_view"]
    assert view["ceiling"] == 1.0
    assert set(view["estimators"]) == {*FIVE, "turn_reward"}
    # The expert mends a wrong step but at 0 and near the limit, where the acting policy may fail: the two truths agree
    # on signs and differ in sizes.
    assert 0.2 < view["acting"]["value"] < 1.0
    assert all(found["low"] <= found["value"] <= found["high"] for found in view["estimators"].values())
    assert "The view of optimal play" in report_fidelity._expert_view([cell])
    assert report_fidelity._expert_view([{key: value for key, value in cell.items() if key != "expert_view"}]) == ""
