"""Lines appended to a file by several threads and processes, each whole or not at all."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from io import FileIO

if sys.platform == "win32":
    import msvcrt

    def _lock(file: FileIO) -> None:
        file.seek(1 << 40)  # a byte that no reader needs
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
else:
    import fcntl

    def _lock(file: FileIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)


def read_from(path: str, start: int) -> bytes:
    """Return what a file holds from a byte on. Raises OSError."""
    with open(path, "rb") as file:
        file.seek(start)
        return file.read()


def append(path: str, line: bytes, known: Callable[[], bool]) -> None:
    """Append a line and its newline, unless it is known by then.

    A last line that was cut short, whose writer is gone, is cut off before, with a warning that names the byte.

    Args:
        path: the file; made where there is none.
        line: without its newline.
        known: asked while nobody else may write, after which the line is written where it says False.

    Raises:
        OSError: the file cannot be opened or written; the lines before are whole.
    """
    with FileIO(path, "a+") as file:  # closing it lets others write
        _lock(file)
        size = _sealed(file, path)
        if known():
            return
        rest = memoryview(line + b"\n")
        try:
            while rest:
                rest = rest[file.write(rest) or 0 :]
        except OSError:
            file.truncate(size)
            raise


def _sealed(file: FileIO, path: str) -> int:
    """Make the file end with a whole line; return its size then."""
    size = os.fstat(file.fileno()).st_size
    end = size
    while end > 0:
        start = max(0, end - (1 << 16))
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            end = start + found + 1
            break
        end = start
    if end < size:
        file.truncate(end)
        warnings.warn(f"{path}: cut off {size - end} bytes of an unfinished line at byte {end}", stacklevel=4)
    return end
