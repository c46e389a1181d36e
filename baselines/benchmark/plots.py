"""The figures of the report, as SVG text; the same results give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agentgym.baselines.benchmark.settings import FIVE, short

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D31", "#000000")
"""Okabe and Ito's palette, which colour-blind readers can tell apart, without its yellow, and a brown."""
GREY = "#777777"
MARKS = "o^sDvPX*"

NEEDED = "the report needs matplotlib: pip install 'agentgym-suite[bench]', in a checkout pip install -e '.[bench]'"
"""What a run says before it starts where matplotlib is missing."""
STYLE: dict[Any, Any] = {
    "svg.hashsalt": "agentgym",
    "svg.fonttype": "path",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "axes.axisbelow": True,
    "figure.constrained_layout.use": True,
}


def colours(estimators: Sequence[str]) -> dict[str, str]:
    """Return a colour for each estimator: the usual ones have theirs in every report, others what is left."""
    out = dict(zip(FIVE, COLOURS, strict=False))
    left = [colour for colour in COLOURS if colour not in [out.get(name) for name in estimators]]
    for name in estimators:
        if name not in out:
            out[name] = left.pop(0) if left else GREY
    return {name: out[name] for name in estimators}


def ranking(found: Mapping[str, Any]) -> str:
    """Draw the mean score of every estimator and reference line with its interval, best on top.

    Args:
        found: the summary of the fidelity track; see `fidelity_summary`.
    """
    rows = [{"estimator": name, "line": True, **row} for name, row in found["lines"].items()] + found["ranked"]
    rows.sort(key=lambda row: -row["value"])
    names = [row["estimator"] for row in found["ranked"]]
    colour_of = colours(_coloured(names))
    figure, (axis,) = new_figure(1, 1, 6.4, 0.21 * len(rows) + 1.1)
    panels = list(rows[0]["panels"]) if rows else []
    for index, row in enumerate(rows):
        colour = GREY if "line" in row else colour_of.get(row["estimator"], "#333333")
        for place, panel in enumerate(panels if len(panels) > 1 else ()):
            mark = MARKS[place % len(MARKS)]
            axis.plot(row["panels"][panel], index, mark, color="#a8a8a8", markersize=4, mec="white", mew=0.4, zorder=4)
        axis.plot([row["low"], row["high"]], [index, index], color=colour, linewidth=2)
        axis.plot(row["value"], index, "d" if "line" in row else "o", color=colour, markersize=5.5, zorder=5)
    axis.axvline(0.0, color="#888888", linewidth=1)
    axis.set_yticks(range(len(rows)), [short(row["estimator"]) for row in rows], fontsize=9)
    for row, label in zip(rows, axis.get_yticklabels(), strict=True):
        label.set_color(GREY if "line" in row else colour_of.get(row["estimator"], "#1c1c1c"))
        label.set_style("italic" if "line" in row else "normal")
    axis.set_ylim(len(rows) - 0.4, -0.6)
    axis.set_xlabel("rank correlation with the true advantages, mean and 95 % interval")
    if len(panels) > 1:
        axis.legend(*_marks(panels, "#a8a8a8"), title="mean on", title_fontsize=9, loc="lower right", fontsize=9)
    return as_svg(figure)


