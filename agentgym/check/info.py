"""Rules: what info says of a turn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from agentgym.action import ToolCall, checked_call, clean
from agentgym.check.actions import Sent
from agentgym.check.rule import Broken, require, rule
from agentgym.check.subject import Subject, shown
from agentgym.turn import validate_info

_CONSTANT = ("schema", "env_id", "panel", "task", "seed", "branch")


@rule("info")
def info(subject: Subject) -> str:
    """Every info follows the schema, counts the turns and keeps task, seed and branch."""
    turns = 0
    for trace, (task, seed) in zip(subject.traces, subject.few(8), strict=True):
        first = trace.infos[0]
        require(
            (first["task"], first["seed"], first["branch"]) == (task.id, seed, 0),
            lambda: f"{trace.at(0)}: info names the task {first['task']!r}, seed {first['seed']}, {first['branch']}",  # noqa: B023
        )
        for turn, one in enumerate(trace.infos):
            where = trace.at(turn)
            try:
                validate_info(one)
            except (ValueError, TypeError) as error:
                raise Broken(f"{where}: {error}") from error
            require(one["turn"] == turn, f"{where}: info['turn'] is {one['turn']}: every step counts one turn")
            changed = [key for key in _CONSTANT if one[key] != first[key]]
            require(not changed, f"{where}: {changed} of info changed within the episode")
            turns += 1
    return f"{turns} records"


@rule("messages")
def messages(subject: Subject) -> str:
    """The messages in info hold the action and the observation; on reset system text and tools come with them."""
    tools = subject.world.tool_schemas
    limit = subject.world.max_action
    for trace in subject.traces:
        opening = trace.infos[0]
        require(
            opening.get("tools", []) == tools,
            f"{trace.at(0)}: info['tools'] are not the schemas of the world's tools",
        )
        for turn, record in enumerate(trace.returned):
            said = [message for message in record[-1]["messages"] if message["role"] == "assistant"]
            want = [] if turn == 0 else [_said(trace.actions[turn - 1], record[-1]["valid"], limit)]
            require(
                [_content(message, record[-1]["valid"]) for message in said] == want,
                lambda want=want, said=said, turn=turn: (  # type: ignore[misc]
                    f"{trace.at(turn)}: the messages say {shown(said)} of what was sent, not {shown(want)}"  # noqa: B023
                ),
            )
            read = "".join(message["content"] for message in record[-1]["messages"] if message not in said)
            require(
                read.endswith(record[0]),
                f"{trace.at(turn)}: the observation {shown(record[0])} does not stand at the end of the messages",
            )
    return f"{sum(len(trace.returned) for trace in subject.traces)} records"


@rule("fresh")
def fresh(subject: Subject) -> None:
    """No two infos share a list or dict, so that nobody's change to one reaches another."""
    owner: dict[int, str] = {}
    for trace in subject.traces:
        for turn, one in enumerate(trace.infos):
            mine = {id(part): key for key, part in _containers(one)}
            shared = next((name for name in mine if name in owner), None)
            require(
                shared is None,
                lambda mine=mine, shared=shared, turn=turn: (  # type: ignore[misc]
                    f"{trace.at(turn)}: info[{mine[shared]!r}] is the same object as {owner[shared]}: make it anew"  # noqa: B023
                ),
            )
            owner.update({name: f"info[{key!r}] of {trace.where}, turn {turn}" for name, key in mine.items()})


def _said(action: Sent, valid: bool, limit: int) -> Any:
    """Return what a chat message tells of an action: the text, or the calls; of a call that was refused only that."""
    if isinstance(action, ToolCall):
        if not valid:
            return "a call"
        call = checked_call(action, limit)  # broken characters are replaced, as in texts
        return [(call.name, dict(call.arguments))]
    return clean(action[:limit])


def _content(message: dict[str, Any], valid: bool) -> Any:
    """Return the same of a message."""
    if "tool_calls" not in message:
        return message["content"]
    functions = [call["function"] for call in message["tool_calls"]]
    return [(one["name"], json.loads(one["arguments"])) for one in functions] if valid else "a call"


def _containers(info: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield (key of info, list or dict) of all that can be changed in an info, itself under ""."""
    yield "", info
    for key, value in info.items():
        stack = [value]
        while stack:
            part = stack.pop()
            if isinstance(part, dict | list):
                yield key, part
                stack.extend(part.values() if isinstance(part, dict) else part)
