"""What is promised of episodes over the shipped questions, measured by playing: expert, no action, random choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from agentgym.env import AgentEnv
from agentgym.envs.wiki_search.shipped.bounds import least, most, none, per_cent
from agentgym.rng import TurnRng
from agentgym.task import Quality, Task

SEED: Final = 1

AnyWorld = AgentEnv[Any]


def of_episodes(world: AnyWorld, tasks: Sequence[Task]) -> list[Quality]:
    """Return how many tasks expert, empty action and uniform random choice from the menu solve."""
    expert = sum(solves(world, task, lambda state, _: world.advice(state), "expert") for task in tasks)
    nothing = sum(solves(world, task, lambda state, _: "", "nothing") for task in tasks)
    lucky = sum(solves(world, task, lambda state, rng: rng.choice(world.choices(state)), "random") for task in tasks)
    return [
        least("tasks that the expert solves, per cent", per_cent(expert, len(tasks)), 100),
        none("tasks that the empty action solves", nothing),
        most("episodes that random choice from the menu solves, per cent", per_cent(lucky, len(tasks)), 5),
    ]


def solves(world: AnyWorld, task: Task, policy: Callable[[Any, TurnRng], str], stream: str) -> bool:
    """Return whether a policy solves a task within the world's turns; it draws by what it is given."""
    state = world.initial(task, TurnRng(SEED)).state
    draws = TurnRng(SEED, stream=f"{stream} {task.id}")
    for number in range(world.max_turns):
        turn, _, _ = world.apply(state, policy(state, draws), TurnRng(SEED, turn=number, stream=stream))
        if turn.outcome is not None:
            return turn.outcome.success
        state = turn.state
    return False
