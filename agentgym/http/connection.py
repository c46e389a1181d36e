"""A kept connection of HTTP/1.1 on which a whole request has one deadline, however slowly its answer drips in."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and body of an answer; the body is at most one byte longer than was to be read."""

    status: int
    headers: Message
    body: bytes

    @property
    def after(self) -> float:
        """Seconds after which the server wants to be asked again; 0 where it does not say."""
        said = self.headers.get("Retry-After", "").strip()
        if said.isascii() and said.isdigit():
            return float(said[:9])
        try:  # a date is seen from the server's own clock
            wanted, now = parsedate_to_datetime(said), parsedate_to_datetime(self.headers.get("Date", ""))
            return max(0.0, (wanted - now).total_seconds())
        except (ValueError, TypeError):
            return 0.0


class Connection:
    """A connection to a server, opened when it is needed and kept.

    Attributes:
        process: the one it belongs to.
        used: whether it is open and has answered before.

    Args:
        base: scheme, host and port.
    """

    def __init__(self, base: str) -> None:
        parts = urlsplit(base)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._http = kind(parts.hostname or "", parts.port)
        self._host = parts.netloc
        self.process = os.getpid()
        self.used = False

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None,
        end: float,
        most: int,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request and return its answer.

        Args:
            method: of the request.
            path: what is asked.
            body: JSON, or none.
            end: when to give up, by time.monotonic.
            most: bytes of the answer's body that are read, and one more where there are more.
            headers: further ones, of printable ASCII.

        Raises:
            OSError: the connection failed, TimeoutError where it took too long.
            HTTPException: what came is no HTTP.
        """
        http = self._http
        http.timeout = _left(end)
        if http.sock is None:
            http.connect()
        http.sock.settimeout(_left(end))
        # At once, head and body: one packet where it fits.
        http.sock.sendall(_written(method, path, self._host, body, headers or {}))
        try:
            with _Response(http.sock, end, method=method) as response:
                response.begin()
                found = Answer(response.status, response.headers, response.read(most + 1))
                self.used = response.isclosed() and not response.will_close
        except ValueError as error:  # a chunk of less than nothing
            raise HTTPException(f"no HTTP ({error})") from error
        if not self.used:
            self.close()
        return found

    def close(self) -> None:
        """Close it; the next request opens another one."""
        self.used = False
        self._http.close()

    def __del__(self) -> None:
        self._http.close()


def _written(method: str, path: str, host: str, body: bytes | None, headers: Mapping[str, str]) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Accept-Encoding: identity", "User-Agent: agentgym"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")


class _Response(HTTPResponse):
    """A response that is read until a moment, and not longer."""

    def __init__(self, sock: Any, end: float, *given: Any, **named: Any) -> None:
        super().__init__(sock, *given, **named)
        self.fp.close()
        self.fp = io.BufferedReader(_Timed(sock, end))


class _Timed(io.RawIOBase):
    """What a socket receives; each wait is as long as what is left of the time."""

    def __init__(self, sock: Any, end: float) -> None:
        self._sock, self._end = sock, end
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(_left(self._end))
        found: int | None = self._raw.readinto(buffer)
        return found

    def close(self) -> None:
        self._raw.close()
        super().close()


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise TimeoutError("timed out")
    return left
