"""What runs in a process of a GroupVectorEnv: its share of the worlds, and the answers to what it is asked."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import sleep
from typing import Any

from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

from agentgym._vector_line import Line, LineClosed, packed, unpacked
from agentgym._vector_slots import Begun, Slots, Taken
from agentgym.env import AgentEnv

GRACE = 0.5
"""Seconds between two looks at whether the parent process still lives, where the kernel does not tell."""

Mark = tuple[bool, str | None, int, int, str]
"""What a slot is in: whether it is over, task (None: never started), seed, turn and last text."""
Generator = tuple[int | None, Mapping[str, Any] | None]
"""Where a world's generator of episode seeds is: its seed, and its state once it was used."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the worlds are built again."""

    world: type[AgentEnv[Any]]
    kwargs: Mapping[str, Any]
    spec: EnvSpec | None


@dataclass(frozen=True, slots=True)
class Share:
    """Which slots a process has: how many, from which of the vector's on, and the arguments of `Slots`."""

    worker: int
    num: int
    offset: int
    size: int
    branches: Sequence[int]
    mode: AutoresetMode
    parent: int | None
    """The process that started this one; None: a server of forks did."""
    tied: bool
    """Whether the thread that started this process lives as long as the parent: then the kernel can end it, too."""


@dataclass(slots=True)
class Answer:
    """What came of a question: a value or an error, and what the slots are in after it."""

    value: Any = None
    error: Sent | None = None
    marks: list[Mark] = field(default_factory=list)
    generators: dict[int, Generator] = field(default_factory=dict)
    unsent: str = ""
    """Why the value cannot be sent; the question was acted upon all the same."""


@dataclass(frozen=True, slots=True)
class Sent:
    """An exception on its way to another process, and its notes, which not every exception keeps there."""

    error: Exception
    notes: Sequence[str]

    def raised(self) -> Exception:
        """Return the exception with its notes."""
        self.error.__notes__ = list(self.notes)
        return self.error


