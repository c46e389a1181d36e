"""acollect: every rollout goes on as soon as it has its reply."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from inspect import isawaitable
from os import PathLike
from typing import TYPE_CHECKING, Any

from agentgym.batch import TurnBatch
from agentgym.env import AgentEnv
from agentgym.rollout.episode import Episode
from agentgym.rollout.run import Run
from agentgym.rollout.views import Policy, Reply, View
from agentgym.task import Task

if TYPE_CHECKING:
    from agentgym.log import RolloutLog

Replies = Sequence[Reply | str]


class _Over(Exception):
    """Ends the other rollouts; what happened stands beside it."""


async def acollect(
    env: str | type[AgentEnv[Any]] | AgentEnv[Any],
    policy: Policy | Callable[[Sequence[View]], Replies | Awaitable[Replies]],
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
    branching: None = None,
    max_lost: float = 0.2,
) -> TurnBatch:
    """Play like `collect`, but let no rollout wait for the reply to another; the record is the same.

    Arguments and errors are those of `collect`, but what the policy returns may be awaitable: `async def policy(views)`
    as well as any policy of `collect`. It is called with a list of one view and must return a list of one reply. At
    most `max_live` calls are under way at once (None: one a rollout); where one fails, the others are cancelled before
    the error is raised. Schemes of `branching` are for `collect` alone, because they let rollouts wait for each other.
    """
    if branching is not None:
        raise ValueError(f"acollect does not play {branching!r:.60}, whose rollouts wait for each other: use collect")
    import asyncio  # only who uses it pays for it

    run = Run(
        env, policy, tasks=tasks, group_size=group_size, seed=seed, noise=noise, signals=signals,
        estimators=estimators, env_kwargs=env_kwargs, max_live=max_live, progress=progress, log=log,
        max_lost=max_lost,
    )  # fmt: skip
    failed: list[BaseException] = []

    async def player() -> None:
        try:
            for episode in waiting:
                live = [episode]
                while live and not failed:
                    replies = await _answer(run, live)
                    live = [] if failed else run.play(live, replies)
        except (Exception, asyncio.CancelledError) as error:
            if _asks_to_stop(error):
                raise
            failed.append(error)
            raise _Over from error  # a task that raises CancelledError would end unseen

    with run:
        waiting = run.starts()
        with suppress(ExceptionGroup):  # of what is in `failed`, the first of which tells why
            async with asyncio.TaskGroup() as group:
                for _ in range(min(run.limit, run.total)):
                    group.create_task(player())
        if failed:
            raise failed[0]
        return run.batch()


async def _answer(run: Run, live: list[Episode]) -> Any:
    """Return what the policy returned, awaited if need be. Raises PolicyError."""
    import asyncio

    try:
        given = run.ask(live)
    except asyncio.CancelledError as error:  # of a future that the policy asked for its result
        raise run.raised(error, live) from error
    if not isawaitable(given):
        await asyncio.sleep(0)  # the others, and whoever wants to cancel
        return given
    try:
        return await given
    except (Exception, asyncio.CancelledError) as error:
        if _asks_to_stop(error):
            raise
        raise run.raised(error, live) from error


def _asks_to_stop(error: BaseException) -> bool:
    """Return whether an error came from someone who cancels this task, not from the policy or the caller's own code."""
    import asyncio

    task = asyncio.current_task()
    return isinstance(error, asyncio.CancelledError) and (task is None or bool(task.cancelling()))
