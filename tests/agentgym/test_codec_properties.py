"""What holds for every codec and every text: P26 linear time, P27 what is written is read again, P28 nothing raises."""

import contextlib
import json
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import ratios, seconds
from strategies import tool_arguments
from worlds import Shop

from agentgym import AgentEnv, InvalidAction, Say, Task, ToolCall, tool
from agentgym.codec import CODECS, Dialect
from agentgym.codec.base import example
from agentgym.tool import ToolSpec
from tests.agentgym.codec_texts import DIALECTS, answer, call, closed, opened

TOOLS = dict(Shop._tools)
TEXT_ANSWER = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
ANSWERING = {**TOOLS, "answer": ToolSpec("answer", "", TEXT_ANSWER, "text")}

PIECES = [
    "<look>", "</look>", "<sell>", "</sell>", "<tool_call>", "</tool_call>", "<tool>", "</tool>", "<answer>",
    "</answer>", "<reasoning>", "</reasoning>", "<information>", "<tool_response>", "<result>", "Thought:", "Action:",
    "Action Input:", "Observation:", "Final Answer:", "\n", "\r\n", " ", "{", "}", '"', ":", "look", "sell",
    '{"name": "look", "arguments": {"key": "a"}}', '{"name": "sell", "args": {"key": "a"}}', '{"key": "a"}',
    "Look[", "Finish[", "]", " 1:", "\ud800", "\udc00", "\x00", "\ufeff", "²", "x",
]  # fmt: skip
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(st.characters(), max_size=3)), max_size=12).map("".join)


def test_the_names() -> None:
    assert tuple(CODECS) == DIALECTS
    assert all(CODECS[name].name == name for name in CODECS)


@pytest.mark.parametrize("name", DIALECTS)
@given(text=texts)
def test_nothing_but_invalid_action_is_raised(name: str, text: str) -> None:
    class Text(str):
        __slots__ = ()

    codec, seen = CODECS[name], []
    for tools in (TOOLS, ANSWERING, {}):
        for form in (text, Text(text), np.str_(text)):
            with contextlib.suppress(InvalidAction):
                seen.append(codec(form, tools))
            assert codec.forges(form) in (True, False)
    assert all(isinstance(action, Say | ToolCall) for action in seen)


@pytest.mark.parametrize("name", DIALECTS)
@given(text=texts)
def test_what_was_read_can_be_written_and_read_again(name: str, text: str) -> None:
    codec = CODECS[name]
    for tools in (TOOLS, ANSWERING, {}):
        try:
            action = codec(text, tools)
        except InvalidAction:
            continue
        try:
            written = codec.render(action, tools)
        except ValueError:
            # Speech that only stood between think blocks or labels may hold marks that mean something where it stands
            # alone; and what a text tool was given may not survive the removal of think blocks.
            assert any(mark in text for mark in ("think>", "reasoning>", ":", "<", "\ud800")) or not text.strip()
            continue
        assert codec(written, tools) == action


@pytest.mark.parametrize("name", ["hermes", "mt_grpo", "react"])
@given(arguments=tool_arguments, tool=st.sampled_from(["look", "sell", "answer", "elsewhere"]))
def test_any_arguments_can_be_written_as_json(name: str, arguments: dict[str, Any], tool: str) -> None:
    wanted = ToolCall(tool, arguments, "an id, which no text holds")
    for tools in (TOOLS, ANSWERING):
        assert CODECS[name](CODECS[name].render(wanted, tools), tools) == ToolCall(tool, arguments)


