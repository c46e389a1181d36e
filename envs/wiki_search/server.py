"""One library for many trainers: a server of Search-R1's /retrieve, in one thread and with bounds on everything.

A connection that sends nothing costs no thread, and where there are too many, the one that has waited longest makes
room. A search runs in the loop itself, one query after another, and others get their turn between two of them; for more
than one processor there are workers (`serving.serve`). Nobody is asked who they are: listen where only friends reach.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentgym.envs.wiki_search.http1 import Gone, Head, as_json, read_body, read_head, reply
from agentgym.envs.wiki_search.library import Hit, Library
from agentgym.envs.wiki_search.protocol import (
    CONTENT,
    HEALTH,
    RETRIEVE,
    TITLED,
    Asked,
    Refused,
    document,
    read_asked,
    read_titles,
)

GRACE: Final = 5.0
"""Seconds that requests have which are being answered when the server stops."""
QUIET: Final = 60.0
"""Seconds before it is said again that connections cannot be taken."""
_MOMENT: Final = 0.05
LINGER: Final = 1.0
PART: Final = 65_536


@dataclass(frozen=True, slots=True)
class Bounds:
    """Seconds for the next request to begin, for it to arrive once begun, for its answer to be taken; connections."""

    idle: float = 75.0
    arrive: float = 20.0
    take: float = 20.0
    connections: int = 512


BOUNDS: Final = Bounds()
NO_HEADERS: Final[Mapping[str, str]] = {}


class Server:
    """Answers the connections of a listening socket until it is told to stop.

    Args:
        library: what is searched.
        retriever: what /health calls its ranking.
        say: told what went wrong inside, if something does.
        bounds: of connections and time.
    """

    def __init__(
        self,
        library: Library,
        retriever: str,
        say: Callable[[str], None] = lambda text: None,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self._library, self._say, self._bounds = library, say, bounds
        self._content = library.content
        facts = {"content": library.content, "passages": library.size, "retriever": retriever}
        self._health = as_json({"status": "ok", **facts})
        self._open: set[asyncio.Task[None]] = set()
        self._waiting: dict[asyncio.WriteTransport, asyncio.Task[Any]] = {}  # for a request, longest first
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """Take no more connections, finish what is being answered, and return from `run`. Call it in the loop."""
        self._stop.set()

    async def run(self, listening: socket.socket) -> None:
        """Serve until `stop`; the socket stays open."""
        listening.setblocking(False)
        accepting = asyncio.create_task(self._accept(listening))
        await self._stop.wait()
        accepting.cancel()
        await asyncio.wait([accepting])
        for transport in list(self._waiting):
            transport.abort()
        if self._open:
            await asyncio.wait(self._open, timeout=GRACE)
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        quiet = loop.time()
        while True:
            while len(self._open) >= self._bounds.connections:
                await self._make_room()
            try:
                connection, _ = await loop.sock_accept(listening)
            except ConnectionError:  # it went away again before it was taken
                continue
            except OSError as error:  # no more files, or no memory: fewer connections help
                if loop.time() >= quiet:
                    self._say(f"no connection can be taken ({error.strerror or error}): some that wait make room")
                    quiet = loop.time() + QUIET
                await self._make_room()
                continue
            task = loop.create_task(self._talk(connection))
            self._open.add(task)
            task.add_done_callback(self._open.discard)

    async def _make_room(self) -> None:
        """Close the connection that has waited longest for a request, and let others run."""
        oldest = next(iter(self._waiting), None)
        if oldest is None:  # all are being answered
            await asyncio.sleep(_MOMENT)
            return
        task = self._waiting.pop(oldest)
        oldest.abort()
        await asyncio.wait([task], timeout=_MOMENT)

    async def _talk(self, connection: socket.socket) -> None:
        """Answer the requests of a connection one after another."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None
        reader = asyncio.StreamReader(PART, loop)
        protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
        transport, _ = await loop.connect_accepted_socket(lambda: protocol, connection)
        transport.set_write_buffer_limits(0)  # what was drained has left
        writer = asyncio.StreamWriter(transport, protocol, reader, loop)
        try:
            while await self._exchange(task, reader, writer):
                pass
        except (Gone, OSError):
            pass  # nobody is there to be told
        finally:
            self._waiting.pop(transport, None)
            transport.abort()

    async def _exchange(
        self, task: asyncio.Task[Any], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request; return whether the connection is kept for another."""
        self._waiting[writer.transport] = task
        try:
            head, body = await self._request(reader, writer)
        except Refused as refused:  # what is still to come of it is not waited for
            await self._reply(writer, refused.status, _detail(refused), False, refused.headers)
            await _linger(reader, writer)
            return False
        self._waiting.pop(writer.transport, None)
        status = 200
        try:
            answer = await self._answer(head.path, body, writer)
        except Refused as refused:
            status, answer = refused.status, _detail(refused)
        kept = head.kept and not self._stop.is_set()
        await self._reply(writer, status, answer, kept)
        return kept

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[Head, bytes]:
        """Read a request.

        Raises:
            Refused: it is none, or did not arrive in time. Gone, TimeoutError: none came.
        """
        async with asyncio.timeout(self._bounds.idle):
            begun = await reader.read(1)
        if not begun:
            raise Gone
        try:
            async with asyncio.timeout(self._bounds.arrive):
                head = await read_head(reader, begun)
                _check_route(head)
                if head.waits:
                    writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                return head, await read_body(reader, head)
        except TimeoutError:
            raise Refused(408, f"the request did not arrive within {self._bounds.arrive:g} s") from None

    async def _answer(self, path: str, body: bytes, writer: asyncio.StreamWriter) -> bytes:
        if path == HEALTH:
            return self._health
        asked = read_titles(body) if path == TITLED else read_asked(body)
        find = self._titled if path == TITLED else self._library.search
        parts = []
        for query in asked.queries:
            parts.append(self._found(find, query, asked))
            await asyncio.sleep(0)
            if writer.is_closing():
                raise Gone
        return b'{"result":[' + b",".join(parts) + b"]}"

    def _titled(self, title: str, k: int) -> list[Hit]:
        return self._library.titled(title)[:k]

    def _found(self, find: Callable[[str, int], list[Hit]], query: str, asked: Asked) -> bytes:
        try:
            return as_json([_written(hit, asked.scores) for hit in find(query, asked.k)])
        except Exception as error:  # a damaged index, or an embedder's: the next query may do
            self._say(f"a search failed: {type(error).__name__}: {error}")
            raise Refused(500, f"the search failed: {type(error).__name__}") from error

    async def _reply(
        self,
        writer: asyncio.StreamWriter,
        status: int,
        body: bytes,
        kept: bool,
        headers: Mapping[str, str] = NO_HEADERS,
    ) -> None:
        writer.write(reply(status, body, {CONTENT: self._content, **headers}, kept))
        async with asyncio.timeout(self._bounds.take):
            await writer.drain()


def _written(hit: Hit, scores: bool) -> dict[str, Any]:
    found: dict[str, Any] = dict(document(hit.key, hit.passage))
    return {"document": found, "score": hit.score} if scores else found


def _detail(refused: Refused) -> bytes:
    return as_json({"detail": str(refused)})


def _check_route(head: Head) -> None:
    """Raises Refused: nothing is there, or not by this method."""
    methods = {RETRIEVE: "POST", TITLED: "POST", HEALTH: "GET"}
    if head.path not in methods:
        raise Refused(404, f"there is nothing but POST {RETRIEVE}, POST {TITLED} and GET {HEALTH}")
    if head.method != methods[head.path]:
        raise Refused(405, f"{head.path} takes {methods[head.path]} alone", Allow=methods[head.path])


async def _linger(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass over what the other side still sends, for a moment: closed at once, it would not see the reply."""
    with contextlib.suppress(TimeoutError, ConnectionError, OSError):
        writer.write_eof()
        async with asyncio.timeout(LINGER):
            while await reader.read(PART):
                pass
