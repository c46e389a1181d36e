"""acollect: the record of collect, but no rollout waits for the reply to another."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import worlds
from log_worlds import Draw, Frail, Scripted, Shown

from agentgym import PolicyError, RolloutLog, TurnBatch, acollect, collect
from agentgym.rollout import Reply, RolloutError, View

run = asyncio.run


class Slow:
    """Another policy's replies, late by any number of turns of the loop; counts what goes on meanwhile."""

    def __init__(self, policy: Any) -> None:
        self.policy = policy
        self.signals = policy.signals
        self.live = self.most = self.cancelled = 0

    async def __call__(self, views: Sequence[View]) -> Any:
        (view,) = views
        self.live += 1
        self.most = max(self.most, self.live)
        try:
            for _ in range((7 * int(view.key[:4], 16) + 3 * view.rng.seed + view.turn) % 5):
                await asyncio.sleep(0)
            return self.policy(views)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.live -= 1


@pytest.mark.parametrize("noise", ["shared", "own"])
@pytest.mark.parametrize("name", worlds.WORLDS)
def test_the_record_is_that_of_collect(name: str, noise: str) -> None:
    arguments: dict[str, Any] = {"tasks": 1, "group_size": 5, "seed": 4, "noise": noise}
    world, policy = f"test/{name}-v0", Scripted(name)
    batch = collect(world, policy, **arguments)
    again = run(acollect(world, Slow(policy), **arguments))
    assert again == batch
    assert again.meta == batch.meta
    assert run(acollect(world, policy, **arguments)) == batch  # a policy of collect's


@pytest.mark.parametrize("max_live", [1, 2, 3, None])
def test_signals_and_draws_are_the_same_however_many_play_at_once(max_live: int | None) -> None:
    arguments: dict[str, Any] = {"tasks": 2, "group_size": 4, "seed": 1, "estimators": ("state_graph",)}
    slow = Slow(Draw())
    batch = run(acollect(worlds.Counter, slow, max_live=max_live, **arguments))
    assert batch == collect(worlds.Counter, Draw(), **arguments)
    assert slow.most == (max_live or 8)
    assert slow.live == 0


def test_a_slow_reply_holds_up_nobody_else() -> None:
    """The first rollout is answered only when all the others have finished."""

    async def play() -> TurnBatch:
        others = asyncio.Event()
        left = 3

        async def policy(views: Sequence[View]) -> list[str]:
            nonlocal left
            (view,) = views
            if view.info["task"] == "two" and view.rng.branch == 0:
                await others.wait()
            elif view.turn == 1:
                left -= 1
                if not left:
                    others.set()
            return ["up"]

        return await asyncio.wait_for(acollect(worlds.Counter, policy, tasks=["two"], group_size=4), 20)

    assert run(play()).success.all()


def test_freed_places_are_filled() -> None:
    seen: list[tuple[str, int]] = []

    async def policy(views: Sequence[View]) -> list[str]:
        (view,) = views
        seen.append((view.info["task"], view.turn))
        for _ in range(10 if view.info["task"] == "two" else 1):
            await asyncio.sleep(0)
        return ["down"]

    run(acollect(worlds.Counter, policy, tasks=["two", "minus"], group_size=2, max_live=3))
    # Down from 0: "minus" is solved at once, "two" runs to its limit of 5. The second "minus" starts when the first
    # is over, while both of "two" still wait for their first reply.
    assert seen[:4] == [("two", 0), ("two", 0), ("minus", 0), ("minus", 0)]
    assert len(seen) == 2 * 5 + 2


def test_progress_counts_and_outages_are_left_out(tmp_path: Path) -> None:
    async def policy(views: Sequence[View]) -> list[str]:
        await asyncio.sleep(0)
        return ["break" if view.info["task"] == "two" else "down" for view in views]

    seen: list[tuple[int, int]] = []
    log = tmp_path / "log"
    batch = run(
        acollect(Frail, policy, tasks=2, group_size=2, progress=lambda *now: seen.append(now), log=log, max_lost=0.5)
    )
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert set(batch.task) == {"minus"}
    assert batch.meta["infra_errors"] == 2
    assert TurnBatch.from_log(log) == batch


async def _raises(views: Sequence[View]) -> list[str]:
    await asyncio.sleep(0)
    raise TimeoutError("no answer")


async def _cancels(views: Sequence[View]) -> list[str]:
    raise asyncio.CancelledError


async def _single(views: Sequence[View]) -> Any:
    return Reply("up")


async def _text(views: Sequence[View]) -> Any:
    return "+"


async def _two(views: Sequence[View]) -> list[str]:
    return ["up", "up"]


async def _number(views: Sequence[View]) -> list[Any]:
    return [3]


async def _nothing(views: Sequence[View]) -> Any:
    return None


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (_raises, r"the policy raised TimeoutError\('no answer'\) at task 'minus' turn 0"),
        (_cancels, r"the policy raised CancelledError\(\) at task 'minus' turn 0"),
        (
            _single,
            r"the policy returned Reply\(text='up'.* at task 'minus' turn 0, not a list; return one reply a view",
        ),
        (_text, r"the policy returned '\+' at task 'minus' turn 0, not a list"),
        (_two, r"the policy returned 2 replies to 1 views at task 'minus' turn 0; return one a view"),
        (_number, r"the policy returned 3 \(int\), not text, at task 'minus' turn 0"),
        (_nothing, r"the policy raised TypeError\(.*at task 'minus' turn 0"),
    ],
)
def test_a_failing_policy_is_named_and_what_was_finished_is_kept(bad: Any, message: str, tmp_path: Path) -> None:
    waiting = asyncio.Event()
    cancelled: list[int] = []

    async def policy(views: Sequence[View]) -> Any:
        (view,) = views
        if view.info["task"] == "two" and view.rng.branch == 0:
            return ["up"]
        if view.info["task"] == "two":
            try:
                await waiting.wait()
            except asyncio.CancelledError:
                cancelled.append(view.turn)
                raise
        for _ in range(20):  # until the first is finished
            await asyncio.sleep(0)
        return await bad(views)

    with pytest.raises(PolicyError, match=message) as caught:
        run(asyncio.wait_for(acollect(worlds.Counter, policy, tasks=2, group_size=2, log=tmp_path / "log"), 20))
    assert caught.value.batch is not None
    assert list(caught.value.batch.trajectory) == ["two#0/0"] * 2
    assert TurnBatch.from_log(tmp_path / "log") == caught.value.batch
    assert cancelled == [0]
    gc.collect()  # a coroutine or task that nobody awaited would warn here


