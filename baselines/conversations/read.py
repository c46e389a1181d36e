"""Files of recorded conversations as a TurnBatch: our logs and batches, and JSON of other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from agentgym.batch import BatchError, TurnBatch
from agentgym.errors import unknown

KEYS = ("messages", "group", "trajectory", "task", "outcome", "success", "rewards")
"""What a rollout of another program may say; `keys` tells under which names."""


def read(
    path: str | PathLike[str], keys: Mapping[str, str] | None = None, success_at: float | None = None
) -> tuple[TurnBatch, list[str]]:
    """Return the turns of a file, and the entries of its rollouts that were left out.

    Args:
        path: a RolloutLog of one run; a TurnBatch as .npz, .parquet or .jsonl; or conversations of another program, a
            JSON list of rollouts or one rollout a line: each a list of chat messages, or a dict with `messages`.
        keys: where a dict keeps its entries under other names: {ours: theirs}, such as {"messages": "traj"}; theirs may
            lead into dicts, as "reward_info.reward". "rollouts" is the entry that holds the list of rollouts.
        success_at: a rollout whose outcomes sum to this or more succeeded; for records that do not say it themselves.

    Raises:
        BatchError: naming file, rollout and entry of what cannot be read, with the remedy.
    """
    renamed = dict(keys or {})
    for key in renamed:
        if key not in (*KEYS, "rollouts"):
            raise BatchError(f"--key {key}={renamed[key]}: {unknown('entry', key, (*KEYS, 'rollouts'))}")
    file = Path(fspath(path))
    if not file.is_file():
        raise BatchError(f"{path}: there is no such file")
    batch = None if renamed else _ours(file)
    left: list[str] = []
    if batch is None:
        rollouts, left = _renamed(_json(file, renamed.pop("rollouts", "")), renamed, file)
        try:
            batch = TurnBatch.from_messages(rollouts)
        except BatchError as error:
            raise BatchError(f"{path}: {error}") from None
    return (batch if success_at is None else _judged(batch, success_at)), left


def _ours(file: Path) -> TurnBatch | None:
    """Return what our own formats hold; None for a file of another program."""
    if file.suffix == ".npz":
        return TurnBatch.from_npz(file)
    if file.suffix == ".parquet":
        return TurnBatch.from_parquet(file)
    with file.open("rb") as lines:
        first = lines.readline()
    schema = '"schema"' in first.decode(errors="replace") and _schema(first)
    if schema and schema.startswith("agentgym.RolloutLog/"):
        return TurnBatch.from_log(file)
    return TurnBatch.from_jsonl(file) if schema and schema.startswith("agentgym.TurnBatch/") else None


def _schema(line: bytes) -> str:
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    return str(head.get("schema", "")) if isinstance(head, dict) else ""


def _json(file: Path, inside: str) -> list[Any]:
    """Return the list of rollouts of a JSON file, or of JSON lines."""
    text = file.read_bytes()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        return _lines(file, text, error)
    if inside:
        found = _entry(found, inside)
    elif isinstance(found, dict) and ("messages" in found or "conversations" in found):
        return [found]
    if not isinstance(found, list):
        named = f"the entry {inside!r}" if inside else "the file"
        entries = f" with the entries {', '.join(map(str, found))}" if isinstance(found, dict) else ""
        raise BatchError(
            f"{file}: {named} holds {type(found).__name__}{entries}, not a list of rollouts; --key rollouts=NAME says "
            "which entry does"
        )
    return found


def _lines(file: Path, text: bytes, error: Exception) -> list[Any]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError) as wrong:
                first = f" ({error})" if number == 1 else ""
                raise BatchError(f"{file}, line {number}: neither JSON nor JSON lines: {wrong}{first}") from None
    if not found:
        raise BatchError(f"{file}: the file is empty")
    return found


def _renamed(rollouts: Sequence[Any], keys: Mapping[str, str], file: Path) -> tuple[list[Any], list[str]]:
    """Return rollouts that speak of the known entries alone, and the names of the entries left out."""
    out: list[Any] = []
    left: dict[str, None] = {}
    for number, rollout in enumerate(rollouts):
        if not isinstance(rollout, Mapping):
            out.append(rollout)
            continue
        taken = {key: _entry(rollout, keys.get(key, key)) for key in KEYS}
        if taken["messages"] is None and "messages" not in keys:
            taken["messages"] = rollout.get("conversations")
        if taken["messages"] is None:
            raise BatchError(
                f"{file}: rollout {number} has no entry {keys.get('messages', 'messages')!r} (it has "
                f"{', '.join(map(str, rollout))}); --key messages=NAME says where the messages are"
            )
        for key, there in keys.items():
            if taken[key] is None:
                raise BatchError(f"{file}: rollout {number} has no entry {there!r}, which --key {key}={there} names")
        known = {keys.get(key, key).partition(".")[0] for key in KEYS} | {"conversations"}
        left |= dict.fromkeys(str(name) for name in rollout if name not in known)
        out.append({key: value for key, value in taken.items() if value is not None})
    return out, list(left)


def _entry(found: Any, path: str) -> Any:
    for name in path.split("."):
        if not isinstance(found, Mapping) or name not in found:
            return None
        found = found[name]
    return found


def _judged(batch: TurnBatch, success_at: float) -> TurnBatch:
    import numpy as np

    outcome = np.bincount(batch.rollout, batch.need("outcome_reward", who="--success-at"), batch.num_rollouts)
    return batch.with_columns(success=(outcome >= success_at)[batch.rollout])
