"""GroupVectorEnv: slots, groups, what is left alone, what is refused before anything is stepped."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import worlds
from gymnasium.error import ClosedEnvironmentError
from gymnasium.vector import AutoresetMode, VectorEnv
from hostile import HOSTILE

from agentgym import GroupVectorEnv, StepAfterEnd, ToolCall, TurnRng


def counters(num_envs: int = 4, group_size: int = 2, **kwargs: Any) -> GroupVectorEnv:
    """Return vectors of the counter; the task "two" starts at 0 and is solved by going up twice."""
    return GroupVectorEnv(worlds.Counter, num_envs, group_size, **kwargs)


def test_a_new_one_says_what_it_is() -> None:
    envs = counters()
    assert isinstance(envs, VectorEnv)
    assert (envs.num_envs, envs.group_size, envs.env_id) == (4, 2, "Counter")
    assert envs.metadata["autoreset_mode"] is AutoresetMode.DISABLED
    assert worlds.Counter.metadata.get("autoreset_mode") is None  # the class's own was left alone
    assert repr(envs) == "GroupVectorEnv(Counter, num_envs=4, group_size=2)"
    assert envs.single_observation_space == envs.envs[0].observation_space
    assert envs.action_space.contains(("up", "down", "x", ""))
    assert envs.live.tolist() == [False] * 4


def test_any_subset_is_stepped() -> None:
    envs = counters()
    texts, infos = envs.reset(seed=3, options={"tasks": ["two", "minus"]})
    assert texts == ("At 0. Reach 2.",) * 2 + ("At 0. Reach -1.",) * 2
    assert infos["seed"].tolist() == [3, 3, 4, 4]  # one a group
    assert envs.live.tolist() == [True] * 4
    texts, rewards, terminated, truncated, infos = envs.step(["up", None, None, "down"])
    assert texts == ("At 1.", "At 0. Reach 2.", "At 0. Reach -1.", "At -1.")
    assert rewards.dtype == np.float64 and rewards.tolist() == [0, 0, 0, 1]
    assert terminated.dtype == np.bool_ and terminated.tolist() == [False, False, False, True]
    assert truncated.dtype == np.bool_ and not truncated.any()
    assert [info and info["turn"] for info in infos["turns"]] == [1, None, None, 1]
    assert infos["_turn"].tolist() == [True, False, False, True]
    assert envs.live.tolist() == [True, True, True, False]
    texts, rewards, terminated, truncated, infos = envs.step(["up", "up", None, None])
    assert texts == ("At 2.", "At 1.", "At 0. Reach -1.", "At -1.")
    assert rewards.tolist() == [1, 0, 0, 0] and terminated.tolist() == [True, False, False, False]  # told once
    assert envs.live.tolist() == [False, True, True, False]


@pytest.mark.parametrize("name", worlds.WORLDS)
def test_each_slot_is_the_world_played_alone_whatever_the_others_do(name: str) -> None:
    for seed in range(4):
        rng = TurnRng(seed, stream="subsets")
        envs, alone = GroupVectorEnv(worlds.WORLDS[name], 6, 3), [worlds.WORLDS[name]() for _ in range(6)]
        texts, infos = envs.reset(seed=seed)
        for slot, env in enumerate(alone):
            assert (texts[slot], infos["turns"][slot]) == env.reset(seed=seed + slot // 3)
        live = [True] * 6
        for _ in range(14):
            given = [rng.choice((None, *worlds.SCRIPTS[name], *HOSTILE)) if slot else None for slot in live]
            texts, rewards, terminated, truncated, infos = envs.step(given)
            for slot, (env, action) in enumerate(zip(alone, given, strict=True)):
                if action is None:
                    assert (rewards[slot], terminated[slot], truncated[slot]) == (0.0, False, False)
                    assert infos["turns"][slot] is None and texts[slot] == env.snapshot().observation
                    continue
                found = (texts[slot], rewards[slot], terminated[slot], truncated[slot], infos["turns"][slot])
                assert found == env.step(action)
                live[slot] = not (terminated[slot] or truncated[slot])
            assert envs.live.tolist() == live


def test_nothing_is_stepped_when_an_action_is_refused() -> None:
    envs = counters()
    with pytest.raises(StepAfterEnd, match=r"slot 0 has no episode: call reset\(\), or restart group 0"):
        envs.step(["up"] * 4)
    envs.reset(seed=0, options={"tasks": ["two", "minus"]})
    envs.step([None, None, None, "down"])
    refused: list[tuple[Any, type[Exception], str]] = [
        (["up", "up", "up", "up"], StepAfterEnd, r"slot 3 is over \(task 'minus', seed 1, turn 1\): pass None"),
        (["up"] * 3, ValueError, "3 actions for 4 slots"),
        (["up"] * 5, ValueError, "5 actions for 4 slots"),
        ("abcd", TypeError, "step takes a sequence of actions, one a slot, not str 'abcd'"),
        (b"abcd", TypeError, "not bytes"),
        ({"up", "down", "x", "y"}, TypeError, "not set"),
        ({0: "up"}, TypeError, "not dict"),
        (iter(["up"] * 4), TypeError, "not list_iterator"),
        (None, TypeError, "not NoneType"),
        (np.array([["up", "up"], ["up", "up"]]), ValueError, r"not an array of shape \(2, 2\)"),
        (np.array("abcd"), ValueError, r"not an array of shape \(\)"),
        (["up", "up", 7, None], TypeError, "the action for slot 2 must be a str, a ToolCall or None, not int"),
        (["up", ["up"], None, None], TypeError, "slot 1 must be .* not list"),
    ]
    for actions, kind, message in refused:
        with pytest.raises(kind, match=message):
            envs.step(actions)
    assert [env.snapshot().turn for env in envs.envs] == [0, 0, 0, 1]
    assert envs.step(np.array(["up", "up", "up", None], object))[0][:2] == ("At 1.", "At 1.")
    assert envs.step(("up", None, np.str_("up"), None))[0][0] == "At 2."


def test_groups_restart_whole_and_by_mask() -> None:
    envs = counters()
    envs.reset(seed=5)
    envs.step(["up"] * 4)
    mask = np.array([False, False, True, True])
    options = {"tasks": [None, "three"], "reset_mask": mask}
    texts, infos = envs.reset(seed=[None, 9], options=options)
    assert options == {"tasks": [None, "three"], "reset_mask": mask}  # the caller's own
    assert texts == ("At 1.", "At 1.", "At 0. Reach 3.", "At 0. Reach 3.")
    assert [info and info["seed"] for info in infos["turns"]] == [None, None, 9, 9]
    assert infos["_seed"].tolist() == [False, False, True, True]
    assert [env.snapshot().turn for env in envs.envs] == [1, 1, 0, 0]


@pytest.mark.parametrize(
    "mask, message",
    [
        (np.array([False, True, False, False]), "cuts group 0: choose all of the slots 0 to 1 or none"),
        (np.array([True, True, True, False]), "cuts group 1: choose all of the slots 2 to 3 or none"),
        (np.zeros(4, bool), "chooses no slot"),
        (np.ones(3, bool), r"one bool a slot, 4 in all, not bool of shape \(3,\)"),
        (np.ones(4, int), "one bool a slot, 4 in all, not int64"),
        ([True, [True], True, True], "one bool a slot, 4 in all, not object"),
    ],
)
def test_bad_masks(mask: Any, message: str) -> None:
    envs = counters()
    envs.reset(seed=0)
    envs.step(["up"] * 4)
    with pytest.raises(ValueError, match=message):
        envs.reset(options={"reset_mask": mask})
    assert envs.render() == ("At 1.",) * 4


def test_bad_arguments_of_reset_change_nothing() -> None:
    envs = counters()
    envs.reset(seed=0)
    envs.step(["up"] * 4)
    refused: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"options": {"task": "two"}}, ValueError, "unknown reset option 'task'; did you mean 'tasks'"),
        ({"options": {"tasks": ["two"]}}, ValueError, "one task id a group, 2 in all, not 1"),
        ({"options": {"tasks": "two"}}, TypeError, "a sequence of task ids, one a group, not 'two'"),
        ({"options": {"tasks": ["two", "tow"]}}, KeyError, "unknown task 'tow'.*did you mean 'two'"),
        ({"seed": [1, 2, 3, 4]}, ValueError, "one seed a group, 2 in all, not 4"),
        ({"seed": -1}, ValueError, "seed must be an integer with 0 <= seed"),
        ({"seed": True}, ValueError, "seed must be an integer"),
        ({"seed": 2**63 - 1}, ValueError, r"seed \+ 1 must be an integer with 0 <= "),
        ({"seed": [1, 2**63]}, ValueError, r"seed\[1\] must be"),
        ({"seed": "ab"}, ValueError, "seed must be"),
        ({"options": {"tasks": np.array("two")}}, TypeError, "a sequence of task ids, one a group, not array"),
        ({"options": ["two"]}, TypeError, r"options must be a mapping of names to values, not \['two'\]"),
    ]
    for arguments, kind, message in refused:
        with pytest.raises(kind, match=message):
            envs.reset(**arguments)
    assert envs.render() == ("At 1.",) * 4


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"num_envs": 6, "group_size": 4}, "num_envs=6 is no multiple of group_size=4: take 4 or 8"),
        ({"num_envs": 3, "group_size": 4}, "num_envs=3 is no multiple of group_size=4: take 4"),
        ({"num_envs": 0}, "num_envs must be an integer of at least 1, not 0"),
        ({"num_envs": 2, "group_size": True}, "group_size must be an integer of at least 1, not True"),
        ({"num_envs": 2.0}, "num_envs must be an integer of at least 1, not 2.0"),
        ({"autoreset_mode": "Samestep"}, "unknown autoreset_mode 'Samestep'; did you mean 'SameStep'"),
        ({"noise": "owned"}, "unknown noise 'owned'; did you mean 'own'"),
        ({"max_turns": 3, "max_episode_steps": 4}, "max_turns and max_episode_steps mean the same"),
        ({"split": "tset"}, "unknown split 'tset'"),
    ],
)
def test_bad_constructor_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GroupVectorEnv(worlds.Counter, **arguments)


def test_what_is_no_world_is_refused() -> None:
    with pytest.raises(TypeError, match="env must be a registered id, an AgentEnv class or an AgentEnv, not 3"):
        GroupVectorEnv(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="CartPoleEnv is not an AgentEnv"):
        GroupVectorEnv(gymnasium.make("CartPole-v1"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unknown argument 'levle'"):
        GroupVectorEnv(worlds.Counter, levle=3)


def test_worlds_by_id_and_by_example() -> None:
    given = worlds.Counter(max_turns=2)
    for world in ("test/Counter-v0", given):
        envs = GroupVectorEnv(world, 2, max_episode_steps=1)
        assert [env.max_turns for env in envs.envs] == [1, 1]
        assert all(env is not given for env in envs.envs)
        envs.reset(seed=0)
        assert envs.step(["stay", "stay"])[3].tolist() == [True, True]
    assert given.max_turns == 2
    assert GroupVectorEnv("test/Counter-v0").env_id == "test/Counter-v0"


def test_calls_reach_every_world() -> None:
    envs = counters()
    envs.reset(seed=0, options={"tasks": ["two", "two"]})
    assert envs.call("expert", (0, 2)) == ("up",) * 4
    assert envs.get_attr("max_turns") == (5,) * 4
    envs.set_attr("max_turns", 3)
    envs.set_attr("note", [1, 2, 3, 4])
    assert envs.get_attr("max_turns") == (3,) * 4
    assert envs.get_attr("note") == (1, 2, 3, 4)
    with pytest.raises(ValueError, match="3 values for 4 slots"):
        envs.set_attr("note", (1, 2, 3))
    for name in ("reset", "step", "close"):
        with pytest.raises(ValueError, match="would go past the groups"):
            envs.call(name)
    assert envs.render() == ("At 0. Reach 2.",) * 4
    assert len(envs.np_random) == 4
    assert envs.np_random_seed == (0, 0, 1, 1)


def test_every_slot_goes_on_from_a_moment() -> None:
    single = worlds.Counter()
    single.reset(seed=0, options={"task": "two"})
    single.step("up")
    envs = counters()
    envs.call("restore", single.snapshot().to_bytes())
    assert envs.live.all() and envs.render() == ("At 1.",) * 4
    texts, _, terminated, _, _ = envs.step(["up", "down", None, "up"])
    assert texts == ("At 2.", "At 0.", "At 1.", "At 2.") and terminated.tolist() == [True, False, False, True]


def test_closing() -> None:
    envs = counters()
    envs.reset(seed=0)
    envs.close()
    envs.close()
    assert envs.closed
    for use in (envs.reset, lambda: envs.step([None] * 4)):
        with pytest.raises(ClosedEnvironmentError, match="was closed: make a new one"):
            use()


def test_calls_of_tools() -> None:
    envs = GroupVectorEnv(worlds.Shop, 2)
    envs.reset(seed=0)
    texts = envs.step([ToolCall("look", {"key": "item3"}), "<look>item4</look>"])[0]
    assert texts == ("item3: 3", "item4: 4")
