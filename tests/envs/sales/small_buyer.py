"""A buyer of laptops with round numbers, before a shelf of two: Maden Flex 14 suits, Pell Everyday 15 does not."""

from __future__ import annotations

from typing import Any

from agentgym import Task
from agentgym.envs.sales.buyer import Case, case_of
from agentgym.envs.sales.env import SalesEnv

FLEX, PELL = 0, 1
BUYER: dict[str, Any] = {
    "name": "Ada", "industry": "laptops", "shelf": [1, 3], "about": 0, "base": 600,
    "needs": [
        {"attribute": "weight", "value": 1.6, "worth": 200, "must": True},
        {"attribute": "battery life", "value": 8, "worth": 100, "must": False},
    ],
    "opens": 0, "budget": 1000, "doubts": {"breaks": 50}, "rival": "", "rival_price": 0, "gain": 0, "trust": 100,
    "patience": 20, "careful": True, "haggles": False, "curious": 0,
}  # fmt: skip


def case(**changes: Any) -> Case:
    return case_of("small", {**BUYER, **changes})


def world(**changes: Any) -> SalesEnv:
    """Return the world of this buyer alone, at the beginning of a talk."""
    env = SalesEnv(tasks=[Task("small", {**BUYER, **changes})])
    env.reset(seed=0)
    return env
