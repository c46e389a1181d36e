"""One line of a RolloutLog: a rollout as JSON, from which training data, the batch and a replay can be had.

schema                      "agentgym.RolloutLog/1"
env                         what rebuilds the world: `spec_dict()`
world                       "module:Class", for worlds whose id nobody has registered yet
run                         number (0, 1, … within the file), seed, group_size, noise: the call of collect
task, seed, branch          of the episode
group, member, trajectory   where it belongs
end_reason, success         of the rollout
terminated, truncated       at the end
outcome, rewards            the outcome reward, and the turn reward of each turn
messages, tools             the whole conversation in chat format, and the schemas of the tools, where there are any
actions                     what the policy wrote in each turn
replies                     logprob, menu_logprobs, token_ids, token_logprobs of each turn, as far as they were given
turns                       observation and info (without messages and tools) of the start and after each turn

Everything is ASCII JSON; an action with surrogates that JSON would join is {"$utf8": "hex"}.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

from agentgym.batch.files import load, tag, untag
from agentgym.batch.inputs import BatchError
from agentgym.errors import LogError
from agentgym.rollout.episode import Episode
from agentgym.rollout.views import Reply
from agentgym.turn import ALWAYS

SCHEMA = "agentgym.RolloutLog/1"
APART = ("messages", "tools")  # parts of an info that stand once a line, not once a turn
GIVEN: Mapping[str, type] = {"logprob": float, "menu_logprobs": list, "token_ids": list, "token_logprobs": list}
TYPES: Mapping[str, type] = {
    "env": dict, "run": dict, "task": str, "seed": int, "branch": int, "group": str, "member": int,
    "trajectory": str, "terminated": bool, "truncated": bool, "messages": list, "actions": list, "turns": list,
}  # fmt: skip
RUN: Mapping[str, type] = {"number": int, "seed": int, "group_size": int, "noise": str}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file: its number from 1, the byte at which it begins, its bytes and the rollout in it."""

    number: int
    offset: int
    raw: bytes
    record: dict[str, Any]


@dataclass(slots=True)
class Logged:
    """A logged rollout as `batch_of` reads it."""

    group: str
    member: int
    seed: int
    info: Any
    rows: list[tuple[str, Any, Any, Any]]
    flags: tuple[bool, bool]


def record_of(episode: Episode, run: Mapping[str, Any], env: Mapping[str, Any]) -> dict[str, Any]:
    """Return a finished episode as the record of one line.

    Args:
        episode: a finished one.
        run: number, seed, group_size and noise.
        env: the world's `spec_dict()`.
    """
    world, info = type(episode.env), episode.info
    after = [row[3] for row in episode.rows]
    record = {
        "schema": SCHEMA, "env": env, "world": f"{world.__module__}:{world.__qualname__}", "run": run,
        "task": info["task"], "seed": episode.seed, "branch": info["branch"], "group": episode.group,
        "member": episode.member, "trajectory": f"{episode.group}/{episode.member}",
        "end_reason": info["end_reason"], "success": info["success"],
        "terminated": episode.flags[0], "truncated": episode.flags[1],
        "outcome": info["outcome_reward"], "rewards": [info["turn_reward"] for info in after],
        "messages": episode.messages,
    }  # fmt: skip
    if episode.tools:
        record["tools"] = list(episode.tools)
    record["actions"] = [tag(str.__str__(row[2].text)) for row in episode.rows]  # plain, whatever its class
    replies = [_given(row[2]) for row in episode.rows]
    if any(replies):
        record["replies"] = replies
    shown = [row[0] for row in episode.rows] + [episode.observation]
    infos = [episode.rows[0][1], *after]
    record["turns"] = [turn_of(text, info) for text, info in zip(shown, infos, strict=True)]
    return record


def turn_of(observation: str, info: Mapping[str, Any]) -> dict[str, Any]:
    """Return one entry of `turns`."""
    return {"observation": observation, "info": {key: value for key, value in info.items() if key not in APART}}


def _given(reply: Reply) -> dict[str, Any]:
    found = {name: getattr(reply, name) for name in GIVEN if getattr(reply, name) is not None}
    if "token_ids" in found:
        found["token_ids"] = list(map(int, found["token_ids"]))  # numpy's ints are no JSON
    return found


