"""Rule: what the hooks say follows from the state alone."""

from __future__ import annotations

import json
import math
from copy import deepcopy
from typing import Any

from agentgym.check.facts import builds_upon
from agentgym.check.rule import require, rule
from agentgym.check.subject import Subject, Trace, shown
from agentgym.digest import state_hash
from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError
from agentgym.rng import TurnRng

HOOKS = ("potential", "describe", "menu", "expert", "secrets")


@rule("signals")
def signals(subject: Subject) -> str:
    """Hooks are functions of the state alone: asked twice, of a copy, by another world; the potential is finite."""
    builds_upon(subject, "signals")
    hooks = [hook for hook in HOOKS if subject.offers(hook)] + ["canonical", "anchor"]
    env, other, asked = subject.make(), subject.make(), 0
    for task, seed in subject.few(4):
        trace, rng = subject.start(env, task, seed), TurnRng(subject.seed, stream=f"signals {task.id}")
        seen: list[tuple[Any, dict[str, str], str]] = []
        for _ in range(12):
            state, where = env.state, trace.at(len(trace.actions))
            said = {hook: ask(env, hook, state) for hook in hooks}
            if "potential" in hooks:
                value = env.potential(state)
                require(math.isfinite(value), f"{where}: potential(state) is {value}: it must be finite")
            ways = {"asked twice": (env, state), "of a copy of the state": (env, deepcopy(state))}
            ways["by another world"] = (other, state)
            for way, (world, same) in ways.items():
                _equal(said, {hook: ask(world, hook, same) for hook in hooks}, f"{where}, {way}")
            seen.append((state, said, where))
            if trace.over:
                break
            subject.go_on(env, trace, 1, rng, hostile=False)
        for state, said, where in reversed(seen):
            _equal(said, {hook: ask(env, hook, state) for hook in hooks}, f"{where}, asked later")
        _reached(subject, other, subject.start(other, task, seed), trace, [said for _, said, _ in seen])
        asked += len(seen)
    return f"{', '.join(hooks)} at {asked} states"


def _reached(subject: Subject, env: AgentEnv[Any], trace: Trace, first: Trace, all_said: list[dict[str, str]]) -> None:
    """Check that a world that comes to the same states by the same actions says the same of them."""
    for said, action in zip(all_said, [*first.actions, ""], strict=False):
        now = {hook: ask(env, hook, env.state) for hook in said}
        if now["canonical"] != said["canonical"]:
            return  # it went another way, which is another rule's business
        _equal(said, now, f"{trace.at(len(trace.actions))}, of a state that another world reached")
        if trace.over:
            return
        subject.step(env, trace, action)


def ask(env: AgentEnv[Any], hook: str, state: Any) -> str:
    """Return what a hook says of a state, as canonical text; of an expert that knows no way, that it raised."""
    try:
        value = getattr(env, hook)(state)
    except AgentGymError as error:
        return f"raised {type(error).__name__}"
    if hook in ("canonical", "anchor"):
        return state_hash(value)
    return json.dumps(list(value) if hook == "menu" else value, sort_keys=True)


def _equal(first: dict[str, str], second: dict[str, str], where: str) -> None:
    """Check that all hooks say the same."""
    for hook, said in first.items():
        require(
            second[hook] == said,
            f"{where}: {hook}(state) says {shown(second[hook])} after {shown(said)}: let it read the state alone",
        )
