"""collect: groups that start equal, one row a turn, nothing lost when a policy fails."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from agentgym import (
    AgentEnv,
    EndReason,
    InvalidAction,
    Opening,
    Outcome,
    PolicyError,
    Task,
    Turn,
    TurnBatch,
    collect,
    credit,
)
from agentgym.rollout import Policy, Reply, RolloutError, View, build
from agentgym.rollout.worlds import signals_of


@dataclass(frozen=True)
class Count:
    now: int
    goal: int


class Counting(AgentEnv[Count]):
    """Say + until the goal; "luck" adds a drawn 0 or 1, "break" is an infrastructure error."""

    panel = tuple(Task(f"to-{goal}", {"goal": goal}) for goal in (2, 3, 4))
    max_turns = 5

    def initial(self, task: Task, rng: Any) -> Opening[Count]:
        return Opening(Count(0, task.data["goal"]), f"count to {task.data['goal']}", "You count.")

    def transition(self, state: Count, action: Any, rng: Any) -> Turn[Count]:
        if action.text == "break":
            return Turn(state, "", outcome=Outcome(False, 0.0, EndReason.INFRA_ERROR, "endpoint gone"))
        if action.text not in ("+", "luck"):
            raise InvalidAction("say + or luck")
        now = state.now + (1 if action.text == "+" else rng.integers(2))
        won = Outcome(True, 1.0) if now == state.goal else None
        tag = "soft" if action.text == "luck" else ""
        return Turn(Count(now, state.goal), str(now), {"up": float(now - state.now)}, won, tag=tag)

    def menu(self, state: Count) -> Sequence[str]:
        return ["+", "luck"]

    def potential(self, state: Count) -> float:
        return state.now / state.goal


class Always:
    signals: Sequence[str] = ()
    markov = True

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.sizes: list[int] = []

    def __call__(self, views: Sequence[View]) -> list[Any]:
        self.sizes.append(len(views))
        return [self.texts[view.turn % len(self.texts)] for view in views]


class Even:
    """Draws from the menu evenly, with the view's own draws."""

    signals = ("menu",)
    markov = True

    def __call__(self, views: Sequence[View]) -> list[Reply]:
        return [Reply(view.rng.choice(view.menu), menu_logprobs=[-math.log(2)] * 2) for view in views]


def test_every_column_of_a_rollout_that_can_be_followed_by_hand() -> None:
    batch = collect(Counting, Always("+", "no"), tasks=["to-2"], group_size=1, seed=7, signals=("potential",))
    # Turns: + (1 of 2), no (invalid), + (2 of 2, solved).
    assert batch.turn.tolist() == [0, 1, 2]
    assert list(batch.action) == ["+", "no", "+"]
    assert batch.valid.tolist() == [True, False, True]
    assert list(batch.kind) == ["say", "invalid", "say"]
    assert list(batch.observation) == ["count to 2", "1", "say + or luck"]
    assert batch.outcome_reward.tolist() == [0.0, 0.0, 1.0]
    assert batch.success.tolist() == [True] * 3
    assert batch.terminated.tolist() == [False, False, True]
    assert batch.truncated.tolist() == [False] * 3
    assert list(batch.end_reason) == ["", "", "solved"]
    assert batch.potential.tolist() == [0.0, 0.5, 0.5]
    assert batch.next_potential.tolist() == [0.5, 0.5, 1.0]
    assert list(batch.state)[1:] == list(batch.next_state)[:2]
    assert batch.state[1] == batch.state[2]  # the invalid action changed nothing
    assert list(batch.group) == ["to-2#7"] * 3
    assert list(batch.trajectory) == ["to-2#7/0"] * 3
    assert [dict(part) for part in batch.components] == [{"up": 1.0}, {}, {"up": 1.0}]
    assert batch.tokens.tolist() == [1, 1, 1]
    assert batch.meta["env"]["id"] == "Counting"
    assert batch.meta["env"]["kwargs"] == {"signals": ("potential",)} or batch.meta["env"]["kwargs"]["signals"]


def test_the_turn_limit_truncates() -> None:
    batch = collect(Counting, Always("no"), tasks=["to-4"], group_size=1)
    assert len(batch) == 5
    assert batch.truncated.tolist() == [False] * 4 + [True]
    assert not batch.terminated.any()
    assert batch.end_reason[-1] == "turn_limit"
    assert not batch.success.any()


