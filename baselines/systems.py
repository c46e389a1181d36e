"""Every system of the literature, measured: `python -m agentgym.baselines.systems --out DIR`.

Computes fidelity and learning of every registered estimator on one small panel and the claims of
`agentgym.baselines.claims`, a cell at a time, and goes on where it was stopped. `--panel` measures, on a panel of
another world, the estimators that this world is for. At the end results.json, the page systems.md and its figures lie
in the folder. `--render RESULTS … --docs DIR` writes page and figures of stored results, the main panel's first.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from agentgym import credit
from agentgym.baselines.benchmark.command import about_run
from agentgym.baselines.benchmark.run import cells_of, options_of
from agentgym.baselines.benchmark.settings import Budget, budgets
from agentgym.baselines.benchmark.store import Store, read_json, write_json, write_text
from agentgym.baselines.claims import figures, measures, page
from agentgym.baselines.claims.registry import CLAIMS
from agentgym.baselines.claims.worlds import PANELS
from agentgym.errors import AgentGymError, unknown

Work = Callable[[], dict[str, Any]]


@dataclass(frozen=True)
class Plan:
    """What a run consists of.

    Attributes:
        budget: sizes of both tracks; one panel.
        estimators: all that are tried; those whose columns nobody makes are listed with what they lack.
        claims: name → arguments of its measure.
    """

    budget: Budget
    estimators: tuple[str, ...]
    claims: Mapping[str, Mapping[str, Any]]


MAIN = "goto"
"""The panel on which every estimator is measured, and beside which the claims stand."""


def plan_of(panel: str = MAIN, *, quick: bool) -> Plan:
    """Return the plan of a panel, or one that takes a minute and says nothing.

    Raises:
        ValueError: no panel of that name is measured.
    """
    known = [MAIN, *PANELS]
    if panel not in known:
        raise ValueError(unknown("panel", panel, known))
    sizes, every = budgets()["quick"], budgets()["standard"].panels
    chosen = next(made for made in every if made.name == panel)
    everyone = {"learning_panels": (panel,), "learners": ()}
    budget = replace(sizes, name="systems", panels=(chosen,), updates=12, seeds=6, **everyone)
    if panel != MAIN:
        budget = replace(budget, name=f"systems-{panel}", **PANELS[panel].sizes)
    if quick:
        small = {"targets": (0.5,), "fidelity_tasks": 3, "redraws": 1, "updates": 1, "update_tasks": 2, "seeds": 2}
        name = f"{budget.name}-quick"
        budget = replace(budget, name=name, group_size=4, eval_tasks=2, eval_rollouts=1, **small)
    elsewhere = [name for world in PANELS.values() for name in world.claims]
    claims = [name for name in CLAIMS if name not in elsewhere] if panel == MAIN else PANELS[panel].claims
    estimators = credit.names() if panel == MAIN else PANELS[panel].estimators
    return Plan(budget, estimators, {name: dict(CLAIMS[name].quick) if quick else {} for name in claims})


def work_of(plan: Plan) -> dict[str, Work]:
    """Return what there is to compute, by the name of the file that keeps it."""
    work: dict[str, Work] = {
        f"claim-{name}": partial(_measured, name, options) for name, options in plan.claims.items()
    }
    for cell in cells_of(plan.budget, plan.estimators):
        work[cell.key] = partial(cell.run, plan.budget)
    return work


def _measured(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    return {"rows": CLAIMS[name].measure(**options)}


def compute(plan: Plan, folder: Path, console: Console) -> dict[str, Any]:
    """Compute what the folder lacks and return the results, JSON.

    Raises:
        RunError: the folder belongs to another plan or another state of the code, or cannot be written.
    """
    options = {**options_of(plan.budget, plan.estimators), "claims": plan.claims}
    store = Store(folder, options, resume=True)
    work, cells = work_of(plan), {}
    for number, (key, make) in enumerate(work.items(), 1):
        held = store.get(key)
        console.print(f"{number}/{len(work)} {key}{'' if held is None else ' (kept)'}")
        cells[key] = store.put(key, make()) if held is None else held
    tracks = {
        track: [cell for cell in cells.values() if cell.get("track") == track] for track in ("fidelity", "learning")
    }
    budget, panel = plan.budget, plan.budget.panels[0].name
    learned = PANELS[panel].learned if panel in PANELS else "success"
    return {
        "schema": 1,
        "sizes": {"updates": budget.updates, "seeds": budget.seeds, "panel": dict(budget.panels[0].kwargs)},
        "fidelity": measures.fidelity(tracks["fidelity"]),
        "learning": measures.learning(tracks["learning"], learned),
        "safety": measures.safety(tracks["learning"]),
        "calls": measures.calls(tracks["learning"]),
        "claims": {name: cells[f"claim-{name}"]["rows"] for name in plan.claims},
    }


def write_page(results: Sequence[Mapping[str, Any]], docs: Path) -> None:
    """Write systems.md and images/systems-*.svg into a folder, of the results of one panel or of several."""
    (docs / "images").mkdir(parents=True, exist_ok=True)
    for name, draw in figures.FIGURES.items():
        if name in results[0]["claims"]:
            write_text(docs / "images" / f"systems-{name}.svg", draw(results[0]["claims"][name]))
    write_text(docs / "systems.md", page.render(*results))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m agentgym.baselines.systems", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--out", default="runs/systems", help="folder of the run (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see whether it runs")
    parser.add_argument("--panel", default=MAIN, help=f"{' or '.join([MAIN, *PANELS])} (default: %(default)s)")
    parser.add_argument("--render", metavar="RESULTS", nargs="+", help="results to render; computes nothing")
    parser.add_argument("--docs", metavar="DIR", help="where page and figures go (default: the folder of the run)")
    given = parser.parse_args(arguments)
    console = Console(stderr=True, highlight=False, markup=False)
    folder = Path(given.out)
    try:
        if given.render:
            results = [read_json(Path(name)) for name in given.render]
        else:
            found = compute(plan_of(given.panel, quick=given.quick), folder, console)
            panel = "" if given.panel == MAIN else f" --panel {given.panel}"
            quick = " --quick" if given.quick else ""
            command = f"python -m agentgym.baselines.systems{panel} --out {given.out}{quick}"
            write_json(folder / "results.json", {**found, "run": {"command": command, **about_run()}})
            results = [read_json(folder / "results.json")]  # as --render will find it
        docs = Path(given.docs) if given.docs else folder
        write_page(results, docs)
    except KeyboardInterrupt:
        console.print(f"stopped; what is finished lies in {folder}, and the same command goes on", soft_wrap=True)
        return 130
    except (AgentGymError, ValueError, OSError) as error:
        console.print(str(error), soft_wrap=True)
        return 2
    console.print(f"page: {docs / 'systems.md'}", soft_wrap=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
