"""Subject: the world that is checked, its tasks, and the ways to play it; a trace is all that it returned."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import Any

from agentgym.action import ToolCall
from agentgym.check.actions import Sent, choose, hostile
from agentgym.check.rule import require
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng, checked_seed
from agentgym.rollout import build
from agentgym.task import Task

World = str | type[AgentEnv[Any]] | AgentEnv[Any]
TURNS = 40
"""Turns that are played of an episode where a rule asks for no other number."""

RETURNED = {
    2: ("the observation", "info"),
    4: ("the observation", "terminated", "truncated", "info"),
    5: ("the observation", "the reward", "terminated", "truncated", "info"),
}
"""How messages call the parts of a record, by their number; where the reward makes no difference there are four."""

SKILLED, SKILL = 0.3, 0.9
"""Share of the episodes that follow the expert, and share of their turns in which they do."""


@dataclass(slots=True)
class Trace:
    """Everything that one episode returned.

    Attributes:
        where: task, seed and branch, for messages.
        actions: what was sent, in order.
        records: [observation, info] of reset, then [observation, reward, terminated, truncated, info] a step; where the
            world raised, the last is ["raised", what] and `error` the exception.
    """

    where: str
    actions: list[Sent] = field(default_factory=list)
    records: list[list[Any]] = field(default_factory=list)
    error: Exception | SystemExit | None = None

    @property
    def info(self) -> dict[str, Any]:
        """Return the last info."""
        info: dict[str, Any] = self.infos[-1]
        return info

    @property
    def returned(self) -> list[list[Any]]:
        """Return the records without that of an error."""
        return self.records if self.error is None else self.records[:-1]

    @property
    def infos(self) -> list[dict[str, Any]]:
        """Return the infos in order, that of reset first."""
        return [record[-1] for record in self.returned]

    @property
    def over(self) -> bool:
        """Return whether the episode ended or the world raised."""
        return self.error is not None or len(self.records) > 1 and bool(self.records[-1][2] or self.records[-1][3])

    def at(self, turn: int) -> str:
        """Return where a record stands, with the action that led to it."""
        if turn == 0:
            return f"{self.where}, on reset"
        action = self.actions[turn - 1]
        return f"{self.where}, turn {turn}, after {action!r:.80}"

    def lines(self) -> list[str]:
        """Return a canonical line of JSON a record."""
        return [json.dumps(record, sort_keys=True) for record in self.records]


class Subject:
    """A world under check.

    Args:
        env: a registered id, a world's class, or a world, which is left alone.
        kwargs: constructor arguments on top.
        seed: what all seeds and draws of the check follow from.
        tasks: how many tasks are looked at, spread evenly over all splits; None: all.
        actions: valid actions that the author gives, where neither expert, menu nor tools tell any.
    """

    def __init__(
        self,
        env: World,
        kwargs: Mapping[str, Any] | None = None,
        *,
        seed: int = 0,
        tasks: int | None = 200,
        actions: Sequence[Sent] = (),
    ) -> None:
        if tasks is not None and (isinstance(tasks, bool) or not isinstance(tasks, int) or tasks < 1):
            raise ValueError(f"tasks must be a number of tasks of at least 1, or None for all, not {tasks!r}")
        self.env = env
        self.kwargs = dict(kwargs or {})
        self.seed = checked_seed(seed)
        self.wanted = tasks
        self.given = tuple(actions)

    def make(self, **kwargs: Any) -> AgentEnv[Any]:
        """Return a bare new world."""
        return build(self.env, {**self.kwargs, **kwargs})

    @cached_property
    def world(self) -> AgentEnv[Any]:
        """Return one world to ask for its panel, class and hooks; never play it."""
        return self.make()

    @cached_property
    def all_tasks(self) -> list[Task]:
        """Return every task of every split, in the panel's order."""
        return [task for split in self.world.panel for task in self.world.panel[split]]

    @cached_property
    def tasks(self) -> list[Task]:
        """Return the tasks that are looked at."""
        return spread(self.all_tasks, len(self.all_tasks) if self.wanted is None else self.wanted)

    def few(self, count: int) -> list[tuple[Task, int]]:
        """Return `count` episodes to play, (task, seed): tasks spread evenly, taken in turn where they are fewer."""
        tasks = spread(self.tasks, count)
        return [(tasks[index % len(tasks)], self.seed + index) for index in range(count)]

    def offers(self, hook: str) -> bool:
        """Return whether the world has a hook of its own."""
        return self.world.offers(hook)

    @cached_property
    def hostile(self) -> tuple[Sent, ...]:
        """Return what a model or a broken parser may send to this world."""
        return hostile(self.world.tool_schemas)

    def signals(self) -> tuple[str, ...]:
        """Return all signals that the world offers."""
        hooks = [name for name in ("menu", "potential", "expert", "describe") if self.offers(name)]
        return (*hooks, *self.world.extra_signals)

    @cached_property
    def traces(self) -> list[Trace]:
        """Return mixed play of a few tasks by one world with all signals, for rules that read what came of it."""
        env = self.make(signals=self.signals())
        return [self.play(env, task, seed) for task, seed in self.few(8)]

    def start(self, env: AgentEnv[Any], task: Task, seed: int, branch: int = 0) -> Trace:
        """Reset a world and return the trace that begins; `step` goes on with it."""
        trace = Trace(f"task {task.id!r}, seed {seed}" + (f", branch {branch}" if branch else ""))
        options = {"task": task.id, "branch": branch}
        trace.records.append(list(env.reset(seed=seed, options=options)))
        return trace

    def step(self, env: AgentEnv[Any], trace: Trace, action: Sent) -> list[Any]:
        """Take a turn and return its record; an error of the world becomes a record, and the episode ends with it."""
        trace.actions.append(action)
        try:
            record = list(env.step(action))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - reported by the rule "hostile", and compared by others
            trace.error = error
            record = ["raised", f"{type(error).__name__}: {error}"]
        trace.records.append(record)
        return record

    def play(
        self, env: AgentEnv[Any], task: Task, seed: int, turns: int = TURNS, *, branch: int = 0, hostile: bool = True
    ) -> Trace:
        """Play a mix of valid, nearly valid and hostile actions (valid ones alone without `hostile`) to the end.

        What is sent follows from the checker's seed, task and seed, and from what the world offers in each state. Some
        episodes follow the expert in most turns, so that the ends that it comes to are met too.
        """
        trace = self.start(env, task, seed, branch)
        rng = TurnRng(self.seed, stream=f"check {task.id} {seed}")
        skill = SKILL if rng.random() < SKILLED else 0.0
        self.go_on(env, trace, turns, rng, hostile=hostile, skill=skill)
        return trace

    def go_on(
        self, env: AgentEnv[Any], trace: Trace, turns: int, rng: TurnRng, *, hostile: bool = True, skill: float = 0.0
    ) -> None:
        """Take up to so many more turns with actions drawn from `rng`, the expert's in a share of `skill`."""
        for _ in range(turns):
            if trace.over:
                break
            self.step(env, trace, choose(env, self.given, rng, only_valid=not hostile, skill=skill))

    def replay(self, env: AgentEnv[Any], task: Task, seed: int, actions: Sequence[Sent], *, branch: int = 0) -> Trace:
        """Play given actions to the end."""
        trace = self.start(env, task, seed, branch)
        for action in actions:
            if trace.over:
                break
            self.step(env, trace, action)
        return trace


