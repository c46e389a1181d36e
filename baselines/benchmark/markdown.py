"""summary.md: the findings of a run as Markdown, to paste where people talk about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from agentgym.baselines.benchmark.findings import sentences
from agentgym.baselines.benchmark.settings import short
from agentgym.baselines.benchmark.summary import missing_by_reason


def render(results: Mapping[str, Any]) -> str:
    """Return the findings, one table and where the numbers come from."""
    summary, run = results["summary"], results["run"]
    parts = ["\n".join(f"- {text}" for text in sentences(summary))]
    if "fidelity" in summary or "learning" in summary:
        parts.append(_table(summary, results["cells"]))
    if "missing" in summary:
        rows = [[short(row["estimator"]), row["why"], row["where"]] for row in missing_by_reason(summary["missing"])]
        head = ["not run", "why", "where"]
        parts.append("\n".join(_line(row) for row in [head, ["---"] * len(head), *rows]))
    panels = {cell["panel"]: cell["panel_hash"][:12] for cell in results["cells"]}
    hashes = ", ".join(f"{panel} {value}" for panel, value in panels.items())
    parts.append(
        f"`{run['command']}`, {run['date']}, {run['machine']}, agentgym {run['agentgym']} ({run['commit']}), "
        f"numpy {run['numpy']}, gymnasium {run['gymnasium']}, minigrid {run['minigrid']}; panel hashes: {hashes}."
    )
    return "\n\n".join(parts) + "\n"


def _table(summary: Mapping[str, Any], cells: Sequence[Mapping[str, Any]]) -> str:
    fidelity = summary.get("fidelity", {"ranked": [], "lines": {}})
    scores = [(short(row["estimator"]), row["estimator"], row) for row in fidelity["ranked"]]
    scores += [(f"*{name}*", "", row) for name, row in fidelity["lines"].items() if fidelity["ranked"]]
    scores.sort(key=lambda score: -score[2]["value"])
    learned = summary.get("learning", {}).get("rows", [])
    panels = list(dict.fromkeys(row["panel"] for row in learned))
    others = dict.fromkeys(
        row["estimator"] for row in learned if row["estimator"] not in {name for _, name, _ in scores}
    )
    head = ["estimator", *(["rank correlation with the truth"] if scores else [])]
    targets = sorted({cell["policy"] for cell in cells if cell["track"] == "fidelity"}) if scores else []
    head += [f"policies at {target:.0%}" for target in targets]
    head += [f"mean success while learning {panel}" for panel in panels]
    rows = [
        [
            title,
            f"{row['value']:.2f} ({row['low']:.2f} to {row['high']:.2f})",
            *(_under(cells, target, name or title.strip("*")) for target in targets),
            *_learned(summary, name, panels),
        ]
        for title, name, row in scores
    ]
    blank = [""] * (bool(scores) + len(targets))
    rows += [[short(name), *blank, *_learned(summary, name, panels)] for name in others]
    return "\n".join(_line(row) for row in [head, ["---"] * len(head), *rows])


def _under(cells: Sequence[Mapping[str, Any]], target: float, name: str) -> str:
    """Return the mean rank correlation over the panels that are ranked, under the policies of one strength."""
    held = [{**cell["estimators"], **cell["lines"]} for cell in cells
            if cell["track"] == "fidelity" and cell["policy"] == target and not cell["unranked"]]  # fmt: skip
    found = [scores[name]["spearman"]["value"] for scores in held if name in scores]
    return f"{fmean(found):.2f}" if found else ""


def _learned(summary: Mapping[str, Any], name: str, panels: Sequence[str]) -> list[str]:
    """Return what an estimator reached on each panel, "" where it did not learn."""
    out = []
    for panel in panels:
        rows = summary["learning"]["rows"]
        found = next((row for row in rows if (row["panel"], row["estimator"]) == (panel, name)), None)
        if found is None:
            out.append("")
            continue
        difference = found["difference"]
        beside = f" ({difference['value']:+.2f}; {difference['low']:+.2f} to {difference['high']:+.2f})"
        out.append(f"{found['area']:.2f}{'' if name == summary['learning']['base'] else beside}")
    return out


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
