"""gymnasium.make_vec makes our vectors of every registered world, from names and specs, in any process."""

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
import worlds
from gymnasium.envs.registration import EnvSpec, load_env_creator, registry
from gymnasium.error import Error
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from processes import run_python

import agentgym
from agentgym import GroupVectorEnv
from agentgym.vector import SlotError


def test_every_id_makes_our_vectors() -> None:
    for name in ("agentgym/BabyAI-v0", *(f"test/{world}-v0" for world in worlds.WORLDS)):
        module, _, world = str(registry[name].entry_point).partition(":")
        assert registry[name].vector_entry_point == f"agentgym.vector:{module}.{world}"
    envs = gymnasium.make_vec("agentgym:agentgym/BabyAI-v0", num_envs=6, level="goto", group_size=3)
    assert isinstance(envs, GroupVectorEnv)
    assert (envs.num_envs, envs.group_size, envs.env_id) == (6, 3, "agentgym/BabyAI-v0")
    _, infos = envs.reset(seed=0)
    assert infos["env_id"].tolist() == ["agentgym/BabyAI-v0"] * 6
    assert infos["seed"].tolist() == [0, 0, 0, 1, 1, 1]
    assert infos["panel"][0] == "goto"


def test_an_entry_point_names_a_class_in_a_module() -> None:
    maker: Any = load_env_creator("agentgym.vector:worlds.Counter")
    assert maker(num_envs=2).envs[0].__class__ is worlds.Counter
    assert pickle.loads(pickle.dumps(maker))(num_envs=1).env_id == "Counter"
    with pytest.raises(AttributeError, match=r"module 'agentgym.vector' has no attribute 'Counter'"):
        load_env_creator("agentgym.vector:Counter")
    with pytest.raises(AttributeError, match="Countre"):
        load_env_creator("agentgym.vector:worlds.Countre")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        load_env_creator("agentgym.vector:no_such_module.World")
    with pytest.raises(TypeError, match=r"is not an AgentEnv|must be a registered id"):
        load_env_creator("agentgym.vector:worlds.Book")(num_envs=1)  # type: ignore[call-arg]


def test_arguments_of_the_vector_and_of_the_world() -> None:
    envs: Any = gymnasium.make_vec(
        "test/Counter-v0", 4, group_size=2, noise="own", autoreset_mode="NextStep", max_turns=3, render_mode="ansi"
    )
    assert envs.render_mode == "ansi"
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.reset(seed=0)[1]["branch"].tolist() == [0, 1, 0, 1]
    assert envs.get_attr("max_turns") == (3,) * 4
    with pytest.raises(TypeError, match=r"unknown argument 'sginals' of Counter; did you mean 'signals'"):
        gymnasium.make_vec("test/Counter-v0", 4, sginals=["menu"])
    with pytest.raises(Error, match="can be passed arguments only through kwargs"):  # Gymnasium's own rule
        gymnasium.make_vec("test/Counter-v0", 4, vector_kwargs={"group_size": 2})


def test_limits_from_outside_reach_the_world() -> None:
    envs: Any = gymnasium.make_vec("test/Counter-v0", 2, max_episode_steps=1)
    envs.reset(seed=0)
    _, _, _, truncated, infos = envs.step(["stay", "stay"])
    assert truncated.all() and infos["end_reason"].tolist() == ["turn_limit"] * 2
    spec = EnvSpec(
        "test/Limited-v0", "worlds:Counter", max_episode_steps=2, vector_entry_point="agentgym.vector:worlds.Counter"
    )
    envs = gymnasium.make_vec(spec, 2)
    assert envs.get_attr("max_turns") == (2, 2)
    assert envs.envs[0].spec.max_episode_steps is None
    assert gymnasium.make(envs.envs[0].spec).unwrapped.max_turns == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_gymnasiums_vectors_are_still_to_be_had(mode: str) -> None:
    envs = gymnasium.make_vec("test/Counter-v0", 2, vectorization_mode=mode, max_turns=2)
    assert type(envs).__module__.startswith("gymnasium.vector")
    own = gymnasium.make_vec("test/Counter-v0", 2, max_turns=2)
    try:
        assert envs.reset(seed=3)[0] == own.reset(seed=3)[0]
        assert envs.step(("up", "stay"))[0] == own.step(("up", "stay"))[0] == ("At 1.", "You stay.")
    finally:
        envs.close()


def test_specs_travel() -> None:
    envs: Any = gymnasium.make_vec("test/Counter-v0", num_envs=4, group_size=2, max_turns=3, autoreset_mode="SameStep")
    spec = envs.spec
    assert spec.id == "test/Counter-v0" and spec.kwargs["num_envs"] == 4 and spec.kwargs["group_size"] == 2
    for again in (spec, pickle.loads(pickle.dumps(spec)), EnvSpec.from_json(spec.to_json())):
        twin: Any = gymnasium.make_vec(again)
        assert repr(twin) == repr(envs) == "GroupVectorEnv(test/Counter-v0, num_envs=4, group_size=2)"
        assert twin.autoreset_mode is AutoresetMode.SAME_STEP
        assert twin.reset(seed=5)[0] == envs.reset(seed=5)[0]
        assert twin.envs[3].spec_dict() == envs.envs[3].spec_dict()
    single: Any = gymnasium.make(envs.envs[0].spec)
    assert type(single.unwrapped) is worlds.Counter and single.unwrapped.max_turns == 3
    moment = single.reset(seed=5) and single.unwrapped.snapshot()
    assert envs.envs[0].restore(moment)[1] == moment.info  # worlds of one id, made in two ways
    assert GroupVectorEnv(worlds.Counter).spec is None
    envs.spec = None
    assert envs.env_id == "Counter"


def test_a_portable_id_imports_what_it_needs() -> None:
    code = "import gymnasium; print(gymnasium.make_vec('worlds:test/Counter-v0', 2, group_size=2))"
    assert run_python(code).strip() == "GroupVectorEnv(test/Counter-v0, num_envs=2, group_size=2)"


def test_seeds_mean_what_they_mean_in_gymnasium() -> None:
    given: list[Any] = [4, [7, None, 1], None, 2]
    own = GroupVectorEnv(worlds.Dice, 3)
    sync = SyncVectorEnv([worlds.Dice] * 3)
    for envs in (own, sync):
        envs.reset(seed=9)
    for seed in given:
        assert own.reset(seed=seed)[1]["seed"].tolist() == sync.reset(seed=seed)[1]["seed"].tolist()
    mask = np.array([True, False, True])
    ours, theirs = own.reset(options={"reset_mask": mask}), sync.reset(options={"reset_mask": mask.copy()})
    assert ours[0] == theirs[0] and ours[1]["seed"].tolist() == theirs[1]["seed"].tolist()
    assert [one.bit_generator.state for one in own.np_random] == [one.bit_generator.state for one in sync.np_random]


def test_public_names() -> None:
    assert agentgym.GroupVectorEnv is GroupVectorEnv
    assert agentgym.SlotError is SlotError
