"""Every wrapper changes what its docstring says that it changes, and nothing else."""

from __future__ import annotations

import copy
import doctest
import inspect
import pickle
import re
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils import RecordConstructorArgs
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, VectorWrapper
from wrapper_loops import MODES, said, vector

import agentgym.wrappers
import agentgym.wrappers.vector

ARGUMENTS: dict[str, dict[str, Any]] = {
    "TurnAdvantage": {"group_size": 2},
    "StepGroupAdvantage": {"group_size": 2},
    "HindsightAdvantage": {
        "score": lambda messages: [-0.5 for message in messages if message["role"] == "assistant"],
        "group_size": 2,
    },
    "RecordTurns": {},
    "RewardTerms": {"reward": {"progress": 2.0, "stay": 0.5}},
}
"""How each wrapper is made here; a new one has to stand in this table."""

SINGLE = [name for name in agentgym.wrappers.__all__ if name != "vector"]
VECTOR = list(agentgym.wrappers.vector.__all__)
FIVE = ("observation", "reward", "flags", "info", "hash")
HASHES = ("state_hash", "anchor_hash", "history_hash")


def claims(wrapper: type) -> dict[str, str]:
    """Return the five claims of a docstring."""
    found = re.search(r"^Changes:\n((?:    .+\n?)+)", inspect.getdoc(wrapper) or "", re.MULTILINE)
    assert found is not None, f"{wrapper.__name__} does not say what it changes"
    lines = [line.strip().split(": ", 1) for line in found[1].splitlines()]
    assert [name for name, _ in lines] == list(FIVE)
    return {name: claim.rstrip(".") for name, claim in lines}