def replies_of(record: Mapping[str, Any]) -> list[Reply]:
    """Return what the policy answered in each turn."""
    given = record.get("replies") or [{}] * len(record["actions"])
    return [Reply(untag(text), **more) for text, more in zip(record["actions"], given, strict=True)]


def logged(record: Mapping[str, Any]) -> Logged:
    """Return a record as `batch_of` reads it."""
    shown = [turn["observation"] for turn in record["turns"]]
    infos = [turn["info"] for turn in record["turns"]]
    rows = list(zip(shown[:-1], infos[:-1], replies_of(record), infos[1:], strict=True))
    flags = (record["terminated"], record["truncated"])
    return Logged(record["group"], record["member"], record["seed"], infos[-1], rows, flags)


def read_lines(path: str | PathLike[str]) -> Iterator[Line]:
    """Yield the finished rollouts of a file, one line in memory at a time.

    A last line that was cut short is left out, with a warning that names the byte at which it begins.

    Raises:
        LogError: the file cannot be read, or a whole line holds no rollout.
    """
    offset = 0
    try:
        with open(path, "rb") as file:
            for number, raw in enumerate(file, 1):
                record = parsed(raw, f"{path}, line {number} (byte {offset})")
                if record is not None:
                    yield Line(number, offset, raw, record)
                else:
                    what = f"the last {len(raw)} bytes, from byte {offset} on, are no whole rollout and are left out"
                    warnings.warn(f"{path}: {what}", stacklevel=2)
                offset += len(raw)
    except OSError as error:
        raise LogError(f"cannot read the log {path}: {error.strerror or error}") from error


def parsed(raw: bytes, where: str) -> dict[str, Any] | None:
    """Return the record of a line; None where it was cut short. Raises LogError, with `where` in front."""
    try:
        record = load(raw, where)
    except BatchError as error:
        if raw.endswith(b"\n"):
            raise LogError(f"{error}; leave this line out to read the others") from None
        return None
    fault = _fault(record)
    if fault:
        raise LogError(f"{where}: {fault}")
    found: dict[str, Any] = record
    return found


def _fault(record: Any) -> str:
    """Return what is wrong with the record of a line, "" if nothing is."""
    schema = record.get("schema") if isinstance(record, dict) else None
    if schema != SCHEMA:
        what = f"schema {schema!r:.60}" if schema is not None else "no rollout of a RolloutLog"
        return f"{what}; this version reads {SCHEMA!r}, and foreign chat logs go through TurnBatch.from_messages"
    for name, kind in TYPES.items():
        if type(record.get(name)) is not kind:
            return f"{name!r} must be {kind.__name__}, not {record.get(name)!r:.60}"
    actions, turns, replies = record["actions"], record["turns"], record.get("replies")
    if not actions or len(turns) != len(actions) + 1:
        return f"{len(actions)} actions take {len(actions) + 1} entries of 'turns', one for the start, not {len(turns)}"
    for name, kind in RUN.items():
        if type(record["run"].get(name)) is not kind:
            return f"'run' has no {name} ({kind.__name__})"
    for number, action in enumerate(actions):
        if not _is_text(action):
            return f"'actions', entry {number}, must be a text, not {action!r:.60}"
    if replies is not None:
        if type(replies) is not list or len(replies) != len(actions):
            return f"'replies' must be a list of one entry an action, {len(actions)}"
        for number, reply in enumerate(replies):
            if not _is_reply(reply):
                shown = ", ".join(f"{name} ({kind.__name__})" for name, kind in GIVEN.items())
                return f"'replies', entry {number}, must hold none but {shown}"
    return next((fault for fault in map(_turn_fault, range(len(turns)), turns) if fault), "")


def _is_reply(reply: Any) -> bool:
    if type(reply) is not dict or not all(type(value) is GIVEN.get(name) for name, value in reply.items()):
        return False
    return all(type(number) in (int, float) for value in reply.values() if type(value) is list for number in value)


def _is_text(action: Any) -> bool:
    try:
        return type(untag(action)) is str
    except (ValueError, TypeError):
        return False


def _turn_fault(number: int, turn: Any) -> str:
    if type(turn) is not dict or type(turn.get("observation")) is not str or type(turn.get("info")) is not dict:
        return f"'turns', entry {number}, needs an observation and an info"
    for key, kind in ALWAYS.items():
        if key not in APART and type(turn["info"].get(key)) is not kind:
            return f"'turns', entry {number}: info[{key!r}] must be {kind.__name__}"
    return ""
