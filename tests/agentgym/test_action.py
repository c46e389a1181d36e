"""Think blocks, tags, strict JSON, checked calls; linear time, never an exception but InvalidAction."""

import contextlib
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import worlds
from hypothesis import given
from hypothesis import strategies as st
from linear import ratios
from strategies import think_text, tool_arguments

from agentgym import InvalidAction, Say, ToolCall, action
from agentgym.action import MAX_DEPTH, checked_call, clean, parse_arguments, strip_blocks, strip_think
from agentgym.codec import CODECS
from agentgym.tool import ToolSpec
from agentgym.turn import safe_name


def spec(name: str, single: str | None = None) -> ToolSpec:
    return ToolSpec(name, "", {"type": "object", "properties": {}, "required": []}, single)


plain, tags = CODECS["plain"], CODECS["tags"]
TOOLS = {"get": spec("get", "key"), "put": spec("put"), "get_all": spec("get_all")}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("go", "go"),
        ("<think>a</think>go", "go"),
        ("go <think>a</think> on", "go   on"),  # the blanks on both sides, and the one that joins
        ("<think>a</think><think>b</think>go", "go"),
        ("<think>never closed, go", ""),
        ("go<think>never closed", "go"),
        ("the template opened it</think>go", "go"),
        ("said<think>a</think>more</think>go", "go"),  # a second closing tag: all before it was thought
        ("<think>I use <think> tags</think>go", "go"),  # blocks do not nest
        ("<think>a<think>b</think>c</think>go", "go"),
        ("<thi<think>x</think>nk>secret", "<thi nk>secret"),  # what is left never makes a new tag
        ("<THINK>go", "<THINK>go"),
        ("", ""),
    ],
)
def test_think_blocks(text: str, left: str) -> None:
    assert strip_think(text) == left
    other = text.replace("think>", "reasoning>")  # the same rule under another name
    assert strip_blocks(other, "reasoning") == left.replace("think>", "reasoning>")


@given(think_text)
def test_no_tag_is_ever_left_and_stripping_twice_is_stripping_once(text: str) -> None:
    left = strip_think(text)
    assert "<think>" not in left
    assert "</think>" not in left
    assert strip_think(left) == left


@given(st.text(st.characters(), max_size=20))
def test_clean_text_can_be_encoded_and_is_left_alone_otherwise(text: str) -> None:
    out = clean(text)
    out.encode("utf-8")
    assert len(out) == len(text)
    assert all(a == b or ("\ud800" <= a <= "\udfff" and b == "?") for a, b in zip(text, out, strict=True))


def test_clean_gives_plain_str() -> None:
    class Loud(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "other"

    assert type(clean(np.str_("go"))) is str
    assert clean(Loud("go")) == "go"
    assert type(clean(Loud("go"))) is str


def test_plain_reads_everything_as_said() -> None:
    assert plain("  <get>x</get> \n", TOOLS) == Say("<get>x</get>")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("<get>a key</get>", ToolCall("get", {"key": "a key"})),
        ("I look.\n<get> x </get> Good.", ToolCall("get", {"key": "x"})),
        ("<get></get>", ToolCall("get", {"key": ""})),
        ("<get>{{7*7}} %s {0}</get>", ToolCall("get", {"key": "{{7*7}} %s {0}"})),
        ('<put>{"a": 1, "b": [true, null]}</put>', ToolCall("put", {"a": 1, "b": [True, None]})),
        ("<put></put>", ToolCall("put", {})),
        ("<get_all></get_all>", ToolCall("get_all", {})),
        ("<unknown>x</unknown>", Say("<unknown>x</unknown>")),
        ("<__class__>x</__class__>", Say("<__class__>x</__class__>")),
        ("</get> hello", Say("</get> hello")),
        ("<GET>x</GET>", Say("<GET>x</GET>")),
    ],
)
def test_tags(text: str, action: object) -> None:
    assert tags(text, TOOLS) == action


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<get>a</get><get>b</get>", "one call a turn: found <get> × 2"),
        ("<get>a</get> then <put>{}</put>", "one call a turn: found <get> × 1, <put> × 1"),
        ("<get>a<get>b</get></get>", "one call a turn: found <get> × 2"),  # A7: nested tags are two calls
        ("<get>a</get>" * 10, "one call a turn: found <get> × 10"),  # A33
        ("<get>a", "unclosed: <get> has no </get>"),
        ("<get>" * 1000, "unclosed: <get> has no </get>"),  # A4
        ("</get><get>a", "unclosed: <get> has no </get>"),
        ("<put>{</put>", "json: Expecting property name"),  # A17
        ("<put>[1]</put>", "json: arguments must be one JSON object, not list"),
        ("<put>{} {}</put>", "json: Extra data"),
        ("<put>{'a': 1}</put>", "json: "),
    ],
)
def test_refused_tags(text: str, message: str) -> None:
    with pytest.raises(InvalidAction) as caught:
        tags(text, TOOLS)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "json_depth: "),  # A18
        ('{"a": ' + "[" * 100_000, "json_depth: "),
        ('{"a":' * 100_000, "json_depth: "),
        ('{"a": ' + "9" * 5000 + "}", "number: 9999"),  # A19
        ('{"a": 9223372036854775808}', "number: 9223372036854775808 does not fit into 64 bits"),
        ('{"a": -9223372036854775809}', "number: "),
        ('{"a": NaN}', "number: NaN"),  # A20
        ('{"a": -Infinity}', "number: -Infinity"),
        ('{"a": 1e400}', "number: 1e400 is too large"),
        ('{"a": 1, "a": 2}', "duplicate_key: 'a'"),  # A21
        ('{"b": {"a": 1, "\\u0061": 2}}', "duplicate_key: 'a'"),
        (r'{"\ud800": 1, "\udfff": 2}', "duplicate_key: an unknown name"),  # both become "?"
        ('{"a": ²}', "json: "),  # A24: digits are ASCII
        ('{"a": ١٢}', "json: "),
        ('{"a": 1２}', "json: "),
        ("", "json: "),
        ("null", "json: arguments must be one JSON object, not NoneType"),
        ('"{}"', "not str"),
        ('{"a": "\x00"}', "json: Invalid control character"),
    ],
    ids=range(19),
)
def test_refused_arguments(text: str, message: str) -> None:
    with pytest.raises(InvalidAction) as caught:
        parse_arguments(text)
    assert str(caught.value).startswith(message) or message in str(caught.value)
    assert len(str(caught.value)) < 300


