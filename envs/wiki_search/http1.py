"""Requests of HTTP/1.1, read within bounds: lines, headers and bodies of no more than so many bytes.

What is refused names its status: 400 for what is no such request, 411 for a body of unknown length, 413 for one that is
too long, 414 and 431 for lines and headers that are, 505 for another version.
"""

from __future__ import annotations

import itertools
import json
import re
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from agentgym.envs.wiki_search.protocol import MOST_BODY, Refused

MOST_LINE: Final = 8192
MOST_HEAD: Final = 32_768
MOST_HEADERS: Final = 64
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LENGTH: Final = re.compile(r"[0-9]{1,4000}")


class Gone(Exception):
    """The other side closed the connection, in the middle of a request or before one."""


@dataclass(frozen=True, slots=True)
class Head:
    """A request without its body: method, path without a query, headers by lower-case name, length of the body."""

    method: str
    path: str
    version: str
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int = 0

    @property
    def kept(self) -> bool:
        """Whether the connection stays open for another request."""
        said = self.headers.get("connection", "").lower()
        return "close" not in said and (self.version == "HTTP/1.1" or "keep-alive" in said)

    @property
    def waits(self) -> bool:
        """Whether the body comes only after a word of ours."""
        return self.headers.get("expect", "").lower() == "100-continue" and self.length > 0


async def read_head(reader: StreamReader, begun: bytes) -> Head:
    """Read a request up to its body, all but its first bytes, which were read before.

    Raises:
        Refused: it is none, or too long. Gone: the connection ended.
    """
    line, size = "", 0
    while not line and size < MOST_LINE:  # empty lines before a request are passed over
        line, size = await _line(reader, 414, size, begun)
        begun = b""
    method, path, version = _request_line(line)
    headers: dict[str, str] = {}
    for count in itertools.count(1):
        line, size = await _line(reader, 431, size)
        if not line:
            break
        if size > MOST_HEAD or count > MOST_HEADERS:
            raise Refused(431, f"the headers are more than {MOST_HEADERS}, or longer than {MOST_HEAD} bytes together")
        name, colon, value = line.partition(":")
        if not colon or not _NAME.fullmatch(name):
            raise Refused(400, "a header is no name, colon and value")
        name = name.lower()
        if name in headers and name in ("content-length", "transfer-encoding"):
            raise Refused(400, f"{name} is given twice")
        headers[name] = value.strip(" \t")
    return Head(method, path, version, headers, _length(method, headers))


async def _line(reader: StreamReader, status: int, before: int, begun: bytes = b"") -> tuple[str, int]:
    """Return a line without its end, and how many bytes were read so far."""
    try:
        raw = begun if begun.endswith(b"\n") else begun + await reader.readuntil(b"\n")
    except LimitOverrunError:
        raise Refused(status, f"a line is longer than {MOST_LINE} bytes") from None
    except (IncompleteReadError, ConnectionError):
        raise Gone from None
    if len(raw) > MOST_LINE:
        raise Refused(status, f"a line is longer than {MOST_LINE} bytes")
    return raw.rstrip(b"\r\n").decode("latin-1"), before + len(raw)


def _request_line(line: str) -> tuple[str, str, str]:
    parts = line.split(" ")
    if len(parts) != 3 or not _NAME.fullmatch(parts[0]) or not parts[2].startswith("HTTP/"):
        raise Refused(400, "this is no request of HTTP/1.1")
    method, target, version = parts
    if version not in ("HTTP/1.1", "HTTP/1.0"):
        raise Refused(505, "only HTTP/1.1 and HTTP/1.0 are spoken here")
    if target.startswith("http://"):  # the form for proxies
        target = "/" + target[len("http://") :].partition("/")[2]
    return method, target.partition("?")[0], version


def _length(method: str, headers: Mapping[str, str]) -> int:
    said = headers.get("content-length")
    if "transfer-encoding" in headers:
        raise Refused(400 if said is not None else 411, "a body in chunks is not taken: send it with Content-Length")
    if said is None:
        if method in ("POST", "PUT", "PATCH"):
            raise Refused(411, "a body needs Content-Length")
        return 0
    if not _LENGTH.fullmatch(said):
        raise Refused(
            413 if said.isascii() and said.isdigit() else 400, "Content-Length is no number of bytes, or far too large"
        )
    if int(said) > MOST_BODY:
        raise Refused(413, f"a body has at most {MOST_BODY} bytes: send the queries in parts")
    return int(said)


async def read_body(reader: StreamReader, head: Head) -> bytes:
    """Read the body of a request. Raises Gone: the connection ended before the body did."""
    try:
        return await reader.readexactly(head.length)
    except (IncompleteReadError, ConnectionError):
        raise Gone from None


def reply(status: int, body: bytes, headers: Mapping[str, str], kept: bool) -> bytes:
    """Return a reply with a body of JSON; whether the connection is kept is said in it."""
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"Connection: {'keep-alive' if kept else 'close'}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def as_json(value: Any) -> bytes:
    """Return a value as bytes of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
