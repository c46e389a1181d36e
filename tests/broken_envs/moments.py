"""Worlds whose moments cannot be kept, moved or split, and worlds that score what they should not."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import worlds
from broken_envs.determinism import Heard, Scratched
from broken_envs.sound import Safe, Sound

from agentgym import AgentEnv, EndReason, Opening, Outcome, Snapshot, Task, Turn, TurnRng
from agentgym.digest import state_hash

# ---- snapshot --------------------------------------------------------------------------------------------------------


class ForgetsWhatWasSaid(Sound):
    """A signal of its own depends on the turn before, which restore forgets."""

    extra_signals = ("subgoal",)
    said = ""

    def apply(self, state: Safe, action: Any, rng: TurnRng) -> Any:
        turn, valid, parsed = super().apply(state, action, rng)
        if "subgoal" in self.signals:
            turn.subgoal = f"after {self.said}"
        return turn, valid, parsed

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.said = ""
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> Any:
        moment = super().step(action)
        self.said = moment[-1]["action"][:40]
        return moment


class TakesAnything(Sound):
    """Restores snapshots of other worlds."""

    def restore(self, snapshot: Any, *, branch: int | None = None) -> Any:
        if isinstance(snapshot, Snapshot):
            snapshot = replace(snapshot, world=self.env_id)
        return super().restore(snapshot, branch=branch)


# ---- snapshot bytes --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Guarded(Safe):
    """A safe with someone beside it."""

    guest: worlds.Guest = field(default_factory=worlds.Guest)


class ClassFromElsewhere(Sound):
    """Its state holds an object of a class that only another module knows."""

    def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
        opening = super().initial(task, rng)
        return replace(opening, state=Guarded(opening.state.code))


class LosesClicks(Sound):
    """Unpacks less than it packed."""

    def unpack(self, value: Any) -> Safe:
        return replace(value, clicks=0)


class LosesTheMark(Scratched):
    """Unpacks less than it packed, though nothing follows from what is missing."""

    def unpack(self, value: Any) -> Any:
        return replace(value, mark="")


# ---- fork, branches --------------------------------------------------------------------------------------------------


class SharedTrail(Sound):
    """A signal of its own is kept in a list that forks share."""

    extra_signals = ("subgoal",)

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.trail: list[str] = []

    def apply(self, state: Safe, action: Any, rng: TurnRng) -> Any:
        turn, valid, parsed = super().apply(state, action, rng)
        if "subgoal" in self.signals:
            self.trail.append(str(valid))
            turn.subgoal = " ".join(self.trail)
        return turn, valid, parsed

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.trail = []
        return super().reset(seed=seed, options=options)

    def restore(self, snapshot: Any, *, branch: int | None = None) -> Any:
        moment = super().restore(snapshot, branch=branch)
        self.trail = moment[1].get("subgoal", "").split()
        return moment


class OwnDraws(Sound):
    """Draws from a generator that it makes from the seed."""

    def transition(self, state: Safe, action: Any, rng: TurnRng) -> Turn[Safe]:
        return super().transition(state, action, TurnRng(rng.seed, 0, rng.turn))


# ---- fresh processes -------------------------------------------------------------------------------------------------


class TasksFromASet(Sound):
    """Lists its tasks in the order of a set."""

    panel: ClassVar[Any] = tuple(Task(name, {"digits": 4}) for name in {"a", "b", "c", "d", "e", "f", "g", "h"})


class HashOfText(Heard):
    """Shows a hash that differs between processes."""

    def noise(self, rng: TurnRng) -> Any:
        return hash("noise")


class MenuFromASet(Sound):
    """Lists its menu in the order of a set."""

    def menu(self, state: Safe) -> list[str]:
        return list(set(super().menu(state)))


KEPT: dict[str, Safe] = {}


class PacksAPointer(Sound):
    """Its snapshots hold the name of what this process remembers."""

    def pack(self, state: Safe) -> Any:
        name = state_hash(state)
        KEPT[name] = state
        return name

    def unpack(self, value: Any) -> Safe:
        return KEPT[value]


# ---- no-op, expert ---------------------------------------------------------------------------------------------------


class LateSuccess(Sound):
    """Whoever waits long enough has succeeded."""

    def timeout(self, state: Safe) -> Outcome:
        return Outcome(True, 0.0)


class PaysAttendance(Sound):
    """Pays a little for being there."""

    def timeout(self, state: Safe) -> Outcome:
        return Outcome(False, 0.25, EndReason.TURN_LIMIT)


class LostExpert(Sound):
    """Its expert reads for ever."""

    def expert(self, state: Safe) -> str:
        return "read"


class ClumsyExpert(Sound):
    """Its expert says what cannot be done."""

    def expert(self, state: Safe) -> str:
        return "open it" if state.read else "read"


class UnpaidExpert(Sound):
    """Success pays nothing."""

    def dial(self, state: Safe, number: str) -> Turn[Safe]:
        turn = super().dial(state, number)
        if turn.outcome is not None:
            turn.outcome.reward = 0.0
        return turn


BROKEN: dict[str, list[type[AgentEnv[Any]]]] = {
    "snapshot": [ForgetsWhatWasSaid, TakesAnything],
    "bytes": [ClassFromElsewhere, LosesClicks, LosesTheMark],
    "fork": [SharedTrail],
    "branches": [OwnDraws],
    "panel": [TasksFromASet],
    "processes": [HashOfText, MenuFromASet],
    "elsewhere": [PacksAPointer],
    "noop": [LateSuccess, PaysAttendance],
    "expert": [LostExpert, ClumsyExpert, UnpaidExpert],
}
"""Rule → worlds that break it."""
