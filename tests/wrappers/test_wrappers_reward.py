"""RewardTerms: the reward that the world itself would give under these weights, and what it is made of."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorWrapper
from wrapper_loops import KINDS, MODES, said, vector

from agentgym import AgentEnv, Opening, Outcome, RewardSpec, Task, Turn, WorldError
from agentgym.wrappers import RewardTerms
from agentgym.wrappers.terms import paid

SPECS: dict[str, Any] = {
    "dense": "dense",
    "sparse": "sparse",
    "mapping": {"progress": 3.0},
    "spec": RewardSpec({"stay": -2.0}, default=0.5, outcome=10.0, invalid=-0.25),
}


def test_the_terms_by_hand() -> None:
    spec = SPECS["spec"]
    # progress is not named: 0.5 · 1; the outcome weighs 10.
    info = {"components": {"progress": 1.0}, "valid": True, "outcome_reward": 1.0}
    assert paid(spec, info) == (10.5, {"progress": 0.5, "outcome": 10.0})
    info = {"components": {"stay": 1.0, "progress": 2.0}, "valid": True, "outcome_reward": 0.0}
    assert paid(spec, info) == (-1.0, {"stay": -2.0, "progress": 1.0, "outcome": 0.0})
    info = {"components": {}, "valid": False, "outcome_reward": 0.0}
    assert paid(spec, info) == (-0.25, {"invalid": -0.25, "outcome": 0.0})


@pytest.mark.parametrize("inner", ["sparse", "dense"])
@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_one_world_whatever_it_was_made_with(spec: Any, inner: str) -> None:
    env = RewardTerms(gymnasium.make("test/Counter-v0", reward=inner), spec)
    own = gymnasium.make("test/Counter-v0", reward=spec)
    for seed in range(4):
        _, info = env.reset(seed=seed)
        assert "reward_terms" not in info
        own.reset(seed=seed)
        over = False
        while not over:
            word = said("Counter", seed, 0, info["turn"])
            _, reward, terminated, truncated, info = env.step(word)
            assert type(reward) is float and reward == own.step(word)[1]
            terms = info["reward_terms"]
            assert reward == pytest.approx(sum(terms.values()), abs=1e-12)
            assert ("invalid" in terms) is not info["valid"]
            assert set(terms) - {"invalid", "outcome"} == set(info["components"])
            over = terminated or truncated


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("kind", KINDS)
def test_vectors(kind: str, mode: AutoresetMode) -> None:
    spec = SPECS["spec"]
    envs = RewardTerms(vector("Counter", kind, mode, 2, 2), spec)
    own = vector("Counter", kind, mode, 2, 2, reward=spec)
    try:
        for one in (envs, own):
            one.reset(seed=[1] if kind == "group" else [1, 1])
        for turn in range(5 if mode is AutoresetMode.DISABLED else 12):
            words = [("up", "stay", "x")[turn % 3], "down"]  # ends at −1 or never: after max_turns, 5
            _, rewards, terminated, truncated, infos = envs.step(words)
            wanted = own.step(words)[1]
            assert rewards.dtype == np.float64 and rewards.tolist() == wanted.tolist()
            if "reward_terms" in infos:
                columns = infos["reward_terms"]
                sums = sum(columns[name] for name in columns if f"_{name}" in columns)
                assert sums.tolist() == pytest.approx(rewards.tolist(), abs=1e-12)
            if mode is AutoresetMode.DISABLED and (terminated | truncated).any():
                break
    finally:
        envs.close(), own.close()


def test_a_slot_that_is_left_alone_is_paid_nothing() -> None:
    envs = RewardTerms(vector("Counter", "group", AutoresetMode.DISABLED, 2, 2), {"progress": 1.0})
    envs.reset(seed=0, options={"tasks": ["two"]})
    _, rewards, _, _, infos = envs.step(["up", None])
    assert rewards.tolist() == [1.0, 0.0]
    assert infos["_reward_terms"].tolist() == [True, False]
    _, rewards, _, _, infos = envs.step([None, None])
    assert rewards.tolist() == [0.0, 0.0] and "reward_terms" not in infos


def test_the_rewards_of_the_vector_below_are_left_alone() -> None:
    class Keeping(VectorWrapper):
        def step(self, actions: Any) -> Any:
            self.kept = super().step(actions)
            return self.kept

    below = Keeping(vector("Counter", "group", AutoresetMode.DISABLED, 2, 2))
    envs = RewardTerms(below, {"progress": 3.0})
    envs.reset(seed=0, options={"tasks": ["two"]})
    assert envs.step(["up", "down"])[1].tolist() == [3.0, -3.0]
    assert below.kept[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "reward, kind, message",
    [
        ("dens", ValueError, "unknown reward 'dens'; did you mean 'dense'"),
        ({"progess": 1.0}, ValueError, "unknown reward component 'progess'; did you mean 'progress'"),
        (RewardSpec({"kind": 1.0}), ValueError, "unknown reward component 'kind'"),
        ({"progress": float("nan")}, ValueError, "must be a finite number"),
        (3.0, TypeError, "reward must be 'sparse', 'dense', a RewardSpec or a mapping of weights, not 3.0"),
    ],
)
@pytest.mark.parametrize("many", [False, True])
def test_bad_weights(reward: Any, kind: type[Exception], message: str, many: bool) -> None:
    env: Any = gymnasium.make("test/Counter-v0")
    with pytest.raises(kind, match=message):
        RewardTerms(vector("Counter", "sync", AutoresetMode.NEXT_STEP, 2, 2) if many else env, reward)


def test_a_world_whose_reward_has_the_name_of_a_term() -> None:
    class Clash(AgentEnv[int]):
        panel = (Task("t"),)

        def initial(self, task: Task, rng: Any) -> Opening[int]:
            return Opening(0, "Go.")

        def transition(self, state: int, action: Any, rng: Any) -> Turn[int]:
            return Turn(state, "", {"outcome": 1.0}, Outcome(True, 1.0))

    env = RewardTerms(Clash())
    env.reset(seed=0)
    with pytest.raises(WorldError, match="pays a component named 'outcome', which is the name of a term of its own"):
        env.step("go")
