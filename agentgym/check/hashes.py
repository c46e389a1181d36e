"""Rules: a state's hash stands for the state, no less and no more."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentgym.action import ToolCall
from agentgym.check.effects import moments, offered
from agentgym.check.facts import builds_upon, episodes, fault, once
from agentgym.check.rule import NotChecked, require, rule
from agentgym.check.subject import Subject
from agentgym.check.values import HOOKS, apart, hooks, rebuilt, result, tables, value
from agentgym.digest import state_hash
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng
from agentgym.table import Table

TRIES = 400
"""Transitions that are tried in each task to find states, and as many to compare their futures."""
WAYS = 3
"""States of equal hash and different content that are kept."""
LATE = 7
"""The turn at which futures are compared; any would do."""


@fault("hash")
def _stale(subject: Subject) -> str:
    for moment in moments(subject):
        ended = moment.turn == len(moment.trace.actions)  # a large table takes a while, and stays wrong
        for place, table in tables(moment.state) if ended else ():
            if Table(dict(table)).digest != table.digest:
                return (
                    f"{moment.trace.at(moment.turn)}: the hash of {place} is not that of its records: one was changed "
                    "in place; set a changed copy"
                )
    return ""


@fault("hash")
def _unsteady(subject: Subject) -> str:
    other = subject.make(signals=())
    for moment in moments(subject):
        info = moment.trace.infos[moment.turn]
        state = rebuilt(other.copy_state(moment.state), turned=True)
        if (state_hash(other.canonical(state)), state_hash(other.anchor(state))) != (
            info["state_hash"], info["anchor_hash"],
        ):  # fmt: skip
            return (
                f"{moment.trace.at(moment.turn)}: the hash is not that of the state alone: an equal state, hashed by a "
                "world that has not played, has another: let canonical and anchor depend on nothing but the state, "
                "not on the turn, the instance, or the order in which a dict was filled"
            )
    return ""


@fault("hash")
def _doubled(subject: Subject) -> str:
    for one in explored(subject)[1]:
        known: dict[Any, str] = {}
        for mine, states in one.states.items():
            for _, state in states:
                try:
                    before = known.setdefault(state, mine)
                except TypeError:  # such states cannot be looked up
                    break
                if before != mine:
                    return (
                        f"{one.where}: two states are equal but their hashes are not ({state!r:.200}): keep each field "
                        "of one type (1, 1.0 and True are equal, and hash apart)"
                    )
    return ""


@rule("hash")
def hash_of_the_state(subject: Subject) -> str:
    """The state's and the anchor's hash follow from the state alone, and equal states have equal hashes.

    Each state is hashed anew from a copy with its dicts filled in another order, by a world that has not played, and
    so are the records of every Table in the last state of an episode.
    """
    builds_upon(subject, "hash")
    stale, unsteady, doubled = _stale(subject), _unsteady(subject), _doubled(subject)
    require(not stale, stale)
    require(not unsteady, unsteady)
    require(not doubled, doubled)
    return f"{len(moments(subject))} states hashed anew"


@dataclass(slots=True)
class _Explored:
    """What was found of one task: for each hash up to `WAYS` states of different content, and the actions tried."""

    where: str
    seed: int
    states: dict[str, list[tuple[Any, Any]]] = field(default_factory=dict)  # hash → (content, state)
    actions: list[str | ToolCall] = field(default_factory=list)

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

    def twins(self) -> list[tuple[Any, Any]]:
        """Return pairs of states with equal hash and different content."""
        return [(known[0][1], state) for known in self.states.values() for _, state in known[1:]]


@once
def explored(subject: Subject) -> tuple[AgentEnv[Any], list[_Explored]]:
    """Return a world that has not played, and what was found of a few tasks by breadth, from where episodes went."""
    env = subject.make(signals=())
    found = []
    for task, seed in episodes(subject):
        one = _Explored(f"task {task.id!r}, seed {seed}", seed)
        queue: deque[Any] = deque()
        for moment in moments(subject):
            if moment.trace.where == one.where:
                queue.extend([moment.state] * one.add(env, moment.state))
                if moment.turn and moment.trace.infos[moment.turn]["valid"]:
                    one.actions.append(moment.trace.actions[moment.turn - 1])
        one.actions = _unlike([*one.actions, *subject.given])[:8]
        _explore(env, one, queue)
        found.append(one)
    return env, found


def future(env: AgentEnv[Any], state: Any, action: str | ToolCall, rng: TurnRng) -> dict[str, Any]:
    """Return what an action does to a state, as values by name, the next state by its hash."""
    seen, after = result(env, env.copy_state(state), action, rng)
    return seen if after is None else {**seen, "next state_hash": state_hash(env.canonical(after))}


def _explore(env: AgentEnv[Any], one: _Explored, queue: deque[Any]) -> None:
    tries = 0
    while queue and tries < TRIES:
        state = queue.popleft()
        for action in _actions(env, state, one):
            tries += 1
            seen, after = result(env, env.copy_state(state), action, TurnRng(one.seed, 0, tries % 3))
            if after is not None and "outcome" not in seen and one.add(env, after):
                queue.append(after)


def _actions(env: AgentEnv[Any], state: Any, one: _Explored) -> list[str | ToolCall]:
    return _unlike([*offered(env, state), *one.actions])


def _unlike(actions: Sequence[str | ToolCall]) -> list[str | ToolCall]:
    return list({repr(action): action for action in actions}.values())


@fault("futures")
def _other_future(subject: Subject) -> str:
    env, found = explored(subject)
    for one in found:
        tries = 0
        for first, second in one.twins():
            actions = _unlike([*_actions(env, first, one), *_actions(env, second, one)])
            for action in actions[: max(0, TRIES - tries)]:
                tries += 1
                mine, other = (future(env, state, action, TurnRng(one.seed, 0, LATE)) for state in (first, second))
                if differs := apart(mine, other):
                    return (
                        f"{one.where}: two states have the hash {state_hash(env.canonical(first))[:8]}…, but after "
                        f"{action!r:.60} {differs}; they differ in {_spot(first, second)}: "
                        "let canonical(state) hold all that decides what follows"
                    )
    return ""


def _spot(first: Any, second: Any) -> str:
    """Return the first field in which two states differ."""
    mine, other = value(first), value(second)
    if isinstance(mine[1], tuple) and isinstance(other[1], tuple):
        for one, two in zip(mine[1], other[1], strict=False):
            if one != two:
                return f"{one[0] if isinstance(one[0], str) else 'a part'}: {one[-1]!r:.40} against {two[-1]!r:.40}"
    return "their content"


@rule("futures")
def equal_futures(subject: Subject) -> str:
    """States with equal hashes have equal futures: every action, with equal draws, does the same to both.

    States are searched for by breadth from where episodes went; those with equal hashes and different content are
    compared. A `canonical` that forgets what matters is found here, as far as the search meets it.
    """
    builds_upon(subject, "futures")
    found = _other_future(subject)
    require(not found, found)
    states = sum(len(known) for one in explored(subject)[1] for known in one.states.values())
    return f"{states} states, {sum(len(one.twins()) for one in explored(subject)[1])} pairs with equal hash compared"


@rule("hooks")
def hooks_and_hash(subject: Subject) -> str:
    """What the hooks say of a state (menu, potential, expert, describe, anchor, limit, timeout) follows from its hash.

    Asked of states with equal hashes and different content, and of the world that played and one that did not.
    """
    builds_upon(subject, "snapshot")
    env, found = explored(subject)
    if not any(env.offers(name) for name in ("anchor", *HOOKS)):
        raise NotChecked("the world has no hooks")
    pairs = [(env, env, first, second, one.where) for one in found for first, second in one.twins()]
    pairs += [(moment.env, env, moment.state, moment.state, moment.trace.where) for moment in moments(subject)]
    for mine, other, first, second, where in pairs:
        differs = apart(hooks(mine, first), hooks(other, second))
        require(
            not differs,
            f"{where}: of two states with equal hashes {differs}: let it depend on what canonical(state) holds, alone",
        )
    return f"{len(pairs)} pairs of states"
