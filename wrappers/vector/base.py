"""What the vector wrappers share: what happened to each slot in a reset or a step, whatever restarts the slots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import VectorEnv, VectorWrapper
from numpy.typing import NDArray

from agentgym.vector import GroupVectorEnv, SlotError
from agentgym.wrappers.episode import Episode
from agentgym.wrappers.vector.slots import rows_of

Bools = NDArray[np.bool_]
Stepped = tuple[Any, NDArray[np.float64], Bools, Bools, dict[str, Any]]
Info = Mapping[str, Any]


def ask(env: VectorEnv[Any, Any, Any], name: str) -> Any:
    """Return an attribute of the vector's worlds, or what a method of that name returns; that of the first slot.

    Raises:
        TypeError: they are no worlds of agentgym's contract.
    """
    try:
        return env.unwrapped.call(name)[0]  # type: ignore[attr-defined]  # Gymnasium's vectors have it, their base not
    except AttributeError as error:
        raise TypeError(
            f"the worlds of {env} have no {name!r}: these wrappers are for worlds of agentgym's contract (AgentEnv)"
        ) from error


if TYPE_CHECKING:
    _Wrapper = VectorWrapper[Any, Any, Any, Any, Any]
else:
    _Wrapper = VectorWrapper  # the oldest Gymnasium that we support cannot subscript it


class SlotWrapper(_Wrapper, RecordConstructorArgs):
    """Tells a subclass what happened to each slot: an episode began, a turn was taken, the episode ended with it.

    What happened shows in the infos alone, so every autoreset mode is read the same way: a slot without an info was
    left alone, an info of turn 0 is a start, any other is a turn; under "SameStep" the turn's info is the final one.
    """

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        VectorWrapper.__init__(self, env)
        ask(env, "signals")  # refuses other worlds

    @property
    def live(self) -> Bools:
        """Which slots have an episode under way, from the vector below; Gymnasium's own have no such mask."""
        mask: Bools = self.env.live  # type: ignore[attr-defined]
        return mask

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start episodes, as the vector below does."""
        masked = (options or {}).get("reset_mask") is not None  # Gymnasium's vectors take the mask out
        observations, infos = self.env.reset(seed=seed, options=options)
        rows, _ = rows_of(infos, self.num_envs, ended=False)
        begun = [(slot, row) for slot, row in enumerate(rows) if row is not None]
        own = isinstance(self.env.unwrapped, GroupVectorEnv)
        self._restart([slot for slot, _ in begun], own or not masked or seed is not None)
        for slot, row in begun:
            self._begin(slot, observations[slot], row)
        return observations, infos

    def step(self, actions: Any) -> Stepped:
        """Take one turn in every slot that gets an action; see the class for what is added.

        Raises:
            SlotError: worlds of a GroupVectorEnv raised; what the other slots did counts, here as there.
        """
        try:
            result: Any = self.env.step(actions)
        except SlotError as error:
            result = self._read(actions, error.result)
            error.result = result
            raise
        return self._read(actions, result)

    def _read(self, actions: Any, result: Stepped) -> Stepped:
        observations, _, terminated, truncated, infos = result
        rows, finals = rows_of(infos, self.num_envs, bool(terminated.any() or truncated.any()))
        failure: Exception | None = None
        for slot, (row, final) in enumerate(zip(rows, finals, strict=True)):
            last = row if final is None else final
            if last is None:
                continue
            try:
                if last["turn"]:
                    flags = bool(terminated[slot]), bool(truncated[slot])
                    self._turn(slot, actions[slot], observations[slot], last, flags)
                if row is not None and not row["turn"]:
                    self._begin(slot, observations[slot], row)
            except Exception as error:  # noqa: BLE001 — raised below, when the other slots have been read
                failure = failure or error
        if failure is not None:
            raise failure
        return self._made(result)

    def _restart(self, slots: Sequence[int], anew: bool) -> None:
        """Do what is due when the caller resets some slots; `anew`: groups that are reset whole begin anew."""

    def _begin(self, slot: int, observation: str, info: Info) -> None:
        """Do what is due when an episode begins."""

    def _turn(self, slot: int, action: Any, observation: str, info: Info, flags: tuple[bool, bool]) -> None:
        """Do what is due after a turn, the last one of an episode where a flag is set."""

    def _made(self, result: Stepped) -> Stepped:
        """Return what `step` returns."""
        return result


class EpisodeSlots(SlotWrapper):
    """Follows the episode of every slot; a subclass says what happens when one has finished."""

    def __init__(self, env: VectorEnv[Any, Any, Any]) -> None:
        super().__init__(env)
        self._episodes: list[Episode | None] = [None] * self.num_envs
        self._started = 0

    def _begin(self, slot: int, observation: str, info: Info) -> None:
        self._episodes[slot] = Episode.begin(observation, info, self._started)
        self._started += 1

    def _turn(self, slot: int, action: Any, observation: str, info: Info, flags: tuple[bool, bool]) -> None:
        episode = self._episodes[slot]
        if episode is None:
            raise RuntimeError(
                f"slot {slot} took a turn in an episode that {type(self).__name__} has not seen the start of: call its "
                "reset() first"
            )
        episode.take(action, observation, info, flags)
        if any(flags):
            self._episodes[slot] = None
            self._finished(slot, episode)

    def _finished(self, slot: int, episode: Episode) -> None:
        """Do what is due when an episode has finished."""
        raise NotImplementedError
