"""PettingZoo's own tests on every dialogue world, in both forms."""

import warnings

import pytest

pytest.importorskip("pettingzoo")

import pettingzoo
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from tests.envs.pettingzoo.dialogues import WORLDS, module

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it makes a game of its own in a way that it deprecates
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

EACH = pytest.mark.parametrize("name", WORLDS)
# PettingZoo expects arrays; these are all the warnings that texts for two different agents give.
EXPECTED = "|".join(
    (
        "Observation is not a NumPy array",
        "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
        "Action space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
        "Agents have different observation space sizes",
    )
)


@pytest.fixture(autouse=True)
def _expected_warnings():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", EXPECTED)
        yield


@EACH
def test_the_registry_of_pettingzoo_makes_them_too(name) -> None:
    aec = pettingzoo.make("aec", WORLDS[name], max_turns=3)
    assert (str(aec), aec.unwrapped.world.max_turns) == (name, 3)
    both = pettingzoo.make("parallel", WORLDS[name])
    assert both.metadata["name"] == name


@EACH
def test_api(name) -> None:
    made = module(name)
    api_test(made.env(), num_cycles=100)
    api_test(made.raw_env(), num_cycles=20)
    api_test(made.env(reward="dense", signals=("potential",)), num_cycles=20)


@EACH
def test_seeds(name) -> None:
    made = module(name)
    seed_test(made.env, num_cycles=100)
    parallel_seed_test(made.parallel_env, num_cycles=100)


@EACH
def test_render(name, capsys) -> None:
    render_test(module(name).env)
    assert "user_0: " in capsys.readouterr().out


@EACH
def test_parallel(name) -> None:
    made = module(name)
    parallel_api_test(made.parallel_env(), num_cycles=100)
    parallel_api_test(turn_based_aec_to_parallel(made.env()), num_cycles=100)


@EACH
def test_names_metadata_and_spaces(name) -> None:
    made = module(name)
    for env in (made.env(), made.raw_env(), made.parallel_env(), made.env(render_mode="ansi")):
        assert env.metadata["name"] == name
        assert env.metadata["render_modes"] == ["human", "ansi"]
        assert env.metadata["is_parallelizable"] is False  # one speaks after the other; some turns are agent_0's alone
        assert env.possible_agents == ["agent_0", "user_0"]
    env = made.env()
    assert str(env) == name
    for agent in env.possible_agents:
        assert "observation" not in env.observation_space(agent).spaces
        assert env.action_space(agent).contains("any text")
    with pytest.raises(AttributeError, match="before reset"):
        env.agent_selection
    with pytest.raises(ValueError, match="unknown render mode 'rgb_array'"):
        made.env(render_mode="rgb_array")
    with pytest.raises(TypeError, match="takes no user="):
        made.env(user=None)
    with pytest.raises(TypeError, match=r"unknown argument 'max_turn'.*did you mean 'max_turns'"):
        made.env(max_turn=3)
    with pytest.raises(ValueError, match=r"unknown reset option 'tasks'.*did you mean 'task'"):
        env.reset(options={"tasks": "x"})