def test_groups_start_equal_and_the_seed_of_task_i_is_seed_plus_i() -> None:
    batch = collect(Counting, Always("+"), tasks=3, group_size=4, seed=10)
    assert batch.num_rollouts == 12
    assert batch.num_groups == 3
    starts = {
        (group, state) for group, state, turn in zip(batch.group, batch.state, batch.turn, strict=True) if not turn
    }
    assert len(starts) == 3
    assert sorted(set(batch.seed.tolist())) == [10, 11, 12]


@pytest.mark.parametrize("max_live", [1, 2, 5, None])
def test_the_record_does_not_depend_on_how_many_play_at_once(max_live: int | None) -> None:
    whole = collect(Counting, Even(), tasks=3, group_size=4, seed=3)
    again = collect(Counting, Even(), tasks=3, group_size=4, seed=3, max_live=max_live)
    assert again == whole
    assert len(set(whole.action)) == 2


def test_all_unfinished_rollouts_are_asked_together_and_freed_places_refilled() -> None:
    policy = Always("+")
    collect(Counting, policy, tasks=["to-2", "to-4"], group_size=2, max_live=3)
    # Live: 2 of to-2 and 1 of to-4 for 2 turns; then both of to-4, the second of them just started: 2 turns more of
    # the first (3, 4), 4 of the second.
    assert policy.sizes == [3, 3, 2, 2, 1, 1]


def test_noise_shared_or_own() -> None:
    shared = collect(Counting, Always("luck"), tasks=["to-4"], group_size=8, seed=1)
    assert len({tuple(np.asarray(shared.next_state)[shared.rollout == r].tolist()) for r in range(8)}) == 1
    own = collect(Counting, Always("luck"), tasks=["to-4"], group_size=8, seed=1, noise="own")
    assert len({tuple(np.asarray(own.next_state)[own.rollout == r].tolist()) for r in range(8)}) > 1
    assert len({own.state[row] for row in range(len(own)) if own.turn[row] == 0}) == 1


def test_menu_policies_leave_their_distribution() -> None:
    batch = collect(Counting, Even(), tasks=1, group_size=2)
    assert [sorted(menu) for menu in batch.menu] == [["+", "luck"]] * len(batch)
    assert batch.logprob == pytest.approx(-math.log(2))
    assert all(list(logps) == pytest.approx([-math.log(2)] * 2) for logps in batch.menu_logprobs)


def test_text_signals_are_blank_where_a_turn_has_none() -> None:
    batch = collect(Counting, Always("luck", "+"), tasks=["to-4"], group_size=1, seed=2)
    assert set(batch.tag) == {"soft", ""}
    assert "tag" not in collect(Counting, Always("+"), tasks=1, group_size=1)


def test_rollouts_lost_to_infrastructure_are_left_out_and_counted() -> None:
    class Breaking(Always):
        def __call__(self, views: Sequence[View]) -> list[Any]:
            return ["break" if view.info["task"] == "to-3" else "+" for view in views]

    batch = collect(Counting, Breaking(), tasks=3, group_size=2, max_lost=0.4)
    assert set(batch.task) == {"to-2", "to-4"}
    assert batch.meta["infra_errors"] == 2


class Flaky:
    """Breaks the infrastructure in some members of each group, at their second turn."""

    signals: Sequence[str] = ()
    markov = False

    def __init__(self, *lost: int) -> None:
        self.lost = lost

    def __call__(self, views: Sequence[View]) -> list[str]:
        return ["break" if view.turn and view.info["branch"] in self.lost else "+" for view in views]


def test_a_run_that_loses_more_than_a_fifth_stops_as_soon_as_that_is_sure() -> None:
    seen: list[tuple[int, int]] = []
    arguments: dict[str, Any] = {"tasks": ["to-4"], "group_size": 10, "noise": "own"}
    assert collect(Counting, Flaky(3, 5), **arguments).meta["infra_errors"] == 2  # a fifth is no more than a fifth
    what = r"3 of 10 rollouts ended with .* error \(the last: 'endpoint gone'\), more than max_lost=0.2 allows"
    with pytest.raises(RolloutError, match=what) as caught:
        collect(Counting, Flaky(0, 3, 5), **arguments, max_live=3, progress=lambda *now: seen.append(now))
    # Of members 0 to 5, three live at a time, 1, 2 and 4 count to 4, or are under way when the third is lost.
    assert caught.value.batch is not None and caught.value.batch.meta["infra_errors"] == 3
    assert seen[-1][0] < 10
    assert collect(Counting, Flaky(0, 3, 5), **arguments, max_lost=0.3).meta["infra_errors"] == 3