def spread(items: Sequence[Task], count: int) -> list[Task]:
    """Return at most `count` items at even distances, the first and the last among them."""
    if count >= len(items):
        return list(items)
    if count == 1:
        return [items[0]]
    return [items[index * (len(items) - 1) // (count - 1)] for index in range(count)]


def require_same(first: Trace, second: Trace, what: str) -> None:
    """Raise Broken, naming the first difference, unless two traces are equal to the byte."""
    pairs = enumerate(zip_longest(first.lines(), second.lines()))
    turn = next((turn for turn, (mine, other) in pairs if mine != other), None)
    require(turn is None, lambda: f"{what}: {_parted(first, second, turn or 0)}")


def _parted(first: Trace, second: Trace, turn: int) -> str:
    """Return where and how two traces part at a turn."""
    shorter = min(first, second, key=lambda trace: len(trace.records))
    if turn >= len(shorter.records):
        return f"{first.where}: {len(first.records) - 1} turns against {len(second.records) - 1}"
    return f"{first.at(turn)}: {record_difference(first.records[turn], second.records[turn])}"


def record_difference(first: list[Any], second: list[Any]) -> str:
    """Return where two records differ first, by the names of what `reset` and `step` return."""
    names = RETURNED.get(len(first), ())
    if len(first) != len(second) or not isinstance(first[-1], dict) or not isinstance(second[-1], dict):
        return f"{_outcome(first)} against {_outcome(second)}"
    parts = (difference(mine, other, name) for name, mine, other in zip(names, first, second, strict=True))
    return next((found for found in parts if found), "")


def _outcome(record: list[Any]) -> str:
    """Return what became of a step, in short."""
    return shown(record[0]) if isinstance(record[-1], dict) else f"the error {shown(record[-1])}"


def difference(first: Any, second: Any, place: str = "") -> str:
    """Return where two JSON values differ first, and how; "" where they are equal."""
    if isinstance(first, dict) and isinstance(second, dict):
        for key in [*first, *(key for key in second if key not in first)]:
            at = f"{place}[{key!r}]"
            if key not in first or key not in second:
                return f"{at} is there only in the {'first' if key in first else 'second'}"
            if found := difference(first[key], second[key], at):
                return found
        return ""
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        for index, (mine, other) in enumerate(zip(first, second, strict=True)):
            if found := difference(mine, other, f"{place}[{index}]"):
                return found
        return ""
    same = type(first) is type(second) and json.dumps(first, sort_keys=True) == json.dumps(second, sort_keys=True)
    return "" if same else f"{place} is {shown(first)} against {shown(second)}"


def shown(value: Any) -> str:
    """Return a value in at most 80 characters."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}…"


def plain_call(action: Sent) -> Any:
    """Return an action as plain JSON, for another process."""
    return [action.name, dict(action.arguments), action.id] if isinstance(action, ToolCall) else action
