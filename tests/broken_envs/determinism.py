"""Worlds whose turns depend on, or change, something besides state, action and draws."""

from __future__ import annotations

import json
import os
import random
import time
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

import numpy as np
from broken_envs.sound import Safe, Sound

from agentgym import AgentEnv, InvalidAction, Opening, Outcome, Table, Task, Turn, TurnRng


class Corridor(AgentEnv[int]):
    """Walk thirty-five steps; long enough for what comes late. Sound itself."""

    panel: ClassVar[Any] = (Task("corridor"), Task("hall"))
    max_turns = 50

    def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
        return Opening(0, "Say on or wait.")

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        if action.text not in ("on", "wait"):
            raise InvalidAction("Say on or wait.")
        if action.text == "wait":
            return Turn(state, "You wait.")
        return Turn(state + 1, f"At {state + 1}.", outcome=Outcome(True, 1.0) if state == 34 else None)

    def expert(self, state: int) -> str:
        return "on"


class Heard(Sound):
    """Sound, with something else in what is heard; a base of others."""

    def transition(self, state: Safe, action: Any, rng: TurnRng) -> Turn[Safe]:
        turn = super().transition(state, action, rng)
        if action.text == "listen":
            turn.observation += f" {self.noise(rng)}"
        return turn

    def noise(self, rng: TurnRng) -> Any:
        return ""


# ---- global generators -----------------------------------------------------------------------------------------------


class RandomLate(Corridor):
    """Draws from `random`, from turn 29 on."""

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        turn = super().transition(state, action, rng)
        if rng.turn >= 28:
            turn.observation += f" {random.random()}"
        return turn


class SeedsNumpy(Heard):
    """Seeds numpy's global generator before it draws, so that results are equal but everyone else's are not."""

    def noise(self, rng: TurnRng) -> Any:
        np.random.seed(rng.integers(1000))  # noqa: NPY002
        return np.random.random()  # noqa: NPY002


class ReadsRandom(Heard):
    """Reads the state of `random` and leaves it as it is."""

    def noise(self, rng: TurnRng) -> Any:
        return random.getstate()[1][1]


# ---- clock -----------------------------------------------------------------------------------------------------------


class TellsTheTime(Heard):
    """Shows seconds."""

    def noise(self, rng: TurnRng) -> Any:
        return time.time()


class TellsTheYear(Heard):
    """Shows the year, from a class imported by name."""

    def noise(self, rng: TurnRng) -> Any:
        return datetime.now().year  # noqa: DTZ005


# ---- same again ------------------------------------------------------------------------------------------------------


class Entropy(Heard):
    """Draws from the machine, from turn 2 on."""

    def noise(self, rng: TurnRng) -> Any:
        return os.urandom(8).hex() if rng.turn else ""


class EntropyLate(Corridor):
    """Draws from the machine, from turn 29 on."""

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        turn = super().transition(state, action, rng)
        if rng.turn >= 28:
            turn.observation += os.urandom(8).hex()
        return turn


class RandomInfo(Sound):
    """Its numbers for logs are random."""

    def transition(self, state: Safe, action: Any, rng: TurnRng) -> Turn[Safe]:
        turn = super().transition(state, action, rng)
        turn.metrics = {"load": int.from_bytes(os.urandom(4))}
        return turn


class RandomHash(Sound):
    """The hashes of some states are random."""

    def canonical(self, state: Safe) -> Any:
        return state, os.urandom(8) if state.read else b""


class CountsForAll(Heard):
    """Counts at the class."""

    count = 0

    def noise(self, rng: TurnRng) -> Any:
        CountsForAll.count += 1
        return self.count


class LatestEpisode(Heard):
    """Keeps the episode at the class, which goes well until two are played at once."""

    code = ""

    def initial(self, task: Task, rng: TurnRng) -> Opening[Safe]:
        opening = super().initial(task, rng)
        LatestEpisode.code = opening.state.code
        return opening

    def noise(self, rng: TurnRng) -> Any:
        return LatestEpisode.code


# ---- reset -----------------------------------------------------------------------------------------------------------


