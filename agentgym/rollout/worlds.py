"""Which world is played, with which signals, on which tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import gymnasium

from agentgym.batch.inputs import thawed
from agentgym.env import AgentEnv
from agentgym.task import Task


def build(
    env: str | type[AgentEnv[Any]] | AgentEnv[Any],
    kwargs: Mapping[str, Any] | None = None,
    *,
    signals: Sequence[str] = (),
) -> AgentEnv[Any]:
    """Return a bare new world that offers `signals` besides those its arguments ask for.

    Args:
        env: a registered id, a world's class, or a world, which is left alone and built again from its arguments.
        kwargs: constructor arguments, on top of those of a given world.
        signals: names of signals.

    Raises:
        TypeError: something else, or an id that is not a world of agentgym's contract.
        gymnasium.error.Error: an id that nobody registered.
    """
    arguments = {name: thawed(value) for name, value in (kwargs or {}).items()}  # they may come from a record's meta
    if isinstance(env, gymnasium.Env):
        bare = env.unwrapped
        if not isinstance(bare, AgentEnv):
            raise TypeError(f"{type(bare).__name__} is not an AgentEnv: agentgym plays worlds of its own contract")
        arguments = {**bare._init_kwargs, **arguments}
    merged = tuple(dict.fromkeys([*arguments.get("signals", ()), *signals]))
    if merged:
        arguments["signals"] = merged
    if isinstance(env, gymnasium.Env):
        made: Any = type(env.unwrapped)(**arguments)
        made.spec = env.unwrapped.spec
    elif isinstance(env, str):
        made = _registered(env, arguments)
    elif isinstance(env, type) and issubclass(env, AgentEnv):
        made = env(**arguments)
    else:
        raise TypeError(f"env must be a registered id, an AgentEnv class or an AgentEnv, not {env!r:.80}")
    if not isinstance(made, AgentEnv):
        raise TypeError(f"{env!r} is not an AgentEnv: agentgym plays worlds of its own contract")
    return made


def _registered(env: str, arguments: Mapping[str, Any]) -> Any:
    """Return a bare world by its id; the error for an id that nobody registered says how to name a module."""
    try:
        return gymnasium.make(env, disable_env_checker=True, **arguments).unwrapped
    except gymnasium.error.UnregisteredEnv as error:
        if ":" in env or env.startswith("agentgym/"):
            raise
        full = [name for name in gymnasium.registry if name.rpartition("/")[2] == env]
        said = str(error)
        if full:  # nearer than what Gymnasium found among ids without a namespace, if it found any
            said = f"{said.partition(' Did you mean')[0].rstrip('.')}. Did you mean {full[0]}?"
        raise type(error)(f"{said} If a module of yours registers it, write module:{env}") from None


def chosen_tasks(world: AgentEnv[Any], tasks: Sequence[str | Task] | int | None) -> Sequence[Task]:
    """Return the tasks that `collect` was asked for. Raises ValueError, TypeError or KeyError; see there."""
    split: Sequence[Task] = world.panel[world.split]
    if tasks is None:
        return split
    if isinstance(tasks, int) and not isinstance(tasks, bool):
        if not 1 <= tasks <= len(split):
            raise ValueError(f"tasks={tasks}: the split {world.split!r} of {world.panel!r} holds {len(split)}")
        return split[:tasks]
    if isinstance(tasks, str | bool):
        raise TypeError(f"tasks must be a sequence of ids or a count, not {tasks!r}")
    return [_in_panel(world, task) for task in tasks]


def _in_panel(world: AgentEnv[Any], task: str | Task) -> Task:
    found: Task = world.panel.task(task.id if isinstance(task, Task) else task)
    if isinstance(task, Task) and task is not found and task != found:
        raise ValueError(
            f"the task {task.id!r} that was given differs from the one of this id in {world.panel!r}: pass tasks "
            "of your own to the world, as in collect(…, env_kwargs={'tasks': [task]})"
        )
    return found


def signals_of(estimators: Sequence[Any]) -> list[str]:
    """Return the signals that estimators read. Raises ValueError for an unknown name, TypeError for what is none."""
    if isinstance(estimators, str) or not isinstance(estimators, Iterable):
        raise TypeError(f"estimators must be a sequence, as in estimators=[{estimators!r:.60}]")
    given = list(estimators)
    if not given:
        return []
    credit = import_module("agentgym.credit")  # a layer above; only asked which signals an estimator needs
    made = [credit.load(each) if isinstance(each, str) and ":" in each else each for each in given]
    return [signal for each in made for signal in credit.as_estimator(each).signals]
