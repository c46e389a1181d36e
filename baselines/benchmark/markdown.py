"""summary.md: the findings of a run as Markdown, to paste where people talk about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agentgym.baselines.benchmark.findings import sentences
from agentgym.baselines.benchmark.settings import short


def render(results: Mapping[str, Any]) -> str:
    """Return the findings, one table and where the numbers come from."""
    summary, run = results["summary"], results["run"]
    parts = ["\n".join(f"- {text}" for text in sentences(summary))]
    if "fidelity" in summary or "learning" in summary:
        parts.append(_table(summary))
    if "missing" in summary:
        rows = [[row["track"], row["panel"], short(row["estimator"]), row["why"]] for row in summary["missing"]]
        head = ["not run", "panel", "estimator", "why"]
        parts.append("\n".join(_line(row) for row in [head, ["---"] * len(head), *rows]))
    panels = {cell["panel"]: cell["panel_hash"][:12] for cell in results["cells"]}
    hashes = ", ".join(f"{panel} {value}" for panel, value in panels.items())
    parts.append(
        f"`{run['command']}`, {run['date']}, {run['machine']}, agentgym {run['agentgym']} ({run['commit']}), "
        f"numpy {run['numpy']}, gymnasium {run['gymnasium']}, minigrid {run['minigrid']}; panel hashes: {hashes}."
    )
    return "\n\n".join(parts) + "\n"


def _table(summary: Mapping[str, Any]) -> str:
    ranked = summary.get("fidelity", {}).get("ranked", [])
    learned = summary.get("learning", {}).get("rows", [])
    panels = list(dict.fromkeys(row["panel"] for row in learned))
    names = list(dict.fromkeys(row["estimator"] for row in [*ranked, *learned]))
    head = ["estimator", *(["rank correlation with the truth"] if ranked else [])]
    head += [f"mean success while learning {panel}" for panel in panels]
    rows = []
    for name in names:
        cells = [short(name)]
        mine = [row for row in ranked if row["estimator"] == name]
        cells += [f"{row['value']:.2f} ({row['low']:.2f} to {row['high']:.2f})" for row in mine] or [""] * bool(ranked)
        for panel in panels:
            found = next((row for row in learned if (row["panel"], row["estimator"]) == (panel, name)), None)
            if found is None:
                cells.append("")
                continue
            difference = found["difference"]
            beside = f" ({difference['value']:+.2f}; {difference['low']:+.2f} to {difference['high']:+.2f})"
            cells.append(f"{found['area']:.2f}{'' if name == summary['learning']['base'] else beside}")
        rows.append(cells)
    return "\n".join(_line(row) for row in [head, ["---"] * len(head), *rows])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
