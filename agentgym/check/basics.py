"""Rules: the world can be made and started, its spaces hold what it shows, Gymnasium's own checker is content."""

from __future__ import annotations

import warnings
from difflib import get_close_matches
from inspect import isfunction
from typing import Any

from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from agentgym.check.rule import require, rule
from agentgym.check.subject import Subject, shown
from agentgym.env import AgentEnv
from agentgym.space import UnicodeText

HOOKS = (
    "limit", "timeout", "canonical", "anchor", "potential", "menu", "expert", "describe", "secrets", "copy_state",
    "pack", "unpack", "panels", "quality", "exploits", "say",
)  # fmt: skip
NEAR = 0.85
"""How like a hook's name that of another method must be to be asked about: `menus` and `experts` are."""


@rule("made")
def made(subject: Subject) -> str:
    """The world can be built, with every argument of the shell and again from its own; every task can be started."""
    env = subject.world
    subject.make(signals=subject.signals(), privileged=subject.offers("secrets"), reward="dense", max_turns=2)
    again = type(env)(**env._init_kwargs)
    require(
        again.panel.hash == env.panel.hash,
        "two worlds built from equal arguments have different panels: make the panel from constants and arguments",
    )
    for index, task in enumerate(subject.tasks):
        again.reset(seed=subject.seed + index, options={"task": task.id})
    return f"{len(subject.tasks)} of {len(subject.all_tasks)} tasks started" + _misspelt(type(env))


def _misspelt(world: type[AgentEnv[Any]]) -> str:
    """Return a question about each method that is named nearly like a hook which the world lacks, "" for none."""
    absent = [hook for hook in HOOKS if not world.offers(hook)]
    asked = ""
    for kind in world.__mro__[: world.__mro__.index(AgentEnv)]:
        for name, made in vars(kind).items():
            near = get_close_matches(name, absent, n=1, cutoff=NEAR)
            if near and isfunction(made) and not hasattr(AgentEnv, name) and name not in world._tools:
                asked += f"; {kind.__name__} defines {name!r}: did you mean the hook {near[0]!r}?"
    return asked


@rule("spaces")
def spaces(subject: Subject) -> str:
    """The spaces are UnicodeText, the same on every call and in every world, and hold every observation and action."""
    env = subject.make()
    first = (env.observation_space, env.action_space)
    for name, space in zip(("observation_space", "action_space"), first, strict=True):
        require(isinstance(space, UnicodeText), f"{name} is {space!r}: texts of any characters need a UnicodeText")
    steps = 0
    for task, seed in subject.few(6):
        trace = subject.play(env, task, seed)
        for turn, record in enumerate(trace.returned):
            require(
                record[0] in env.observation_space,
                lambda record=record, turn=turn, trace=trace: (  # type: ignore[misc]
                    f"{trace.at(turn)}: the observation {shown(record[0])} is not in {env.observation_space}"
                ),
            )
            steps += 1
    now = (env.observation_space, env.action_space)
    require(
        now[0] is first[0] and now[1] is first[1],
        "the spaces are other objects after an episode: set them once, in the constructor",
    )
    other = subject.make()
    require(
        first == (other.observation_space, other.action_space),
        lambda: f"two equal worlds have the spaces {first} and {(other.observation_space, other.action_space)}",
    )
    return f"{steps} observations"


@rule("gymnasium")
def gymnasium(subject: Subject) -> None:
    """Gymnasium's own check_env passes without warnings."""
    env = subject.make()
    if env.spec is None:  # without one, check_env cannot build the world again and warns of that
        env.spec = EnvSpec(f"{type(env).__name__}-v0", lambda **kwargs: subject.make(**kwargs))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_env(env)
    require(not caught, lambda: f"check_env warns: {caught[0].message}")
