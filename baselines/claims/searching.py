"""Searching under the rewards of MT-GRPO and of SLATE: what is learned from them, merged, turn by turn, from prefixes.

The world is Wikipedia search, a few questions that come again and again, whose answers are on offer from the first turn
on, so that who remembers them need not search. The log-linear menu policy has imitated the expert until it
answered one question in five, then it learns by itself. What it came to is measured after the last update, on the same
questions: how many answers are right, and in how many episodes a tool was called before the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.baselines.benchmark.learning import called, imitated, scaled
from agentgym.baselines.benchmark.settings import search
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.claims.verdicts import direction, signed
from agentgym.batch import TurnBatch
from agentgym.branching import Slate
from agentgym.env import AgentEnv
from agentgym.envs.wiki_search.pools import pools_of
from agentgym.rng import TurnRng
from agentgym.rollout import build, collect

RIGHT, CALLED = "right answers", "episodes with a call"
WHAT = (RIGHT, CALLED)
TASKS, ROLLOUTS, STEP = 4, 8, 8.0
"""Of an update: its tasks, rollouts or candidates of each, and the length of its step."""


@dataclass(frozen=True)
class Way:
    """A way to learn.

    Attributes:
        scoring: of the world.
        name: in words.
        estimator: its name.
        options: of the estimator.
        prefixes: whether turns are sampled from shared prefixes.
    """

    scoring: str
    name: str
    estimator: str
    options: Mapping[str, Any] = field(default_factory=dict)
    prefixes: bool = False


WAYS = (
    Way("mt_grpo", "the outcome alone", "mt_grpo", {"variant": "grpo_or"}),
    Way("mt_grpo", "all rewards merged", "mt_grpo", {"variant": "grpo_mr"}),
    Way("mt_grpo", "turn by turn", "mt_grpo"),
    Way("mt_grpo", "two segments", "mt_grpo", {"variant": "two_segment"}),
    Way("slate", "the outcome alone", "grpo", {"rewards": "outcome"}),
    Way("slate", "all rewards merged", "grpo"),
    Way("slate", "turns of whole rollouts", "slate"),
    Way("slate", "turns from shared prefixes", "slate", prefixes=True),
)
"""For each scoring the base first, which learns from one value a rollout and no turn rewards."""

NAMES = tuple(dict.fromkeys(way.name for way in WAYS))
DECIDING = (WAYS[0].name, "turn by turn", "turns from shared prefixes")
"""The base, and the ways of both papers."""


def measure(seeds: int = 12, updates: int = 8, tasks: int = 12, names: Sequence[str] = NAMES) -> list[dict[str, Any]]:
    """Return a row for each way and thing measured: "value", and "difference" to the base of its scoring.

    Both have Student's interval over the seeds. A way from shared prefixes plays about as many turns as the others.

    Args:
        seeds: of each way.
        updates: of each run.
        tasks: how many questions.
        names: of the ways; the base's among them.
    """
    rows, base = [], dict[str, Any]()
    for way in [way for way in WAYS if way.name in names]:
        world = world_of(way.scoring)
        asked = guessable(world, tasks)
        found = np.array([learn(world, asked, way, seed, updates) for seed in range(seeds)])
        apart = found - base.setdefault(way.scoring, found)
        for place, what in enumerate(WHAT):
            label = f"{way.scoring}: {way.name}"
            about = {"label": f"{label}, {what}", "way": label, "estimator": way.scoring, "name": way.name}
            spread = t_interval(found[:, place].tolist())
            rows.append({**about, "what": what, **spread, "difference": t_interval(apart[:, place].tolist())})
    return rows


def world_of(scoring: str) -> AgentEnv[Any]:
    """Return the search world under a scoring."""
    panel = search()
    return build(panel.env, {**panel.kwargs, "scoring": scoring})


def guessable(world: AgentEnv[Any], many: int) -> list[str]:
    """Return the ids of the first training tasks whose right answer is on offer from the first turn on."""
    openings = ((task, world.initial(task, TurnRng(0)).state) for task in world.panel["train"])
    found = (task.id for task, state in openings if pools_of(state.question).guessed)
    return [*islice(found, many)]


def learn(world: AgentEnv[Any], tasks: Sequence[str], way: Way, seed: int, updates: int) -> tuple[float, float]:
    """Return the share of right answers, and of episodes with a call, of a policy that has learned one way."""
    policy = imitated(world, tasks, search().learn_from, seed)
    for update in range(updates):
        rng = TurnRng(seed, turn=update, stream="searching")
        drawn = [rng.choice(tasks) for _ in range(TASKS)]
        size, branching = (1, Slate(ROLLOUTS)) if way.prefixes else (ROLLOUTS, None)
        start = (seed + 1) * 1_000_000 + update * 1_000
        batch = collect(world, policy, tasks=drawn, group_size=size, seed=start, branching=branching)
        policy.update(batch, scaled(credit.estimate(way.estimator, batch, **way.options).total), STEP)
        policy.features.forget()
    return seen(collect(world, policy, tasks=tasks, group_size=ROLLOUTS, seed=seed))


def seen(batch: TurnBatch) -> tuple[float, float]:
    """Return the share of rollouts that end with a right answer, and of those in which a tool answered before."""
    return float(np.mean(np.asarray(batch["tag"])[batch.last] == "right")), called(batch)


def decide(rows: Sequence[Mapping[str, Any]], estimator: str) -> tuple[str, str]:
    """Return whether the way of an estimator's paper answers better than the outcome alone, and the figures.

    Args:
        rows: of `measure`.
        estimator: "mt_grpo" or "slate", also the scoring.
    """
    name = DECIDING[1 if estimator == "mt_grpo" else 2]
    mine = {row["what"]: row for row in rows if row["estimator"] == estimator and row["name"] == name}
    base = {row["what"]: row for row in rows if row["estimator"] == estimator and row["name"] == WAYS[0].name}
    calls, right = mine[CALLED], mine[RIGHT]
    more = f" (more calls: *{direction(calls['difference'])}*)" if estimator == "mt_grpo" else ""
    word = direction(right["difference"])
    return word, (
        f"{name}, under the rewards of its paper, a tool is called in {calls['value']:.0%} of the episodes, "
        f"{signed(calls['difference'])} beside the {base[CALLED]['value']:.0%} of the outcome alone{more}; "
        f"{right['value']:.0%} of the answers are right, {signed(right['difference'])} (better answers: *{word}*)"
    )
