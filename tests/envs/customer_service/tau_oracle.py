"""What the tests of the official tools share: the recorded calls, and how two states are compared."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PLACE = os.environ.get("AGENTGYM_REFERENCE", "")
reference = pytest.mark.skipif(not PLACE, reason="AGENTGYM_REFERENCE names no folder with recorded calls")
SETS = ("tasks", "calls", "sequences")

Changes = dict[str, dict[str, Any]]


def data(path: str) -> Path:
    return Path(PLACE) / "data" / path


def read_json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def records(domain: str, kind: str) -> Iterator[dict[str, Any]]:
    with gzip.open(Path(PLACE) / "oracles/tau" / f"{domain}.{kind}.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def exact(value: Any) -> str:
    """A value as text in which 1, 1.0, true and "1" differ."""
    return json.dumps(value, sort_keys=True)


def changed(before: Changes, after: Changes) -> Changes:
    """table → id → new record, wherever two dumps differ."""
    found: Changes = {}
    for table, rows in after.items():
        old = before[table]
        for key in {**old, **rows}:
            if exact(old.get(key)) != exact(rows.get(key)):
                found.setdefault(table, {})[key] = rows.get(key)
    return found
