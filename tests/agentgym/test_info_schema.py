"""The published JSON Schema says what the validator checks, and is the file that the docs offer."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from worlds import SCRIPTS, WORLDS, Counter

from agentgym import validate_info
from agentgym.envs.babyai.env import BabyAIEnv
from agentgym.schema import ABOUT, json_schema, schema_text
from agentgym.turn import ALWAYS, SCHEMA, SOMETIMES, EndReason
from tests.json_schema import faults, is_valid
from tests.layering import ROOT

SCHEMA_OF_INFO = json_schema()
FILE = ROOT / "docs" / "turn-info.schema.json"


def infos(name: str) -> Iterator[dict[str, Any]]:
    """Yield the infos of one episode with every kind of action and every signal."""
    if name == "BabyAI":
        env: Any = BabyAIEnv(
            signals=("menu", "potential", "expert", "describe", "critique", "subgoal"), max_turns=6, privileged=False
        )
        actions = ("go forward", "fly", "", "turn left", "turn right", "pick up")
    else:
        hooks = [hook for hook in ("menu", "potential", "expert", "describe") if WORLDS[name].offers(hook)]
        env = WORLDS[name](signals=hooks, privileged=WORLDS[name].offers("secrets"))
        actions = SCRIPTS[name]
    yield env.reset(seed=0)[1]
    for action in actions:
        _, _, terminated, truncated, info = env.step(action)
        yield info
        if terminated or truncated:
            break


def accepted(info: dict[str, Any]) -> bool:
    try:
        validate_info(info)
    except (TypeError, ValueError):
        return False
    return True


@pytest.mark.parametrize("name", [*WORLDS, "BabyAI"])
def test_what_worlds_return_follows_both(name: str) -> None:
    seen = list(infos(name))
    assert len(seen) > 2
    for info in seen:
        validate_info(info)
        assert list(faults(json.loads(json.dumps(info)), SCHEMA_OF_INFO)) == []


def good() -> dict[str, Any]:
    env = Counter(signals=("menu",))
    env.reset(seed=1)
    return dict(env.step("up")[4])


def ended() -> dict[str, Any]:
    env = Counter()
    env.reset(seed=1)
    return dict(env.step("quit")[4])


# Values that no key of this type may have. An int where a float is asked for is left out: JSON has one kind of number,
# so only the validator sees it (the test after the next one).
WRONG: dict[type, list[Any]] = {
    int: [True, 1.5, "1", None, 2**63, -(2**63) - 1],
    float: [True, "1.0", None],
    bool: [1, 0.0, "", None],
    str: [1, None, ["a"], True],
    list: [None, "ab", {}, 1.0, [None]],
    dict: [None, [], {"a": "1"}, {"a": None}, {"a": True}],
}


@pytest.mark.parametrize("key", [*ALWAYS, *SOMETIMES])
def test_a_value_of_a_wrong_type_breaks_both(key: str) -> None:
    for value in WRONG[{**ALWAYS, **SOMETIMES}[key]]:
        broken = {**good(), key: value}
        assert not accepted(broken), value
        assert not is_valid(broken, SCHEMA_OF_INFO), value


@pytest.mark.parametrize("key", ALWAYS)
def test_a_missing_key_breaks_both(key: str) -> None:
    broken = good()
    del broken[key]
    assert not accepted(broken)
    assert list(faults(broken, SCHEMA_OF_INFO)) == [f"$: lacks {key}"]


OVER = {"success": True, "outcome_reward": 1.0, "end_detail": "by choice"}


@pytest.mark.parametrize(
    "changes",
    [
        {"extra": 1.0}, {"schema": SCHEMA + 1}, {"end_reason": "won"}, {"valid": False}, {"error": "wrong"},
        *({key: value} for key, value in OVER.items()), {"seed": -1}, {"branch": -1}, {"turn": -1},
        {"state_hash": "abc"}, {"anchor_hash": "G" * 32}, {"history_hash": "A" * 32}, {"state_hash": "a" * 33},
        {"action": "up"}, {"action": '["up"]'}, {"action": '{"say":\n"up"}'}, {"action": ' {"say": "up"}'},
        {"action": '{"say": "up"}\n'}, {"action": "\n"}, {"action": '{"say": "up"} '},
        {"messages": [{"role": [], "content": ""}]},
        {"messages": ["hello"]}, {"messages": [{"role": "user"}]},
        {"messages": [{"role": "user", "content": None}]}, {"messages": [{"role": "judge", "content": ""}]},
        {"tools": ["look"]}, {"plan": ["a", 1]}, {"violations": [None]}, {"menu": [["a"]]},
    ],
    ids=str,
)  # fmt: skip
def test_a_broken_record_breaks_both(changes: dict[str, Any]) -> None:
    assert accepted(good())
    broken = {**good(), **changes}
    assert not accepted(broken)
    assert not is_valid(broken, SCHEMA_OF_INFO)


def test_what_is_known_only_at_the_end_follows_both() -> None:
    for reason in EndReason:
        for key, value in OVER.items():
            done = {**ended(), "end_reason": reason.value, key: value}
            assert accepted(done)
            assert is_valid(done, SCHEMA_OF_INFO)


def test_json_cannot_tell_an_int_from_a_float_and_no_pattern_reads_json() -> None:
    texts = ("{up}", '{"say": NaN}', '{"say": ' + "[" * 10**5 + "}")
    for broken in ({**good(), "turn_reward": 1}, *({**good(), "action": text} for text in texts)):
        assert not accepted(broken)
        assert is_valid(broken, SCHEMA_OF_INFO)


def test_every_key_is_described_once() -> None:
    assert list(ABOUT) == [*ALWAYS, *SOMETIMES] == list(SCHEMA_OF_INFO["properties"])
    for key, about in ABOUT.items():
        assert SCHEMA_OF_INFO["properties"][key]["description"] == about


def test_each_call_returns_a_schema_of_its_own() -> None:
    json_schema()["properties"]["messages"]["items"].clear()
    assert json_schema() == SCHEMA_OF_INFO


def test_the_file_in_docs_is_this_schema(tmp_path: Path) -> None:
    made = tmp_path / "made.json"
    command = [sys.executable, "-W", "error", "-m", "agentgym.schema", str(made)]
    subprocess.run(command, cwd=ROOT, check=True)
    how = "run: python -m agentgym.schema docs/turn-info.schema.json"
    assert FILE.read_text("utf-8") == made.read_text("utf-8") == schema_text(), how
    assert f"`{how.removeprefix('run: ')}`" in (ROOT / "docs" / "contract.md").read_text("utf-8")
