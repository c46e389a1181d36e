"""Golden chains: one sha256 for each of 100 seeds over everything that 30 mixed turns returned.

`python tests/golden_chains.py` prints the chains of every world as JSON, `python tests/golden_chains.py write` writes
them to tests/golden/. A world whose chains change needs a new `version`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent.parent), str(Path(__file__).parent)]

from hostile import choose
from worlds import SCRIPTS, WORLDS

from agentgym import AgentEnv, Task, TurnRng
from agentgym.envs.babyai import kernel
from agentgym.envs.babyai.env import BabyAIEnv
from agentgym.envs.babyai.tasks import LEVELS, MIXED
from agentgym.envs.customer_service.env import CustomerServiceEnv
from agentgym.envs.customer_service.tasks import DOMAINS, domain_of, panel_of
from agentgym.envs.emotional_support.env import EmotionalSupportEnv
from agentgym.envs.sales.env import SalesEnv
from agentgym.envs.sales.tasks import panel as buyers
from agentgym.envs.text_to_sql.env import TextToSQLEnv
from agentgym.envs.text_to_sql.shipped.panels import splits
from agentgym.rollout import build

SIGNALS = ("menu", "potential", "expert", "describe", "critique", "subgoal")
FOLDER = Path(__file__).parent / "golden"
SEEDS = 100
TURNS = 30


def makers() -> Mapping[str, tuple[Callable[[int], AgentEnv[Any]], Sequence[str]]]:
    """Return for every world: how to make it for a seed, and actions that it knows."""
    found: dict[str, tuple[Callable[[int], AgentEnv[Any]], Sequence[str]]] = {}
    for name, world in WORLDS.items():
        made = world(signals=("menu", "potential", "expert", "describe")) if name == "Counter" else world()
        found[name] = (lambda seed, made=made: made), _good(made, SCRIPTS[name])  # type: ignore[misc]
    found["BabyAI"] = babyai, kernel.ACTIONS
    found["CustomerService"] = service, ("Hello.", "Can I help you with anything else?", "What is your name?")
    found["EmotionalSupport"] = support, ("What happened?", "You feel ashamed, I think.", "You should let it go.")
    found["Sales"] = sales, ("Hello.", "What matters most to you?", "There is no hurry.", "What is your budget?")
    for name, said in SAID.items():
        found[name] = partial(_one_of, name), said
    found["TextToSQL"] = text_to_sql, ("<schema></schema>", "<sql>SELECT 1 AS one</sql>", "<sql>VALUES (1), (2)</sql>")
    return found


SAID = {
    "WikiSearch": ("<search>calling code</search>", "<search>star in Sagittarius</search>", "<answer>7</answer>"),
    "EmotionQuestions": ("(a)", "Resentful: 7", "A"),
}
"""Actions that the worlds know of which single tasks take turns, by name."""


@lru_cache(maxsize=len(SAID))
def _asked(name: str) -> Sequence[AgentEnv[Any]]:
    """Return a world of each of two dozen tasks, which stand evenly among those of all splits."""
    whole = build(f"agentgym/{name}-v0")
    signals = [hook for hook in SIGNALS[:4] if whole.offers(hook)]
    tasks = [task for split in whole.panel for task in whole.panel[split]]
    chosen = tasks[:: max(1, len(tasks) // 24)]
    return [
        build(whole, {"tasks": [task], "split": "train"}, signals=(*signals, *whole.extra_signals)) for task in chosen
    ]


def _one_of(name: str, seed: int) -> AgentEnv[Any]:
    """Return a world for a seed: the chosen tasks take turns."""
    return _asked(name)[seed % len(_asked(name))]


@lru_cache(maxsize=128)
def babyai(seed: int) -> AgentEnv[Any]:
    """Return BabyAI for a seed: the five mixed panels and the 96 levels take turns."""
    names = (*MIXED, *LEVELS)
    name = names[seed % len(names)]
    if name in MIXED:
        return BabyAIEnv(level=name, signals=SIGNALS)
    return BabyAIEnv(tasks=[Task(f"{name}#{seed}", {"level": name, "seed": seed})], signals=SIGNALS)


@lru_cache(maxsize=1)
def _questions() -> Sequence[AgentEnv[Any]]:
    databases: dict[str, Task] = {}
    for task in splits("all")["train"]:
        databases.setdefault(task.data["database"], task)
    tasks = sorted(databases.values(), key=lambda task: task.id)[::2]
    return [TextToSQLEnv(tasks=[task], signals=(*SIGNALS[:-1], "structure")) for task in tasks]


def text_to_sql(seed: int) -> AgentEnv[Any]:
    """Return TextToSQL for a seed: one question of every second shipped database, which take turns."""
    return _questions()[seed % len(_questions())]


@lru_cache(maxsize=1)
def _seekers() -> Sequence[AgentEnv[Any]]:
    panel = EmotionalSupportEnv().panel
    every = [task for split in panel for task in panel[split]]
    made = [EmotionalSupportEnv(tasks=[task], signals=SIGNALS[:-1]) for task in every[::11]]
    return [*made, EmotionalSupportEnv(levels=True, signals=SIGNALS[:-1])]


def support(seed: int) -> AgentEnv[Any]:
    """Return EmotionalSupport for a seed: a seeker of every second story, and a world of levels, which take turns."""
    return _seekers()[seed % len(_seekers())]


@lru_cache(maxsize=1)
def _talks() -> Sequence[AgentEnv[Any]]:
    found = []
    for domain in DOMAINS:
        tasks = {task.data["family"]: task for task in panel_of(domain_of(domain))["dev"]}
        found += [CustomerServiceEnv(domain=domain, tasks=[task], signals=SIGNALS[:-1]) for task in tasks.values()]
    return found


def service(seed: int) -> AgentEnv[Any]:
    """Return CustomerService for a seed: one sheet of every family of every domain, which take turns."""
    return _talks()[seed % len(_talks())]


@lru_cache(maxsize=1)
def _buyers() -> Sequence[AgentEnv[Any]]:
    found: dict[str, list[Task]] = {}
    for task in buyers()["dev"]:
        found.setdefault(task.data["industry"], []).append(task)
    return [SalesEnv(tasks=tasks, signals=SIGNALS[:-2]) for tasks in found.values()]


def sales(seed: int) -> AgentEnv[Any]:
    """Return Sales for a seed: the buyers of one industry, which take turns."""
    return _buyers()[seed % len(_buyers())]


def _good(env: AgentEnv[Any], actions: Sequence[str]) -> Sequence[str]:
    """Return those actions that are valid as the first one."""
    good = []
    for action in actions:
        env.reset(seed=0)
        if env.step(action)[4]["valid"]:
            good.append(action)
    return good


def chain(env: AgentEnv[Any], good: Sequence[str], seed: int) -> str:
    """Return the sha256 over all that reset and 30 steps return; after an end the world is reset without a seed."""
    rng = TurnRng(seed, stream="golden")
    seen = sha256()
    for record in _records(env, good, seed, rng):
        seen.update(json.dumps(record, sort_keys=True).encode())
    seen.update(env.snapshot().to_bytes())
    return seen.hexdigest()


def _records(env: AgentEnv[Any], good: Sequence[str], seed: int, rng: TurnRng) -> Iterator[Any]:
    yield env.reset(seed=seed)
    for _ in range(TURNS):
        record = env.step(choose(env, good, rng))
        yield record
        if record[2] or record[3]:
            yield env.reset()


def chains(step: int = 1) -> dict[str, list[str]]:
    """Return the chains of every world, of every `step`-th seed."""
    seeds = range(0, SEEDS, step)
    return {name: [chain(make(seed), good, seed) for seed in seeds] for name, (make, good) in makers().items()}


def send(pipe: Any, step: int) -> None:
    """Send the chains through a pipe; what child processes run."""
    pipe.send(chains(step))
    pipe.close()


def stored() -> dict[str, list[str]]:
    """Return the chains in tests/golden/."""
    return {path.stem: path.read_text().split() for path in sorted(FOLDER.glob("*.txt"))}


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        for name, lines in chains().items():
            (FOLDER / f"{name}.txt").write_text("\n".join(lines) + "\n")
    else:
        print(json.dumps(chains()))
