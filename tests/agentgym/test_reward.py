"""RewardSpec: weighted sums, frozen weights, clear faults."""

import copy
import math
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import RewardSpec
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
