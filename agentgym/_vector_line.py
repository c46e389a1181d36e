"""Line: whole messages over a socket between a GroupVectorEnv and one of its processes, with an end to each wait."""

from __future__ import annotations

import socket
from multiprocessing.reduction import ForkingPickler
from struct import Struct
from time import monotonic
from typing import Any

_HEAD = Struct(">QQ")
_CHUNK = 1 << 18


class LineClosed(Exception):
    """The other side has gone."""


def packed(message: Any) -> bytes:
    """Return a message as it is sent; both sides are processes of one program. Raises whatever pickling raises."""
    return bytes(ForkingPickler.dumps(message))


def unpacked(data: bytes) -> Any:
    """Return the message in what was sent. Raises whatever reading it raises."""
    return ForkingPickler.loads(data)


class Line:
    """One side of a line. Each message has a number: a question's own, and that of the question in an answer.

    Args:
        sock: a connected socket, which is the line's own from here on.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._got = bytearray()

    def fileno(self) -> int:
        """Return the socket's number, for whoever waits for several lines."""
        return self._sock.fileno()

    def send(self, number: int, data: bytes, end: float | None = None) -> None:
        """Send what `packed` returned.

        Raises:
            LineClosed: the other side has gone.
            TimeoutError: the other side did not take it before `end`, a time of `monotonic()`.
        """
        try:
            for part in (_HEAD.pack(number, len(data)), data):
                self._sock.settimeout(None if end is None else max(1e-3, end - monotonic()))
                self._sock.sendall(part)
        except TimeoutError:
            raise
        except OSError as error:
            raise LineClosed(str(error)) from None

    def receive(self) -> tuple[int, bytes]:
        """Wait for the next message and its number. Raises LineClosed."""
        self._sock.settimeout(None)
        while (message := self._whole()) is None:
            self._read()
        return message

    def take(self) -> tuple[int, bytes] | None:
        """Return the same if all of it is here, having read what is there without waiting. Raises LineClosed."""
        self._sock.settimeout(0.0)
        while (message := self._whole()) is None:
            try:
                self._read()
            except BlockingIOError:
                return None
        return message

    def close(self) -> None:
        """Close this side; the other one notices."""
        self._sock.close()

    def _read(self) -> None:
        try:
            read = self._sock.recv(_CHUNK)
        except BlockingIOError:
            raise
        except OSError as error:
            raise LineClosed(str(error)) from None
        if not read:
            raise LineClosed("the other side has closed it")
        self._got += read

    def _whole(self) -> tuple[int, bytes] | None:
        if len(self._got) < _HEAD.size:
            return None
        number, length = _HEAD.unpack_from(self._got)
        end = _HEAD.size + length
        if len(self._got) < end:
            return None
        message = bytes(self._got[_HEAD.size : end])
        del self._got[:end]
        return number, message
