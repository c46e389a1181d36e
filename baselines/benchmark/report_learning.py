"""The page's part on learning: who learns fastest, and how much faster than the base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from agentgym.baselines.benchmark import plots
from agentgym.baselines.benchmark.html import table
from agentgym.baselines.benchmark.settings import short

Results = Mapping[str, Any]


def section(results: Results, cells: Sequence[Mapping[str, Any]]) -> str:
    """Return the curves, the differences to the base and the last evaluation."""
    summary = results["summary"]["learning"]
    base, panels = summary["base"], list(dict.fromkeys(row["panel"] for row in summary["rows"]))
    best_first = sorted(summary["rows"], key=lambda row: (panels.index(row["panel"]), -row["area"]))
    rows = [
        {"label": f"{row['panel']}: {short(row['estimator'])}", **row["difference"]}
        for row in best_first
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
                short(row["estimator"]),
                row["area"],
                row["difference"]["value"],
                row["difference"]["low"],
                row["difference"]["high"],
                row["held_out"]["success"],
                f"{row['evaluated_on']} tasks",
            ]
            for row in best_first
        ),
    )
    metrics = list(summary["rows"][0]["held_out"])
    held_out = table(
        ["panel", "estimator", *metrics],
        ([row["panel"], short(row["estimator"]), *(row["held_out"][key] for key in metrics)] for row in best_first),
    )
    picture = plots.differences(rows, f"mean success over the updates, minus {base}'s") if rows else ""
    return f"""<h2>Who learns fastest?</h2>
<p>{_same(results, cells)}
Lines are means over seeds, bands reach from the lowest to the highest seed, curves are smoothed over three updates.</p>
<figure>{plots.curves(cells)}</figure>
<h3>Against {escape(base)} at equal rollouts</h3>
<p>Paired by seed; bars are 95 % intervals (Student's, over seeds), blue where they leave out 0.</p>
<figure>{picture}</figure>{numbers}
<details><summary>After the last update, in full</summary><p>Means over seeds, on tasks of the split named above (train:
no others were there). return: turn rewards and outcome; avg@k: mean success of k
rollouts a task; pass@k: at least one of k succeeds; pass^k: all k do (unbiased estimates from all rollouts of a task);
invalid_rate: share of turns.</p>{held_out}</details>"""


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
