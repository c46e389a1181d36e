"""Where a server runs: in a thread beside the caller, or as processes of their own until a signal ends them."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any, Final

from agentgym.envs.wiki_search.library import Library, RetrieverError
from agentgym.envs.wiki_search.server import BOUNDS, GRACE, Bounds, Server

BACKLOG: Final = 512
MOST_WORKERS: Final = 256
MOST_DEATHS: Final = 10
"""Workers that may die within `DEATHS_WITHIN` seconds before it is given up to replace them."""
DEATHS_WITHIN: Final = 60.0
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_EVERY: Final = 0.1


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Args:
        host: a name or address of this machine, "0.0.0.0" or "::" for all of them.
        port: 0 for any that is free.

    Raises:
        ValueError: the port is in use, not allowed or no port, or the host is not this machine.
    """
    if type(port) is not int or not 0 <= port < 65_536:
        raise ValueError(f"port must be from 0 to 65535, not {port!r:.60}")
    try:
        family, *_, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server((str(place[0]), port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"port {port} of {host} is in use: stop what listens there, or take another") from error
        raise ValueError(f"cannot listen on port {port} of {host!r} ({error}): take another") from error


def address(listening: socket.socket) -> str:
    """Return the URL that a listening socket answers on."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


@contextlib.contextmanager
def running(library: Library, retriever: str = "bm25", port: int = 0, bounds: Bounds = BOUNDS) -> Iterator[str]:
    """Serve a library in a thread of this process, for this machine alone, while the block runs.

    Args:
        library: what is searched.
        retriever: what /health calls its ranking.
        port: as `listen` takes it.
        bounds: of connections and time.

    Yields:
        The URL.

    Raises:
        ValueError: as `listen`.
    """
    server = Server(library, retriever, bounds=bounds)
    begun: Future[asyncio.AbstractEventLoop] = Future()

    async def serve_it() -> None:
        begun.set_result(asyncio.get_running_loop())
        await server.run(listening)

    with listen("127.0.0.1", port) as listening:
        thread = threading.Thread(target=lambda: asyncio.run(serve_it()), name="agentgym-retrieve", daemon=True)
        thread.start()
        loop = begun.result()
        try:
            yield address(listening)
        finally:
            loop.call_soon_threadsafe(server.stop)
            thread.join()


def serve(library: Library, retriever: str, host: str, port: int, workers: int, say: Callable[[str], None]) -> None:
    """Serve a library until SIGTERM or SIGINT; what is being answered then is finished.

    Several workers are processes forked from this one, which share the mapped passages and take connections from one
    socket. One that dies is replaced.

    Args:
        library: what is searched.
        retriever: what /health calls its ranking.
        host: as `listen` takes it.
        port: as `listen` takes it.
        workers: how many processes answer.
        say: told the address once it listens, and what goes wrong.

    Raises:
        ValueError: as `listen`; less than one worker, or more than one where processes cannot be forked.
        RetrieverError: the workers die again and again.
    """
    if type(workers) is not int or not 1 <= workers <= MOST_WORKERS:
        raise ValueError(f"workers must be from 1 to {MOST_WORKERS}, not {workers!r:.60}")
    if workers > 1 and not hasattr(os, "fork"):
        raise ValueError("this system cannot fork: serve with 1 worker")

    def make() -> Server:
        return Server(library, retriever, say)

    with listen(host, port) as listening:
        size = f"{library.size} passages by {retriever}, content {library.content}"
        many = f", {workers} workers" if workers > 1 else ""
        said = f"{address(listening)}/retrieve: {size}{many}; Ctrl-C ends it"
        if workers == 1:
            asyncio.run(_until_told(make, listening, lambda: say(said)))
        else:
            _Workers(lambda alive: _until_told(make, listening, lambda: None, alive), say).run(workers, said)


async def _until_told(
    make: Callable[[], Server], listening: socket.socket, ready: Callable[[], None], alive: int | None = None
) -> None:
    """Serve until a signal comes, or until `alive`, the end of a pipe, says that whoever holds the other is gone."""
    server, loop = make(), asyncio.get_running_loop()
    for number in _SIGNALS if alive is None else (signal.SIGTERM,):
        with contextlib.suppress(NotImplementedError):  # a system where Ctrl-C interrupts, and nothing else is told
            loop.add_signal_handler(number, server.stop)
    if alive is not None:

        def gone() -> None:
            loop.remove_reader(alive)
            server.stop()

        loop.add_reader(alive, gone)
    ready()
    await server.run(listening)


class _Workers:
    """Processes that do the same work; those that die are replaced.

    Args:
        work: what each does, until the end of a pipe that it is given says that this process is gone or done.
        say: told of deaths.
    """

    def __init__(self, work: Callable[[int], Coroutine[Any, Any, None]], say: Callable[[str], None]) -> None:
        self._work, self._say = work, say
        self._alive, self._held = os.pipe()
        self._pids: set[int] = set()
        self._deaths: deque[float] = deque(maxlen=MOST_DEATHS)

    def run(self, count: int, said: str) -> None:
        """Begin so many, say so, and stay until SIGTERM or SIGINT.

        Raises:
            RetrieverError: too many died.
        """
        told: list[int] = []
        before = {number: signal.signal(number, lambda got, _: told.append(got)) for number in _SIGNALS}
        try:
            for _ in range(count):
                self._begin()
            self._say(said)
            while not told:
                self._replace()
                time.sleep(_EVERY)
        finally:
            os.close(self._held)
            self._end()
            os.close(self._alive)
            for number, handler in before.items():
                signal.signal(number, handler)

    def _begin(self) -> None:
        pid = os.fork()
        if pid:
            self._pids.add(pid)
            return
        status = 1
        try:
            os.close(self._held)
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the first process tells the others
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            asyncio.run(self._work(self._alive))
            status = 0
        except Exception as error:
            self._say(f"worker {os.getpid()} failed: {type(error).__name__}: {error}")
            raise
        finally:
            os._exit(status)

    def _replace(self) -> None:
        """Begin another worker for each that died."""
        for pid in sorted(self._pids):
            found, status = os.waitpid(pid, os.WNOHANG)
            if not found:
                continue
            self._pids.discard(pid)
            now = time.monotonic()
            self._deaths.append(now)
            if len(self._deaths) == MOST_DEATHS and now - self._deaths[0] < DEATHS_WITHIN:
                raise RetrieverError(f"{MOST_DEATHS} workers died within {DEATHS_WITHIN:g} s: see what they said")
            code = os.waitstatus_to_exitcode(status)
            how = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
            self._say(f"worker {pid} {how}; another one begins")
            self._begin()

    def _end(self) -> None:
        """Wait until all have finished what they are at, and kill those that do not."""
        end = time.monotonic() + 2 * GRACE + 1
        while self._pids:
            for pid in sorted(self._pids):
                if os.waitpid(pid, os.WNOHANG)[0]:
                    self._pids.discard(pid)
                elif time.monotonic() > end:
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_EVERY / 10)
