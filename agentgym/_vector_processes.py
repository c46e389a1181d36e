"""Processes: the worlds of a GroupVectorEnv in processes of their own, each with the worlds of whole groups.

A question to a process and its answer bear the same number. A process that dies, gives no answer in time or answers
another question is ended for good, so that nothing it may still say is ever read.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from math import inf
from multiprocessing.connection import wait
from time import monotonic
from typing import Any

from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AutoresetMode

from agentgym._vector_line import packed
from agentgym._vector_serving import Answer, Generator, Mark, Recipe, Share
from agentgym._vector_slots import Begun, Loss, Taken
from agentgym._vector_worker import CLOSED, STARTING, Worker, read, told, value_of
from agentgym.env import AgentEnv
from agentgym.errors import AgentGymError

ENDING = 3.0
"""Seconds in which a process must close its worlds; after that it is ended."""
LOOK = 0.5
"""Seconds between two looks at whether processes live that their line and their handle say nothing of."""

Question = tuple[str, tuple[Any, ...]]


class RemoteSlots:
    """The worlds of all slots in processes; results are those of `Slots`, whose methods this has.

    Args:
        first: one world; those in the processes are built from its arguments.
        num: slots.
        size: slots of a group.
        branches: the branch of each member's draws.
        mode: what happens to a slot whose episode ended.
        workers: processes; no more than groups.
        timeout: seconds that a step or a reset may take; None: no end.
        context: how processes start: "fork", "spawn", "forkserver"; None: as multiprocessing starts them by default.

    Raises:
        AgentGymError: the worlds cannot be sent to, or built in, another process.
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
        context: str | None,
    ) -> None:
        self._first, self._num, self._size, self._branches, self._mode = first, num, size, branches, mode
        self._timeout, self._context = timeout, multiprocessing.get_context(context)
        self._kwargs, self._spec = dict(first._init_kwargs), first.spec
        self._assigned: dict[str, Sequence[Any]] = {}
        self._marks: list[Mark] = [(True, None, 0, 0, "")] * num
        self._generators: dict[int, Generator] = {}
        self._asked, self._owner = 0, os.getpid()
        self.lost: set[int] = set()
        self.torn: set[int] = set()
        groups = num // size
        cuts = [index * groups // workers * size for index in range(workers + 1)]
        self._workers = [Worker(index, range(cuts[index], cuts[index + 1])) for index in range(workers)]
        try:
            failed = self._start(self._workers)
            for worker, what, cause in failed:
                raise AgentGymError(f"worker {worker.number} {what}") from cause
        except BaseException:
            self._end()
            raise

    # ---- what slots do -----------------------------------------------------------------------------------------------

    def step(self, given: Sequence[Any]) -> Taken:
        """Take one turn in every slot that is given an action."""
        questions: dict[Worker, Question] = {}
        for worker in self._workers:
            part = [given[slot] for slot in worker.slots]
            if any(action is not None for action in part):
                questions[worker] = ("step", (part,))
        answers, losses = self._ask(questions, self._timeout, lambda: self._doing(given))
        num = self._num
        taken = Taken(self.texts(), [0.0] * num, [False] * num, [False] * num, [None] * num, losses=losses)
        for worker, answer in answers.items():
            first, last = worker.slots.start, worker.slots.stop
            if answer.error is not None:  # the actions could not be read there
                error = answer.error.raised()
                taken.errors.update({slot: error for slot in worker.slots if given[slot] is not None})
                continue
            part, errors = answer.value
            for name in ("rewards", "terminated", "truncated", "turns"):
                getattr(taken, name)[first:last] = getattr(part, name)
            taken.texts[first:last] = part.texts
            taken.finals.update({first + slot: final for slot, final in part.finals.items()})
            taken.errors.update({first + slot: sent.raised() for slot, sent in errors.items()})
        return taken

    def reset(self, chosen: Sequence[int], seeds: Sequence[int | None], tasks: Sequence[str | None]) -> Begun:
        """Start groups, in new processes where theirs were lost; those that fail are not live, all others are."""
        begun = Begun([None] * self._num)
        of: dict[Worker, list[int]] = {}
        for group in chosen:
            of.setdefault(self._worker_of(group * self._size), []).append(group)
        for worker, what, _ in self._start([worker for worker in of if worker.process is None]):
            begun.losses.append(self._lose(worker, what, {}))
            del of[worker]
        questions: dict[Worker, Question] = {}
        starts: dict[int, str] = {}
        for worker, groups in of.items():
            first, last = worker.slots.start // self._size, worker.slots.stop // self._size
            local = [group - first for group in groups]
            questions[worker] = ("reset", (local, seeds[first:last], tasks[first:last]))
            for group in groups:
                where = f"start of task {tasks[group]!r}, seed {seeds[group]}"
                starts.update(dict.fromkeys(range(group * self._size, (group + 1) * self._size), where))
        self.lost -= starts.keys()
        self.torn -= starts.keys()
        answers, losses = self._ask(questions, self._timeout, lambda: starts)
        begun.losses += losses
        for worker, answer in answers.items():
            turns, error = value_of(answer)
            for slot, info in turns.items():
                begun.turns[worker.slots.start + slot] = info
            if error is not None and begun.error is None:
                begun.error = error.raised()
        return begun

    # ---- what slots are in -------------------------------------------------------------------------------------------

    @property
    def envs(self) -> list[AgentEnv[Any]]:
        """There are none here. Raises AttributeError."""
        raise AttributeError(
            "the worlds are in other processes: reach them by call(name, …), get_attr(name) and set_attr(name, values)"
        )

    @property
    def env_id(self) -> str:
        """Return the id of the worlds."""
        return self._first.env_id

    def texts(self) -> list[str]:
        """Return the last text of every slot."""
        return [mark[4] for mark in self._marks]

    def over(self) -> list[bool]:
        """Return which slots have no episode under way."""
        return [mark[0] for mark in self._marks]

    def begun(self, slot: int) -> bool:
        """Return whether a slot has or had an episode."""
        return self._marks[slot][1] is not None

    def where(self, slot: int) -> str:
        """Return task, seed and turn of a slot in words."""
        _, task, seed, turn, _ = self._marks[slot]
        return f"task {task or ''!r}, seed {seed}, turn {turn}"

    # ---- the rest ----------------------------------------------------------------------------------------------------

    def call(self, name: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> list[Any]:
        """Call a method of every world, or read an attribute; what it gives comes from another process."""
        answers = self._ask_all("call", name, list(args), dict(kwargs or {}))
        return [value for answer in answers for value in answer.value]

    def assign(self, name: str, values: Sequence[Any]) -> None:
        """Set an attribute of every world, one value a slot; also in processes that are started later."""
        self._ask_each("assign", lambda worker: (name, [values[slot] for slot in worker.slots]))
        self._assigned[name] = list(values)

    def label(self, spec: EnvSpec | None) -> None:
        """Tell every world the spec that it was made by."""
        self._first.spec = self._spec = spec
        self._ask_all("label", spec)

    def close(self) -> None:
        """Close every world and end the processes, within five seconds."""
        if self._owner != os.getpid():  # a fork of the vector's process: they are not its children
            return
        first: Exception | None = None
        try:
            live = {worker: ("close", ()) for worker in self._workers if worker.process is not None}
            answers, _ = self._ask(live, ENDING)
            first = next((answer.error.raised() for answer in answers.values() if answer.error is not None), None)
        finally:
            self._end()
            self._first.close()
        if first is not None:
            raise first

    def __del__(self) -> None:
        """End the processes of a vector that nobody closed."""
        if getattr(self, "_owner", None) == os.getpid():
            self._end()

    # ---- inside ------------------------------------------------------------------------------------------------------

    def _worker_of(self, slot: int) -> Worker:
        return next(worker for worker in self._workers if slot in worker.slots)

    def _start(self, workers: Sequence[Worker]) -> list[tuple[Worker, str, Exception | None]]:
        """Start processes together; return those in which the worlds could not be built, which have ended, and why."""
        if not workers:
            return []
        recipe, method = self._recipe(), self._context.get_start_method()
        tied = method != "forkserver" and threading.current_thread() is threading.main_thread()
        for worker in workers:
            share = Share(
                worker.number, len(worker.slots), worker.slots.start, self._size, self._branches, self._mode,
                None if method == "forkserver" else os.getpid(), tied,
            )  # fmt: skip
            open_here = [other.sock for other in self._workers if other.process is not None]
            worker.start(self._context, share, recipe, open_here)
        answers, gone = self._answers(dict.fromkeys(workers, 0), STARTING, monotonic())
        failed: list[tuple[Worker, str, Exception | None]]
        failed = [(worker, self._unstarted(worker, what), None) for worker, what in gone.items()]
        failed += [(worker, *fault) for worker, answer in answers.items() if (fault := self._unbuilt(answer))]
        for worker, *_ in failed:
            worker.end()
        self._take_up([worker for worker in workers if worker.process is not None])
        return failed

    def _unstarted(self, worker: Worker, what: str) -> str:
        """Return what became of a process that did not say which worlds it has."""
        what = worker.end(1.0 if what == CLOSED else 0.0) or what
        hint = ""
        if self._context.get_start_method() != "fork":
            hint = "; a script that makes workers needs if __name__ == '__main__': around what it does"
        return f"{what} before its worlds were built{hint}"

    def _unbuilt(self, answer: Answer) -> tuple[str, Exception | None] | None:
        """Return why the worlds that a process has built are not those of this vector; None if they are."""
        first = self._first
        if answer.error is not None:
            error = answer.error.raised()
            return f"could not build {type(first).__name__}: {error!r}", error
        for name, found in zip(("env_id", "version", "panel", "base_hash"), answer.value, strict=True):
            mine = first.panel.hash if name == "panel" else getattr(first, name)
            if found != mine:
                return f"built a {type(first).__name__} whose {name} is {found!r}, where it is {mine!r} here", None
        return None

    def _take_up(self, workers: Sequence[Worker]) -> None:
        """Let new processes go on from what is known of those that were lost."""
        for name, values in self._assigned.items():
            self._ask_each("assign", lambda one: (name, [values[slot] for slot in one.slots]), workers)  # noqa: B023
        known = self._generators
        if known:
            self._ask_each(
                "go on", lambda one: ({s - one.slots.start: known[s] for s in one.slots if s in known},), workers
            )

    def _recipe(self) -> Recipe:
        """Return how the worlds are built; where nothing is inherited, having tried whether it can be sent."""
        recipe = Recipe(type(self._first), self._kwargs, self._spec)
        if self._context.get_start_method() == "fork":
            return recipe
        name = type(self._first).__name__
        parts = [(f"the class {name}", recipe.world), (f"the spec of {name}", recipe.spec)]
        parts += [(f"the argument {key!r} of {name}", value) for key, value in recipe.kwargs.items()]
        for what, value in parts:
            try:
                packed(value)
            except Exception as error:
                raise AgentGymError(
                    f"{what} cannot be sent to another process: {error}; define it at the top of a module, or take "
                    "context='fork' or workers='threads'"
                ) from error
        return recipe

    def _ask_all(self, name: str, *arguments: Any) -> list[Answer]:
        return self._ask_each(name, lambda _: arguments)

    def _ask_each(
        self, name: str, arguments: Callable[[Worker], tuple[Any, ...]], workers: Sequence[Worker] | None = None
    ) -> list[Answer]:
        """Ask workers the same, and return their answers in order.

        Raises:
            AgentGymError: workers were lost, before or now. And whatever worlds raised.
        """
        asked = self._workers if workers is None else workers
        away = [worker.number for worker in asked if worker.process is None]
        if away:
            raise AgentGymError(f"workers {away} were lost: reset their groups first, which starts new ones")
        answers, losses = self._ask({worker: (name, arguments(worker)) for worker in asked}, self._timeout)
        if losses:
            raise AgentGymError("; ".join(f"worker {loss.worker} {loss.what}" for loss in losses) + f" in {name}")
        for worker in asked:
            value_of(answers[worker])
        return [answers[worker] for worker in asked]

    def _ask(
        self, questions: Mapping[Worker, Question], timeout: float | None, doing: Callable[[], Mapping[int, str]] = dict
    ) -> tuple[dict[Worker, Answer], list[Loss]]:
        """Ask workers and wait for all; return their answers, in the order of the workers, and who was lost.

        Args:
            questions: what each worker is asked.
            timeout: seconds for all; None: no end.
            doing: what the slots are at by this, in words.
        """
        if self._owner != os.getpid():
            raise RuntimeError(
                "this vector was made in another process, which alone can ask its workers: make a new one"
            )
        data = {worker: packed(question) for worker, question in questions.items()}  # an error here asks nobody
        since = monotonic()
        end = None if timeout is None else since + timeout
        self._asked += 1
        try:
            gone: dict[Worker, str] = {}
            for worker, message in data.items():
                with told(worker, gone):
                    assert worker.line is not None
                    worker.line.send(self._asked, message, end)
            waiting = dict.fromkeys([worker for worker in data if worker not in gone], self._asked)
            answers, late = self._answers(waiting, timeout, since)
        except BaseException as error:  # an interrupt: nobody knows what these slots have done by now
            for worker in questions:
                self._lose(worker, f"was interrupted by {error!r}", doing())
            raise
        gone |= late
        for worker, answer in answers.items():
            self._marks[worker.slots.start : worker.slots.stop] = answer.marks
            for slot, generator in answer.generators.items():
                self._generators[worker.slots.start + slot] = generator
        losses = [self._lose(worker, gone[worker], doing()) for worker in questions if worker in gone]
        return {worker: answers[worker] for worker in questions if worker in answers}, losses

    def _answers(
        self, waiting: dict[Worker, int], timeout: float | None, since: float
    ) -> tuple[dict[Worker, Answer], dict[Worker, str]]:
        """Wait for the answers to numbered questions; return them, and what became of those who gave none in time."""
        answers: dict[Worker, Answer] = {}
        gone: dict[Worker, str] = {}
        end = inf if timeout is None else since + timeout
        while waiting:
            left = min(LOOK, end - monotonic())
            of: dict[Any, Worker] = {
                handle: worker for worker in waiting for handle in (worker.line, worker.process.sentinel)
            }
            ready = {of[handle] for handle in wait([*of], max(0.0, left))}
            ready |= {worker for worker in waiting if worker.process.exitcode is not None}
            for worker in ready:
                with told(worker, gone):
                    answer = read(worker, waiting[worker])
                    if answer is not None and answer.unsent:
                        gone[worker] = f"cannot send what came of it ({answer.unsent})"
                    elif answer is not None:
                        answers[worker] = answer
            waiting = {worker: number for worker, number in waiting.items() if worker not in answers | gone}
            if monotonic() >= end:
                gone |= dict.fromkeys(waiting, f"gave no answer within {timeout:g} s")
                break
        return answers, gone

    def _doing(self, given: Sequence[Any]) -> dict[int, str]:
        """Return where slots are that are given actions, and these, in words."""
        return {
            slot: f"{self.where(slot)}, action {action!r:.80}"
            for slot, action in enumerate(given)
            if action is not None
        }

    def _lose(self, worker: Worker, what: str, doing: Mapping[int, str]) -> Loss:
        """End a worker for good, and mark its slots as lost."""
        torn = [slot for slot in worker.slots if slot in doing or not (self._marks[slot][0] or slot in self.lost)]
        places = {slot: doing.get(slot) or self.where(slot) for slot in torn}
        what = worker.end(1.0 if what == CLOSED else 0.0) or what
        self.lost.update(worker.slots)
        self.torn.update(torn)
        return Loss(worker.number, what, places, tuple(worker.slots))

    def _end(self) -> None:
        """End all processes, which have closed their worlds."""
        for worker in self._workers:
            worker.hang_up()
        end = monotonic() + 1.0
        for worker in self._workers:
            worker.end(max(0.0, end - monotonic()))
