"""One run of rollouts: the world, the tasks, what is under way and what is finished; collect only says when."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from agentgym.batch import TurnBatch
from agentgym.batch.played import batch_of
from agentgym.env import AgentEnv
from agentgym.errors import unknown
from agentgym.rng import checked_seed
from agentgym.rollout.episode import Episode, where
from agentgym.rollout.views import PolicyError, RolloutError
from agentgym.rollout.worlds import build, chosen_tasks, signals_of
from agentgym.task import Task


class Run:
    """The rollouts that `collect` was asked for; its arguments are documented there.

    Attributes:
        total: number of rollouts.
        limit: most rollouts at once.
        done: the finished ones, as they finished.
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
        estimators: Sequence[str],
        env_kwargs: Mapping[str, Any] | None,
        max_live: int | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        _check_count("group_size", group_size)
        if max_live is not None:
            _check_count("max_live", max_live)
        if noise not in ("shared", "own"):
            raise ValueError(unknown("noise", noise, ["shared", "own"]))
        self._seed, self._own_noise, self._group_size = checked_seed(seed), noise == "own", group_size
        asked = [*signals, *getattr(policy, "signals", ()), *signals_of(estimators)]
        self._world = build(env, env_kwargs, signals=asked)
        self._tasks = chosen_tasks(self._world, tasks)
        self._policy, self._progress = policy, progress
        self._meta = {"env": self._world.spec_dict(), "seed": seed, "group_size": group_size, "noise": noise}
        self.total = len(self._tasks) * group_size
        self.limit = max_live or self.total
        self.done: list[Episode] = []

    def starts(self) -> Iterator[Episode]:
        """Yield the rollouts at their start, in order. Raises RolloutError."""
        for index, task in enumerate(self._tasks):
            seed = self._seed + index
            for member in range(self._group_size):
                branch = member if self._own_noise else 0
                try:
                    episode = Episode.start(self._world, task.id, seed, branch, f"{task.id}#{seed}", member)
                except Exception as error:
                    what = f"the world raised {error!r} at the start of task {task.id!r}"
                    raise RolloutError(what, self.finished()) from error
                yield episode

    def ask(self, live: Sequence[Episode]) -> Any:
        """Return what the policy returns. Raises PolicyError."""
        views = [episode.view() for episode in live]
        try:
            return self._policy(views)
        except Exception as error:
            raise self.raised(error, live) from error

    def raised(self, error: Exception, live: Sequence[Episode]) -> PolicyError:
        """Return the error for a policy that raised."""
        return PolicyError(f"the policy raised {error!r} at {where(live)}", self.finished())

    def play(self, live: Sequence[Episode], replies: Any) -> list[Episode]:
        """Play the policy's replies, one an episode; return the episodes that go on. Raises RolloutError."""
        try:
            given = list(replies)
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
        before = len(self.done)
        running: list[Episode] = []
        for reply, episode in zip(checked, live, strict=True):
            try:
                over = episode.take(reply)
            except Exception as error:
                raise RolloutError(f"the world raised {error!r} at {where([episode])}", self.finished()) from error
            (self.done if over else running).append(episode)
        if self._progress is not None and len(self.done) > before:
            self._progress(len(self.done), self.total)
        return running

    def batch(self) -> TurnBatch:
        """Return the record of the finished rollouts."""
        return batch_of(self.done, self._meta)

    def finished(self) -> TurnBatch | None:
        """Return the same for an error; None where none is finished."""
        return self.batch() if self.done else None


def _check_count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1, not {value!r}")
