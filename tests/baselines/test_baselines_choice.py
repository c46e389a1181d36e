"""Who takes part in a run: everyone, with those of one's own beside them, tried before the work; one track alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bench_world
import gymnasium
import pytest

import agentgym
from agentgym import credit
from agentgym.baselines.benchmark import choice, command, run
from agentgym.baselines.benchmark.choice import entries, everyone, try_out
from agentgym.baselines.benchmark.run import cells_of
from agentgym.baselines.benchmark.settings import FIVE, Panel
from agentgym.baselines.benchmark.store import RunError
from agentgym.credit import registry

bench_world.register()
COUNT = Panel("count", bench_world.ENV)
MEASURED = Panel("measured", "tests/Measured-v0")
GAIN = "column:next_potential-potential"
MINE = """import numpy as np

from agentgym.credit import estimator


def mine(batch):
    return batch.outcome_reward * 1.0


def short(batch):
    return np.zeros(3)


def nan(batch):
    return np.where(batch.turn == 1, np.nan, 1.0)


def texts(batch):
    return ["much"] * len(batch)


def upset(batch):
    return np.full(len(batch), 1 / int(batch.turn.min()))


def silent(batch):
    return batch.step_score


@estimator("told", needs=("potential",))
def told(batch):
    return batch.potential
"""


class Measured(bench_world.Counting):
    """With a potential, the share of the way that is done."""

    def potential(self, state: bench_world.Count) -> float:
        return state.now / state.goal


if MEASURED.env not in gymnasium.registry:
    agentgym.register(MEASURED.env, f"{__name__}:Measured")


@pytest.fixture
def mine(undrawn: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Return the file of estimators of one's own, in the working folder of a benchmark of a second."""
    sizes = bench_world.budget(seeds=1, redraws=1, updates=1, learners=("grpo", "gigpo"))
    monkeypatch.setattr(command, "budgets", lambda: {"quick": sizes})
    monkeypatch.setattr(
        registry, "_REGISTER", dict(registry._REGISTER)
    )  # the file registers one, at another path each time
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE)
    return "mine.py"


def results_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "results.json").read_text())
    return found


def learned(results: dict[str, Any]) -> list[str]:
    return [row["estimator"] for row in results["summary"]["learning"]["rows"]]


def test_named_estimators_take_their_place_beside_everyone() -> None:
    assert entries((), only=False) == (everyone(), ())
    assert entries(("a.py:f", "gigpo"), only=False) == ((*everyone(), "a.py:f"), ("a.py:f", "gigpo"))
    assert entries(("a.py:f", "gigpo", "a.py:f"), only=True) == (("a.py:f", "gigpo"),) * 2
    assert entries(("all", "a.py:f"), only=False) == ((*everyone(), "a.py:f"),) * 2
    assert set(FIVE) < set(everyone())
    with pytest.raises(ValueError, match="--only runs nothing but what --estimator names"):
        entries((), only=True)


def test_what_a_file_registers_counts_by_being_named(mine: str) -> None:
    made = choice.made(f"{mine}:told")
    assert made.name in credit.names()
    assert "told" not in everyone()


def test_the_learning_track_trains_the_learners_and_who_is_named() -> None:
    budget = bench_world.budget(learners=("grpo", "mine.py:mine"))
    trained = {
        cell.estimators for cell in cells_of(budget, ("gigpo", "grpo", "mine.py:mine")) if cell.track != "fidelity"
    }
    assert trained == {("grpo",), ("mine.py:mine",)}
    everybody = {cell.estimators for cell in cells_of(bench_world.budget(), ("gigpo", "grpo"), track="learning")}
    assert everybody == {("gigpo",), ("grpo",)}


