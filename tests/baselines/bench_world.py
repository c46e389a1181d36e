"""A world small enough that a whole benchmark takes a second: count to the goal, one wrong step fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium

import agentgym
from agentgym import AgentEnv, EndReason, InvalidAction, Opening, Outcome, RewardSpec, Task, Turn
from agentgym.baselines.benchmark.settings import Budget, Panel

ENV = "tests/Counting-v0"


@dataclass(frozen=True)
class Count:
    now: int
    goal: int


class Counting(AgentEnv[Count]):
    """+ counts up, - counts down; below 0 the episode fails."""

    panel = tuple(Task(f"to-{goal}", {"goal": goal}) for goal in range(2, 7))
    max_turns = 8
    rewards = RewardSpec({"progress": 1.0})

    def initial(self, task: Task, rng: Any) -> Opening[Count]:
        return Opening(Count(0, task.data["goal"]), f"count to {task.data['goal']}")

    def transition(self, state: Count, action: Any, rng: Any) -> Turn[Count]:
        if action.text not in ("+", "-"):
            raise InvalidAction("say + or -")
        after = Count(state.now + (1 if action.text == "+" else -1), state.goal)
        end = None
        if after.now in (-1, after.goal):
            won = after.now == after.goal
            end = Outcome(won, float(won), EndReason.SOLVED if won else EndReason.FAILED)
        return Turn(after, str(after.now), {"progress": (after.now - state.now) / state.goal}, end)

    def menu(self, state: Count) -> Sequence[str]:
        return ("+", "-")

    def expert(self, state: Count) -> str:
        return "+"

    def describe(self, state: Count) -> str:
        return f"count to {state.goal}\nat {state.now}"


def register() -> None:
    """Make the world known to Gymnasium, once."""
    if ENV not in gymnasium.registry:
        agentgym.register(ENV, f"{__name__}:Counting")


def budget(**changes: Any) -> Budget:
    """Return a benchmark of a second."""
    sizes: dict[str, Any] = {
        "targets": (0.5,),
        "fidelity_tasks": 5,
        "group_size": 4,
        "redraws": 2,
        "learning_panels": ("count",),
        "updates": 3,
        "update_tasks": 2,
        "eval_tasks": 2,
        "eval_rollouts": 2,
        "seeds": 2,
    }
    return Budget("tiny", (Panel("count", ENV),), **{**sizes, **changes})
