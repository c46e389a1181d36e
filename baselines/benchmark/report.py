"""report.html: one self-contained page that says what a run found, to someone who has not seen the code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from agentgym.baselines.benchmark import plots
from agentgym.baselines.benchmark.findings import sentences
from agentgym.baselines.benchmark.settings import short

Results = Mapping[str, Any]

SCORES = (
    ("spearman", "rank correlation", "Spearman's, of estimate and true advantage over all turns"),
    ("kendall", "Kendall's τ-b", "share of turn pairs in the right order, less those in the wrong one"),
    ("pearson", "linear correlation", "Pearson's"),
    ("sign", "right sign", "share of turns, those with a true advantage near 0 left out; an estimate of 0 counts ½"),
    ("cosine", "gradient cosine", "of the policy gradient it implies with the true one"),
    ("bias", "bias", "mean error after the best positive scale"),
    ("variance", "variance", "of the error after the best positive scale"),
)


def render(results: Results) -> str:
    """Return the page of a run's results (see `results.json`)."""
    cells, estimators = results["cells"], results["options"]["estimators"]
    fidelity = [cell for cell in cells if cell["track"] == "fidelity"]
    learning = [cell for cell in cells if cell["track"] == "learning" and "missing" not in cell]
    parts = [_headline(results), _compared(results), _missing(results)]
    if fidelity:
        parts += [_fidelity(results, fidelity, estimators)]
    if learning:
        parts += [_learning(results, learning, estimators)]
    if fidelity:
        parts += [_scatter(fidelity, estimators), _diagnostics(fidelity, estimators)]
    parts.append(_provenance(results))
    template = files("agentgym.baselines.benchmark").joinpath("data/report.html").read_text(encoding="utf-8")
    return template.replace("{{body}}", "\n".join(parts))


def picture(results: Results) -> str:
    """Return the figure of the fidelity track as an SVG file."""
    cells = [cell for cell in results["cells"] if cell["track"] == "fidelity"]
    return plots.fidelity(cells, results["options"]["estimators"])


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return an HTML table; cells are escaped, numbers aligned to the right."""
    lines = ["<table><thead><tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr></thead><tbody>"]
    for row in rows:
        tags = "".join(
            f"<td class=number>{value:.3f}</td>" if isinstance(value, float) else f"<td>{escape(str(value))}</td>"
            for value in row
        )
        lines.append(f"<tr>{tags}</tr>")
    return "\n".join([*lines, "</tbody></table>"])


def _headline(results: Results) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in sentences(results["summary"]))
    return f"<ul class=headline>{items}</ul>"


def _compared(results: Results) -> str:
    """Return what was compared, on what, with which sizes."""
    sizes, about = results["options"]["budget"], results["about"]
    estimators = table(
        ["estimator", "what it is", "source"],
        ([short(name), found["summary"], found["paper"]] for name, found in about.items()),
    )
    panels = table(
        ["panel", "world", "what it asks for"],
        ([panel["name"], panel["env"], panel["about"] or panel["kwargs"]] for panel in sizes["panels"]),
    )
    learning = escape(", ".join(sizes["learning_panels"]))
    asked = " (learning: of the model itself, told how the rollout ended)" if "policy" in results["options"] else ""
    return f"""<h2>What was compared</h2>
{estimators}{panels}
<p>Fidelity: on each panel {len(sizes["targets"])} policies play {sizes["fidelity_tasks"]} tasks in groups of
{sizes["group_size"]} rollouts, {sizes["redraws"]} times. Learning, on {learning}: {sizes["updates"]} updates of
{sizes["update_tasks"]} tasks × {sizes["group_size"]} rollouts, {sizes["seeds"]} seeds. Each estimator has its default
options; hca, hcapo and ricl read a hindsight distribution that is fitted to the successful rollouts of the same
batch{asked}.</p>"""


def _missing(results: Results) -> str:
    """Return which estimators could not run, and which column they lack."""
    rows = results["summary"].get("missing", ())
    if not rows:
        return ""
    found = table(["track", "panel", "estimator", "why"], ([row[key] for key in ("track", "panel", "estimator", "why")]
                  for row in rows))  # fmt: skip
    return f"<h3>What could not run</h3><p>For want of a column that the world does not give.</p>{found}"


def _same(results: Results, cells: Sequence[Mapping[str, Any]]) -> str:
    """Return what all runs of the learning track share."""
    if "policy" not in results["options"]:
        return (
            "The same log-linear policy, tasks, draws and step length; only the advantages differ (scaled to root mean "
            "square 1)."
        )
    warm = [cell["warm"]["success"] for cell in cells]
    size, episodes = cells[0]["parameters"], cells[0]["warm"]["episodes"]
    return f"""The policy is a language model of {size:,} parameters that reads and writes tokens, trained as