def added(claim: str) -> set[str]:
    """Return the keys that a claim about info says are added."""
    assert claim == "nothing" or claim.startswith("adds `")
    return set(re.findall(r"`(\w+)`", claim))


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal to the last bit and of equal types, through dicts, lists and arrays."""
    return data_equivalence(one, other, exact=True)


def test_every_wrapper_has_a_twin_and_stands_in_the_table() -> None:
    assert sorted(SINGLE) == sorted(VECTOR) == sorted(ARGUMENTS)
    for name in SINGLE:
        single, twin = getattr(agentgym.wrappers, name), getattr(agentgym.wrappers.vector, name)
        assert issubclass(single, gymnasium.Wrapper) and issubclass(single, RecordConstructorArgs)
        assert issubclass(twin, VectorWrapper) and issubclass(twin, RecordConstructorArgs)
        assert single.twin is twin
        ours, theirs = (list(inspect.signature(one.__init__).parameters) for one in (single, twin))
        assert ours == theirs  # the same arguments, whatever it is called with


@pytest.mark.parametrize("place", [agentgym.wrappers, agentgym.wrappers.vector], ids=["single", "vector"])
@pytest.mark.parametrize("name", SINGLE)
def test_the_example_in_the_docstring(name: str, place: Any) -> None:
    wrapper = getattr(place, name)
    names = {name: wrapper, "gymnasium": gymnasium}
    (example,) = doctest.DocTestFinder(recurse=False).find(wrapper, name, globs=names)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def compare(wrapper: type, claim: dict[str, str], bare: tuple[Any, ...], wrapped: tuple[Any, ...]) -> set[str]:
    """Compare what step returned with and without a wrapper; return the keys that it added to info."""
    extra = set(wrapped[4]) - set(bare[4])
    assert extra <= added(claim["info"])
    assert same(bare[4], {key: value for key, value in wrapped[4].items() if key not in extra})
    assert all(same(bare[4][key], wrapped[4][key]) for key in HASHES) and claim["hash"] == "nothing"
    assert same(bare[0], wrapped[0]) and claim["observation"] == "nothing"
    assert same(bare[2:4], wrapped[2:4]) and claim["flags"] == "nothing"
    if claim["reward"] == "nothing":
        assert same(bare[1], wrapped[1])
    else:
        assert claim["reward"] == "the weighted sum" and wrapper.__name__ == "RewardTerms"
    return extra


@pytest.mark.parametrize("name", SINGLE)
def test_the_claims_of_a_wrapper_of_one_world(name: str) -> None:
    wrapper = getattr(agentgym.wrappers, name)
    claim, rewards, extra = claims(wrapper), {"progress": 2.0, "stay": 0.5}, set()
    wrapped = wrapper(gymnasium.make("test/Counter-v0"), **ARGUMENTS[name])
    bare = gymnasium.make("test/Counter-v0")
    weighted = gymnasium.make("test/Counter-v0", reward=rewards)  # what RewardTerms has to agree with
    start: dict[str, Any] = {"seed": 3}
    for episode in range(6):
        observation, info = wrapped.reset(**start)
        start = {"seed": info["seed"], "options": {"task": info["task"]}}
        for other in (bare, weighted):
            assert same(other.reset(**start), (observation, info))
        start, over = {}, False
        while not over:
            word = said("Counter", info["seed"], episode, info["turn"])
            one, two, three = wrapped.step(word), bare.step(word), weighted.step(word)
            extra |= compare(wrapper, claim, two, one)
            assert claim["reward"] == "nothing" or same(one[1], three[1])
            over, info = one[2] or one[3], one[4]
    assert extra == added(claim["info"])  # what is promised does come


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("kind", ["group", "sync"])
@pytest.mark.parametrize("name", VECTOR)
def test_the_claims_of_a_vector_wrapper(name: str, kind: str, mode: AutoresetMode) -> None:
    wrapper = getattr(agentgym.wrappers.vector, name)
    claim, extra = claims(wrapper), set()
    arguments = {key: value for key, value in ARGUMENTS[name].items() if (key, kind) != ("group_size", "group")}
    wrapped = wrapper(vector("Counter", kind, mode, 4, 2), **arguments)
    bare = vector("Counter", kind, mode, 4, 2)
    weighted = vector("Counter", kind, mode, 4, 2, reward={"progress": 2.0, "stay": 0.5})
    every = (wrapped, bare, weighted)
    ended = np.zeros(4, bool)

    def reset(**arguments: Any) -> None:
        one, two, _ = (env.reset(**copy.deepcopy(arguments)) for env in every)
        assert same(one[0], two[0]) and same(dict(one[1]), dict(two[1]))

    reset(seed=[3, 4] if kind == "group" else [3, 3, 4, 4])
    for turn in range(24):
        words = [said("Counter", 3 + slot // 2, slot % 2, turn) for slot in range(4)]
        given = [None if over else word for word, over in zip(words, ended, strict=True)] if kind == "group" else words
        one, two, three = (env.step(given if mode is AutoresetMode.DISABLED else words) for env in every)
        if kind == "group":
            assert same(one[4]["turns"], two[4]["turns"])
        extra |= compare(wrapper, claim, (*two[:4], dict(two[4])), (*one[:4], dict(one[4])))
        assert claim["reward"] == "nothing" or same(one[1], three[1])
        ended |= one[2] | one[3]
        if mode is AutoresetMode.DISABLED and (ended.all() if kind == "group" else ended.any()):
            reset(options={"reset_mask": ended.copy()})
            ended[:] = False
    assert extra == added(claim["info"])


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
@pytest.mark.parametrize("name", SINGLE)
def test_gymnasium_finds_no_fault(name: str) -> None:
    env = getattr(agentgym.wrappers, name)(gymnasium.make("test/Counter-v0", render_mode="ansi"), **ARGUMENTS[name])
    check_env(env)


@pytest.mark.parametrize("name", SINGLE)
def test_a_stack_is_rebuilt_from_its_spec(name: str) -> None:
    wrapper = getattr(agentgym.wrappers, name)
    inside = gymnasium.wrappers.RecordEpisodeStatistics(agentgym.wrappers.RecordTurns(gymnasium.make("test/Talk-v0")))
    arguments = {**ARGUMENTS[name]} if name != "RewardTerms" else {"reward": {"kind": 2.0}}
    env = agentgym.wrappers.RewardTerms(wrapper(inside, **arguments), "sparse")
    again = gymnasium.make(env.spec)
    assert str(again) == str(env) and again.spec == env.spec
    rebuilt: Any = again.env
    assert type(rebuilt) is wrapper
    if name != "HindsightAdvantage":  # whose score is no JSON
        assert str(gymnasium.make(EnvSpec.from_json(env.spec.to_json()))) == str(env)
    for key, value in arguments.items():
        held = rebuilt._saved_kwargs[key]
        assert getattr(held, "value", held) == value
    for one in (env, again):
        one.reset(seed=5)
    for turn in range(12):
        word = said("Talk", 5, 0, turn)
        first, second = env.step(word), again.step(word)
        first[4].pop("episode", None), second[4].pop("episode", None)  # these hold times
        assert same(first, second)
        if first[2] or first[3]:
            assert same(env.reset(), again.reset())


@pytest.mark.parametrize("name", [name for name in SINGLE if name != "HindsightAdvantage"])
def test_a_wrapped_world_is_copied_and_pickled_like_a_bare_one(name: str) -> None:
    env = getattr(agentgym.wrappers, name)(gymnasium.make("test/Counter-v0"), **ARGUMENTS[name])
    env.reset(seed=5, options={"task": "minus"})
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for word in ("stay", "up", "down"):
        first = env.step(word)
        assert all(same(first, other.step(word)) for other in copies)


@pytest.mark.parametrize("name", SINGLE)
def test_one_name_for_both(name: str) -> None:
    wrapper, twin = getattr(agentgym.wrappers, name), getattr(agentgym.wrappers.vector, name)
    envs = vector("Counter", "sync", AutoresetMode.NEXT_STEP, 4, 2)
    made = wrapper(envs, **ARGUMENTS[name])
    assert type(made) is twin and made.env is envs
    recorded = {key: getattr(value, "value", value) for key, value in made._saved_kwargs.items()}
    assert ARGUMENTS[name].items() <= recorded.items()
    assert type(wrapper(env=envs, **ARGUMENTS[name])) is twin

    class Mine(wrapper):  # type: ignore[misc, valid-type]
        pass

    with pytest.raises(TypeError, match=r"Mine wraps one world: for vectors subclass agentgym\.wrappers\.vector"):
        Mine(envs, **ARGUMENTS[name])
    assert isinstance(Mine(gymnasium.make("test/Counter-v0"), **ARGUMENTS[name]), wrapper)


@pytest.mark.parametrize("name", SINGLE)
def test_other_envs_are_refused(name: str) -> None:
    wrapper, cart = getattr(agentgym.wrappers, name), "CartPole-v1"
    with pytest.raises(TypeError, match=r"worlds of agentgym's contract \(AgentEnv\)"):
        wrapper(gymnasium.make(cart), **ARGUMENTS[name])
    with pytest.raises(TypeError, match=r"have no '(signals|rewards|spec_dict)'.*agentgym's contract"):
        wrapper(gymnasium.make_vec(cart, num_envs=2), **ARGUMENTS[name])
    with pytest.raises(TypeError, match=r"agentgym's contract \(AgentEnv\), not 'test/Counter-v0'"):
        wrapper("test/Counter-v0", **ARGUMENTS[name])
