"""Measures how often uniform random choice from the menu solves a test task; writes data/random.json.

python -m agentgym.envs.emotional_support.measure_random  # 20 episodes a test task
"""

from __future__ import annotations

import sys
from typing import Any, Final

from agentgym.chance import line, measured
from agentgym.chance import random_success as success
from agentgym.envs.emotional_support.env import EmotionalSupportEnv
from agentgym.envs.emotional_support.tasks import DATA, PANEL

PATH: Final = DATA / "random.json"


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; return the exit status."""

    def of_panel(name: str, episodes: int, seed: int) -> dict[str, Any]:
        return success(EmotionalSupportEnv(), episodes, seed)

    for name, held in measured(arguments, "panel", (PANEL,), of_panel, PATH, episodes=20):
        sys.stdout.write(line(name, held))
    return 0


if __name__ == "__main__":
    sys.exit(main())
