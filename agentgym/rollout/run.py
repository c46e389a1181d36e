"""One run of rollouts: the world, the tasks, what is under way and what is finished; collect only says when."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from inspect import iscoroutine
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, Protocol, Self

from agentgym.batch import TurnBatch
from agentgym.batch.played import batch_of
from agentgym.env import AgentEnv
from agentgym.errors import LogError, unknown
from agentgym.rng import checked_seed
from agentgym.rollout.episode import Episode, group_of, where
from agentgym.rollout.views import PolicyError, Reply, RolloutError
from agentgym.rollout.worlds import build, chosen_tasks, signals_of
from agentgym.task import Task
from agentgym.turn import EndReason

if TYPE_CHECKING:
    from agentgym.log import RolloutLog


LOST: Final = EndReason.INFRA_ERROR.value
"""How an episode ends that the infrastructure failed."""


class Branching(Protocol):
    """A scheme that restarts rollouts from moments inside them; `agentgym.branching` has three.

    Attributes:
        keeps_log: whether its rollouts are those that `collect` starts, which is what a log holds.
    """

    @property
    def keeps_log(self) -> bool:
        """See above."""

    def play(self, run: Run) -> TurnBatch:
        """Play what a run was asked for."""
        ...


class Run:
    """The rollouts that `collect` was asked for; its arguments are documented there. Entered while they are played.

    Attributes:
        world, policy: who plays.
        total: number of rollouts.
        limit: most rollouts at once.
        done: the finished ones, as they finished.
        meta: further entries of the batch's meta.
    """

    def __init__(
        self,
        env: str | type[AgentEnv[Any]] | AgentEnv[Any],
        policy: Any,
        *,
        tasks: Sequence[str | Task] | int | None,
        group_size: int,
        seed: int,
        noise: str,
        signals: Sequence[str],
        estimators: Sequence[Any],
        env_kwargs: Mapping[str, Any] | None,
        max_live: int | None,
        progress: Callable[[int, int], None] | None,
        log: str | PathLike[str] | RolloutLog | None,
        branching: Branching | None = None,
        max_lost: float = 0.2,
    ) -> None:
        _check_count("group_size", group_size)
        if isinstance(max_lost, bool) or not isinstance(max_lost, int | float) or not 0 <= max_lost <= 1:
            raise ValueError(f"max_lost must be a share from 0 to 1, not {max_lost!r:.60}")
        if max_live is not None:
            _check_count("max_live", max_live)
        if noise not in ("shared", "own"):
            raise ValueError(unknown("noise", noise, ["shared", "own"]))
        if branching is not None:
            _check_branching(branching, log)
        self._seed, self._group_size, self._noise = checked_seed(seed), group_size, noise
        asked = [*signals, *getattr(policy, "signals", ()), *signals_of(estimators)]
        self.world = build(env, env_kwargs, signals=asked)
        self._tasks = chosen_tasks(self.world, tasks)
        self.policy, self._progress = policy, progress
        self._spec = self.world.spec_dict()
        self._call = {"seed": self._seed, "group_size": group_size, "noise": noise}
        self._asked_log, self._close_log = log, False
        self._log: RolloutLog | None = None
        self._record: Callable[[Episode], Mapping[str, Any]] | None = None
        self.total = len(self._tasks) * group_size
        self.limit = max_live or self.total
        self.done: list[Episode] = []
        self._max_lost = max_lost
        self.meta: dict[str, Any] = {}
        self._remembers, self._fresh = False, None
        if branching is not None and not getattr(policy, "markov", False):
            self._remembers, self._fresh = True, _first_moment(policy)

    def __enter__(self) -> Self:
        """Open the log, before anything is played. Raises LogError."""
        if self._asked_log is not None:
            from agentgym.log import RolloutLog  # which builds on this package
            from agentgym.log.lines import record_of

            given = self._asked_log
            self._log = given if isinstance(given, RolloutLog) else RolloutLog(given)
            self._close_log = not self._log.is_open
            call = {"number": self._log.open().new_run(), **self._call}
            self._record = partial(record_of, run=call, env=self._spec)
        return self

    def __exit__(self, *_: object) -> None:
        if self._log is not None and self._close_log:
            self._log.close()

    def starts(self) -> Iterator[Episode]:
        """Yield the rollouts at their start, in order. Raises RolloutError."""
        for index, task in enumerate(self._tasks):
            seed = self._seed + index
            for member in range(self._group_size):
                branch = member if self._noise == "own" else 0
                try:
                    episode = Episode.start(self.world, task.id, seed, branch, group_of(task.id, seed), member)
                except Exception as error:
                    what = f"the world raised {error!r} at the start of task {task.id!r}"
                    raise RolloutError(what, self.finished()) from error
                episode.memory = self._fresh
                yield episode

    def ask(self, live: Sequence[Episode]) -> Any:
        """Return what the policy returns. Raises PolicyError."""
        if self._remembers and self._fresh is not None:
            return [reply for episode in live for reply in self._ask_again(episode)]
        views = [episode.view() for episode in live]
        try:
            answer = self.policy(views)
        except Exception as error:
            raise self.raised(error, live) from error
        if self._remembers and self.policy.snapshot() is not None:
            what = f"the policy's snapshot() was None before the first turn and is not now, at {where(live)}"
            raise PolicyError(f"{what}: None means that it remembers nothing; return something else", self.finished())
        return answer

    def _ask_again(self, episode: Episode) -> list[Reply]:
        """Return the reply of a policy that remembers this rollout alone, in a list."""
        try:
            self.policy.restore(deepcopy(episode.memory))  # which other rollouts go on from too
            answer = self.policy([episode.view()])
            episode.memory = deepcopy(self.policy.snapshot())
        except Exception as error:
            raise self.raised(error, [episode]) from error
        return self._checked([episode], answer)

    def forget(self) -> None:
        """Take a policy with a memory back to what it remembered before the first turn."""
        if self._remembers and self._fresh is not None:
            self.policy.restore(deepcopy(self._fresh))

    def raised(self, error: BaseException, live: Sequence[Episode]) -> PolicyError:
        """Return the error for a policy that raised."""
        return PolicyError(f"the policy raised {error!r} at {where(live)}", self.finished())

    def play(self, live: Sequence[Episode], answer: Any) -> list[Episode]:
        """Play what the policy returned, one reply an episode; return the episodes that go on. Raises RolloutError."""
        before = len(self.done)
        running: list[Episode] = []
        for episode, over in self.step(live, answer):
            if over:
                self._finish(episode)
            else:
                running.append(episode)
        if len(self.done) > before:
            self.tell(len(self.done))
        return running

    def step(self, live: Sequence[Episode], answer: Any) -> Iterator[tuple[Episode, bool]]:
        """Yield each episode and whether it is over, once it has taken its turn. Raises RolloutError."""
        replies = self._checked(live, answer)
        for reply, episode in zip(replies, live, strict=True):
            try:
                over = episode.take(reply)
            except Exception as error:
                raise RolloutError(f"the world raised {error!r} at {where([episode])}", self.finished()) from error
            yield episode, over

    def tell(self, finished: int) -> None:
        """Tell whoever asked how many rollouts are finished."""
        if self._progress is not None:
            self._progress(finished, self.total)

    def _checked(self, live: Sequence[Episode], answer: Any) -> list[Reply]:
        """Return the replies as the record keeps them. Raises PolicyError."""
        if iscoroutine(answer):
            answer.close()  # or Python warns that nobody awaited it
            what = f"the policy returned a coroutine at {where(live)}: play an asynchronous policy through acollect"
            raise PolicyError(what, self.finished())
        if isinstance(answer, str | Reply):
            what = f"the policy returned {answer!r:.60} at {where(live)}, not a list; return one reply a view in a list"
            raise PolicyError(what, self.finished())
        try:
            given = list(answer)
        except Exception as error:
            raise self.raised(error, live) from error
        if len(given) != len(live):
            what = f"the policy returned {len(given)} replies to {len(live)} views at {where(live)}; return one a view"
            raise PolicyError(what, self.finished())
        checked = []
        for reply, episode in zip(given, live, strict=True):
            try:
                checked.append(episode.checked(reply))
            except ValueError as fault:
                raise PolicyError(f"{fault} at {where([episode])}", self.finished()) from None
        return checked

    def _finish(self, episode: Episode) -> None:
        """Keep a finished rollout, in the log too. Raises RolloutError, which has it in its batch all the same."""
        self.done.append(episode)
        if self._log is not None and self._record is not None:
            try:
                self._log.append(self._record(episode))
            except LogError as error:
                raise RolloutError(str(error), self.finished()) from error
        if episode.info["end_reason"] == LOST:
            self.check_lost()

    def check_lost(self) -> None:
        """Stop where more rollouts were lost to the infrastructure than may be. Raises RolloutError."""
        lost = [episode for episode in self.done if episode.info["end_reason"] == LOST]
        count = max(self.total, len(self.done))  # a scheme makes more of them
        if len(lost) > self._max_lost * count:
            raise RolloutError(
                f"{len(lost)} of {count} rollouts ended with an infrastructure error (the last: "
                f"{lost[-1].info['end_detail']!r:.300}), more than max_lost={self._max_lost:g} allows: see to what "
                "the world needs, then run again",
                self.finished(),
            )

    def batch(self) -> TurnBatch:
        """Return the record of the finished rollouts."""
        return batch_of(self.done, {"env": self._spec, **self._call, **self.meta})

    def finished(self) -> TurnBatch | None:
        """Return the same for an error; None where none is finished."""
        return self.batch() if self.done else None


def _check_count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1, not {value!r}")


def _check_branching(branching: Any, log: Any) -> None:
    if isinstance(branching, type) or not callable(getattr(branching, "play", None)):
        raise TypeError(f"branching must be a scheme such as agentgym.branching.Slate(k=5), not {branching!r:.80}")
    if log is not None and not hasattr(branching, "keeps_log"):
        raise TypeError(
            f"{type(branching).__name__} does not say whether its rollouts are those that a log holds: give it "
            "keeps_log = True or False, see agentgym.rollout.Branching; or leave log= out"
        )
    if log is not None and not branching.keeps_log:
        raise ValueError(
            f"log= holds the rollouts that collect starts, and {type(branching).__name__} makes others of them: leave "
            "log= out and keep the batch, as in batch.to_jsonl(path)"
        )


def _first_moment(policy: Any) -> Any:
    """Return what a policy with a memory remembers before the first turn."""
    if not (callable(getattr(policy, "snapshot", None)) and callable(getattr(policy, "restore", None))):
        name = getattr(policy, "__name__", type(policy).__name__)
        raise ValueError(
            f"{name} depends on history (markov is not True) and has no snapshot() and restore(moment), so it cannot "
            "be branched: give it both (return None from snapshot if the view's messages are all it uses), or set "
            "markov = True if its replies follow from state, turn and menu alone"
        )
    return deepcopy(policy.snapshot())
