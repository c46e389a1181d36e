"""report.html: one self-contained page that says what a run found, to someone who has not seen the code."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any

from agentgym.baselines.benchmark import plots, report_fidelity, report_learning
from agentgym.baselines.benchmark.findings import sentences
from agentgym.baselines.benchmark.html import folded, table
from agentgym.baselines.benchmark.settings import short
from agentgym.baselines.benchmark.summary import missing_by_reason

Results = Mapping[str, Any]


def render(results: Results) -> str:
    """Return the page of a run's results (see `results.json`)."""
    cells = results["cells"]
    fidelity = [cell for cell in cells if cell["track"] == "fidelity"]
    learning = [cell for cell in cells if cell["track"] == "learning" and "missing" not in cell]
    parts = [_headline(results), _compared(results), _missing(results)]
    if fidelity:
        parts.append(report_fidelity.section(results, fidelity))
    if learning:
        parts.append(report_learning.section(results, learning))
    if fidelity:
        parts += [report_fidelity.scatter(results, fidelity), report_fidelity.diagnostics(fidelity)]
    parts.append(_provenance(results))
    template = files("agentgym.baselines.benchmark").joinpath("data/report.html").read_text(encoding="utf-8")
    return template.replace("{{body}}", "\n".join(part for part in parts if part))


def picture(results: Results) -> str:
    """Return the main figure of the fidelity track as an SVG file."""
    return plots.ranking(results["summary"]["fidelity"])


def _headline(results: Results) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in sentences(results["summary"]))
    return f"<ul class=headline>{items}</ul>"


def _compared(results: Results) -> str:
    """Return what was compared, on what, with which sizes."""
    sizes, about, cells = results["options"]["budget"], results["about"], results["cells"]
    estimators = table(
        ["estimator", "what it is", "source", "reads"],
        ([short(name), found["summary"], found["paper"], ", ".join(found["needs"])] for name, found in about.items()),
    )
    panels = table(
        ["panel", "world", "what it asks for"],
        ([panel["name"], panel["env"], panel["about"] or panel["kwargs"]] for panel in sizes["panels"]),
    )
    tracks = {cell["track"] for cell in cells}
    text = ""
    if "fidelity" in tracks:
        text += f"""Fidelity: on each panel {len(sizes["targets"])} policies play {sizes["fidelity_tasks"]} tasks in
groups of {sizes["group_size"]} rollouts, {sizes["redraws"]} times. """
    if "learning" in tracks:
        names = list(dict.fromkeys(short(cell["estimator"]) for cell in cells if cell["track"] == "learning"))
        text += f"""Learning, on {", ".join(sizes["learning_panels"])}: {sizes["updates"]} updates of
{sizes["update_tasks"]} tasks × {sizes["group_size"]} rollouts, {sizes["seeds"]} seeds, with {len(names)} of the
{len(about)} estimators ({", ".join(names)}): there
each plays rollouts of its own, while the fidelity track shares them. """
    asked = " (learning: of the model itself, told how the rollout ended)" if "policy" in results["options"] else ""
    return f"""<h2>What was compared</h2>
{panels}{folded(f"The estimators ({len(about)})", estimators)}
<p>{escape(text)}Each estimator has its default options; hca, hcapo and ricl read a hindsight distribution that is
fitted to the successful rollouts of the same batch{asked}.</p>"""


def _missing(results: Results) -> str:
    """Return which estimators could not run, and which column they lack."""
    rows = missing_by_reason(results["summary"].get("missing", ()))
    if not rows:
        return ""
    found = table(["estimator", "why", "where"], ([short(row["estimator"]), row["why"], row["where"]] for row in rows))
    return f"<h3>What could not run</h3><p>For want of a column that the world does not give.</p>{found}"


def _provenance(results: Results) -> str:
    hashes = dict.fromkeys((cell["panel"], cell["env"], cell["panel_hash"]) for cell in results["cells"])
    run = "".join(f"<dt>{escape(key)}</dt><dd>{escape(str(value))}</dd>" for key, value in results["run"].items())
    return f"""<h2>Where these numbers come from</h2><dl>{run}</dl>
{table(["panel", "world", "panel hash"], hashes)}
<p>Every number is in <code>results.json</code> beside this page. Numbers of different panel hashes are about different
tasks and must not be compared.</p>"""