<code>agentgym train</code> does. Before, it imitated {episodes} expert episodes, to a held-out success of
{min(warm):.0%} to {max(warm):.0%} by panel and seed. Warm start, tasks and draws are the same for all estimators;
only the advantages differ."""


def _fidelity(results: Results, cells: Sequence[Mapping[str, Any]], estimators: Sequence[str]) -> str:
    summary = results["summary"]["fidelity"]
    ranked = table(
        ["estimator", "mean rank correlation", "95 % from", "to"],
        ([row["estimator"], row["value"], row["low"], row["high"]] for row in summary["ranked"]),
    )
    pairs = table(
        ["panel", "better", "worse", "difference", "95 % from", "to", "under each policy"],
        (
            [
                panel,
                short(row["better"]),
                short(row["worse"]),
                row["value"],
                row["low"],
                row["high"],
                " / ".join(f"{value:+.2f}" for value in row["by_policy"]),
            ]
            for panel, rows in summary["separated"].items()
            for row in rows
        ),
    )
    setting = table(
        ["panel", "policy aimed at", "policy", "succeeds in", "turns", "truth by", "nodes", "ceiling"],
        (
            [
                cell["panel"],
                f"{cell['policy']:.0%}",
                cell["acting"],
                f"{cell['success']:.0%}",
                cell["rows"],
                cell["method"],
                cell["nodes"],
                float(cell["ceiling"]),
            ]
            for cell in cells
        ),
    )
    every = table(
        ["panel", "policy", "estimator", *(title for _, title, _ in SCORES)],
        (
            [cell["panel"], f"{cell['success']:.0%}", name, *(float(scores[key]["value"]) for key, _, _ in SCORES)]
            for cell in cells
            for name, scores in [*cell["estimators"].items(), *cell["lines"].items()]
        ),
    )
    meaning = "".join(f"<li><b>{escape(title)}</b>: {escape(text)}</li>" for _, title, text in SCORES)
    optimal = _expert_view(cells)
    return f"""<h2>Who recovers the true advantages?</h2>
<p>The true advantage of an action is what it changes in the chance that this same policy succeeds: Q − V, computed from
the world's own transitions. A mark is one policy on one panel; bars are 95 % intervals, bootstrapped over tasks. The
grey lines: what pure noise, the outcome minus the true value, and the truth itself score.</p>
<figure>{plots.fidelity(cells, estimators)}</figure>
{ranked}
<details><summary>Pairs told apart: the interval of their difference, mean over the policies, leaves out 0</summary>
<p>Each pair by itself: nothing is corrected for the number of pairs.</p>{pairs}</details>
<h3>The policies, and how the truth was found</h3>
<p>The ceiling is the correlation of two independent truths: 1 where it is exact. Below 0.9 nothing is ranked.</p>
{setting}
<details><summary>Every score</summary><ul>{meaning}</ul>
<p>Reference lines: noise, truth, true_baseline (outcome minus the true value of the state), turn_reward (the world's
own reward of the turn: in BabyAI a shaped distance to the goal).</p>{every}</details>{optimal}"""


def _expert_view(cells: Sequence[Mapping[str, Any]]) -> str:
    """Return the scores against the truth under the expert, beside those under the acting policy."""
    viewed = [cell for cell in cells if "expert_view" in cell]
    if not viewed:
        return ""
    rows = []
    for cell in viewed:
        here = {**cell["estimators"], **cell["lines"]}
        where = [cell["panel"], f"{cell['success']:.0%}"]
        rows.append([*where, "the acting policy's truth", 1.0, *_bounded(cell["expert_view"]["acting"])])
        for name, found in cell["expert_view"]["estimators"].items():
            rows.append([*where, short(name), float(here[name]["spearman"]["value"]), *_bounded(found)])
    found = table(["panel", "policy", "estimate", "acting policy", "under the expert", "95 % from", "to"], rows)
    return f"""<details><summary>The view of optimal play</summary><p>Rank correlation with the advantage under the
