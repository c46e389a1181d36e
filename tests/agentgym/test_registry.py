"""Registration: string entry points, portable ids, specs that travel."""

import json
import pickle
from typing import Any

import gymnasium
import pytest
import worlds
from gymnasium.envs.registration import EnvSpec, registry
from processes import run_python

import agentgym


@pytest.mark.parametrize("entry_point", ["worlds.Counter", "worlds:", ":Counter", "", "a:b:c"])
def test_entry_points_look_like_module_and_class(entry_point: str) -> None:
    with pytest.raises(ValueError, match=r"entry_point must look like 'package.module:Class'"):
        agentgym.register("test/Never-v0", entry_point)
    assert "test/Never-v0" not in registry


def test_entry_points_that_are_no_text_are_refused() -> None:
    with pytest.raises(TypeError, match="entry_point must be a str"):
        agentgym.register("test/Never-v0", worlds.Counter)  # type: ignore[arg-type]


def test_registering_imports_nothing() -> None:
    agentgym.register("test/Absent-v0", "no_such_module:World", max_turns=3)
    try:
        assert registry["test/Absent-v0"].entry_point == "no_such_module:World"
        assert registry["test/Absent-v0"].kwargs == {"max_turns": 3}
    finally:
        del registry["test/Absent-v0"]


def test_shipped_ids_have_string_entry_points() -> None:
    ids = [name for name in registry if name.startswith("agentgym/")]
    assert "agentgym/BabyAI-v0" in ids
    for name in ids:
        assert str(registry[name].entry_point).startswith("agentgym.envs.")


def test_a_portable_id_imports_what_it_needs() -> None:
    code = "import gymnasium; env = gymnasium.make('worlds:test/Counter-v0'); print(env.unwrapped.env_id, env.spec.id)"
    assert run_python(code).split() == ["test/Counter-v0", "test/Counter-v0"]
    code = "import gymnasium; print(gymnasium.make('agentgym:agentgym/BabyAI-v0').unwrapped.env_id)"
    assert run_python(code).split() == ["agentgym/BabyAI-v0"]


def test_specs_pickle_and_pass_through_json() -> None:
    env = gymnasium.make("test/Counter-v0", max_turns=3, reward={"progress": 2.0}, signals=["menu"])
    spec = env.spec
    assert spec is not None
    for again in (pickle.loads(pickle.dumps(spec)), EnvSpec.from_json(spec.to_json())):
        twin = gymnasium.make(again)
        assert twin.unwrapped.spec_dict() == env.unwrapped.spec_dict()  # type: ignore[attr-defined]
        assert played(twin) == played(env)


def played(env: gymnasium.Env[Any, Any]) -> list[Any]:
    return [env.reset(seed=4), *(env.step(action) for action in ("up", "x", "stay"))]


def test_spec_dict_is_json_and_names_what_is_not() -> None:
    env = worlds.Counter(max_turns=3, signals=("menu",), tasks=[agentgym.Task("a", {"goal": 1})])
    described = env.spec_dict()
    assert json.loads(json.dumps(described)) == described
    assert described["kwargs"] == {"max_turns": 3, "signals": ["menu"]}
    assert described["opaque"] == ["tasks"]
    assert described["id"] == "Counter"
    assert described["panel"] == env.panel.hash
    described["kwargs"]["signals"].append("expert")
    assert env.spec_dict()["kwargs"]["signals"] == ["menu"]
