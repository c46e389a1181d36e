"""Raw requests, and servers that answer by a script, for the tests of the client and the server."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from agentgym.envs.wiki_search import bm25
from agentgym.envs.wiki_search.library import Local
from agentgym.envs.wiki_search.passages import Passage
from tests.corpora import SMALL, store


def library(folder: Path, passages: Sequence[Passage] = SMALL) -> Local:
    """Return passages under BM25, built in a folder."""
    held = store(folder, passages)
    bm25.build(held, folder / "bm25")
    return Local(held, bm25.open_index(folder / "bm25", held))


class Letters:
    """An embedder that counts letters."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])


def hashed(text: str) -> str:
    """Return the content of a remote library whose server says this, or has this URL and says nothing."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


def connect(url: str) -> socket.socket:
    parts = urlsplit(url)
    return socket.create_connection((parts.hostname, parts.port), timeout=10)


def request(body: bytes | str, path: str = "/retrieve", method: str = "POST", *headers: str) -> bytes:
    """Return a request with a body of known length."""
    raw = body.encode() if isinstance(body, str) else body
    lines = [f"{method} {path} HTTP/1.1", "Host: test", f"Content-Length: {len(raw)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + raw


def answer(connection: socket.socket) -> tuple[int, dict[str, str], Any]:
    """Read one reply: status, headers, the value of its JSON. Raises EOFError: the other side closed before its end."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):  # byte by byte: what follows is the next reply's
        head += _more(connection, 1)
    lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:-2])
    body = b""
    while len(body) < int(headers["Content-Length"]):
        body += _more(connection, int(headers["Content-Length"]) - len(body))
    return int(lines[0].split(" ")[1]), headers, json.loads(body)


def _more(connection: socket.socket, most: int = 65_536) -> bytes:
    part = connection.recv(most)
    if not part:
        raise EOFError
    return part


def ask(url: str, raw: bytes) -> tuple[int, dict[str, str], Any]:
    """Send bytes on a connection of their own and return the reply."""
    with connect(url) as connection:
        connection.sendall(raw)
        return answer(connection)


def ok(body: bytes | str, *headers: str) -> bytes:
    """Return a reply with a body of known length."""
    raw = body.encode() if isinstance(body, str) else body
    return "\r\n".join(["HTTP/1.1 200 OK", f"Content-Length: {len(raw)}", *headers]).encode() + b"\r\n\r\n" + raw


def failed(status: int, *headers: str) -> bytes:
    """Return a reply of another status than 200."""
    lines = [f"HTTP/1.1 {status} No", "Content-Length: 4", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\nbusy"


def found(*hits: tuple[str, float]) -> str:
    """Return the body of an answer to one query."""
    return json.dumps({"result": [[{"document": {"contents": text}, "score": score} for text, score in hits]]})


Script = Callable[[socket.socket, bytes], object]


@contextmanager
def scripted(*scripts: Script | bytes) -> Iterator[tuple[str, list[bytes]]]:
    """Run a server that meets each request with the next of its scripts; gives its URL and the requests that came.

    A script is the bytes of a reply, or a function of the connection and the request; it closes the connection if it
    shall not be kept. After the last script the server is gone.
    """
    asked: list[bytes] = []
    left = list(scripts)
    listening = socket.create_server(("127.0.0.1", 0))
    port, taken = listening.getsockname()[1], list[socket.socket]()

    def serve() -> None:
        while left:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            taken.append(connection)
            with connection:
                while left and connection.fileno() >= 0 and (raw := _whole(connection)):
                    asked.append(raw)
                    script = left.pop(0)
                    if isinstance(script, bytes):
                        connection.sendall(script)
                    else:
                        script(connection, raw)
        listening.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}", asked
    finally:
        left.clear()
        for held in (listening, *taken):  # wakes whoever waits for them
            with suppress(OSError):
                held.shutdown(socket.SHUT_RDWR)
        thread.join(10)
        listening.close()


def _whole(connection: socket.socket) -> bytes:
    """Read one request; b"" at the end of the connection."""
    connection.settimeout(10)
    raw = b""
    try:
        while b"\r\n\r\n" not in raw:
            raw += _more(connection)
        head, _, body = raw.partition(b"\r\n\r\n")
        lengths = [line[16:] for line in head.decode().split("\r\n") if line.startswith("Content-Length: ")]
        while lengths and len(body) < int(lengths[0]):
            body += _more(connection)
    except (EOFError, OSError):
        return b""
    return head + b"\r\n\r\n" + body