def fidelity(cells: Sequence[Mapping[str, Any]], estimators: Sequence[str], metric: str = "spearman") -> str:
    """Draw one panel of axes a world panel: each estimator's score and interval for every policy, reference lines.

    Args:
        cells: results of the fidelity track.
        estimators: from the top down.
        metric: which score.
    """
    panels = list(dict.fromkeys(cell["panel"] for cell in cells))
    wide = min(3, len(panels))
    deep = -(-len(panels) // wide)
    row = 0.26 if len(estimators) > len(FIVE) else 0.45
    figure, axes = new_figure(deep, wide, 3.1, deep * (row * len(estimators) + 1.7), sharey=True)
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    for axis, panel in zip(axes, panels, strict=False):
        mine = sorted((cell for cell in cells if cell["panel"] == panel), key=lambda cell: float(cell["success"]))
        for level, cell in enumerate(mine):
            shift = (level - (len(mine) - 1) / 2) * 0.24
            _dots(axis, cell, estimators, metric, shift, level, len(mine))
        base = float(np.mean([cell["lines"]["true_baseline"][metric]["value"] for cell in mine]))
        axis.axvline(0.0, color="#888888", linewidth=1)
        axis.axvline(base, color="#888888", linewidth=1, linestyle=":")
        axis.axvline(1.0, color="#888888", linewidth=1)
        axis.set_xlim(-0.15, 1.05)
        axis.set_ylim(len(estimators) - 0.4, -0.6)
        axis.set_yticks(range(len(estimators)), [short(name) for name in estimators], fontsize=9)
        rates = " / ".join(f"{100 * cell['success']:.0f}" for cell in mine)
        axis.set_title(f"{panel}\nsuccess {rates} %", fontsize=10, pad=26)
        axis.set_xlabel("rank correlation with the truth")
        for place, text in ((0.0, "noise"), (base, "true\nbaseline"), (1.0, "truth")):
            spot = axis.get_xaxis_transform()
            axis.text(place, 1.0, text, transform=spot, fontsize=9, color="#555555", ha="center", va="bottom")
    beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "frameon": False, "fontsize": 9}
    axes[len(panels) - 1].legend(*_levels(cells), title="policy", title_fontsize=9, **beside)
    return as_svg(figure)


