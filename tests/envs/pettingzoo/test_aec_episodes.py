"""One dialogue core, two views: an episode with two agents is the episode of the world itself, in any process."""

import copy
import json
import os
import pickle
import subprocess
import sys

import pytest

pytest.importorskip("pettingzoo")

import gymnasium

from agentgym import Said, TurnRng, validate_info
from agentgym.envs.pettingzoo.view import SpeakerError
from tests.envs.pettingzoo.dialogues import WORLDS, hashes, module, play_aec, play_gymnasium
from tests.layering import ROOT

EACH = pytest.mark.parametrize("name", WORLDS)
SEEDS = range(8)

CHAIN = """
import json
from tests.envs.pettingzoo.dialogues import WORLDS, hashes, module, play_aec
words = lambda seen: f"Hm. {seen['draft']}"
made = {name: module(name).env(reward="dense") for name in WORLDS}
print(json.dumps([[hashes(row[4]) for row in play_aec(made[n], seed, words)] for n in made for seed in range(4)]))
"""


@EACH
@pytest.mark.parametrize("arguments", [{}, {"reward": "dense", "signals": ("potential",)}], ids=["plain", "signals"])
def test_the_same_episode_in_both_views(name, arguments) -> None:
    env = module(name).env(**arguments)
    ends = set()
    for seed in SEEDS:
        alone, both = play_gymnasium(name, seed, **arguments), play_aec(env, seed)
        assert [hashes(row[4]) for row in both] == [hashes(row[4]) for row in alone]
        assert both == alone  # texts, rewards, ends and the whole record too
        validate_info(both[-1][4])
        ends.add(both[-1][4]["end_reason"])
    assert len(ends) > 1  # good ones and bad ones


def test_words_of_ones_own_change_the_history_but_not_the_state_of_a_customer() -> None:
    env = module("customer_service_v0").env()
    for seed in range(0, 8, 2):  # the expert alone: what it does next follows from the state
        drafts = play_aec(env, seed)
        own = play_aec(env, seed, lambda seen: f"Hm. {seen['draft']}")
        assert [hashes(row[4])[0] for row in own] == [hashes(row[4])[0] for row in drafts]
        assert hashes(own[0][4]) == hashes(drafts[0][4])
        assert own[-1][4]["history_hash"] != drafts[-1][4]["history_hash"]
        assert own[-1][0] == f"Hm. {drafts[-1][0]}"


class Free:
    """A user with words of its own, which follow from the talk."""

    scripted = False

    def speak(self, scene, draft, rng):
        return Said(f"({len(scene.messages)}, {rng.integers(9)}) {draft.text}")


@EACH
def test_a_user_of_the_world_plays_user_0_to_the_letter(name) -> None:
    user = Free()
    alone = gymnasium.make(WORLDS[name], disable_env_checker=True, user=user).unwrapped
    env = module(name).env()
    for seed in (1, 2):
        _, start = alone.reset(seed=seed)
        env.reset(seed=seed)
        if start["history_hash"] != env.infos["agent_0"]["history_hash"]:
            continue  # this world's user says the first words too
        for turn in range(5):
            action = alone.expert(alone.state)
            _, _, over, cut, info = alone.step(action)
            env.step(action)
            if env.agent_selection == "user_0":
                env.step(user.speak(*env.unwrapped.asked, TurnRng(seed, 0, turn)))
            assert env.infos["agent_0"]["history_hash"] == info["history_hash"]
            assert env.unwrapped.world.state.talk == alone.state.talk
            if over or cut:
                break
    with pytest.raises(SpeakerError, match="user_0 is not asked for anything now"):
        env.unwrapped.asked


def test_whole_episodes_are_the_same_in_two_processes() -> None:
    found = []
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", CHAIN]
        run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        found.append(json.loads(run.stdout))
    assert found[0] == found[1]
    assert len(found[0]) == 4 * len(WORLDS)
    assert all(len(episode) > 2 for episode in found[0])


@EACH
def test_unseeded_episodes_follow_from_the_seeded_one(name) -> None:
    first, second = module(name).env(), module(name).env()
    for env in (first, second):
        env.reset(seed=5)
    for _ in range(3):
        first.reset()
        second.reset()
        assert first.infos == second.infos
    assert first.infos["agent_0"]["seed"] != 5


@EACH
def test_copies_at_a_moment_go_on_alike_and_apart(name) -> None:
    env = module(name).raw_env()
    env.reset(seed=2)
    while env.agent_selection == "agent_0":
        env.step(env.world.expert(env.world.state))
    one, two = env.fork(2)  # while user_0 is to speak
    deep, pickled = copy.deepcopy(env), pickle.loads(pickle.dumps(env))
    assert one.last() == env.last() == two.last() == deep.last() == pickled.last()
    one.step("Say that again?")
    for other in (deep, pickled):
        other.step("Say that again?")
        assert other.last() == one.last()
    assert env.agent_selection == two.agent_selection == "user_0"
    env.step("")
    two.step("")
    assert env.last() == two.last() != one.last()
    two.step(two.world.expert(two.world.state))
    env.step(env.world.expert(env.world.state))
    assert env.last() == two.last()
    assert one.infos["agent_0"]["turn"] <= env.infos["agent_0"]["turn"]