def test_what_json_may_hold() -> None:
    assert parse_arguments('{"a": 9223372036854775807, "b": -9223372036854775808}') == {"a": 2**63 - 1, "b": -(2**63)}
    assert parse_arguments('{"deep": ' + "[" * 31 + "]" * 31 + "}")["deep"]  # the object and 31 lists: 32 deep
    with pytest.raises(InvalidAction, match="json_depth"):
        parse_arguments('{"deep": ' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}")
    brackets = '{"text": "' + "[" * 500 + '\\"' + "{" * 500 + '"}'
    assert parse_arguments(brackets)["text"].count("[") == 500  # brackets in strings are no depth
    # a lone surrogate becomes "?", in keys too; a pair is the character that it means
    assert parse_arguments('{"\\ud800": ["\\udc00", "\\ud83d\\ude00", "\\u00e9"]}') == {"?": ["?", "😀", "é"]}


@given(tool_arguments)
def test_arguments_written_as_json_are_read_again(arguments: dict[str, Any]) -> None:
    text = json.dumps(arguments)
    if len(arguments) == len({clean(key) for key in arguments}):
        assert parse_arguments(text) == arguments
        assert tags(f"so <put>{text}</put>.", TOOLS) == ToolCall("put", arguments) or "<" in text
        assert checked_call(ToolCall("put", arguments), 10**6) == ToolCall("put", arguments)


@given(st.text(st.sampled_from('{}[]":,\\u0aé1e-<>/getpu\ud800 '), max_size=40))
def test_parsers_raise_nothing_but_invalid_action(text: str) -> None:
    for parse in (parse_arguments, lambda text: tags(text, TOOLS), lambda text: plain(text, TOOLS)):
        with contextlib.suppress(InvalidAction):
            assert isinstance(parse(text), Say | ToolCall | dict)


def test_checked_calls_share_nothing_with_the_caller() -> None:
    arguments = {"a": [1]}
    call = checked_call(ToolCall("put", arguments, "id1"), 1000)
    arguments["a"].append(2)
    assert call == ToolCall("put", {"a": [1]}, "id1")


LOOP: list[Any] = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (ToolCall(3), "call: name and id must be text"),  # type: ignore[arg-type]
        (ToolCall("a", {}, None), "call: name and id must be text"),  # type: ignore[arg-type]
        (ToolCall("a", None), "json: arguments must be one JSON object, not NoneType"),  # type: ignore[arg-type]
        (ToolCall("a", '{"b": 1}'), "json: arguments must be one JSON object, not str"),  # type: ignore[arg-type]
        (ToolCall("a", {"b": object()}), "json: the arguments are not plain JSON"),
        (ToolCall("a", {(1, 2): 3}), "json: the arguments are not plain JSON"),
        (ToolCall("a", {"b": LOOP}), "json: the arguments are not plain JSON"),
        (ToolCall("a", {"b": math.nan}), "number: NaN"),
        (ToolCall("a", {"b": 10**30}), "number: "),
        (
            ToolCall("a", {"b": "x" * 2000}),
            "too_long: a call with arguments of 2009 characters; at most 1000",
        ),  # {"b": "…"} adds 9
        (ToolCall("x" * 2000), "too_long: "),
        (ToolCall("a", {1: 0, "1": 0}), "duplicate_key: '1'"),
    ],
    ids=range(12),
)
def test_calls_of_bad_form_are_invalid_actions(call: ToolCall, message: str) -> None:
    with pytest.raises(InvalidAction) as caught:
        checked_call(call, 1000)
    assert message in str(caught.value)


