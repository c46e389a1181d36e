"""Dialogues under the turn credit of MICA, of HIAN and of RTT, each against the forms that its paper means to better.

The menu policy begins as the panel says, uniform or after imitating the expert, and learns by itself from one
estimator, on a few people that come again and again. What it came to is measured after the last update, on the same
people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.baselines.benchmark.learning import beginner, scaled
from agentgym.baselines.benchmark.settings import Panel, sales, support
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.claims.verdicts import direction, signed, together
from agentgym.batch import TurnBatch
from agentgym.rng import TurnRng
from agentgym.rollout import build, collect

TASKS, ROLLOUTS, STEP = 4, 8, 8.0
"""Of an update: its tasks, rollouts of each, and the length of its step."""

Reading = Callable[[TurnBatch], float]


@dataclass(frozen=True)
class Way:
    """A way to learn: its name in words, the estimator and its options."""

    name: str
    estimator: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Trial:
    """What is compared on one panel.

    Attributes:
        panel: where.
        signals: that the estimators read.
        ways: the bases first.
        bases: how many of them are bases, which every way is held against.
        what: what is measured, by name, more being better.
        decides: which of `what` decides.
    """

    panel: Panel
    signals: tuple[str, ...]
    ways: tuple[Way, ...]
    bases: int
    what: Mapping[str, Reading]
    decides: tuple[str, ...]


def succeeded(batch: TurnBatch) -> float:
    """Return the share of rollouts that succeeded."""
    return float(np.mean(np.asarray(batch["success"], dtype=bool)[batch.last]))


def gone(batch: TurnBatch) -> float:
    """Return the mean sum of a rollout's turn rewards: the share of the first distance that is gone at the end."""
    return float(np.sum(batch["turn_reward"])) / batch.num_rollouts


def paid(name: str) -> Reading:
    """Return what reads the mean of a named turn reward over the turns that it was given in."""

    def read(batch: TurnBatch) -> float:
        given = [row[name] for row in batch["components"] if name in row]
        return float(np.mean(given)) if given else 0.0

    return read


def rubric(batch: TurnBatch) -> float:
    """Return the mean score of the rollouts under their rubrics."""
    return float(np.mean([np.mean(batch["rubric_scores"][row]) for row in np.flatnonzero(batch.last).tolist()]))


SUPPORT, SALES = support(), sales()

MERGED = Way("all rewards merged", "grpo")
TRIALS: Mapping[str, Trial] = {
    "mica": Trial(
        SUPPORT,
        ("potential",),
        (
            Way("one reward a talk, in its group", "grpo"),
            Way("one reward a talk, over the batch", "reinforce_pp"),
            Way("gains of the distance", "mica"),
            Way("gains of the distance, as released", "mica", {"preset": "released"}),
        ),
        2,
        {"distance gone": gone, "success": succeeded},
        ("distance gone",),
    ),
    "hian": Trial(
        SALES,
        (),
        (MERGED, Way("horizons apart", "hian"), Way("horizons and components apart", "hian", {"per_component": True})),
        1,
        {
            "conversion": succeeded,
            "no repetition": paid("repetition"),
            "honest identity": paid("identity"),
            "compliance": paid("compliance"),
        },
        ("conversion", "no repetition", "honest identity"),
    ),
    "rtt": Trial(
        SUPPORT,
        (),
        (
            Way("response level", "rtt", {"response": "mean", "token_weight": 0.0}),
            Way("rubrics to their turns", "rtt", {"response": "mean"}),
            Way("rubrics to their turns, over the group", "rtt", {"response": "mean", "variant": "intra_group"}),
        ),
        1,
        {"success": succeeded, "score under the rubrics": rubric},
        ("score under the rubrics",),
    ),
}
"""By the estimator whose paper is meant."""


def measure(
    estimator: str,
    seeds: int = 8,
    updates: int = 10,
    names: Sequence[str] | None = None,
    size: int = ROLLOUTS,
    begin: bool = True,
) -> list[dict[str, Any]]:
    """Return a row for each way and thing measured: "value", and "differences" to each base by the base's name.

    All have Student's interval over the seeds.

    Args:
        estimator: of TRIALS.
        seeds: of each way.
        updates: of each run.
        names: of the ways, the bases among them; None: all.
        size: rollouts of each task.
        begin: as the panel says; else uniform, for a look.
    """
    trial = TRIALS[estimator]
    trial = trial if begin else replace(trial, panel=replace(trial.panel, learn_from=0.0))
    ways = [way for way in trial.ways if names is None or way.name in names]
    found = {way.name: np.array([learn(trial, way, seed, updates, size) for seed in range(seeds)]) for way in ways}
    rows = []
    for way in ways:
        for place, what in enumerate(trial.what):
            about = {"label": f"{way.name}, {what}", "way": way.name, "estimator": way.estimator, "what": what}
            apart = {
                base.name: t_interval((found[way.name] - found[base.name])[:, place].tolist())
                for base in trial.ways[: trial.bases]
            }
            mine = t_interval(found[way.name][:, place].tolist())
            rows.append({**about, **mine, "difference": next(iter(apart.values())), "apart": apart})
    return rows


def learn(trial: Trial, way: Way, seed: int, updates: int, size: int) -> tuple[float, ...]:
    """Return what is measured of a policy that has learned one way."""
    panel = trial.panel
    world = build(panel.env, panel.kwargs, signals=trial.signals)
    tasks = [task.id for task in world.panel["train"][: panel.learn_tasks]]
    policy = beginner(panel, seed).copy()
    for update in range(updates):
        rng = TurnRng(seed, turn=update, stream="talking")
        drawn = [rng.choice(tasks) for _ in range(TASKS)]
        start = (seed + 1) * 1_000_000 + update * 1_000
        batch = collect(world, policy, tasks=drawn, group_size=size, seed=start)
        policy.update(batch, scaled(credit.estimate(way.estimator, batch, **way.options).total), STEP)
        policy.features.forget()
    batch = collect(world, policy, tasks=tasks, group_size=size, seed=seed)
    return tuple(read(batch) for read in trial.what.values())


def decide(rows: Sequence[Mapping[str, Any]], estimator: str) -> tuple[str, str]:
    """Return whether the first way after the bases does better in what decides, against every base, and the figures."""
    trial = TRIALS[estimator]
    name = trial.ways[trial.bases].name
    mine = {row["what"]: row for row in rows if row["way"] == name}
    words, figures = [], []
    for what in trial.what:
        for base, difference in mine[what]["apart"].items():
            if what in trial.decides:
                words.append(direction(difference))
            figures.append(f"{what} {signed(difference)} against {base}")
    return together(words), f"{name}: " + ", ".join(figures)
