"""The figures of the page, as SVG text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agentgym.baselines.benchmark import plots

Rows = Sequence[Mapping[str, Any]]


def names(rows: Rows) -> str:
    """Draw each estimator's correlation with the truth under the namings of the states, mean over the policies."""
    mine = [row for row in rows if row["policy"] == "all"]
    namings = list(dict.fromkeys(row["naming"] for row in mine))
    estimators = list(dict.fromkeys(row["estimator"] for row in mine))
    figure, (axis,) = plots.new_figure(1, 1, 6.2, 0.46 * len(estimators) + 1.3)
    for level, naming in enumerate(namings):
        colour = plots.COLOURS[level]
        shift = (level - (len(namings) - 1) / 2) * 0.22
        chosen = [row for row in mine if row["naming"] == naming]
        for row in chosen:
            place = estimators.index(row["estimator"]) + shift
            axis.plot([row["low"], row["high"]], [place, place], color=colour, linewidth=1.8)
        places = [estimators.index(row["estimator"]) + shift for row in chosen]
        said = f"{naming} ({chosen[0]['aliasing']:.0%} aliased, {chosen[0]['singletons']:.0%} alone)"
        mark = {"color": colour, "marker": "os^"[level % 3], "linewidth": 0, "markersize": 6, "label": said}
        axis.plot([row["value"] for row in chosen], places, **mark)
    axis.axvline(0.0, color="#444444", linewidth=1)
    axis.set_yticks(range(len(estimators)), estimators)
    axis.set_ylim(len(estimators) - 0.5, -0.5)
    axis.set_xlabel("rank correlation with the true advantages, 95 % interval over seeds")
    axis.legend(loc="lower center", bbox_to_anchor=(0.4, 1.0), ncols=1, frameon=False, fontsize=9)
    return plots.as_svg(figure)


def prefixes(rows: Rows) -> str:
    """Draw the ratio of variances over the horizon for each reward, beside the line at T."""
    horizons = sorted({row["horizon"] for row in rows})
    figure, (axis,) = plots.new_figure(1, 1, 4.4, 3.4)
    axis.plot(horizons, horizons, color="#888888", linewidth=1, linestyle="--", label="T")
    for level, later in enumerate(dict.fromkeys(row["later"] for row in rows)):
        mine = [row for row in rows if row["later"] == later]
        place = [row["horizon"] * 1.04 ** (2 * level - 1) for row in mine]
        ends = [[row["value"] - row["low"] for row in mine], [row["high"] - row["value"] for row in mine]]
        about = {
            "color": plots.COLOURS[level],
            "marker": "os"[level],
            "linewidth": 0,
            "elinewidth": 1.8,
            "markersize": 5,
        }
        axis.errorbar(place, [row["value"] for row in mine], ends, label=mine[0]["label"].partition(",")[0], **about)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log", base=2)
    for axes in (axis.xaxis, axis.yaxis):
        axes.set_major_formatter("{x:g}")
    axis.set_xticks(horizons)
    axis.set_xlabel("turns T")
    axis.set_ylabel("variance of the advantages,\nwhole rollouts to shared prefixes")
    axis.legend(frameon=False, fontsize=9)
    return plots.as_svg(figure)


FIGURES: Mapping[str, Callable[[Rows], str]] = {"names": names, "prefixes": prefixes}
"""By the claim that they show."""
