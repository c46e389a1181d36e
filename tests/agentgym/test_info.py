"""The info record: exact keys and types, JSON, fresh objects; the validator catches every violation."""

import json
import math
from collections.abc import Callable
from typing import Any, NotRequired, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import WORLDS, Counter, Shop, Talk, script

from agentgym import AgentEnv, ToolCall, TurnInfo, _info, validate_info
from agentgym._info import written_action
from agentgym.turn import ALWAYS, SCHEMA, SOMETIMES

names = st.sampled_from(sorted(WORLDS))


def infos(name: str, seed: int, **kwargs: Any) -> list[dict[str, Any]]:
    env = WORLDS[name](**kwargs)
    out: list[Any] = [env.reset(seed=seed)[1]]
    for action in script(name, seed, 9):
        out.append(env.step(action)[4])
        if out[-1]["end_reason"]:
            break
    return out


ARGUMENTS = st.one_of(
    st.dictionaries(st.text(), st.text(), min_size=1, max_size=1),
    st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text(), max_size=2), max_size=3),
)


@given(st.text(), ARGUMENTS)
def test_calls_are_written_as_json_writes_them(name: str, arguments: dict[str, Any]) -> None:
    call = ToolCall(name, arguments)
    assert written_action("call", call, 100) == ("call", json.dumps({"tool": name, "arguments": arguments}))


@given(names, st.integers(0, 2**63 - 1))
def test_every_info_follows_the_schema_and_survives_json(name: str, seed: int) -> None:
    for info in infos(name, seed):
        validate_info(info)
        assert json.loads(json.dumps(info)) == info
        assert set(ALWAYS) <= set(info) <= set(ALWAYS) | set(SOMETIMES)


def test_the_first_record_written_out() -> None:
    env = Counter()
    _, info = env.reset(seed=4, options={"task": "two", "branch": 7})
    hashes = {key: info[key] for key in ("state_hash", "anchor_hash", "history_hash")}  # type: ignore[literal-required]
    assert info == {
        "schema": SCHEMA, "env_id": "Counter", "panel": "numbers", "task": "two", "seed": 4, "branch": 7, "turn": 0,
        "messages": [
            {"role": "system", "content": "Say up, down or stay."}, {"role": "user", "content": "At 0. Reach 2."}
        ],
        "valid": True, "error": "", "action": "", "kind": "", "components": {}, "turn_reward": 0.0,
        "outcome_reward": 0.0, "success": False, "end_reason": "", "end_detail": "", "metrics": {}, **hashes,
    }  # fmt: skip
    assert list(info) == list(ALWAYS)


def test_a_record_with_everything_written_out() -> None:
    env = Talk()
    env.reset(seed=4)
    info = env.step("hello you")[4]
    optional = {key: info[key] for key in info if key in SOMETIMES}  # type: ignore[literal-required]
    assert optional == {
        "tag": "message", "step_score": 1.0, "critique": 1.0, "channel": "tone", "subgoal": "greet", "switch": False,
        "tool_result": False, "rubrics": {"polite": 1.0}, "plan": ["greet", "leave"], "safe": True,
    }  # fmt: skip
    assert info["metrics"] == {"words": 2.0}
    assert (info["kind"], info["action"], info["components"], info["turn_reward"]) == (
        "talk", '{"say": "hello you"}', {"kind": 1.0}, 0.25
    )  # fmt: skip
    info = env.step("SHOUT")[4]
    assert (info["violations"], info["safe"]) == (["shouting"], False)
    assert "tag" not in info
    assert "step_score" not in info


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ("<look>item3</look>", "tool"),
        (ToolCall("look", {"key": "item3"}), "tool"),
        ("hello", "invalid"),
        (ToolCall("look", {}), "invalid"),
        (ToolCall("none", {}), "invalid"),
    ],
)
def test_kinds(action: str | ToolCall, kind: str) -> None:
    env = Shop()
    env.reset(seed=0)
    info = env.step(action)[4]
    assert info["kind"] == kind
    assert type(json.loads(info["action"])) is dict


