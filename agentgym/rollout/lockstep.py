"""collect: all unfinished rollouts go to the policy together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.rollout.episode import Episode
from agentgym.rollout.run import Branching, Run
from agentgym.rollout.views import Policy, Reply, View
from agentgym.task import Task

if TYPE_CHECKING:
    from agentgym.log import RolloutLog


def collect(
    env: str | type[AgentEnv[Any]] | AgentEnv[Any],
    policy: Policy | Callable[[Sequence[View]], Sequence[Reply | str]],
    *,
    tasks: Sequence[str | Task] | int | None = None,
    group_size: int = 8,
    seed: int = 0,
    noise: str = "shared",
    signals: Sequence[str] = (),
    estimators: Sequence[Any] = (),
    env_kwargs: Mapping[str, Any] | None = None,
    max_live: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    log: str | PathLike[str] | RolloutLog | None = None,
    branching: Branching | None = None,
    max_lost: float = 0.2,
) -> TurnBatch:
    """Play every task `group_size` times and return the record.

    The seed of task i is seed + i. All unfinished rollouts, at most `max_live`, are in each call of the policy; the
    result does not depend on it. Rollouts that end with an infrastructure error are left out and counted in
    `meta["infra_errors"]`.

    Args:
        env: a registered id, a world's class, or a world (rebuilt from its constructor's arguments).
        policy: see `Policy`; a plain function works too.
        tasks: task ids, or the first so many of the world's split; None: the whole split.
        group_size: rollouts a task; they start equal.
        seed: ≥ 0.
        noise: "shared": members of a group meet the same draws of the world; "own": draws of their own.
        signals: to record besides those that the policy and the estimators read.
        estimators: those whose signals are recorded: names in `agentgym.credit`, "my_file.py:my_function", or
            `Estimator` objects.
        env_kwargs: constructor arguments of the world.
        max_live: most rollouts at once.
        progress: called with (finished, total) rollouts.
        log: a file, or an open RolloutLog, to which every rollout is appended when it finishes, those that ended with
            an infrastructure error too.
        branching: a scheme of `agentgym.branching` that restarts rollouts from moments inside them, such as
            Slate(k=5); a policy that is not markov needs `snapshot` and `restore` then.
        max_lost: the share of rollouts that may be lost to infrastructure errors, from 0 to 1.

    Raises:
        PolicyError: the policy raised, or returned too few replies or what cannot be recorded (see `Reply`); it names
            tasks and turn and keeps the finished rollouts in `batch`.
        RolloutError: the world raised, a finished rollout could not be logged, or more than `max_lost` of the rollouts
            were lost; it names the place and keeps the finished rollouts in `batch`.
        LogError: the log cannot be opened; nothing was played then.
        ValueError, TypeError, KeyError: a bad argument, an unknown task, a scheme that returns no batch.
    """
    run = Run(
        env, policy, tasks=tasks, group_size=group_size, seed=seed, noise=noise, signals=signals,
        estimators=estimators, env_kwargs=env_kwargs, max_live=max_live, progress=progress, log=log,
        branching=branching, max_lost=max_lost,
    )  # fmt: skip
    with run:
        made: Any = play_all(run) if branching is None else branching.play(run)
        run.check_lost()
    if not isinstance(made, TurnBatch):
        name = f"{type(branching).__name__}.play"
        raise TypeError(f"{name} returned {type(made).__name__}, not a TurnBatch: end it with return run.batch()")
    return made


def play_all(run: Run, watch: Callable[[Sequence[Episode]], None] | None = None) -> TurnBatch:
    """Play every rollout of a run from its start; `watch` sees those under way before each call of the policy."""
    live: list[Episode] = []
    waiting = run.starts()
    while True:
        while len(live) < run.limit and (episode := next(waiting, None)) is not None:
            live.append(episode)
        if not live:
            return run.batch()
        if watch is not None:
            watch(live)
        live = run.play(live, run.ask(live))
