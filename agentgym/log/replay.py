"""replay: every rollout of a log is played again, and the first byte that comes out otherwise is found."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from typing import Any

import gymnasium

from agentgym.batch.files import dump
from agentgym.env import AgentEnv
from agentgym.errors import LogError
from agentgym.log.lines import Line, read_lines, record_of, replies_of, turn_of
from agentgym.rollout.episode import Episode, group_of
from agentgym.rollout.views import Reply
from agentgym.rollout.worlds import build

_ABSENT = object()
_MARK = "\x00here\x00"


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a rollout that is played again first differs from its line in the log.

    Attributes:
        line: of the file, from 1.
        rollout: its trajectory.
        turn: turns taken by then.
        key: what differs: "observation", a key of the info, "messages" or a key of the line; "error" where the world
            raised.
        byte: first differing byte of the value's JSON text, from 0.
        offset: the same byte in the file; −1 where the line was written by other means than RolloutLog.
        logged, played: both JSON texts around it, "" where one has no such value.
    """

    line: int
    rollout: str
    turn: int
    key: str
    byte: int
    offset: int
    logged: str
    played: str

    def __str__(self) -> str:
        at = f", byte {self.offset} of the file" if self.offset >= 0 else ""
        return (
            f"line {self.line}, rollout {self.rollout!r}, turn {self.turn}, {self.key}: first differing byte "
            f"{self.byte}{at}\n  logged: {self.logged or '(nothing)'}\n  played: {self.played or '(nothing)'}"
        )


