"""Rows of customer_service: steps and whole talks beside tau2's and tau-bench's ways, moments, growth."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from agentgym import Task, ToolCall
from agentgym.digest import state_hash
from agentgym.envs.customer_service import tasks
from agentgym.envs.customer_service.customer.hear import ear_of
from agentgym.envs.customer_service.database import Database, Record
from agentgym.envs.customer_service.domain import Domain
from agentgym.envs.customer_service.domains.retail.tools import Retail
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.sheet import Call
from tests.perf.measure import Clock, Line, Setting, Work, calibration, cost, line
from tests.perf.tau import Action, Tau2, TauBench

TURNS = 15
RESETS = 20
KINDS = ("read", "write", "message", "end")
"""What a turn is: a look-up, a change, a message, the message that ends the talk, with the score."""
TAU2, TAU_BENCH = "tau2's way (stand-in)", "tau-bench's way (stand-in)"
SIZES: Mapping[str, tuple[float, int]] = {"tau's airline": (0.83, 3), "tau's retail": (1.0, 1)}
"""Database of these programs → share of the shop's orders, and how many times over, that hold as many values."""
TASKS = 120
"""Tasks in the list that tau2 reads: as many values as its 114 of retail hold."""

Tables = dict[str, dict[str, Record]]
Moments = Sequence[tuple[CustomerServiceEnv, str]]
"""Worlds at some moments, and what the agent does there."""


class Talk(NamedTuple):
    """A talk that ends rightly: the task, the agent's turns as text, and as those programs take them."""

    task: Task
    turns: tuple[str, ...]
    actions: tuple[Action, ...]


class Shop(Retail):
    """The shop with the customers of the first so many orders, and all that is theirs, several times over.

    tau's retail database holds 66 thousand values, 1.3 MB of JSON, its airline database 162 thousand, 3.3 MB.
    """

    def __init__(self, orders: int, times: int) -> None:
        self.orders, self.times = orders, times

    @cached_property
    def database(self) -> Database:
        whole = plain(tasks.domain_of("retail").database)
        served = [order["customer"] for order in whole["orders"].values()]
        kept = {None, talk().task.data["customer"], *served[: self.orders]}
        tables = {
            name: {key: record for key, record in table.items() if owner(record) in kept}
            for name, table in whole.items()
        }
        return Database({name: many(table, self.times) for name, table in tables.items()})


def __getattr__(name: str) -> Domain:
    """Return the shop `SHOP_orders_times`, by which a world finds it."""
    kind, _, size = name.partition("_")
    if kind != "SHOP":
        raise AttributeError(name)
    return Shop(*map(int, size.split("_")))


def owner(record: Record) -> str | None:
    """Return the customer to whom a record belongs."""
    return record.get("customer", record.get("customer_id"))


def plain(database: Database) -> Tables:
    """Return a database as dicts."""
    return {name: {key: table[key] for key in database.rows(name)} for name, table in database.items()}


def many(table: dict[str, Record], times: int) -> dict[str, Record]:
    """Return records and copies of them under other keys, which belong to copies of the customers."""
    found = dict(table)
    for number in range(1, times):
        mark = f"-{number}"
        for key, record in table.items():
            own = {name: f"{record[name]}{mark}" for name in ("customer", "customer_id", "email") if name in record}
            found[key + mark] = {**record, **own}
    return found


@lru_cache(maxsize=1)
def talk() -> Talk:
    """Return the first test task's talk in which the expert takes 15 turns, and its turns."""
    world = CustomerServiceEnv(domain="retail")
    best: Talk | None = None
    for task in world.panel["test"]:
        turns, actions = played(world, task)
        calls = {world.domain.tools[action.name].tag for action in actions if isinstance(action, Call)}
        if calls >= {"read", "write"} and (best is None or abs(len(turns) - TURNS) < abs(len(best.turns) - TURNS)):
            best = Talk(task, turns, actions)
            if len(turns) == TURNS:
                break
    assert best is not None
    return best


