"""A file to which whole lines are appended by one writer, whatever happens to it in between."""

from __future__ import annotations

import errno
import os
import re
import sys
import warnings
from contextlib import suppress
from io import FileIO
from pathlib import Path
from threading import Lock

from agentgym.errors import LogError
from agentgym.log.lines import parsed

if sys.platform == "win32":
    import msvcrt

    def _lock(file: FileIO) -> None:
        file.seek(1 << 40)  # a byte that no reader needs
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: FileIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_CHUNK = 1 << 20
_HEAD = b'{"schema":"agentgym.RolloutLog/'
_RUN = re.compile(rb'"run": ?\{"number": ?(\d{1,18})')  # in no text: there each quote has a backslash in front
_LONGEST_RUN = 64  # bytes of it, and more


class Appender:
    """The one writer of a log; a lock keeps others out and is gone with the process.

    Threads may share it; a process that was forked off may not.

    A last line that was cut short is cut off, with a warning that names the byte; one that only lacks its newline gets
    it.

    Attributes:
        runs: number of the next run in the file.

    Raises:
        LogError: the file cannot be opened, has another writer, or is no log.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process = os.getpid()
        self._turn = Lock()
        self.runs = 0
        try:
            self._file = FileIO(path, "a+")
        except OSError as error:
            raise LogError(f"cannot write the log {path}: {error.strerror}{_remedy(path, error)}") from error
        try:
            self._begin()
        except OSError as error:
            self._file.close()
            raise LogError(
                f"{path} cannot hold a log ({error.strerror}): choose a plain file on a local disk"
            ) from error
        except BaseException:
            self._file.close()
            raise

    def _begin(self) -> None:
        try:
            _lock(self._file)
        except (BlockingIOError, PermissionError) as error:
            raise LogError(
                f"another writer has the log {self._path} open, and two would mix their rollouts: wait for it, close "
                "its RolloutLog, or write to another file"
            ) from error
        size = os.fstat(self._file.fileno()).st_size
        self._file.seek(0)
        head = self._file.read(min(size, len(_HEAD)))
        if head != _HEAD[: len(head)]:
            raise LogError(
                f"{self._path} does not begin as a RolloutLog does, so nothing is appended to it: choose another file"
            )
        end = self._sealed(size)
        if end:
            last = self._file_from(self._newline(end - 1), end)
            record = parsed(last, f"{self._path}, byte {end - len(last)}")
            if record is not None:
                self.runs = 1 + max(record["run"]["number"], self._highest(end))  # runs may be written side by side

    def _highest(self, end: int) -> int:
        """Return the highest number of a run in the lines before byte `end`, −1 if there is none."""
        highest = -1
        for start in range(0, end, _CHUNK):
            part = self._file_from(start, min(end, start + _CHUNK + _LONGEST_RUN))
            highest = max(highest, *map(int, _RUN.findall(part)), -1)
        return highest

    def _sealed(self, size: int) -> int:
        """Make the file end with a whole line; return its size then."""
        start = self._newline(size)
        tail = self._file_from(start, size)
        if not tail:
            return size
        if parsed(tail, f"{self._path}, byte {start}") is not None:
            self.append(b"")
            return size + 1
        self._file.truncate(start)
        warnings.warn(f"{self._path}: cut off {len(tail)} bytes of an unfinished rollout at byte {start}", stacklevel=2)
        return start

    def _newline(self, end: int) -> int:
        """Return where the line begins that ends before byte `end`."""
        while end > 0:
            start = max(0, end - _CHUNK)
            found = self._file_from(start, end).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
        return 0

    def _file_from(self, start: int, end: int) -> bytes:
        self._file.seek(start)
        out = b""
        while len(out) < end - start and (more := self._file.read(end - start - len(out))):
            out += more
        return out

    def next_run(self) -> int:
        """Return the number of the run that begins now. Raises LogError."""
        self._check_process()
        with self._turn:
            self.runs += 1
            return self.runs - 1

    def append(self, line: bytes) -> None:
        """Write a line and its newline; where that fails, nothing of it stays. Raises LogError."""
        self._check_process()
        with self._turn:  # or what one thread takes back might be the line of another
            self._write(line)

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            raise LogError(
                f"the log {self._path} was opened in another process, before a fork, and two would mix their runs: "
                "write to another file here"
            )

    def _write(self, line: bytes) -> None:
        rest = memoryview(line + b"\n")
        start = os.fstat(self._file.fileno()).st_size
        whole = start + len(rest)
        try:
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        except BaseException as error:
            with suppress(OSError):
                if os.fstat(self._file.fileno()).st_size < whole:
                    self._file.truncate(start)
            if not isinstance(error, OSError):
                raise
            why = error.strerror or error
            raise LogError(f"cannot write to the log {self._path}: {why}; the lines before it are whole") from error

    def close(self) -> None:
        """Bring everything to the disk and let others write. Raises LogError."""
        if self._file.closed:
            return
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            if error.errno != errno.EINVAL:  # what is no plain file has no disk to sync
                raise LogError(f"cannot bring the log {self._path} to the disk: {error.strerror or error}") from error
        finally:
            self._file.close()


def _remedy(path: Path, error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return f" (there is no folder {str(path.parent)!r}: make it first)"
    if isinstance(error, IsADirectoryError):
        return " (name a file in it)"
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return " (choose a folder in which you may write)"
    return ""
