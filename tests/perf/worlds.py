"""Rows of the contract and of BabyAI: shell, step, fork, hash, collect; and of what reads and hashes plain values."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from statistics import median

from agentgym import AgentEnv, InvalidAction, Opening, Task, Turn, TurnRng, tool
from agentgym.action import Action
from agentgym.digest import state_hash
from agentgym.reward import RewardSpec
from tests.perf.measure import Clock, Line, Setting, Work, calibration, cost, line


@dataclass(frozen=True, slots=True)
class Point:
    """A state that stays."""

    x: int


class Still(AgentEnv[Point]):
    """A world whose state object never changes, so that no state is hashed; one named reward a turn."""

    panel = (Task("still"),)
    rewards = RewardSpec({"progress": 1.0})

    def initial(self, task: Task, rng: TurnRng) -> Opening[Point]:
        return Opening(Point(0), "You stand still.", "Say anything.")

    def transition(self, state: Point, action: Action, rng: TurnRng) -> Turn[Point]:
        return Turn(state, "Nothing happens.", {"progress": 0.0})


def shell(clock: Clock, setting: Setting, steps: int = 2000) -> Iterator[Line]:
    env = Still(max_turns=10**9)
    env.reset(seed=0)
    state, action, rng = env.state, env.parse("wait"), TurnRng(0, 0, 0)

    def step(_: None) -> None:
        for _ in range(steps):
            env.step("wait")

    def bare(_: None) -> None:
        for _ in range(steps):
            env.transition(state, action, rng)

    works = {"step": Work(step, steps), "bare": Work(bare, steps), "calibration": calibration()}
    times = clock.alternate(setting, works)
    over = [whole - part for whole, part in zip(times["step"], times["bare"], strict=True)]
    yield cost("shell: step less the bare transition", "step", over, times["calibration"], 5e-6)


class Reader(AgentEnv[Point]):
    """A world with a tool of two arguments, which reads very long actions."""

    panel = (Task("read"),)
    max_action = 1 << 25

    def initial(self, task: Task, rng: TurnRng) -> Opening[Point]:
        return Opening(Point(0), "Look something up.")

    @tool
    def look(self, state: Point, rng: TurnRng, *, query: str, limit: int = 5) -> Turn[Point]:
        """Look something up.

        Args:
            query: what.
            limit: how many.
        """
        return Turn(state, query[:limit])


def texts(size: int) -> dict[str, str]:
    """Return actions of about this many characters: honest and hostile ones."""
    pieces = {
        "prose": "a word and another ",
        "blanks": " ",
        "think blocks": "<think>hm</think>",
        "opened think blocks": "<think>",
        "closed think blocks": "</think>",
        "opened calls": "<look>",
    }
    made = {name: piece * (size // len(piece)) for name, piece in pieces.items()}
    bodies = {
        "a call with a long text": '{"query": "' + "[a] {b} " * (size // 8) + '"}',
        "a call that nests": '{"query": ' * (size // 10),
        "a call with many keys": "{" + ", ".join(f'"k{n:06d}": 1' for n in range(size // 14)) + "}",
    }
    return made | {name: f"<look>{body}</look>" for name, body in bodies.items()}


def read(env: Reader, text: str) -> None:
    with suppress(InvalidAction):
        env.parse(text)


def parsing(clock: Clock, setting: Setting) -> Iterator[Line]:
    env = Reader()
    works: dict[str, Work] = {"calibration": calibration()}
    for size in (setting.text // 10, setting.text):
        for name, text in texts(size).items():
            works[f"{name}/{size}"] = Work(lambda _, text=text: read(env, text))  # type: ignore[misc]
    times = clock.alternate(setting, works)
    size = setting.text
    small, large = ({name: times[f"{name}/{part}"] for name in texts(0)} for part in (size // 10, size))
    slowest = max(large, key=lambda name: median(large[name]))
    steepest = max(large, key=lambda name: median(large[name]) / median(small[name]))
    what = f"parse {size:,} characters"
    yield cost(f"{what}; slowest: {slowest}", "text", large[slowest], times["calibration"], 50e-3 * size / 1e6)
    yield line(f"{what}; steepest: {steepest}", "text", large[steepest], "a tenth", small[steepest], "≤", 15)


def hashing(clock: Clock, setting: Setting) -> Iterator[Line]:
    n = setting.records
    stock = {f"item_{i:04d}": i for i in range(n)}
    users = {f"user_{i:04d}": (f"name {i}", i % 90, i / 8, i % 2 == 0) for i in range(n)}
    works = {
        "stock": Work(lambda _: state_hash(stock)),
        "users": Work(lambda _: state_hash(users)),
        "calibration": calibration(),
    }
    times = clock.alternate(setting, works)
    yield cost(f"hash of {n:,} records of one number", "hash", times["stock"], times["calibration"], 1e-3 * n / 1000)
    yield cost(f"hash of {n:,} records of four fields", "hash", times["users"], times["calibration"])
