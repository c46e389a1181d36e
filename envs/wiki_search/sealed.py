"""Sealed folders: arrays on disk, read through memory maps, that open whole or not at all.

A sealed folder holds one file an array and, written last, `manifest.json`: the kind of the folder, its facts, and the
size and hash of every file. Without a manifest nothing opens, so a process that is killed while it writes leaves
nothing that could be taken for a finished index. Opening reads the manifest and the checksums of the blocks; a block of
an array is checked when it is first read, so a damaged byte is named before any answer rests on it.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar
from zlib import crc32

import numpy as np

from agentgym.errors import DataError

MANIFEST: Final = "manifest.json"
CHECKS: Final = "checks.bin"
BLOCK: Final = 1 << 16
"""Bytes that one checksum covers."""
FORMAT: Final = 1

if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class _Opened(Protocol):
    folder: Path
    content: str


Opened = TypeVar("Opened", bound=_Opened)


class Busy(DataError):
    """Another process is building in a folder."""


class Unwritable(DataError):
    """A folder cannot be written."""


class Array:
    """A one-dimensional array in a file, mapped into memory and never changed.

    Args:
        path: the file.
        dtype: of its values, with the byte order.
        size: the bytes that it must have.
        checks: the CRC-32 of each block.
        remedy: what to do about damage.

    Raises:
        DataError: the file is missing or has another size.
    """

    def __init__(self, path: Path, dtype: str, size: int, checks: np.ndarray, remedy: str) -> None:
        self._path, self._checks, self._remedy = path, checks, remedy
        try:
            with open(path, "rb") as file:
                found = os.fstat(file.fileno()).st_size
                if found != size:
                    raise DataError(f"{path} has {found} bytes instead of {size}: {remedy}")
                self._bytes: Any = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        except OSError as error:
            raise DataError(f"{path} cannot be read ({_reason(error)}): {remedy}") from error
        self._values: np.ndarray = np.frombuffer(self._bytes, dtype=dtype)
        self._width = self._values.itemsize
        self._new = bytearray(b"\1") * len(checks)  # 1: this block was not checked yet

    def __len__(self) -> int:
        return len(self._values)

    def part(self, start: int, stop: int) -> np.ndarray:
        """Return values [start, stop) as a read-only view. Raises DataError: a block of them is damaged."""
        width = self._width
        first, last = start * width // BLOCK, -(-stop * width // BLOCK)
        block = self._new.find(1, first, last)
        while block >= 0:
            self._check(block)
            block = self._new.find(1, block + 1, last)
        return self._values[start:stop]

    def whole(self) -> np.ndarray:
        """Return all values. Raises DataError: a block is damaged."""
        return self.part(0, len(self._values))

    def _check(self, block: int) -> None:
        if crc32(self._bytes[block * BLOCK : (block + 1) * BLOCK]) != self._checks[block]:
            raise DataError(f"{self._path} is damaged in the {BLOCK} bytes from {block * BLOCK} on: {self._remedy}")
        self._new[block] = 0


class Sealed:
    """A sealed folder that was opened.

    Attributes:
        folder: where it is, absolute.
        facts, notes: what its maker wrote about it and about how it came about.
        content: 128-bit BLAKE2b, 32 hex digits, of kind, facts and the bytes of all arrays.

    Args:
        folder: where it is.
        kind: what it must be, such as "bm25".
        remedy: the command or call that makes it anew, for messages.

    Raises:
        DataError: it is missing, half-written, damaged, or of another kind or version; the message names file and
            remedy.
    """

    def __init__(self, folder: str | os.PathLike[str], kind: str, remedy: str) -> None:
        self.folder, self._remedy = Path(folder).absolute(), remedy
        held = _manifest(self.folder, kind, remedy)
        self.facts: Mapping[str, Any] = held["facts"]
        self.notes: Mapping[str, Any] = held["notes"]
        self.content: str = held["content"]
        checks = self._checks(held["checks"])
        self._arrays: dict[str, Array] = {}
        place = 0
        for name, file in held["arrays"].items():
            blocks = -(-file["bytes"] // BLOCK)
            part = checks[place : place + blocks]
            self._arrays[name] = Array(self.folder / name, file["dtype"], file["bytes"], part, remedy)
            place += blocks

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def verify(self) -> None:
        """Read every byte of every array. Raises DataError: the first damaged block, by name."""
        for array in self._arrays.values():
            array.whole()

    def _checks(self, expected: str) -> np.ndarray:
        path = self.folder / CHECKS
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise DataError(f"{path} cannot be read ({_reason(error)}): {self._remedy}") from error
        if _hash(raw) != expected:
            raise DataError(f"{path} is damaged: {self._remedy}")
        return np.frombuffer(raw, dtype="<u4")


def same(opened: Opened, content: str) -> Opened:
    """Return what was opened for a copy. Raises DataError: it has another content than what the copy was made of."""
    if opened.content != content:
        other = "was built anew since this copy was made, and holds something else"
        raise DataError(f"{opened.folder} {other}: make the world or the library anew")
    return opened


def stamp(folder: str | os.PathLike[str]) -> object:
    """Return what differs when the folder was sealed anew; None while it is not sealed."""
    try:
        state = os.stat(os.path.join(folder, MANIFEST))
    except (OSError, ValueError):  # a NUL in the path is a ValueError
        return None
    return state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns


def clear(folder: Path) -> None:
    """Make the folder if it is missing, and take away what was sealed in it: the manifest first, then its arrays.

    Files are unlinked, not cut, so whoever has them mapped keeps reading what they held.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in (MANIFEST, CHECKS):
        (folder / name).unlink(missing_ok=True)
    for file in sorted(folder.glob("*.array")):
        file.unlink()


