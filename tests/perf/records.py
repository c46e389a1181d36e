"""Rows of the record and of the estimators: gigpo, grpo, building a batch."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from agentgym import TurnBatch, TurnRng
from agentgym.credit import estimate
from tests.perf import baselines
from tests.perf.measure import Clock, Line, Setting, Work, calibration, cost, line

GROUP = 8
LENGTHS = (31, 7, 44, 12, 23, 60, 3, 18)
"""Turns of the rollouts of a group."""
STATES = 40
"""Different states in a group, so that step groups hold several turns."""
FRESH = 4
"""Batches prepared for one timed pass: a batch keeps what it has computed, so each is used once."""


def rows(turns: int, seed: int = 0) -> list[dict[str, Any]]:
    """Return a record of so many turns with the columns that `collect` makes; groups of 8 rollouts of uneven length."""
    made: list[dict[str, Any]] = []
    rollout = 0
    while len(made) < turns:
        length = min(LENGTHS[rollout % GROUP], turns - len(made))
        made += _rollout(rollout, length, TurnRng(seed, rollout, 0))
        rollout += 1
    return made


def _rollout(number: int, length: int, rng: TurnRng) -> Iterator[dict[str, Any]]:
    group, member = divmod(number, GROUP)
    task = f"task-{group}"
    states = [f"{group:016x}{rng.integers(STATES):016x}" for _ in range(length + 1)]
    success = rng.random() < 0.5
    for turn in range(length):
        last = turn == length - 1
        gain = (rng.integers(9) - 4) / 8
        yield {
            "group": f"{task}#{group}",
            "trajectory": f"{task}#{group}/{member}",
            "turn": turn,
            "task": task,
            "seed": group,
            "branch": 0,
            "state": states[turn],
            "next_state": states[turn + 1],
            "anchor": states[turn],
            "turn_reward": gain,
            "outcome_reward": float(last and success),
            "components": {"progress": gain},
            "success": success,
            "terminated": last and success,
            "truncated": last and not success,
            "end_reason": "" if not last else "solved" if success else "turn_limit",
            "valid": turn % 11 != 10,
            "kind": "say",
            "observation": f"a wall {turn} steps forward\na red ball {member} steps left",
            "action": ("turn left", "go forward", "pick up")[turn % 3],
            "tokens": 1,
        }


def arrays(record: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the columns that the naive gigpo reads, ids as arrays of objects."""
    found: dict[str, Any] = {}
    names = ("turn", "turn_reward", "outcome_reward")
    found: dict[str, Any] = {name: np.array([row[name] for row in record]) for name in names}
    found["trajectory"] = np.array([row["trajectory"] for row in record], dtype=object)
    return found


def on(record: list[dict[str, Any]], estimator: str) -> Work:
    """Return the work of estimating on batches that have computed nothing yet."""
    batch = TurnBatch.from_rows(record)

    def run(batches: list[TurnBatch]) -> None:
        for fresh in batches:
            estimate(estimator, fresh)

    return Work(run, FRESH, lambda: [batch.with_meta() for _ in range(FRESH)])


def gigpo(clock: Clock, setting: Setting) -> Iterator[Line]:
    small, large = rows(setting.turns), rows(10 * setting.turns)
    columns = arrays(small)
    works = {
        "ours": on(small, "gigpo"),
        "naive": Work(lambda _: baselines.gigpo(columns, small)),
        "large": on(large, "gigpo"),
        "calibration": calibration(),
    }
    times = clock.alternate(replace(setting, rounds=min(5, setting.rounds)), works)
    n = setting.turns
    yield line(f"gigpo, {n:,} turns", "batch", times["ours"], "naive loops (stand-in)", times["naive"], "≥", 500)
    yield line(f"gigpo, {10 * n:,} turns", "batch", times["large"], f"{n:,} turns", times["ours"], "≤", 14)
    yield cost(f"gigpo, {n:,} turns", "batch", times["ours"], times["calibration"], 2e-3 * n / 10_000)
    yield cost(f"gigpo, {10 * n:,} turns", "batch", times["large"], times["calibration"], 25e-3 * n / 10_000)


def grpo(clock: Clock, setting: Setting) -> Iterator[Line]:
    record = rows(setting.turns)
    works = {"ours": on(record, "grpo"), "loop": Work(lambda _: baselines.grpo(record)), "calibration": calibration()}
    times = clock.alternate(setting, works)
    name = f"group normalisation, {setting.turns:,} turns"
    yield cost(name, "batch", times["ours"], times["calibration"], 0.5e-3 * setting.turns / 10_000)
    yield line(name, "batch", times["ours"], "loop over rows (stand-in)", times["loop"], "≥")


def building(clock: Clock, setting: Setting) -> Iterator[Line]:
    small, large = rows(setting.turns), rows(10 * setting.turns)
    columns = {name: [row[name] for row in small] for name in small[0]}
    works = {
        "columns": Work(lambda _: TurnBatch.from_columns(columns), len(small)),
        "small": Work(lambda _: TurnBatch.from_rows(small), len(small)),
        "large": Work(lambda _: TurnBatch.from_rows(large), len(large)),
        "calibration": calibration(),
    }
    times = clock.alternate(setting, works)
    n = setting.turns
    yield cost(f"TurnBatch from {n:,} rows", "turn", times["small"], times["calibration"], 3e-6)
    yield cost(f"TurnBatch from columns of {n:,} rows", "turn", times["columns"], times["calibration"], 3e-6)
    whole = {name: [seconds * works[name].units for seconds in times[name]] for name in ("small", "large")}
    yield line(f"TurnBatch from {10 * n:,} rows", "batch", whole["large"], f"{n:,} rows", whole["small"], "≤", 14)
