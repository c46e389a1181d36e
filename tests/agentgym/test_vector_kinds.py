"""Sync, async with and without shared memory, spawned and our own vectors return the same, type for type."""

import pytest
import worlds
from gymnasium.vector import AutoresetMode
from vector_cases import KINDS, driven, made

SIGNALS = {"Counter": {"signals": ["menu", "potential", "expert", "describe"], "privileged": True}}


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("world", worlds.WORLDS)
def test_own_vectors_return_what_sync_returns(world: str, mode: AutoresetMode) -> None:
    actions = list(zip(*(worlds.script(world, slot, 20) for slot in range(3)), strict=True))
    found = {}
    for kind in ("own", "sync"):
        with made(kind, world, 3, mode, **SIGNALS.get(world, {})) as envs:
            found[kind] = driven(envs, actions, mode, seed=11)
            assert envs.metadata["autoreset_mode"] is mode
    assert len(found["own"]) >= 21
    assert found["own"] == found["sync"]


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_every_kind_returns_the_same(mode: AutoresetMode) -> None:
    hostile = ["\x00", "😀" * 300, "", "\ud800", worlds.SCRIPTS["Talk"][2], "ÄÖÜ", "bye", "a" * 9000]
    actions = list(zip([*hostile, *hostile], [*reversed(hostile), *hostile], strict=True))
    kinds = [kind for kind in KINDS if kind != "async, spawned" or mode is AutoresetMode.SAME_STEP]
    found = {}
    for kind in kinds:
        with made(kind, "Talk", 2, mode) as envs:
            found[kind] = driven(envs, actions, mode, seed=5)
    texts = [row[1][0] for row in found["sync"]]
    assert any("😀" in str(text) for text in texts) and any("\\x00" in repr(text) for text in texts)
    for kind in kinds:
        assert found[kind] == found["sync"], kind
