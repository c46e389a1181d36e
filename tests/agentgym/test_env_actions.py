"""Actions as they reach the shell: hostile text, hostile calls, codecs."""

import json
import math
from typing import Any

import numpy as np
import pytest
from worlds import Counter, Shop, Talk

from agentgym import (
    Say,
    ToolCall,
    validate_info,
)


@pytest.mark.parametrize("action", [b"up", None, {"say": "up"}, 3, ["up"], np.array("up")])
def test_what_is_no_text_and_no_call_is_the_callers_error(action: Any) -> None:
    env = Counter()
    env.reset(seed=0)
    before = env.snapshot().to_bytes()
    with pytest.raises(TypeError, match=f"an action is a str or a ToolCall, not {type(action).__name__}"):
        env.step(action)
    assert env.snapshot().to_bytes() == before


def test_numpy_text_is_text() -> None:
    env, twin = Counter(), Counter()
    env.reset(seed=0)
    twin.reset(seed=0)
    assert env.step(np.str_("up")) == twin.step("up")


@pytest.mark.parametrize(
    ("action", "error"),
    [
        ("", "empty: write an action"),  # A1
        (" \n\t ", "empty: write an action"),
        ("<think>up</think>", "empty: write an action"),  # A8
        ("<think>up", "empty: write an action"),
        (" " * 1_000_000, "too_long: 1000000 characters; at most 16384 are read"),  # A2
        ("a" * 10_000_000, "too_long: 10000000 characters; at most 16384 are read"),  # A3
        ("```\n" + " " * 4000, "unknown word"),  # A5
        ("up\ndown", "unknown word"),
        ("\ufeffup", "unknown word"),  # A23
        ("up\x00", "unknown word"),
        ("u\u2028p\x0b", "unknown word"),
        ("\ud800", "unknown word '?'"),
        ("²", "unknown word"),  # A24
        ("\x1b[31mup", "unknown word"),  # A42
    ],
    ids=range(14),
)
def test_hostile_text_is_an_invalid_turn(action: str, error: str) -> None:
    env = Counter()
    _, before = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(action)
    assert observation.startswith(error)
    assert (reward, terminated, truncated, info["valid"], info["turn"]) == (0.0, False, False, False, 1)
    assert info["state_hash"] == before["state_hash"]
    assert len(info["messages"][0]["content"]) <= env.max_action
    validate_info(info)
    "".join(message["content"] for message in info["messages"]).encode("utf-8")
    assert not any(ord(char) < 32 and char not in "\n\t" for char in env.render())


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (ToolCall("gett", {}), "unknown tool 'gett'"),  # A28
        (ToolCall("__class__", {}), "unknown tool '__class__'"),
        (ToolCall("reset", {}), "unknown tool 'reset'"),
        (ToolCall("x" * 16_000, {}), "there is no tool of this name"),
        (ToolCall("look", {"key": "item3", "self": 1}), "args: look has no argument 'self'"),  # A29
        (ToolCall("look", {}), "args: look needs the argument 'key'"),
        (ToolCall("look", {"key": 3}), "args: look.key must be of type string"),
        (ToolCall("sell", {"key": "item4", "price": math.nan}), "number: NaN"),
        (ToolCall("sell", {"key": "item4", "count": 10**5000}), "json: "),
        (ToolCall("look", None), "json: arguments must be"),  # type: ignore[arg-type]
        (ToolCall(None, {}), "call: name and id must be text"),  # type: ignore[arg-type]
        ("<look>item3</look><look>item4</look>", "one call a turn"),  # A6
        ("<look>" * 2000, "unclosed"),  # A4
        ("<look>\x1b[31m</look>", "there is no"),
        ("<look>{{7*7}} %s {0}</look>", "there is no '{{7*7}} %s {0}'"),  # A41
        ('<sell>{"key": "\\ud800"}</sell>', "cannot sell 1 of '?'"),
        ("hello", "no tool was called; call one of: look, sell"),
        ("</look>", "no tool was called"),
        ("<gett>x</gett>", "no tool was called"),
    ],
    ids=range(19),
)
def test_hostile_calls_are_invalid_turns(action: Any, error: str) -> None:
    env = Shop()
    _, before = env.reset(seed=0)
    observation, _, terminated, truncated, info = env.step(action)
    assert observation.startswith(error)
    assert (terminated, truncated, info["valid"], info["turn"]) == (False, False, False, 1)
    assert info["state_hash"] == before["state_hash"]
    validate_info(info)
    env.restore(env.snapshot().to_bytes())


