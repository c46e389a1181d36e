"""The benchmark as a command: checks everything first, shows progress, ends with tables, a page and a JSON."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from agentgym import __version__, credit
from agentgym.baselines.benchmark import markdown, plots, report
from agentgym.baselines.benchmark.findings import learner, sentences
from agentgym.baselines.benchmark.run import Cell, cells_of, free_folder, options_of, run_cells
from agentgym.baselines.benchmark.settings import FIVE, POLICIES, Budget, Panel, budgets, for_lm, short
from agentgym.baselines.benchmark.store import RunError, Store, read_json, write_json, write_text
from agentgym.baselines.benchmark.summary import missing_columns, summarise
from agentgym.errors import unknown
from agentgym.rollout import build

ASKED = "arguments.json"
"""What a run was asked for, so that --resume needs no repeating."""


def bench(
    *,
    budget: str | None = None,
    envs: Sequence[str] = (),
    estimators: Sequence[str] = (),
    seeds: int | None = None,
    out: str | None = None,
    resume: bool = False,
    jobs: int = 1,
    policy: str | None = None,
) -> Path:
    """Run the benchmark and return the folder of `report.html`, `results.json`, `summary.md` and `fidelity.svg`.

    Args:
        budget: "quick" (the default) or "standard".
        envs: panels or world ids; none: those of the budget.
        estimators: names, or "file.py:function", or "all", every registered one; none: `FIVE`. Those that read a
            column which a world's rollouts lack are listed with it, and the others run.
        seeds: learning runs of each estimator; None: the budget's.
        out: folder; None: the first free of runs/bench-1, runs/bench-2, ….
        resume: go on with a run in `out`; of the other arguments but jobs, those not given are that run's.
        jobs: processes.
        policy: what the learning track trains, "menu" (the default) or "lm", the language model of `agentgym train`.

    Raises:
        RunError: the folder cannot be used, or what the policy needs is not installed; raised before any work. None
            of the estimators finds the columns it reads.
        ValueError, TypeError: an unknown budget, panel, world or estimator, a bad count.
        KeyboardInterrupt: stopped; finished cells are kept, and `resume` goes on.
    """
    console = _console(stderr=True)
    if out == "":
        raise RunError("--out needs the name of a folder")
    if resume and out is None:
        raise RunError("--resume needs --out, the folder of the run to go on with")
    asked = {
        "budget": budget, "envs": list(envs), "estimators": list(estimators), "seeds": seeds, "policy": policy,
    }  # fmt: skip
    if resume:
        asked = _as_before(Path(str(out)), asked)
    if asked["policy"] in (None, "menu"):
        del asked["policy"]
    sizes, chosen, lm = _checked(asked, jobs)
    folder = Path(out) if out is not None else free_folder(Path("runs") / "bench")
    options = options_of(sizes, chosen, lm)
    store = Store(folder, options, resume=resume)
    write_json(folder / ASKED, asked)
    cells = cells_of(sizes, chosen, lm)
    console.print(
        f"{len(cells)} cells to [bold]{folder}[/bold] (Ctrl-C stops; go on with agentgym bench --out {folder} --resume)"
    )
    try:
        results = _with_progress(console, cells, sizes, store, jobs)
    except KeyboardInterrupt:
        console.print(f"stopped; finished cells are kept: go on with agentgym bench --out {folder} --resume")
        raise
    _something_ran(results)
    summary = summarise(results, chosen)
    about = {name: _described(name) for name in chosen}
    run = {"command": _command(asked), **about_run()}
    whole = {"schema": 1, "run": run, "options": options, "about": about, "summary": summary, "cells": results}
    write_json(folder / "results.json", whole)
    write_text(folder / "report.html", report.render(whole))
    write_text(folder / "summary.md", markdown.render(whole))
    write_text(folder / "fidelity.svg", report.picture(whole))
    _tables(_console(), whole)
    console.print(f"report: [bold]{folder / 'report.html'}[/bold]   every number: {folder / 'results.json'}")
    return folder


def _something_ran(cells: Sequence[Mapping[str, Any]]) -> None:
    """Refuse to report on nothing. Raises RunError with the column that the first estimator lacks."""
    ran = any(cell["estimators"] if cell["track"] == "fidelity" else "missing" not in cell for cell in cells)
    if not ran:
        why = next((row["why"] for row in missing_columns(cells)), "there are none")
        raise RunError(f"no estimator could run: {why}. Choose another, or a world or a function that makes the column")


def _as_before(folder: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a run, with those of the run in the folder where none were given."""
    path = folder / ASKED
    before = read_json(path) if path.exists() else {}
    return {name: value or before.get(name) or value for name, value in asked.items()}


def _checked(asked: Mapping[str, Any], jobs: int) -> tuple[Budget, tuple[str, ...], dict[str, Any] | None]:
    """Return sizes, estimators and fields of the language model, having tried all that can be tried before the work."""
    budget = asked["budget"] or "quick"
    if budget not in budgets():
        raise ValueError(unknown("budget", budget, budgets()))
    for name, value in (("--seeds", asked["seeds"]), ("--jobs", jobs)):
        if value is not None and value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")
    if asked.get("policy", "menu") not in POLICIES:
        raise ValueError(unknown("policy", asked["policy"], POLICIES))
    _matplotlib()
    whole, lm = for_lm(budgets()[budget]) if "policy" in asked else (budgets()[budget], None)
    sizes = whole.limited(asked["envs"], asked["seeds"])
    named = [each for name in asked["estimators"] for each in (credit.names() if name == "all" else (name,))]
    chosen = tuple(dict.fromkeys(named)) or FIVE
    for name in chosen:
        _estimator(name)
    for panel in sizes.panels:
        _playable(panel)
    if lm is not None:
        _trainer().check(sizes, chosen, lm)
    return sizes, chosen, lm


