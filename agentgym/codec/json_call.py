"""Calls as one JSON object between tags: the codecs hermes and mt_grpo."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar

from agentgym.action import Action, Say, ToolCall, parse_object, strip_blocks
from agentgym.codec.base import Dialect, Tools, as_json, one_block, said
from agentgym.tool import ToolSpec
from agentgym.turn import InvalidAction, safe_name


class JsonCall(Dialect):
    """A call is one JSON object with a name and arguments between a pair of tags; text without any is said.

    Attributes:
        tag: the tag around the object.
        key: what the object calls the arguments; where it is missing, there are none.
    """

    tag: ClassVar[str]
    key: ClassVar[str]

    def __call__(self, text: str, tools: Tools) -> Action:  # noqa: D102 - as in Dialect
        if self.tag not in text:  # most of what is said
            return said(text)
        block = one_block(text, [self.tag])
        return said(text) if block is None else self._call(block[1])

    def _call(self, body: str) -> ToolCall:
        call = parse_object(body, "a call")
        name, arguments = call.get("name"), call.get(self.key, {})
        if type(name) is str and type(arguments) is dict and len(call) == 1 + (self.key in call):
            return ToolCall(name, arguments)
        form = f'write {{"name": …, "{self.key}": {{…}}}}'
        for key in call:
            if key not in ("name", self.key):
                raise InvalidAction(f'call: a call has "name" and "{self.key}", not {safe_name(key)}; {form}')
        if not isinstance(name, str):
            raise InvalidAction(f'call: a call needs a "name", a text; {form}')
        raise InvalidAction(f'json: "{self.key}" must be one JSON object, not {type(arguments).__name__}; {form}')

    def _forms(self, action: Action, tools: Tools) -> Iterator[str]:
        if isinstance(action, Say):
            yield action.text
            return
        call = {"name": action.name, self.key: dict(action.arguments)}
        yield from (f"<{self.tag}>\n{text}\n</{self.tag}>" for text in as_json(call))

    def _form(self) -> str:
        tag, form = self.tag, f'{{"name": …, "{self.key}": {{…}}}}'
        return f"Call one tool a turn by writing <{tag}>{form}</{tag}>, one JSON object between the tags."


class Hermes(JsonCall):
    """`<tool_call>{"name": …, "arguments": {…}}</tool_call>`, as the chat templates of Hermes and Qwen write calls."""

    name: ClassVar[str] = "hermes"
    environment: ClassVar[str] = "<tool_response>"
    tag: ClassVar[str] = "tool_call"
    key: ClassVar[str] = "arguments"

    def _described(self, spec: ToolSpec, tools: Tools) -> Iterator[str]:
        yield json.dumps(spec.schema(), ensure_ascii=False)  # what these models are trained on


class MtGrpo(JsonCall):
    """`<reasoning>…</reasoning>`, then `<tool>{"name": …, "args": {…}}</tool>` or `<answer>…</answer>`.

    Reasoning is never read. An answer calls the tool `answer` where the world has one that needs one text, and is said
    otherwise.

    Source: Zeng et al. 2025, arXiv 2505.11821, and its released environment, which answers in `<result>` and takes a
    call without "args" for one without arguments.
    """

    name: ClassVar[str] = "mt_grpo"
    environment: ClassVar[str] = "<result>"
    tag: ClassVar[str] = "tool"
    key: ClassVar[str] = "args"
    _thinking: ClassVar[str] = "Reason first, inside <reasoning>…</reasoning>; that is not read."

    def __call__(self, text: str, tools: Tools) -> Action:  # noqa: D102 - as in Dialect
        text = strip_blocks(text, "reasoning")
        block = one_block(text, [self.tag, "answer"])
        if block is None:
            return said(text)
        return self._call(block[1]) if block[0] == self.tag else answered(block[1], tools)

    def forges(self, text: str) -> bool:  # noqa: D102 - as in Dialect
        return super().forges(text) and super().forges(strip_blocks(text, "reasoning"))

    def _forms(self, action: Action, tools: Tools) -> Iterator[str]:
        if isinstance(action, Say):
            yield f"<answer>{action.text}</answer>"
        elif action.name == "answer" and len(action.arguments) == 1:
            yield f"<answer>{next(iter(action.arguments.values()))}</answer>"  # what the rubric reads as the answer
        yield from super()._forms(action, tools)

    def _speech(self, tools: Tools) -> str:
        return "Give your answer inside <answer>…</answer>."


def answered(body: str, tools: Tools) -> Action:
    """Return what a final answer does: it calls the tool `answer`, if there is one that needs one text, or is said."""
    spec = tools.get("answer")
    if spec is None or spec.text_argument is None:
        return said(body)
    return ToolCall("answer", {spec.text_argument: body})
