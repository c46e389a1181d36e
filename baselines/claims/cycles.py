"""Can the transition reward of atr be farmed? Its paper says that going round in circles costs; a counter-example.

Scores move 1.0 → 0.5 → 0.49 → 1.0 for ever. With τ = 0.5 the first move stays High and is free, the second falls below
τ by 0.01 and costs 0.015, the third climbs back and pays 0.51: a round earns 0.495. With inside="signed" the first move
costs its 0.5 too, and a round earns -0.5·0.01 = -0.005.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agentgym import credit
from agentgym.baselines.benchmark.summary import t_interval
from agentgym.baselines.claims.verdicts import interval
from agentgym.batch import TurnBatch
from agentgym.rng import TurnRng

FARM = (0.5, 0.49, 1.0)
"""The scores of one round, begun at 1.0."""
RULES = ("matrix", "signed")
STEPS = 100
"""Random scores are multiples of 1/STEPS."""


def measure(seeds: int = 20, cycles: int = 500, rounds: int = 20) -> list[dict[str, Any]]:
    """Return rows: what a round of the farm earns, what farming is credited, and how many random cycles pay."""
    rows = [_exactly(f"one round of the farm, inside={inside}", earned([1.0, *FARM], inside)) for inside in RULES]
    for inside in RULES:
        solved, farmed = against_solving(rounds, inside)
        rows.append(_exactly(f"advantage of solving at once, inside={inside}", solved))
        rows.append(_exactly(f"advantage of {rounds} rounds of the farm, inside={inside}", farmed))
    for inside in RULES:
        shares = [share_that_pays(seed, cycles, inside) for seed in range(seeds)]
        rows.append({"label": f"share of random cycles that pay, inside={inside}", **t_interval(shares)})
    return rows


def decide(rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return the verdict on "every cycle loses", a word of `verdicts.WORDS`, and the figures that decide."""
    found = {row["label"]: row for row in rows}
    farm, signed = (found[f"one round of the farm, inside={inside}"]["value"] for inside in RULES)
    share, mended = (found[f"share of random cycles that pay, inside={inside}"] for inside in RULES)
    return "refuted" if farm > 0.0 else "shown", (
        f"the cycle 1.0 → 0.5 → 0.49 → 1.0 earns {farm:+.3f} a round, and {interval(share)} of random cycles pay; with "
        f'inside="signed" the round costs {-signed:.3f} and {interval(mended)} pay'
    )


def _exactly(label: str, value: float) -> dict[str, Any]:
    return {"label": label, "value": value, "low": value, "high": value}


def earned(scores: Sequence[float], inside: str) -> float:
    """Return the transition reward of a path of scores that begins at its first one."""
    path = _record([scores[1:]])
    made = credit.estimate("atr", path, inside=inside, initial_score=scores[0])
    return float(made.diagnostics["atr"][0])


def against_solving(rounds: int, inside: str) -> tuple[float, float]:
    """Return the advantages of a rollout that solves at once and of one that solves and then farms, one group."""
    batch = _record([[1.0], [1.0, *FARM * rounds]])
    made = credit.estimate("atr", batch, inside=inside).total
    return float(made[0]), float(made[-1])


def share_that_pays(seed: int, cycles: int, inside: str) -> float:
    """Return the share of random closed paths of 3 to 6 moves whose rewards sum to more than 0."""
    rng = TurnRng(seed, stream="cycles")
    opened = [[rng.integers(STEPS + 1) / STEPS for _ in range(3 + rng.integers(4))] for _ in range(cycles)]
    batch = _record([[*scores, scores[0]] for scores in opened])
    moves = np.where(batch.turn > 0, credit.estimate("atr", batch, inside=inside).diagnostics["transition"], 0.0)
    return float(np.mean(np.bincount(batch.rollout, moves) > 1e-9))


def _record(rollouts: Sequence[Sequence[float]]) -> TurnBatch:
    rows = [(i, t, score) for i, scores in enumerate(rollouts) for t, score in enumerate(scores)]
    trajectory, turn, score = zip(*rows, strict=True)
    columns = {"group": np.zeros(len(rows), np.int64), "trajectory": trajectory, "turn": turn}
    return TurnBatch.from_columns({**columns, "step_score": score})
