"""The golden chains come out of every kind of vector as they come out of single worlds.

SAME_STEP does what the chains do: a reset without a seed right after an end. The chains' actions depend on the world
that is played, so a single world plays first and the vectors repeat what it was told.
"""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import pytest
from golden_chains import TURNS, makers, stored
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers.vector import DictInfoToList
from hostile import choose
from vector_cases import golden_world
from worlds import WORLDS

from agentgym import AgentEnv, GroupVectorEnv, TurnRng

GOLDEN = stored()


def told(name: str, seed: int) -> list[Any]:
    """Return the actions of a golden chain, by playing it."""
    make, good = makers_of()[name]
    env, rng, actions = make(seed), TurnRng(seed, stream="golden"), []
    env.reset(seed=seed)
    for _ in range(TURNS):
        actions.append(choose(env, good, rng))
        if any(env.step(actions[-1])[2:4]):
            env.reset()
    return actions


@functools.cache
def makers_of() -> Mapping[str, tuple[Callable[[int], AgentEnv[Any]], Sequence[str]]]:
    return makers()


def plain(value: Any) -> Any:
    """Return JSON values for what a vector's columns made of them."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value if isinstance(value, list | str) else value.item()


def chains(envs: VectorEnv[Any, Any, Any], actions: Sequence[Sequence[Any]], seeds: list[int]) -> list[str]:
    """Return the golden chain of every slot, gathered from the columns alone; `seeds` is what `reset` takes."""
    listed: Any = DictInfoToList(envs)
    seen = [sha256() for _ in actions]

    def add(slot: int, record: Any) -> None:
        seen[slot].update(json.dumps(record, sort_keys=True).encode())

    texts, infos = listed.reset(seed=seeds)
    for slot, text in enumerate(texts):
        add(slot, [text, plain(infos[slot])])
    for row in zip(*actions, strict=True):
        texts, *columns, infos = listed.step(row)
        for slot, text in enumerate(texts):
            info = infos[slot]
            flags = [column[slot].item() for column in columns]
            if "final_info" in info:
                add(slot, [info.pop("final_obs"), *flags, plain(info.pop("final_info"))])
                add(slot, [text, plain(info)])
            else:
                add(slot, [text, *flags, plain(info)])
    for slot, moment in enumerate(envs.call("snapshot")):
        seen[slot].update(moment.to_bytes())
    envs.close()
    return [one.hexdigest() for one in seen]


PLACES = [(name, seed) for name in sorted(WORLDS) for seed in (0, 1)]
BABYAI = [("BabyAI", 0), ("BabyAI", 4), ("BabyAI", 60)]
SQL = [("TextToSQL", 0), ("TextToSQL", 3), ("CustomerService", 1)]
KINDS: dict[str, tuple[Callable[..., VectorEnv[Any, Any, Any]], list[tuple[str, int]]]] = {
    "sync": (SyncVectorEnv, PLACES + BABYAI + SQL),
    "forked": (functools.partial(AsyncVectorEnv, context="fork"), PLACES[::2] + BABYAI[:1] + SQL[:1]),
    "forked, not shared": (functools.partial(AsyncVectorEnv, context="fork", shared_memory=False), PLACES[1::2]),
    "spawned": (functools.partial(AsyncVectorEnv, context="spawn"), [PLACES[0], PLACES[-2], BABYAI[1]]),
    "spawned, every world": (functools.partial(AsyncVectorEnv, context="spawn"), PLACES + BABYAI + SQL),
}
"""Every kind, and world and seed of each of its slots: Gymnasium's vectors take different worlds of like spaces."""


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow) if "every" in kind else kind for kind in KINDS]
)
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_gymnasiums_vectors(kind: str) -> None:
    make, places = KINDS[kind]
    envs = make([functools.partial(golden_world, *place) for place in places], autoreset_mode=AutoresetMode.SAME_STEP)
    actions = [told(*place) for place in places]
    assert chains(envs, actions, [seed for _, seed in places]) == [GOLDEN[name][seed] for name, seed in places]


@pytest.mark.parametrize("workers", [None, "threads"])
@pytest.mark.parametrize("name", sorted(WORLDS))
def test_own_vectors(name: str, workers: str | None) -> None:
    seeds = list(range(20))
    envs = GroupVectorEnv(golden_world(name, 0), len(seeds), autoreset_mode="SameStep", workers=workers)
    actions = [told(name, seed) for seed in range(20)]
    assert chains(envs, actions, seeds) == GOLDEN[name][:20]


@pytest.mark.parametrize("workers", [None, "threads", "processes"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
@pytest.mark.parametrize("name, seed", [*(("BabyAI", seed) for seed in (0, 1, 2, 3, 4, 60)), *SQL])
def test_own_vectors_of_shipped_worlds(name: str, seed: int, workers: str | None) -> None:
    world = golden_world(name, seed)
    how = {"context": "fork"} if workers == "processes" else {}
    envs = GroupVectorEnv(world, 2, 2, autoreset_mode="SameStep", workers=workers, **how)  # both members play the chain
    assert chains(envs, [told(name, seed)] * 2, [seed]) == [GOLDEN[name][seed]] * 2
