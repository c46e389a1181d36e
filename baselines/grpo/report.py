"""report.html of a training run: curves and the diagnostics that tell a healthy run from a sick one."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from agentgym.baselines.benchmark.plots import COLOURS, NEEDED, STYLE
from agentgym.baselines.benchmark.store import read_json
from agentgym.baselines.grpo.config import Config, TrainError

Records = Sequence[Mapping[str, Any]]

CURVES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("success", ("success", "held_success"), "share of rollouts: of the update, and on held-out tasks"),
    ("return", ("return",), "turn rewards plus outcome, mean a rollout"),
    ("loss", ("loss",), "the clipped surrogate, negated"),
    ("gradient norm", ("grad_norm",), "before clipping"),
    ("entropy", ("entropy",), "mean over the sampled tokens, in nats"),
    ("divergence", ("kl", "kl_old"), "k3 from the reference, and from the policy that played"),
    ("clipped", ("clip_share",), "share of sampled tokens without gradient by a clip"),
    ("engine and trainer", ("drift", "drift_most"), "|ratio − 1| before the first step: mean and greatest"),
    (
        "nothing to learn",
        ("no_credit", "zero_variance"),
        "rollouts without any credit; groups of equal returns: shares",
    ),
    ("repetition", ("repetition",), "share of turns that repeat the rollout's own action in the same state"),
    ("invalid", ("invalid_rate",), "share of turns"),
    ("speed", ("tokens_per_second",), "sampled tokens a second, playing and learning together"),
    ("seconds", ("seconds_rollout", "seconds_train"), "of playing and of learning"),
)


def check() -> None:
    """Refuse a run whose page could not be drawn at its end. Raises TrainError: matplotlib is missing."""
    try:
        import matplotlib  # noqa: F401 - found missing now rather than after the work
    except ImportError as error:
        raise TrainError(NEEDED) from error


def summary(folder: Path, config: Config, records: Records, held_split: str) -> dict[str, Any]:
    """Return what a run came to: held-out success before and after, and what it was."""
    warm = read_json(folder / "warm.json")
    return {
        "env": config.env, "estimator": config.estimator, "control": config.control, "seed": config.seed,
        "updates": config.updates, "evaluated_on": held_split, "before": warm["success"],
        "after": records[-1]["held_success"], "warm": warm, "skipped": records[-1]["skipped"],
    }  # fmt: skip


def render(config: Config, found: Mapping[str, Any], records: Records) -> str:
    """Return the page."""
    drawn = [{"update": 0, "held_success": found["before"]}, *records]
    figures = "\n".join(_figure(*curve, drawn) for curve in CURVES if any(curve[1][0] in row for row in records))
    warm = found["warm"]["curve"]
    if warm["held_out"]:
        lines = {"imitated": warm["train"], "held-out": warm["held_out"]}
        figures = _curve("imitation", lines, "loss of the warm start, a pass; it should be flat at its end") + figures
    turns = [[float(value) for value in row["advantage_by_turn"]] for row in records]
    longest = max(map(len, turns))
    means = [
        sum(row[turn] for row in turns if turn < len(row)) / sum(turn < len(row) for row in turns)
        for turn in range(longest)
    ]
    figures += _curve("advantage by turn", {"mean": means}, "over all updates; far from 0 rewards being early or late")
    fields = "".join(
        f"<tr><td>{escape(name)}</td><td>{escape(repr(value))}</td></tr>" for name, value in config.as_json().items()
    )
    head = f"{config.env}: {config.estimator}" + (f", control {config.control}" if config.control != "none" else "")
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(head)}</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}}
figure{{display:inline-block;margin:0 1rem 1rem 0;width:21rem;vertical-align:top}}svg{{width:100%;height:auto}}
figcaption{{font-size:.85rem;color:#555}}td{{padding:0 1rem 0 0;font-size:.85rem;vertical-align:top}}</style>
<h1>{escape(head)}</h1>
<p>Held-out success on {escape(str(found["evaluated_on"]))} tasks: {found["before"]:.1%} after the warm start,
{found["after"]:.1%} after {len(records)} updates of {config.rollouts} rollouts. Steps skipped because they were not
finite: {found["skipped"]}.</p>
{figures}
<h2>Configuration</h2><table>{fields}</table></html>
"""


def _figure(title: str, names: Sequence[str], caption: str, records: Records) -> str:
    lines = {name: [(row["update"], row[name]) for row in records if name in row] for name in names}
    return _curve(title, {name: points for name, points in lines.items() if points}, caption)


def _curve(title: str, lines: Mapping[str, Sequence[Any]], caption: str) -> str:
    """Return one figure; a line is a list of values, or of (place, value)."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(4.4, 2.8), layout="constrained")
        FigureCanvasSVG(figure)
        axis = figure.subplots()
        for (name, points), colour in zip(lines.items(), COLOURS, strict=False):
            pairs = [point if isinstance(point, tuple) else (place, point) for place, point in enumerate(points)]
            axis.plot(
                *zip(*pairs, strict=True),
                color=colour,
                label=name.replace("_", " "),
                linewidth=1.8,
                marker="." if len(pairs) < 40 else "",
            )
        axis.set_title(title, fontsize=11)
        if len(lines) > 1:
            axis.legend(fontsize=9, frameon=False)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    return f"<figure>{text[text.index('<svg') :]}<figcaption>{escape(caption)}</figcaption></figure>"