@pytest.mark.parametrize("name", ["tags", "search_r1", "hermes", "mt_grpo", "react"])
@given(text=st.text(max_size=9).map(str.strip))
def test_any_plain_text_can_be_an_argument(name: str, text: str) -> None:
    for wanted in (ToolCall("look", {"key": text}), ToolCall("sell", {"key": text})):
        written = CODECS[name].render(wanted, TOOLS)
        assert CODECS[name](written, TOOLS) == wanted


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("plain", ToolCall("look", {"key": "a"})),
        ("tags", Say("<look>a</look>")),
        ("tags", Say("")),
        ("tags", Say(" a")),
        ("tags", ToolCall("look", {"key": " a"})),  # one text stands bare, and its blanks are no part of it
        ("tags", ToolCall("look", {"key": "</look>"})),
        ("tags", ToolCall("elsewhere", {})),
        ("hermes", Say("<tool_call>")),
        ("hermes", Say("<think>a</think>b")),
        ("hermes", ToolCall("look", {"key": object()})),
        ("hermes", ToolCall("look", {"key": float("nan")})),
        ("react", Say("a\nAction: b")),
        ("react", ToolCall("a\nAction: b", {})),
        ("mt_grpo", Say("<tool>")),
    ],
)
def test_what_a_dialect_cannot_write_is_refused(name: str, action: Say | ToolCall) -> None:
    with pytest.raises(ValueError, match=f"the codec '{name}' has no way to write"):
        CODECS[name].render(action, TOOLS)


@pytest.mark.parametrize(
    ("name", "action", "text"),
    [
        ("tags", ToolCall("look", {"key": "a"}), "<look>a</look>"),
        ("tags", ToolCall("sell", {"key": "a"}), '<sell>{"key": "a"}</sell>'),
        ("search_r1", ToolCall("sell", {"key": "a"}), "<sell>a</sell>"),
        ("search_r1", ToolCall("sell", {"key": "{a"}), '<sell>{"key": "{a"}</sell>'),
        ("hermes", ToolCall("look", {"key": "é"}),
         '<tool_call>\n{"name": "look", "arguments": {"key": "é"}}\n</tool_call>'),
        ("hermes", ToolCall("look", {"key": "<think>"}),
         '<tool_call>\n{"name": "look", "arguments": {"key": "\\u003cthink>"}}\n</tool_call>'),
        ("mt_grpo", ToolCall("look", {"key": "a < b"}), '<tool>\n{"name": "look", "args": {"key": "a < b"}}\n</tool>'),
        ("mt_grpo", Say("a"), "<answer>a</answer>"),
        ("react", ToolCall("look", {"key": "a"}), "Action: look\nAction Input: a"),
        ("react", ToolCall("look", {"key": "a\nThought: b"}), 'Action: look\nAction Input: {"key": "a\\nThought: b"}'),
        ("react", Say("a"), "Final Answer: a"),
        ("plain", Say("a"), "a"),
    ],
    ids=range(12),
)  # fmt: skip
def test_how_it_is_written(name: str, action: Say | ToolCall, text: str) -> None:
    assert CODECS[name].render(action, TOOLS) == text


def test_an_answer_calls_the_tool_of_that_name_where_there_is_one() -> None:
    forms = (("react", "Final Answer: Rome"), ("react", "Action 3: finish[Rome]"))
    for name, text in (*forms, ("mt_grpo", "<answer>Rome</answer>")):
        codec = CODECS[name]
        assert codec(text, TOOLS) == Say("Rome")
        assert codec(text, ANSWERING) == ToolCall("answer", {"text": "Rome"})
        assert codec.render(Say("Rome"), ANSWERING) == "Rome"  # or it would be the call
        unfit = {**TOOLS, "answer": TOOLS["sell"], "number": TOOLS["look"]}
        assert codec(text, unfit) == ToolCall("answer", {"key": "Rome"})  # sell needs one text, too
        none = ToolSpec("answer", "", {"type": "object", "properties": {}, "required": []}, None)
        assert codec(text, {"answer": none}) == Say("Rome")


def test_mt_grpo_writes_an_answer_as_its_rubric_reads_it() -> None:
    codec = CODECS["mt_grpo"]
    assert codec.render(ToolCall("answer", {"text": "Rome"}), ANSWERING) == "<answer>Rome</answer>"
    hard = ToolCall("answer", {"text": "a </answer> b"})
    written = codec.render(hard, ANSWERING)
    assert written.startswith("<tool>") and codec(written, ANSWERING) == hard


