"""What the codecs share: one reader of marked blocks, one of bodies, and a writer that checks itself by reading."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, TypeAlias

from agentgym.action import Action, Say, ToolCall, parse_arguments, strip_think
from agentgym.tool import ToolSpec
from agentgym.turn import InvalidAction

Tools: TypeAlias = Mapping[str, ToolSpec]
Codec: TypeAlias = Callable[[str, Tools], Action]
"""What `codec=` takes: a function from an agent's text, without its think blocks, and the tools to an action."""

NOTHING_SAID = "empty: write an action"

_EXAMPLES: Mapping[str, Any] = {"string": "…", "integer": 1, "number": 1.5, "boolean": True}


class Dialect(ABC):
    """A way to write calls as text: a codec that can write, too, and tell a model how.

    Attributes:
        name: what `codec=` takes.
        environment: the mark that opens the environment's answers in this dialect; "" where it has none.
    """

    name: ClassVar[str]
    environment: ClassVar[str] = ""
    _thinking: ClassVar[str] = "You may think first, inside <think>…</think>; that is not read."

    @abstractmethod
    def __call__(self, text: str, tools: Tools) -> Action:
        """Return the action in an agent's text; linear time.

        Args:
            text: what the agent wrote, without its think blocks.
            tools: the tools there are, by name; empty in worlds without tools.

        Raises:
            InvalidAction: the text holds no action, or more than one; the message names the rule and the remedy.
        """

    def render(self, action: Action, tools: Tools) -> str:
        """Return a text that this codec reads as `action`; the id of a call is not written.

        Raises:
            ValueError: this dialect has no way to write it, such as speech that holds the mark of a call.
        """
        wanted = ToolCall(action.name, action.arguments) if isinstance(action, ToolCall) else action
        for text in self._forms(action, tools):
            try:
                if text.strip() and self(strip_think(text), tools) == wanted:
                    return text
            except InvalidAction:
                continue
        raise ValueError(f"the codec {self.name!r} has no way to write {action!r:.200}")

    def instructions(self, tools: Tools) -> str:
        """Return the text that tells a model how to act under this codec: the form, and every tool with an example."""
        if not tools:
            return f"{self._speech(tools)} {self._thinking}"
        lines = [f"{self._form()} {self._speech(tools)} {self._thinking}", "", "Tools:"]
        for spec in tools.values():
            lines += ["", *self._described(spec, tools)]
        return "\n".join(lines)

    def forges(self, text: str) -> bool:
        """Return whether an agent's text holds an answer of the environment, as this dialect marks it."""
        return bool(self.environment) and self.environment in text

    @abstractmethod
    def _forms(self, action: Action, tools: Tools) -> Iterator[str]:
        """Yield the ways to write an action, the best first; `render` takes the first that reads as the action."""

    @abstractmethod
    def _form(self) -> str:
        """Return one sentence that says how a call is written."""

    def _speech(self, tools: Tools) -> str:
        """Return one sentence that says how to speak without a call."""
        return "Text without a call is said as it stands." if tools else "All that you write is your action."

    def _described(self, spec: ToolSpec, tools: Tools) -> Iterator[str]:
        """Yield the lines that describe one tool: its name and summary, its arguments, an example call."""
        yield f"{spec.name}: {spec.description}"
        for name, prop in spec.parameters["properties"].items():
            yield f"  {name} ({', '.join(_facts(name, prop, spec))}){_after(prop.get('description', ''))}"
        yield "For example:"
        yield self.render(example(spec), tools)


def example(spec: ToolSpec) -> ToolCall:
    """Return a call of a tool with its required arguments, or its only one if a text, each of the right type."""
    properties = spec.parameters["properties"]
    names = spec.parameters["required"] or ([] if spec.single_text is None else [spec.single_text])
    return ToolCall(spec.name, {name: _value(properties[name]) for name in names})


def one_block(text: str, marks: Iterable[str]) -> tuple[str, str] | None:
    """Return the tag and the stripped body of the only `<tag>…</tag>` pair in a text; None without any opening tag.

    Tags count wherever they stand, so nested ones are two calls. What surrounds the pair is ignored.

    Args:
        text: any text; linear time.
        marks: the tags to look for, without brackets.

    Raises:
        InvalidAction: "unclosed: …" where the first one never ends, "one call a turn: …" where there are several.
    """
    opened = [mark for mark in marks if f"<{mark}>" in text]
    if not opened:
        return None
    mark = opened[0]
    opening = f"<{mark}>"
    rest = text.partition(opening)[2]
    body, closed, _ = rest.partition(f"</{mark}>")
    if not closed:
        raise InvalidAction(f"unclosed: <{mark}> has no </{mark}>; write <{mark}>…</{mark}>")
    if len(opened) > 1 or opening in rest:
        names = ", ".join(f"<{mark}> × {text.count(f'<{mark}>')}" for mark in opened)
        raise InvalidAction(f"one call a turn: found {names}; write exactly one")
    return mark, body.strip()


def said(text: str) -> Say:
    """Return what an agent says, without the blanks around it.

    Raises:
        InvalidAction: nothing is left.
    """
    text = text.strip()
    if not text:
        raise InvalidAction(NOTHING_SAID)
    return Say(text)


def text_or_json(body: str, argument: str | None) -> dict[str, Any]:
    """Return the arguments in a body: JSON if it begins with a brace, else the text of `argument`.

    Without such an argument the body is JSON whatever it begins with, and an empty one holds no arguments.
    """
    if argument is not None and not body.startswith("{"):
        return {argument: body}
    return parse_arguments(body) if body else {}


def as_json(value: Any) -> Iterator[str]:
    """Yield a value as JSON text, plainly and with its angle brackets escaped; nothing where JSON cannot hold it."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return
    yield text
    if "<" in text:
        yield text.replace("<", "\\u003c")  # stands in strings only, so it means the same


def _value(prop: Mapping[str, Any]) -> Any:
    if "enum" in prop:
        return prop["enum"][0]
    kind = prop["type"] if isinstance(prop["type"], str) else prop["type"][0]
    if kind == "array":
        return [_value(prop["items"])]
    if kind == "object":
        return {"…": _value(prop["additionalProperties"])}
    return _EXAMPLES[kind]


def _facts(name: str, prop: Mapping[str, Any], spec: ToolSpec) -> Iterator[str]:
    yield prop["type"] if isinstance(prop["type"], str) else " or ".join(prop["type"])
    if "enum" in prop:
        yield "one of " + "|".join(json.dumps(item, ensure_ascii=False) for item in prop["enum"])
    if "default" in prop:
        yield f"default {json.dumps(prop['default'], ensure_ascii=False)}"
    elif name not in spec.parameters["required"]:
        yield "optional"


def _after(description: str) -> str:
    return f": {description}" if description else ""
