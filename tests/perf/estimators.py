"""Rows of all other estimators against gigpo, on a record with every column; proxmo against its dense form.

An estimator that is registered joins by itself. Its columns come from `tests.agentgym.credit_cases`, where the tests of
its properties need them too.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from agentgym import TurnBatch
from agentgym.credit import estimate, info, names
from tests.agentgym.credit_cases import rows_of
from tests.perf import baselines, records
from tests.perf.measure import Clock, Line, Setting, Work, line

POOL, LENGTH = 20, 5
"""Rollouts, and turns of each, that lend the columns that few estimators read, over and over."""

OURS = tuple(
    name
    for name in names()
    if info(name).function.__module__.startswith("agentgym.") and (name != "apex_plan" or find_spec("scipy"))
)
"""The estimators of the library; apex_plan matches plans with scipy."""


def record(turns: int) -> TurnBatch:
    """Return a record like `records.rows`, with every column that any estimator reads."""
    rows = records.rows(turns)
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
    pool = rows_of(np.random.default_rng(0), [[LENGTH] * POOL])
    rollout = np.cumsum(np.array(columns["turn"]) == 0) - 1
    lender = (rollout % POOL * LENGTH + np.array(columns["turn"]) % LENGTH).tolist()
    for name in pool[0]:
        if name not in columns or name in ("tokens", "action"):  # these two agree with columns of the pool
            columns[name] = [pool[n][name] for n in lender]
    return TurnBatch.from_columns(columns)


def work(batch: TurnBatch, name: str) -> Work:
    """Return the work of estimating on a batch that has computed nothing yet."""
    return Work(lambda fresh: estimate(name, fresh), 1, batch.with_meta)


def against_gigpo(clock: Clock, setting: Setting) -> Iterator[Line]:
    n = setting.turns
    times: list[dict[str, list[float]]] = []
    for turns in (n, 10 * n):
        batch = record(turns)
        short = replace(setting, rounds=min(5, setting.rounds), sample=min(0.01, setting.sample))
        times.append(clock.alternate(short, {name: work(batch, name) for name in OURS}))
    small, large = times
    for name in OURS:
        if name == "gigpo":  # which has a row of its own
            continue
        bound = None if name in by_token() else 6
        yield line(f"{name}, {10 * n:,} turns", "batch", large[name], "gigpo", large["gigpo"], "≤", bound)
        yield line(f"{name}, {10 * n:,} turns", "batch", large[name], f"{n:,} turns", small[name], "≤", 14)


@cache
def by_token() -> frozenset[str]:
    """Return those that tell tokens of a turn apart: their work grows with the tokens, so only its growth is bound."""
    batch = record(records.GROUP)
    return frozenset(name for name in OURS if estimate(name, batch).tokens is not None)


def proxmo(clock: Clock, setting: Setting) -> Iterator[Line]:
    rows = records.rows(setting.turns)
    apart = [{**row, "observation": f"{row['observation']}, step {n}"} for n, row in enumerate(rows)]
    works = {
        "ours": work(TurnBatch.from_rows(rows), "proxmo"),
        "apart": work(TurnBatch.from_rows(apart), "proxmo"),
        "dense": Work(lambda _: baselines.proxmo(rows)),
    }
    times = clock.alternate(replace(setting, rounds=min(3, setting.rounds)), works)
    name = f"proxmo, {setting.turns:,} turns"
    yield line(name, "batch", times["ours"], "dense form (stand-in)", times["dense"], "≥", 30)
    yield line(f"{name}, all texts different", "batch", times["apart"], "texts met again", times["ours"], "≤")
