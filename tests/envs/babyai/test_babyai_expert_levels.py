"""The BabyAI expert on all 96 levels and on the mixed local tasks."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from babyai_search import lost, shortest

from agentgym.envs.babyai import kernel, levels, mixed
from agentgym.envs.babyai.distance import around, free_cells, spread
from agentgym.envs.babyai.expert import expert_action, plan, remaining
from agentgym.envs.babyai.mission import Seq
from agentgym.envs.babyai.state import GridState, color_of, is_door, objects
from agentgym.rng import TurnRng

REFERENCE = os.environ.get("AGENTGYM_REFERENCE")


def hopeless(state: GridState) -> bool:
    """True for starts that the rules themselves make unsolvable, found here without the planner.

    Strict doors in an order: the toggle that opens the first is at once judged as the wrong door for the second.
    A locked door whose key lies behind it: GoToImpUnlock makes such worlds now and then.
    """
    tree = state.level.mission_tree
    if isinstance(tree, Seq) and tree.order != "and" and all(leaf.strict for leaf in state.level.leaf):
        return True
    ways = free_cells(state.cells)
    ways |= sum(1 << cell for cell, code in enumerate(state.cells) if code > 1)
    locked = [thing for thing in objects(state) if thing.state == "locked"]
    ways &= ~sum(1 << thing.cell for thing in locked)
    reach = spread(1 << state.pos, ways, state.level.width)
    keys = {thing.color for thing in objects(state) if thing.type == "key" and reach >> thing.cell & 1}
    keys |= {thing.content[1] for thing in objects(state) if thing.content and reach >> thing.cell & 1}
    if any(thing.color in keys for thing in locked):
        return False
    cells = [cell for noted in state.noted for cell in noted]
    return bool(cells) and not any((reach | around(reach, state.level.width)) >> cell & 1 for cell in cells)


def play(state: GridState) -> int:
    """Play the plan through the kernel; return its length."""
    found = plan(state)
    assert found is not None
    for i, action in enumerate(found.actions):
        state, verdict = kernel.step(state, action)
        assert verdict == ("success" if i == len(found.actions) - 1 else "continue")
    return len(found.actions)


def follow(state: GridState, where: str) -> int:
    """Ask the expert anew before each action; its plan must get shorter every time. Return the number of actions."""
    found = plan(state)
    assert found is not None, where
    taken = 0
    while found.actions:
        assert expert_action(state) == found.actions[0]
        state, _ = kernel.step(state, found.actions[0])
        following = plan(state)
        taken += 1
        assert following is not None, f"{where}: no way any more after {taken} actions"
        assert len(following.actions) < len(found.actions), f"{where}: no progress by action {taken}"
        found = following
    assert state.solved, where
    return taken


def wander(state: GridState, draw: random.Random, steps: int) -> GridState:
    for _ in range(steps):
        nxt, verdict = kernel.step(state, draw.choices(range(7), (16, 16, 34, 14, 10, 9, 1))[0])
        if verdict != "continue":
            break
        state = nxt
    return state


def test_the_expert_solves_a_start_of_every_level_by_planning_anew():
    for level in levels.names():
        state = levels.make(level, 5)
        if hopeless(state):
            assert plan(state) is None, level
        else:
            assert follow(state, level) <= state.level.max_steps


@pytest.mark.slow
def test_a_plan_can_grow_by_the_experts_own_action_and_still_ends():
    # The one known case, of four deeds with things to move between them.
    state, left, taken = levels.make("BabyAI-SynthSeq-v0", 1860277), [], 0
    while not state.solved:
        left.append(remaining(state))
        state, _ = kernel.step(state, expert_action(state))
        taken += 1
        assert taken <= state.level.max_steps
    assert taken == 98
    assert [(a, b) for a, b in zip(left, left[1:], strict=False) if b >= a] == [(67, 68)]


def test_the_expert_solves_another_start_of_every_level_in_time():
    for level in levels.names():
        state = levels.make(level, 4)
        if hopeless(state):
            assert plan(state) is None, level
        else:
            assert play(state) <= state.level.max_steps, level


def test_the_expert_goes_on_from_where_random_play_ends():
    for level in levels.names():
        state = wander(levels.make(level, 6), random.Random(level), 40)
        if lost(state) or hopeless(state):
            assert plan(state) is None, level
        else:
            follow(state, level)


@pytest.mark.slow
@pytest.mark.parametrize("level", levels.names())
def test_the_expert_solves_every_level(level):
    for seed in range(100, 108):
        state = levels.make(level, seed)
        if hopeless(state):
            assert plan(state) is None, f"{level} seed {seed}"
            continue
        assert follow(state, f"{level} seed {seed}") <= state.level.max_steps
        state = wander(state, random.Random(seed), 20 * (seed - 99))
        if lost(state):
            assert plan(state) is None, f"{level} seed {seed}"
        else:
            follow(state, f"{level} seed {seed} after random play")


@pytest.mark.parametrize("task", mixed.TASKS)
def test_the_expert_solves_the_mixed_local_tasks(task):
    for seed in range(8):
        state = mixed.draw(task, TurnRng(seed))
        assert follow(state, f"{task} seed {seed}") <= state.level.max_steps


@pytest.mark.parametrize("task", ["goto", "pickup"])
def test_in_a_single_room_the_plan_is_the_shortest_walk(task):
    for seed in range(20):
        state = mixed.draw(task, TurnRng(seed))
        assert play(state) == shortest(state, hands=False)


def test_the_key_behind_its_own_door():
    state = levels.make("BabyAI-GoToImpUnlock-v0", 6)
    doors = [color_of(state.level, code) for code in state.cells if is_door(code) and (code - 2) % 3 == 2]
    assert doors == ["yellow"]
    assert hopeless(state)
    assert plan(state) is None


def test_plans_do_not_depend_on_what_was_asked_before():
    states = [wander(levels.make(level, 2), random.Random(level), 15) for level in levels.names()[::6]]
    plan.cache_clear()
    forward = [plan(state) for state in states]
    plan.cache_clear()
    backward = [plan(state) for state in reversed(states)]
    assert forward == backward[::-1]


PROGRAM = """
from agentgym.envs.babyai import mixed
from agentgym.envs.babyai.expert import plan
from agentgym.rng import TurnRng
print([plan(mixed.draw(task, TurnRng(seed))) for task in mixed.TASKS for seed in range(4)])
"""


def test_plans_are_the_same_in_every_process():
    said = []
    for hashing in ("0", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": hashing}
        root = Path(__file__).parents[3]
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, cwd=root, capture_output=True, text=True, check=True
        )
        said.append(done.stdout)
    assert said[0] == said[1]
    assert said[0].count("Plan(") == 20


@pytest.mark.skipif(not REFERENCE, reason="set AGENTGYM_REFERENCE to the folder with the recordings")
def test_no_plan_is_longer_than_the_recorded_episode_of_the_bot():
    with gzip.open(Path(str(REFERENCE), "oracles", "babyai", "bot.jsonl.gz"), "rt", encoding="utf-8") as lines:
        episodes = [json.loads(line) for line in lines]
    won = [episode for episode in episodes if episode["reward"] and episode["reward"][-1] > 0]
    assert len(won) >= 80
    for episode in won:
        state = levels.make(episode["id"], episode["seed"])
        assert play(state) <= len(episode["actions"]), f"{episode['id']} seed {episode['seed']}"