policy that acts, as above, and with the advantage of the same action if the expert plays on. A signal can be right
about the expert and of no use to the policy, and the reverse; only the first says what the policy gradient
needs.</p>{found}</details>"""


def _bounded(found: Mapping[str, float]) -> list[float]:
    return [float(found["value"]), float(found["low"]), float(found["high"])]


def _learning(results: Results, cells: Sequence[Mapping[str, Any]], estimators: Sequence[str]) -> str:
    summary = results["summary"]["learning"]
    base = summary["base"]
    rows = [
        {"label": f"{row['panel']}: {short(row['estimator'])}", **row["difference"]}
        for row in summary["rows"]
        if row["estimator"] != base
    ]
    numbers = table(
        [
            "panel",
            "estimator",
            "mean success over updates",
            f"minus {base}",
            "95 % from",
            "to",
            "success after the last",
            "on",
        ],
        (
            [
                row["panel"],
                row["estimator"],
                row["area"],
                row["difference"]["value"],
                row["difference"]["low"],
                row["difference"]["high"],
                row["held_out"]["success"],
                f"{row['evaluated_on']} tasks",
            ]
            for row in summary["rows"]
        ),
    )
    metrics = list(summary["rows"][0]["held_out"])
    held_out = table(
        ["panel", "estimator", *metrics],
        ([row["panel"], row["estimator"], *(row["held_out"][metric] for metric in metrics)] for row in summary["rows"]),
    )
    picture = plots.differences(rows, f"mean success over the updates, minus {base}'s") if rows else ""
    return f"""<h2>Who learns fastest?</h2>
<p>{_same(results, cells)}
Lines are means over seeds, bands reach from the lowest to the highest seed, curves are smoothed over three updates.</p>
<figure>{plots.curves(cells, estimators)}</figure>
<h3>Against {escape(base)} at equal rollouts</h3>
<p>Paired by seed; bars are 95 % intervals (Student's, over seeds), blue where they leave out 0.</p>
<figure>{picture}</figure>{numbers}
<details><summary>After the last update, in full</summary><p>Means over seeds, on tasks of the split named above (train:
no others were there). return: turn rewards and outcome; avg@k: mean success of k
rollouts a task; pass@k: at least one of k succeeds; pass^k: all k do (unbiased estimates from all rollouts of a task);
invalid_rate: share of turns.</p>{held_out}</details>"""


def _scatter(cells: Sequence[Mapping[str, Any]], estimators: Sequence[str]) -> str:
    middle = sorted({float(cell["policy"]) for cell in cells})
    wanted = middle[len(middle) // 2]
    figures = "".join(
        f"<h3>{escape(cell['panel'])}, policy at {cell['success']:.0%}</h3>"
        f"<figure>{plots.scatter(cell, estimators)}</figure>"
        for cell in cells
        if float(cell["policy"]) == wanted
    )
    return f"<h2>Estimate against truth</h2><p>A sample of turns; a good estimate rises with the truth.</p>{figures}"


DIAGNOSTICS = {
    "zero_variance_share": "share of groups whose rollouts all paid the same, so that a group statistic says nothing",
    "singleton_share": "share of turns whose state no other turn of the group was in",
    "aliasing": "share of turns whose state and action led to different next states or rewards in the group",
    "misalignment": "share of pairs of rollouts in which the turn rewards and the outcome disagree on which was better",
}


def _diagnostics(cells: Sequence[Mapping[str, Any]], estimators: Sequence[str]) -> str:
    rows = (
        [
            cell["panel"],
            f"{cell['success']:.0%}",
            short(name),
            *(cell["diagnostics"][name].get(key, "") for key in DIAGNOSTICS),
        ]
        for cell in cells
        for name in estimators
        if name in cell["diagnostics"]
    )
    meaning = "".join(f"<li><b>{key}</b>: {escape(text)}</li>" for key, text in DIAGNOSTICS.items())
    numbers = table(["panel", "policy", "estimator", *DIAGNOSTICS], rows)
    inner = f"<details><summary>Of the batches, by estimator</summary><ul>{meaning}</ul>{numbers}</details>"
    return f"<h2>Diagnostics</h2>{inner}"


def _provenance(results: Results) -> str:
    hashes = dict.fromkeys((cell["panel"], cell["env"], cell["panel_hash"]) for cell in results["cells"])
    run = "".join(f"<dt>{escape(key)}</dt><dd>{escape(str(value))}</dd>" for key, value in results["run"].items())
    return f"""<h2>Where these numbers come from</h2><dl>{run}</dl>
{table(["panel", "world", "panel hash"], hashes)}
<p>Every number is in <code>results.json</code> beside this page. Numbers of different panel hashes are about different
tasks and must not be compared.</p>"""