def replay(
    path: str | PathLike[str],
    *,
    env: AgentEnv[Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Difference]:
    """Play every rollout of a log again and compare observations, infos, messages and ends byte for byte.

    The world is built anew from what the line says of it; a world whose id nobody has registered is looked for in the
    module of its class, which is imported. The last turn of a rollout that ended with an infrastructure error is not
    played, since it came from outside; the rest of the line has to agree with it. The call of `collect` (`run`) is not
    repeated: it has to be the same in all lines of its run and one that can have made them.

    Args:
        path: what `collect(…, log=path)` wrote.
        env: the world, where a line cannot rebuild it.
        progress: called with (played, total) rollouts.

    Returns:
        The first difference of every rollout that has one; empty if the log is what the world does today.

    Raises:
        LogError: the log cannot be read or holds no rollout, the world cannot be rebuilt, or its version or panel is
            another than the log's; nothing has been played then.
    """
    worlds: dict[str, AgentEnv[Any]] = {}
    total = 0
    for line in read_lines(path):
        total += 1
        key = dump(line.record["env"])
        if key not in worlds:
            worlds[key] = _world(line.record, f"{path}, line {line.number}", env)
    if not total:
        raise LogError(f"the log {path} holds no finished rollout, so there is nothing to replay")
    found = []
    runs: dict[int, Mapping[str, Any]] = {}
    for number, line in enumerate(read_lines(path), 1):
        run = runs.setdefault(line.record["run"]["number"], line.record["run"])
        difference = _compared(line, worlds[dump(line.record["env"])], run)
        if difference is not None:
            found.append(difference)
        if progress is not None:
            progress(number, total)
    return found


def _world(record: Mapping[str, Any], where: str, env: AgentEnv[Any] | None) -> AgentEnv[Any]:
    """Return the world of a line. Raises LogError where it cannot be rebuilt or is another."""
    spec = record["env"]
    for key, kind in (("id", str), ("version", str), ("kwargs", dict), ("panel", str), ("opaque", list)):
        if type(spec.get(key)) is not kind:
            raise LogError(f"{where}: 'env' lacks {key!r}, so the world cannot be rebuilt")
    if env is None and spec["opaque"]:
        opaque = ", ".join(map(str, spec["opaque"]))
        raise LogError(f"{where}: {spec['id']!r} was built with {opaque}, which a log cannot hold: pass env=the world")
    try:
        world = build(_named(record) if env is None else env, spec["kwargs"])
    except (gymnasium.error.Error, ImportError, AttributeError, TypeError, ValueError, KeyError) as error:
        raise LogError(
            f"{where}: the world {spec['id']!r} cannot be rebuilt ({error}): import the module that registers it, or "
            "pass env=the world"
        ) from error
    for what, found, logged in (
        ("id", world.env_id, spec["id"]),
        ("version", world.version, spec["version"]),
        ("panel hash", world.panel.hash, spec["panel"]),
    ):
        if found != logged:
            raise LogError(
                f"{where}: played on {what} {logged!r} of {spec['id']!r}, and this world has {found!r}: a replay would "
                "tell nothing; replay with the release that wrote the log, or pass env=the world"
            )
    return world


def _named(record: Mapping[str, Any]) -> str | type[AgentEnv[Any]]:
    """Return what `build` takes: the id if it is registered, after an import if need be, else the class."""
    name: str = record["env"]["id"]
    module, _, qualname = str(record.get("world", "")).partition(":")
    if name in gymnasium.registry or not module:
        return name
    found: Any = import_module(module)
    if name in gymnasium.registry:
        return name
    for part in qualname.split("."):
        found = getattr(found, part)
    if not (isinstance(found, type) and issubclass(found, AgentEnv)):
        raise TypeError(f"{module}:{qualname} is no world")
    return found


def _compared(line: Line, world: AgentEnv[Any], run: Mapping[str, Any]) -> Difference | None:
    """Play a rollout of a run again; return where it first differs."""
    record = line.record
    turn = 0
    try:
        group = group_of(record["task"], record["seed"])
        episode = Episode.start(world, record["task"], record["seed"], record["branch"], group, record["member"])
        found = _at(line, episode, 0, 0)
        replies = replies_of(record)
        outage = record["turns"][-1]["info"]["end_reason"] == "infra_error"
        for turn, reply in enumerate(replies[:-1] if outage else replies, 1):
            if found is not None:
                return found
            seen = len(episode.messages)
            episode.take(reply)
            found = _at(line, episode, turn, seen)
    except Exception as error:  # noqa: BLE001 - whatever a world of someone else's raises is what is reported
        played = f"{type(error).__name__}: {error}"
        return Difference(line.number, record["trajectory"], turn, "error", 0, line.offset, "", played)
    if found is not None:
        return found
    if outage:
        _take_logged(episode, record, replies[-1])
    again = record_of(episode, _called(run, record), record["env"])
    again["branch"] = record["member"] if run["noise"] == "own" else 0
    ours = {key: record[key] for key in (*again, "tools", "replies") if key in record}  # others may have been added
    return next(_differing(line, turn, {**again, "world": record.get("world")}, ours, ()), None)


def _called(run: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the call of `collect` next to a run's that can have made a rollout: seeds go up, members fit."""
    seed, size = min(run["seed"], record["seed"]), max(run["group_size"], record["member"] + 1)
    return {**run, "seed": seed, "group_size": size}


def _take_logged(episode: Episode, record: Mapping[str, Any], reply: Reply) -> None:
    """Let an episode take its last turn as it stands in the log."""
    last = record["turns"][-1]
    info: Any = last["info"]
    episode.rows.append((episode.observation, episode.info, reply, info))
    episode.messages += record["messages"][len(episode.messages) :]
    episode.observation, episode.info, episode.flags = last["observation"], info, (False, True)


def _at(line: Line, episode: Episode, turn: int, seen: int) -> Difference | None:
    """Compare one moment: what was observed, said and recorded."""
    logged = line.record["turns"][turn]
    played = turn_of(episode.observation, episode.info)
    told, path = line.record["messages"], ("turns", turn)
    pairs: list[tuple[str, Any, Any, tuple[str | int, ...]]] = [
        ("observation", logged["observation"], played["observation"], (*path, "observation")),
        *((f"messages[{at}]", told[at] if at < len(told) else _ABSENT, episode.messages[at], ("messages", at))
          for at in range(seen, len(episode.messages))),
    ]  # fmt: skip
    for key, was, now, place in pairs:
        if _text(was) != _text(now):
            return _difference(line, turn, key, was, now, place)
    return next(_differing(line, turn, played["info"], logged["info"], (*path, "info")), None)


def _differing(
    line: Line, turn: int, played: Mapping[str, Any], logged: Mapping[str, Any], path: tuple[str | int, ...]
) -> Iterator[Difference]:
    """Yield the keys whose values differ, in the order of the log."""
    if _text(logged) == _text(played):  # as nearly always, and much faster than one key after the other
        return
    for key in dict.fromkeys([*logged, *played]):
        was, now = logged.get(key, _ABSENT), played.get(key, _ABSENT)
        if _text(was) != _text(now):
            yield _difference(line, turn, key, was, now, (*path, key))


def _text(value: Any) -> str:
    """Return the JSON text by which values are compared; 1, 1.0 and True differ, and so does the order of keys."""
    return "" if value is _ABSENT else json.dumps(value, separators=(",", ":"))


def _difference(line: Line, turn: int, key: str, was: Any, now: Any, path: tuple[str | int, ...]) -> Difference:
    logged, played = _text(was), _text(now)
    shorter = min(len(logged), len(played))
    byte = next((at for at in range(shorter) if logged[at] != played[at]), shorter)
    start = -1 if was is _ABSENT else _offset(line, path)
    return Difference(
        line.number, line.record["trajectory"], turn, key, byte, start + byte if start >= 0 else -1,
        _context(logged, byte), _context(played, byte),
    )  # fmt: skip


def _offset(line: Line, path: tuple[str | int, ...]) -> int:
    """Return the byte of the file at which a value begins, −1 where the line is not spelt as RolloutLog spells it."""
    if dump(line.record).encode() != line.raw.rstrip(b"\n"):
        return -1
    marked = _marked(line.record, path)
    return line.offset + dump(marked).index(json.dumps(_MARK))


def _marked(value: Any, path: tuple[str | int, ...]) -> Any:
    """Return a copy of a record in which the value at a path is the mark."""
    if not path:
        return _MARK
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = _marked(copied[path[0]], path[1:])  # type: ignore[index]
    return copied


def _context(text: str, byte: int, around: int = 40) -> str:
    begin, end = max(0, byte - around), byte + around
    return ("…" if begin else "") + text[begin:end] + ("…" if end < len(text) else "")
