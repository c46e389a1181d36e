"""Which turns broke a rule, learned from one label a talk, beside the true violations that only the world knows.

The label of TraCeS says of a whole rollout whether all of its turns kept the rules. The estimator learns from it over a
few batches, and is then asked about the turns of rollouts that it has not seen. The area under the curve is the share
of pairs of a turn that broke a rule and one that kept them in which the first is held for less safe; 0.5 is chance.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from agentgym.baselines.benchmark.learning import beginner
from agentgym.baselines.benchmark.settings import Panel, sales, service
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.claims.verdicts import direction, interval, together
from agentgym.baselines.features import Floats
from agentgym.baselines.safety import SafetyPolicy
from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.rng import TurnRng
from agentgym.rollout import build, collect

PANELS: Mapping[str, Panel] = {"sales": sales(), "service": service()}
TASKS, ROLLOUTS = 8, 8
"""Of a batch."""
TOLD, ANEW = "one a talk", "dealt anew"
"""The true labels, and the same labels given to other rollouts."""


def measure(
    seeds: int = 8, batches: int = 12, panels: Sequence[str] = tuple(PANELS), size: int = ROLLOUTS, begin: bool = True
) -> list[dict[str, Any]]:
    """Return a row for each panel and kind of label: the area under the curve on unseen rollouts, with its interval.

    "dealt anew" are the same labels, given to other rollouts: what is left then was not learned from them. The
    "difference" is to these, paired by seed.

    Args:
        seeds: of each panel.
        batches: from which is learned.
        panels: of `PANELS`.
        size: rollouts of each task.
        begin: as the panel says; else uniform, for a look.
    """
    rows = []
    for name in panels:
        panel, kinds = PANELS[name] if begin else replace(PANELS[name], learn_from=0.0), (TOLD, ANEW)
        found = {kind: [area_of(panel, seed, batches, kind == ANEW, size) for seed in range(seeds)] for kind in kinds}
        areas = {kind: np.array([area for area, _ in found[kind]]) for kind in kinds}
        rows += [
            {
                "label": f"{name}, labels {kind}",
                "panel": name,
                "labels": kind,
                **t_interval(areas[kind].tolist()),
                "broken": float(np.mean([share for _, share in found[kind]])),
                "difference": t_interval((areas[kind] - areas[ANEW]).tolist()),
            }
            for kind in kinds
        ]
    return rows


def area_of(panel: Panel, seed: int, batches: int, shuffled: bool, size: int = ROLLOUTS) -> tuple[float, float]:
    """Return the area under the curve of a panel, and the share of turns that broke a rule, on unseen rollouts."""
    world = build(panel.env, panel.kwargs)
    tasks = [task.id for task in world.panel["train"]]
    policy = beginner(panel, seed).copy()
    learner = SafetyPolicy(policy)
    for number in range(batches):
        rng = TurnRng(seed, turn=number, stream="labels")
        drawn = [rng.choice(tasks) for _ in range(TASKS)]
        batch = collect(world, learner, tasks=drawn, group_size=size, seed=(seed + 1) * 1_000_000 + number * 1_000)
        learner.make(dealt(batch, rng) if shuffled else batch, world)
        learner.features.forget()
    learner.steps = 0  # from here on it only says what it believes
    rng = TurnRng(seed, turn=batches, stream="labels")
    drawn = [rng.choice(tasks) for _ in range(4 * TASKS)]
    unseen = collect(world, learner, tasks=drawn, group_size=size, seed=(seed + 1) * 1_000_000 + batches * 1_000)
    believed = np.asarray(learner.make(unseen, world)["log_safe"])
    broken = broken_in(world, unseen)
    return area(-believed, broken), float(np.mean(broken))


def broken_in(world: AgentEnv[Any], batch: TurnBatch) -> Any:
    """Return which turns of a batch broke a rule, bool [turns]: where the world keeps that a secret, by playing again.

    A world that tells with its last turn alone whether the talk was safe lists the broken rules among its secrets.
    """
    cost = np.asarray(batch["cost"]) > 0
    if not cost.any() or (cost & ~batch.last).any():
        return cost
    again, found = build(world.env_id, {**world.spec_dict()["kwargs"], "privileged": True}), np.zeros(len(batch), bool)
    for begin, turns in zip(batch.starts.tolist(), batch.lengths.tolist(), strict=True):
        known = 0
        for row in batch.order[begin : begin + turns].tolist():
            if not batch.turn[row]:
                again.reset(seed=int(batch.seed[row]), options={"task": str(batch.task[row])})
            *_, info = again.step(batch.action[row])
            count = len(json.loads(info["privileged"])["broken"])
            found[row], known = count > known, count
    return found


def dealt(batch: TurnBatch, rng: TurnRng) -> TurnBatch:
    """Return the batch with the labels of its rollouts dealt anew among them; a label stands on every turn."""
    safe = np.bincount(batch.rollout, ~np.asarray(batch["safe"], dtype=bool)) == 0
    order = np.array(rng.shuffled(range(len(safe))))
    return batch.with_columns(safe=safe[order][batch.rollout])


def area(score: Floats, positive: Any) -> float:
    """Return the area under the curve: P(score of a positive > score of another), ties counting half; 0.5 without any.

    Args:
        score: shape [turns].
        positive: bool, shape [turns].
    """
    above, below = score[positive], np.sort(score[~positive])
    if not len(above) or not len(below):
        return 0.5
    less, most = np.searchsorted(below, above, "left"), np.searchsorted(below, above, "right")
    return float(np.mean(less + most) / (2 * len(below)))


def decide(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return whether labels of whole talks tell which turns broke a rule better than labels dealt anew do."""
    mine = [row for row in rows if row["labels"] == TOLD]
    anew = {row["panel"]: row for row in rows if row["labels"] == ANEW}
    told = "; ".join(
        f"on {row['panel']} the area under the curve is {interval(row)}, with labels dealt anew "
        f"{interval(anew[row['panel']])}, where {row['broken']:.1%} of the turns break a rule"
        for row in mine
    )
    return together([direction(row["difference"]) for row in mine]), told
