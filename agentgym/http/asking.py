"""Asking a server again and again, within bounds, until it answers or there is no hope."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from http.client import HTTPException
from typing import Any, Final, TypeVar

from agentgym.errors import AgentGymError
from agentgym.http.connection import Answer, Connection

T = TypeVar("T")
_PASSING: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses after which another try may do."""


class NoAnswer(AgentGymError):
    """A server did not answer.

    Attributes:
        url: what was asked.
        attempts: how often.
        cause: what was wrong at last.
    """

    def __init__(self, url: str, attempts: int, cause: str) -> None:
        tried = f"{attempts} attempts, at last" if attempts > 1 else "1 attempt"
        super().__init__(f"{url} gave no answer ({tried}: {cause}): see whether its server runs, or give another URL")
        self.url, self.attempts, self.cause = url, attempts, cause

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.url, self.attempts, self.cause)


class _Fault(Exception):
    """An answer that is none.

    Args:
        why: what is wrong with it.
        again: whether another try may do.
        after: seconds that the server wants to be left alone.
    """

    def __init__(self, why: str, again: bool, after: float = 0.0) -> None:
        super().__init__(why)
        self.again, self.after = again, after


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one server is asked for one answer.

    Attributes:
        timeout: seconds for one try.
        attempts: how often one question is asked.
        total: seconds for all tries and the pauses between them.
        most: bytes of an answer that are read.
        pause: longest seconds after the first try; twice as long after each further one.
        longest: most seconds of any pause of our own. Where a server asks to be left alone for longer (Retry-After), it
            is, if the total allows it.

    Raises:
        ValueError: one of them is not positive.
    """

    timeout: float = 10.0
    attempts: int = 10
    total: float = 30.0
    most: int = 16 << 20
    pause: float = 0.1
    longest: float = 2.0

    def __post_init__(self) -> None:
        for name in ("timeout", "total", "pause", "longest"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
                raise ValueError(f"{name} must be a positive number of seconds, not {value!r:.60}")
        for name in ("attempts", "most"):
            value = getattr(self, name)
            if type(value) is not int or not 0 < value < 1 << 40:
                raise ValueError(f"{name} must be an int of at least 1, not {value!r:.60}")


class Asker:
    """Asks one server; each thread and each forked process over a connection of its own.

    Args:
        base: scheme, host and port.
        bounds: of time, tries and bytes.
        headers: sent with each request, such as a key. Nothing repeats them.
        error: what is raised where there is no answer.
    """

    def __init__(
        self,
        base: str,
        bounds: Patience,
        headers: Mapping[str, str] | None = None,
        error: type[NoAnswer] = NoAnswer,
    ) -> None:
        self._base, self._bounds, self._headers, self._error = base, bounds, dict(headers or {}), error
        self._local = threading.local()

    def ask(
        self,
        method: str,
        path: str,
        asked: Mapping[str, Any] | None,
        read: Callable[[bytes], T],
        refused: T | None = None,
    ) -> T:
        """Ask until there is an answer.

        Args:
            method: of the request.
            path: what is asked.
            asked: the body's JSON, or none.
            read: makes the result of an answer, or raises ValueError.
            refused: the result where the server will not hear of it; None: that is an error.

        Raises:
            NoAnswer: there is none, or another one.
        """
        end = time.monotonic() + self._bounds.total
        body = None if asked is None else json.dumps(asked).encode()
        for attempt in range(1, self._bounds.attempts + 1):
            cause: Exception
            try:
                answer = self._try(method, path, body, min(end, time.monotonic() + self._bounds.timeout))
                if refused is not None and 300 <= answer.status < 500 and answer.status not in _PASSING:
                    return refused
                return self._read(answer, read)
            except (OSError, HTTPException) as error:
                self._connection().close()
                why, again, pause, cause = _words(error), True, 0.0, error
            except _Fault as error:
                why, again, pause, cause = str(error), error.again, error.after, error
            pause = max(pause, self._pause(attempt))
            if not again or attempt == self._bounds.attempts or time.monotonic() + pause >= end:
                raise self._error(self._base + path, attempt, why) from cause
            time.sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _try(self, method: str, path: str, body: bytes | None, end: float) -> Answer:
        connection = self._connection()
        if connection.used:
            try:
                return connection.ask(method, path, body, end, self._bounds.most, self._headers)
            except ConnectionError:  # closed by the server while nobody used it
                connection.close()
        return connection.ask(method, path, body, end, self._bounds.most, self._headers)

    def _read(self, answer: Answer, read: Callable[[bytes], T]) -> T:
        if len(answer.body) > self._bounds.most:
            self._connection().close()
            raise _Fault(f"its answer is longer than {self._bounds.most} bytes", False)
        if answer.status != 200:
            said = self._hidden(answer.body[:200].decode("utf-8", "replace"))
            raise _Fault(f"status {answer.status}: {said}", answer.status in _PASSING, answer.after)
        if strange := self.strange(answer):
            raise _Fault(strange, False)
        try:
            return read(answer.body)
        except ValueError as error:
            raise _Fault(f"its answer is malformed: {error!s:.120}", True) from error

    def _hidden(self, text: str) -> str:
        """Return a text without the words of our headers, a key among them, that a server may repeat."""
        for value in self._headers.values():
            text = text.replace(value.rpartition(" ")[2] or value, "…") if value else text
        return text

    def strange(self, answer: Answer) -> str:
        """Return why an answer of status 200 is not of the server that is asked; "" where it is."""
        return ""

    def _connection(self) -> Connection:
        """Return the connection of this thread and process."""
        held: Connection | None = getattr(self._local, "connection", None)
        if held is None or held.process != os.getpid():
            held = self._local.connection = Connection(self._base)
        return held

    def _pause(self, attempt: int) -> float:
        """Return seconds to wait after an attempt: twice as long each time, and not all threads at once."""
        mark = f"{os.getpid()} {threading.get_ident()} {attempt}".encode()
        share = blake2b(mark, digest_size=1).digest()[0] / 255
        return min(self._bounds.longest, self._bounds.pause * 2.0 ** (attempt - 1)) * (0.5 + share / 2)


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error!s:.160}"
