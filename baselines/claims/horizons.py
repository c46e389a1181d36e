"""Rewards of two horizons: hian against the merged sum when the episode pays 1, 10 and 100 times what a turn pays.

A conversation of four turns. In each the policy chooses, independently, to be polite, which the turn pays with 1, and
to help; the episode succeeds with probability (turns that helped) / 4 and then pays `scale`. What is learned of each is
exact: the policy is a table of eight log-odds, and its politeness and success are the means of its probabilities.

Advantages are scaled to root mean square 1 in every batch and the step is the same for all, as in the learning track.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.baselines.benchmark.learning import scaled
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.claims.verdicts import direction, signed
from agentgym.baselines.features import Floats
from agentgym.batch import TurnBatch
from agentgym.rng import TurnRng

SCALES = (1.0, 10.0, 100.0)
ESTIMATORS = ("grpo", "turn_return", "hian")
"""The base first."""
TURNS, CHOICES = 4, ("polite", "success")


def measure(
    seeds: int = 12,
    updates: int = 30,
    groups: int = 4,
    size: int = 8,
    step: float = 1.0,
    scales: Sequence[float] = SCALES,
) -> list[dict[str, Any]]:
    """Return a row for each scale, estimator and thing learned: its value after the last update, and against grpo.

    "value" is the mean over seeds, "difference" its paired difference to grpo, both with Student's interval.
    """
    rows = []
    for scale in scales:
        ends = {
            name: np.array([learn(name, scale, seed, updates, groups, size, step) for seed in range(seeds)])
            for name in ESTIMATORS
        }
        for name in ESTIMATORS:
            for place, what in enumerate(CHOICES):
                apart = t_interval((ends[name] - ends[ESTIMATORS[0]])[:, place].tolist())
                about = {"label": f"{what} at {scale:g}, {name}", "estimator": name, "scale": scale, "what": what}
                rows.append({**about, **t_interval(ends[name][:, place].tolist()), "difference": apart})
    return rows


def decide(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the verdict on hian against grpo on the merged reward where the episode pays most, and its figures."""
    most = max(row["scale"] for row in rows)
    apart = {(row["scale"], row["what"]): row["difference"] for row in rows if row["estimator"] == "hian"}
    scales = [scale for scale in sorted({row["scale"] for row in rows}) if scale > 1.0]
    polite = ", ".join(f"{signed(apart[scale, 'polite'])} at {scale:g}×" for scale in scales)
    return direction(apart[most, "polite"]), (
        f"what the turns pay for is learned better than from the merged reward, by {polite}; the session's success "
        f"differs by {signed(apart[most, 'success'])} at {most:g}×"
    )


def learn(name: str, scale: float, seed: int, updates: int, groups: int, size: int, step: float) -> Floats:
    """Return the politeness and the success of a policy that began at ½ and learned from one estimator."""
    odds = np.zeros((TURNS, 2))
    for update in range(updates):
        chance = 1.0 / (1.0 + np.exp(-odds))
        rng = TurnRng(seed, turn=update, stream="horizons")
        marks = np.array([rng.random() for _ in range(groups * size * (2 * TURNS + 1))]).reshape(groups * size, -1)
        did = marks[:, :-1].reshape(-1, TURNS, 2) < chance
        won = marks[:, -1] < did[:, :, 1].mean(axis=1)
        advantage = scaled(credit.estimate(name, talk(did, won * scale, size)).total).reshape(-1, TURNS, 1)
        odds += step * np.mean(advantage * (did - chance), axis=0)
    learned: Floats = (1.0 / (1.0 + np.exp(-odds))).mean(axis=0)
    return learned


def talk(did: np.ndarray[Any, Any], paid: Floats, size: int) -> TurnBatch:
    """Return the record of conversations.

    Args:
        did: (rollouts, TURNS, 2) whether each turn was polite and whether it helped.
        paid: (rollouts,) what each episode paid.
        size: rollouts a group.
    """
    number = np.repeat(np.arange(len(did)), TURNS)
    turn = np.tile(np.arange(TURNS), len(did))
    return TurnBatch.from_columns(
        {
            "group": number // size,
            "trajectory": number,
            "turn": turn,
            "turn_reward": did[:, :, 0].ravel().astype(np.float64),
            "outcome_reward": np.where(turn == TURNS - 1, paid[number], 0.0),
        }
    )
