"""How a person writes a call where a model writes JSON: `/get_order ORD-7`, `/cancel order_id=ORD-7 reason=late`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import Any

from agentgym.action import ToolCall
from agentgym.errors import unknown
from agentgym.tool import ToolSpec
from agentgym.turn import InvalidAction

MARK = "/"


def guide(tools: Mapping[str, ToolSpec]) -> str:
    """Return the tools as a person reads them: a line each, with arguments, their values, and what it does."""
    lines = [f"Call a tool as {MARK}name value or {MARK}name argument=value …, with quotes around what has blanks:"]
    lines += [f"{MARK}{spec.name} {_arguments(spec)}".rstrip() + f" - {spec.description}" for spec in tools.values()]
    return "\n".join(lines)


def _arguments(spec: ToolSpec) -> str:
    required = spec.parameters["required"]
    shown = []
    for name, prop in spec.parameters["properties"].items():
        values = "|".join(str(value) for value in prop.get("enum", ()) if value is not None)
        text = f"{name}={values}" if values else name
        shown.append(text if name in required else f"[{text}]")
    return " ".join(shown)


def read_call(line: str, tools: Mapping[str, ToolSpec]) -> ToolCall:
    """Return the call that a person wrote after the mark.

    Where a tool needs one text, all words without an argument's name are that text, and need no quotes.

    Raises:
        InvalidAction: no such tool, an open quote, a value without an argument's name that could be any of several.
    """
    name, _, rest = line.strip().removeprefix(MARK).strip().partition(" ")
    spec = tools.get(name)
    if spec is None:
        raise InvalidAction(unknown("tool", name, tools))
    properties, required = spec.parameters["properties"], spec.parameters["required"]
    arguments: dict[str, Any] = {}
    text: list[str] = []
    for word in _words(rest, spec):
        key, equals, value = word.partition("=")
        if not equals or key not in properties:
            left = [name for name in (required or properties) if name not in arguments]
            if spec.text_argument in left:
                text.append(word)
                continue
            if len(left) != 1:
                raise InvalidAction(f"{word!r} could be any of {', '.join(properties) or 'no argument'}: name it")
            key, value = left[0], word
        arguments[key] = _value(value, properties[key])
    return ToolCall(name, {str(spec.text_argument): " ".join(text), **arguments} if text else arguments)


def _words(rest: str, spec: ToolSpec) -> list[str]:
    """Return what follows the tool's name, word by word, quoted ones as one; quotes in a text may be apostrophes."""
    try:
        return shlex.split(rest)
    except ValueError as error:
        if spec.text_argument is not None and not rest.lstrip().startswith(("'", '"')):
            return rest.split()
        raise InvalidAction(f"{error}: put quotes around what has blanks, and close them") from None


def _value(text: str, prop: Mapping[str, Any]) -> Any:
    """Return a value of the type that the schema asks for; the text itself where it is not one."""
    kind = prop["type"] if isinstance(prop["type"], str) else prop["type"][0]
    if kind == "string":
        return text
    if kind == "array" and not text.startswith("["):
        return [_value(item.strip(), prop["items"]) for item in text.split(",")]
    try:
        return json.loads(text)
    except ValueError:
        return text