def test_the_types_and_the_tables_agree() -> None:
    hints = get_type_hints(TurnInfo, include_extras=True)
    optional = {key: get_args(hint)[0] for key, hint in hints.items() if get_origin(hint) is NotRequired}
    required = {key: hint for key, hint in hints.items() if key not in optional}
    for typed, table in ((required, ALWAYS), (optional, SOMETIMES)):
        assert {key: get_origin(hint) or hint for key, hint in typed.items()} == table


# ---- P12: what the caller changes never reaches the world ----------------------------------------------------------


def spoil(value: Any) -> None:
    """Change everything inside that can be changed."""
    if isinstance(value, dict):
        for item in value.values():
            spoil(item)
        value.clear()
        value["spoilt"] = True
    elif isinstance(value, list):
        for item in value:
            spoil(item)
        value.append("spoilt")


def with_signals(name: str) -> AgentEnv[Any]:
    if name == "Counter":
        return Counter(signals=("menu", "potential", "expert", "describe"), privileged=True)
    return WORLDS[name]()


@given(names, st.integers(0, 2**63 - 1))
def test_spoiling_what_was_returned_reaches_neither_world_nor_snapshot_nor_fork(name: str, seed: int) -> None:
    clean, dirty = with_signals(name), with_signals(name)
    actions = script(name, seed, 9)
    _, info = clean.reset(seed=seed)
    spoil(dirty.reset(seed=seed)[1])
    for action in actions:
        assert dirty._current_info() == info
        moment = dirty.snapshot()
        spoil(moment.info)
        assert moment.info == info
        assert moment.to_bytes() == clean.snapshot().to_bytes()
        fork = dirty.fork()[0]
        spoil(fork.snapshot().info)
        _, again = fork.restore(moment)
        assert again == info
        spoil(again)
        assert fork.snapshot().info == info
        assert moment.info == info
        *flags, info = clean.step(action)
        *dirty_flags, dirty_info = dirty.step(action)
        assert (dirty_flags, dirty_info) == (flags, info)
        spoil(dirty_info)
        if flags[2] or flags[3]:
            break


def test_spoiling_what_was_passed_reaches_nothing() -> None:
    arguments: dict[str, Any] = {"key": "item4", "notes": ["a"]}
    call = ToolCall("sell", arguments)
    env, twin = Shop(), Shop()
    env.reset(seed=0)
    twin.reset(seed=0)
    env.step(call)
    twin.step(ToolCall("sell", {"key": "item4", "notes": ["a"]}))
    spoil(arguments)
    assert env.snapshot().to_bytes() == twin.snapshot().to_bytes()
    options = {"task": "two"}
    signals = ["menu"]
    counter = Counter(signals=signals)
    counter.reset(seed=0, options=options)
    spoil(options)
    spoil(signals)
    assert sorted(counter.reset(seed=0)[1]["menu"]) == ["down", "stay", "up"]


def test_schemas_in_info_are_fresh() -> None:
    env = Shop()
    spoil(env.reset(seed=0)[1]["tools"])
    spoil(env.tool_schemas)
    assert env.reset(seed=0)[1]["tools"] == Shop().tool_schemas
    assert env.step("<look>item3</look>")[4]["valid"]


# ---- the validator ---------------------------------------------------------------------------------------------------


def good() -> dict[str, Any]:
    env = Talk()
    env.reset(seed=1)
    info: Any = env.step("hello")[4]
    return dict(info)


def test_the_validator_takes_what_the_shell_makes() -> None:
    validate_info(good())


@pytest.mark.parametrize("key", sorted(ALWAYS))
def test_every_key_must_be_there(key: str) -> None:
    info = good()
    del info[key]
    with pytest.raises(ValueError, match=f"info of turn 3 lacks the key '{key}'"):
        validate_info(info, "info of turn 3")


WRONG: dict[type, list[Any]] = {
    int: [True, 1.0, "1", None, 2**63, -(2**63) - 1],
    float: [1, True, "1.0", None, math.nan, math.inf],
    bool: [1, 0.0, "", None],
    str: [1, None, b"", ["a"]],
    list: [(), None, "ab", {}],
    dict: [None, [], {"a": 1}, {"a": math.nan}, {1: 1.0}, {"a": None}],
}


