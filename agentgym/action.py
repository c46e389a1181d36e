"""From an agent's text to an action: Say or ToolCall, by a codec. Every parser here runs in linear time.

A codec is a function (text, tools) → action. It gets the text without its think blocks and raises InvalidAction, whose
message tells the agent what was wrong and what is allowed. One call a turn: more than one is invalid.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from agentgym.turn import InvalidAction

if TYPE_CHECKING:
    from agentgym.tool import ToolSpec

MAX_DEPTH = 32
"""Deepest nesting of JSON arguments that is read."""


@dataclass(frozen=True, slots=True)
class Say:
    """The agent speaks, or acts by plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The agent calls a tool by name with JSON arguments; `id` ties the answer to the call in chat messages."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = ""


Action: TypeAlias = Say | ToolCall
Codec: TypeAlias = Callable[[str, Mapping[str, "ToolSpec"]], Action]


def strip_think(text: str) -> str:
    """Return `text` without its <think>…</think> blocks.

    An unclosed block runs to the end; a closing tag without an opening one ends a block that began with the text, as
    in chat templates that write the opening tag themselves. Blocks do not nest.
    """
    if "think>" not in text:
        return text
    start, end = text.find("<think>"), text.find("</think>")
    kept, at = [], 0
    if end >= 0 and not 0 <= start < end:
        at = end + len("</think>")
    while (start := text.find("<think>", at)) >= 0:
        kept.append(text[at:start])
        end = text.find("</think>", start)
        if end < 0:
            return "".join(kept)
        at = end + len("</think>")
    return "".join([*kept, text[at:]])


def plain(text: str, tools: Mapping[str, ToolSpec]) -> Action:
    """Read the whole text as what the agent says."""
    return Say(text.strip())


def tags(text: str, tools: Mapping[str, ToolSpec]) -> Action:
    """Read one <tool>…</tool> pair as a call; text around it is ignored, text without any is said.

    The body is the argument itself where the tool takes one text, and a JSON object otherwise (empty: no arguments).
    """
    found = [(name, text.count(f"<{name}>")) for name in tools]
    opened = [(name, count) for name, count in found if count]
    if not opened:
        return Say(text.strip())
    if len(opened) > 1 or opened[0][1] > 1:
        names = ", ".join(f"<{name}> × {count}" for name, count in opened)
        raise InvalidAction(f"one call a turn: found {names}; write exactly one")
    name = opened[0][0]
    start = text.index(f"<{name}>") + len(name) + 2
    end = text.find(f"</{name}>", start)
    if end < 0:
        raise InvalidAction(f"unclosed: <{name}> has no </{name}>; write <{name}>…</{name}>")
    body = text[start:end].strip()
    spec = tools[name]
    if spec.single_text is not None:
        return ToolCall(name, {spec.single_text: body})
    return ToolCall(name, parse_arguments(body) if body else {})


CODECS: dict[str, Codec] = {"plain": plain, "tags": tags}
"""Codecs by the name that a world's `codec=` takes."""


def parse_arguments(text: str) -> dict[str, Any]:
    """Return the JSON object in `text`; strict where `json` is lenient.

    Raises:
        InvalidAction: broken JSON, nesting over `MAX_DEPTH`, a number too long or not finite, a key given twice, or
            something other than an object.
    """
    if _depth(text) > MAX_DEPTH:
        raise InvalidAction(f"json_depth: arguments nest more than {MAX_DEPTH} deep; write a flat JSON object")
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite)
    except InvalidAction:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidAction(f'json: {str(error)[:120]}; write a JSON object such as {{"name": "value"}}') from None
    if not isinstance(value, dict):
        raise InvalidAction(f"json: arguments must be one JSON object, not {type(value).__name__}")
    return value


def _depth(text: str) -> int:
    """Return an upper bound of the nesting depth: brackets inside strings count too, and never hide a deeper one."""
    depth = deepest = 0
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return 0
    in_string = escaped = False
    for char in text:
        if in_string:
            in_string = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            in_string = True
        elif char in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "}]":
            depth -= 1
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InvalidAction(f"duplicate_key: {twice[:60]!r} is given twice")
    return out


def _no_constant(name: str) -> float:
    raise InvalidAction(f"number: {name} is not a number here")


def _finite(text: str) -> float:
    value = float(text)
    if value - value != 0.0:
        raise InvalidAction(f"number: {text[:40]} is too large")
    return value
