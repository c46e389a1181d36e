"""Threads: the worlds of a GroupVectorEnv stepped at the same time, for worlds that wait for something outside.

Python runs the code of one thread at a time: threads make worlds no faster that compute, but the calls of worlds that
ask a server, such as a language model that plays the user, are under way together.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from copy import deepcopy
from queue import SimpleQueue
from time import monotonic
from typing import Any

from gymnasium.vector import AutoresetMode

from agentgym._vector_slots import Begun, Loss, Slots, Taken
from agentgym.env import AgentEnv

Job = Callable[[], Any]


class _Asked:
    """Jobs that were asked for together, and what has come of them.

    An answer goes to the object that it was asked through, which takes none after its deadline: a late one can never be
    taken for the answer to a later question.
    """

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.jobs = jobs
        self.answers: list[tuple[Any, BaseException | None] | None] = [None] * len(jobs)
        self.takers = [-1] * len(jobs)
        self.done, self.dropped = threading.Event(), False
        self._left, self._turn = len(jobs), threading.Lock()

    def do(self, index: int, worker: int) -> None:
        """Do one job, unless nobody waits for it any more."""
        if self.dropped:
            return
        self.takers[index] = worker
        try:
            answer: tuple[Any, BaseException | None] = self.jobs[index](), None
        except BaseException as error:  # noqa: BLE001 — raised in the thread that asked
            answer = None, error
        with self._turn:
            if not self.dropped:
                self.answers[index] = answer
                self._left -= 1
                if not self._left:
                    self.done.set()

    def drop(self) -> None:
        """Take no more answers."""
        with self._turn:
            self.dropped = True


_Queue = SimpleQueue["tuple[_Asked, int] | None"]


def _work(queue: _Queue, worker: int) -> None:
    """Do jobs until there is None to do; holds on to nothing in between."""
    while (item := queue.get()) is not None:
        item[0].do(item[1], worker)
        del item


class _Pool:
    """So many threads at most, which start when there is work for them and never keep the process from ending."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._queue: _Queue = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._owner = os.getpid()

    def ask(self, jobs: Sequence[Job], timeout: float | None) -> _Asked:
        """Do jobs at the same time; some may have no answer when the time is up."""
        asked = _Asked(jobs)
        if not jobs:
            return asked
        if self._owner != os.getpid():  # threads stay behind when a process forks
            self._threads, self._queue, self._owner = [], SimpleQueue(), os.getpid()
        while len(self._threads) < min(self._most, len(jobs)):
            worker = len(self._threads)
            name = f"agentgym-worker-{worker}"
            self._threads.append(threading.Thread(target=_work, args=(self._queue, worker), name=name, daemon=True))
            self._threads[-1].start()
        end = None if timeout is None else monotonic() + timeout
        try:
            for index in range(len(jobs)):
                self._queue.put((asked, index))
            if not asked.done.wait(None if end is None else max(0.0, end - monotonic())):
                self._leave(asked)
        except BaseException:  # an interrupt
            self._leave(asked)
            raise
        return asked

    def _leave(self, asked: _Asked) -> None:
        """Let threads that are still at work end by themselves when they can; others are started when needed."""
        asked.drop()
        self._dismiss()

    def _dismiss(self) -> list[threading.Thread]:
        threads, queue = self._threads, self._queue
        self._threads, self._queue = [], SimpleQueue()
        for _ in threads:
            queue.put(None)
        return threads

    def __del__(self) -> None:
        """End the threads of a vector that nobody closed."""
        self._dismiss()

    def close(self) -> None:
        """End the threads; all are idle, since whoever asks waits."""
        if self._owner == os.getpid():
            for thread in self._dismiss():
                thread.join(1.0)


