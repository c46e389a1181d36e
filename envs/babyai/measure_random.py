"""Measures how often uniform random choice from the menu solves each panel, and writes data/random.json.

python -m agentgym.envs.babyai.measure_random                     # every panel; prints the README's table
python -m agentgym.envs.babyai.measure_random goto open --episodes 1000
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agentgym.chance import measured
from agentgym.envs.babyai.env import BabyAIEnv
from agentgym.envs.babyai.tasks import PANELS
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


def table(found: dict[str, Any], panels: Sequence[str] = PANELS) -> str:
    """Return the measured panels as a Markdown table, standard errors included."""
    lines = ["| panel | success | ± | mean turns | episodes |", "| --- | --- | --- | --- | --- |"]
    for name in panels:
        if name in found:
            item = found[name]
            share, count = item["success"], item["episodes"]
            error = (share * (1 - share) / count) ** 0.5
            lines.append(f"| {name} | {share:.1%} | {error:.1%} | {item['turns']:.0f} | {count} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure, write, print the table; return the exit status."""
    found: dict[str, Any] = {}
    for name, found in measured(arguments, "panel", PANELS, success, PATH, episodes=500):
        sys.stderr.write(f"{name}: {found[name]['success']:.1%}\n")
        sys.stderr.flush()
    sys.stdout.write(table(found) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
