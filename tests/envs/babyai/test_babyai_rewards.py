"""The turn reward "progress"."""

from __future__ import annotations

import pytest

from agentgym import TurnRng
from agentgym.envs.babyai import actions, kernel, levels, rewards, tasks
from agentgym.envs.babyai.build import Thing, build
from agentgym.envs.babyai.env import BabyAIEnv
from agentgym.envs.babyai.mission import Desc, Leaf, Seq

# Cells inside: columns 1 to 4, rows 1 to 3. Without walls in between the walking distance is |dx| + |dy|.
ROOM = ("######", "#....#", "#....#", "#....#", "######")
BALL, KEY = Desc("ball", "red"), Desc("key", "blue")


def world(things, agent, tree, walls=ROOM, **options):
    return build(walls, things, agent, tree, room_size=5, **options)


def after(state, *names):
    for name in names:
        state, verdict = kernel.step(state, kernel.ACTIONS.index(name))
    return state, verdict


def test_go_to_grows_with_every_step_nearer():
    # Ball at (4, 1): the farthest cell is (1, 3), 3 + 2 = 5 steps; closeness is 1 - steps / (5 + 1).
    state = world([Thing("ball", "red", 4, 1)], (1, 3, 0), Leaf("go to", BALL))
    assert rewards.progress(state) == pytest.approx(1 - 5 / 6)
    state, _ = after(state, "go forward")
    assert rewards.progress(state) == pytest.approx(1 - 4 / 6)
    state, _ = after(state, "go forward", "go forward", "turn left", "go forward")  # now at (4, 2), the ball ahead
    assert rewards.progress(state) == 1.0


def test_turning_pays_nothing_before_the_end():
    state = world([Thing("ball", "red", 4, 1)], (2, 3, 0), Leaf("go to", BALL))
    assert rewards.progress(after(state, "turn left")[0]) == rewards.progress(state)


def test_pick_up_is_over_with_the_object_in_hand():
    state = world([Thing("ball", "red", 2, 1)], (1, 1, 0), Leaf("pick up", BALL))
    # Farthest from (2, 1) is (4, 3), 4 steps; beside it: 1 - 1 / 5.
    assert rewards.progress(state) == pytest.approx(0.8)
    assert rewards.progress(after(state, "pick up")[0]) == 1.0


def test_put_next_counts_half_a_walk_each():
    # Key at (1, 1), farthest (4, 3), 5 steps; ball at (4, 1), farthest (1, 3), 5 steps. The agent faces the key.
    things = [Thing("key", "blue", 1, 1), Thing("ball", "red", 4, 1)]
    state = world(things, (2, 1, 2), Leaf("put next", KEY, BALL))
    assert rewards.progress(state) == pytest.approx(0.5 * (1 - 1 / 6))
    state, _ = after(state, "pick up")  # at (2, 1), 2 steps from the ball
    assert rewards.progress(state) == pytest.approx(0.5 + 0.5 * (1 - 2 / 6))
    state, _ = after(state, "drop")  # back where it was
    assert rewards.progress(state) == pytest.approx(0.5 * (1 - 1 / 6))
    state, verdict = after(state, "pick up", "turn left", "turn left", "drop")  # at (3, 1), beside the ball
    assert verdict == kernel.SUCCESS
    assert rewards.progress(state) == 1.0


def test_sequences_count_their_deeds():
    things = [Thing("key", "blue", 1, 1), Thing("ball", "red", 4, 1)]
    tree = Seq("before", Leaf("pick up", KEY), Leaf("go to", BALL))
    state = world(things, (2, 1, 2), tree)
    assert rewards.progress(state) == pytest.approx((0 + 1 - 1 / 6) / 2)
    state, _ = after(state, "pick up")
    assert rewards.progress(state) == pytest.approx((1 + 1 - 2 / 6) / 2)


def test_a_free_order_follows_the_nearer_deed():
    things = [Thing("key", "blue", 1, 1), Thing("ball", "red", 4, 1)]
    tree = Seq("and", Leaf("pick up", KEY), Leaf("go to", BALL))
    near_key, near_ball = world(things, (2, 1, 1), tree), world(things, (3, 1, 1), tree)
    assert rewards.progress(near_key) == rewards.progress(near_ball) == pytest.approx((0 + 1 - 1 / 6) / 2)


