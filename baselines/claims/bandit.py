"""The stopping bias of mt_grpo: where rollouts end apart, going on is never credited.

A bandit of two turns. The policy goes on with probability ½, after which a second turn pays 0 or 2 with equal chance;
stopping pays nothing. With θ the log-odds of going on the objective is σ(θ)·1, its gradient ½·½·1 = 0.25. An estimate
of it is the mean over rollouts of A_{i,0}·(1[i went on] - ½).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.claims.verdicts import interval
from agentgym.baselines.features import Floats
from agentgym.batch import TurnBatch
from agentgym.rng import TurnRng

GRADIENT = 0.25
"""The true one."""
ESTIMATORS = ("mt_grpo", "mt_grpo_unbiased", "gtpo_hybrid", "grpo")
STOP, LOW, HIGH = 0, 1, 2
_PAYS = {STOP: (0.0,), LOW: (0.0, 0.0), HIGH: (0.0, 2.0)}


def measure(seeds: int = 20, groups: int = 250, size: int = 8) -> list[dict[str, Any]]:
    """Return a row an estimator: the gradient that it estimates, over `seeds` draws of `groups` groups of `size`."""
    found: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
    for seed in range(seeds):
        batch = bandit(draw(seed, groups, size))
        for name in ESTIMATORS:
            found[name].append(float(gradient(batch, credit.estimate(name, batch).total)))
    return [{"label": name, "truth": GRADIENT, **t_interval(values)} for name, values in found.items()]


def decide(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the verdict on the bias, a word of `verdicts.WORDS`, and the figures that decide."""
    found = {row["label"]: row for row in rows}
    biased, mended = found["mt_grpo"], found["mt_grpo_unbiased"]
    word = "shown" if biased["high"] < GRADIENT / 2 < mended["low"] else "not told apart"
    return word, (
        f"the true gradient of going on is {GRADIENT:.3f}; mt_grpo estimates {interval(biased, 3)}, mt_grpo_unbiased "
        f"{interval(mended, 3)}"
    )


def draw(seed: int, groups: int, size: int) -> list[list[int]]:
    """Return what the rollouts of every group did: STOP, LOW or HIGH."""
    rng = TurnRng(seed, stream="bandit")
    return [[(STOP, STOP, LOW, HIGH)[rng.bits() % 4] for _ in range(size)] for _ in range(groups)]


def bandit(groups: Sequence[Sequence[int]]) -> TurnBatch:
    """Return the record of groups of rollouts, each given by what it did."""
    rows = [
        (g, i, t, paid)
        for g, group in enumerate(groups)
        for i, did in enumerate(group)
        for t, paid in enumerate(_PAYS[did])
    ]
    group, trajectory, turn, paid = zip(*rows, strict=True)
    columns = {"group": group, "trajectory": trajectory, "turn": turn, "turn_reward": paid}
    return TurnBatch.from_columns({**columns, "outcome_reward": np.zeros(len(rows))})


def gradient(batch: TurnBatch, advantage: Floats) -> float:
    """Return the gradient of the log-odds of going on that an advantage of every row estimates."""
    first = batch.turn == 0
    went_on = batch.lengths[batch.rollout][first] == 2
    return float(np.mean(advantage[first] * (went_on - 0.5)))
