"""Estimators and controls from equal warm starts: `python -m agentgym.baselines.grpo.compare ENV --out DIR`.

One warm start a seed, kept in DIR/warm-SEED; then one run for each name and seed in DIR/NAME-SEED, each resumable.
Finished runs are not run again, so a comparison that was stopped goes on where it stood. Names are estimators, or the
controls "shuffled" and "zero", which run with the first estimator. After every seed compare.json and compare.md hold
the gain in held-out success, with Student's interval over the seeds, and compare.svg the curves.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from rich.console import Console

from agentgym.baselines.benchmark.settings import FIVE, short
from agentgym.baselines.benchmark.store import read_json, write_json, write_text
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.grpo import checkpoint, events, report
from agentgym.baselines.grpo.command import train, warm_start
from agentgym.baselines.grpo.config import CONTROLS, Config, TrainError, differences, make
from agentgym.baselines.grpo.recipe_results import figure
from agentgym.baselines.grpo.train import plain
from agentgym.errors import AgentGymError


def compare(
    config: Config,
    out: str,
    names: Sequence[str],
    seeds: Sequence[int],
    console: Console | None = None,
    *,
    tensorboard: bool = False,
) -> list[dict[str, Any]]:
    """Run what is missing of a comparison; return one row a name: gains by seed, their mean and interval.

    Args:
        config: of all runs, but for estimator, control, seed and where they begin.
        out: folder of the comparison.
        names: estimators and controls; the first must be an estimator.
        seeds: at least one.
        console: where lines go; None: standard error.
        tensorboard: write TensorBoard's event files into the folder of each run.

    Raises:
        TrainError, ValueError: as `command.train`; a first name that is a control; what is there already was run with
            another configuration.
    """
    if names[0] in CONTROLS:
        raise ValueError(f"the first name must be an estimator, with which the control {names[0]!r} then runs")
    report.check()
    if tensorboard:
        events.check()
    configs = {name: _of(config, name, names[0]) for name in names}
    shown = console or Console(stderr=True, highlight=False, markup=False)
    folder = Path(out)
    gains: dict[str, list[float]] = {name: [] for name in names}
    for seed in seeds:
        warm = folder / f"warm-{seed}"
        if (warm / "warm.pt").exists():
            _check_same(warm / "warm.pt", replace(config, seed=seed))
        else:
            warm_start(replace(config, seed=seed), str(warm), console=shown)
        for name, given in configs.items():
            run = _run(folder, name, seed)
            begun = replace(given, seed=seed, warm_from=str(warm / "warm.pt"))
            if (run / "summary.json").exists():
                _check_same(run / "latest.pt", begun)
            else:
                shown.print(f"{name}, seed {seed}")
                resume = (run / "latest.pt").exists()
                train(begun, str(run), resume=resume, tensorboard=tensorboard, console=shown)
            found = read_json(run / "summary.json")
            gains[name].append(found["after"] - found["before"])
        rows = [{"name": name, "gains": gains[name], **t_interval(gains[name])} for name in names]
        done = [*seeds][: len(rows[0]["gains"])]
        write_json(folder / "compare.json", {"seeds": done, "rows": rows, "config": config.as_json()})
        write_text(folder / "compare.md", table(rows))
        write_text(folder / "compare.svg", figure(*curves(folder, names, done)))
    shown.print(table(rows))
    return rows


def _check_same(path: Path, config: Config) -> None:
    """Refuse what was run with another configuration; the folder may have moved since. Raises TrainError."""
    held, here = checkpoint.load(path)["config"], plain(config.as_json())
    differing = differences({**held, "warm_from": ""}, {**here, "warm_from": ""})
    if differing:
        raise TrainError(
            f"{path.parent} was run with another configuration ({'; '.join(differing)}): repeat that, or choose "
            "another --out"
        )


def _of(config: Config, name: str, first: str) -> Config:
    if name in CONTROLS:
        return replace(config, estimator=first, control=name)
    return replace(config, estimator=name)


def _run(folder: Path, name: str, seed: int) -> Path:
    return folder / f"{short(name).replace(':', '-')}-{seed}"


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def curves(
    folder: Path, names: Sequence[str], seeds: Sequence[int]
) -> tuple[dict[str, list[dict[str, float]]], dict[str, list[tuple[int, float]]]]:
    """Return by name, as means over finished runs: success of each update's rollouts; held-out before and after."""
    learning: dict[str, list[dict[str, float]]] = {}
    held_out: dict[str, list[tuple[int, float]]] = {}
    for name in names:
        runs = [_run(folder, name, seed) for seed in seeds]
        records = [_lines(run / "metrics.jsonl") for run in runs]
        ends = [read_json(run / "summary.json") for run in runs]
        learning[name] = [
            {"update": same[0]["update"], "success": fmean(record["success"] for record in same)}
            for same in zip(*records, strict=True)
        ]
        last = (len(learning[name]), fmean(end["after"] for end in ends))
        held_out[name] = [(0, fmean(end["before"] for end in ends)), last]
    return learning, held_out


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the rows as a Markdown table, in points of success."""
    lines = ["| | gain in held-out success, points | 95 % interval | by seed |", "|---|---|---|---|"]
    for row in rows:
        by_seed = ", ".join(f"{100 * gain:+.1f}" for gain in row["gains"])
        interval = f"{100 * row['low']:+.1f} … {100 * row['high']:+.1f}" if len(row["gains"]) > 1 else "one seed"
        lines.append(f"| {short(row['name'])} | {100 * row['value']:+.1f} | {interval} | {by_seed} |")
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a comparison from the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("env", help="world id")
    parser.add_argument("--out", required=True, metavar="DIR")
    parser.add_argument("--preset", default="cpu")
    parser.add_argument("--name", action="append", default=[], help="estimator or control; repeatable")
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds (3)")
    parser.add_argument("--set", type=json.loads, default={}, metavar="JSON", help="constructor arguments of the world")
    parser.add_argument("--config", type=json.loads, default={}, metavar="JSON", help="fields of the configuration")
    parser.add_argument("--tensorboard", action="store_true", help="write event files too (needs tensorboard)")
    options = parser.parse_args(arguments)
    names = options.name or [*FIVE[:4], "shuffled", "zero"]
    try:
        config = make(options.env, options.preset, env_kwargs=options.set, **options.config)
        compare(config, options.out, names, range(max(1, options.seeds)), tensorboard=options.tensorboard)
    except (AgentGymError, ValueError, TypeError) as error:
        Console(stderr=True, highlight=False, markup=False).print(f"compare: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
