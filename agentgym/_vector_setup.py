"""Checks of what a GroupVectorEnv is given; every refusal names the argument, its place and the remedy."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import partial
from math import inf
from multiprocessing import get_all_start_methods
from typing import Any

import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

from agentgym._setup import checked_options
from agentgym._vector_processes import RemoteSlots
from agentgym._vector_slots import Slots
from agentgym._vector_threads import ThreadedSlots
from agentgym.action import ToolCall
from agentgym.errors import unknown
from agentgym.rng import checked_seed
from agentgym.task import TaskPanel


def sizes(num_envs: Any, group_size: Any) -> tuple[int, int]:
    """Return both numbers, the first a multiple of the second."""
    for name, value in (("num_envs", num_envs), ("group_size", group_size)):
        if not _is_count(value):
            raise ValueError(f"{name} must be an integer of at least 1, not {value!r}")
    if num_envs % group_size:
        lower = num_envs - num_envs % group_size
        near = f"{lower} or {lower + group_size}" if lower else f"{group_size}"
        raise ValueError(f"num_envs={num_envs} is no multiple of group_size={group_size}: take {near}")
    return int(num_envs), int(group_size)


def _is_count(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | np.integer) and bool(value >= 1)


def autoreset(mode: Any) -> AutoresetMode:
    """Return the mode of a name."""
    names = [known.value for known in AutoresetMode]
    if not isinstance(mode, AutoresetMode) and mode not in names:
        raise ValueError(unknown("autoreset_mode", mode, names))
    return AutoresetMode(mode)


def branches(noise: str, group_size: int) -> Sequence[int]:
    """Return the branch of each member of a group."""
    if noise not in ("shared", "own"):
        raise ValueError(unknown("noise", noise, ["shared", "own"]))
    return range(group_size) if noise == "own" else [0] * group_size


def crew(
    workers: str | None, num_workers: Any, timeout: Any, context: Any, slots: int, group_size: int
) -> Callable[..., Slots | RemoteSlots]:
    """Return what makes the slots of a vector, given a world, their number, the groups' size, branches and mode."""
    if workers not in (None, "threads", "processes"):
        raise ValueError(unknown("workers", workers, [None, "threads", "processes"]))
    if context is not None and workers != "processes":
        raise ValueError(f"context={context!r} is for processes: pass workers='processes' too")
    if workers is None:
        for name, value in (("num_workers", num_workers), ("step_timeout", timeout)):
            if value is not None:
                raise ValueError(f"{name}={value!r} is for workers: pass workers='threads' or 'processes' too")
        return Slots
    if num_workers is not None and not _is_count(num_workers):
        raise ValueError(f"num_workers must be an integer of at least 1, not {num_workers!r}")
    if timeout is not None and (type(timeout) not in (int, float) or not 0 < timeout < inf):
        raise ValueError(f"step_timeout must be a number of seconds above 0, or None, not {timeout!r}")
    if workers == "threads":
        return partial(ThreadedSlots, workers=int(num_workers or slots), timeout=timeout)
    known, groups = get_all_start_methods(), slots // group_size
    if context is not None and context not in known:
        raise ValueError(unknown("context", context, known, "of this platform"))
    if num_workers is not None and num_workers > groups:
        held = f"{groups} groups, each of which stays in one process"
        raise ValueError(f"num_workers={num_workers} is more than there are groups: take at most {groups} for {held}")
    most = min(groups, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    return partial(RemoteSlots, workers=int(num_workers or most), timeout=timeout, context=context)


def world_kwargs(kwargs: Mapping[str, Any], max_episode_steps: int | None) -> dict[str, Any]:
    """Return the arguments of the world."""
    if max_episode_steps is None:
        return dict(kwargs)
    if kwargs.get("max_turns") is not None:
        raise ValueError("max_turns and max_episode_steps mean the same: give one of them")
    return {**kwargs, "max_turns": max_episode_steps}


def single_spec(spec: EnvSpec, kwargs: Mapping[str, Any]) -> EnvSpec:
    """Return the spec by which `gymnasium.make` makes one of the worlds."""
    single = deepcopy(spec)
    single.kwargs = dict(kwargs)
    single.max_episode_steps = None  # it became max_turns
    return single


def seeds(seed: Any, groups: int) -> list[int | None]:
    """Return the seed of each group."""
    if seed is None:
        return [None] * groups
    if _is_row(seed):
        if len(seed) != groups:
            raise ValueError(f"seed must hold one seed a group, {groups} in all, not {len(seed)}")
        return [None if one is None else checked_seed(one, f"seed[{group}]") for group, one in enumerate(seed)]
    first = checked_seed(seed)
    return [checked_seed(first + group, f"seed + {group}") for group in range(groups)]


def reset_options(
    options: Mapping[str, Any] | None, panel: TaskPanel, groups: int, group_size: int
) -> tuple[list[str | None], list[int]]:
    """Return the task of each group, None where the draws pick one, and the groups to reset."""
    options = checked_options(options)
    for name in options:
        if name not in ("tasks", "reset_mask"):
            raise ValueError(unknown("reset option", name, ["tasks", "reset_mask"]))
    tasks: Any = options.get("tasks")
    if tasks is None:
        tasks = [None] * groups
    elif not _is_row(tasks):
        raise TypeError(f"options['tasks'] must be a sequence of task ids, one a group, not {tasks!r:.60}")
    if len(tasks) != groups:
        raise ValueError(f"options['tasks'] must hold one task id a group, {groups} in all, not {len(tasks)}")
    named = [None if task is None else panel.task(task).id for task in tasks]
    if options.get("reset_mask") is None:
        return named, list(range(groups))
    return named, _masked(options["reset_mask"], groups, group_size)


def _is_row(value: Any) -> bool:
    """Return whether a value is a sequence of values, and no text."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _masked(given: Any, groups: int, group_size: int) -> list[int]:
    slots = groups * group_size
    try:
        mask = np.asarray(given)
    except ValueError:  # rows of different lengths
        mask = np.empty((), object)
    if mask.dtype != np.bool_ or mask.shape != (slots,):
        raise ValueError(
            f"options['reset_mask'] must hold one bool a slot, {slots} in all, not {mask.dtype} of shape {mask.shape}"
        )
    if not mask.any():
        raise ValueError("options['reset_mask'] chooses no slot: set it for at least one group")
    rows = mask.reshape(groups, group_size)
    for group in np.flatnonzero(rows.any(axis=1) != rows.all(axis=1)):
        start = group * group_size
        raise ValueError(
            f"options['reset_mask'] cuts group {group}: choose all of the slots {start} to {start + group_size - 1} "
            "or none, since they start equal"
        )
    return [int(group) for group in np.flatnonzero(rows.all(axis=1))]


def actions(given: Any, slots: int) -> list[Any]:
    """Return the actions as a list of the right length."""
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | np.ndarray):
        raise TypeError(f"step takes a sequence of actions, one a slot, not {type(given).__name__} {given!r:.60}")
    if isinstance(given, np.ndarray) and given.ndim != 1:
        raise ValueError(f"step takes one action for each of {slots} slots, not an array of shape {given.shape}")
    if len(given) != slots:
        raise ValueError(f"step got {len(given)} actions for {slots} slots: one a slot, None to leave one alone")
    return list(given)


def check_action(action: Any, slot: int) -> None:
    """Refuse what is no action."""
    if not isinstance(action, str | ToolCall):
        raise TypeError(f"the action for slot {slot} must be a str, a ToolCall or None, not {type(action).__name__}")