def test_calls_never_reach_a_world_without_tools() -> None:
    for call in (ToolCall("up"), ToolCall("look", {"key": "item3"})):
        env = Counter()
        _, before = env.reset(seed=0)
        observation, _, _, _, info = env.step(call)
        assert observation == info["error"] == "this world has no tools: write text"
        assert info["state_hash"] == before["state_hash"]
        validate_info(info)


def test_text_and_typed_calls_do_the_same() -> None:
    texts, calls = Shop(), Shop()
    texts.reset(seed=0)
    calls.reset(seed=0)
    one = texts.step('Now. <think>hm</think> <sell>{"key": "item4", "count": 2}</sell>')
    two = calls.step(ToolCall("sell", {"key": "item4", "count": 2}))
    assert one[:4] == two[:4]
    for key in ("action", "kind", "state_hash", "history_hash", "components"):
        assert one[4][key] == two[4][key]
    assert one[4]["action"] == '{"tool": "sell", "arguments": {"key": "item4", "count": 2}}'


def test_think_text_never_reaches_the_world() -> None:
    env = Talk()
    env.reset(seed=0)
    env.step("<think>ANGRY SECRET</think>hello")
    env.step("I ask <think>BYE</think> nicely</think>kindly")
    assert env.state.heard == ("hello", "kindly")


def test_codecs() -> None:
    assert Shop(codec="plain").parse("<look>x</look>") == Say("<look>x</look>")
    assert Shop().parse("<look>x</look>") == ToolCall("look", {"key": "x"})

    def last_word(text: str, tools: Any) -> Say:
        return Say(text.split()[-1])

    env = Counter(codec=last_word)
    env.reset(seed=0, options={"task": "two"})
    assert env.step("I go up")[0] == "At 1."


def by_json(text: str, tools: Any) -> ToolCall:
    """Read a call as many would write it, with no care for what JSON of a model may hold."""
    call = json.loads(text)
    return ToolCall(call["name"], call["args"])


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"name": "look", "args": {"key": NaN}}', "number: NaN is not a number here"),
        ('{"name": "look", "args": {"key": 1' + "0" * 99 + "}}", "does not fit into 64 bits"),
        ('{"name": "look", "args": [1]}', "json: arguments must be one JSON object, not list"),
        ('{"name": 5, "args": {}}', "call: name and id must be text, not int and str"),
        ('{"name": "look", "args": {"key": ' + "[" * 40 + "]" * 40 + "}}", "json_depth"),
        ('{"name": "look", "args": {"key": "a\\ud83d"}}', "there is no 'a?'"),  # the lone surrogate becomes "?"
    ],
)
def test_calls_by_a_codec_of_ones_own_are_as_strict_as_typed_calls(text: str, error: str) -> None:
    env = Shop(codec=by_json)
    env.reset(seed=0)
    info = env.step(text)[-1]
    validate_info(info)
    assert not info["valid"]
    assert error in info["error"]


@pytest.mark.parametrize("world", [Shop, Counter])
@pytest.mark.parametrize("returned", [None, "up", {"name": "look"}, Say(5)])  # type: ignore[arg-type]
def test_a_codec_that_returns_no_action_is_named(world: Any, returned: Any) -> None:
    env = world(codec=lambda text, tools: returned)
    env.reset(seed=0)
    with pytest.raises(TypeError, match=r"the codec returned .*: it must return a Say or a ToolCall, or raise"):
        env.step("up")
