"""What a run prints: findings, the ranking, who learned, what could not run."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from agentgym.baselines.benchmark.findings import learner, sentences
from agentgym.baselines.benchmark.settings import short
from agentgym.baselines.benchmark.summary import missing_by_reason


def screen(*, stderr: bool = False) -> Console:
    """Return a console that is wide where nobody looks at a terminal, so that piped lines stay whole."""
    console = Console(stderr=stderr, highlight=False)
    return console if console.is_terminal else Console(stderr=stderr, highlight=False, width=160)


def tables(console: Console, results: dict[str, Any]) -> None:
    """Print the findings of a run and its tables."""
    for text in sentences(results["summary"]):
        console.print(f"• {text}")
    fidelity = results["summary"].get("fidelity")
    if fidelity and fidelity["ranked"]:
        table = Table("estimator", "mean rank correlation", "95 % interval", title="Recovering the true advantages")
        for row in fidelity["ranked"]:
            table.add_row(short(row["estimator"]), f"{row['value']:.3f}", f"{row['low']:.3f} … {row['high']:.3f}")
        ceilings = [cell["ceiling"] for cell in results["cells"] if cell["track"] == "fidelity"]
        for name, found in fidelity["lines"].items():
            table.add_row(f"({name})", f"{found['value']:.3f}", "reference line")
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
    missing = missing_by_reason(results["summary"].get("missing", ()))
    if missing:
        table = Table("estimator", "why", "where", title="What could not run")
        for row in missing:
            table.add_row(short(row["estimator"]), row["why"], row["where"])
        console.print(table)
