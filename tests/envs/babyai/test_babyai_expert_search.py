"""The BabyAI expert beside exhaustive search, in worlds of a few cells."""

from __future__ import annotations

import pytest
from babyai_search import shortest, world

from agentgym.envs.babyai import kernel
from agentgym.envs.babyai.expert import plan


def check(seed: int) -> str:
    """Compare one world; return what kind it is."""
    state = world(seed)
    best = shortest(state)
    if best == -1:
        return "too large"
    found = plan(state)
    assert (found is None) == (best is None), f"world {seed}: exhaustive search says {best}, the plan is {found}"
    if found is None or best is None:
        return "no way"
    assert len(found.actions) >= best, f"world {seed}: {len(found.actions)} actions, {best} is the least"
    walk = shortest(state, hands=False)
    if len(state.level.leaf) == 1 and walk is not None:
        assert len(found.actions) == walk, f"world {seed}: {len(found.actions)} actions, a walk of {walk} does"
        return "walk"
    return "shortest" if len(found.actions) == best else "longer"


def test_the_expert_finds_a_way_exactly_where_there_is_one():
    kinds = [check(seed) for seed in range(150)]
    assert {"no way", "walk", "shortest"} <= set(kinds), "the worlds are not varied enough"
    assert kinds.count("longer") <= 0.1 * len(kinds)


@pytest.mark.slow
def test_the_expert_finds_a_way_exactly_where_there_is_one_in_many_worlds():
    kinds = [check(seed) for seed in range(1000, 3000)]
    assert kinds.count("longer") <= 0.1 * len(kinds)


def follow(seed: int) -> None:
    state = world(seed)
    found = plan(state)
    while found is not None and found.actions:
        state, verdict = kernel.step(state, found.actions[0])
        following = plan(state)
        assert following is not None, f"world {seed}: the expert walked into a dead end"
        assert len(following.actions) < len(found.actions), f"world {seed}: {found.actions}, then {following.actions}"
        found = following
    assert found is None or verdict == "success"


def test_each_expert_action_shortens_the_plan():
    for seed in range(2000, 2200):
        follow(seed)


@pytest.mark.slow
def test_each_expert_action_shortens_the_plan_in_many_worlds():
    for seed in range(3000, 6000):
        follow(seed)
