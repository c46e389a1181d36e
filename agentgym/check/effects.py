"""Rules: a transition changes nothing but what it returns, and nothing that a caller does reaches the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agentgym.check.actions import Sent, choose
from agentgym.check.determinism import baseline
from agentgym.check.facts import begin, builds_upon, episodes, fault, needs, once, told
from agentgym.check.rule import require, rule
from agentgym.check.subject import Subject, Trace
from agentgym.check.values import Told, apart, rebuilt, result, value
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng


@dataclass(frozen=True, slots=True)
class Moment:
    """A state that was played through.

    Attributes:
        trace: of the episode so far; it goes on. turn: which of its records led here.
        env: the world that played it, with no signals. state: a copy where states change in place.
        before, after: what the state held before and after several actions were tried on it.
        hidden: where one of them did another thing in a world that has never played; "" for nowhere.
    """

    trace: Trace
    turn: int
    env: AgentEnv[Any]
    state: Any
    before: Any
    after: Any
    hidden: str


@once
def moments(subject: Subject) -> list[Moment]:
    """Return the moments of a few episodes, the last of each included."""
    found: list[Moment] = []
    other = subject.make(signals=())
    for task, seed in episodes(subject):
        env = subject.make(signals=())
        trace = begin(subject, env, task, seed)
        rng = TurnRng(subject.seed, stream=f"moments {task.id} {seed}")
        while trace.error is None:
            action = choose(env, subject.given, rng)
            found.append(_looked_at(env, other, trace, seed, action))
            if trace.over or len(trace.actions) >= 40:
                break
            subject.step(env, trace, action)
    return found


def _looked_at(env: AgentEnv[Any], other: AgentEnv[Any], trace: Trace, seed: int, action: Sent) -> Moment:
    """Try an action, and those of the menu, on the world's state, there and in another world."""
    state, turn = env.copy_state(env.state), len(trace.actions)
    before, hidden = value(state), ""
    for tried in (*offered(env, state), action):
        twin = rebuilt(state)
        here, gone = result(env, state, tried, TurnRng(seed, 0, turn))
        here["next state"] = Told(gone)
        there, gone = result(other, twin, tried, TurnRng(seed, 0, turn))
        there["next state"] = Told(gone)
        if not hidden and (differs := apart(here, there)):
            hidden = f"{trace.at(turn)}: {tried!r:.60} does one thing in the world that played on and another in one "
            hidden += f"that never did: {differs}: put what it depends on into the state, and draw from rng alone"
    return Moment(trace, turn, env, state, before, value(state), hidden)


def offered(env: AgentEnv[Any], state: Any) -> list[str]:
    """Return the first eight entries of the menu, as far as the world has one."""
    try:
        return list(env.choices(state))[:8] if env.offers("menu") else []
    except Exception:  # noqa: BLE001 - what hooks may raise is another rule's business
        return []


@fault("pure")
def _changed(subject: Subject) -> str:
    for moment in moments(subject):
        if moment.before != moment.after:
            return (
                f"{moment.trace.at(moment.turn)}: the next transition changes the state that it was given: return "
                "a new one, or let copy_state(state) return a copy that shares nothing that changes"
            )
    return ""


@fault("pure")
def _hidden(subject: Subject) -> str:
    return next((moment.hidden for moment in moments(subject) if moment.hidden), "")


@rule("pure")
def pure_transition(subject: Subject) -> str:
    """A transition leaves the state it was given alone, and depends on state, action and draws alone.

    At every turn of a few episodes the menu's actions, and the next one, are tried in the world that played so far and
    in one that never did, with equal draws.
    """
    builds_upon(subject, "pure")
    changed, hidden = _changed(subject), _hidden(subject)
    require(not changed, changed)
    require(not hidden, hidden)
    return f"{len(moments(subject))} states, several actions each"


@rule("callers")
def callers_changes(subject: Subject) -> str:
    """Nothing that a caller does to what it was given (info, messages, menu, schemas, snapshots) reaches the world."""
    builds_upon(subject)
    needs(subject, "fresh")
    found = ""
    for task, seed, first in baseline(subject):
        env = subject.make(signals=subject.signals())
        trace = begin(subject, env, task, seed)
        spoiled = Trace(trace.where, trace.actions, [spoil(env, trace.records[-1])], trace.error)
        for action in first.actions:
            if trace.over:
                break
            spoiled.records.append(spoil(env, subject.step(env, trace, action)))
        found = found or told(first, spoiled)
    require(not found, f"where the caller changed what it was given, {found}: hand out a new object on each call")
    return f"{len(baseline(subject))} episodes"


def spoil(env: AgentEnv[Any], record: list[Any]) -> list[Any]:
    """Return a copy of a record, and empty everything in it and in what the world hands out besides."""
    kept = _copied(record)
    _empty(record[-1])
    if env._task is not None:
        given: list[Any] = [env.snapshot().info, env.tool_schemas]
        for hook in ("menu", "secrets"):
            if env.offers(hook):
                try:
                    given.append(getattr(env, hook)(env.state))
                except Exception:  # noqa: BLE001 - what hooks may raise is another rule's business
                    continue
        for thing in given:
            _empty(thing)
    copied: list[Any] = kept
    return copied


def _copied(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _copied(item) for key, item in part.items()}
    return [_copied(item) for item in part] if isinstance(part, list) else part


def _empty(part: Any) -> None:
    """Empty lists and dicts, those inside first."""
    if isinstance(part, dict | list):
        for item in list(part.values() if isinstance(part, dict) else part):
            _empty(item)
        part.clear()
