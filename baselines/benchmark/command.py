"""The benchmark as a command: checks everything first, shows progress, ends with tables, a page and a JSON."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from agentgym import __version__, credit
from agentgym.baselines.benchmark import report
from agentgym.baselines.benchmark.run import Cell, cells_of, free_folder, options_of, run_cells
from agentgym.baselines.benchmark.settings import FIVE, Panel, budgets
from agentgym.baselines.benchmark.store import RunError, Store, write_json, write_text
from agentgym.baselines.benchmark.summary import summarise
from agentgym.env import AgentEnv
from agentgym.errors import unknown
from agentgym.rollout import build


def bench(
    *,
    budget: str = "quick",
    envs: Sequence[str] = (),
    estimators: Sequence[str] = (),
    seeds: int | None = None,
    out: str | None = None,
    resume: bool = False,
    jobs: int = 1,
) -> Path:
    """Run the benchmark and return the folder of `report.html` and `results.json`.

    Args:
        budget: "quick" or "standard".
        envs: panels or world ids; none: those of the budget.
        estimators: names, or "file.py:function"; none: `FIVE`.
        seeds: learning runs of each estimator; None: the budget's.
        out: folder; None: the first free of runs/bench-1, runs/bench-2, ….
        resume: go on with a run in `out`.
        jobs: processes.

    Raises:
        RunError: the folder cannot be used; raised before any work.
        ValueError, TypeError: an unknown budget, panel, world or estimator, a bad count.
        KeyboardInterrupt: stopped; finished cells are kept, and `resume` goes on.
    """
    console = Console(stderr=True)
    if budget not in budgets():
        raise ValueError(unknown("budget", budget, budgets()))
    for name, value in (("--seeds", seeds), ("--jobs", jobs)):
        if value is not None and value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")
    if resume and out is None:
        raise RunError("--resume needs --out, the folder of the run to go on with")
    _matplotlib()
    sizes = budgets()[budget].limited(envs, seeds)
    chosen = tuple(dict.fromkeys(estimators)) or FIVE
    for name in chosen:
        credit.as_estimator(credit.load(name) if ":" in name else name)
    for panel in sizes.panels:
        _playable(panel)
    folder = Path(out) if out is not None else free_folder(Path("runs") / "bench")
    options = options_of(sizes, chosen)
    store = Store(folder, options, resume=resume)
    cells = cells_of(sizes, chosen)
    console.print(f"{len(cells)} cells to [bold]{folder}[/bold] (stop with Ctrl-C; go on with --out {folder} --resume)")
    try:
        results = _with_progress(console, cells, sizes, store, jobs)
    except KeyboardInterrupt:
        console.print(f"stopped; finished cells are kept: go on with --out {folder} --resume")
        raise
    summary = summarise(results, chosen)
    whole = {"schema": 1, "run": _about(), "options": options, "summary": summary, "cells": results}
    write_json(folder / "results.json", whole)
    write_text(folder / "report.html", report.render(whole))
    _tables(Console(), whole)
    console.print(f"report: [bold]{folder / 'report.html'}[/bold]   every number: {folder / 'results.json'}")
    return folder


def _playable(panel: Panel) -> None:
    """Build a panel's world and refuse one that the benchmark's policies cannot play."""
    world = build(panel.env, panel.kwargs)
    if len(world.panel["train" if "train" in world.panel else world.split]) < 2:
        raise ValueError(f"{panel.env} has one training task: intervals are over tasks, so give it at least two")
    for hook in ("menu", "describe"):
        if getattr(type(world), hook) is getattr(AgentEnv, hook):
            raise ValueError(
                f"{panel.env} has no {hook}(state): the benchmark's policies choose from menu(state) by what "
                "describe(state) says; give the world both"
            )


def _with_progress(
    console: Console, cells: Sequence[Cell], budget: Any, store: Store, jobs: int
) -> list[dict[str, Any]]:
    columns = (TextColumn("{task.description:<40}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    shown: dict[str, float] = {}
    with Progress(*columns, console=console, disable=not console.is_terminal) as bars:
        every = bars.add_task("all cells", total=len(cells))
        now = bars.add_task("", total=100)

        def tell(key: str, share: float) -> None:
            shown[key] = share
            bars.update(now, description=key, completed=round(100 * share))
            finished = sum(value >= 1.0 for value in shown.values())
            bars.update(every, completed=finished)
            if share >= 1.0 and not console.is_terminal:
                console.print(f"{finished}/{len(cells)} {key}")

        return run_cells(cells, budget, store, jobs=jobs, report=tell)


def _tables(console: Console, results: dict[str, Any]) -> None:
    for text in report.sentences(results):
        console.print(f"• {text}")
    fidelity = results["summary"].get("fidelity")
    if fidelity:
        table = Table("estimator", "mean rank correlation", "95 % interval", title="Recovering the true advantages")
        for row in fidelity["ranked"]:
            table.add_row(row["estimator"], f"{row['value']:.3f}", f"{row['low']:.3f} … {row['high']:.3f}")
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
            "panel", "estimator", "mean success", f"less {base}", "95 % interval", "held-out", title="Learning"
        )
        for row in learning["rows"]:
            found = row["difference"]
            interval = f"{found['low']:+.3f} … {found['high']:+.3f}"
            shown = (f"{row['area']:.3f}", f"{found['value']:+.3f}", interval, f"{row['held_out']['success']:.3f}")
            table.add_row(row["panel"], row["estimator"], *shown)
        console.print(table)


def _about() -> dict[str, str]:
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
        raise RunError("the report needs matplotlib: pip install 'agentgym-suite[bench]'") from error
