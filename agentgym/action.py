"""What an agent does in a turn, Say or ToolCall, and the strict reading of think blocks and JSON; see also `codec`.

Every reader here runs in linear time and raises InvalidAction at most, whose message tells the agent what was wrong and
what is allowed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from agentgym.turn import InvalidAction, safe_name

_LONG_NUMBER = re.compile(r"[0-9]{18}")
_STRING = re.compile(r'"(?:[^"\\]++|\\(?:.|\Z))*+(?:"|\Z)', re.DOTALL)
"""A JSON string, or an unclosed one to the end; nothing is tried twice, so it takes linear time."""

MAX_DEPTH = 32
"""Deepest nesting of JSON arguments that is read."""


@dataclass(slots=True)  # not frozen: one is made in almost every turn, and freezing doubles its cost
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


def clean(text: str) -> str:
    """Return `text` as a plain str that every encoder takes: lone surrogates become "?"."""
    if type(text) is not str:
        text = str.__str__(text)  # numpy.str_ and other subclasses
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def strip_think(text: str) -> str:
    """Return `text` without its <think>…</think> blocks; see `strip_blocks`."""
    return strip_blocks(text, "think")


def strip_blocks(text: str, tag: str) -> str:
    """Return `text` without its <tag>…</tag> blocks; never with one of these tags.

    An unclosed block runs to the end. A closing tag outside a block ends one that began with the text, as in chat
    templates that write the opening tag themselves. Blocks do not nest. What is left is joined by blanks, so that
    pieces never make a new tag.
    """
    opening = f"<{tag}>"
    *blocks, rest = text.split(f"</{tag}>")
    kept: list[str] = []
    for block in blocks:
        before, opened, _ = block.partition(opening)
        if opened:
            kept.append(before)
        else:
            kept.clear()
    return " ".join(filter(None, [*kept, rest.partition(opening)[0]]))


def parse_arguments(text: str) -> dict[str, Any]:
    """Return the JSON object of arguments in `text`; see `parse_object`."""
    return parse_object(text, "arguments")


def parse_object(text: str, what: str) -> dict[str, Any]:
    """Return the JSON object in `text`; strict where `json` is lenient. Lone surrogates become "?".

    Args:
        text: JSON text; linear time.
        what: what the object is, for the messages, such as "arguments".

    Raises:
        InvalidAction: broken JSON, nesting over `MAX_DEPTH`, a number that is not finite or does not fit into 64 bits,
            a key given twice, or something other than an object.
    """
    if _depth(text) > MAX_DEPTH:
        raise InvalidAction(f"json_depth: {what} nest more than {MAX_DEPTH} deep; write a flat JSON object")
    try:
        value: Any = _decoded(text)
    except (ValueError, RecursionError) as error:
        raise InvalidAction(f'json: {str(error)[:120]}; write one JSON object, as {{"name": "value"}}') from None
    if not isinstance(value, dict):
        raise InvalidAction(f"json: {what} must be one JSON object, not {type(value).__name__}")
    if "\\u" in text and not json.dumps(value, ensure_ascii=False).isascii():
        value = json.loads(clean(json.dumps(value, ensure_ascii=False)), object_pairs_hook=_unique)
    found: dict[str, Any] = value
    return found


def checked_action(action: Any, max_length: int) -> Action:
    """Return what a codec of the caller's own made of a text, as strict as what the codecs here make.

    Raises:
        InvalidAction: a call that `checked_call` refuses.
        TypeError: no action.
    """
    if isinstance(action, ToolCall):
        return checked_call(action, max_length)
    if isinstance(action, Say) and isinstance(action.text, str):
        return Say(clean(action.text))
    raise TypeError(f"the codec returned {action!r:.60}: it must return a Say or a ToolCall, or raise InvalidAction")


def checked_call(call: ToolCall, max_length: int) -> ToolCall:
    """Return a copy of `call` with plain JSON arguments that the caller cannot change any more.

    Raises:
        InvalidAction: a name that is not text, arguments that are not a mapping of plain JSON or too long as text.
    """
    if not isinstance(call.name, str) or not isinstance(call.id, str):
        raise InvalidAction(
            f"call: name and id must be text, not {type(call.name).__name__} and {type(call.id).__name__}"
        )
    if not isinstance(call.arguments, Mapping):
        raise InvalidAction(f"json: arguments must be one JSON object, not {type(call.arguments).__name__}")
    try:
        text = json.dumps(dict(call.arguments))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidAction(f"json: the arguments are not plain JSON: {str(error)[:120]}") from None
    sizes = {"arguments": len(text), "a name": len(call.name), "an id": len(call.id)}
    if sum(sizes.values()) > max_length:
        longest = max(sizes, key=sizes.__getitem__)
        raise InvalidAction(
            f"too_long: a call with {longest} of {sizes[longest]} characters; at most {max_length} are read in all"
        )
    return ToolCall(clean(call.name), parse_arguments(text), clean(call.id))


def _depth(text: str) -> int:
    """Return the nesting depth of JSON text, or 0 where counting the brackets shows that it is small enough."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return 0
    marks = np.frombuffer(_STRING.sub("", text).encode("ascii", "replace"), np.uint8)
    rises = (marks == ord("{")) | (marks == ord("["))
    falls = (marks == ord("}")) | (marks == ord("]"))
    return int(np.cumsum(rises.astype(np.int64) - falls).max(initial=0))


def _decoded(text: str) -> Any:
    """Return the value of JSON text; what begins with a brace and is read to its end needs no look for blanks."""
    decoder: Any = _decoder(_LONG_NUMBER.search(text) is not None)
    if text[:1] == "{":
        try:
            value, end = decoder.scan_once(text, 0)
        except StopIteration:
            end = -1
        if end == len(text):
            return value
    return decoder.decode(text)


@lru_cache(maxsize=2)
def _decoder(long: bool) -> json.JSONDecoder:
    """Return the reader of JSON text; without a long number json's own reading of integers is exact."""
    return json.JSONDecoder(
        object_pairs_hook=_unique,
        parse_constant=_no_constant,
        parse_float=_finite,
        parse_int=_int64 if long else None,
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InvalidAction(f"duplicate_key: {safe_name(twice)} is given twice")
    return out


def _no_constant(name: str) -> float:
    raise InvalidAction(f"number: {name} is not a number here")


def _int64(text: str) -> int:
    if len(text) > 20 or not -(2**63) <= int(text) < 2**63:
        raise InvalidAction(f"number: {text[:40]} does not fit into 64 bits")
    return int(text)


def _finite(text: str) -> float:
    value = float(text)
    if value - value != 0.0:
        raise InvalidAction(f"number: {text[:40]} is too large")
    return value
