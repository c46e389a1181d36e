"""VectorInfos: a real dict for whoever looks, by whatever way; nothing is built for who reads the list alone."""

import copy
import json
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import worlds
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from vector_cases import strict

from agentgym import GroupVectorEnv
from agentgym._vector_infos import VectorInfos


def infos(action: str = "hello") -> tuple[VectorInfos, dict[str, Any]]:
    """Return fresh infos of a step in which slot 1 was left alone, and what Gymnasium makes of them."""
    envs = GroupVectorEnv(worlds.Talk, 3)
    envs.reset(seed=1)
    found = envs.step([action, None, "bye"])[4]
    columns: dict[str, Any] = {}
    for slot in (0, 2):
        columns = SyncVectorEnv._add_info(envs, columns, found["turns"][slot], slot)  # type: ignore[arg-type]
    return found, columns


def built(found: VectorInfos) -> bool:
    return dict.__len__(found) > 1


def test_the_list_alone_builds_nothing() -> None:
    found, _ = infos()
    assert [turn and turn["turn"] for turn in found["turns"]] == [1, None, 1]
    assert type(found["turns"]) is list and found.get("turns") is found["turns"] and "turns" in found
    assert not built(found)


def test_a_column_asked_for_by_name_builds_no_other() -> None:
    found, columns = infos()
    kept = found["turn"]
    assert kept.tolist() == [1, 0, 1] and found["_turn"].tolist() == [True, False, True]
    assert strict(found["metrics"]) == strict(columns["metrics"]) and "_metrics" in found
    assert "episode" not in found and found.get("_episode") is None
    assert not built(found)
    kept[1] = 7  # the caller's from now on
    assert found["turn"] is kept and len(found) == len(columns)
    assert built(found) and found["turn"] is kept and found["turn"][1] == 7
    assert list(found) == list(columns)


def test_a_key_that_is_set_builds_no_column() -> None:
    found, columns = infos()
    found["credit"] = [1.0]
    found.update({"turn": "mine"}, more=2)
    found |= {"last": 3}
    assert found.setdefault("most", 4) == 4 and found.setdefault("credit") == [1.0]
    assert "credit" in found and found["turn"] == "mine" and found["more"] == 2
    assert found["_turn"].tolist() == [True, False, True]  # gathered by name, and what was set stays
    assert found["turn"] == "mine"
    assert not built(found)
    expected = {**columns, "turn": "mine", "credit": [1.0], "more": 2, "last": 3, "most": 4}
    again = pickle.loads(pickle.dumps(found))
    assert strict(dict(found)) == strict(expected) and list(found) == list(expected)
    assert strict(dict(again)) == strict(expected) and again["turns"] == found["turns"]
    found, _ = infos()
    found["credit"] = 1
    del found["credit"]
    assert "credit" not in found


