"""A world, a configuration and parts small enough that a whole training run takes seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium

import agentgym
from agentgym import AgentEnv, EndReason, InvalidAction, Opening, Outcome, RewardSpec, Task, TaskPanel, Turn
from agentgym.baselines.grpo import Config, make

ENV = "tests/Walk-v0"


@dataclass(frozen=True)
class Place:
    now: int
    goal: int


class Walk(AgentEnv[Place]):
    """Go on until the goal; below 0 the episode fails."""

    panel = TaskPanel(
        "walk",
        {
            "train": [Task(f"to-{goal}-{k}", {"goal": goal, "k": k}) for k in range(12) for goal in (1, 2, 3)],
            "dev": [Task(f"dev-{goal}", {"goal": goal, "k": -1}) for goal in (1, 2, 3)],
        },
    )
    max_turns = 5
    rewards = RewardSpec({"progress": 1.0})

    def initial(self, task: Task, rng: Any) -> Opening[Place]:
        return Opening(Place(0, task.data["goal"]), f"walk to {task.data['goal']}", "Say go on or go back.")

    def transition(self, state: Place, action: Any, rng: Any) -> Turn[Place]:
        if action.text not in ("go on", "go back"):
            raise InvalidAction("say go on or go back")
        after = Place(state.now + (1 if action.text == "go on" else -1), state.goal)
        end = None
        if after.now in (-1, after.goal):
            won = after.now == after.goal
            end = Outcome(won, float(won), EndReason.SOLVED if won else EndReason.FAILED)
        return Turn(after, f"at {after.now}", {"progress": (after.now - state.now) / state.goal}, end)

    def menu(self, state: Place) -> tuple[str, ...]:
        return ("go on", "go back")

    def expert(self, state: Place) -> str:
        return "go on"


def config(**changes: Any) -> Config:
    """Return a configuration of a second."""
    own = f"{__name__}:Walk"  # the module has two names, by which two copies of it may be imported
    spec = gymnasium.registry.get(ENV)
    if spec is None or (spec.entry_point != own and str(spec.entry_point).endswith("grpo_world:Walk")):
        gymnasium.registry.pop(ENV, None)
        agentgym.register(ENV, own)
    sizes: dict[str, Any] = {
        "updates": 2, "rollouts": 8, "group_size": 4, "eval_tasks": 3, "eval_rollouts": 2, "eval_every": 2,
        "width": 16, "layers": 1, "heads": 2, "context": 96, "max_new_tokens": 3, "warm_episodes": 0, "lr": 1e-3,
        "warmup": 0, "decay": 0.1, "epochs": 1, "minibatches": 1, "warm_lr": 1e-2,
    }  # fmt: skip
    return make(ENV, **{**sizes, **changes})


def parts(**changes: Any) -> tuple[Any, Config]:
    """Return the parts of a run and its configuration."""
    from agentgym.baselines.grpo.prepare import prepare

    made = config(**changes)
    return prepare(made), made


def trainer(folder: Any, **changes: Any) -> Any:
    """Return a trainer at its first update."""
    from agentgym.baselines.grpo.train import Trainer

    made, chosen = parts(**changes)
    begun = Trainer(made, chosen, folder)
    begun.begin()
    return begun
