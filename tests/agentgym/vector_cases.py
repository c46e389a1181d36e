"""Vectors of one world in every kind, driven alike, and what they return in a form in which types count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from worlds import WORLDS

from agentgym import AgentEnv

HOOKS = ("menu", "potential", "expert", "describe")
KINDS: Mapping[str, Mapping[str, Any]] = {
    "own": {},
    "sync": {"vectorization_mode": "sync"},
    "async": {"vectorization_mode": "async"},
    "async, not shared": {"vectorization_mode": "async", "vector_kwargs": {"shared_memory": False}},
    "async, spawned": {"vectorization_mode": "async", "vector_kwargs": {"context": "spawn"}},
}


@contextmanager
def made(
    kind: str, world: str, num_envs: int, mode: AutoresetMode, **kwargs: Any
) -> Iterator[VectorEnv[Any, Any, Any]]:
    """Make a vector of a test world and close it."""
    how = dict(KINDS[kind])
    if kind == "own":
        how["autoreset_mode"] = mode
    else:
        how["vector_kwargs"] = {**how.get("vector_kwargs", {}), "autoreset_mode": mode}
    envs = gymnasium.make_vec(f"worlds:test/{world}-v0", num_envs, **how, **kwargs)
    try:
        yield envs
    finally:
        envs.close()


def golden_world(name: str, seed: int) -> AgentEnv[Any]:
    """Return a new world as the golden chains have it; spawned processes call this, so it imports little."""
    if name == "BabyAI":
        from golden_chains import babyai

        return babyai(seed).copy()
    if name == "TextToSQL":
        from golden_chains import text_to_sql

        return text_to_sql(seed).copy()
    if name == "CustomerService":
        from golden_chains import service

        return service(seed).copy()
    return WORLDS[name](signals=HOOKS) if name == "Counter" else WORLDS[name]()


def strict(value: Any) -> Any:
    """Return a value that is equal only where types, dtypes and shapes are equal too."""
    if isinstance(value, Mapping):
        return {key: strict(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.shape, [strict(item) for item in value.tolist()]
    if isinstance(value, list | tuple):
        return type(value).__name__, [strict(item) for item in value]
    return type(value).__name__, value


def driven(
    envs: VectorEnv[Any, Any, Any], actions: Sequence[Sequence[Any]], mode: AutoresetMode, seed: int
) -> list[Any]:
    """Return all that a vector returns, strictly; where nothing restarts by itself, ended slots are reset by mask."""
    seen = [strict(envs.reset(seed=seed))]
    for row in actions:
        texts, rewards, terminated, truncated, infos = envs.step(tuple(row))
        seen.append(strict((texts, rewards, terminated, truncated, dict(infos))))
        over = terminated | truncated
        if mode is AutoresetMode.DISABLED and over.any():
            seen.append(strict(envs.reset(options={"reset_mask": over})))
    return seen
