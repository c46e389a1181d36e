"""The diary: what the canary worlds themselves saw while a trainer was at work, one line an episode.

It is kept in the file that the environment variable AGENTGYM_CANARY_DIARY names, which child processes inherit; where
that is not set, nothing is written. Lines are appended whole, in the order in which the episodes ended.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

DIARY: Final = "AGENTGYM_CANARY_DIARY"


@dataclass(frozen=True)
class Entry:
    """One episode as its world saw it.

    Attributes:
        world: name of the canary world.
        seed: of the episode.
        actions: the texts that were sent.
        paid: Gymnasium's reward of each step.
        terminated, truncated: how it ended; neither: it was left unfinished.
        reason: why it ended.
    """

    world: str
    seed: int
    actions: tuple[str, ...] = ()
    paid: tuple[float, ...] = ()
    terminated: bool = False
    truncated: bool = False
    reason: str = ""

    def after(self, action: object, step: tuple[str, float, bool, bool, Any]) -> Entry:
        """Return the entry with one more step."""
        _, reward, terminated, truncated, info = step
        return replace(
            self,
            actions=(*self.actions, str(action)),
            paid=(*self.paid, reward),
            terminated=terminated,
            truncated=truncated,
            reason=info["end_reason"],
        )


def keep(entry: Entry) -> None:
    """Append an entry to the diary, if one is kept and anything was played."""
    path = os.environ.get(DIARY)
    if path and entry.actions:
        line = json.dumps(asdict(entry)).encode() + b"\n"
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, line)  # one call: lines of several processes do not mix
        finally:
            os.close(file)


@contextmanager
def kept() -> Iterator[Path]:
    """Keep a diary meanwhile; yields its file, which goes when this ends."""
    before = os.environ.get(DIARY)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "diary.jsonl"
        os.environ[DIARY] = str(path)
        try:
            yield path
        finally:
            if before is None:
                del os.environ[DIARY]
            else:
                os.environ[DIARY] = before


def read(path: Path) -> list[Entry]:
    """Return the entries of a diary, in the order in which they ended."""
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [Entry(**{**row, "actions": tuple(row["actions"]), "paid": tuple(row["paid"])}) for row in rows]
