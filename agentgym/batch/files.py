"""What the file formats share: whole files, the header, and a JSON spelling of every value."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from threading import get_ident
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from agentgym.batch.columns import COLUMNS, REQUIRED
from agentgym.batch.inputs import BatchError, place
from agentgym.batch.ragged import FloatMaps, Ragged
from agentgym.errors import unknown

if TYPE_CHECKING:
    from agentgym.batch.record import TurnBatch

SCHEMA = "agentgym.TurnBatch/1"
TAGGED = ("id", "str", "strs", "dict", "matrix")  # kinds whose values may be tagged in a file
_JOINED = re.compile("[\ud800-\udbff][\udc00-\udfff]")  # two surrogates that JSON would read back as one character


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Yield a file that takes the place of `path` when the block ends without an error, and vanishes otherwise."""
    target = Path(path)
    draft = target.with_name(f".{target.name}.{os.getpid()}-{get_ident()}.tmp")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def header(columns: tuple[str, ...], rows: int, meta: Mapping[str, Any], **more: Any) -> str:
    """Return the JSON text that every file starts with or carries along."""
    return dump({"schema": SCHEMA, "columns": list(columns), "rows": rows, "meta": tag(meta), **more})


def read_header(text: str | bytes, where: str) -> dict[str, Any]:
    """Return the header of a file. Raises BatchError for no header, another schema, unknown or missing columns."""
    head = load(text, where)
    if not isinstance(head, dict) or "schema" not in head:
        raise BatchError(f"{where}: no header of a TurnBatch; rows of your own go through TurnBatch.from_rows")
    if head["schema"] != SCHEMA:
        raise BatchError(f"{where}: the file has schema {head['schema']!r}, this version reads {SCHEMA!r} only")
    if not isinstance(head.get("columns"), list) or not isinstance(head.get("rows"), int):
        raise BatchError(f"{where}: the header does not say its columns and rows")
    for name in map(str, head["columns"]):
        if name not in COLUMNS:
            raise BatchError(f"{where}: {unknown('column', name, COLUMNS)}")
    for name in REQUIRED:
        if name not in head["columns"]:
            raise BatchError(f"{where}: the file lacks the required column {name!r} ({COLUMNS[name].about})")
    try:
        head["meta"] = untag(head.get("meta", {}))
    except (ValueError, TypeError) as error:
        raise BatchError(f"{where}: meta: {error}") from None
    if not isinstance(head["meta"], dict):
        raise BatchError(f"{where}: meta must be an object")
    return head


@contextmanager
def reading(path: str | os.PathLike[str], first_line: int | None = None) -> Iterator[None]:
    """Put the path, and the line where rows lie one a line, before the message of a BatchError."""
    try:
        yield
    except BatchError as error:
        line = "" if error.row is None or first_line is None else f", line {error.row + first_line}"
        raise BatchError(f"{path}{line}: {error}", error.row) from None


def plain(batch: TurnBatch, name: str) -> list[Any]:
    """Return a column as values that JSON holds, tagged where it must be. Raises BatchError for other ids."""
    values, kind = batch[name], COLUMNS[name].kind
    rows: list[Any] = values.tolist()
    if isinstance(values, Ragged) and values.shapes is not None:
        shapes = values.shapes.tolist()
        return [row if row or not shape[1] else {"$shape": shape} for row, shape in zip(rows, shapes, strict=True)]
    if kind not in TAGGED:
        return rows
    rows = list(map(list, rows)) if kind == "strs" else rows
    if _simple(values, rows, kind):
        return rows
    for number, row in enumerate(rows):
        try:
            rows[number] = tag(row)
        except TypeError as error:
            raise BatchError(f"{place(batch, number)[0]}: column {name!r}: {error}", number) from None
    return rows


def _simple(values: Any, rows: list[Any], kind: str) -> bool:
    """Tell whether JSON brings every row back without tags."""
    if isinstance(values, FloatMaps):
        return encodable(values.names) and not any(name.startswith("$") for name in values.names)
    texts = chain.from_iterable(rows) if kind == "strs" else rows
    if kind == "id":
        return set(map(type, rows)) <= {str, int, float, bool} and encodable(row for row in rows if type(row) is str)
    return encodable(texts)


def encodable(texts: Iterable[str]) -> bool:
    """Tell whether all texts are UTF-8, which those with surrogates are not."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True


def dump(value: Any) -> str:
    """Return compact ASCII JSON; not-a-number is refused."""
    return json.dumps(value, allow_nan=False, separators=(",", ":"))


def load(text: str | bytes, where: str) -> Any:
    """Return the value of a JSON text in UTF-8. Raises BatchError naming the place of anything that is not JSON."""
    try:
        return json.loads(text.decode() if isinstance(text, bytes) else text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise BatchError(f"{where}: not a JSON value ({str(error)[:100]})") from None


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not a number that a record can hold")


def tag(value: Any) -> Any:
    """Return a JSON value from which `untag` makes the same value again: tuples, bytes and every text survive.

    Raises:
        TypeError: an id of another type than str, int, float, bool, bytes, or tuples of them.
    """
    if type(value) is str:
        return {"$utf8": value.encode("utf-8", "surrogatepass").hex()} if _JOINED.search(value) else value
    if value is None or type(value) in (int, float, bool):
        return value
    if type(value) is tuple:
        return {"$tuple": [tag(part) for part in value]}
    if type(value) is bytes:
        return {"$bytes": value.hex()}
    if isinstance(value, list):
        return [tag(part) for part in value]
    if isinstance(value, dict):
        if any(key.startswith("$") or _JOINED.search(key) for key in value):
            return {"$items": [[tag(key), tag(part)] for key, part in value.items()]}
        return {key: tag(part) for key, part in value.items()}
    raise TypeError(
        f"files hold ids that are str, int, float, bool, bytes or tuples of them, not {type(value).__name__}"
    )


def untag(value: Any) -> Any:
    """Undo `tag`. Raises ValueError or TypeError for tags that it never writes."""
    if isinstance(value, list):
        return [untag(part) for part in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (key, inner), *_ = value.items()
        if key == "$utf8":
            return bytes.fromhex(inner).decode("utf-8", "surrogatepass")
        if key == "$bytes":
            return bytes.fromhex(inner)
        if key == "$tuple":
            return tuple(untag(part) for part in inner)
        if key == "$items":
            return {untag(name): untag(part) for name, part in inner}
        if key == "$shape":
            rows, columns = inner
            if rows != 0 or type(columns) is not int or not 0 <= columns < 2**31:
                raise ValueError(f"$shape is for matrices of no rows, not {inner}")
            return np.zeros((0, columns))
    return {name: untag(part) for name, part in value.items()}