class StaysOpen(Sound):
    """Once a safe was opened, those of later episodes begin with the note read."""

    opened = False

    def initial(self, task: Task, rng: TurnRng) -> Opening[Safe]:
        opening = super().initial(task, rng)
        return replace(opening, state=replace(opening.state, read=self.opened))

    def dial(self, state: Safe, number: str) -> Turn[Safe]:
        self.opened = self.opened or number == state.code
        return super().dial(state, number)


class SeedsOfItsOwn(Sound):
    """Draws the seed of an episode that names none from the machine."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return super().reset(seed=int.from_bytes(os.urandom(4)) if seed is None else seed, options=options)


# ---- pure transition -------------------------------------------------------------------------------------------------


@dataclass
class Pad:
    """What was written; changes in place."""

    words: list[str]


class InPlace(AgentEnv[Pad]):
    """Changes its state in place and says so nowhere."""

    panel: ClassVar[Any] = (Task("pad"),)
    max_turns = 5

    def initial(self, task: Task, rng: TurnRng) -> Opening[Pad]:
        return Opening(Pad([]), "Write a, then b.")

    def transition(self, state: Pad, action: Any, rng: TurnRng) -> Turn[Pad]:
        if action.text not in ("a", "b"):
            raise InvalidAction("Write a or b.")
        state.words.append(action.text)
        won = Outcome(True, 1.0) if state.words == ["a", "b"] else None
        return Turn(replace(state), f"{len(state.words)} words.", outcome=won)

    def menu(self, state: Pad) -> list[str]:
        return ["a", "b"]


class ShallowCopy(InPlace):
    """Copies the state, but not the list in it."""

    def copy_state(self, state: Pad) -> Pad:
        return replace(state)


class HiddenCount(Heard):
    """Counts what was heard in an attribute, which the state knows nothing of."""

    def initial(self, task: Task, rng: TurnRng) -> Opening[Safe]:
        self.heard = 0
        return super().initial(task, rng)

    def noise(self, rng: TurnRng) -> Any:
        self.heard = getattr(self, "heard", 0) + 1
        return self.heard


# ---- caller's changes ------------------------------------------------------------------------------------------------


class OwnMenu(Sound):
    """Hands out the menu that it keeps."""

    def menu(self, state: Safe) -> list[str]:
        menus: dict[Safe, list[str]] = vars(self).setdefault("menus", {})
        return menus.setdefault(state, super().menu(state))


# ---- state hash ------------------------------------------------------------------------------------------------------


class TurnInHash(Sound):
    """Hashes the turn counter too."""

    def canonical(self, state: Safe) -> Any:
        return state, self._turn


@dataclass(frozen=True)
class Sheet:
    """What was written where."""

    cells: dict[str, int]


class DictOrder(AgentEnv[Sheet]):
    """Hashes a dict in the order in which it was filled."""

    panel: ClassVar[Any] = (Task("sheet"),)
    max_turns = 5

    def initial(self, task: Task, rng: TurnRng) -> Opening[Sheet]:
        return Opening(Sheet({}), "Fill a, b, c and d.")

    def transition(self, state: Sheet, action: Any, rng: TurnRng) -> Turn[Sheet]:
        if action.text not in ("a", "b", "c", "d"):
            raise InvalidAction("Write a, b, c or d.")
        cells = {**state.cells, action.text: 1}
        return Turn(Sheet(cells), "Filled.", outcome=Outcome(True, 1.0) if len(cells) == 4 else None)

    def menu(self, state: Sheet) -> list[str]:
        return ["a", "b", "c", "d"]

    def canonical(self, state: Sheet) -> Any:
        return json.dumps(state.cells)


@dataclass(frozen=True)
class Store:
    """What there is."""

    stock: Table[str, dict[str, int]]


class StaleTable(AgentEnv[Store]):
    """Changes a record after it was put into the table."""

    panel: ClassVar[Any] = (Task("store"),)
    max_turns = 5

    def initial(self, task: Task, rng: TurnRng) -> Opening[Store]:
        return Opening(Store(Table({"pear": {"count": 3}})), "Sell three pears.")

    def transition(self, state: Store, action: Any, rng: TurnRng) -> Turn[Store]:
        if action.text != "sell":
            raise InvalidAction("Say sell.")
        record = dict(state.stock["pear"])
        stock = state.stock.set("pear", record)
        record["count"] -= 1
        won = Outcome(True, 1.0) if not record["count"] else None
        return Turn(Store(stock), f"{record['count']} left.", outcome=won)

    def menu(self, state: Store) -> list[str]:
        return ["sell"]

    def pack(self, state: Store) -> Any:
        return dict(state.stock)

    def unpack(self, value: Any) -> Store:
        return Store(Table(value))


class OneOrTrue(Sound):
    """Whether the note was read is sometimes True and sometimes 1."""

    def transition(self, state: Safe, action: Any, rng: TurnRng) -> Turn[Safe]:
        turn = super().transition(state, action, rng)
        if action.text == "read" and state.clicks:
            turn.state = replace(turn.state, read=1)
        if action.text == "listen" and state.read:
            turn.state = replace(turn.state, read=True)
        return turn


# ---- equal futures, hooks and hash -----------------------------------------------------------------------------------


class ForgetsTries(Sound):
    """Leaves the tries out of the hash."""

    def canonical(self, state: Safe) -> Any:
        return replace(state, tries=0)


class ForgetsTheCode(Sound):
    """Leaves the code out of the hash, which is the same all through an episode and differs between starts."""

    def canonical(self, state: Safe) -> Any:
        return replace(state, code="")


@dataclass(frozen=True)
class Marked(Safe):
    """A safe that bears a mark, which opens nothing."""

    mark: str = ""


class Scratched(Sound):
    """Every try leaves a mark that is not hashed, since nothing follows from it; sound, and a base of others."""

    def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
        opening = super().initial(task, rng)
        return replace(opening, state=Marked(opening.state.code))

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        turn = super().transition(state, action, rng)
        if action.text in ("listen", "read"):
            turn.state = replace(turn.state, mark=action.text)
        return turn

    def canonical(self, state: Any) -> Any:
        return replace(state, mark="")

    def anchor(self, state: Any) -> Any:
        return super().anchor(self.canonical(state))


class DescribesMore(Scratched):
    """Describes what is not hashed."""

    def describe(self, state: Any) -> str:
        return super().describe(state) + state.mark


class TellsTheOwner(Sound):
    """Whose safe it is decides nothing and is not hashed, but stands among the secrets."""

    def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
        opening = super().initial(task, rng)
        code = "1357913"[: len(opening.state.code)]  # the same at every start of a task
        return replace(opening, state=Marked(code, mark=rng.choice(("Ada Byron", "Mary Jane"))))

    def canonical(self, state: Any) -> Any:
        return replace(state, mark="")

    def anchor(self, state: Any) -> Any:
        return super().anchor(self.canonical(state))

    def secrets(self, state: Any) -> Any:
        return {"code": state.code, "owner": state.mark}


class BlurredAnchor(Sound):
    """Its anchor is the same whether the note was read or not."""

    def anchor(self, state: Safe) -> Any:
        return len(state.code)


BROKEN: dict[str, list[type[AgentEnv[Any]]]] = {
    "generators": [RandomLate, SeedsNumpy, ReadsRandom],
    "clock": [TellsTheTime, TellsTheYear],
    "deterministic": [Entropy, EntropyLate, RandomInfo, RandomHash, CountsForAll, LatestEpisode],
    "reset": [StaysOpen],
    "unseeded": [SeedsOfItsOwn],
    "pure": [InPlace, ShallowCopy, HiddenCount],
    "callers": [OwnMenu],
    "signals": [TurnInHash],
    "hash": [DictOrder, StaleTable, OneOrTrue],
    "futures": [ForgetsTries, ForgetsTheCode],
    "hooks": [DescribesMore, TellsTheOwner, BlurredAnchor],
}
"""Rule → worlds that break it."""
