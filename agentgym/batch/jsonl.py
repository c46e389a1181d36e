"""TurnBatch as JSON lines: a header (schema, columns, number of rows, meta), then one object a row, UTF-8.

Plain where JSON is plain. Ids that JSON lacks are written as {"$tuple": […]} and {"$bytes": "hex"}, texts whose
surrogates JSON would join as {"$utf8": "hex"}, dicts with such names or names in $ as {"$items": [[name, value], …]},
a matrix of no rows as {"$shape": [0, columns]}.
"""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agentgym.batch.columns import COLUMNS
from agentgym.batch.files import TAGGED, dump, header, load, plain, read_header, replacing, untag
from agentgym.batch.inputs import BatchError, transpose

if TYPE_CHECKING:
    from agentgym.batch.record import TurnBatch


def write(batch: TurnBatch, path: str | PathLike[str]) -> None:
    """See TurnBatch.to_jsonl."""
    lists = {name: plain(batch, name) for name in batch.columns}
    with replacing(path) as file:
        file.write(header(batch.columns, len(batch), batch.meta).encode() + b"\n")
        for values in zip(*lists.values(), strict=True):
            file.write(_line(dict(zip(lists, values, strict=True))) + b"\n")


def _line(row: dict[str, Any]) -> bytes:
    try:
        return json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # a lone surrogate is no UTF-8, but JSON can spell it
        return dump(row).encode()


def read(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return columns and meta of a file; see TurnBatch.from_jsonl."""
    *lines, rest = Path(path).read_bytes().split(b"\n")
    if rest or not lines:
        raise BatchError(f"{path}, line {len(lines) + 1}: cut short in the middle of a line; write the file again")
    head = read_header(lines[0], f"{path}, line 1")
    if len(lines) - 1 != head["rows"]:
        raise BatchError(
            f"{path}: the header promises {head['rows']} rows, {len(lines) - 1} are there; write the file again"
        )
    rows = [load(line, f"{path}, line {number}") for number, line in enumerate(lines[1:], 2)]
    names = set(head["columns"])
    for number, row in enumerate(rows, 2):
        if not isinstance(row, dict) or row.keys() != names:
            odd = sorted(row.keys() ^ names) if isinstance(row, dict) else ["all"]
            raise BatchError(f"{path}, line {number}: columns differ from the header's: {', '.join(odd)}")
    columns = transpose(rows) if rows else {name: [] for name in head["columns"]}
    return {name: _values(name, values, path) for name, values in columns.items()}, head["meta"]


def _values(name: str, values: list[Any], path: Any) -> list[Any]:
    """Return a column of the file with its tags undone."""
    kind = COLUMNS[name].kind
    if kind not in TAGGED or (kind != "strs" and dict not in set(map(type, values))):
        return values
    out = []
    for number, value in enumerate(values, 2):
        try:
            out.append(untag(value))
        except (ValueError, TypeError) as error:
            raise BatchError(f"{path}, line {number}: column {name!r}: {error}") from None
    return out
