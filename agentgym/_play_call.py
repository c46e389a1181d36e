"""How a person writes a call where a model writes JSON: `/get_order ORD-7`, `/cancel order_id=ORD-7 reason=late`."""

from __future__ import annotations

import json
import re
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
    required, properties = spec.parameters["required"], spec.parameters["properties"]
    shown = []
    for name, prop in properties.items():
        values = "|".join(str(value) for value in prop.get("enum", ()) if value is not None)
        named = name not in required and len(properties) > 1  # such a value is read behind its name alone
        text = f"{name}={values or '…'}" if values or named else name
        shown.append(text if name in required else f"[{text}]")
    return " ".join(shown)


def short(tools: Mapping[str, ToolSpec]) -> str:
    """Return the same on one line, for who has read how models write calls."""
    calls = [f"{MARK}{spec.name} {_arguments(spec)}".rstrip() for spec in tools.values()]
    return f"Or in short, without tags: {', '.join(calls)}."


def read_call(line: str, tools: Mapping[str, ToolSpec]) -> ToolCall:
    """Return the call that a person wrote after the mark.

    Where a tool needs one text, all that is written without an argument's name is that text, and needs no quotes.

    Raises:
        InvalidAction: no such tool, an open quote, a value without an argument's name that could be any of several.
    """
    name, _, rest = line.strip().removeprefix(MARK).strip().partition(" ")
    spec = tools.get(name)
    if spec is None:
        raise InvalidAction(unknown("tool", name, tools))
    text = spec.text_argument
    if rest.strip() and text is not None and not re.search(rf"(?:^|\s){text}=", rest):
        return ToolCall(name, _with_text(rest.strip(), text, spec))
    properties, required = spec.parameters["properties"], spec.parameters["required"]
    arguments: dict[str, Any] = {}
    for word in _words(rest):
        key, equals, value = word.partition("=")
        if not equals or key not in properties:
            left = [name for name in (required or properties) if name not in arguments]
            if len(left) != 1:
                raise InvalidAction(f"{word!r} could be any of {', '.join(properties) or 'no argument'}: name it")
            key, value = left[0], word
        arguments[key] = _value(value, properties[key])
    return ToolCall(name, arguments)


def _with_text(rest: str, text: str, spec: ToolSpec) -> dict[str, Any]:
    """Return the arguments of a tool that needs one text: others by name before it or behind it, all else is it."""
    others = {name: prop for name, prop in spec.parameters["properties"].items() if name != text}
    arguments: dict[str, Any] = {}
    if others:
        names = "|".join(map(re.escape, others))
        first, last = re.compile(rf"({names})=(\S+)\s+"), re.compile(rf"\s({names})=(\S+)$")
        while match := first.match(rest) or last.search(rest):
            arguments[match[1]] = _value(match[2], others[match[1]])
            rest = (rest[: match.start()] + rest[match.end() :]).strip()
    if rest[:1] in ("'", '"') and len(words := _words(rest)) == 1:
        rest = words[0]
    return {text: rest, **arguments}


def _words(rest: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError as error:
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
