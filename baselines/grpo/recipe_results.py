"""What the GPU recipe leaves: curves.jsonl, one line an update; summary.json and curves.svg, whole at any time."""

from __future__ import annotations

import io
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from agentgym.baselines.benchmark.plots import COLOURS, STYLE
from agentgym.baselines.benchmark.store import write_json, write_text

EVERY = 15.0
"""Seconds between two writings of summary and figure while the run goes on."""
LAST = 5
"""Updates whose mean stands for the end of a curve."""


class Results:
    """The results of a run of the recipe.

    Args:
        folder: of the files; made if it is not there, and its curves.jsonl begun anew.
        estimators: that take part.
        about: what the summary says of the run; more may be added.

    Attributes:
        state: "running", or how the run ended.
        stopped: estimators that could not go on, and why.
        held_out: for each estimator the pairs (update, held-out success).
    """

    def __init__(self, folder: Path, estimators: Sequence[str], about: Mapping[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.about, self.state = folder, dict(about), "running"
        self.records: dict[str, list[dict[str, Any]]] = {name: [] for name in estimators}
        self.held_out: dict[str, list[tuple[int, float]]] = {name: [] for name in estimators}
        self.stopped: dict[str, str] = {}
        self._written = perf_counter()
        (folder / "curves.jsonl").write_text("", "utf-8")

    def add(self, estimator: str, record: Mapping[str, Any]) -> None:
        """Append the record of an update."""
        self.records[estimator].append(dict(record))
        self._append({"estimator": estimator, **record})

    def held(self, estimator: str, update: int, success: float) -> None:
        """Append a measurement on held-out tasks."""
        self.held_out[estimator].append((update, success))
        self._append({"estimator": estimator, "update": update, "held_success": success})

    def _append(self, line: Mapping[str, Any]) -> None:
        with (self.folder / "curves.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, sort_keys=True) + "\n")
        if perf_counter() - self._written > EVERY:
            self.write()

    def write(self) -> dict[str, Any]:
        """Write summary.json and curves.svg; return the summary."""
        found = {
            **self.about, "state": self.state, "stopped": self.stopped,
            "estimators": {name: self._summary(name) for name in self.records},
        }  # fmt: skip
        write_json(self.folder / "summary.json", found)
        write_text(self.folder / "curves.svg", figure(self.records, self.held_out))
        self._written = perf_counter()
        return found

    def _summary(self, name: str) -> dict[str, Any]:
        records = self.records[name]
        out: dict[str, Any] = {"updates": len(records), "held_out": self.held_out[name]}
        if not records:
            return out
        out["success_first"] = _mean(records[:LAST], "success")
        out["success_last"] = _mean(records[-LAST:], "success")
        for key in ("entropy", "drift", "clip_share", "zero_variance", "seconds_rollout", "seconds_train"):
            out[f"mean_{key}"] = _mean(records, key)
        seconds = sum(record["seconds_rollout"] + record["seconds_train"] for record in records)
        out["tokens"] = sum(record["tokens"] for record in records)
        out["tokens_per_second"] = out["tokens"] / max(seconds, 1e-9)
        out["turns_per_second_rollout"] = sum(
            record["turns"] * record["rollouts"] for record in records
        ) / max(sum(record["seconds_rollout"] for record in records), 1e-9)  # fmt: skip
        out["skipped"] = records[-1]["skipped"]
        return out


def _mean(records: Sequence[Mapping[str, Any]], key: str) -> float | None:
    """Return the mean over the updates that have the entry, and a finite one; without credit there is no entropy."""
    values = [float(record[key]) for record in records if math.isfinite(record.get(key, math.nan))]
    return sum(values) / len(values) if values else None


def figure(
    records: Mapping[str, Sequence[Mapping[str, Any]]], held_out: Mapping[str, Sequence[tuple[int, float]]]
) -> str:
    """Return the curves as SVG: success of the rollouts that were learned from, and on held-out tasks."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    lines = {name: [(row["update"], row["success"]) for row in rows] for name, rows in records.items()}
    with mpl.rc_context(STYLE):
        drawn = Figure(figsize=(9.0, 3.4), layout="constrained")
        FigureCanvasSVG(drawn)
        axes = drawn.subplots(1, 2, sharey=True)
        for axis, curves, title in (
            (axes[0], lines, "success while learning"),
            (axes[1], held_out, "success on held-out tasks"),
        ):
            for (name, points), colour in zip(curves.items(), COLOURS, strict=False):
                axis.plot([x for x, _ in points], [y for _, y in points], color=colour, label=name, linewidth=1.8)
            axis.set_title(title, fontsize=11)
            axis.set_xlabel("update")
        axes[0].legend(fontsize=9, frameon=False)
        out = io.StringIO()
        drawn.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
