"""Measures how often uniform random choice from the menu solves each shipped panel, and writes data/random.json.

python -m agentgym.envs.wiki_search.measure_random              # every panel, 20 episodes a task of its test split
python -m agentgym.envs.wiki_search.measure_random hard --episodes 50
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from agentgym.chance import line, measured, random_success
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.shipped.panels import PANELS

PATH = Path(__file__).parent / "data" / "random.json"


def success(panel: str, episodes: int, seed: int = 0, split: str = "test") -> dict[str, Any]:
    """Play every task of a panel's split so many times; see `agentgym.chance.random_success`."""
    return random_success(WikiSearchEnv(panel=panel, split=split), episodes, seed, split)


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; return the exit status."""
    for name, held in measured(arguments, "panel", PANELS, success, PATH, episodes=20):
        sys.stdout.write(line(name, held))
    return 0


if __name__ == "__main__":
    sys.exit(main())
