"""Slots: the worlds of a GroupVectorEnv, or of one of its workers, stepped one after another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

from agentgym._vector_groups import Groups
from agentgym.env import AgentEnv
from agentgym.turn import TurnInfo

Final: TypeAlias = "tuple[str, TurnInfo]"
Played: TypeAlias = "tuple[str, float, bool, bool, TurnInfo | None, Final | None, bool, BaseException | None]"
"""What came of one slot's action: text, reward, terminated, truncated, info, the end of an episode that was restarted
at once, whether an episode began, and what the world raised."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What became of slots whose worker died or hung.

    Attributes:
        worker: its number; -1: none had begun.
        what: happened to it.
        places: where those of its slots were that had an episode under way, in words.
        slots: all of its slots.
    """

    worker: int
    what: str
    places: Mapping[int, str]
    slots: Sequence[int]


@dataclass(slots=True)
class Taken:
    """What came of a step, one value a slot, and by slot what worlds raised; `losses` are of workers."""

    texts: list[str]
    rewards: list[float]
    terminated: list[bool]
    truncated: list[bool]
    turns: list[TurnInfo | None]
    finals: dict[int, Final] = field(default_factory=dict)
    errors: dict[int, Exception] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)


@dataclass(slots=True)
class Begun:
    """What came of a reset, the infos one a slot; `error` is the first that a world raised."""

    turns: list[TurnInfo | None]
    error: BaseException | None = None
    losses: list[Loss] = field(default_factory=list)


class Slots:
    """The worlds of all slots; those of a step are stepped one after another in the calling thread.

    Args:
        first: one world; the others are copies of it.
        num: slots.
        size: slots of a group.
        branches: the branch of each member's draws.
        mode: what happens to a slot whose episode ended.
        offset: number of the first slot among all of the vector's, for what errors say.

    Attributes:
        envs: the bare worlds.
        lost: slots whose worker died or hung, until their group is reset.
        torn: those of them whose episode was under way.
    """

    def __init__(
        self,
        first: AgentEnv[Any],
        num: int,
        size: int,
        branches: Sequence[int],
        mode: AutoresetMode,
        offset: int = 0,
    ) -> None:
        self.envs: list[AgentEnv[Any]] = [first, *(first.copy() for _ in range(1, num))]
        self.groups = Groups(self.envs, size, branches, offset)
        self.lost: set[int] = set()
        self.torn: set[int] = set()
        self._same_step = mode is AutoresetMode.SAME_STEP

    # ---- what slots do -----------------------------------------------------------------------------------------------

    def reset(self, chosen: Sequence[int], seeds: Sequence[int | None], tasks: Sequence[str | None]) -> Begun:
        """Start groups; where one fails, those after it are left alone. Never raises an Exception."""
        turns: list[TurnInfo | None] = [None] * len(self.envs)
        try:
            for group in chosen:
                for slot, info in self.groups.start(group, seeds[group], tasks[group]):
                    turns[slot] = info
        except Exception as error:  # noqa: BLE001 — the vector raises it
            return Begun(turns, error)
        return Begun(turns)

    def step(self, given: Sequence[Any]) -> Taken:
        """Take one turn in every slot that is given an action."""
        taken = self.left_alone()
        for slot, action in enumerate(given):
            if action is not None:
                self.keep(taken, slot, self.play(slot, action))
        return taken

    def play(self, slot: int, action: Any) -> Played:
        """Take one turn in a slot, and restart it where that is due; touches no other slot."""
        env = self.envs[slot]
        text, reward, terminated, truncated = "", 0.0, False, False
        info: TurnInfo | None = None
        final: Final | None = None
        began = False
        try:
            if env._over:
                text, info = self.groups.draw(slot)
                began = True
            else:
                text, reward, terminated, truncated, info = env.step(action)
                if self._same_step and (terminated or truncated):
                    last = text, info
                    text, info = self.groups.draw(slot)
                    final, began = last, True
        except Exception as error:  # noqa: BLE001 — raised by the vector, when the other slots are done
            return text, reward, terminated, truncated, info, None, False, error
        return text, reward, terminated, truncated, info, final, began, None

    def left_alone(self) -> Taken:
        """Return what a step does that gives no slot an action."""
        num = len(self.envs)
        return Taken(self.texts(), [0.0] * num, [False] * num, [False] * num, [None] * num)

    def keep(self, taken: Taken, slot: int, played: Played) -> None:
        """Add what came of a slot's action; in the order of the slots."""
        text, reward, terminated, truncated, info, final, began, error = played
        if began and info is not None:
            try:
                self.groups.settle(slot, info)
                if final is not None:
                    taken.finals[slot] = final
            except Exception as unequal:  # noqa: BLE001 — as above
                error = unequal
                text, info = final or ("", None)
        if error is not None:
            error.add_note(self.groups.place(slot))
            taken.errors[slot] = error  # type: ignore[assignment]
        if info is not None:
            taken.texts[slot], taken.turns[slot] = text, info
            taken.rewards[slot], taken.terminated[slot], taken.truncated[slot] = reward, terminated, truncated

    # ---- what slots are in -------------------------------------------------------------------------------------------

    @property
    def env_id(self) -> str:
        """Return the id of the worlds."""
        return self.envs[0].env_id

    def texts(self) -> list[str]:
        """Return the last text of every slot."""
        return [env._observation for env in self.envs]

    def over(self) -> list[bool]:
        """Return which slots have no episode under way."""
        return [env._over for env in self.envs]

    def begun(self, slot: int) -> bool:
        """Return whether a slot has or had an episode."""
        return self.envs[slot]._task is not None

    def where(self, slot: int) -> str:
        """Return task, seed and turn of a slot in words."""
        return self.groups.where(slot)

    # ---- the rest ----------------------------------------------------------------------------------------------------

    def call(self, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> list[Any]:
        """Call a method of every world, or read an attribute."""
        found = [env.get_wrapper_attr(name) for env in self.envs]
        return [value(*args, **(kwargs or {})) if callable(value) else value for value in found]

    def assign(self, name: str, values: Sequence[Any]) -> None:
        """Set an attribute of every world, one value a slot."""
        for env, value in zip(self.envs, values, strict=True):
            env.set_wrapper_attr(name, value)

    def label(self, spec: EnvSpec | None) -> None:
        """Tell every world the spec that it was made by."""
        for env in self.envs:
            env.spec = spec

    def close(self) -> None:
        """Close every world."""
        for env in self.envs:
            env.close()
