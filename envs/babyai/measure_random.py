"""Measures how often uniform random choice from the menu solves each panel, and writes data/random.json.

python -m agentgym.envs.babyai.measure_random                     # every panel; prints the README's table
python -m agentgym.envs.babyai.measure_random goto open --episodes 1000
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentgym.envs.babyai.env import BabyAIEnv
from agentgym.envs.babyai.tasks import PANELS
from agentgym.errors import unknown
from agentgym.rng import TurnRng

PATH = Path(__file__).parent / "data" / "random.json"


def success(panel: str, episodes: int, seed: int, split: str = "test") -> dict[str, Any]:
    """Play `episodes` episodes over the tasks of a split in turn; return successes and turns.

    The seed of episode i is seed + i; it draws the choices.
    """
    env = BabyAIEnv(level=panel, split=split)
    tasks = env.panel[split]
    solved = turns = 0
    for index in range(episodes):
        task = tasks[index % len(tasks)]
        state = env.initial(task, TurnRng(seed + index)).state
        for turn in range(env.limit(state)):
            choice = TurnRng(seed + index, 0, turn, "random menu").choice(env.menu(state))
            made, _, _ = env.apply(state, choice, TurnRng(seed + index, 0, turn))
            state, turns = made.state, turns + 1
            if made.outcome is not None:
                solved += made.outcome.success
                break
    return {"episodes": episodes, "seed": seed, "split": split, "success": solved / episodes, "turns": turns / episodes}


def table(measured: dict[str, Any], panels: Sequence[str] = PANELS) -> str:
    """Return the measured panels as a Markdown table, standard errors included."""
    lines = ["| panel | success | ± | mean turns | episodes |", "| --- | --- | --- | --- | --- |"]
    for name in panels:
        if name in measured:
            item = measured[name]
            share, count = item["success"], item["episodes"]
            error = (share * (1 - share) / count) ** 0.5
            lines.append(f"| {name} | {share:.1%} | {error:.1%} | {item['turns']:.0f} | {count} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure, write, print the table; return the exit status."""
    parser = argparse.ArgumentParser(prog="measure_random", description="Success of random choice from the menu.")
    parser.add_argument(
        "panels", nargs="*", metavar="PANEL", help="all when none is given; the others stay as they are"
    )
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    for name in options.panels:
        if name not in PANELS:
            parser.error(unknown("panel", name, PANELS))
    if options.episodes < 1:
        parser.error(f"--episodes must be at least 1, not {options.episodes}")
    measured: dict[str, Any] = json.loads(PATH.read_text("utf-8")) if PATH.exists() else {}
    for name in options.panels or PANELS:
        measured[name] = success(name, options.episodes, options.seed)
        lines = [f"{json.dumps(key)}: {json.dumps(measured[key], sort_keys=True)}" for key in sorted(measured)]
        PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
        sys.stderr.write(f"{name}: {measured[name]['success']:.1%}\n")
        sys.stderr.flush()
    sys.stdout.write(table(measured) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
