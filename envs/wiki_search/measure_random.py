"""Measures how often uniform random choice from the menu solves each shipped panel, and writes data/random.json.

python -m agentgym.envs.wiki_search.measure_random              # every panel, 20 episodes a task of its test split
python -m agentgym.envs.wiki_search.measure_random hard --episodes 50
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.shipped.panels import PANELS
from agentgym.errors import unknown
from agentgym.rng import TurnRng

PATH = Path(__file__).parent / "data" / "random.json"


def success(panel: str, episodes: int, seed: int = 0, split: str = "test") -> dict[str, Any]:
    """Play every task of a split so many times; return the share of successes and the mean number of turns.

    Episode i of a task has the seed `seed` + i; it draws the choices.
    """
    env = WikiSearchEnv(panel=panel, split=split)
    tasks = env.panel[split]
    solved = turns = 0
    for task in tasks:
        for index in range(seed, seed + episodes):
            state = env.initial(task, TurnRng(index)).state
            for turn in range(env.max_turns):
                rng = TurnRng(index, 0, turn, f"random menu {task.id}")
                made, _, _ = env.apply(state, rng.choice(env.menu(state)), rng)
                state, turns = made.state, turns + 1
                if made.outcome is not None:
                    solved += made.outcome.success
                    break
    played = episodes * len(tasks)
    return {"episodes": played, "seed": seed, "split": split, "success": solved / played, "turns": turns / played}


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; return the exit status."""
    parser = argparse.ArgumentParser(prog="measure_random", description="Success of random choice from the menu.")
    parser.add_argument("panels", nargs="*", metavar="PANEL", help="all when none is given; others stay as they are")
    parser.add_argument("--episodes", type=int, default=20, help="episodes a task (20)")
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
        sys.stdout.write(f"{name}: {measured[name]['success']:.1%} of {measured[name]['episodes']} episodes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
