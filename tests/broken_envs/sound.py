"""Sound worlds that keep every rule of the checker; the broken ones beside them change one thing each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from agentgym import (
    AgentEnv,
    EndReason,
    InvalidAction,
    Opening,
    Outcome,
    RewardSpec,
    Task,
    TaskPanel,
    Turn,
    TurnRng,
    tool,
)


@dataclass(frozen=True)
class Safe:
    """A locked safe: its code, whether the note was read, noises heard so far, tries left."""

    code: str
    read: bool = False
    clicks: int = 0
    tries: int = 2


SAFES = TaskPanel(
    "safes",
    {"train": [Task(f"digits-{n}", {"digits": n}) for n in (4, 5, 6)], "test": [Task("digits-7", {"digits": 7})]},
)


class Sound(AgentEnv[Safe]):
    """Read the note, dial the code; every hook is there, and listening draws."""

    panel: ClassVar[Any] = SAFES
    max_turns = 6
    rewards = RewardSpec({"note": 0.5, "noise": -0.25}, invalid=-0.125)

    def initial(self, task: Task, rng: TurnRng) -> Opening[Safe]:
        code = "".join(str(rng.integers(10)) for _ in range(task.data["digits"]))
        return Opening(Safe(code), "A safe, a note.", "Say read, listen, wait or dial and the code.")

    def transition(self, state: Safe, action: Any, rng: TurnRng) -> Turn[Safe]:
        word, _, number = action.text.partition(" ")
        if word == "dial" and number:
            return self.dial(state, number)
        if action.text == "wait":
            return Turn(state, "You wait.")
        if action.text == "listen":
            after = replace(state, clicks=(state.clicks + rng.integers(1, 4)) % 7)
            return Turn(after, f"You have heard {after.clicks} clicks.", {"noise": 1.0})
        if action.text == "read":
            paid = {"note": 0.0 if state.read else 1.0}
            return Turn(replace(state, read=True), f"The note says {state.code}.", paid)
        raise InvalidAction("Say read, listen, wait or dial and the code.")

    def dial(self, state: Safe, number: str) -> Turn[Safe]:
        if number == state.code:
            return Turn(state, "It opens.", outcome=Outcome(True, 1.0))
        after = replace(state, tries=state.tries - 1)
        return Turn(after, "It stays shut.", outcome=None if after.tries else Outcome(False, 0.0, EndReason.FAILED))

    def menu(self, state: Safe) -> list[str]:
        others = [f"{(int(state.code) + step) % 10 ** len(state.code):0{len(state.code)}d}" for step in (1, 20)]
        return ["read", "listen", "wait", *(f"dial {code}" for code in (state.code, *others))]

    def expert(self, state: Safe) -> str:
        return f"dial {state.code}" if state.read else "read"

    def potential(self, state: Safe) -> float:
        return -1.0 if state.read else -2.0

    def describe(self, state: Safe) -> str:
        return f"The note says {state.code}." if state.read else "You have not read the note."

    def anchor(self, state: Safe) -> Any:
        return state if state.read else replace(state, code="")

    def secrets(self, state: Safe) -> Any:
        return {"code": state.code}


@dataclass(frozen=True)
class Shelf:
    """What a shelf holds."""

    wanted: str
    taken: tuple[str, ...] = ()


class SoundTools(AgentEnv[Shelf]):
    """Take the wanted thing from a shelf, by tools; no hooks but the expert and the menu."""

    panel: ClassVar[Any] = tuple(Task(thing, {"thing": thing}) for thing in ("lamp", "rope"))
    max_turns = 5
    rewards = RewardSpec({"taken": 0.25})

    def initial(self, task: Task, rng: TurnRng) -> Opening[Shelf]:
        return Opening(Shelf(task.data["thing"]), f"Bring the {task.data['thing']}.", "Use the tools.")

    @tool
    def take(self, state: Shelf, rng: TurnRng, *, thing: str) -> Turn[Shelf]:
        """Take something.

        Args:
            thing: what to take.
        """
        if thing not in ("lamp", "rope", "book") or thing in state.taken:
            raise InvalidAction("there are a lamp, a rope and a book, each once")
        return Turn(replace(state, taken=(*state.taken, thing)), "Taken.", {"taken": 1.0})

    @tool
    def leave(self, state: Shelf, rng: TurnRng, *, loudly: bool = False) -> Turn[Shelf]:
        """Leave with what was taken."""
        won = state.taken == (state.wanted,)
        end = Outcome(won, float(won), EndReason.SOLVED if won else EndReason.GAVE_UP)
        return Turn(state, "Goodbye!" if loudly else "Goodbye.", outcome=end)

    def menu(self, state: Shelf) -> list[str]:
        left = [thing for thing in ("lamp", "rope", "book") if thing not in state.taken]
        return [f"<take>{thing}</take>" for thing in left] + ["<leave></leave>"]

    def expert(self, state: Shelf) -> str:
        return "<leave></leave>" if state.taken else f"<take>{state.wanted}</take>"


SOUND: tuple[type[AgentEnv[Any]], ...] = (Sound, SoundTools)
"""Worlds that pass everything."""
