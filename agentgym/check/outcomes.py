"""Rules: what does nothing scores nothing, and what knows the way gets there; over all tasks that are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from agentgym.check.facts import once
from agentgym.check.rule import require, rule
from agentgym.check.subject import Subject
from agentgym.env import AgentEnv
from agentgym.task import Task

NOTHING: dict[str, Callable[[str], str]] = {
    "empty texts": lambda observation: "",
    "a meaningless text": lambda observation: "zzz",
    "the last observation": lambda observation: observation,
}
"""Ways to do nothing, by name: from the last observation to the next action."""
NAMED = 3
"""Failing tasks that a report names."""


@dataclass(slots=True)
class Ended:
    """How an episode ended: its success, its outcome reward, the actions that were not valid."""

    task: Task
    success: bool
    reward: float
    invalid: list[str] = field(default_factory=list)


def _to_the_end(env: AgentEnv[Any], task: Task, seed: int, act: Callable[[str], str]) -> Ended:
    observation, info = env.reset(seed=seed, options={"task": task.id})
    invalid, over = [], False
    while not over:
        action = act(observation)
        observation, _, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        if not info["valid"]:
            invalid.append(f"task {task.id!r}, turn {info['turn']}: {action!r:.60} ({info['error']:.80})")
    return Ended(task, info["success"], info["outcome_reward"], invalid)


@once
def _idle(subject: Subject) -> list[tuple[str, list[Ended]]]:
    env = subject.make(signals=())
    return [
        (name, [_to_the_end(env, task, subject.seed + i, act) for i, task in enumerate(subject.tasks)])
        for name, act in NOTHING.items()
    ]


def _named(failed: Iterable[Ended]) -> str:
    """Return how many tasks failed and the first of them, "" for none."""
    tasks = [one.task.id for one in failed]
    more = ", …" if len(tasks) > NAMED else ""
    return f"{len(tasks)} tasks ({', '.join(tasks[:NAMED])}{more})" if tasks else ""


@rule("noop")
def noop(subject: Subject) -> str:
    """Doing nothing never succeeds and never earns an outcome reward, in any task.

    Three ways are played to the end: empty texts, a meaningless text, and repeating the last observation.
    """
    for name, ends in _idle(subject):
        won = _named(one for one in ends if one.success)
        require(not won, f"sending {name} succeeds in {won}: let success need what the task asks for")
        paid = _named(one for one in ends if one.reward > 0.0)
        require(not paid, f"sending {name} earns an outcome reward in {paid}: give 0 where nothing was done")
    return f"succeeds in 0 of {len(subject.tasks)} tasks, {len(NOTHING)} ways"


@rule("expert", hook="expert")
def expert(subject: Subject) -> str:
    """The expert solves every task within the limit, by valid actions alone, and earns more than doing nothing does."""
    env = subject.make(signals=())
    ends = [
        _to_the_end(env, task, subject.seed + index, lambda observation: env.advice(env.state))
        for index, task in enumerate(subject.tasks)
    ]
    lost = [one for one in ends if not one.success or one.invalid]
    wrong = next((f"; its action is not valid at {one.invalid[0]}" for one in lost if one.invalid), "")
    solved = len(ends) - len(lost)
    require(not lost, f"the expert solves {solved} of {len(ends)} tasks; it fails in {_named(lost)}{wrong}")
    ways = [found for _, found in _idle(subject)]
    poor = _named(
        one for index, one in enumerate(ends) if one.success and one.reward <= max(way[index].reward for way in ways)
    )
    require(not poor, f"the expert earns no more than doing nothing in {poor}: let success pay")
    return f"{solved} of {len(ends)} tasks solved, of {len(subject.all_tasks)} in the panel"
