"""What a GroupVectorEnv raises when worlds raise, or when the workers that step them die or hang."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentgym._vector_slots import Loss
from agentgym.errors import AgentGymError


class SlotError(AgentGymError):
    """Worlds raised while a GroupVectorEnv was stepped; every slot that is not named was stepped all the same.

    Attributes:
        errors: what was raised, by slot; the first is also the cause.
        result: what `step` would have returned, with the failed slots left alone, so that nothing is lost. A failed
            slot is as it was before the step: it can be given an action again, or its group be reset. Only where the
            restart of "SameStep" failed, the step that ended the episode is in the result, and the slot is not live.
    """

    def __init__(self, message: str, errors: Mapping[int, Exception], result: Any) -> None:
        super().__init__(message)
        self.errors = errors
        self.result = result

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.errors, self.result)


class WorkerLost(SlotError):
    """Workers of a GroupVectorEnv died, or gave no answer in time; the slots of all others were stepped or reset.

    The slots that a lost worker had are not live until their groups are reset, which gives them a new worker with new
    worlds. Groups whose episodes it tore are marked in `envs.incomplete`, which is the mask to reset them by.

    Attributes:
        workers: the numbers of the workers that were lost.
        slots: the slots that were lost with them. What they did last is not known, and in no result.
        errors: what worlds raised in other slots, by slot.
        result: what `step` or `reset` would have returned, with these slots left alone.
    """

    def __init__(
        self, message: str, errors: Mapping[int, Exception], result: Any, workers: Sequence[int], slots: Sequence[int]
    ) -> None:
        super().__init__(message, errors, result)
        self.workers = tuple(workers)
        self.slots = tuple(slots)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.errors, self.result, self.workers, self.slots)


def lost(
    losses: Sequence[Loss], env_id: str, group_size: int, errors: Mapping[int, Exception], result: Any
) -> WorkerLost:
    """Return the error that names every lost worker, and where its slots were."""
    torn = sorted({slot // group_size for loss in losses for slot in loss.places})
    told = "; ".join(f"{_name(loss)} {loss.what} in {env_id}{_places(loss.places)}" for loss in losses)
    groups = f"group {torn[0]} is incomplete" if len(torn) == 1 else f"groups {torn} are incomplete"
    how = f"{groups}: restart with reset(options={{'reset_mask': envs.incomplete}})"
    how = how if torn else "no episode was under way: reset starts new workers"
    raised = f"; slots {[*errors]} raised too" if errors else ""
    return WorkerLost(
        f"{told}; {how}{raised}; what the other slots did is in .result",
        errors, result, sorted({loss.worker for loss in losses if loss.worker >= 0}),
        sorted(slot for loss in losses for slot in loss.slots),
    )  # fmt: skip


def _name(loss: Loss) -> str:
    return f"worker {loss.worker}" if loss.worker >= 0 else "a worker"


def _places(places: Mapping[int, str]) -> str:
    shown = [f", slot {slot} ({where})" for slot, where in [*places.items()][:4]]
    return "".join(shown) + (f" and {len(places) - 4} more" if len(places) > 4 else "")