def test_in_hand_before_it_was_asked_for_counts_half():
    things = [Thing("key", "blue", 1, 1), Thing("ball", "red", 4, 1)]
    state = world(things, (2, 2, 0), Leaf("pick up", KEY), carrying=0)
    assert rewards.progress(state) == 0.5


def test_nothing_to_walk_to_is_nothing():
    # The ball is in the box: no cell holds it.
    state = world([Thing("box", "grey", 1, 1, "", ("ball", "red"))], (2, 2, 0), Leaf("pick up", BALL))
    assert rewards.progress(state) == 0.0


def test_a_broken_instruction_is_nothing():
    things = [Thing("door", "red", 3, 2, "closed"), Thing("door", "blue", 1, 2, "closed")]
    tree = Leaf("open", Desc("door", "blue"), strict=True)
    state, verdict = after(world(things, (2, 2, 0), tree), "toggle")
    assert verdict == kernel.FAILURE
    assert rewards.progress(state) == 0.0


def test_doors_count_as_open_and_objects_as_air():
    walls = ("########", "#..#...#", "#..#...#", "########")
    door, box = Thing("door", "red", 3, 1, "locked"), Thing("box", "grey", 2, 1)
    ball = Thing("ball", "red", 6, 1)
    state = world([door, box, ball], (1, 1, 0), Leaf("go to", BALL), walls)
    # Straight along row 1: 5 steps from column 1; the farthest cell is (1, 2), 6 steps.
    assert rewards.progress(state) == pytest.approx(1 - 5 / 7)


def test_walls_without_a_way_are_nothing():
    walls = ("#######", "#..#..#", "#..#..#", "#######")
    state = world([Thing("ball", "red", 4, 1)], (1, 1, 0), Leaf("go to", BALL), walls)
    assert rewards.progress(state) == 0.0


def slow_field(state, goals):
    """Relax every cell until nothing changes."""
    far = 65535
    best = [0 if cell in goals else far for cell in range(len(state.cells))]
    changed = True
    while changed:
        changed = False
        for cell, code in enumerate(state.cells):
            if code == 1 or cell in goals:
                continue
            nearest = min(best[cell + step] for step in state.level.delta)
            if nearest + 1 < best[cell]:
                best[cell], changed = nearest + 1, True
    return best


@pytest.mark.parametrize("level", ["BabyAI-GoToObjMazeS4-v0", "BabyAI-UnlockPickup-v0", "BabyAI-OneRoomS8-v0"])
def test_fields_agree_with_slow_relaxation(level):
    for seed in range(3):
        state = levels.make(level, seed)
        cells = [cell for cell, code in enumerate(state.cells) if code > 1]
        for goals in ((cells[0],), tuple(cells[:2])):
            field, farthest = rewards.distance_field(state, goals)
            slow = slow_field(state, goals)
            assert list(field) == slow
            assert farthest == max(steps for steps in slow if steps != 65535)


@pytest.mark.parametrize("level", [*tasks.MIXED, "GoToRedBall"])
def test_rewards_add_up_to_the_change_of_the_potential(level):
    env = BabyAIEnv(level=level, signals=("menu",), reward="dense")
    for seed in range(6):
        _, info = env.reset(seed=seed)
        start, total, over = rewards.progress(env.state), 0.0, False
        draw = TurnRng(seed, stream="test")
        while not over:
            _, _, terminated, truncated, info = env.step(draw.choice([*info["menu"], "nonsense"]))
            total, over = total + info["turn_reward"], terminated or truncated
            assert 0.0 <= rewards.progress(env.state) <= 1.0
            assert info["success"] == (rewards.progress(env.state) == 1.0)
        assert total == pytest.approx(rewards.progress(env.state) - start, abs=1e-12)


def test_progress_of_a_state_does_not_depend_on_what_was_measured_before():
    env = BabyAIEnv(level="putnext")
    env.reset(seed=1)
    rng = TurnRng(0, 0, 0)
    first = env.state
    forward = env.apply(first, "go forward", rng)[0]
    for _ in range(2):
        for name in ("turn left", "go forward", "turn right"):
            turn, valid, _ = env.apply(first, name, rng)
            assert valid
            assert turn.rewards["progress"] == rewards.progress(turn.state) - rewards.progress(first)
    assert env.apply(first, "go forward", rng)[0] == forward
    assert actions.read("go forward") == kernel.FORWARD