def test_nothing_that_a_policy_does_to_its_views_reaches_the_record() -> None:
    seen: list[list[str]] = []

    def vandal(views: Sequence[View]) -> list[Reply]:
        for view in views:
            seen.append([message["content"] for message in view.messages])
            with pytest.raises(TypeError):
                view.info["turn_reward"] = 100.0  # type: ignore[index]
            view.info["components"]["up"] = 100.0
            view.info["menu"][:] = ["won"]
            view.info["messages"].clear()
            view.messages.clear()  # type: ignore[attr-defined]
            assert sorted(view.menu) == ["+", "luck"]
            assert isinstance(view.menu, tuple)
            view.menu = ("won",)
        return [Reply("+", menu_logprobs=[-math.log(2)] * 2) for _ in views]

    kept = Reply("+", menu_logprobs=[-math.log(2)] * 2)
    arguments: dict[str, Any] = {"tasks": 2, "group_size": 2, "signals": ("menu",)}
    untouched = collect(Counting, lambda views: [kept] * len(views), **arguments)
    assert kept.logprob is None  # replies are the policy's, to be used again
    assert collect(Counting, vandal, **arguments) == untouched
    assert [dict(part) for part in untouched.components] == [{"up": 1.0}] * len(untouched)
    assert seen[0] == ["You count.", "count to 2"]
    assert seen[4] == ["You count.", "count to 2", "+", "1"]  # the second turn of the first of four rollouts


def test_batches_of_one_world_go_together_whatever_was_played_in_them() -> None:
    # "break" is an infrastructure error at once: no row, and so no column but those that every record has.
    with_tag = collect(Counting, Always("luck", "+"), tasks=["to-4"], group_size=1, seed=2)
    without = collect(Counting, Always("+"), tasks=["to-2"], group_size=1, seed=5)
    empty = collect(Counting, Always("break"), tasks=["to-3"], group_size=2, seed=9, max_lost=1.0)
    assert (len(empty), empty.meta["infra_errors"]) == (0, 2)
    assert set(empty.columns) == set(without.columns)
    both = TurnBatch.concat([without, empty, with_tag])
    assert list(both.tag) == ["", "", *with_tag.tag]
    assert len(both) == 2 + len(with_tag)


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (lambda views: ["+"] * (len(views) - 1), r"returned 1 replies to 2 views at task 'to-3' turn 2"),
        (lambda views: [3] * len(views), r"returned 3 \(int\), not text, at task 'to-3' turn 2"),
        (lambda views: 1 / 0, r"raised ZeroDivisionError.* at task 'to-3' turn 2"),
        (lambda views: [Reply("+", menu_logprobs=[0.0])] * 2, r"do not fit the menu of 0 at task 'to-3'"),
        (lambda views: [Reply("+"), Reply("+", math.nan)], r"logprob holds nan, not a finite float, at task 'to-3'"),
        (lambda views: [Reply("+", "x")] * 2, r"logprob holds 'x' \(str\), not a float, at task 'to-3' turn 2"),
        (lambda views: [Reply("+", True)] * 2, r"logprob holds True \(bool\), not a float"),
        (lambda views: [Reply("+", 10**400)] * 2, r"logprob holds a number too large"),
        (lambda views: [Reply("+", token_ids=[1.0])] * 2, r"token_ids hold a float, not an int below 2\*\*63, at task"),
        (lambda views: [Reply("+", token_ids=[2**63])] * 2, r"token_ids hold a int, not an int below 2\*\*63"),
        (lambda views: [Reply("+", token_ids=3)] * 2, r"token_ids are 3 \(int\), not a list, at task"),
        (lambda views: [Reply("+", token_logprobs=[-math.inf])] * 2, r"token_logprobs holds -inf, not a finite float"),
        (
            lambda views: [Reply("+", token_ids=[1, 2], token_logprobs=[-1.0])] * 2,
            r"token_ids are 2 and its token_logprobs 1 at task 'to-3' turn 2",
        ),
    ],
)
def test_a_failing_policy_is_named_with_task_and_turn_and_finished_rollouts_are_kept(reply: Any, message: str) -> None:
    def policy(views: Sequence[View]) -> Any:
        return reply(views) if views[0].info["task"] == "to-3" and views[0].turn == 2 else ["+"] * len(views)

    with pytest.raises(PolicyError, match=message) as caught:
        collect(Counting, policy, tasks=["to-2", "to-3"], group_size=2)
    assert isinstance(caught.value.batch, TurnBatch)
    assert set(caught.value.batch.task) == {"to-2"}


