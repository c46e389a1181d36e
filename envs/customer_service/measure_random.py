"""Measures how often uniform random choice from the menu solves a test task of each domain; writes data/random.json.

python -m agentgym.envs.customer_service.measure_random  # every domain, 4 episodes a test task
python -m agentgym.envs.customer_service.measure_random retail --episodes 20
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from agentgym.chance import line, measured
from agentgym.chance import random_success as success
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.tasks import DOMAINS

PATH = Path(__file__).parent / "data" / "random.json"


def main(arguments: list[str] | None = None) -> int:
    """Measure and write; return the exit status."""

    def of_domain(name: str, episodes: int, seed: int) -> dict[str, Any]:
        return success(CustomerServiceEnv(domain=name), episodes, seed)

    for name, held in measured(arguments, "domain", DOMAINS, of_domain, PATH, episodes=4):
        sys.stdout.write(line(name, held))
    return 0


if __name__ == "__main__":
    sys.exit(main())
