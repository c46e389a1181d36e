"""RewardSpec: weighted sums, frozen weights, clear faults."""

import copy
import math
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
import worlds  # noqa: F401 - registers test/Counter-v0
from hypothesis import given
from hypothesis import strategies as st

from agentgym import Reply, RewardSpec, collect
from agentgym.turn import EMPTY, Turn

SPEC = RewardSpec({"a": 2, "b": -1.0}, default=0.5, outcome=3, invalid=-0.25)


@pytest.mark.parametrize(
    ("components", "valid", "total"),
    [
        ({}, True, 0.0),
        ({}, False, -0.25),
        ({"a": 1.5}, True, 3.0),  # 2 · 1.5
        ({"a": 1.0, "b": 4.0, "c": 2.0}, True, -1.0),  # 2 − 4 + 0.5 · 2
        ({"a": 1.0}, False, 1.75),  # 2 − 0.25
    ],
)
def test_weighted_sums(components: dict[str, float], valid: bool, total: float) -> None:
    assert SPEC.turn_reward(components, valid) == total
    assert type(SPEC.turn_reward(components, valid)) is float


@given(st.dictionaries(st.sampled_from("abc"), st.floats(-100, 100)), st.floats(-4, 4))
def test_the_sum_is_linear_in_the_components(components: dict[str, float], factor: float) -> None:
    scaled = {name: factor * value for name, value in components.items()}
    expected = factor * SPEC.turn_reward(components, True)
    assert math.isclose(SPEC.turn_reward(scaled, True), expected, rel_tol=1e-9, abs_tol=1e-9)


def test_every_number_is_a_float_and_nothing_can_be_changed() -> None:
    weights = {"a": 1}
    spec = RewardSpec(weights, outcome=1, invalid=-1)
    weights["a"] = 5
    assert spec.weights == {"a": 1.0}
    assert [type(value) for value in (spec.weights["a"], spec.default, spec.outcome, spec.invalid)] == [float] * 4
    with pytest.raises(TypeError):
        spec.weights["a"] = 2  # type: ignore[index]
    with pytest.raises(AttributeError):
        spec.outcome = 2  # type: ignore[misc]


@pytest.mark.parametrize("value", [math.nan, math.inf, True, "1", None])
@pytest.mark.parametrize("name", ["weights", "default", "outcome", "invalid"])
def test_what_is_not_a_finite_number_is_refused(name: str, value: object) -> None:
    arguments = {name: {"default": value} if name == "weights" else value}
    with pytest.raises(ValueError, match=r"the weight of '(default|outcome|invalid)' must be a finite number, not"):
        RewardSpec(**arguments)


def test_unknown_components_are_answered_with_the_nearest() -> None:
    assert SPEC.known({"a": 1.0, "b": 1.0}) is SPEC
    with pytest.raises(ValueError, match=r"unknown reward component 'progres'; did you mean 'progress'\?"):
        RewardSpec({"progres": 1.0}).known({"progress": 1.0})


def test_copies_are_equal() -> None:
    assert copy.deepcopy(SPEC) == pickle.loads(pickle.dumps(SPEC)) == SPEC
    assert RewardSpec() != SPEC


def test_the_shared_empty_mapping_stays_empty() -> None:
    turn = Turn(0, "")
    assert turn.rewards is EMPTY
    for change in (
        lambda: EMPTY.__setitem__("a", 1.0),  # type: ignore[attr-defined]
        lambda: EMPTY.update(a=1.0),  # type: ignore[attr-defined]
        lambda: EMPTY.setdefault("a", 1.0),  # type: ignore[attr-defined]
        lambda: EMPTY.__ior__({"a": 1.0}),  # type: ignore[attr-defined]
    ):
        with pytest.raises(TypeError, match="pass a dict of your own"):
            change()
    assert EMPTY == {}


class Walk:
    """Up, then stay, then a word that Counter does not know, then up again."""

    signals = ()
    markov = False

    def __call__(self, views: Any) -> list[Reply]:
        return [Reply(("up", "stay", "sideways", "up", "up")[view.turn]) for view in views]


@pytest.mark.parametrize(
    ("reward", "paid"),
    [
        # Counter, task "two": up pays progress 1, stay pays stay 1, the second up ends with the outcome 1.
        ("sparse", [0.0, 0.0, 0.0, 1.0]),
        ("dense", [1.0, -0.5, 0.0, 2.0]),  # its own weights: progress 1, stay −0.5
        ({"stay": -2.0}, [0.0, -2.0, 0.0, 1.0]),
        (RewardSpec({"progress": 3.0}, outcome=0.5, invalid=-1.0), [3.0, 0.0, -1.0, 3.5]),
    ],
)
def test_what_gymnasium_pays_is_the_record_reweighted(reward: Any, paid: list[float]) -> None:
    env = gymnasium.make("test/Counter-v0", reward=reward)
    env.reset(seed=0, options={"task": "two"})
    assert [env.step(action)[1] for action in ("up", "stay", "sideways", "up")] == paid

    batch = collect("test/Counter-v0", Walk(), tasks=["two"], group_size=1, env_kwargs={"reward": reward})
    assert batch.turn_reward.tolist() == [1.0, -0.5, 0.0, 1.0]  # the record is the same under all
    specs = {"sparse": RewardSpec(), "dense": RewardSpec({"progress": 1.0, "stay": -0.5})}
    spec = specs[reward] if isinstance(reward, str) else reward
    again = batch.reweight(spec if isinstance(spec, RewardSpec) else RewardSpec(spec))
    assert np.add(again.turn_reward, again.outcome_reward).tolist() == paid


def test_weights_of_rewards_that_a_world_does_not_weigh_are_refused() -> None:
    with pytest.raises(ValueError, match=r"unknown reward component 'progres'; did you mean 'progress'\?"):
        gymnasium.make("test/Counter-v0", reward={"progres": 1.0})
    with pytest.raises(ValueError, match=r"unknown reward 'danse'; did you mean 'dense'\?"):
        gymnasium.make("test/Counter-v0", reward="danse")