@pytest.mark.parametrize(
    ("logps", "message"),
    [
        ([0.0], "1 menu_logprobs or its text do not fit the menu of 2 at task 'to-2' turn 0"),
        ([math.log(0.5), math.nan], "sum to nan"),
        ([math.log(0.5), math.log(0.4)], "sum to 0.9"),
        ([math.log(0.5), math.log(0.5 + 3e-6)], "sum to 1.000003"),
        ([800.0, -800.0], "sum to inf"),
        ([None, 0.0], r"holds None \(NoneType\), not a float"),
        ("ab", r"are 'ab' \(str\), not a list"),
    ],
)
def test_menu_logprobs_that_are_no_distribution_are_refused_when_they_come(logps: Any, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        collect(Counting, lambda views: [Reply("+", menu_logprobs=logps)] * len(views), signals=("menu",))


def test_arrays_and_minus_infinity_are_recorded() -> None:
    buffer = np.zeros(2, np.float32)  # used again every turn, as a model's output may be

    def certain(views: Sequence[View]) -> list[Reply]:
        (view,) = views
        buffer[:] = [0.0 if entry == "+" else -math.inf for entry in view.menu]
        ids = np.array([view.turn, 7])
        return [Reply("+", np.float32(-0.5), buffer, ids, np.array([-0.5, -0.25]))]

    batch = collect(Counting, certain, tasks=["to-3"], group_size=1, signals=("menu",))
    # The log of the smallest positive float, 2⁻¹⁰⁷⁴, is −1074 · ln 2.
    for menu, logps in zip(batch.menu, batch.menu_logprobs, strict=True):
        assert dict(zip(menu, logps.tolist(), strict=True)) == pytest.approx({"+": 0.0, "luck": -1074 * math.log(2)})
    assert batch.logprob.tolist() == [-0.5] * 3
    assert batch.token_ids.tolist() == [[0, 7], [1, 7], [2, 7]]
    assert batch.token_logprobs.tolist() == [[-0.5, -0.25]] * 3
    assert batch.tokens.tolist() == [2] * 3


class Falling(Counting):
    """Raises in the task to-3 from 1 on, and calls a tag a number in to-4; cannot start to-5."""

    panel = tuple(Task(f"to-{goal}", {"goal": goal}) for goal in (2, 3, 4, 5))

    def initial(self, task: Task, rng: Any) -> Opening[Count]:
        if task.id == "to-5":
            raise OSError("no such map")
        return super().initial(task, rng)

    def transition(self, state: Count, action: Any, rng: Any) -> Turn[Count]:
        turn = super().transition(state, action, rng)
        if state.goal == 3 and state.now == 1:
            raise ZeroDivisionError("the floor gave way")
        turn.tag = 3 if state.goal == 4 and state.now == 2 else ""  # type: ignore[assignment]
        return turn


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        (["to-2", "to-3"], r"the world raised ZeroDivisionError\('the floor gave way'\) at task 'to-3' turn 1"),
        (
            ["to-2", "to-4"],
            r"the world raised WorldError\('the world gave tag = 3: it must be a str'\) at task 'to-4' turn 2",
        ),
        (["to-2", "to-5"], r"the world raised OSError\('no such map'\) at the start of task 'to-5'"),
    ],
)
def test_a_failing_world_is_named_with_task_and_turn_and_finished_rollouts_are_kept(tasks: Any, message: str) -> None:
    with pytest.raises(RolloutError, match=message) as caught:
        collect(Falling, Always("+"), tasks=tasks, group_size=2, max_live=2)
    assert not isinstance(caught.value, PolicyError)
    assert isinstance(caught.value.__cause__, Exception)
    assert isinstance(caught.value.batch, TurnBatch)
    assert caught.value.batch == collect(Falling, Always("+"), tasks=["to-2"], group_size=2)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.batch) == (str(caught.value), caught.value.batch)


def test_rollouts_that_end_in_the_turn_in_which_the_world_fails_are_kept() -> None:
    with pytest.raises(RolloutError) as caught:
        collect(Falling, Always("+"), tasks=["to-2", "to-3"], group_size=1)
    assert caught.value.batch is not None
    assert list(caught.value.batch.task) == ["to-2"] * 2


