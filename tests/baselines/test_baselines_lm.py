"""The learning track with a language model: the same cells, resumable, the policy named; the default is unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bench_world
import pytest

from agentgym.baselines.benchmark import command, run, settings
from agentgym.baselines.benchmark.findings import sentences
from agentgym.baselines.benchmark.run import cells_of, options_of
from agentgym.baselines.benchmark.settings import FIVE, budgets, for_lm
from agentgym.baselines.benchmark.store import RunError
from agentgym.errors import AgentGymError

bench_world.register()
TWO = ["grpo", "hcapo"]
TINY = {"width": 16, "layers": 1, "heads": 2, "context": 160, "warm_episodes": 0}


@pytest.fixture
def tiny(undrawn: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(command, "budgets", lambda: {"quick": bench_world.budget(seeds=1, fidelity_tasks=3, redraws=1)})
    monkeypatch.setitem(settings.LM, "tiny", ({"updates": 2}, TINY))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def learning(folder: Path) -> list[dict[str, Any]]:
    cells = json.loads((folder / "results.json").read_text())["cells"]
    return [cell for cell in cells if cell["track"] == "learning"]


def test_the_same_cells_and_a_report_that_names_the_policy(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    folder = command.bench(estimators=TWO, only=True, policy="lm", out="run")
    results = json.loads((folder / "results.json").read_text())
    assert results["options"]["policy"] == results["summary"]["learning"]["policy"] == "lm"
    assert results["options"]["trainer"] == TINY
    assert "--policy lm" in results["run"]["command"]
    cells = learning(folder)
    assert [cell["key"] for cell in cells] == ["learning-count-grpo-0", "learning-count-hcapo-0"]
    for cell in cells:
        assert cell["learner"] == "lm"
        assert len(cell["success"]) == len(cell["return"]) == 2
        assert cell["rollouts"] == 2 * 2 * 4
        assert {"pass@1", "pass^2", "invalid_rate"} <= set(cell["evaluation"])  # 2 evaluation rollouts a task
        assert cell["drift"] < 1e-3
        assert cell["panel_hash"] == results["cells"][0]["panel_hash"]  # that of the fidelity track's cell
    assert cells[0]["warm"] == cells[1]["warm"]
    assert cells[0]["success"][0] == cells[1]["success"][0]  # the same weights, tasks and draws
    page = (folder / "report.html").read_text()
    assert f"a language model of {cells[0]['parameters']:,} parameters" in page
    assert "log-linear" not in page
    assert "Learning (language model)" in capsys.readouterr().out
    # resumed: the policy is the run's, nothing is computed again, and the numbers are those that are there
    (folder / "cells" / "learning-count-hcapo-0.json").unlink()
    command.bench(out="run", resume=True)
    assert learning(folder) == cells
    with pytest.raises(RunError, match=r"made with other options .*policy: \"lm\" there, null now"):
        command.bench(out="run", resume=True, policy="menu")


def test_the_menu_policy_is_the_default_and_leaves_no_trace_of_a_choice(tiny: Path) -> None:
    one, other = (command.bench(estimators=["grpo"], only=True, policy=policy) for policy in (None, "menu"))
    for name in ("arguments.json", "options.json", "report.html", "summary.md"):
        assert (one / name).read_bytes() == (other / name).read_bytes(), name
    assert learning(one) == learning(other)
    assert "policy" not in json.loads((one / "options.json").read_text())
    assert "policy" not in json.loads((one / "arguments.json").read_text())
    assert "learner" not in learning(one)[0]
    assert "The same log-linear policy" in (one / "report.html").read_text()


@pytest.mark.parametrize("name", ["torch", "transformers"])
def test_a_missing_library_is_refused_before_anything_runs(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def missing(module: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(command, "import_module", missing)
    monkeypatch.setattr(command, "run_cells", lambda *_, **__: pytest.fail("work was begun"))
    with pytest.raises(RunError, match=rf"--policy lm needs {name}: pip install 'agentgym-suite\[train\]'"):
        command.bench(policy="lm", out="run")
    assert not Path("run").exists()


def test_bad_choices_are_refused_before_any_work(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "run_cells", lambda *_, **__: pytest.fail("work was begun"))
    with pytest.raises(ValueError, match=r"policy .*'lm'"):
        command.bench(policy="llm")
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    monkeypatch.setitem(settings.LM, "tiny", ({}, {**TINY, "warm_episodes": 8}))
    with pytest.raises(AgentGymError, match=r"needs 16 training tasks .* has 5: lower warm_episodes"):
        command.bench(policy="lm", estimators=["grpo"], only=True)


def test_an_estimator_that_lacks_a_column_is_listed_and_the_others_learn(tiny: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    Path("mine.py").write_text("def mine(batch):\n    return batch.step_score\n")
    folder = command.bench(policy="lm", estimators=["grpo", "mine.py:mine"], only=True, out="run")
    found = json.loads((folder / "results.json").read_text())["summary"]
    assert [row["track"] for row in found["missing"]] == ["fidelity", "learning"]
    assert all("'step_score'" in row["why"] for row in found["missing"])
    assert [row["estimator"] for row in found["learning"]["rows"]] == ["grpo"]


def test_every_budget_has_sizes_for_a_language_model() -> None:
    for name, budget in budgets().items():
        sizes, fields = for_lm(budget)
        assert sizes.panels == budget.panels
        assert sizes.targets == budget.targets  # the fidelity track stays as it is
        assert set(sizes.learning_panels) <= set(budget.learning_panels)
        options = json.loads(json.dumps(options_of(sizes, FIVE, fields)))
        assert options["trainer"] == fields
        keys = [cell.key for cell in cells_of(sizes, FIVE, fields)]
        assert len(keys) == len(set(keys))
        given = {cell.track: cell.lm for cell in cells_of(sizes, FIVE, fields)}
        assert given == {"fidelity": None, "learning": fields}
        if name == "quick":  # 1 panel × 3 seeds × 5 estimators, and the fidelity track's 7 panels × 3 policies
            assert len(keys) == 36


def test_the_finding_says_what_learned() -> None:
    row = {"panel": "p", "estimator": "grpo", "area": 0.4, "difference": {"low": 0.0, "high": 0.0}}
    found = {"base": "grpo", "rows": [row], "beats": [], "below": []}
    assert sentences({"learning": {**found, "policy": "lm"}})[0].startswith(
        "Learning, with the language model: With grpo"
    )
    assert sentences({"learning": found})[0].startswith("With grpo")


@pytest.mark.parametrize("name", ["update", "evaluate"])
def test_an_estimator_that_ruins_the_weights_says_in_which_cell(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Or one whose last evaluation runs out of memory: no word of a checkpoint, of which a cell keeps none."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from agentgym.baselines.benchmark import learning_lm
    from agentgym.baselines.grpo.config import TrainError

    def ruined(self: Any, *ks: Any) -> Any:
        if name == "evaluate" and not ks:
            return real(self)  # that of the warm start
        raise TrainError("3 steps in a row had a loss that is not finite; latest.pt holds the weights")

    real = getattr(learning_lm.Trainer, name)
    monkeypatch.setattr(learning_lm.Trainer, name, ruined)
    budget, fields = for_lm(bench_world.budget(seeds=1))
    cell = next(cell for cell in cells_of(budget, ["grpo"], fields) if cell.track == "learning")
    with pytest.raises(RunError, match="cannot go on learning: 3 steps in a row") as caught:
        run._named(cell, budget)
    assert "latest.pt" not in str(caught.value)
    assert caught.value.__notes__ == ["in cell learning-count-grpo-0"]
