"""Rule: what becomes of actions that cannot be done."""

from __future__ import annotations

from agentgym.check.facts import needs
from agentgym.check.rule import require, rule
from agentgym.check.subject import Subject
from agentgym.digest import state_hash
from agentgym.env import AgentEnv


@rule("refused")
def refused(subject: Subject) -> str:
    """An invalid action says what was wrong, pays nothing, leaves the state alone and ends nothing but by the limit."""
    needs(subject, "signals")
    env, met = subject.make(), 0
    for task, seed in subject.few(4):
        trace = subject.start(env, task, seed)
        for action in subject.hostile:
            if trace.over:
                trace = subject.start(env, task, seed)
            before, turn = trace.info, len(trace.actions) + 1
            record = subject.step(env, trace, action)
            if trace.error is not None or record[-1]["valid"]:
                continue
            after, where = record[-1], trace.at(turn)
            require(
                after["error"] == record[0] and bool(record[0]),
                f"{where}: the observation and info['error'] must both say what was wrong, for the agent to read",
            )
            require(
                before["state_hash"] == after["state_hash"] == _hash(env),
                f"{where}: the state changed although the action was refused: raise InvalidAction before any change",
            )
            require(not after["components"], f"{where}: the refused action was paid {after['components']}")
            require(
                not trace.over or turn >= env.limit(env.state),
                f"{where}: the episode ended with {after['end_reason']!r} by a refused action, before its limit",
            )
            met += 1
    return f"{met} refusals"


def _hash(env: AgentEnv[object]) -> str:
    """Return the hash of the state as it is now, computed anew."""
    return state_hash(env.canonical(env.state))
