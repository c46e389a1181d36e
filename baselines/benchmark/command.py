"""The benchmark as a command: checks everything first, shows progress, ends with tables, a page and a JSON."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
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

from agentgym import __version__
from agentgym.baselines.benchmark import console, markdown, plots, report
from agentgym.baselines.benchmark.choice import ALL, entries, made, try_out
from agentgym.baselines.benchmark.run import Cell, cells_of, free_folder, options_of, run_cells
from agentgym.baselines.benchmark.settings import POLICIES, TRACKS, Budget, Panel, budgets, for_lm
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
    only: bool = False,
    track: str | None = None,
    seeds: int | None = None,
    out: str | None = None,
    resume: bool = False,
    jobs: int = 1,
    policy: str | None = None,
) -> Path:
    """Run the benchmark and return the folder of `report.html`, `results.json`, `summary.md` and `fidelity.svg`.

    Every registered estimator is judged by the truth; the learning track trains those of the budget's `learners`. Those
    that read a column which a world's rollouts lack are listed with it, and the others run.

    Args:
        budget: "quick" (the default) or "standard".
        envs: panels or world ids; none: those of the budget.
        estimators: names, "file.py:function", "column:NAME" or "all", every registered one: they run beside the others
            in both tracks, and are tried on a few rollouts first.
        only: run nothing but `estimators`.
        track: "fidelity", "learning" or "both" (the default). A run can go on with another track.
        seeds: learning runs of each estimator; None: the budget's.
        out: folder; None: the first free of runs/bench-1, runs/bench-2, ….
        resume: go on with a run in `out`; of the other arguments but jobs, those not given are that run's.
        jobs: processes.
        policy: what the learning track trains, "menu" (the default) or "lm", the language model of `agentgym train`.

    Raises:
        RunError: the folder cannot be used, what the policy needs is not installed, or a named estimator returns
            something other than one finite number a turn, or finds the columns it reads in no panel; raised before any
            work. None of the estimators finds the columns it reads.
        ValueError, TypeError: an unknown budget, panel, world or estimator, a bad count.
        KeyboardInterrupt: stopped; finished cells are kept, and `resume` goes on.
    """
    screen = console.screen(stderr=True)
    if out == "":
        raise RunError("--out needs the name of a folder")
    if resume and out is None:
        raise RunError("--resume needs --out, the folder of the run to go on with")
    asked = {
        "budget": budget, "envs": list(envs), "estimators": list(estimators), "only": only, "track": track,
        "seeds": seeds, "policy": policy,
    }  # fmt: skip
    if resume:
        asked = _as_before(Path(str(out)), asked)
    if asked["policy"] in (None, "menu"):
        del asked["policy"]
    sizes, chosen, lm = _checked(asked, jobs)
    folder = Path(out) if out is not None else free_folder(Path("runs") / "bench")
    options = options_of(sizes, chosen, lm)
    store = Store(folder, options, resume=resume, asked=(ASKED, asked))
    write_json(folder / ASKED, asked)
    cells = cells_of(sizes, chosen, lm, asked["track"] or "both")
    screen.print(
        f"{len(cells)} cells to [bold]{folder}[/bold] (Ctrl-C stops; go on with agentgym bench --out {folder} --resume)"
    )
    try:
        results = _with_progress(screen, cells, sizes, store, jobs)
    except KeyboardInterrupt:
        screen.print(f"stopped; finished cells are kept: go on with agentgym bench --out {folder} --resume")
        raise
    _something_ran(results)
    summary = summarise(results, chosen)
    about = {name: _described(name) for name in chosen}
    run = {"command": _command(asked), **about_run()}
    whole = {"schema": 1, "run": run, "options": options, "about": about, "summary": summary, "cells": results}
    write_json(folder / "results.json", whole)
    write_text(folder / "report.html", report.render(whole))
    write_text(folder / "summary.md", markdown.render(whole))
    if "fidelity" in summary:
        write_text(folder / "fidelity.svg", report.picture(whole))
    console.tables(console.screen(), whole)
    screen.print(f"report: [bold]{folder / 'report.html'}[/bold]   every number: {folder / 'results.json'}")
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
    for name, known in (("policy", POLICIES), ("track", TRACKS)):
        if asked.get(name) not in (None, *known):
            raise ValueError(unknown(name, asked[name], known))
    _matplotlib()
    whole, lm = for_lm(budgets()[budget]) if "policy" in asked else (budgets()[budget], None)
    sizes = whole.limited(asked["envs"], asked["seeds"])
    chosen, told = entries(asked["estimators"], only=bool(asked["only"]))
    if sizes.learners:
        sizes = replace(sizes, learners=tuple(dict.fromkeys((*sizes.learners, *told))))
    for name in chosen:
        made(name)
    for panel in sizes.panels:
        _playable(panel)
    if lm is not None and asked["track"] != "fidelity":
        _trainer().check(sizes, [name for name in chosen if name in (sizes.learners or chosen)], lm)
    try_out(sizes.panels, [name for name in asked["estimators"] if name != ALL], record=lm is None)
    return sizes, chosen, lm


def _trainer() -> Any:
    """Return the module in which a language model learns. Raises RunError where its libraries are missing."""
    try:
        return import_module("agentgym.baselines.benchmark.learning_lm")
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "transformers"):
            raise
        raise RunError(f"--policy lm needs {error.name}: pip install 'agentgym-suite[train]'") from error


def _described(name: str) -> dict[str, Any]:
    found = made(name)
    paper = f"arXiv {found.paper}" if found.paper else ""
    return {"summary": found.summary, "paper": paper, "needs": list(found.needs)}


def _command(asked: Mapping[str, Any]) -> str:
    words = ["agentgym bench", f"--budget {asked['budget'] or 'quick'}"]
    words += [f"--policy {asked['policy']}"] if "policy" in asked else []
    words += [f"--envs {env}" for env in asked["envs"]] + [f"--estimator {name}" for name in asked["estimators"]]
    words += ["--only"] * bool(asked["only"])
    words += [f"--track {asked['track']}"] if asked["track"] not in (None, "both") else []
    return " ".join([*words, *([f"--seeds {asked['seeds']}"] if asked["seeds"] else [])])


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
    screen: Console, cells: Sequence[Cell], budget: Budget, store: Store, jobs: int
) -> list[dict[str, Any]]:
    named = TextColumn("{task.description:<36}")
    columns = (named, BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    done: dict[str, float] = {}
    with Progress(*columns, console=screen, disable=not screen.is_terminal) as bars:
        bar = bars.add_task("starting", total=len(cells))

        def tell(key: str, share: float) -> None:
            done[key] = share
            finished = sum(value >= 1.0 for value in done.values())
            bars.update(bar, description=f"{finished}/{len(cells)} {key}", completed=sum(done.values()))
            if share >= 1.0 and not screen.is_terminal:
                screen.print(f"{finished}/{len(cells)} {key}")

        return run_cells(cells, budget, store, jobs=jobs, report=tell)


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
