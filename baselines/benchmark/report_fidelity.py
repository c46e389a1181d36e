"""The page's part on fidelity: who recovers the true advantages, under which policies, and what the scores hide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from agentgym.baselines.benchmark import plots
from agentgym.baselines.benchmark.html import folded, table
from agentgym.baselines.benchmark.settings import FIVE, short

Results = Mapping[str, Any]
Cells = Sequence[Mapping[str, Any]]

SCORES = (
    ("spearman", "rank correlation", "Spearman's, of estimate and true advantage over all turns"),
    ("kendall", "Kendall's τ-b", "share of turn pairs in the right order, less those in the wrong one"),
    ("pearson", "linear correlation", "Pearson's"),
    ("sign", "right sign", "share of turns, those with a true advantage near 0 left out; an estimate of 0 counts ½"),
    ("cosine", "gradient cosine", "of the policy gradient it implies with the true one"),
    ("bias", "bias", "mean error after the best positive scale"),
    ("variance", "variance", "of the error after the best positive scale"),
)
DIAGNOSTICS = {
    "zero_variance_share": "share of groups whose rollouts all paid the same, so that a group statistic says nothing",
    "singleton_share": "share of turns whose state no other turn of the group was in",
    "aliasing": "share of turns whose state and action led to different next states or rewards in the group",
    "misalignment": "share of pairs of rollouts in which the turn rewards and the outcome disagree on which was better",
}
STATES = {"anchor", "state"}
"""An estimator that reads one of these compares equal states; of the others the share of singletons says nothing."""
SCATTERED = 8
"""Estimators that are drawn against the truth, turn by turn."""
NAMED_TIES = 8
"""Estimators that are named where more cannot be told apart."""


def section(results: Results, cells: Cells) -> str:
    """Return the ranking with its figure, the pairs told apart, the policies, every score and the expert's view."""
    summary = results["summary"]["fidelity"]
    meaning = "".join(f"<li><b>{escape(title)}</b>: {escape(text)}</li>" for _, title, text in SCORES)
    names = [row["estimator"] for row in summary["ranked"]]
    every = [name for name in results["options"]["estimators"] if any(name in cell["estimators"] for cell in cells)]
    names += [name for name in every if name not in names]
    figure = f"<figure>{plots.ranking(summary)}</figure>" if summary["ranked"] else ""
    panels = f"<figure>{plots.fidelity(cells, names)}</figure>" if names else ""
    return f"""<h2>Who recovers the true advantages?</h2>
<p>The true advantage of an action is what it changes in the chance that this same policy succeeds: Q − V, computed from
the world's own transitions. Dots are means over panels and policies, bars their 95 % intervals, bootstrapped over
tasks; small marks are the means on each panel. The reference lines, in italics: noise; turn_reward, the world's own
reward of the turn (in BabyAI a shaped distance to the goal); true_baseline, the outcome minus the true value of the
state; and the truth itself.</p>
{figure}{_ranking(results, cells)}
{folded("Each panel and policy", panels)}
{_apart(cells, summary)}
<h3>The policies, and how the truth was found</h3>
<p>The ceiling is the correlation of two independent truths: 1 where it is exact. Below 0.9 nothing is ranked.</p>
{_setting(cells)}
{folded("Every score, mean over panels and policies", f"<ul>{meaning}</ul>{_scores(cells, names)}")}
{_expert_view(cells)}"""


def _ranking(results: Results, cells: Cells) -> str:
    """Return the estimators and the reference lines, best first, with what their step groups look like."""
    summary = results["summary"]["fidelity"]
    rows = [{"estimator": name, "line": True, **found} for name, found in summary["lines"].items()] + summary["ranked"]
    rows.sort(key=lambda row: -row["value"])
    panels = list(rows[0]["panels"]) if rows and len(rows[0]["panels"]) > 1 else []
    lines = []
    for row in rows:
        name = row["estimator"]
        compares = STATES & set(results["about"].get(name, {}).get("needs", ()))
        found = [cell["diagnostics"].get(name, {}) for cell in cells]
        alone = _average(each.get("singleton_share") for each in found if compares)
        shares = [alone, _average(each.get("aliasing") for each in found)]
        title = f"({name})" if "line" in row else short(name)
        on = [float(row["panels"][panel]) for panel in panels]
        lines.append([title, float(row["value"]), float(row["low"]), float(row["high"]), *on, *shares])
    head = ["estimator", "mean rank correlation", "95 % from", "to", *panels, "singleton share", "aliasing"]
    return table(head, lines)