def played(world: CustomerServiceEnv, task: Task) -> tuple[tuple[str, ...], tuple[Action, ...]]:
    """Return what the expert writes in a task, and the same as calls and messages."""
    world.reset(seed=0, options={"task": task.id})
    turns: list[str] = []
    actions: list[Action] = []
    over = False
    while not over:
        turns.append(world.expert(world.state))
        parsed = world.parse(turns[-1])
        actions.append(Call(parsed.name, parsed.arguments) if isinstance(parsed, ToolCall) else parsed.text)
        _, _, terminated, truncated, _ = world.step(turns[-1])
        over = terminated or truncated
    return tuple(turns), tuple(actions)


def world(orders: int, times: int = 1) -> CustomerServiceEnv:
    """Return a world over such a shop, just reset."""
    made = CustomerServiceEnv(domain=f"{__name__}:SHOP_{orders}_{times}", tasks=[talk().task])
    made.reset(seed=0)
    return made


def moments(start: CustomerServiceEnv) -> Mapping[str, Moments]:
    """Return by kind the turns of the talk: a world at that moment, and what the agent does."""
    found: dict[str, list[tuple[CustomerServiceEnv, str]]] = {kind: [] for kind in KINDS}
    now = start.copy()
    for text, action in zip(talk().turns, talk().actions, strict=True):
        moment, before = now.copy(), now.state
        _, _, over, _, _ = now.step(text)
        written = now.state.database is not before.database
        kind = "end" if over else "message" if isinstance(action, str) else "write" if written else "read"
        found[kind].append((moment, text))
    return found


def sized(orders: int, size: str) -> CustomerServiceEnv:
    """Return a world over a shop that holds as many values as a database of SIZES, for 1,000 orders."""
    share, times = SIZES[size]
    return world(round(orders * share), times)


def programs(start: CustomerServiceEnv) -> tuple[Tau2, TauBench]:
    """Return the stand-ins with the same task over the same database."""
    text, sheet = json.dumps(plain(start.domain.database), indent=4), start.state.case.sheet
    return Tau2(start.domain, text, sheet, task_list()), TauBench(start.domain, text, sheet)


@lru_cache(maxsize=1)
def task_list() -> str:
    """Return the first test tasks as JSON."""
    return json.dumps([dict(task.data) for task in tasks.panel_of(tasks.domain_of("retail"))["test"][:TASKS]])


def forgetting(start: CustomerServiceEnv, prepare: Callable[[], Moments]) -> Callable[[], Moments]:
    """Return the preparation with which no message was heard before."""

    def prepared() -> Moments:
        ear_of(start.domain.words).hear.cache_clear()
        return prepare()

    return prepared


def stepping(held: Moments) -> Work:
    """Return the steps from some moments."""

    def run(taken: Moments) -> None:
        for env, text in taken:
            env.step(text)

    return Work(run, len(held), lambda: [(env.copy(), text) for env, text in held])


def resetting(start: CustomerServiceEnv) -> Work:
    """Return resets to the talk's task, each with a seed of its own."""
    seeds = range(RESETS)
    return Work(
        lambda env: [env.reset(seed=seed, options={"task": talk().task.id}) for seed in seeds], RESETS, start.copy
    )


def playing(program: Tau2 | TauBench) -> Mapping[str, Work]:
    """Return what a stand-in does: a reset, a step of the talk, the score after it, and all of it."""
    actions = talk().actions

    def steps(_: None) -> None:
        for action in actions:
            program.step(action)

    def whole(_: None) -> None:
        program.reset()
        steps(None)
        assert program.score(), "the stand-in finds the talk wrong"

    return {
        "reset": Work(lambda _: program.reset()),
        "step": Work(steps, len(actions), program.reset),
        "episode": Work(whole),  # before the score, which needs a talk that was played
        "end": Work(lambda _: program.score()),
    }


