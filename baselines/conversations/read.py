"""Files of recorded conversations as a TurnBatch: our logs and batches, and JSON of other programs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from agentgym.batch import BatchError, TurnBatch
from agentgym.errors import unknown
from agentgym.log import RolloutLog

KEYS = ("messages", "group", "trajectory", "task", "outcome", "success", "rewards")
"""What a rollout of another program may say; `keys` tells under which names."""

LOG = "agentgym.RolloutLog/"


def read(
    path: str | PathLike[str],
    keys: Mapping[str, str] | None = None,
    success_at: float | None = None,
    run: int | None = None,
) -> tuple[TurnBatch, list[str]]:
    """Return the turns of a file, and the entries of its rollouts that were left out.

    Args:
        path: a RolloutLog; a TurnBatch as .npz, .parquet or .jsonl; or conversations of another program, a
            JSON list of rollouts or one rollout a line: each a list of chat messages, or a dict with `messages`.
        keys: where a dict keeps its entries under other names: {ours: theirs}, such as {"messages": "traj"}; theirs may
            lead into dicts, as "reward_info.reward". "rollouts" is the entry that holds the list of rollouts.
        success_at: a rollout whose outcomes sum to this or more succeeded; for records that do not say it themselves.
        run: number of the run of a RolloutLog; needed where the log holds several.

    Raises:
        BatchError: naming file, rollout and entry of what cannot be read, with the remedy; a `success_at` that is not
            finite, or for a file that says itself what succeeded; a `run` of another file than a log.
    """
    renamed = dict(keys or {})
    for key in renamed:
        if key not in (*KEYS, "rollouts"):
            raise BatchError(f"--key {key}={renamed[key]}: {unknown('entry', key, (*KEYS, 'rollouts'))}")
    file = Path(fspath(path))
    if success_at is not None and not math.isfinite(success_at):
        raise BatchError(f"--success-at {success_at}: give a finite number")
    _check_file(file)
    batch = None if renamed else _ours(file, run)
    left: list[str] = []
    if batch is None:
        found = _of_run(_json(file, renamed.pop("rollouts", "")), run, file)
        rollouts, left = _renamed(found, renamed, file)
        try:
            batch = TurnBatch.from_messages(rollouts)
        except BatchError as error:
            raise BatchError(f"{path}: {error}") from None
    return (batch if success_at is None else _judged(batch, success_at, file)), left


def _check_file(file: Path) -> None:
    if file.is_dir():
        raise BatchError(f"{file} is a folder: name the file in it")
    if not file.exists():
        raise BatchError(f"{file}: there is no such file")
    if not file.is_file():
        raise BatchError(f"{file} is a pipe or a device, and is read twice: write what it gives to a file first")


def _ours(file: Path, run: int | None) -> TurnBatch | None:
    """Return what our own formats hold; None for a file of another program."""
    if _first_schema(file).startswith(LOG):
        _check_run(RolloutLog(file).runs(), run, file)
        return TurnBatch.from_log(file, run)
    if run is not None:
        raise BatchError(f"--run {run}: {file} is no log of rollouts, so it has no runs; leave --run out")
    if file.suffix == ".npz":
        return TurnBatch.from_npz(file)
    if file.suffix == ".parquet":
        return TurnBatch.from_parquet(file)
    return TurnBatch.from_jsonl(file) if _first_schema(file).startswith("agentgym.TurnBatch/") else None


def _check_run(found: Sequence[int], run: int | None, file: Path) -> None:
    """Raise BatchError where a log has no such run, or several and none is named."""
    if run is None and len(found) > 1:
        raise BatchError(f"{file} holds the runs {', '.join(map(str, found))}: --run {found[-1]} reads the last")
    if run is not None and run not in found:
        held = f"the runs {', '.join(map(str, found))}" if found else "no finished rollout"
        raise BatchError(f"--run {run}: {file} holds {held}")


def _of_run(rollouts: list[Any], run: int | None, file: Path) -> list[Any]:
    """Return the rollouts of one run where they are lines of a RolloutLog, else all."""
    numbers = [rollout["run"]["number"] for rollout in rollouts if _logged(rollout)]
    if run is not None or numbers:
        _check_run(list(dict.fromkeys(numbers)), run, file)
    return rollouts if run is None else [each for each in rollouts if _logged(each) and each["run"]["number"] == run]


def _logged(rollout: Any) -> bool:
    """Return whether it is a line of a RolloutLog."""
    return isinstance(rollout, Mapping) and str(rollout.get("schema", "")).startswith(LOG)


def _first_schema(file: Path) -> str:
    """Return the schema that the first line of a file of JSON lines names; "" where it names none."""
    with file.open("rb") as lines:
        line = lines.readline()
    if b'"schema"' not in line:
        return ""
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
        if not isinstance(rollout, Mapping) or (_logged(rollout) and rollout.get("end_reason") == "infra_error"):
            out.append(rollout)  # an outage as it stands, by which it is known and left out
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


def _judged(batch: TurnBatch, success_at: float, file: Path) -> TurnBatch:
    if "success" in batch:
        raise BatchError(f"--success-at {success_at:g}: {file} says itself which rollouts succeeded; leave it out")
    outcome = np.bincount(batch.rollout, batch.need("outcome_reward", who="--success-at"), batch.num_rollouts)
    return batch.with_columns(success=(outcome >= success_at)[batch.rollout])