@pytest.mark.parametrize("name", DIALECTS)
def test_instructions_name_every_tool_and_their_examples_are_calls(name: str) -> None:
    codec = CODECS[name]
    text = codec.instructions(TOOLS)
    bare = codec.instructions({})
    assert "\n" not in bare
    assert "not read" in bare
    if name == "plain":
        assert text == bare
        return
    for spec in TOOLS.values():
        assert spec.description in text
        for argument, prop in spec.parameters["properties"].items():
            assert argument in text
            assert prop.get("description", "") in text
    if name == "hermes":
        schemas = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        assert schemas == [spec.schema() for spec in TOOLS.values()]
        return
    examples = [part.split("\n\n")[0] for part in text.split("For example:\n")[1:]]
    assert [type(codec(part, TOOLS)) for part in examples] == [ToolCall, ToolCall]
    for part, spec in zip(examples, TOOLS.values(), strict=True):
        found = codec(part, TOOLS)
        assert isinstance(found, ToolCall)
        assert found.name == spec.name
        assert spec.check(found.arguments) == {"key": "…"}
    assert 'to (string, one of "shop"|"guest", default "guest")' in text
    assert "notes (array or null, optional)" in text


def test_an_example_has_a_value_of_every_kind() -> None:
    class Kinds(AgentEnv[int]):
        panel = (Task("t"),)

        @tool
        def all(
            self, state: int, rng: Any, *, a: str, b: int, c: float, d: bool, e: Literal["x", "y"], f: list[int],
            g: dict[str, float], h: str | None, i: list[list[str]], j: int = 2,
        ) -> Any:  # fmt: skip
            """All."""

    spec = Kinds._tools["all"]
    made = example(spec)
    assert made.arguments == {
        "a": "…", "b": 1, "c": 1.5, "d": True, "e": "x", "f": [1], "g": {"…": 1.5}, "h": "…", "i": [["…"]],
    }  # fmt: skip
    assert spec.check(made.arguments) == made.arguments
    for name in ("tags", "hermes", "react", "search_r1", "mt_grpo"):
        assert "all" in CODECS[name].instructions(Kinds._tools)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("tags", "<note>…</note>"),
        ("search_r1", "<note>…</note>"),
        ("react", "Action: note\nAction Input: …"),
        ("mt_grpo", '<tool>\n{"name": "note", "args": {"text": "…"}}\n</tool>'),
    ],
)
def test_the_example_of_a_tool_whose_only_text_may_be_left_out(name: str, shown: str) -> None:
    """Between tags stands that text, so a call without it cannot be written there."""

    class Notes(AgentEnv[int]):
        panel = (Task("t"),)

        @tool
        def note(self, state: int, rng: Any, *, text: str | None = None) -> Any:
            """Note it."""

    assert Notes(codec=name).instructions.endswith(f"For example:\n{shown}")
    assert CODECS[name](shown, Notes._tools) == ToolCall("note", {"text": "…"})


SHAPES: dict[str, Callable[[str, int], str]] = {
    "openers": lambda name, n: opened(name) * n,
    "closers": lambda name, n: (closed(name) + "\n") * n,
    "calls": lambda name, n: (call(name, "look", '{"key": "a"}') + "\n") * n,
    "nested": lambda name, n: opened(name) * n + closed(name) * n,
    "answers": lambda name, n: answer(name, "a") * n,
    "blanks": lambda name, n: opened(name) + " " * 10 * n,
    "lines of blanks": lambda name, n: ("\n" + " " * 9) * n + "Action",
    "braces": lambda name, n: call(name, "sell", '{"a":' * n),
    "reasoning": lambda name, n: "<reasoning>" * n + "</reasoning>" * n,
    "thoughts": lambda name, n: "Thought: a\n" * n,
    "brackets": lambda name, n: "<" * 10 * n,
    "square brackets": lambda name, n: "Action: Look[" + "]" * n + "a[" * n + "]",
}


@pytest.mark.parametrize("name", [name for name in DIALECTS if name != "plain"])
@pytest.mark.parametrize("shape", SHAPES)
def test_ten_times_the_text_takes_about_ten_times_as_long(name: str, shape: str) -> None:
    codec: Dialect = CODECS[name]

    def read(text: str) -> None:
        codec.forges(text)
        codec(text, TOOLS)

    found = ratios(read, lambda n: SHAPES[shape](name, n), size=10_000, times=3)
    assert min(found) <= 15, found


@pytest.mark.parametrize("name", DIALECTS)
def test_a_hundred_thousand_openers_are_read_at_once(name: str) -> None:
    assert seconds(lambda text: CODECS[name](text, TOOLS), opened(name) * 100_000, times=1) < 1.0