def serve(sock: socket.socket, share: Share, recipe: Recipe | None, inherited: Sequence[socket.socket]) -> None:
    """Build the worlds and answer until the line is closed.

    Args:
        sock: this side of the line.
        share: which slots are here.
        recipe: of the worlds; None: it is the first message on the line.
        inherited: sockets of the parent that a fork left open here, where they would keep lines open.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent gets it too, and says what becomes of it here
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in inherited:
        other.close()
    _end_with_parent(share)
    line = Line(sock)
    with contextlib.suppress(LineClosed):
        slots = _built(line, share, recipe)
        if slots is not None:
            _Desk(slots, share).work(line)


def _built(line: Line, share: Share, recipe: Recipe | None) -> Slots | None:
    """Return the slots, having told who they are; None where there are none, having told why."""
    try:
        if recipe is None:
            recipe = unpacked(line.receive()[1])
        first = recipe.world(**recipe.kwargs)
        first.spec = recipe.spec
        slots = Slots(first, share.num, share.size, share.branches, share.mode, share.offset)
        answer = Answer((first.env_id, first.version, first.panel.hash, first.base_hash))
    except Exception as error:  # noqa: BLE001 — the parent raises it
        line.send(0, packed(Answer(error=sent(error, share.worker))))
        return None
    line.send(0, packed(answer))
    return slots


class _Desk:
    """Answers questions about slots, each with the number of its question."""

    def __init__(self, slots: Slots, share: Share) -> None:
        self._slots, self._worker = slots, share.worker
        self._size = share.size
        self._known: Mapping[str, Callable[..., Answer]] = {
            "step": self._step, "reset": self._reset, "call": self._call, "assign": self._assign,
            "label": self._label, "go on": self._go_on, "close": self._close,
        }  # fmt: skip

    def work(self, line: Line) -> None:
        """Answer until the line is closed. Raises LineClosed then."""
        while True:
            number, data = line.receive()
            try:
                name, arguments = unpacked(data)
                answer = self._known[name](*arguments)
            except Exception as error:  # noqa: BLE001 — the parent raises it
                answer = Answer(error=sent(error, self._worker))
            answer.marks = [_mark(env) for env in self._slots.envs]
            try:
                told = packed(answer)
            except Exception as error:  # noqa: BLE001 — as above
                told = packed(Answer(unsent=f"{type(error).__name__}: {error}"))
            line.send(number, told)

    def _step(self, given: Sequence[Any]) -> Answer:
        taken: Taken = self._slots.step(given)
        errors = {slot: sent(error, self._worker) for slot, error in taken.errors.items()}
        taken.errors.clear()
        began = [slot for slot, info in enumerate(taken.turns) if info is not None and info["turn"] == 0]
        return Answer((taken, errors), generators=self._generators([*began, *errors]))

    def _reset(self, chosen: Sequence[int], seeds: Sequence[int | None], tasks: Sequence[str | None]) -> Answer:
        turns, first = [], None
        for group in chosen:  # one by one, so that those after one that fails are started
            begun: Begun = self._slots.reset([group], seeds, tasks)
            turns.extend(begun.turns[group * self._size : (group + 1) * self._size])
            if isinstance(begun.error, Exception) and first is None:
                first = sent(begun.error, self._worker)
        slots = [slot for group in chosen for slot in range(group * self._size, (group + 1) * self._size)]
        return Answer((dict(zip(slots, turns, strict=True)), first), generators=self._generators(slots))

    def _call(self, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Answer:
        return Answer(self._slots.call(name, args, kwargs))

    def _assign(self, name: str, values: Sequence[Any]) -> Answer:
        self._slots.assign(name, values)
        return Answer()

    def _label(self, spec: EnvSpec | None) -> Answer:
        self._slots.label(spec)
        return Answer()

    def _go_on(self, generators: Mapping[int, Generator]) -> Answer:
        """Let the generators of episode seeds go on from where those of a lost process were."""
        for slot, (seed, state) in generators.items():
            env = self._slots.envs[slot]
            env._np_random, env._np_random_seed = None, seed
            if state is not None:
                env.np_random.bit_generator.state = state
        return Answer()

    def _close(self) -> Answer:
        self._slots.close()
        return Answer()

    def _generators(self, slots: Sequence[int]) -> dict[int, Generator]:
        envs = self._slots.envs
        return {
            slot: (envs[slot]._np_random_seed, None if made is None else made.bit_generator.state)
            for slot in slots
            for made in [envs[slot]._generator]
        }


def sent(error: Exception, worker: int) -> Sent:
    """Return an exception as it can be sent, with its traceback as a note."""
    told = "".join(traceback.format_exception(error)).rstrip()
    notes = [*getattr(error, "__notes__", ()), f"in worker {worker}, process {os.getpid()}:\n{told}"]
    try:
        again = unpacked(packed(error))
        if type(again) is type(error):
            return Sent(error, notes)
    except Exception:  # noqa: BLE001 — exceptions of any class may fail in any way
        pass
    return Sent(RuntimeError(traceback.format_exception_only(error)[0].strip()), notes)


def _mark(env: AgentEnv[Any]) -> Mark:
    task = env._task
    return env._over, None if task is None else task.id, env._seed, env._turn, env._observation


def _end_with_parent(share: Share) -> None:
    """See to it that this process ends when its parent dies, whatever it is doing by then."""
    above = os.getppid()
    if not (share.tied and sys.platform == "linux" and _tied_by_the_kernel()):
        threading.Thread(target=_watch, args=(above,), name="agentgym-parent", daemon=True).start()
    if share.parent is not None and above != share.parent:
        os._exit(1)  # it died before


def _tied_by_the_kernel() -> bool:
    from ctypes import CDLL

    try:
        return bool(CDLL(None).prctl(1, int(signal.SIGKILL), 0, 0, 0) == 0)  # PR_SET_PDEATHSIG
    except (OSError, AttributeError):
        return False


def _watch(above: int) -> None:
    """End this process soon after its parent; a world that never lets go of Python's lock holds this up."""
    parent = multiprocessing.parent_process()
    while os.getppid() == above and (parent is None or parent.is_alive()):
        sleep(GRACE)
    os._exit(1)
