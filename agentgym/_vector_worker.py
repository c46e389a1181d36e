"""Worker: one process of a GroupVectorEnv as the vector's own process sees it."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.context import BaseContext
from time import monotonic
from typing import Any

from agentgym._vector_line import Line, LineClosed, packed, unpacked
from agentgym._vector_serving import Answer, Recipe, Share, serve

STARTING = 120.0
"""Seconds in which the worlds of a process must be built."""
CLOSED = "closed its line"


class Astray(Exception):
    """A worker said something that is no answer to what it was asked."""


class Worker:
    """A process and the slots that it has.

    Attributes:
        number: of the worker.
        slots: its slots.
        process: None where it was lost or has not been started.
    """

    def __init__(self, number: int, slots: range) -> None:
        self.number, self.slots = number, slots
        self.process: Any = None
        self.line: Line | None = None

    def start(self, context: BaseContext, share: Share, recipe: Recipe, others: Sequence[socket.socket]) -> None:
        """Start the process; its first answer, to question 0, says which worlds it has."""
        ours, theirs = socket.socketpair()
        forked = context.get_start_method() == "fork"
        try:
            arguments = (theirs, share, recipe, [ours, *others]) if forked else (theirs, share, None, [])
            process: Any = context.Process(  # type: ignore[attr-defined]
                target=serve, args=arguments, name=f"agentgym-worker-{self.number}", daemon=True
            )
            process.start()
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        self.process, self.line, self.sock = process, Line(ours), ours
        if not forked:
            with suppress(LineClosed, TimeoutError):  # what happened to it shows when its answer is waited for
                self.line.send(0, packed(recipe), monotonic() + STARTING)

    def hang_up(self) -> None:
        """Close the line, which ends a process that is not at work."""
        if self.line is not None:
            self.line.close()
        self.line = None

    def end(self, patience: float = 0.0) -> str:
        """End the process, at once or when it has had time to; return what had become of it, "" if it still lived."""
        self.hang_up()
        if self.process is None:
            return ""
        self.process.join(patience)
        pid, status = self.process.pid, self.process.exitcode
        if status is None:
            self.process.kill()
            self.process.join()
        self.process.close()
        self.process = None
        return "" if status is None else f"(process {pid}) {_status(status)}"


def _status(status: int) -> str:
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


@contextmanager
def told(worker: Worker, gone: dict[Worker, str]) -> Iterator[None]:
    """Note a worker that talks no more; what became of it is asked when it is ended."""
    try:
        yield
    except LineClosed:
        gone[worker] = CLOSED
    except TimeoutError:
        gone[worker] = "took no question in time"
    except Astray as error:
        gone[worker] = str(error)


def read(worker: Worker, number: int) -> Answer | None:
    """Return the answer to a numbered question if all of it is here. Raises LineClosed, Astray."""
    assert worker.line is not None
    dead = worker.process.exitcode is not None  # asked first: what it wrote before it died is here by then
    message = worker.line.take()
    if message is None:
        if dead:
            raise LineClosed("the process has ended")
        return None
    if message[0] != number:
        raise Astray(f"answered question {message[0]} when {number} was asked")
    try:
        answer: Answer = unpacked(message[1])
    except Exception as error:
        raise Astray(f"gave an answer that cannot be read ({type(error).__name__}: {error})") from error
    return answer


def value_of(answer: Answer) -> Any:
    """Return what an answer holds. Raises what was raised instead."""
    if answer.error is not None:
        raise answer.error.raised()
    return answer.value
