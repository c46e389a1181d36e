"""TurnBatch as a Parquet file (extra `parquet`), with native types wherever Parquet has them.

The schema's metadata carries the header under `agentgym`, with the columns that had to be spelled as JSON under `json`:
ids that are not all texts or all ints below 2**63, texts with surrogates, matrices of no rows.
"""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from agentgym.batch.columns import COLUMNS
from agentgym.batch.files import TAGGED, dump, header, load, plain, read_header, replacing, untag
from agentgym.batch.inputs import BatchError

if TYPE_CHECKING:
    from agentgym.batch.record import TurnBatch

_KEY = b"agentgym"


def _pyarrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "Parquet needs pyarrow: pip install 'agentgym-suite[parquet]', in a checkout pip install -e '.[parquet]'"
        ) from error
    return pyarrow


def write(batch: TurnBatch, path: str | PathLike[str]) -> None:
    """See TurnBatch.to_parquet."""
    pa = _pyarrow()
    types = _types(pa)
    arrays, spelled = {}, []
    for name in batch.columns:
        kind, rows = COLUMNS[name].kind, plain(batch, name)
        if _native(kind, rows):
            given = pa.int64() if kind == "id" and rows and type(rows[0]) is int else types[kind]
            rows = [list(row.items()) for row in rows] if kind == "dict" else rows
            arrays[name] = pa.array(rows, given)
        else:
            spelled.append(name)
            arrays[name] = pa.array(list(map(dump, rows)), pa.string())
    head = header(batch.columns, len(batch), batch.meta, json=spelled)
    table = pa.table(arrays).replace_schema_metadata({_KEY: head.encode()})
    with replacing(path) as file:
        pa.parquet.write_table(table, file, write_page_checksum=True)


def _types(pa: Any) -> dict[str, Any]:
    number, text = pa.float64(), pa.string()
    lists = {"strs": text, "ints": pa.int64(), "floats": number, "bools": pa.bool_(), "matrix": pa.list_(number)}
    plainly = {"id": text, "str": text, "int": pa.int64(), "float": number, "bool": pa.bool_()}
    return {**plainly, "dict": pa.map_(text, number), **{kind: pa.list_(inner) for kind, inner in lists.items()}}


def _native(kind: str, rows: list[Any]) -> bool:
    """Tell whether Parquet's own types bring every row back."""
    if kind not in TAGGED:
        return True
    if kind == "id":
        types = set(map(type, rows))
        texts = types <= {str} and _utf8(rows)
        return texts or (types == {int} and all(-(2**63) <= row < 2**63 for row in rows))
    if kind == "strs":
        return all(type(text) is str and _utf8([text]) for row in rows for text in row)
    if kind == "dict":
        return not any("$items" in row for row in rows) and _utf8([name for row in rows for name in row])
    return dict not in set(map(type, rows)) and (kind == "matrix" or _utf8(rows))


def _utf8(texts: list[str]) -> bool:
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return False
    return True


def read(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return columns and meta of a file; see TurnBatch.from_parquet."""
    pa = _pyarrow()
    try:
        with open(path, "rb") as file:
            return _columns(pa.parquet.read_table(file, page_checksum_verification=True), str(path))
    except (FileNotFoundError, BatchError):
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError) as error:
        raise BatchError(f"{path}: no Parquet file, or a damaged one ({str(error)[:100]})") from None


def _columns(table: Any, where: str) -> tuple[dict[str, Any], dict[str, Any]]:
    metadata = table.schema.metadata or {}
    if _KEY not in metadata:
        raise BatchError(f"{where}: no header of a TurnBatch; give the columns of your own table to TurnBatch(columns)")
    head = read_header(metadata[_KEY], where)
    spelled = head.get("json", [])
    columns = {}
    for name in head["columns"]:
        if name not in table.column_names:
            raise BatchError(f"{where}: the column {name!r} of the header is not in the table")
        rows = table.column(name).to_pylist()
        if name in spelled:
            rows = [untag(load(row, f"{where}: column {name!r}")) for row in rows]
        columns[name] = list(map(dict, rows)) if COLUMNS[name].kind == "dict" else rows
    return columns, head["meta"]
