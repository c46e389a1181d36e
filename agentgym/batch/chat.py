"""One chat message in any of the usual shapes, read into one: who spoke, what was said, called and answered.

OpenAI: `role`, `content` (a text or parts), `tool_calls` or the older `function_call`; results have the role tool (or
function) and a `tool_call_id`. Anthropic: parts of the type `tool_use` in the assistant's content, `tool_result` in the
user's. ShareGPT: `from` and `value`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from agentgym.batch.inputs import BatchError
from agentgym.errors import unknown

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_BELONGS = {
    "tool_calls": ("assistant",), "function_call": ("assistant",), "tool_call_id": ("tool", "function"),
}  # fmt: skip
"""Entries that only messages of these roles may have."""
THOUGHTS = ("thinking", "redacted_thinking", "reasoning")
"""Types of parts that are left out: what a model thought is no part of what it did."""
SPEAKERS = {
    "system": "system", "human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant",
    "function_call": "assistant", "tool": "tool", "observation": "tool", "function_response": "tool",
}  # fmt: skip
"""`from` in ShareGPT's shape, and the role it means."""


@dataclass(slots=True)
class Message:
    """What one message says.

    Attributes:
        role: one of ROLES.
        texts: the texts in it, results of tools among them.
        calls: the tool calls, as `<tool_call>{"name": …, "arguments": …}</tool_call>`.
        ids: ids of the calls that have one.
        results: the call's id of each tool result, "" where it names none.
    """

    role: str
    texts: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)

    def action(self) -> str:
        """Return what an assistant's message does: its text, then its calls, one a line."""
        text = "".join(self.texts)
        return "\n".join([text, *self.calls] if text else self.calls)

    def calls_a_tool(self) -> bool:
        """Tell whether it holds a call, be it written into the text."""
        return bool(self.calls) or any("<tool_call>" in text for text in self.texts)


def read(message: Any, where: str) -> Message:
    """Return a message. Raises BatchError with `where` in front."""
    if not isinstance(message, Mapping):
        raise BatchError(f"{where}: a message is a dict with role and content, not {message!r:.60}")
    if "role" not in message and "from" in message:
        return _sharegpt(message, where)
    role = message.get("role")
    if role not in ROLES:
        known = SPEAKERS.get(role) if isinstance(role, str) else None
        raise BatchError(f"{where}: {unknown('role', role, ROLES)}" + (f"; write {known!r} for it" if known else ""))
    out = Message(str(role))
    _check_places(message, out.role, where)
    _read_content(out, message.get("refusal") if message.get("content") is None else message["content"], where)
    if role == "assistant":
        calls = message.get("tool_calls") or ()
        if not isinstance(calls, list | tuple):
            raise BatchError(f"{where}: tool_calls must be a list of calls, not {calls!r:.60}")
        for call in calls:
            _add_call(out, call.get("function") if isinstance(call, Mapping) else None, _id(call, "id"), where)
        if message.get("function_call"):
            _add_call(out, message["function_call"], "", where)
    elif role in ("tool", "function"):
        out.results.append(_id(message, "tool_call_id"))
    if message.get("content") is None and not (out.texts or out.calls or out.results):
        raise BatchError(f'{where}: neither content nor a call: write "" where nothing was said')
    return out


def _check_places(message: Mapping[str, Any], role: str, where: str) -> None:
    """Raise BatchError for calls and answers in a message of a role that makes none: they would be lost."""
    for key, roles in _BELONGS.items():
        if message.get(key) and role not in roles:
            raise BatchError(f"{where}: {key} in a message of the role {role!r}: it belongs to the role {roles[0]!r}")


def _sharegpt(message: Mapping[str, Any], where: str) -> Message:
    speaker, value = message["from"], message.get("value")
    if not isinstance(speaker, str) or speaker not in SPEAKERS:
        raise BatchError(f"{where}: {unknown('speaker', speaker, SPEAKERS)}")
    if not isinstance(value, str):
        raise BatchError(f"{where}: value must be a text, not {value!r:.60}")
    out = Message(SPEAKERS[speaker])
    if speaker == "function_call":
        out.calls.append(f"<tool_call>{value}</tool_call>")
    else:
        out.texts.append(value)
    if out.role == "tool":
        out.results.append("")
    return out


def _read_content(out: Message, content: Any, where: str) -> None:
    """Read a content: a text, None beside tool calls, or parts: texts, refusals, tool calls and their results count."""
    if content is None:
        return
    if isinstance(content, str):
        out.texts.append(content)
        return
    if not isinstance(content, list | tuple) or not all(isinstance(part, str | Mapping) for part in content):
        raise BatchError(f"{where}: content must be a text, a list of parts, or None")
    text = ""
    for part in content:
        kind = "text" if isinstance(part, str) else part.get("type", "text")
        if kind == "tool_use" and out.role == "assistant":
            _add_call(out, {"name": part.get("name"), "arguments": part.get("input", {})}, _id(part, "id"), where)
        elif kind == "tool_result" and out.role == "user":
            out.results.append(_id(part, "tool_use_id"))
            out.texts.append(_plain(part.get("content"), where))
        elif isinstance(kind, str) and kind.endswith(("tool_use", "tool_result")):
            raise BatchError(
                f"{where}: a part of the type {kind!r} in a message of the role {out.role!r}: give calls as parts "
                "'tool_use' of an assistant message, their results as parts 'tool_result' of the user message after it"
            )
        else:
            text += _plain([part], where)
    if text:
        out.texts.append(text)


def _plain(content: Any, where: str) -> str:
    """Return the text of parts, none of which is a call."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list | tuple):
        parts = [_said(part, where) if isinstance(part, Mapping) else part for part in content]
        if all(isinstance(part, str) for part in parts):
            return "".join(parts)
    raise BatchError(f"{where}: content must be a text, a list of text parts, or None")


def _said(part: Mapping[str, Any], where: str) -> Any:
    """Return the text of a part, "" for thoughts. Raises BatchError for images and other parts that hold none."""
    kind = part.get("type", "text")
    if kind in THOUGHTS:
        return ""
    if kind not in ("text", "refusal") and not isinstance(part.get("text"), str):
        raise BatchError(
            f"{where}: a part of the type {kind!r:.60} holds no text, and a record holds texts alone: put a text in "
            "its place, such as {'type': 'text', 'text': '[image]'}"
        )
    return part.get("refusal" if kind == "refusal" else "text")


def _id(holder: Any, name: str) -> str:
    found = holder.get(name) if isinstance(holder, Mapping) else None
    return "" if found is None else str(found)


def _finite(value: Any) -> Any:
    """Return a value as it is. Raises ValueError where JSON cannot spell it, as for NaN and 1e400."""
    json.dumps(value, allow_nan=False)
    return value


def _add_call(out: Message, function: Any, key: str, where: str) -> None:
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise BatchError(f"{where}: a tool call needs function.name and function.arguments")
    arguments = function.get("arguments", {})
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):  # what the model wrote stays as it is
            arguments = _finite(json.loads(arguments))
    try:
        spelled = json.dumps({"name": function["name"], "arguments": arguments}, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BatchError(
            f"{where}: the arguments of the call of {function['name'][:40]!r} are no JSON ({error})"
        ) from None
    out.calls.append(f"<tool_call>{spelled}</tool_call>")
    if key:
        out.ids.append(key)
