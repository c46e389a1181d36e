"""Runs the cells of a benchmark, one after the other or in processes, resumable after any interruption."""

from __future__ import annotations

import inspect
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib import import_module
from pathlib import Path
from typing import Any

import agentgym
from agentgym import baselines, envs, wrappers
from agentgym.baselines.benchmark.fidelity_track import judge
from agentgym.baselines.benchmark.learning import learn
from agentgym.baselines.benchmark.settings import Budget, Panel, short
from agentgym.baselines.benchmark.store import RunError, Store
from agentgym.rollout import build

Report = Callable[[str, float], None]
"""Called with a cell's key and the share of it that is done; 1.0 comes once, when its result is kept."""


@dataclass(frozen=True)
class Cell:
    """One piece of a run, computed whole and kept in one file.

    Attributes:
        track: "fidelity" or "learning".
        panel: the world.
        policy: fidelity: the success rate aimed at.
        estimators: fidelity: all of them; learning: one.
        seed: of the cell.
        lm: learning: fields of the trainer's configuration where a language model learns; None: the menu policy.
    """

    track: str
    panel: Panel
    estimators: tuple[str, ...]
    seed: int
    policy: float = 0.0
    lm: Mapping[str, Any] | None = None

    @property
    def key(self) -> str:
        """Return the name of the cell's file."""
        what = f"{round(100 * self.policy):02d}" if self.track == "fidelity" else short(self.estimators[0])
        name = f"{self.track}-{self.panel.name}-{what}-{self.seed}"
        plain = "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "_" for char in name)
        if plain == name:
            return plain
        exact = f"{name} {self.estimators} {self.panel.env}"
        return f"{plain}-{blake2b(exact.encode(), digest_size=4).hexdigest()}"

    def run(self, budget: Budget, progress: Callable[[int, int], None] | None = None) -> dict[str, Any]:
        """Compute the cell."""
        if self.track == "fidelity":
            result = judge(self.panel, self.policy, self.estimators, self.seed, budget, progress)
        elif self.lm is None:
            result = learn(self.panel, self.estimators[0], self.seed, budget, progress)
        else:
            learn_lm = import_module("agentgym.baselines.benchmark.learning_lm").learn
            result = learn_lm(self.panel, self.estimators[0], self.seed, budget, self.lm, progress)
        about = {"track": self.track, "panel": self.panel.name, "env": self.panel.env, "seed": self.seed}
        extra = {"policy": self.policy} if self.track == "fidelity" else {"estimator": self.estimators[0]}
        return {**about, **extra, **result}


def cells_of(
    budget: Budget, estimators: Sequence[str], lm: Mapping[str, Any] | None = None, track: str = "both"
) -> list[Cell]:
    """Return the cells of a run in their order.

    Args:
        budget: the sizes; its `learners` say which of the estimators the learning track trains.
        estimators: of the fidelity track.
        lm: as in `Cell`.
        track: "both", "fidelity" or "learning".
    """
    fidelity = [
        Cell("fidelity", panel, tuple(estimators), 0, target) for panel in budget.panels for target in budget.targets
    ]
    learning = [
        Cell("learning", panel, (estimator,), seed, lm=lm)
        for panel in budget.panels
        if panel.name in budget.learning_panels
        for seed in range(budget.seeds)
        for estimator in estimators
        if estimator in (budget.learners or estimators)
    ]
    return [cell for cell in fidelity + learning if track in ("both", cell.track)]


def options_of(budget: Budget, estimators: Sequence[str], lm: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return what decides a run's numbers, as JSON: sizes, estimators, and hashes of the code behind them.

    Where a language model learns, "policy" is "lm" and "trainer" holds the fields that `lm` gives.
    """
    files = {name: _hash_of([Path(name.rpartition(":")[0])]) for name in estimators if name.rpartition(":")[0]}
    folders = {Path(str(part.__file__)).parent for part in (agentgym, envs, wrappers, baselines)}
    sources = sorted({path for folder in folders for path in folder.rglob("*.py")})
    worlds = {panel.name: _hash_of([_source(panel)]) for panel in budget.panels}
    code = {"sources": _hash_of(sources), "estimators": files, "worlds": worlds}
    learner = {} if lm is None else {"policy": "lm", "trainer": dict(lm)}
    return {"estimators": list(estimators), "budget": asdict(budget), "code": code, **learner}


def _source(panel: Panel) -> Path:
    """Return the file that defines a panel's world."""
    return Path(inspect.getsourcefile(type(build(panel.env, panel.kwargs))) or "")


def _hash_of(paths: Sequence[Path]) -> str:
    """Return a hash of what these files hold; "" for a module that is not given as a file."""
    digest = blake2b(digest_size=16)
    found = [path for path in paths if path.is_file()]
    for path in found:
        digest.update(path.name.encode() + b"\n" + path.read_bytes())
    return digest.hexdigest() if found else ""


def run_cells(
    cells: Sequence[Cell], budget: Budget, store: Store, *, jobs: int = 1, report: Report | None = None
) -> list[dict[str, Any]]:
    """Compute the cells that the store does not hold yet and return all results in the cells' order.

    Args:
        cells: with distinct keys.
        budget: the sizes.
        store: where finished cells are kept; what is there is not computed again.
        jobs: processes; 1 computes in this one.
        report: told the progress.
    """
    held = {cell.key: result for cell in cells if (result := store.get(cell.key)) is not None}
    missing = [cell for cell in cells if cell.key not in held]
    if report is not None:
        for key in held:
            report(key, 1.0)
    made = _in_turn(missing, budget, report) if jobs == 1 else _in_processes(missing, budget, jobs)
    for cell, result in made:
        held[cell.key] = store.put(cell.key, result)
        if report is not None:
            report(cell.key, 1.0)
    return [held[cell.key] for cell in cells]


def _in_turn(cells: Sequence[Cell], budget: Budget, report: Report | None) -> Iterator[tuple[Cell, dict[str, Any]]]:
    for cell in cells:
        key = cell.key
        tell = None if report is None else lambda done, total, key=key: report(key, 0.99 * done / total)
        yield cell, _named(cell, budget, tell)


def _named(cell: Cell, budget: Budget, tell: Callable[[int, int], None] | None = None) -> dict[str, Any]:
    """Compute a cell; an error says in which."""
    try:
        return cell.run(budget, tell)
    except Exception as error:
        error.add_note(f"in cell {cell.key}")
        raise


def _in_processes(cells: Sequence[Cell], budget: Budget, jobs: int) -> Iterator[tuple[Cell, dict[str, Any]]]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_attend) as pool:
        running = {pool.submit(_named, cell, budget): cell for cell in cells}
        try:
            while running:
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield running.pop(future), future.result()
        except BrokenProcessPool as error:
            raise RunError("a worker died (killed, or out of memory); finished cells are kept: add --resume") from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                child.terminate()
            raise


def _attend() -> None:
    """Set up a worker: Ctrl-C is its parent's business, and it leaves when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def leave() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()


def free_folder(base: Path) -> Path:
    """Return the first of base-1, base-2, … that does not exist."""
    number = 1
    while (folder := base.with_name(f"{base.name}-{number}")).exists():
        number += 1
    return folder