def _average(values: Iterable[float | None]) -> float | str:
    """Return the mean of those that are there, "" where none is."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else ""


def _apart(cells: Cells, summary: Mapping[str, Any]) -> str:
    """Return for every panel and estimator how many are surely better and worse, and who cannot be told from it."""
    rows = []
    for panel, pairs in summary["separated"].items():
        mine = [cell for cell in cells if cell["panel"] == panel]
        scores = {
            name: [cell["estimators"][name]["spearman"]["value"] for cell in mine if name in cell["estimators"]]
            for name in mine[0]["estimators"]
        }
        names = sorted((name for name in scores if len(scores[name]) == len(mine)), key=lambda name: -sum(scores[name]))
        better = {name: {pair["worse"] for pair in pairs if pair["better"] == name} for name in names}
        for name in names:
            above = sum(name in better[other] for other in names)
            apart = {name, *better[name], *(other for other in names if name in better[other])}
            ties = [short(other) for other in names if other not in apart]
            told = ", ".join(ties) if len(ties) <= NAMED_TIES else f"{len(ties)} others"
            rows.append([panel, short(name), sum(scores[name]) / len(mine), len(better[name]), above, told])
    head = ["panel", "estimator", "rank correlation", "surely above", "surely below", "not told apart from"]
    text = "Each pair by itself: nothing is corrected for the number of pairs. The differences stand in results.json."
    title = "Who is told apart: the interval of the difference, mean over the policies, leaves out 0"
    return folded(title, f"<p>{text}</p>{table(head, rows)}") if rows else ""


def _setting(cells: Cells) -> str:
    head = ["panel", "policy aimed at", "policy", "succeeds in", "turns", "truth by", "nodes", "ceiling"]
    return table(
        head,
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


def _scores(cells: Cells, names: Sequence[str]) -> str:
    rows = []
    for name in [*names, *cells[0]["lines"]]:
        found = [{**cell["estimators"], **cell["lines"]}.get(name, {}) for cell in cells]
        means = [_average(each[key]["value"] for each in found if key in each) for key, _, _ in SCORES]
        rows.append([f"({name})" if name in cells[0]["lines"] else short(name), *means])
    return table(["estimator", *(title for _, title, _ in SCORES)], rows)


def _expert_view(cells: Cells) -> str:
    """Return the scores against the truth under the expert, beside those under the acting policy."""
    viewed = [cell for cell in cells if "expert_view" in cell]
    if not viewed:
        return ""
    names = dict.fromkeys(name for cell in viewed for name in cell["expert_view"]["estimators"])
    acting = [cell["expert_view"]["acting"]["value"] for cell in viewed]
    rows: list[list[Any]] = [["the acting policy's truth", 1.0, sum(acting) / len(acting)]]
    for name in names:
        both = [
            ({**cell["estimators"], **cell["lines"]}[name]["spearman"]["value"], found[name]["value"])
            for cell in viewed
            if name in (found := cell["expert_view"]["estimators"])
        ]
        rows.append([short(name), *(sum(values) / len(both) for values in zip(*both, strict=True))])
    rows[1:] = sorted(rows[1:], key=lambda row: -row[1])
    return folded(
        "The view of optimal play",
        f"""<p>Mean rank correlation with the advantage under the policy that acts, as above, and with the advantage of
the same action if the expert plays on. A signal can be right about the expert and of no use to the policy, and the
reverse; only the first says what the policy gradient
needs.</p>{table(["estimate", "acting policy", "under the expert"], rows)}""",
    )


def scatter(results: Results, cells: Cells) -> str:
    """Return estimates against the truth on each panel under the middle policy, of a few estimators."""
    ranked = [row["estimator"] for row in results["summary"]["fidelity"]["ranked"]]
    own = [name for name in results["options"]["estimators"] if ":" in name]
    wanted = list(dict.fromkeys([*own, *ranked[:3], *FIVE, *ranked, *results["options"]["estimators"]]))
    names = [name for name in wanted if all(name in cell["scatter"] for cell in cells)][:SCATTERED]
    middle = sorted({float(cell["policy"]) for cell in cells})
    figures = "".join(
        f"<h3>{escape(cell['panel'])}, policy at {cell['success']:.0%}</h3>"
        f"<figure>{plots.scatter(cell, names)}</figure>"
        for cell in cells
        if float(cell["policy"]) == middle[len(middle) // 2] and names
    )
    text = "A sample of turns; a good estimate rises with the truth."
    return f"<h2>Estimate against truth</h2><p>{text}</p>{figures}" if figures else ""


def diagnostics(cells: Cells) -> str:
    """Return what the batches of each cell look like."""
    rows = []
    for cell in cells:
        found = {name: numbers for name, numbers in cell["diagnostics"].items() if name not in FIVE}
        first = [cell["diagnostics"][name] for name in FIVE if name in cell["diagnostics"]] + list(found.values())
        shown = [next((numbers[key] for numbers in first if key in numbers), "") for key in DIAGNOSTICS]
        rows.append([cell["panel"], f"{cell['success']:.0%}", *shown])
    meaning = "".join(f"<li><b>{key}</b>: {escape(text)}</li>" for key, text in DIAGNOSTICS.items())
    inner = f"<ul>{meaning}</ul>{table(['panel', 'policy', *DIAGNOSTICS], rows)}"
    return f"<h2>Diagnostics</h2>{_costs(cells)}{folded('Of the batches', inner)}"


def _costs(cells: Cells) -> str:
    """Return what the columns of estimators cost in turns of the world; "" where none costs any."""
    costly = dict.fromkeys(name for cell in cells for name, turns in cell["extra_turns"].items() if turns)
    played = sum(cell["rows"] for cell in cells)
    rows = [[short(name), sum(cell["extra_turns"].get(name, 0) for cell in cells) / played] for name in costly]
    numbers = table(["estimator", "turns played for its columns, a turn of the rollouts"], rows)
    return f"<p>Some estimators read what further play gives:</p>{numbers}" if rows else ""
