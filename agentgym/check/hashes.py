"""Rules: a state's hash stands for the state, no less and no more."""

from __future__ import annotations

from typing import Any

from agentgym.check.effects import moments, offered
from agentgym.check.explore import LATE, TRIES, Explored, compared, explored, future, pairs, unlike
from agentgym.check.facts import builds_upon, fault
from agentgym.check.rule import NotChecked, require, rule
from agentgym.check.subject import Subject, shown
from agentgym.check.values import HOOKS, apart, hooks, rebuilt, spot, tables
from agentgym.digest import state_hash
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng
from agentgym.table import Table


@fault("hash")
def _stale(subject: Subject) -> str:
    for moment in moments(subject):
        ended = moment.turn == len(moment.trace.actions)  # a large table takes a while, and stays wrong
        for place, table in tables(moment.state) if ended else ():
            if Table(dict(table), plain=table.plain).digest != table.digest:
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


@fault("futures")
def _other_future(subject: Subject) -> str:
    env = explored(subject)[0]
    for group in pairs(subject):
        tries = 0
        for pair in group:
            actions = unlike([*offered(env, pair.first), *offered(env, pair.second), *pair.actions])
            for action in actions[: max(0, TRIES - tries)]:
                tries += 1
                both = (pair.first, pair.second)
                mine, other = (future(env, state, action, TurnRng(pair.seed, 0, LATE)) for state in both)
                if differs := apart(mine, other):
                    return (
                        f"{pair.where}: two states have the hash {state_hash(env.canonical(pair.first))[:8]}…, but "
                        f"after {action!r:.60} {differs}; they differ in {spot(*both)}: "
                        "let canonical(state) hold all that decides what follows"
                    )
    return ""


@rule("futures")
def equal_futures(subject: Subject) -> str:
    """States with equal hashes have equal futures: every action, with equal draws, does the same to both.

    States are searched for by breadth from where episodes went, and at and after the starts of other seeds; those with
    equal hashes and different content are compared, also between starts and tasks. A `canonical` that forgets what
    matters is found here, as far as the search meets it.
    """
    builds_upon(subject, "futures")
    found = _other_future(subject)
    require(not found, found)
    return compared(subject)


@rule("hooks")
def hooks_and_hash(subject: Subject) -> str:
    """What the hooks say of a state (menu, expert, secrets, …) follows from its hash, and `describe` from its anchor.

    Asked of states with equal hashes and different content, and of the world that played and one that did not. Of one
    start's states with equal anchors `describe` says the same: what it tells apart, the agent can tell apart.
    """
    builds_upon(subject, "snapshot")
    env, found = explored(subject)
    if not any(env.offers(name) for name in ("anchor", *HOOKS)):
        raise NotChecked("the world has no hooks")
    asked = [(env, env, pair.first, pair.second, pair.where) for group in pairs(subject) for pair in group]
    asked += [(moment.env, env, moment.state, moment.state, moment.trace.where) for moment in moments(subject)]
    for mine, other, first, second, where in asked:
        differs = apart(hooks(mine, first), hooks(other, second))
        require(
            not differs,
            f"{where}: of two states with equal hashes {differs}: let it depend on what canonical(state) holds, alone",
        )
    if env.offers("anchor") and env.offers("describe"):
        for one in found:
            blurred = _blurred(env, one)
            require(not blurred, blurred)
    return f"{len(moments(subject))} states asked of two worlds; {compared(subject)}"


def _blurred(env: AgentEnv[Any], one: Explored) -> str:
    """Return where two states of one start have the same anchor and other descriptions, "" for nowhere."""
    known: dict[str, str] = {}
    for states in one.states.values():
        for _, state in states:
            text = env.describe(state)
            before = known.setdefault(state_hash(env.anchor(state)), text)
            if before != text:
                return (
                    f"{one.where}: describe(state) says {shown(before)} of one state and {shown(text)} of another, but "
                    "anchor(state) is the same: let it hold all that the agent can read"
                )
    return ""
