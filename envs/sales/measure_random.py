"""Measures how often uniform random choice from the menu serves a test buyer rightly; writes data/random.json.

python -m agentgym.envs.sales.measure_random  # 10 episodes a test buyer
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from agentgym.chance import line, measured
from agentgym.chance import random_success as success
from agentgym.envs.sales.env import SalesEnv

PATH = Path(__file__).parent / "data" / "random.json"


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; return the exit status."""

    def of_panel(name: str, episodes: int, seed: int) -> dict[str, Any]:
        return success(SalesEnv(), episodes, seed)

    for name, held in measured(arguments, "panel", ("sales",), of_panel, PATH, episodes=10):
        sys.stdout.write(line(name, held))
    return 0


if __name__ == "__main__":
    sys.exit(main())