def test_a_policy_that_fails_at_once_leaves_no_batch() -> None:
    with pytest.raises(PolicyError) as caught:
        collect(Counting, lambda views: [], tasks=1)
    assert caught.value.batch is None


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"group_size": 0}, ValueError, "group_size must be an integer of at least 1, not 0"),
        ({"group_size": -1}, ValueError, "group_size"),
        ({"group_size": float("nan")}, ValueError, "group_size"),
        ({"group_size": True}, ValueError, "group_size"),
        ({"max_live": 0}, ValueError, "max_live"),
        ({"noise": "share"}, ValueError, "did you mean 'shared'"),
        ({"seed": -1}, ValueError, "seed"),
        ({"tasks": ["to-9"]}, KeyError, "did you mean"),
        ({"tasks": 4}, ValueError, "holds 3"),
        ({"tasks": "to-2"}, TypeError, "sequence of ids"),
        ({"signals": ("menus",)}, ValueError, "did you mean 'menu'"),
        ({"estimators": ("grop",)}, ValueError, "did you mean 'grpo'"),
        ({"estimators": "grpo"}, TypeError, r"estimators=\['grpo'\]"),
        ({"estimators": credit.info("grpo")}, TypeError, "estimators must be a sequence"),
        ({"estimators": ("nowhere.py:f",)}, ValueError, "no file .*nowhere.py"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        collect(Counting, Always("+"), **arguments)


def test_estimators_of_every_kind_say_which_signals_they_read(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def f(batch):\n    return batch.turn * 1.0\n", "utf-8")
    reads = credit.column("potential")
    assert signals_of([credit.info("grpo"), f"{file}:f", "igpo", reads]) == [*credit.info("igpo").signals, "potential"]
    assert len(collect(Counting, Always("+"), group_size=1, estimators=[credit.info("grpo"), f"{file}:f"]))


def test_a_task_that_differs_from_the_panel_s_own_is_refused() -> None:
    other = Task("to-2", {"goal": 3})
    with pytest.raises(ValueError, match=r"the task 'to-2' that was given differs .*env_kwargs=\{'tasks'"):
        collect(Counting, Always("+"), tasks=[other])
    same = collect(Counting, Always("+"), tasks=[Task("to-2", {"goal": 2})], group_size=1)
    assert same == collect(Counting, Always("+"), tasks=["to-2"], group_size=1)
    played = collect(Counting, Always("+"), tasks=[other], group_size=1, env_kwargs={"tasks": [other]})
    assert len(played) == 3  # its own goal


def test_progress_reports_finished_rollouts() -> None:
    seen: list[tuple[int, int]] = []
    collect(Counting, Always("+"), tasks=2, group_size=2, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(2, 4), (4, 4)]


def test_a_world_may_be_an_id_a_class_or_an_instance() -> None:
    used = Counting(max_turns=3)
    used.reset(seed=0)
    used.step("+")
    batch = collect(used, Always("no"), tasks=1, group_size=1)
    assert len(batch) == 3
    assert used.step("+")[2]  # the world that was given is where it was
    with pytest.raises(TypeError, match="not an AgentEnv"):
        collect("CartPole-v1", Always("+"))
    with pytest.raises(TypeError, match="registered id"):
        build(3)  # type: ignore[arg-type]
    with pytest.raises(gymnasium.error.Error):
        collect("agentgym/Nowhere-v0", Always("+"))


def test_arguments_from_a_record_are_plain_again() -> None:
    batch = collect(Counting, Always("+"), tasks=1, group_size=1).with_meta(env={"kwargs": {"reward": {"up": [1, {}]}}})
    world = build(Keeping, batch.meta["env"]["kwargs"])
    (kept,) = world._init_kwargs.values()
    assert kept == {"up": [1, {}]}
    assert (type(kept), type(kept["up"]), type(kept["up"][1])) == (dict, list, dict)


class Keeping(Counting):
    def __init__(self, *, reward: Any = "sparse", **kwargs: Any) -> None:
        super().__init__(**kwargs)


def test_the_protocol_is_what_policies_are_checked_against() -> None:
    assert isinstance(Always("+"), Policy)
    assert not isinstance(lambda views: [], Policy)


class Ruled(Counting):
    """Says of every turn which rules it broke: what is no word breaks one, and at 0 another besides."""

    def apply(self, state: Count, action: Any, rng: Any) -> Any:
        turn, valid, parsed = super().apply(state, action, rng)
        if not valid:
            turn.violations = ["word", *(["early"] if state.now == 0 else [])]
        turn.safe = valid
        return turn, valid, parsed


def test_what_turns_break_is_their_cost_where_every_turn_says_whether_it_kept_the_rules() -> None:
    batch = collect(Ruled, Always("no", "+"), tasks=["to-2"], group_size=1)
    # Turns: no (at 0, two rules), + (1 of 2), no (one rule), + (2 of 2, solved).
    assert batch.cost.tolist() == [2.0, 0.0, 1.0, 0.0]
    assert batch.safe.tolist() == [False, True, False, True]
    assert "cost" not in collect(Counting, Always("no", "+"), tasks=["to-2"], group_size=1).columns
