"""Text as it stands, and one tag a tool: the codecs plain, tags and search_r1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from agentgym.action import Action, Say, ToolCall
from agentgym.codec.base import Dialect, Tools, as_json, one_block, text_or_json
from agentgym.tool import ToolSpec


class Plain(Dialect):
    """The whole text is what the agent says. In worlds with tools it can call none by text, only by ToolCall."""

    name: ClassVar[str] = "plain"

    def __call__(self, text: str, tools: Tools) -> Action:  # noqa: D102 - as in Dialect
        return Say(text.strip())

    def instructions(self, tools: Tools) -> str:  # noqa: D102 - as in Dialect
        return f"{self._speech({})} {self._thinking}"

    def _forms(self, action: Action, tools: Tools) -> Iterator[str]:
        if isinstance(action, Say):
            yield action.text

    def _form(self) -> str:
        return ""  # no call can be written


class Tags(Dialect):
    """One `<tool>…</tool>` pair is a call; text around it is ignored, text without any is said.

    The body is the argument itself where the tool takes one text, and a JSON object otherwise (empty: no arguments).
    """

    name: ClassVar[str] = "tags"

    def __call__(self, text: str, tools: Tools) -> Action:  # noqa: D102 - as in Dialect
        block = one_block(text, tools)
        if block is None:
            return Say(text.strip())
        name, body = block
        spec = tools[name]
        if spec.single_text is not None:
            return ToolCall(name, {spec.single_text: body})
        return ToolCall(name, text_or_json(body, self._text(spec)))

    def _text(self, spec: ToolSpec) -> str | None:
        """Return the argument that a body without a brace is the text of; None: every body is JSON."""
        return None

    def _forms(self, action: Action, tools: Tools) -> Iterator[str]:
        if isinstance(action, Say):
            yield action.text
            return
        yield from (f"<{action.name}>{body}</{action.name}>" for body in _bodies(action, tools))

    def _form(self) -> str:
        return "Call one tool a turn by writing its arguments between its tags, as in the examples."


class SearchR1(Tags):
    """The tags of Search-R1: `<search>query</search>`, `<answer>text</answer>`, answered in `<information>`.

    It differs from tags in one point: a tool that needs one text takes it bare even if it has further arguments with
    defaults, as `search(query, k=3)`; a body that begins with a brace is JSON there.

    Source: Jin et al. 2025, arXiv 2503.09516. Its released code reads the first complete pair and ignores the rest;
    here two are an invalid action, as in every dialect.
    """

    name: ClassVar[str] = "search_r1"
    environment: ClassVar[str] = "<information>"

    def _text(self, spec: ToolSpec) -> str | None:
        return spec.text_argument


def _bodies(call: ToolCall, tools: Tools) -> Iterator[str]:
    spec = tools.get(call.name)
    texts = [value for value in call.arguments.values() if type(value) is str] if len(call.arguments) == 1 else []
    if spec is not None and spec.text_argument is not None:
        yield from texts
    yield from as_json(dict(call.arguments))
