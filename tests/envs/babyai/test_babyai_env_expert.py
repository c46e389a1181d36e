"""Expert, potential, critique and subgoals as the world hands them out."""

from __future__ import annotations

import pytest

from agentgym import TurnRng, validate_info
from agentgym.envs.babyai import expert, kernel, tasks
from agentgym.envs.babyai.build import Thing, build
from agentgym.envs.babyai.env import BabyAIEnv
from agentgym.envs.babyai.mission import Desc, Leaf

GROWS = {"MoveTwoAcrossS8N9-v0-2017"}  # solved too, but one action makes the plan longer by one (see expert.py)
ALL = ("menu", "describe", "potential", "expert", "critique", "subgoal")


def solve(env, task):
    """Let the expert play; return the infos of all turns."""
    _, info = env.reset(seed=0, options={"task": task.id})
    infos, over = [info], False
    while not over:
        _, _, terminated, truncated, info = env.step(info["expert"])
        infos.append(info)
        over = terminated or truncated
    return infos


def check_expert(panel, count):
    env = BabyAIEnv(level=panel, signals=("expert", "potential", "critique"))
    for split in tasks.SPLITS:
        for task in env.panel[split][:count]:
            infos = solve(env, task)
            assert infos[-1]["success"], f"{task.id}: {infos[-1]['end_reason']}"
            potentials = [info["potential"] for info in infos]
            if task.id in GROWS:
                continue
            assert all(later >= before + 1 for before, later in zip(potentials, potentials[1:], strict=False)), task.id
            assert potentials[-1] == 0.0
            assert {info["critique"] for info in infos[1:]} == {1.0}


@pytest.mark.parametrize("panel", tasks.PANELS)
def test_the_expert_solves_the_panel_and_its_potential_rises(panel):
    check_expert(panel, 1)


@pytest.mark.slow
@pytest.mark.parametrize("panel", tasks.PANELS)
def test_the_expert_solves_much_of_the_panel(panel):
    check_expert(panel, 100)


def test_signals_are_valid_and_there_on_every_turn():
    env = BabyAIEnv(level="putnext", signals=ALL)
    for seed in range(3):
        _, info = env.reset(seed=seed)
        validate_info(info)
        for turn in range(20):
            draw = TurnRng(seed, 0, turn, "test")
            *_, terminated, truncated, info = env.step(draw.choice([*info["menu"], "nonsense", info["expert"]]))
            validate_info(info)
            assert {"critique", "subgoal", "switch", "potential", "describe"} <= set(info)
            if terminated or truncated:
                break


def test_critique_says_whether_the_plan_became_shorter():
    env = BabyAIEnv(level="pickup", signals=ALL)
    env.reset(seed=3)
    for text in ("turn left", "turn right", "nonsense", "go forward", "done", "drop", "go forward", "turn left"):
        before = expert.remaining(env.state)
        *_, info = env.step(text)
        after = expert.remaining(env.state)
        assert info["critique"] == (before > after) - (before < after)
        assert info["potential"] == -float(after)
    assert env.step("nonsense")[-1]["critique"] == 0.0


def test_subgoals_follow_the_expert_and_switch_where_they_change():
    env = BabyAIEnv(level="open", signals=ALL)
    _, info = env.reset(seed=1)
    pursued, before, over = [], "", False
    while not over:
        mine = expert.subgoal(env.state)
        *_, terminated, truncated, info = env.step(info["expert"])
        assert (info["subgoal"], info["switch"]) == (mine, mine != before)
        over, before = terminated or truncated, mine
        pursued.append(mine)
    kinds = [text.split(" the ")[0] for text in dict.fromkeys(pursued)]
    assert "pick up" in kinds  # the key
    assert kinds[-1] == "open"  # the locked door


def test_the_first_turn_of_every_episode_begins_a_subgoal():
    env = BabyAIEnv(level="open", signals=("subgoal",))
    for _ in range(2):
        _, info = env.reset(seed=1)
        assert "subgoal" not in info
        assert env.step("turn left")[-1]["switch"] is True


def test_restored_moments_know_the_subgoal_before():
    env = BabyAIEnv(level="pickup", signals=ALL)
    _, info = env.reset(seed=6)
    *_, info = env.step(info["expert"])
    other = BabyAIEnv(level="pickup", signals=ALL)
    other.restore(env.snapshot().to_bytes())
    [fork] = env.fork()
    action = info["expert"]
    assert env.step(action) == other.step(action) == fork.step(action)


def test_pure_transitions_leave_the_episode_alone():
    env = BabyAIEnv(level="pickup", signals=ALL)
    _, info = env.reset(seed=6)
    *_, info = env.step(info["expert"])
    [fork] = env.fork()
    for name in kernel.ACTIONS:
        env.apply(env.state, name, TurnRng(0, 0, 0))
    assert env.step(info["expert"]) == fork.step(info["expert"])


def test_no_way_is_worth_the_limit_and_no_more():
    # The only key of the locked door lies behind it.
    walls = ("#######", "#..#..#", "#..#..#", "#######")
    things = [Thing("door", "red", 3, 1, "locked"), Thing("key", "red", 5, 1)]
    state = build(walls, things, (1, 1, 0), Leaf("open", Desc("door")), room_size=4, max_steps=40)
    env = BabyAIEnv()
    assert expert.remaining(state) == expert.UNSOLVABLE
    assert env.potential(state) == -40.0
    assert env.expert(state) == "done"