def seal(
    folder: Path,
    kind: str,
    facts: Mapping[str, Any],
    arrays: Mapping[str, str],
    notes: Mapping[str, Any] | None = None,
    sync: bool = True,
) -> str:
    """Seal a folder whose arrays are written, and return its content hash.

    Args:
        folder: where the files are.
        kind: what it is.
        facts: JSON values about it; equal facts and arrays give an equal hash.
        arrays: file name, ending in ".array" → dtype with the byte order.
        notes: JSON values about how it came about, which the hash does not cover.
        sync: wait until the disk has it all, so that a machine that stops leaves it whole or not at all.
    """
    checks: list[int] = []
    files: dict[str, dict[str, Any]] = {}
    digest = blake2b(_json([kind, FORMAT, dict(facts)]), digest_size=16)
    for name, dtype in arrays.items():
        size = 0
        with open(folder / name, "rb") as file:
            digest.update(_json([name, dtype, os.fstat(file.fileno()).st_size]))
            while block := file.read(BLOCK):
                checks.append(crc32(block))
                digest.update(block)
                size += len(block)
            if sync:
                os.fsync(file.fileno())
        files[name] = {"dtype": dtype, "bytes": size}
    raw = np.array(checks, dtype="<u4").tobytes()
    _write(folder / CHECKS, raw, sync)
    held = {
        "kind": kind,
        "format": FORMAT,
        "facts": dict(facts),
        "notes": dict(notes or {}),
        "content": digest.hexdigest(),
        "checks": _hash(raw),
        "arrays": files,
    }
    _write(folder / MANIFEST, json.dumps({"hash": _hash(_json(held)), **held}, indent=1).encode() + b"\n", sync)
    return digest.hexdigest()


@contextmanager
def builder(folder: Path) -> Iterator[None]:
    """Keep other builders out of a folder; the lock goes with the process.

    Raises:
        Busy: another process is building there. Unwritable: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise Unwritable(f"{folder} cannot be written ({_reason(error)}): choose another folder") from error
    try:
        try:
            _take(handle)
        except OSError:
            raise Busy(f"another process writes into {folder}: wait for it, or choose another folder") from None
        yield
    finally:
        os.close(handle)


def _manifest(folder: Path, kind: str, remedy: str) -> dict[str, Any]:
    path = folder / MANIFEST
    if not os.path.isdir(folder):  # unlike Path.is_dir, it takes every path
        raise DataError(f"{folder} is no folder: {remedy}")
    try:
        held = json.loads(path.read_bytes())
        claimed = held.pop("hash")
        whole = claimed == _hash(_json(held))
    except FileNotFoundError:
        half = " is half-written: it" if _holds_any(folder) else ""
        raise DataError(f"{folder}{half} has no {MANIFEST}: {remedy}") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read ({_reason(error)}): {remedy}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        whole, held = False, {}
    if not whole:
        raise DataError(f"{path} is damaged or no manifest of agentgym: {remedy}")
    if (held["kind"], held["format"]) != (kind, FORMAT):
        found = f"{held['kind']!r} of format {held['format']}"
        raise DataError(f"{folder} holds {found}, not {kind!r} of format {FORMAT}: {remedy}")
    return dict(held)


def _holds_any(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:  # it may be looked into, but not listed
        return False


def _write(path: Path, data: bytes, sync: bool) -> None:
    """Write a file whole or not at all."""
    made = path.with_name(f".{path.name}.new")
    with open(made, "wb") as file:
        file.write(data)
        file.flush()
        if sync:
            os.fsync(file.fileno())
    os.replace(made, path)


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _hash(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
