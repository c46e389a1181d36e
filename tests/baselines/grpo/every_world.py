"""A small world whose turns give every key of the contract, so that every estimator finds what it reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gymnasium

import agentgym
from agentgym import AgentEnv, EndReason, InvalidAction, Opening, Outcome, RewardSpec, Task, TaskPanel, Turn
from agentgym.baselines.grpo import Config, make
from agentgym.baselines.switching import split

ENV = "tests/Every-v0"
SWITCHING = "<switch>far</switch> go on"


def data(number: int) -> dict[str, Any]:
    """Return a task's data, the plan that plans are compared with among them."""
    return {"goal": 2, "k": number, "plan": ["go on", "go on"]}


@dataclass(frozen=True)
class Place:
    now: int
    goal: int
    planned: bool = False
    subgoal: str = ""
    whim: int = 0  # what the expert does in places that look the same, so that a model learns to do now this, now that
    turns: int = 5  # the limit: where the expert goes straight there is no time to go back, and a model may fail


class Every(AgentEnv[Place]):
    """Say a plan, then go on until the goal; below 0 the episode fails. A reply may switch to another subgoal first."""

    panel = TaskPanel(
        "every",
        {
            "train": [Task(f"to-{k}", data(k)) for k in range(32)],
            "dev": [Task(f"dev-{k}", data(k)) for k in range(2)],
        },
    )
    max_turns = 5
    rewards = RewardSpec({"progress": 1.0})

    def initial(self, task: Task, rng: Any) -> Opening[Place]:
        start = Place(0, task.data["goal"], whim=task.data["k"], turns=4 + task.data["k"] % 2)
        return Opening(start, f"walk to {task.data['goal']}", "Plan, then go.")

    def transition(self, state: Place, action: Any, rng: Any) -> Turn[Place]:
        switch, subgoal, text = split(action.text)
        pursued = subgoal or state.subgoal
        if not state.planned:
            steps = tuple(step for step in text.split(", ") if step)
            planned = replace(state, planned=True, subgoal=pursued)
            return self.turn(state, planned, "go", kind="plan", plan=steps, switch=True)
        if text not in ("go on", "go back"):
            raise InvalidAction("say go on or go back")
        after = replace(state, now=state.now + (1 if text == "go on" else -1), subgoal=pursued)
        after = replace(after, whim=0) if text == "go back" else after
        return self.turn(state, after, f"at {after.now}", kind="act", switch=bool(switch))

    def turn(self, before: Place, after: Place, shown: str, **more: Any) -> Turn[Place]:
        """Return a turn with every key."""
        gain, end = after.now - before.now, None
        if after.now in (-1, after.goal):
            won = after.now == after.goal
            end = Outcome(won, float(won), EndReason.SOLVED if won else EndReason.FAILED)
        rubrics = {"is near": max(after.now, 0) / after.goal} if gain > 0 else {}
        if end is not None:
            rubrics["arrives"] = end.reward
        return Turn(
            after, shown, {"progress": gain / after.goal}, end,
            tag="gold" if gain > 0 else "error", step_score=max(after.now, 0) / after.goal,
            critique=float(gain > 0) - float(gain < 0), channel="way", subgoal=after.subgoal, safe=gain >= 0,
            rubrics=rubrics,
            metrics={"gain": float(gain)}, tool_result=after.now > 0, violations=("back",) if gain < 0 else (), **more,
        )  # fmt: skip

    def limit(self, state: Place) -> int:
        return state.turns

    def menu(self, state: Place) -> Sequence[str]:
        return (
            ("go on", "<keep> go on", "go back", SWITCHING) if state.planned else ("go on", "go on, go on", "go back")
        )

    def expert(self, state: Place) -> str:
        if not state.planned:
            return ("go on, go on", "go on", "go back")[state.whim % 3]
        if state.now and state.whim % 2:
            return "go back"
        return ("go on", "<keep> go on")[state.whim // 2 % 2] if state.subgoal else SWITCHING

    def potential(self, state: Place) -> float:
        return float(state.now - state.goal)

    def describe(self, state: Place) -> str:
        return f"walk to {state.goal}\nat {state.now}\n{'planned' if state.planned else 'no plan'}"


def config(**changes: Any) -> Config:
    """Return a configuration of a second, whose warm start says what the expert says about as often as not."""
    if ENV not in gymnasium.registry:
        agentgym.register(ENV, f"{__name__}:Every")
    sizes: dict[str, Any] = {
        "updates": 2, "rollouts": 8, "group_size": 4, "eval_tasks": 2, "eval_rollouts": 1, "eval_every": 2,
        "width": 32, "layers": 1, "heads": 2, "context": 160, "max_new_tokens": 14, "warm_episodes": 24, "lr": 1e-3,
        "warm_epochs": 40, "warm_lr": 1e-2, "warm_patience": 40, "warmup": 0, "epochs": 1, "minibatches": 1,
    }  # fmt: skip
    return make(ENV, **{**sizes, **changes})


def trainer(folder: Any, **changes: Any) -> Any:
    """Return a trainer at its first update."""
    from agentgym.baselines.grpo.prepare import prepare
    from agentgym.baselines.grpo.train import Trainer

    made = config(**changes)
    begun = Trainer(prepare(made), made, folder)
    begun.begin()
    return begun
