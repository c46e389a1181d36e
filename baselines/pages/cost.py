"""What every estimator costs: its time over gigpo's on the same record, from one run of `tests/perf/run.py`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["COMMAND", "cost", "figures", "take"]

COMMAND = "python tests/perf/run.py estimators --json runs/perf.json"
TURNS = "100,000 turns"
KEPT = Path(__file__).parent / "data" / "cost.json"


@cache
def figures() -> Mapping[str, Any]:
    """The figures kept: `date`, `machine`, `busy` (wall time over CPU time) and `ratio`, one number an estimator."""
    read: Mapping[str, Any] = json.loads(KEPT.read_text("utf-8"))
    return read


def cost(name: str) -> str:
    """An estimator's time in words, "1.3 × gigpo"; "not measured" where the run did not hold it."""
    ratio = 1.0 if name == "gigpo" else figures()["ratio"].get(name)
    return "not measured" if ratio is None else f"{ratio:.2g} × gigpo"


def take(run: Path, kept: Path = KEPT) -> None:
    """Keep the figures of a run, the file that `COMMAND` wrote, in place of those of the package.

    Args:
        run: what `tests/perf/run.py --json` wrote.
        kept: the file that keeps what is shown.

    Raises:
        ValueError: the file holds no time of any estimator at that size.
    """
    found = json.loads(run.read_text("utf-8"))
    ratio = {
        name: float(f"{line['ratio']:.2g}")
        for line in found["lines"]
        for name, _, size in [line["row"].partition(", ")]
        if line["against"] == "gigpo" and size == TURNS
    }
    if not ratio:
        raise ValueError(f"{run} holds no estimator's time on {TURNS}: make it with `{COMMAND}`")
    machine = f"{found['machine']}, {found['cpus']} CPUs, {found['system']}"
    facts = {
        "date": found["date"],
        "machine": machine,
        "busy": round(found["busy"], 1),
        "ratio": dict(sorted(ratio.items())),
    }
    kept.write_text(json.dumps(facts, indent=1) + "\n", "utf-8")
    figures.cache_clear()