def test_an_estimator_of_ones_own_appears_beside_the_others(mine: str, capsys: pytest.CaptureFixture[str]) -> None:
    """And those that lack a column are listed with it: in the numbers, on the page, in the summary, on the screen."""
    folder = command.bench(estimators=[f"{mine}:mine"])
    results = results_of(folder)
    assert results["options"]["estimators"] == [*everyone(), f"{mine}:mine"]
    ranked = {row["estimator"] for row in results["summary"]["fidelity"]["ranked"]}
    assert {*FIVE, f"{mine}:mine"} <= ranked
    assert learned(results) == ["gigpo", "grpo", f"{mine}:mine"]
    missing = {row["estimator"]: row for row in results["summary"]["missing"]}
    assert ranked.isdisjoint(missing)
    assert ranked | set(missing) == set(results["options"]["estimators"])
    why = f"estimator 'atr' needs the column 'step_score'; rollouts of {bench_world.ENV} do not have it"
    assert missing["atr"] == {"track": "fidelity", "panel": "count", "estimator": "atr", "why": why}
    page, summary = (folder / "report.html").read_text(), (folder / "summary.md").read_text()
    assert "What could not run" in page
    assert f"| atr | {why} | fidelity: count |" in summary
    assert "Not run everywhere, for want of a column: " in summary
    for text in (page, summary):
        assert "mine.py:mine" in text
    shown = capsys.readouterr().out
    assert "What could not run" in shown
    assert "needs the column 'step_score'" in shown
    assert page.count("(truth)") >= 2  # among the estimators, and among the scores


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        (
            "short",
            RunError,
            r"must have shape \[\d+\], got \[3\] \(tried on \d+ turns of count\): let it return one finite",
        ),
        ("nan", RunError, r"is not finite at position \d+: nan.*tried on .*one finite number for each row"),
        ("texts", RunError, r"must be an array of numbers.*let it return one finite number for each row"),
        ("upset", ZeroDivisionError, "by zero"),
        (
            "told",
            RunError,
            r"'mine.py:told' needs the column 'potential'; rollouts of tests/Counting-v0 .*choose another",
        ),
        ("silent", RunError, r"'step_score'.*choose another estimator, a world that gives it \(--envs\)"),
    ],
)
def test_a_bad_estimator_is_refused_before_the_work(
    name: str, error: type[Exception], message: str, mine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "run_cells", lambda *_, **__: pytest.fail("work was begun"))
    with pytest.raises(error, match=message):
        command.bench(estimators=["grpo", f"{mine}:{name}"], out="run")
    assert not Path("run").exists()


def test_a_column_that_some_panels_have_is_no_reason_to_refuse(mine: str) -> None:
    names = [f"{mine}:told", GAIN]
    try_out((COUNT, MEASURED), names)
    for name in names:
        with pytest.raises(RunError, match=r"'potential'.*nor do those of any other panel"):
            try_out((COUNT,), [name])
    try_out((COUNT,), names, record=False)


def test_a_column_is_judged_as_an_estimator(mine: str) -> None:
    """The gain of the potential: + is right and - is wrong everywhere, so that it orders turns as the truth does."""
    results = results_of(command.bench(envs=[MEASURED.env], estimators=[GAIN, "grpo"], only=True))
    (cell,) = (cell for cell in results["cells"] if cell["track"] == "fidelity")
    assert list(cell["estimators"]) == [GAIN, "grpo"]
    assert cell["missing"] == {}
    assert cell["estimators"][GAIN]["sign"]["value"] > 0.9
    assert learned(results) == [GAIN, "grpo"]


def test_one_track_alone_and_the_other_later(mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {"estimators": ["grpo", "gigpo"], "only": True}
    folder = command.bench(track="fidelity", out="run", **given)
    results = results_of(folder)
    assert {cell["track"] for cell in results["cells"]} == {"fidelity"}
    assert "learning" not in results["summary"]
    assert results["run"]["command"].endswith("--only --track fidelity")
    page = (folder / "report.html").read_text()
    assert "Who recovers the true advantages?" in page
    assert "Who learns fastest?" not in page
    assert "Learning" not in page
    monkeypatch.setattr(run, "judge", lambda *_: pytest.fail("it is there already"))
    whole = results_of(command.bench(track="both", out="run", resume=True))
    assert [cell["track"] for cell in whole["cells"]] == ["fidelity", "learning", "learning"]
    assert whole["cells"][0] == results["cells"][0]
    other = command.bench(track="learning", out="other", **given)
    page = (other / "report.html").read_text()
    assert "Who learns fastest?" in page
    assert "Who recovers the true advantages?" not in page
    assert not (other / "fidelity.svg").exists()
    assert learned(results_of(other)) == ["grpo", "gigpo"]