def test_who_will_not_be_cancelled_plays_no_further_turn(tmp_path: Path) -> None:
    async def policy(views: Sequence[View]) -> list[str]:
        (view,) = views
        if view.info["task"] == "minus":
            raise TimeoutError("no answer")
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            return ["down"]
        raise AssertionError("it was not cancelled")

    with pytest.raises(PolicyError, match="no answer") as caught:
        run(acollect(worlds.Counter, policy, group_size=1, env_kwargs={"max_turns": 1}, log=tmp_path / "log"))
    assert caught.value.batch is None
    assert list(RolloutLog(tmp_path / "log")) == []


def test_a_failing_world_is_named() -> None:
    async def policy(views: Sequence[View]) -> list[str]:
        return ["fall" if view.info["task"] == "minus" else "up" for view in views]

    with pytest.raises(RolloutError, match=r"the world raised ZeroDivisionError.* at task 'minus' turn 0") as caught:
        run(acollect(Frail, policy, tasks=["two", "minus"], group_size=1, max_live=1))
    assert not isinstance(caught.value, PolicyError)
    assert caught.value.batch is not None
    assert set(caught.value.batch.task) == {"two"}
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_an_error_of_progress_comes_out_as_it_is() -> None:
    def progress(done: int, total: int) -> None:
        raise ArithmeticError("counted wrong")

    with pytest.raises(ArithmeticError, match="counted wrong"):
        run(acollect(worlds.Counter, Shown("up"), tasks=1, group_size=2, progress=progress))


def test_cancelling_leaves_the_log_whole_and_free(tmp_path: Path) -> None:
    path = tmp_path / "log"

    async def policy(views: Sequence[View]) -> list[str]:
        if views[0].rng.branch:
            await asyncio.sleep(3600)
        return ["up"]

    async def cancel() -> None:
        task = asyncio.create_task(acollect(worlds.Counter, policy, tasks=["two"], group_size=3, log=path))
        while not path.exists() or not path.stat().st_size:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(cancel())
    assert [line["member"] for line in RolloutLog(path)] == [0]
    RolloutLog(path).open().close()


def test_an_interrupt_goes_through(tmp_path: Path) -> None:
    def policy(views: Sequence[View]) -> list[str]:
        if views[0].rng.branch == 1:
            raise KeyboardInterrupt
        return ["up"]

    with pytest.raises(KeyboardInterrupt):
        run(acollect(worlds.Counter, policy, tasks=["two"], group_size=3, max_live=1, log=tmp_path / "log"))
    assert [line["member"] for line in RolloutLog(tmp_path / "log")] == [0]


def test_a_policy_that_never_waits_can_be_cancelled() -> None:
    async def cancel() -> None:
        task = asyncio.create_task(acollect(worlds.Counter, Shown("stay"), tasks=1, group_size=10**4, max_live=2))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(cancel())


def test_arguments_are_checked_before_anything_is_played() -> None:
    for arguments, message in [({"max_live": 0}, "max_live"), ({"noise": "x"}, "unknown noise"), ({"tasks": []}, None)]:
        if message is None:
            assert len(run(acollect(worlds.Counter, Shown("up"), **arguments))) == 0
            continue
        with pytest.raises(ValueError, match=message):
            run(acollect(worlds.Counter, Shown("up"), **arguments))


def test_collect_sends_an_asynchronous_policy_here() -> None:
    with pytest.raises(PolicyError, match=r"returned a coroutine at .*: play an asynchronous policy through acollect"):
        collect(worlds.Counter, _two, tasks=1)  # type: ignore[arg-type]
    gc.collect()


def test_no_rollout_is_lost_to_a_cancellation_that_nobody_asked_for() -> None:
    def policy(views: Sequence[View]) -> list[str]:
        if views[0].info["task"] == "minus" and views[0].turn:  # as the result of a future that was cancelled
            raise asyncio.CancelledError
        return ["up"]

    with pytest.raises(PolicyError, match=r"the policy raised CancelledError\(\) at task 'minus' turn 1") as caught:
        run(acollect(worlds.Counter, policy, tasks=["two", "minus"], group_size=1, max_live=1))
    assert caught.value.batch is not None
    assert list(caught.value.batch.trajectory) == ["two#0/0"] * 2

    def progress(done: int, total: int) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):  # as out of collect
        run(acollect(worlds.Counter, Shown("up"), tasks=["two"], group_size=2, progress=progress))


def test_a_policy_that_fails_while_it_is_cancelled_is_named() -> None:
    async def policy(views: Sequence[View]) -> list[str]:
        try:
            await asyncio.sleep(3600)
        finally:
            raise ConnectionError("could not hang up")

    async def cancel() -> None:
        task = asyncio.create_task(acollect(worlds.Counter, policy, tasks=["two"], group_size=2))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(PolicyError, match="could not hang up"):
            await task

    run(cancel())