def curves(cells: Sequence[Mapping[str, Any]]) -> str:
    """Draw success against rollouts played: mean over seeds, band from the lowest to the highest seed.

    Where there are more estimators than colours, those with the least success, but for the five, are grey and nameless.
    """
    panels = list(dict.fromkeys(cell["panel"] for cell in cells))
    areas: dict[str, list[float]] = {}
    for cell in cells:
        areas.setdefault(cell["estimator"], []).append(float(np.mean(cell["success"])))
    names = sorted(areas, key=lambda name: -float(np.mean(areas[name])))
    colour_of = colours(sorted(names, key=lambda name: name not in FIVE)[: len(COLOURS)])
    figure, axes = new_figure(1, len(panels), 4.4, 3.4)
    for axis, panel in zip(axes, panels, strict=True):
        for name in names:
            mine = [cell for cell in cells if cell["panel"] == panel and cell["estimator"] == name]
            if not mine:
                continue
            runs = np.array([_smooth(cell["success"]) for cell in mine])
            played = np.arange(runs.shape[1]) * mine[0]["rollouts"] / runs.shape[1]
            colour = colour_of.get(name)
            if colour is None:
                axis.plot(played, runs.mean(axis=0), color="#cccccc", linewidth=1, zorder=1)
                continue
            axis.plot(played, runs.mean(axis=0), color=colour, label=short(name), linewidth=2)
            axis.fill_between(played, runs.min(axis=0), runs.max(axis=0), color=colour, alpha=0.1, linewidth=0)
        axis.set_title(panel, fontsize=11)
        axis.set_ylim(0, 1)
        axis.set_xlabel("rollouts played before the update")
        axis.set_ylabel("success on training tasks")
    axes[-1].legend(fontsize=9, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return as_svg(figure)


def differences(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    """Draw paired differences with their intervals, one line a row.

    Args:
        rows: "label", "value", "low", "high".
        title: of the axis.
    """
    figure, (axis,) = new_figure(1, 1, 6.4, 0.32 * len(rows) + 1.0)
    for index, row in enumerate(rows):
        apart = row["low"] > 0.0 or row["high"] < 0.0
        colour = "#0072B2" if apart else "#999999"
        axis.plot([row["low"], row["high"]], [index, index], color=colour, linewidth=2)
        axis.plot(row["value"], index, "o", color=colour, markersize=6)
    axis.axvline(0.0, color="#444444", linewidth=1)
    axis.set_yticks(range(len(rows)), [row["label"] for row in rows])
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.set_xlabel(title)
    return as_svg(figure)


def scatter(cell: Mapping[str, Any], estimators: Sequence[str]) -> str:
    """Draw estimated against true advantage, one panel of axes an estimator, a sample of the turns of one cell."""
    wide = min(4, len(estimators))
    deep = -(-len(estimators) // wide)
    figure, axes = new_figure(deep, wide, 2.4, 2.5 * deep, sharex=True)
    for axis in axes[len(estimators) :]:
        axis.set_axis_off()
    for index, (axis, name) in enumerate(zip(axes, estimators, strict=False)):
        points = np.array(cell["scatter"][name])
        colour = colours(_coloured(estimators)).get(name, "#333333")
        axis.scatter(points[:, 1], points[:, 0], s=7, alpha=0.35, color=colour, linewidths=0)
        axis.axhline(0.0, color="#bbbbbb", linewidth=0.8)
        axis.axvline(0.0, color="#bbbbbb", linewidth=0.8)
        score = cell["estimators"][name]["spearman"]["value"]
        axis.set_title(f"{short(name)}\nrank correlation {score:.2f}", fontsize=10)
        if index + wide >= len(estimators):
            axis.set_xlabel("true advantage", fontsize=10)
            axis.tick_params(labelbottom=True)
        if index % wide == 0:
            axis.set_ylabel("estimate", fontsize=10)
        axis.tick_params(labelsize=9)
    return as_svg(figure)


def _coloured(estimators: Sequence[str]) -> list[str]:
    """Return whose colours tell them apart among many: the five, and files of one's own; all where they are few."""
    few = len(estimators) <= len(COLOURS)
    return [name for name in estimators if few or name in FIVE or ":" in name]


def _dots(
    axis: Any, cell: Mapping[str, Any], estimators: Sequence[str], metric: str, shift: float, level: int, levels: int
) -> None:
    colour_of = colours(_coloured(estimators))
    for index, name in enumerate(estimators):
        if name not in cell["estimators"]:
            continue
        score = cell["estimators"][name][metric]
        colour = colour_of.get(name, "#333333")
        alpha = 0.35 + 0.65 * (level + 1) / levels
        axis.plot([score["low"], score["high"]], [index + shift] * 2, color=colour, alpha=alpha, linewidth=1.6)
        axis.plot(score["value"], index + shift, MARKS[level % len(MARKS)], color=colour, alpha=alpha, markersize=5)


def _levels(cells: Sequence[Mapping[str, Any]]) -> tuple[list[Any], list[str]]:
    targets = sorted({float(cell["policy"]) for cell in cells})
    named = ["weakest", "middle", "strongest"] if len(targets) == 3 else [f"{target:.0%}" for target in targets]
    return _marks(named, "#444444")


def _marks(named: Sequence[str], colour: str) -> tuple[list[Any], list[str]]:
    """Return what a legend of marks is made of."""
    from matplotlib.lines import Line2D

    marks = [
        Line2D([], [], marker=MARKS[index % len(MARKS)], color=colour, linewidth=0, markersize=5)
        for index in range(len(named))
    ]
    return marks, list(named)


def _smooth(values: Sequence[float], width: int = 3) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the mean of each value and the up to `width` − 1 before it."""
    sums = np.cumsum(np.concatenate([[0.0], np.asarray(values, dtype=np.float64)]))
    ends = np.arange(1, len(sums))
    begins = np.maximum(ends - width, 0)
    return (sums[ends] - sums[begins]) / (ends - begins)


def new_figure(rows: int, columns: int, width: float, height: float, **options: Any) -> tuple[Any, list[Any]]:
    """Return a figure in the style of all of them, and its axes; `width` in inches is that of one column."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width * columns + 1.2, height), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.subplots(rows, columns, squeeze=False, **options)
    return figure, list(axes.ravel())


def as_svg(figure: Any) -> str:
    """Return a figure as SVG text, without date and creator."""
    import matplotlib as mpl

    out = io.StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