WAYS: Mapping[str, Callable[[VectorInfos], Any]] = {
    "dict": dict,
    "unpacked": lambda found: {**found},
    "as arguments": lambda found: (lambda **named: named)(**found),
    "keys and values": lambda found: dict(zip(found.keys(), found.values(), strict=True)),
    "items": lambda found: dict(found.items()),
    "iterated": lambda found: {key: found[key] for key in found},
    "reversed": lambda found: {key: found.get(key) for key in reversed(found)},
    "copy method": lambda found: found.copy(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda found: pickle.loads(pickle.dumps(found)),
    "updated from": lambda found: (lambda other: other.update(found) or other)({}),
    "united": lambda found: found | {},
    "united on the right": lambda found: {} | found,
    "united in place": lambda found: (lambda other: other.__ior__(found))({}),
    "popped": lambda found: {key: found.pop(key) for key in list(found)},
    "emptied": lambda found: dict(found.popitem() for _ in range(len(found))),
    "set by default": lambda found: {key: found.setdefault(key) for key in found},
    "matched": lambda found: next({**rest} for rest in [_rest(found)]),
    "after a look": lambda found: found if found["turn"] is not None else None,
}


def _rest(found: Any) -> Any:
    match found:
        case {"turn": turn, **rest}:
            return {"turn": turn, **rest}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_look_gives_the_columns_of_gymnasium(way: str) -> None:
    found, columns = infos()
    seen = WAYS[way](found)
    assert strict(seen) == strict(columns)
    assert isinstance(seen, dict) and "turns" not in dict.keys(seen)
    if "copy" in way or way in ("pickle", "united"):
        assert type(seen) is VectorInfos and seen["turns"] == found["turns"] and "final_turns" not in seen
        assert (seen["turns"] is found["turns"]) is (way in ("copy", "copy method", "united"))
        seen["more"] = 1
        assert "more" not in found


def test_looks_that_need_no_value() -> None:
    for look in (
        lambda found: len(found) == len(infos()[1]),
        bool,
        lambda found: "turn" in found and "final_turns" not in found,
        lambda found: found.get("nothing", 3) == 3 and found.get("nothing") is None,
        lambda found: list(found) == list(infos()[1]),
        lambda found: repr(found) == repr(infos()[1]),
        lambda found: f"{found}" == str(infos()[1]),
        lambda found: found.keys() == infos()[1].keys(),
        lambda found: found != {} and found != 3 and not found == {},  # noqa: SIM201
        lambda found: json.loads(json.dumps(found, default=lambda array: array.tolist()))["turn"] == [1, 0, 1],
        lambda found: json.loads(json.dumps([found], default=repr, indent=1))[0].keys() == infos()[1].keys(),
        lambda found: "%(turn)s" % found == "[1 0 1]",  # noqa: UP031
        lambda found: sorted(found)[0] == "_action",
    ):
        assert look(infos()[0])
    with pytest.raises(KeyError, match="nothing"):
        infos()[0]["nothing"]
    with pytest.raises(TypeError, match="unhashable"):
        hash(infos()[0])


def test_equality() -> None:
    empty = VectorInfos([None, None])
    assert empty == {} and empty == VectorInfos([None]) and len(empty) == 0 and not empty
    assert empty["turns"] == [None, None]
    first, second = VectorInfos([{"turn": 1}]), VectorInfos([{"turn": 1}])  # type: ignore[list-item]
    assert first == second and first == {"turn": np.array([1]), "_turn": np.array([True])}
    other: Any = {"turn": 1}
    assert other != second


def test_wrappers_write_into_it() -> None:
    found, columns = infos()
    found["credit"] = [1.0]
    found |= {"more": 2}
    found.update(other=3)
    del found["turn"]
    assert found.setdefault("kept", 4) == 4
    expected = {**columns, "credit": [1.0], "more": 2, "other": 3, "kept": 4}
    del expected["turn"]
    assert strict(dict(found)) == strict(expected)
    assert isinstance(found, VectorInfos) and found["turns"][0]["turn"] == 1
    found["turns"] = []
    assert found["turns"] == [] and "turns" not in found.keys()  # noqa: SIM118
    found.clear()
    assert found == {}


def test_ended_episodes_that_restarted() -> None:
    envs = GroupVectorEnv(worlds.Talk, 3, autoreset_mode="SameStep")
    envs.reset(seed=1)
    found = envs.step(["hello", "bye", None])[4]
    assert [turn and turn["turn"] for turn in found["turns"]] == [1, 0, None]
    assert [turn and turn["end_reason"] for turn in found["final_turns"]] == [None, "solved", None]
    assert "final_info" in found and not built(found)
    assert found["final_obs"].tolist() == [None, "Bye!", None]
    assert found["final_info"]["turn"].tolist() == [0, 1, 0]
    assert found["_final_info"].tolist() == [False, True, False]
    assert "final_turns" not in envs.step(["hello", None, None])[4]


def test_gymnasiums_list_wrapper() -> None:
    envs: Any = DictInfoToList(GroupVectorEnv(worlds.Talk, 3))
    _, listed = envs.reset(seed=1)
    assert listed[1]["messages"] == [{"role": "user", "content": "Ada: good morning!"}]
    listed = envs.step(["hello there", None, "bye"])[4]
    assert listed[1] == {}
    assert listed[0]["metrics"] == {"words": 2.0} and listed[2]["end_reason"] == "solved"


@pytest.mark.parametrize("mode", ["Disabled", "NextStep", "SameStep"])
def test_gymnasiums_statistics(mode: str) -> None:
    envs: Any = RecordEpisodeStatistics(GroupVectorEnv(worlds.Counter, 2, autoreset_mode=mode))
    envs.reset(seed=0, options={"tasks": ["two", "two"]})
    assert "episode" not in envs.step(["up", "up"])[4]
    found = envs.step(["up", None])[4]
    assert found["episode"]["l"].tolist() == [2, 0] and found["episode"]["r"].tolist() == [1, 0]
    assert found["_episode"].tolist() == [True, False] and found["turns"][0] is not None
    assert "episode" not in envs.step([None, None])[4]  # told once
    if mode == "Disabled":
        envs.reset(options={"reset_mask": np.array([True, False]), "tasks": ["two", None]})
        envs.step(["up", None])
        assert envs.step(["up", None])[4]["episode"]["l"].tolist() == [2, 0]
