"""Chat logs of other programs as columns of a TurnBatch: one turn an assistant message.

A rollout is a list of chat messages, or a dict with `messages` (ShareGPT: `conversations`) and, all optional but each
in all rollouts or none: `group`, `trajectory`, `task`, `outcome` (a number), `success` (a bool), `rewards` (one number
an assistant message). Messages have the shape of OpenAI, Anthropic or ShareGPT, see `agentgym.batch.chat`. A rollout
read from a RolloutLog is such a dict too; those that ended with an infrastructure error are left out.

Which rollouts form a group is what `group` says; without it those of equal `task`; without both those whose first
observations are equal, numbered by first appearance. Without `trajectory` every rollout is its own, by its place.

The columns: group, trajectory, turn; `observation`, the texts that came since the assistant last spoke, joined by a
blank line; `action`, the assistant's text followed by its tool calls, one a line, as
`<tool_call>{"name": …, "arguments": …}</tool_call>`; `tool_result`, was it answered with a tool result before the
assistant spoke again; `turn_reward` from `rewards`, `outcome_reward` on the last turn, `success` and `task` where
given. Nothing else is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from agentgym.batch.chat import Message, read
from agentgym.batch.inputs import BatchError
from agentgym.errors import unknown

_KEYS = ("messages", "group", "trajectory", "task", "outcome", "success", "rewards")
_LOGGED = "agentgym.RolloutLog/"


def columns_of(rollouts: Iterable[Any]) -> dict[str, list[Any]]:
    """Return the columns. Raises BatchError naming rollout and message of what cannot be read."""
    if isinstance(rollouts, str | Mapping) or not isinstance(rollouts, Iterable):
        raise BatchError(f"rollouts must be a list with one entry a rollout, not {type(rollouts).__name__}")
    rollouts = list(rollouts)
    if not rollouts:
        raise BatchError("there are no rollouts: give a list with at least one, each a list of chat messages")
    logs = {number: _log(number, rollout) for number, rollout in enumerate(rollouts) if not _is_outage(rollout)}
    _check_same_keys(logs)
    given: dict[str, Any] = next(iter(logs.values()), {})
    said = {number: _turns(number, log["messages"]) for number, log in logs.items()}
    groups = _groups(logs, said)
    names = [str(name) for name in ("task", "success") if name in given]  # first: a wrong task is named as such
    names += ["group", "trajectory", "turn", "observation", "action", "tool_result"]
    names += [column for key, column in (("rewards", "turn_reward"), ("outcome", "outcome_reward")) if key in given]
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, log in logs.items():
        turns = said[number]
        rewards = _rewards(number, log["rewards"], len(turns)) if "rewards" in log else [None] * len(turns)
        for k, (observation, action, answered) in enumerate(turns):
            row = {
                "group": groups[number], "trajectory": log.get("trajectory", number), "turn": k,
                "observation": observation, "action": action, "tool_result": answered,
                "task": log.get("task"), "success": log.get("success"), "turn_reward": rewards[k],
                "outcome_reward": log.get("outcome") if k == len(turns) - 1 else 0.0,
            }  # fmt: skip
            for name in names:
                columns[name].append(row[name])
    return columns


def _is_outage(rollout: Any) -> bool:
    """Return whether it is a line of a RolloutLog that an infrastructure error ended, which no batch holds."""
    ours = isinstance(rollout, Mapping) and str(rollout.get("schema", "")).startswith(_LOGGED)
    return ours and rollout.get("end_reason") == "infra_error"


def _log(number: int, rollout: Any) -> dict[str, Any]:
    """Return a rollout as a dict of known entries."""
    log = dict(rollout) if isinstance(rollout, Mapping) else {"messages": rollout}
    if "messages" not in log and ("role" in log or "from" in log):
        raise BatchError(f"rollout {number} is a single message: give a list of rollouts, each a list of messages")
    if str(log.get("schema", "")).startswith(_LOGGED):
        log = {key: log[key] for key in _KEYS if key in log}
    if "conversations" in log and "messages" not in log:
        log["messages"] = log.pop("conversations")
    for key in log:
        if key not in _KEYS:
            raise BatchError(f"rollout {number}: {unknown('entry', key, _KEYS)}; rename it or leave it out")
    if not isinstance(log.get("messages"), list | tuple):
        raise BatchError(
            f"rollout {number} has no list of messages; give a list of chat messages or a dict with 'messages'"
        )
    return log


def _check_same_keys(logs: Mapping[int, dict[str, Any]]) -> None:
    first = next(iter(logs), 0)
    for number, log in logs.items():
        odd = sorted(log.keys() ^ logs[first].keys())
        if odd:
            raise BatchError(
                f"rollout {number} and rollout {first} differ in {', '.join(odd)}: give it in all rollouts or in none"
            )


def _groups(logs: Mapping[int, dict[str, Any]], said: Mapping[int, list[tuple[str, str, bool]]]) -> dict[int, Any]:
    """Return the group of each rollout: as given, else its task, else the number of its opening.

    Raises:
        BatchError: nothing is given, and several rollouts begin with the assistant.
    """
    for key in ("group", "task"):
        if any(key in log for log in logs.values()):
            return {number: log[key] for number, log in logs.items()}
    openings: dict[str, int] = {}
    groups = {number: openings.setdefault(turns[0][0], len(openings)) for number, turns in said.items()}
    silent = [number for number, turns in said.items() if not turns[0][0]]
    if len(silent) > 1:
        raise BatchError(
            f"rollouts {silent[0]} and {silent[1]} begin with the assistant, so nothing tells whether they are about "
            "the same task: give every rollout its 'task' or 'group'"
        )
    return groups


def _rewards(number: int, rewards: Any, turns: int) -> list[Any]:
    """Return the rewards of a rollout. Raises BatchError unless there is one an assistant message."""
    given = rewards.tolist() if isinstance(rewards, np.ndarray) else rewards
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise BatchError(f"rollout {number}: rewards must be a list with one number an assistant message")
    if len(given) != turns:
        raise BatchError(
            f"rollout {number} has {len(given)} rewards and {turns} assistant messages: give one a message, 0.0 where "
            "none was paid"
        )
    return list(given)


def _turns(number: int, messages: Iterable[Any]) -> list[tuple[str, str, bool]]:
    """Return (observation, action, was it answered by a tool) of every assistant message."""
    turns: list[tuple[str, str, bool]] = []
    heard: list[str] = []
    asked: Message | None = None
    ids: set[str] = set()
    for place, given in enumerate(messages):
        where = f"rollout {number}, message {place}"
        message = read(given, where)
        if message.role == "assistant":
            turns.append(("\n\n".join(heard), message.action(), False))
            heard, asked = [], message
            ids.update(message.ids)
            continue
        heard += message.texts or [""]
        if message.results:
            _check_answers(message, asked, ids, where)
            turns[-1] = (*turns[-1][:2], True)
    if not turns:
        raise BatchError(f"rollout {number} has no assistant message, so it has no turn: leave it out")
    return turns


def _check_answers(message: Message, asked: Message | None, ids: set[str], where: str) -> None:
    """Raise BatchError for a tool result that answers no call."""
    for key in message.results:
        if key and key not in ids:
            what = unknown("call", key, sorted(ids))
            raise BatchError(f"{where}: a tool result of an {what}; give a call this id, or leave the message out")
        if asked is None or not (key or asked.calls_a_tool()):
            raise BatchError(
                f"{where}: a tool result without a call: the assistant message before it calls no tool; write it as a "
                "user message, or give the assistant message its tool_calls"
            )
