"""Chat logs of other programs as columns of a TurnBatch: one turn an assistant message.

A rollout is a list of chat messages in the OpenAI shape, or a dict with `messages` and, all optional but each in all
rollouts or none: `group`, `trajectory`, `task`, `outcome` (a number), `success` (a bool). Without ids every rollout is
its own trajectory, and all form one group.

The columns: group, trajectory, turn; `observation`, the texts that came since the assistant last spoke, joined by a
blank line; `action`, the assistant's text followed by its tool calls, one a line, as
`<tool_call>{"name": …, "arguments": …}</tool_call>`; `tool_result`, was it answered with a tool result before the
assistant spoke again; `outcome_reward` on the last turn, `success` and `task` where given. Nothing else is guessed: add
rewards with `with_columns`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from agentgym.batch.inputs import BatchError
from agentgym.errors import unknown

_KEYS = ("messages", "group", "trajectory", "task", "outcome", "success")
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


def columns_of(rollouts: Iterable[Any]) -> dict[str, list[Any]]:
    """Return the columns. Raises BatchError naming rollout and message of what cannot be read."""
    logs = [_log(number, rollout) for number, rollout in enumerate(rollouts)]
    _check_same_keys(logs)
    names = ["group", "trajectory", "turn", "observation", "action", "tool_result"]
    given = logs[0] if logs else {}
    names += [name for name in ("task", "success") if name in given] + (
        ["outcome_reward"] if "outcome" in given else []
    )
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, log in enumerate(logs):
        turns = _turns(number, log["messages"])
        for k, (observation, action, answered) in enumerate(turns):
            row = {
                "group": log.get("group", 0), "trajectory": log.get("trajectory", number), "turn": k,
                "observation": observation, "action": action, "tool_result": answered,
                "task": log.get("task"), "success": log.get("success"),
                "outcome_reward": log.get("outcome") if k == len(turns) - 1 else 0.0,
            }  # fmt: skip
            for name in names:
                columns[name].append(row[name])
    return columns


def _log(number: int, rollout: Any) -> dict[str, Any]:
    log = dict(rollout) if isinstance(rollout, Mapping) else {"messages": rollout}
    for key in log:
        if key not in _KEYS:
            raise BatchError(f"rollout {number}: {unknown('entry', key, _KEYS)}")
    if not isinstance(log.get("messages"), list | tuple):
        raise BatchError(
            f"rollout {number} has no list of messages; give a list of chat messages or a dict with 'messages'"
        )
    return log


def _check_same_keys(logs: list[dict[str, Any]]) -> None:
    for number, log in enumerate(logs):
        odd = sorted(log.keys() ^ logs[0].keys())
        if odd:
            raise BatchError(
                f"rollout {number} and rollout 0 differ in {', '.join(odd)}: give it in all rollouts or in none"
            )


def _turns(number: int, messages: Iterable[Any]) -> list[tuple[str, str, bool]]:
    """Return (observation, action, was it answered by a tool) of every assistant message."""
    turns: list[tuple[str, str, bool]] = []
    heard: list[str] = []
    for place, message in enumerate(messages):
        where = f"rollout {number}, message {place}"
        role = message.get("role") if isinstance(message, Mapping) else None
        if role not in _ROLES:
            raise BatchError(f"{where}: {unknown('role', role, _ROLES)}")
        text = _text(message.get("content"), where)
        if role == "assistant":
            turns.append(("\n\n".join(heard), _action(text, message, where), False))
            heard = []
            continue
        heard.append(text)
        if role in ("tool", "function") and turns:
            turns[-1] = (*turns[-1][:2], True)
    if not turns:
        raise BatchError(f"rollout {number} has no assistant message, so it has no turn: leave it out")
    return turns


def _text(content: Any, where: str) -> str:
    """Return the text of a message: a text, None beside tool calls, or a list of parts of which the texts count."""
    if content is None:
        return ""
    if isinstance(content, list | tuple):
        parts = [part.get("text", "") if isinstance(part, Mapping) else part for part in content]
        content = "".join(parts) if all(isinstance(part, str) for part in parts) else None
    if not isinstance(content, str):
        raise BatchError(f"{where}: content must be a text, a list of text parts, or None")
    return content


def _action(text: str, message: Mapping[str, Any], where: str) -> str:
    calls = message.get("tool_calls") or (
        [{"function": message["function_call"]}] if message.get("function_call") else []
    )
    parts = [text] if text else []
    for call in calls:
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
            raise BatchError(f"{where}: a tool call needs function.name and function.arguments")
        arguments = function.get("arguments", {})
        if isinstance(arguments, str):
            with suppress(ValueError, RecursionError):  # what the model wrote stays as it is
                arguments = json.loads(arguments)
        spelled = json.dumps({"name": function["name"], "arguments": arguments}, ensure_ascii=False)
        parts.append(f"<tool_call>{spelled}</tool_call>")
    return "\n".join(parts)
