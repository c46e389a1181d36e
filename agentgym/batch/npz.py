"""TurnBatch as a compressed NumPy archive, readable with `numpy.load(allow_pickle=False)`.

`header` holds the header as UTF-8 bytes. Numbers and booleans are arrays under their column's name; the rest are
several arrays `name.part`: lists `flat` and `offsets` (matrices also `shapes`); texts and ids `codes` into a table of
distinct spellings (`bytes`, `ends`), ids spelled as JSON; lists of texts the same with `offsets`; components `values`
and `present`, with a table of their names.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Sequence
from itertools import chain, pairwise
from os import PathLike
from tokenize import TokenError
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agentgym.batch.columns import COLUMNS
from agentgym.batch.files import dump, header, load, plain, read_header, replacing, untag
from agentgym.batch.index import factorise
from agentgym.batch.inputs import BatchError
from agentgym.batch.ragged import FloatMaps, Ragged

if TYPE_CHECKING:
    from agentgym.batch.record import TurnBatch

Arrays = dict[str, NDArray[Any]]
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, ValueError, LookupError, TypeError, OSError, EOFError, RuntimeError,
    ArithmeticError, AttributeError, TokenError, SyntaxError, MemoryError,
)  # fmt: skip
"""What numpy raises of members that are no arrays, or whose headers are no literals, among it."""


def write(batch: TurnBatch, path: str | PathLike[str]) -> None:
    """See TurnBatch.to_npz."""
    arrays: Arrays = {"header": _bytes(header(batch.columns, len(batch), batch.meta).encode())}
    for name in batch.columns:
        arrays.update({name + part: array for part, array in _pack(batch, name).items()})
    with replacing(path) as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # names of columns are no options of it


def _pack(batch: TurnBatch, name: str) -> Arrays:
    values, kind = batch[name], COLUMNS[name].kind
    if isinstance(values, Ragged):
        arrays = {".flat": values.flat, ".offsets": values.offsets}
        return arrays if values.shapes is None else {**arrays, ".shapes": values.shapes}
    if isinstance(values, FloatMaps):
        arrays = (
            {".values": values.values}
            if values.present is None
            else {".values": values.values, ".present": values.present}
        )
        return {**arrays, **_table(values.names)}
    if kind == "id":
        return _table(list(map(dump, plain(batch, name))))
    if kind == "strs":
        ends = np.cumsum([0, *map(len, values)])
        return {**_table(list(chain.from_iterable(values))), ".offsets": ends}
    return _table(values.tolist()) if kind == "str" else {"": values}


def _bytes(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, np.uint8)


def _table(texts: Sequence[str]) -> Arrays:
    distinct = [text.encode("utf-8", "surrogatepass") for text in dict.fromkeys(texts)]
    ends = np.cumsum([0, *map(len, distinct)])
    return {".bytes": _bytes(b"".join(distinct)), ".ends": ends, ".codes": factorise(texts)[0]}


def read(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return columns and meta of a file; see TurnBatch.from_npz."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            if isinstance(archive, np.ndarray) or "header" not in archive:
                raise BatchError(f"{path}: no archive of a TurnBatch")
            head = read_header(archive["header"].tobytes(), str(path))
            return {name: _unpack(archive, name) for name in head["columns"]}, head["meta"]
    except (FileNotFoundError, BatchError):
        raise
    except _DAMAGED as error:
        raise BatchError(f"{path}: no archive of a TurnBatch, or a damaged one ({str(error)[:100]})") from None


def _unpack(archive: Any, name: str) -> Any:
    kind = COLUMNS[name].kind
    if kind in ("int", "float", "bool"):
        return archive[name]
    if kind == "dict":
        present = archive.get(name + ".present")
        return FloatMaps(tuple(_texts(archive, name)), archive[name + ".values"], present).tolist()
    if kind == "id":
        return [untag(load(text, f"column {name!r}")) for text in _texts(archive, name)]
    if kind == "str":
        return _texts(archive, name)
    if kind == "strs":
        texts = _texts(archive, name)
        return [texts[begin:end] for begin, end in pairwise(archive[name + ".offsets"].tolist())]
    shapes = archive[name + ".shapes"] if kind == "matrix" else None
    return Ragged(archive[name + ".flat"], archive[name + ".offsets"], shapes)


def _texts(archive: Any, name: str) -> list[str]:
    data = archive[name + ".bytes"].tobytes()
    ends = archive[name + ".ends"].tolist()
    table = [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(ends)]
    return [table[code] for code in archive[name + ".codes"].tolist()]
