"""States of a few starts, found by breadth, and those among them that have equal hashes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.action import ToolCall
from agentgym.check.actions import choose
from agentgym.check.effects import moments, offered
from agentgym.check.facts import begin, episodes, once
from agentgym.check.subject import Subject, spread
from agentgym.check.values import result, value
from agentgym.digest import state_hash
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng

TRIES = 400
"""Transitions that are tried in each task to find states, and as many to compare their futures."""
WAYS = 3
"""States of equal hash and different content that are kept."""
STARTS = (3, 6, 6)
"""Tasks, seeds of each and turns of each that are met besides, to compare the states of different starts."""
ACROSS = 300
"""Pairs of states of different starts that are compared."""
LATE = 7
"""The turn at which futures are compared; any would do."""


@dataclass(slots=True)
class Explored:
    """What was found of one start: for each hash up to `WAYS` states of different content, and the actions tried.

    Attributes:
        states: hash → (content, state). paid: name of a reward → an action that paid it, and where.
    """

    where: str
    seed: int
    states: dict[str, list[tuple[Any, Any]]] = field(default_factory=dict)
    actions: list[str | ToolCall] = field(default_factory=list)
    paid: dict[str, str] = field(default_factory=dict)

    def add(self, env: AgentEnv[Any], state: Any) -> bool:
        """Keep a state; return whether it is new, by its hash and content."""
        known = self.states.setdefault(state_hash(env.canonical(state)), [])
        content = value(state)
        if len(known) >= WAYS or any(content == other for other, _ in known):
            return False
        known.append((content, state))
        return True

    def pairs(self, env: AgentEnv[Any]) -> Iterator[tuple[Any, str | ToolCall]]:
        """Yield every kept state with every action that may matter there."""
        for known in self.states.values():
            for _, state in known:
                for action in _actions(env, state, self):
                    yield state, action

    def twins(self) -> list[Pair]:
        """Return pairs of states with equal hash and different content."""
        pairs = [(known[0][1], state) for known in self.states.values() for _, state in known[1:]]
        return [Pair(self.where, self.seed, first, second, self.actions) for first, second in pairs]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two states of equal hash and different content, and actions that may matter to both."""

    where: str
    seed: int
    first: Any
    second: Any
    actions: list[str | ToolCall]


@once
def explored(subject: Subject) -> tuple[AgentEnv[Any], list[Explored]]:
    """Return a world that has not played, and what was found of a few tasks by breadth, from where episodes went."""
    env = subject.make(signals=())
    found = []
    for task, seed in episodes(subject):
        one = Explored(f"task {task.id!r}, seed {seed}", seed)
        queue: deque[Any] = deque()
        for moment in moments(subject):
            if moment.trace.where == one.where:
                queue.extend([moment.state] * one.add(env, moment.state))
                if moment.turn and moment.trace.infos[moment.turn]["valid"]:
                    one.actions.append(moment.trace.actions[moment.turn - 1])
        one.actions = unlike([*one.actions, *subject.given])[:8]
        _explore(env, one, queue)
        found.append(one)
    return env, found


@once
def starts(subject: Subject) -> list[Explored]:
    """Return states of several seeds of a few tasks: at the start, and after actions that are the same for all seeds.

    So a fact that a start draws, and that nothing tells yet, is met with several values in states that look alike.
    """
    env = subject.make(signals=())
    tasks, seeds, turns = STARTS
    found = []
    for task in spread(subject.tasks, tasks):
        played: list[str | ToolCall] = []
        for seed in range(subject.seed, subject.seed + seeds):
            trace = begin(subject, env, task, seed)
            one = Explored(trace.where, seed, actions=played)
            rng = TurnRng(subject.seed, stream=f"starts {task.id}")
            while trace.error is None:
                one.add(env, env.copy_state(env.state))
                if trace.over or len(trace.actions) == turns:
                    break
                if len(played) == len(trace.actions):
                    played.append(choose(env, subject.given, rng, only_valid=True))
                subject.step(env, trace, played[len(trace.actions)])
            found.append(one)
    return found


@once
def pairs(subject: Subject) -> list[list[Pair]]:
    """Return the pairs of states with equal hash and different content, for each start, and those of two starts."""
    found = explored(subject)[1]
    return [*(one.twins() for one in found), _across([*starts(subject), *found])]


def _across(found: Sequence[Explored]) -> list[Pair]:
    """Return pairs of different starts, of any task: a hash stands for a state wherever it is met."""
    actions = unlike([action for one in found for action in one.actions])[:8]
    known: dict[str, list[tuple[Any, Any, str]]] = {}
    twins = []
    for one in found:
        for mine, states in one.states.items():
            others = known.setdefault(mine, [])
            for content, state in states:
                if len(others) > WAYS or any(content == other for other, _, _ in others):
                    continue
                if others and others[0][2] != one.where:
                    twins.append(Pair(f"{others[0][2]} and {one.where}", one.seed, others[0][1], state, actions))
                others.append((content, state, one.where))
    return twins[:ACROSS]


def compared(subject: Subject) -> str:
    """Return how many states were met, and how many pairs of them have equal hashes."""
    states = sum(len(known) for one in (*starts(subject), *explored(subject)[1]) for known in one.states.values())
    count = sum(len(group) for group in pairs(subject))
    if not count:
        return f"no two of {states} states share a hash"
    return f"{states} states, {count} pairs with equal hash compared"


def future(env: AgentEnv[Any], state: Any, action: str | ToolCall, rng: TurnRng) -> dict[str, Any]:
    """Return what an action does to a state, as values by name, the next state by its hash."""
    seen, after = result(env, env.copy_state(state), action, rng)
    return seen if after is None else {**seen, "next state_hash": state_hash(env.canonical(after))}


def _explore(env: AgentEnv[Any], one: Explored, queue: deque[Any]) -> None:
    tries = 0
    while queue and tries < TRIES:
        state = queue.popleft()
        for action in _actions(env, state, one):
            tries += 1
            seen, after = result(env, env.copy_state(state), action, TurnRng(one.seed, 0, tries % 3))
            if "rewards" in seen and isinstance(seen["rewards"].said, Mapping):
                for name in seen["rewards"].said:
                    one.paid.setdefault(name, f"{one.where}, after {action!r:.80}")
            if after is not None and "outcome" not in seen and one.add(env, after):
                queue.append(after)


def _actions(env: AgentEnv[Any], state: Any, one: Explored) -> list[str | ToolCall]:
    return unlike([*offered(env, state), *one.actions])


def unlike(actions: Sequence[str | ToolCall]) -> list[str | ToolCall]:
    """Return actions without those that are there already."""
    return list({repr(action): action for action in actions}.values())
