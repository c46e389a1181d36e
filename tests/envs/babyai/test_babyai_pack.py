"""States as plain values: exact both ways, through the canonical bytes too."""

from __future__ import annotations

import random

import pytest

from agentgym import digest
from agentgym.envs.babyai import kernel, levels, mixed, pack
from agentgym.rng import TurnRng


@pytest.mark.parametrize("level", ["BabyAI-BossLevel-v0", "BabyAI-KeyInBox-v0", "BabyAI-PutNextS7N4Carrying-v0"])
def test_unpack_inverts_pack_all_along_an_episode(level):
    state, draw = levels.make(level, 4), random.Random(4)
    for _ in range(60):
        again = pack.unpack(digest.decode(digest.encode(pack.pack(state))))
        assert again == state
        assert again.canonical() == state.canonical()
        assert again.level.leaf == state.level.leaf
        assert again.level.looks == state.level.looks
        action = draw.randrange(7)
        assert kernel.step(again, action) == kernel.step(state, action)
        state, verdict = kernel.step(state, action)
        if verdict != "continue":
            break


def test_what_pack_did_not_make_is_refused():
    plain = pack.pack(mixed.draw("goto", TurnRng(1)))
    for damaged in ((), plain[:-1], 7, (*plain[:3], ("fly to", *plain[3][1:]), *plain[4:])):
        with pytest.raises(ValueError):
            pack.unpack(damaged)
