"""The folder of a run: options, one file a finished cell, results; every file whole or not there."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agentgym.errors import AgentGymError


class RunError(AgentGymError):
    """A run cannot start or go on in this folder; the message says why and what to do."""


class Store:
    """The files of one run.

    Args:
        folder: made if it is not there.
        options: what the run consists of, JSON; a folder belongs to one set of options for good.
        resume: whether a folder that holds cells already may be gone on with.
        asked: what stands in the file of this name from the start, before there are options to go on with.

    Raises:
        RunError: the folder cannot be written, holds a run and `resume` is false, or was made with other options.
    """

    def __init__(
        self, folder: Path, options: Mapping[str, Any], *, resume: bool, asked: tuple[str, object] | None = None
    ) -> None:
        self.folder = folder
        self.cells = folder / "cells"
        try:
            self.cells.mkdir(parents=True, exist_ok=True)
            write_json(folder / ".probe", {})
            (folder / ".probe").unlink()
        except OSError as error:
            raise RunError(f"cannot write to {folder}: {error.strerror}; choose another folder with --out") from error
        self._asked = asked
        self._claim(json.loads(json.dumps(options)), resume)

    def _begin(self, options: dict[str, Any]) -> None:
        """Write what was asked for and then the options: a kill in between leaves no options without their question."""
        if self._asked is not None:
            write_json(self.folder / self._asked[0], self._asked[1])
        write_json(self.folder / "options.json", options)

    def _claim(self, options: dict[str, Any], resume: bool) -> None:
        path = self.folder / "options.json"
        if not path.exists():
            if any(self.cells.iterdir()):
                raise RunError(f"{self.folder} holds cells but no options.json: choose another folder with --out")
            self._begin(options)
            return
        try:
            held = read_json(path)
        except RunError as error:
            raise RunError(f"{error}: what was run here cannot be told; choose another folder with --out") from error
        if not any(self.cells.glob("*.json")):  # nothing was finished: whatever its options, nothing is lost
            self._begin(options)
            return
        if not resume:
            raise RunError(f"{self.folder} holds a run already: add --resume to go on with it, or choose another --out")
        differing = list(_differences(held, options))
        if differing:
            raise RunError(
                f"{self.folder} was made with other options ({'; '.join(differing[:6])}): repeat those, or choose "
                "another --out"
            )

    def get(self, key: str) -> dict[str, Any] | None:
        """Return a finished cell's result, or None. RunError: the file is damaged or another cell's."""
        path = self.cells / f"{key}.json"
        if not path.exists():
            return None
        try:
            held = read_json(path)
        except RunError as error:
            raise RunError(f"{error}: delete it, and its cell is computed again") from error
        if held.get("key") != key:
            raise RunError(f"{path} does not hold the cell {key}: delete it, and the cell is computed again")
        return held

    def put(self, key: str, result: Mapping[str, Any]) -> dict[str, Any]:
        """Keep a finished cell's result and return it as `get` will. RunError: it cannot be written."""
        path = self.cells / f"{key}.json"
        try:
            write_json(path, {**result, "key": key})
        except OSError as error:
            raise RunError(f"cannot write {path} ({error.strerror}): mend that, then go on with --resume") from error
        return {**result, "key": key}


def write_json(path: Path, value: object) -> None:
    """Write JSON so that a reader, or a crash, finds the old file or the new one, never a part."""
    write_text(path, json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; RunError names a file that holds something else."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunError(f"{path} is damaged ({error})") from error
    if not isinstance(value, dict):
        raise RunError(f"{path} is damaged (not a JSON object)")
    return value


def _differences(there: Any, now: Any, name: str = "") -> Iterator[str]:
    """Yield the innermost entries in which two JSON values differ, in words."""
    if isinstance(there, dict) and isinstance(now, dict):
        for key in sorted({*there, *now}):
            yield from _differences(there.get(key), now.get(key), f"{name}.{key}" if name else key)
    elif there != now:
        yield f"{name}: {_short(there)} there, {_short(now)} now"


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 60 else text[:57] + "…"