def _trainer() -> Any:
    """Return the module in which a language model learns. Raises RunError where its libraries are missing."""
    try:
        return import_module("agentgym.baselines.benchmark.learning_lm")
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "transformers"):
            raise
        raise RunError(f"--policy lm needs {error.name}: pip install 'agentgym-suite[train]'") from error


def _estimator(name: str) -> credit.Estimator:
    return credit.as_estimator(credit.load(name) if ":" in name else name)


def _described(name: str) -> dict[str, str]:
    found = _estimator(name)
    return {"summary": found.summary, "paper": f"arXiv {found.paper}" if found.paper else ""}


def _command(asked: Mapping[str, Any]) -> str:
    words = ["agentgym bench", f"--budget {asked['budget'] or 'quick'}"]
    words += [f"--policy {asked['policy']}"] if "policy" in asked else []
    words += [f"--envs {env}" for env in asked["envs"]] + [f"--estimator {name}" for name in asked["estimators"]]
    return " ".join([*words, *([f"--seeds {asked['seeds']}"] if asked["seeds"] else [])])


def _console(*, stderr: bool = False) -> Console:
    """Return a console that is wide where nobody looks at a terminal, so that piped lines stay whole."""
    console = Console(stderr=stderr, highlight=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, width=160)


def _playable(panel: Panel) -> None:
    """Build a panel's world and refuse one that the benchmark's policies cannot play."""
    world = build(panel.env, panel.kwargs)
    if len(world.panel["train" if "train" in world.panel else world.split]) < 2:
        raise ValueError(f"{panel.env} has one training task: intervals are over tasks, so give it at least two")
    for hook in ("menu", "describe"):
        if not world.offers(hook):
            raise ValueError(
                f"{panel.env} has no {hook}(state): the benchmark's policies choose from menu(state) by what "
                "describe(state) says; give the world both"
            )


def _with_progress(
    console: Console, cells: Sequence[Cell], budget: Budget, store: Store, jobs: int
) -> list[dict[str, Any]]:
    named = TextColumn("{task.description:<36}")
    columns = (named, BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    done: dict[str, float] = {}
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        bar = bars.add_task("starting", total=len(cells))

        def tell(key: str, share: float) -> None:
            done[key] = share
            finished = sum(value >= 1.0 for value in done.values())
            bars.update(bar, description=f"{finished}/{len(cells)} {key}", completed=sum(done.values()))
            if share >= 1.0 and not console.is_terminal:
                console.print(f"{finished}/{len(cells)} {key}")

        return run_cells(cells, budget, store, jobs=jobs, report=tell)


def _tables(console: Console, results: dict[str, Any]) -> None:
    for text in sentences(results["summary"]):
        console.print(f"• {text}")
    fidelity = results["summary"].get("fidelity")
    if fidelity and fidelity["ranked"]:
        table = Table("estimator", "mean rank correlation", "95 % interval", title="Recovering the true advantages")
        for row in fidelity["ranked"]:
            table.add_row(short(row["estimator"]), f"{row['value']:.3f}", f"{row['low']:.3f} … {row['high']:.3f}")
        ceilings = [cell["ceiling"] for cell in results["cells"] if cell["track"] == "fidelity"]
        lines = [cell["lines"] for cell in results["cells"] if cell["track"] == "fidelity"]
        for name in lines[0]:
            value = sum(line[name]["spearman"]["value"] for line in lines) / len(lines)
            table.add_row(f"({name})", f"{value:.3f}", "reference line")
        console.print(table)
        console.print(f"lowest ceiling (correlation of two truths): {min(ceilings):.3f}")
    learning = results["summary"].get("learning")
    if learning:
        base = learning["base"]
        table = Table(
            "panel",
            "estimator",
            "mean success",
            f"minus {short(base)}",
            "95 % interval",
            "after the last",
            title=f"Learning ({learner(learning)})" if "policy" in learning else "Learning",
        )
        for row in learning["rows"]:
            found = row["difference"]
            interval = f"{found['low']:+.3f} … {found['high']:+.3f}"
            shown = (f"{row['area']:.3f}", f"{found['value']:+.3f}", interval, f"{row['held_out']['success']:.3f}")
            table.add_row(row["panel"], short(row["estimator"]), *shown)
        console.print(table)


def about_run() -> dict[str, str]:
    """Return what a reader needs to repeat the run."""
    packages = {name: metadata.version(name) for name in ("numpy", "gymnasium", "minigrid")}
    machine = f"{platform.machine()}, Python {platform.python_version()}"
    return {
        "agentgym": __version__,
        "commit": _commit(),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine,
        **packages,
    }


def _commit() -> str:
    root = Path(__file__).parent
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return found.stdout.strip()


def _matplotlib() -> None:
    try:
        import matplotlib  # noqa: F401 - found missing now rather than after the work
    except ImportError as error:
        raise RunError(plots.NEEDED) from error
