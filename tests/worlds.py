"""Small worlds that the tests play in; each shows one side of the contract."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar, Literal

from calendar_world import Calendar
from complaint_world import Complaint

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
    register,
    tool,
)
from agentgym.table import Table

__all__ = ["WORLDS", "Calendar", "Complaint", "Counter", "Dice", "Ledger", "Shop", "Talk", "chain", "play", "script"]


class Counter(AgentEnv[int]):
    """Reach a number by up and down; no draws; every hook is there."""

    panel: ClassVar[Any] = TaskPanel(
        "numbers",
        {"train": [Task("two", {"goal": 2}), Task("minus", {"goal": -1})], "test": [Task("three", {"goal": 3})]},
    )
    max_turns = 5
    rewards = RewardSpec({"progress": 1.0, "stay": -0.5})

    def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
        return Opening((0, task.data["goal"]), f"At 0. Reach {task.data['goal']}.", "Say up, down or stay.")

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        place, goal = state
        if action.text == "stay":
            return Turn(state, "You stay.", {"stay": 1}, tag="duplicate")
        if action.text == "quit":
            return Turn(state, "You leave.", outcome=Outcome(False, 0.0, EndReason.GAVE_UP, "by choice"))
        if action.text not in ("up", "down"):
            raise InvalidAction(f"unknown word {action.text[:20]!a}; say up, down or stay")
        place += 1 if action.text == "up" else -1
        paid = {"progress": abs(goal - state[0]) - abs(goal - place)}
        return Turn((place, goal), f"At {place}.", paid, Outcome(True, 1.0) if place == goal else None, step_score=0.5)

    def potential(self, state: Any) -> float:
        return -abs(state[1] - state[0])

    def menu(self, state: Any) -> list[str]:
        return ["up", "down", "stay"]

    def expert(self, state: Any) -> str:
        return "up" if state[0] < state[1] else "down"

    def describe(self, state: Any) -> str:
        return f"You are at {state[0]} and want {state[1]}."

    def secrets(self, state: Any) -> Any:
        return {"goal": state[1]}


class Dice(AgentEnv[tuple[int, ...]]):
    """Roll to at least nine; every roll draws, and so does the first state."""

    panel = (Task("dice"),)
    max_turns = 6
    rewards = RewardSpec({"pips": 0.0})

    def initial(self, task: Task, rng: TurnRng) -> Opening[tuple[int, ...]]:
        return Opening((rng.integers(1, 7),), "Roll or pass.")

    def transition(self, state: tuple[int, ...], action: Any, rng: TurnRng) -> Turn[tuple[int, ...]]:
        if action.text == "pass":
            return Turn(state, "Passed.")
        if action.text != "roll":
            raise InvalidAction("say roll or pass")
        state = (*state, rng.integers(1, 7))
        won = Outcome(True, 1.0) if sum(state) >= 9 else None
        return Turn(
            state, f"A {state[-1]}: {sum(state)} in all.", {"pips": state[-1]}, won, metrics={"pips": state[-1]}
        )

    def anchor(self, state: tuple[int, ...]) -> int:
        return sum(state)


class Mood(Enum):
    CALM = 1
    ANGRY = 2


@dataclass(frozen=True)
class Guest:
    """State of Talk."""

    mood: Mood = Mood.CALM
    heard: tuple[str, ...] = ()


class Talk(AgentEnv[Guest]):
    """A guest who leaves when shouted at; uses every optional key."""

    panel = (Task("guest", {"name": "Ada"}),)
    max_turns = 4
    rewards = RewardSpec({"kind": 0.25}, invalid=-0.5)

    def initial(self, task: Task, rng: TurnRng) -> Opening[Guest]:
        return Opening(Guest(), f"{task.data['name']}: good morning!")

    def transition(self, state: Guest, action: Any, rng: TurnRng) -> Turn[Guest]:
        heard = (*state.heard, action.text)
        if action.text.isupper():
            left = Outcome(False, -1.0, EndReason.USER_LEFT, "shouted at")
            return Turn(Guest(Mood.ANGRY, heard), "Ada leaves.", outcome=left, violations=["shouting"], safe=False)
        if "bye" in action.text:
            return Turn(Guest(state.mood, heard), "Bye!", outcome=Outcome(True, 1.0))
        return Turn(
            Guest(state.mood, heard), f"Ada: {action.text}?", {"kind": 1.0}, tag="message", kind="talk",
            step_score=1, subgoal="greet", switch=False, critique=1, channel="tone", rubrics={"polite": 1},
            metrics={"words": len(action.text.split())}, tool_result=False, plan=["greet", "leave"], safe=True,
        )  # fmt: skip

    def timeout(self, state: Guest) -> Outcome:
        return Outcome(False, 0.5, EndReason.TOKEN_LIMIT, "Ada grew tired")


STOCK: Table[str, dict[str, Any]] = Table({f"item{index}": {"count": index, "price": 1.5} for index in range(20)})


@dataclass(frozen=True)
class Shelf:
    """State of Shop."""

    stock: Table[str, dict[str, Any]]
    log: tuple[str, ...] = ()


class Shop(AgentEnv[Shelf]):
    """A tool world over a table."""

    version = "2"  # the schemas name defaults, and null as a type
    panel = (Task("shop"),)
    max_turns = 8
    rewards = RewardSpec({"sold": 1.0})

    def initial(self, task: Task, rng: TurnRng) -> Opening[Shelf]:
        return Opening(Shelf(STOCK), "Sell item3.", "Use the tools.")

    @tool
    def look(self, state: Shelf, rng: TurnRng, *, key: str) -> Turn[Shelf]:
        """Look an item up.

        Args:
            key: the item.
        """
        if key not in state.stock:
            raise InvalidAction(f"there is no {key[:40]!r}")
        return Turn(state, f"{key}: {state.stock[key]['count']}", tool_result=True)

    @tool
    def sell(
        self, state: Shelf, rng: TurnRng, *, key: str, count: int = 1, to: Literal["shop", "guest"] = "guest",
        notes: list[str] | None = None, price: float = 1.5,
    ) -> Turn[Shelf]:  # fmt: skip
        """Sell some.

        Args:
            key: the item.
            count: how many.
        """
        record = state.stock.get(key)
        if record is None or not 0 < count <= record["count"]:
            raise InvalidAction(f"cannot sell {count} of {key[:40]!r}")
        stock = state.stock.set(key, {**record, "count": record["count"] - count})
        if record["count"] == count:
            stock = stock.remove(key)
        state = Shelf(stock, (*state.log, f"{key}:{count}:{to}:{price}"))
        return Turn(state, "Sold.", {"sold": count}, Outcome(True, 1.0) if key == "item3" else None)

    def pack(self, state: Shelf) -> Any:
        return state.stock.pack(), state.log

    def unpack(self, value: Any) -> Shelf:
        return Shelf(STOCK.unpack(value[0]), value[1])

    @property
    def base_hash(self) -> str:
        return STOCK.digest


@dataclass
class Book:
    """State of Ledger: changes in place."""

    entries: list[str]


class Ledger(AgentEnv[Book]):
    """A world that must mutate, and says so by copy_state."""

    panel = (Task("book"),)
    max_turns = 4

    def initial(self, task: Task, rng: TurnRng) -> Opening[Book]:
        return Opening(Book([]), "Write.")

    def transition(self, state: Book, action: Any, rng: TurnRng) -> Turn[Book]:
        state.entries.append(action.text)
        won = Outcome(True, 1.0) if len(state.entries) == 3 else None
        return Turn(state, f"{len(state.entries)} entries", outcome=won)

    def copy_state(self, state: Book) -> Book:
        return replace(state, entries=list(state.entries))


WORLDS: dict[str, type[AgentEnv[Any]]] = {
    "Counter": Counter, "Dice": Dice, "Talk": Talk, "Shop": Shop, "Ledger": Ledger, "Calendar": Calendar,
    "Complaint": Complaint,
}  # fmt: skip
"""Every world above by name, and the two of the documentation; registered as "test/NAME-v0"."""

SCRIPTS: dict[str, tuple[str, ...]] = {
    "Counter": ("up", "down", "stay", "sideways", "up", "quit", ""),
    "Dice": ("roll", "pass", "roll", "rol", "roll", "\ud800"),
    "Talk": ("hello", "how are you", "<think>HE IS DULL</think>nice", "", "SHOUT", "bye"),
    "Shop": (
        "<look>item3</look>", "<look>nothing</look>", '<sell>{"key": "item4", "count": 2}</sell>', "hello",
        '<sell>{"key": "item5", "count": "x"}</sell>', "<sell>{</sell>", '<sell>{"key": "item3", "count": 3}</sell>',
    ),
    "Ledger": ("one", " ", "two", "three"),
    "Calendar": (
        "<look>Ada</look>", "<look>Dan</look>", '<book>{"day": "Friday"}</book>', "<book>Friday</book>", "hello",
        '<book>{"day": "Monday", "minutes": 5}</book>', "<confirm></confirm>", "<look>Ada</look><look>Ben</look>",
    ),
    "Complaint": (
        "I am sorry.", "What happened?", "A refund, a repair or a replacement?", "<think>sorry</think>Well.",
        "###STOP###", "I can offer you a repair.", "Goodbye.", "",
    ),
}  # fmt: skip
"""Actions of every kind for each world, good and bad."""


def script(name: str, seed: int, length: int) -> list[str]:
    """Return `length` actions for a world, drawn from its script."""
    rng = TurnRng(seed, stream="script")
    return [rng.choice(SCRIPTS[name]) for _ in range(length)]


def play(env: AgentEnv[Any], actions: list[str]) -> list[Any]:
    """Return what every step until the end returned."""
    out: list[Any] = []
    for action in actions:
        out.append(env.step(action))
        if out[-1][2] or out[-1][3]:
            break
    return out


def chain(env: AgentEnv[Any], seed: int, actions: list[str], **options: Any) -> list[Any]:
    return [env.reset(seed=seed, options=options), *play(env, actions)]


for _name in WORLDS:
    register(f"test/{_name}-v0", f"worlds:{_name}")