class ThreadedSlots(Slots):
    """The worlds of all slots, those of a step in threads; results are those of `Slots`.

    Args:
        workers: threads at most.
        timeout: seconds that a step or a reset may take; None: no end.
    """

    def __init__(
        self,
        first: AgentEnv[Any],
        num: int,
        size: int,
        branches: Sequence[int],
        mode: AutoresetMode,
        workers: int,
        timeout: float | None,
    ) -> None:
        super().__init__(first, num, size, branches, mode)
        self._pool, self._timeout = _Pool(workers), timeout

    def step(self, given: Sequence[Any]) -> Taken:
        """Take one turn in every slot that is given an action, all at the same time."""
        taken = self.left_alone()
        slots = [slot for slot, action in enumerate(given) if action is not None]
        places = {slot: f"{self.where(slot)}, action {given[slot]!r:.80}" for slot in slots}
        asked = self._ask(slots, [_job(self.play, slot, given[slot]) for slot in slots])
        for slot, answer in zip(slots, asked.answers, strict=True):
            if answer is not None:
                self.keep(taken, slot, _given(answer))
        taken.losses = self._losses(slots, asked, places)
        return taken

    def reset(self, chosen: Sequence[int], seeds: Sequence[int | None], tasks: Sequence[str | None]) -> Begun:
        """Start groups, all at the same time; those that fail or are too late are not live, all others are."""
        size = self.groups.size
        begun = Begun([None] * len(self.envs))
        jobs: list[Job] = []
        slots: list[int] = []
        for group in chosen:
            self._renew(range(group * size, (group + 1) * size))
            for slot in self.groups.prepare(group, seeds[group]):
                slots.append(slot)
                jobs.append(_job(self.groups.begin, slot, seeds[group], tasks[group]))
        places = {slot: f"start of task {tasks[slot // size]!r}, seed {seeds[slot // size]}" for slot in slots}
        asked = self._ask(slots, jobs)
        answers = dict(zip(slots, asked.answers, strict=True))
        for group in chosen:
            self._admit([(slot, answers[slot]) for slot in range(group * size, (group + 1) * size)], begun)
        begun.losses = self._losses(slots, asked, places)
        return begun

    def _admit(self, answers: Sequence[tuple[int, tuple[Any, BaseException | None] | None]], begun: Begun) -> None:
        """Add the starts of a group, or make it as one that was never started."""
        slots = [slot for slot, _ in answers]
        for slot, answer in answers:
            try:
                if answer is None:
                    break
                info = _given(answer)
                self.groups.admit(slot, info)
                begun.turns[slot] = info
            except Exception as error:  # noqa: BLE001 — the vector raises it
                error.add_note(self.groups.place(slot))
                begun.error = begun.error or error
                break
        else:
            return
        for slot in slots:
            begun.turns[slot] = None
        self.groups.undo(slots)

    def close(self) -> None:
        """End the threads and close every world, but those in which a thread may still be at work."""
        self._pool.close()
        for slot, env in enumerate(self.envs):
            if slot not in self.lost:
                env.close()

    def _ask(self, slots: Sequence[int], jobs: Sequence[Job]) -> _Asked:
        try:
            asked = self._pool.ask(jobs, self._timeout)
        except BaseException:  # nobody knows what these slots have done by now
            self._lose(slots)
            raise
        for answer in asked.answers:
            if answer is not None and answer[1] is not None and not isinstance(answer[1], Exception):
                self._lose(slots)
                raise answer[1]
        return asked

    def _losses(self, slots: Sequence[int], asked: _Asked, places: dict[int, str]) -> list[Loss]:
        """Return what became of the slots that gave no answer, a loss a worker, and mark them."""
        late: dict[int, dict[int, str]] = {}
        for slot, answer, worker in zip(slots, asked.answers, asked.takers, strict=True):
            if answer is None:
                self._lose([slot])
                late.setdefault(worker, {})[slot] = places[slot]
        return [Loss(worker, self._late(worker), places, [*places]) for worker, places in sorted(late.items())]

    def _lose(self, slots: Sequence[int]) -> None:
        self.lost.update(slots)
        self.torn.update(slots)

    def _late(self, worker: int) -> str:
        answer = "gave no answer" if worker >= 0 else "was not free"
        return f"{answer} within {self._timeout:g} s"

    def _renew(self, slots: Sequence[int]) -> None:
        """Give slots that were lost worlds of their own again: in the old ones threads may still be at work."""
        for slot in slots:
            if slot in self.lost:
                old = self.envs[slot]
                fresh = old.copy()
                fresh._np_random_seed = old._np_random_seed
                fresh._np_random = deepcopy(old._np_random)
                self.envs[slot] = fresh
                self.groups.undo([slot])
                self.lost.discard(slot)
                self.torn.discard(slot)


def _job(function: Callable[..., Any], *args: Any) -> Job:
    return lambda: function(*args)


def _given(answer: tuple[Any, BaseException | None]) -> Any:
    """Return what a job returned. Raises what it raised."""
    value, error = answer
    if error is not None:
        raise error
    return value
