"""What `agentgym canary` does."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from agentgym.canary.evidence import read_all
from agentgym.canary.report import ABOUT, Report
from agentgym.canary.run import Train, judge, run, world_id
from agentgym.canary.worlds import WORLDS
from agentgym.errors import unknown

Say = Callable[[str], None]


def command(
    records: Sequence[str],
    *,
    train: str | None,
    worlds: Sequence[str],
    lessons: bool,
    file: str | None,
    progress: Callable[[str, int, int], None] | None,
    say: Say,
) -> int:
    """Judge records, or a trainer; without either, tell of the worlds and the checks. Returns the exit status.

    Args:
        records: files of JSON lines.
        train: "file.py:function" or "module:function".
        worlds: names of those to train in; none: all.
        lessons: whether what was learned is judged.
        file: where the report goes as JSON, besides.
        progress: as in `run`.
        say: writes a line.

    Raises:
        ValueError: records and a trainer, or a trainer that cannot be found.
    """
    if records and train:
        raise ValueError("give files of rollouts or --train, not both")
    if train:
        report = run(load(train), worlds=worlds, lessons=lessons, progress=progress)
    elif records:
        report = judge([rollout for path in records for rollout in read_all(path)])
    else:
        _tell(say)
        return 0
    say(str(report))
    if file is not None:
        Path(file).write_text(json.dumps(report.to_json()) + "\n", "utf-8")
    return _status(report)


def _status(report: Report) -> int:
    return int(not report.ok)


def _tell(say: Say) -> None:
    say("worlds:")
    for name, world in WORLDS.items():
        say(f"  {world_id(name):<38} {(inspect.getdoc(world) or '').partition(chr(10))[0]}")
    say("what is checked:")
    for name, about in ABOUT.items():
        say(f"  {name:<38} {about}")
    say("agentgym canary FILE judges rollouts, agentgym canary --train file.py:function a trainer")


def load(where: str) -> Train:
    """Return a function by "file.py:function" or "module:function".

    Raises:
        ValueError: no such file, module or function; the message offers the nearest.
    """
    source, colon, name = where.rpartition(":")
    if not colon or not source or not name:
        raise ValueError(f'--train takes "file.py:function" or "module:function", not {where!r}')
    if source.endswith(".py"):
        spec = spec_from_file_location(Path(source).stem, source)
        if spec is None or spec.loader is None or not Path(source).is_file():
            raise ValueError(f"there is no file {source!r} with a trainer in it")
        module: Any = module_from_spec(spec)
        spec.loader.exec_module(module)
    else:
        try:
            module = import_module(source)
        except ImportError as error:
            raise ValueError(f"cannot import {source!r} for --train: {error}") from error
    if not callable(getattr(module, name, None)):
        known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise ValueError(unknown("trainer", name, known, f"in {source}"))
    found: Train = getattr(module, name)
    return found
