"""Failures played again with a sibling's actions at hand, in a world that can be counted through."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import bench_world
import numpy as np
import pytest

from agentgym import credit
from agentgym.baselines.columns import MAKERS, Crew, plan
from agentgym.baselines.policies import MenuPolicy, RandomPolicy
from agentgym.baselines.revision import FirstDivergence, Reference, RevisingPolicy, columns_of, with_revisions
from agentgym.batch import TurnBatch
from agentgym.rollout import View, build, collect

bench_world.register()


class Script:
    """Member i says the words of script i; each script ends with its episode."""

    signals: Sequence[str] = ()
    markov = False

    def __init__(self, *scripts: str) -> None:
        self.scripts = scripts

    def __call__(self, views: Sequence[View]) -> list[str]:
        turn = views[0].turn
        return [script[turn] for script in self.scripts if len(script) > turn]


class Always(MenuPolicy):
    """Takes one entry of the menu."""

    def __init__(self, entry: str) -> None:
        self.entry = entry

    def log_probs(self, views: Sequence[View]) -> list[Any]:
        return [np.log([1.0 if text == self.entry else 5e-324 for text in view.menu]) for view in views]


def record(*scripts: str) -> TurnBatch:
    """One group that counts to 2: ++ wins, - loses at once."""
    return collect(bench_world.ENV, Script(*scripts), tasks=["to-2"], group_size=len(scripts))


THREE = ("++", "-", "+--")


def test_revisions_take_the_siblings_action_where_the_two_part_and_go_on_as_the_policy() -> None:
    # Rollout 1 parts from the success in turn 0: +, then the policy's - and -: lost. Rollout 2 parts in turn 1: ++
    # wins.
    batch = with_revisions(record(*THREE), Always("-"))
    assert [ok.tolist() for ok in batch.revision_ok] == [[], [], [False], [True], [True], [True]]
    assert batch.revision.tolist() == ["", "", "+", "+", "+", ""]
    assert batch.meta["revision_turns"] == 3 + 2
    assert credit.ibpo(batch).diagnostics["phi"].tolist() == [0, 0, 0, 0.5, 0.5, 0.5]
    # A policy that knows the way once it is started mends both.
    able = with_revisions(record(*THREE), Always("+"))
    assert [ok.tolist() for ok in able.revision_ok] == [[], [], [True], [True], [True], [True]]


@pytest.mark.parametrize(
    ("scripts", "ok"),
    [(("+--", "++", "+-++"), [True, False]), (("+--", "+-++", "++"), [False, True])],
    ids=["first", "second"],
)
def test_every_success_is_a_reference_and_the_first_that_helps_stays(scripts: tuple[str, ...], ok: list[bool]) -> None:
    # Against ++ the revision is ++; against +-++ it parts in turn 2 only: +-+ and then --, lost.
    batch = with_revisions(record(*scripts), Always("-"))
    assert [row.tolist() for row in batch.revision_ok][:3] == [ok] * 3
    assert batch.revision.tolist()[:3] == ["+", "+", ""]


def test_where_none_helps_the_first_is_kept_and_without_a_success_there_is_none() -> None:
    batch = with_revisions(record("+--", "+-++"), Always("-"))
    assert batch.revision.tolist()[:3] == ["+", "-", "+"]
    assert batch.revision_ok[0].tolist() == [False]
    lost = with_revisions(record("-", "+--"), Always("-"))
    assert lost.meta["revision_turns"] == 0
    assert [len(row) for row in lost.revision_ok] == [0] * 4
    assert (credit.ibpo(lost).total == credit.grpo(lost).total).all()


def test_revisions_come_out_the_same_every_time_and_draw_for_themselves() -> None:
    world = build(bench_world.ENV)
    batch = collect(world, RandomPolicy(), tasks=["to-3", "to-4"], group_size=12)
    once, again = (with_revisions(batch, RandomPolicy()) for _ in range(2))
    assert once == again
    assert once.meta["revision_turns"] > 0
    failures, wins = ((batch.success[batch.order[batch.starts]] == won) for won in (False, True))
    for number in np.flatnonzero(failures):
        row = batch.order[batch.starts[number]]
        siblings = wins & (batch.rollout_group == batch.rollout_group[number])
        assert len(once.revision_ok[row]) == siblings.sum()


def test_a_policy_of_ones_own_may_revise() -> None:
    class Copying(Always):
        def revise(self, views: Sequence[View], references: Sequence[Reference]) -> list[str]:
            return [reference.sibling[view.turn] for view, reference in zip(views, references, strict=True)]

    batch = with_revisions(record("+--", "++"), Copying("-"))
    assert batch.revision_ok[0].tolist() == [True]
    # What is passed wins over it.
    other = with_revisions(record("+--", "++"), Copying("-"), revise=lambda views, references: ["-"] * len(views))
    assert other.revision_ok[0].tolist() == [False]
    with pytest.raises(ValueError, match="returned 0 replies to 1 views"):
        with_revisions(record("+--", "++"), Copying("-"), revise=lambda views, references: [])


def test_divergence() -> None:
    assert Reference(("a", "b"), ("a", "c", "d")).divergence == 1
    assert Reference(("a",), ("a", "b")).divergence == 1
    assert Reference(("a", "b"), ("a",)).divergence == 1
    views: Any = [SimpleNamespace(turn=turn) for turn in range(3)]
    said = FirstDivergence(lambda asked: [f"own {view.turn}" for view in asked])  # type: ignore[arg-type]
    assert said.revise(views, [Reference(("a", "x"), ("a", "b", "c"))] * 3) == ["a", "b", "own 2"]
    assert said.revise(views, [Reference(("a", "x"), ("a",))] * 3) == ["a", "own 1", "own 2"]
    assert said.revise(views[:1], [Reference(("x",), ("b",))]) == ["b"]


def test_a_revision_that_an_outage_ends_does_not_count() -> None:
    def ended(reason: str, success: bool) -> Any:
        return SimpleNamespace(info={"end_reason": reason, "success": success}, rows=[])

    batch = columns_of(record("-", "++"), [0, 0], [ended("infra_error", False), ended("solved", True)])
    assert batch.revision_ok[0].tolist() == [True]


def test_the_world_comes_from_the_record_or_is_given() -> None:
    batch = record(*THREE)
    nowhere = TurnBatch.from_columns({name: batch[name] for name in batch.columns})
    with pytest.raises(ValueError, match=r"cannot rebuild the world .* pass env="):
        with_revisions(nowhere, Always("-"))
    assert with_revisions(nowhere, Always("-"), env=bench_world.Counting()).revision_ok == (
        with_revisions(batch, Always("-")).revision_ok
    )


def test_the_benchmark_makes_what_ibpo_and_ricl_read() -> None:
    world = build(bench_world.ENV, signals=("menu", "describe"))
    for name, column in (("ibpo", "revision_ok"), ("ricl", "menu_hindsight_logprobs"), ("hca", "hindsight_logprob")):
        estimator = credit.info(name)
        bare = collect(world, RandomPolicy(), tasks=["to-2"], group_size=2)
        found = plan(MAKERS, estimator, bare.columns)
        assert found.missing == ()
        assert len(found.makers) == 1
        crew = Crew(RandomPolicy(), found.makers)
        batch = collect(world, crew.policy, tasks=["to-2", "to-3"], group_size=8)
        [made] = crew.make(batch, world, [found])
        assert column in made
        assert np.abs(estimator(made).total).max() > 0.0
    assert isinstance(RevisingPolicy(RandomPolicy())([]), list)