def steps(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield steps by what they are, a reset, and the step that ends the talk, which is scored."""
    start = world(setting.records)
    works = {kind: stepping(held) for kind, held in moments(start).items()}
    works["new"] = replace(works["message"], prepare=forgetting(start, works["message"].prepare))
    works["reset"] = resetting(start)
    times = clock.alternate(setting, {**works, "calibration": calibration()})
    for kind, told, target in (
        ("read", "step, a look-up", 30e-6),
        ("write", "step, a change", 30e-6),
        ("message", "step, a message heard before", 30e-6),
        ("new", "step, a message never heard", None),
        ("reset", "reset", 50e-6),
        ("end", "last step, with the score", 1e-3),
    ):
        yield cost(f"customer_service: {told}", "step", times[kind], times["calibration"], target)
    large = sized(setting.records, "tau's airline")
    works = {"reset": resetting(large), "end": stepping(moments(large)["end"])}
    for rival, program in zip((TAU2, TAU_BENCH), programs(large), strict=True):
        theirs = playing(program)
        both = {**works, "their reset": theirs["reset"], "theirs": theirs["episode"], "their end": theirs["end"]}
        times = clock.alternate(setting, both)
        yield line("customer_service: reset", "reset", times["reset"], rival, times["their reset"], "≥")
        yield line("customer_service: last step, with the score", "step", times["end"], rival, times["their end"], "≥")


def talks(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield a whole talk from reset to score, its messages never heard before, and its mean step.

    The targets are for the size of database over which the programs themselves were measured: tau's airline.
    """
    turns = talk().turns
    name = f"customer_service: talk of {len(turns)} turns"

    def whole(env: CustomerServiceEnv) -> None:
        env.reset(seed=0, options={"task": talk().task.id})
        for text in turns:
            env.step(text)

    for size, bounds in (("tau's airline", (1000, 400)), ("tau's retail", (None, None))):
        start = sized(setting.records, size)
        heard = Work(whole, 1, start.copy)
        new = replace(heard, prepare=forgetting(start, start.copy))
        works = {"new": new, "heard": heard, "calibration": calibration()}
        tau2, bench = programs(start)
        for program, key in ((tau2, "tau2"), (bench, "tau_bench")):
            theirs = playing(program)
            works |= {key: theirs["episode"], f"{key} step": theirs["step"]}
        times = clock.alternate(setting, works)
        if bounds[0] is not None:
            yield cost(name, "talk", times["new"], times["calibration"], 2e-3)
            yield cost(f"{name}, messages heard before", "talk", times["heard"], times["calibration"])
            mean = [seconds / (len(turns) + 1) for seconds in times["new"]]
            mean_name = "customer_service: mean of reset and steps"
            yield cost(mean_name, "step", mean, times["calibration"])
            yield line(mean_name, "step", mean, f"a step {TAU2}, no hash", times["tau2 step"], "≥")
            yield line(mean_name, "step", mean, f"a step {TAU_BENCH}, no hash", times["tau_bench step"], "≥")
        sized_name = f"{name}, values as {size}"
        yield line(sized_name, "talk", times["new"], TAU2, times["tau2"], "≥", bounds[0])
        yield line(sized_name, "talk", times["new"], TAU_BENCH, times["tau_bench"], "≥", bounds[1])


def keeping(clock: Clock, setting: Setting) -> Iterator[Line]:
    """Yield fork, restore, snapshot and state hash late in a talk, and a write, also in ten times the database."""
    works = {"calibration": calibration()}
    for size, times in (("small", 1), ("large", 10)):
        held = moments(world(setting.records, times))
        works |= {f"{name}/{size}": work for name, work in late(held["end"][0][0]).items()}
        works[f"step, a change/{size}"] = stepping(held["write"])
    found = clock.alternate(setting, works)
    for name, target in (
        ("fork", 20e-6), ("restore", 20e-6), ("snapshot", 20e-6), ("state hash", 10e-6), ("step, a change", None)
    ):  # fmt: skip
        small, large = found[f"{name}/small"], found[f"{name}/large"]
        if target is not None:
            yield cost(f"customer_service: {name}", name, small, found["calibration"], target)
        yield line(f"customer_service: {name}, ten times the database", name, large, "a tenth", small, "≤", 1.5)


def late(env: CustomerServiceEnv, times: int = 100) -> Mapping[str, Work]:
    """Return what is done with a world at the end of a talk; each hash is of a state that was never hashed."""
    moment, state = env.snapshot(), env.state
    return {
        "fork": Work(lambda _: env.fork(times), times),
        "restore": Work(lambda twin: [twin.restore(moment) for _ in range(times)], times, env.copy),
        "snapshot": Work(lambda _: [env.snapshot() for _ in range(times)], times),
        "state hash": Work(
            lambda states: [state_hash(env.canonical(state)) for state in states],
            times,
            lambda: [replace(state) for _ in range(times)],
        ),
    }