HOSTILE: dict[str, tuple[Callable[[str], Any], Callable[[int], str]]] = {
    "openers": (lambda text: tags(text, TOOLS), lambda n: "<get>" * n),
    "pairs": (lambda text: tags(text, TOOLS), lambda n: "<get>a</get>" * n),
    "fence": (lambda text: tags(text, TOOLS), lambda n: "```\n" + " " * 5 * n),
    "think": (strip_think, lambda n: "<think>" * n),
    "closed thoughts": (strip_think, lambda n: "a<think>b</think>" * n),
    "stray closers": (strip_think, lambda n: "</think>" * n),
    "brackets": (parse_arguments, lambda n: "[" * 5 * n),
    "strings": (parse_arguments, lambda n: '{"a": "' + '\\"[' * n),
    "digits": (parse_arguments, lambda n: '{"a": ' + "9" * 5 * n),
    "keys": (parse_arguments, lambda n: "{" + ",".join(f'"{index}":0' for index in range(n // 10)) + ', "0": 1}'),
    "escapes": (parse_arguments, lambda n: '{"a": "' + "\\ud800" * n + '"}'),
    "spaces": (lambda text: plain(text, TOOLS), lambda n: " " * 50 * n),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_ten_times_the_text_takes_about_ten_times_as_long(name: str) -> None:
    found = ratios(*HOSTILE[name], size=5_000)
    assert min(found) <= 15, found


@given(st.text(alphabet='{}[]"\\a\n', max_size=40))
def test_the_depth_of_json_text_agrees_with_a_plain_scan(text: str) -> None:
    depth = deepest = 0
    in_string = escaped = False
    for char in text:
        if in_string:
            in_string, escaped = escaped or char != '"', char == "\\" and not escaped
        elif char == '"':
            in_string = True
        else:
            depth += (char in "{[") - (char in "}]")
            deepest = max(deepest, depth)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(action, "MAX_DEPTH", -1)  # or few brackets would not be looked at
        assert action._depth(text) == deepest


@pytest.mark.parametrize("name", ["<|im_end|>", "a b", "x" * 41, "é", "a\n", "", "'"])
def test_names_that_could_carry_markup_are_not_repeated(name: str) -> None:
    env = worlds.Shop()
    env.reset(seed=0)
    call = env.step(ToolCall(name))[0]
    assert call == "there is no tool of this name; call one of: look, sell"
    argument = env.step(ToolCall("look", {name: 1}))[0]
    assert argument == "args: look has no argument an unknown name; it takes: key"
    choice = env.step(ToolCall("sell", {"key": "item4", "to": name}))[0]
    assert choice == "args: sell.to must be one of shop, guest, not an unknown name"
    kind = env.step(ToolCall("look", {"key": [name]}))[0]
    assert kind == "args: look.key must be of type string, not list"
    twice = env.step("<sell>" + json.dumps({name: 1})[:-1] + ", " + json.dumps({name: 1})[1:] + "</sell>")[0]
    assert twice == "duplicate_key: an unknown name is given twice"


def test_plain_names_are_repeated() -> None:
    assert safe_name("look-up_2.x") == "'look-up_2.x'"
    env = worlds.Shop()
    env.reset(seed=0)
    assert env.step(ToolCall("lok"))[0].startswith("unknown tool 'lok'; did you mean 'look'?")
    assert env.step(ToolCall("look", {"kee": 1}))[0] == "args: look has no argument 'kee'; it takes: key"


def test_an_overlong_call_names_the_part_that_is_too_long() -> None:
    for call, part in [
        (ToolCall("look", {"key": "a"}, "i" * 100), "an id of 100"),
        (ToolCall("l" * 100, {"key": "a"}), "a name of 100"),
        (ToolCall("look", {"key": "a" * 90}), "arguments of 101"),  # {"key": "…"}: 11 more
    ]:
        with pytest.raises(InvalidAction, match=f"too_long: a call with {part} characters; at most 100"):
            checked_call(call, 100)