@pytest.mark.parametrize(
    ("key", "value"),
    [(key, value) for key, kind in {**ALWAYS, **SOMETIMES}.items() for value in WRONG[kind]],
    ids=lambda value: repr(value)[:24],
)
def test_every_key_has_one_type_and_no_none(key: str, value: object) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"^info\['{key}'\]"):
        validate_info({**good(), key: value})


def changed(**changes: Any) -> dict[str, Any]:
    return {**good(), **changes}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: changed(extra=1.0), "the key 'extra', which is not in the schema"),
        (lambda: changed(end_reason="won"), r"\['end_reason'\] is 'won', not one of"),
        (lambda: changed(success=True), "success, outcome_reward or end_detail before the end"),
        (lambda: changed(end_detail="x"), "before the end"),
        (lambda: changed(outcome_reward=1.0), "before the end"),
        (lambda: changed(valid=False), "error must say what was wrong"),
        (lambda: changed(error="wrong"), "be empty when it is True"),
        (lambda: changed(seed=-1), r"\['seed'\] is -1, below 0"),
        (lambda: changed(branch=-1), r"\['branch'\] is -1, below 0"),
        (lambda: changed(turn=-1), r"\['turn'\] is -1, below 0"),
        (lambda: changed(state_hash="abc"), r"\['state_hash'\] is 'abc', not 32 hex digits"),
        (lambda: changed(anchor_hash="G" * 32), "not 32 hex digits"),
        (lambda: changed(history_hash="A" * 32), "not 32 hex digits"),
        (lambda: changed(action="up"), r"\['action'\] must be a JSON object as text on one line, not 'up'"),
        (lambda: changed(action='{"say":\n"up"}'), "as text on one line"),
        (lambda: changed(action='{"say": NaN}'), "must be a JSON object as text"),
        (lambda: changed(action='{"say": ' + "[" * 10**5 + "}"), "must be a JSON object as text"),
        (lambda: changed(messages=[{"role": ["user"], "content": ""}]), r"\['messages'\]\[0\] needs a role of"),
        (lambda: changed(action='["up"]'), r"\['action'\] must be a JSON object as text"),
        (lambda: changed(messages=["hello"]), r"\['messages'\]\[0\] must be dict, not str"),
        (lambda: changed(messages=[{"role": "user"}]), r"\['messages'\]\[0\] needs a role"),
        (lambda: changed(messages=[{"role": "user", "content": None}]), "a content of type str"),
        (lambda: changed(messages=[{"role": "judge", "content": ""}]), "needs a role of"),
        (lambda: changed(messages=[{"role": "user", "content": "", "more": (1,)}]), "changes on its way through JSON"),
        (
            lambda: changed(messages=[{"role": "user", "content": "", "more": {1: 2}}]),
            "changes on its way through JSON",
        ),
        (lambda: changed(messages=[{"role": "user", "content": "", "more": math.nan}]), "not plain JSON"),
        (lambda: changed(messages=[{"role": "user", "content": "", "more": {1, 2}}]), "not plain JSON"),
        (lambda: changed(messages=[{"role": "user", "content": "\ud83d\ude00"}]), "a lone surrogate"),
        (lambda: changed(plan=["a", 1]), r"\['plan'\]\[1\] must be str, not int"),
        (lambda: changed(violations=[None]), r"\['violations'\]\[0\] must be str"),
        (lambda: changed(menu=[("a",)]), r"\['menu'\]\[0\] must be str"),
    ],
)
def test_what_holds_between_the_keys(make: Callable[[], dict[str, Any]], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        validate_info(make())


@pytest.mark.parametrize(("system", "said"), [("", "Hello."), ("Rules: ä.", "Hé."), ("x" * 5_000, "")])
def test_a_history_begins_as_one_that_goes_on_from_nothing(system: str, said: str) -> None:
    for _ in range(2):  # the text's part is kept
        assert _info.begun(system, said) == _info.chained("", system, said)
