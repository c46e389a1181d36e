"""GroupVectorEnv: many worlds stepped together, in groups whose members start equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from agentgym import _vector_setup as setup
from agentgym._vector_errors import SlotError, WorkerLost, lost
from agentgym._vector_infos import VectorInfos
from agentgym._vector_slots import Loss
from agentgym.env import AgentEnv
from agentgym.errors import StepAfterEnd
from agentgym.rollout import build

__all__ = ["GroupVectorEnv", "SlotError", "WorkerLost"]

Flags = npt.NDArray[np.bool_]
Stepped = tuple[tuple[str, ...], npt.NDArray[np.float64], Flags, Flags, VectorInfos]


class GroupVectorEnv(VectorEnv[tuple[str, ...], Any, Any]):
    """Worlds stepped together, slots 0 … num_envs − 1; slots i·group_size … (i + 1)·group_size − 1 form group i.

    The members of a group start equal: same task, seed, state and texts, verified by hash at every start. With
    `group_size=1` seeds mean what they mean in Gymnasium's SyncVectorEnv, and so do all results.

    Args:
        world: a registered id, an AgentEnv class, or an AgentEnv, which is built again from its arguments.
        num_envs: slots; a multiple of `group_size`.
        group_size: slots that start equal.
        autoreset_mode: "Disabled": a slot whose episode ended idles until its group is reset. "NextStep", "SameStep":
            as in Gymnasium, a slot restarts alone, as by `reset()`; the n-th episodes of a group's slots start equal,
            whenever each begins.
        noise: "shared": the members of a group meet the same draws of the world; "own": draws of their own after the
            equal start, under branch 0, 1, 2 …
        max_episode_steps: another name for the world's `max_turns`, which Gymnasium's functions use.
        workers: who steps the worlds. None: the caller, one after another; "threads": all at the same time, for worlds
            that wait for something outside, such as a language model; "processes": whole groups in processes of their
            own, for worlds that compute. What comes out is the same.
        num_workers: how many threads at most, None: one a slot; how many processes, None: one a core, but no more than
            groups.
        step_timeout: seconds that a step or reset may take before the workers that are late count as lost; None: no
            end.
        context: how processes start, "fork", "spawn" or "forkserver"; None: as Python's multiprocessing does.
        **kwargs: constructor arguments of the world. One that an argument above hides is passed with the world:
            `GroupVectorEnv(MyWorld(noise=0.1), …)`.

    Attributes:
        envs: the bare worlds; not with processes, which are reached by `call`, `get_attr` and `set_attr`.
        live: bool array; which slots have an episode under way.
        incomplete: bool array; the slots of groups whose episodes a lost worker tore, until they are reset.

    Raises:
        ValueError, TypeError: bad numbers or names, and what the world's constructor refuses.
        AgentGymError: the world cannot be built in another process; the message says why.
    """

    def __init__(
        self,
        world: str | type[AgentEnv[Any]] | AgentEnv[Any],
        num_envs: int = 1,
        group_size: int = 1,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.DISABLED,
        noise: str = "shared",
        max_episode_steps: int | None = None,
        workers: str | None = None,
        num_workers: int | None = None,
        step_timeout: float | None = None,
        context: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.num_envs, self.group_size = setup.sizes(num_envs, group_size)
        self.autoreset_mode = setup.autoreset(autoreset_mode)
        branches = setup.branches(noise, self.group_size)
        crew = setup.crew(workers, num_workers, step_timeout, context, self.num_envs, self.group_size)
        self._kwargs = setup.world_kwargs(kwargs, max_episode_steps)
        self._spec: EnvSpec | None = None
        first = build(world, self._kwargs)
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}
        self.render_mode = first.render_mode
        self.single_observation_space, self.single_action_space = first.observation_space, first.action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._panel = first.panel
        self._slots = crew(first, self.num_envs, self.group_size, branches, self.autoreset_mode)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.env_id}, num_envs={self.num_envs}, group_size={self.group_size})"

    # ---- Gymnasium -------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[tuple[str, ...], VectorInfos]:
        """Start an episode in every slot, or in those of some groups.

        Args:
            seed: an int: group g gets seed + g; a sequence: one a group, None for the next of the group's own; None:
                the next of each group's own, which its first member's `np_random` draws.
            options: "tasks": task ids, one a group, None where the episode's draws shall pick one; "reset_mask": bool
                array, one a slot; the slots of a group are restarted together.

        Returns:
            The texts of all slots, and the infos of those restarted.

        Raises:
            ValueError, KeyError: a seed, option, task or mask that is none; nothing was reset then.
            WorldError: the members of a group did not start equal. After this and any other error of a world its
                group is not live, the groups before it are restarted, and those after it are as they were; with workers
                all others are restarted.
            WorkerLost: workers died or were late; its `result` holds what came of the other groups.
        """
        self._check_open()
        groups = self.num_envs // self.group_size
        seeds = setup.seeds(seed, groups)
        tasks, chosen = setup.reset_options(options, self._panel, groups, self.group_size)
        begun = self._slots.reset(chosen, seeds, tasks)
        result = tuple(self._slots.texts()), VectorInfos(begun.turns)
        if begun.losses:
            raise self._lost(begun.losses, {}, result) from begun.error
        if begun.error is not None:
            raise begun.error
        return result

    def step(self, actions: Sequence[Any]) -> Stepped:
        """Take one turn in every slot that is given an action.

        Args:
            actions: one a slot: a str or ToolCall, or None to leave the slot alone.

        Returns:
            Texts, rewards (float64), terminations and truncations (bool), infos. A slot that was left alone still has
            its last text, reward 0, no flag, and no info.

        Raises:
            StepAfterEnd: an action for a slot whose episode is over (but for "NextStep") or was never started.
            ValueError, TypeError: too few or many actions, or something else than actions. Nothing was stepped then.
            SlotError: worlds raised; the other slots were stepped, and its `result` holds what came of it.
            WorkerLost: likewise for workers that died or were late.
        """
        taken = self._slots.step(self._given(actions))
        result = (
            tuple(taken.texts), np.array(taken.rewards, np.float64), np.array(taken.terminated, np.bool_),
            np.array(taken.truncated, np.bool_), VectorInfos(taken.turns, taken.finals),
        )  # fmt: skip
        if taken.losses:
            raise self._lost(taken.losses, taken.errors, result)
        if taken.errors:
            raise SlotError(self._told(taken.errors), taken.errors, result) from next(iter(taken.errors.values()))
        return result

    def render(self) -> tuple[str, ...]:
        """Return the last text of every slot, without control characters."""
        return self.call("render")

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of every world, or read an attribute, and return the results.

        Raises:
            ValueError: "reset", "step" or "close", which go through this env's own methods.
        """
        if name in ("reset", "step", "close"):
            raise ValueError(f"call({name!r}) would go past the groups: use {name}() of the vector env")
        return tuple(self._slots.call(name, args, kwargs))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of every world."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of every world: one value for all, or a list or tuple of one a slot."""
        given = values if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(given) != self.num_envs:
            raise ValueError(f"set_attr got {len(given)} values for {self.num_envs} slots: one a slot, or one for all")
        self._slots.assign(name, given)

    def close_extras(self, **kwargs: Any) -> None:
        """Close every world, and end the workers, within five seconds."""
        if hasattr(self, "_slots"):  # older Gymnasiums close what was refused while it was made, too
            self._slots.close()

    # ---- what the slots are in -------------------------------------------------------------------------------------

    @property
    def envs(self) -> list[AgentEnv[Any]]:
        """Return the bare worlds."""
        return self._slots.envs

    @property
    def live(self) -> Flags:
        """Return which slots have an episode under way, as a new bool array."""
        live = np.logical_not(self._slots.over())
        live[[*self._slots.lost]] = False
        return live

    @property
    def incomplete(self) -> Flags:
        """Return the slots of groups whose episodes a lost worker tore, until they are reset, as a new bool array.

        It is the `reset_mask` that restarts them.
        """
        torn = {slot // self.group_size for slot in self._slots.torn}
        return np.array([slot // self.group_size in torn for slot in range(self.num_envs)], np.bool_)

    @property
    def env_id(self) -> str:
        """Return the worlds' registered id, or the class's name where they were built directly."""
        return self._slots.env_id

    @property
    def spec(self) -> EnvSpec | None:
        """Return the spec that `make_vec` made this by; None elsewhere."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        self._spec = spec
        self._slots.label(None if spec is None else setup.single_spec(spec, self._kwargs))

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """Return the worlds' generators of episode seeds; a group's are alike."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """Return the seeds of the worlds' generators."""
        return self.get_attr("np_random_seed")

    # ---- inside ------------------------------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError(f"{self!r} was closed: make a new one")

    def _given(self, actions: Sequence[Any]) -> list[Any]:
        """Return the actions, having checked them all before any slot is stepped."""
        self._check_open()
        given = setup.actions(actions, self.num_envs)
        restarts, slots = self.autoreset_mode is AutoresetMode.NEXT_STEP, self._slots
        for slot, (over, action) in enumerate(zip(slots.over(), given, strict=True)):
            if action is not None:
                if type(action) is not str:
                    setup.check_action(action, slot)
                if (over and not (restarts and slots.begun(slot))) or slot in slots.lost:
                    raise StepAfterEnd(self._not_live(slot))
        return given

    def _not_live(self, slot: int) -> str:
        group = f"group {slot // self.group_size}"
        if slot in self._slots.lost:
            return f"slot {slot} was lost with its worker: restart {group} with a reset_mask, or all with reset()"
        if not self._slots.begun(slot):
            return f"slot {slot} has no episode: call reset(), or restart {group} with a reset_mask"
        return f"the episode of slot {slot} is over ({self._slots.where(slot)}): pass None for it, or restart {group}"

    def _told(self, errors: Mapping[int, Exception]) -> str:
        slot, error = next(iter(errors.items()))
        more = f"; slots {[*errors][1:]} raised too" if len(errors) > 1 else ""
        return (
            f"slot {slot} raised {error!r} in {self.env_id}, {self._slots.where(slot)}{more}; the other slots were "
            "stepped: see .result"
        )

    def _lost(self, losses: Sequence[Loss], errors: Mapping[int, Exception], result: Any) -> WorkerLost:
        return lost(losses, self.env_id, self.group_size, errors, result)


def __getattr__(name: str) -> Any:
    """Resolve "package.module.Class", the attribute that a vector entry point names, to what makes its vectors."""
    module, _, world = name.rpartition(".")
    if not module:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return partial(GroupVectorEnv, getattr(import_module(module), world))
